//! GPT-2's alphabet, which represents each byte by a printable character.

use std::sync::LazyLock;

/// The character of each byte.
static CHARS: LazyLock<[char; 256]> = LazyLock::new(|| {
    let mut next = 256;
    std::array::from_fn(|byte| {
        let shown = matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF);
        let code = if shown {
            byte as u32
        } else {
            next += 1;
            next - 1
        };
        char::from_u32(code).unwrap_or('\u{FFFD}')
    })
});

/// The byte of each character below U+0144; 256 if it has none.
static BYTES: LazyLock<[u16; 0x144]> = LazyLock::new(|| {
    let mut bytes = [256; 0x144];
    for (byte, &c) in CHARS.iter().enumerate() {
        if let Some(place) = bytes.get_mut(c as usize) {
            *place = byte as u16;
        }
    }
    bytes
});

/// The character that represents `byte`.
pub fn char_of(byte: u8) -> char {
    CHARS[usize::from(byte)]
}

/// The byte that `c` represents.
pub fn byte_of(c: char) -> Option<u8> {
    BYTES.get(c as usize).and_then(|&byte| u8::try_from(byte).ok())
}

/// Writes the bytes that `text` represents to `out`; `false` if a character is not in the alphabet.
pub fn bytes_of(text: &str, out: &mut Vec<u8>) -> bool {
    out.clear();
    for c in text.chars() {
        let Some(byte) = byte_of(c) else { return false };
        out.push(byte);
    }
    true
}

/// Represents `text` in the alphabet, one character per byte.
pub fn spelled(text: &[u8]) -> String {
    text.iter().map(|&byte| char_of(byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_maps_to_a_character_and_back() {
        for byte in 0..=255 {
            assert_eq!(byte_of(char_of(byte)), Some(byte));
        }
        assert_eq!(char_of(b' '), 'Ġ');
        assert_eq!(char_of(b'\n'), 'Ċ');
        assert_eq!(byte_of('｜'), None);
    }
}
