//! Bytes as text: of stores that can only keep text, and of media.

/// Decodes base64; `None` if the text is not valid base64 with padding.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let letters = text.trim_end_matches('=').as_bytes();
    if !text.len().is_multiple_of(4) || text.len() - letters.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3 + 2);
    for group in letters.chunks(4) {
        let mut bits = 0;
        for letter in group {
            bits = bits << 6 | u32::from(bits_of(*letter)?);
        }
        let bits = bits << (6 * (4 - group.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(bytes)
}

/// The six bits that a letter stands for.
const fn bits_of(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_matches_the_standard() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("~~~\u{ff}", "fn5+w78="),
        ] {
            assert_eq!(from_base64(text).as_deref(), Some(bytes.as_bytes()));
        }
        for bad in ["Zg", "Zg=", "Z===", "Zg==Zg==", "Zm 9", "日本"] {
            assert_eq!(from_base64(bad), None, "{bad}");
        }
    }
}
