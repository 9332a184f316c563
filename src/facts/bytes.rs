//! Classes of bytes. Most words can be skipped by looking only at their bytes.

/// A character that occurs in any word.
pub(super) const PLAIN: u8 = 1;
/// A character that may make a word a path, an id or a code: a digit, a capital, a slash or a full stop.
const TELLING: u8 = 2;
/// The start of an issue number.
pub(super) const HASH: u8 = 4;
/// A part of a non-ASCII character.
const WIDE: u8 = 8;

/// Shorter words of plain characters cannot be facts. This is the length of a UUID, which may have no digits.
pub(super) const LONGEST_PLAIN: usize = 36;

/// The class of each byte; 0: not part of a word.
pub(super) const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    let mut at = 0;
    while at < 256 {
        class[at] = match at as u8 {
            b'a'..=b'z' | b'_' | b'-' | b'~' | b'@' | b'+' => PLAIN,
            b'0'..=b'9' | b'A'..=b'Z' | b'/' | b'.' => PLAIN | TELLING,
            b'#' => HASH,
            128..=255 => WIDE,
            _ => 0,
        };
        at += 1;
    }
    class
};

/// The length of the run of a word's ASCII characters at the start of `bytes`, and all classes that occur in it.
pub(super) fn run(bytes: &[u8]) -> (usize, u8) {
    let mut seen = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let class = CLASS[usize::from(*byte)];
        if class & PLAIN == 0 {
            return (at, seen);
        }
        seen |= class;
    }
    (bytes.len(), seen)
}
