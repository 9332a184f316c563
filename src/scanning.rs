//! Searches a text for a byte, eight bytes at a time. The module is built without vector instructions, and without them the usual
//! searches look at one or four bytes at a time.

/// How often an ASCII character occurs in a text.
pub fn count(text: &str, byte: u8) -> u64 {
    let (words, last) = words(text, byte);
    let count = |word: u64| u64::from(hits(word, byte).count_ones());
    words.iter().map(|word| count(u64::from_le_bytes(*word))).sum::<u64>() + count(last)
}

/// Whether an ASCII character occurs in a text.
pub fn contains(text: &str, byte: u8) -> bool {
    let (words, last) = words(text, byte);
    let any = |all, word: &[u8; 8]| all | hits(u64::from_le_bytes(*word), byte);
    words.chunks(8).any(|some| some.iter().fold(0, any) != 0) || hits(last, byte) != 0
}

/// A text as words of eight bytes, and its rest as one more word, filled up with bytes that are not the one searched for.
fn words(text: &str, byte: u8) -> (&[[u8; 8]], u64) {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut last = [!byte; 8];
    last[..rest.len()].copy_from_slice(rest);
    (words, u64::from_le_bytes(last))
}

/// A word with the high bit set in each byte that is the one searched for.
fn hits(word: u64, byte: u8) -> u64 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    let differs = word ^ u64::from_le_bytes([byte; 8]);
    !(((differs & LOW) + LOW) | differs | LOW)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_finds_the_same_as_byte_by_byte(text in "[a<\n;é\u{1}家]{0,90}") {
            for byte in [b'<', b'\n', b';', 0, 1] {
                let expected = text.bytes().filter(|other| *other == byte).count();
                prop_assert_eq!(super::count(&text, byte), expected as u64);
                prop_assert_eq!(super::contains(&text, byte), expected > 0);
            }
        }
    }
}
