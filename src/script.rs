//! What kind of script a character belongs to.

/// Chinese characters, kana and the like: scripts without blanks between words.
pub const fn is_cjk(c: char) -> bool {
    matches!(c as u32, 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF | 0x20000..=0x3FFFF)
}
