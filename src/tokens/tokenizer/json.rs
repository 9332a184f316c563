//! Scans JSON by hand, because a file has hundreds of thousands of values. It reads eight bytes at a time and builds no
//! values.

use crate::key::{Key, mixed};

/// A position in the file. Methods return `None` if the file is not valid JSON there, or has something other than what was
/// asked for.
#[derive(Clone, Copy)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A string as it is written in the file.
#[derive(Clone, Copy)]
pub struct Raw<'a> {
    /// The bytes between the quotes.
    pub inner: &'a [u8],
    pub is_escaped: bool,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const TOPS: u64 = 0x80 * ONES;
const SPACES: u64 = b' ' as u64 * ONES;

/// Sets the top bit of each byte of `word` that equals `byte`. Bits above the lowest one set may be wrong.
const fn marks(word: u64, byte: u8) -> u64 {
    let other = word ^ (byte as u64 * ONES);
    other.wrapping_sub(ONES) & !other & TOPS
}

impl<'a> Scanner<'a> {
    pub const fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub const fn at(&self) -> usize {
        self.at
    }

    /// The bytes from here to `end`.
    pub fn until(&self, end: usize) -> &'a [u8] {
        self.bytes.get(self.at..end).unwrap_or_default()
    }

    #[inline]
    fn word(&self) -> Option<u64> {
        self.bytes.get(self.at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
    }

    /// The next byte that is not white space, without consuming it.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        if byte > b' ' { Some(byte) } else { self.behind_space() }
    }

    #[inline(never)]
    fn behind_space(&mut self) -> Option<u8> {
        loop {
            if !matches!(*self.bytes.get(self.at)?, b' ' | b'\n' | b'\r' | b'\t') {
                return self.byte();
            }
            // After a line break there are usually a few spaces.
            let spaces = match self.word() {
                Some(word) => ((word ^ SPACES) >> 8).trailing_zeros().min(56) as usize / 8,
                None => 0,
            };
            self.at += 1 + spaces;
        }
    }

    /// Whether only white space is left.
    pub fn is_end(&mut self) -> bool {
        self.peek();
        self.at >= self.bytes.len()
    }

    /// Consumes `byte`, which must come next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// After an item of a list or map: consumes the comma or `end`, and returns whether another item follows.
    #[inline]
    pub fn more(&mut self, end: u8) -> Option<bool> {
        let next = self.peek()?;
        self.at += 1;
        if next == b',' { Some(true) } else { (next == end).then_some(false) }
    }

    #[inline]
    pub fn text(&mut self) -> Option<Raw<'a>> {
        self.take(b'"')?;
        let start = self.at;
        let mut is_escaped = false;
        loop {
            let (byte, skipped) = self.special()?;
            self.at += skipped;
            match byte {
                b'"' => break,
                b'\\' => {
                    is_escaped = true;
                    self.at += 2;
                }
                _ => return None,
            }
        }
        let inner = self.bytes.get(start..self.at)?;
        self.at += 1;
        Some(Raw { inner, is_escaped })
    }

    /// The contents of the next string.
    pub fn string(&mut self) -> Option<String> {
        let mut buffer = Vec::new();
        let text = self.text()?.unescaped(&mut buffer)?;
        std::str::from_utf8(text).ok().map(str::to_owned)
    }

    /// Consumes a number or a name, up to the first character that cannot be part of one.
    pub fn word_of_signs(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        let len = rest.iter().take_while(is_part).count();
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    /// Calls `item` at each item of a list or map. `item` must consume the item.
    pub fn each(&mut self, begin: u8, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.take(begin)?;
        if self.peek()? == end {
            return self.take(end);
        }
        loop {
            item(self)?;
            if !self.more(end)? {
                return Some(());
            }
        }
    }

    /// Inside a string: moves to the next `"`, `\`, space or control character, and returns the key of the bytes before it,
    /// or the key of no bytes if the file ends first.
    // Not inlined: it is small and called a million times, so that the engine soon optimizes it.
    #[inline(never)]
    pub fn part(&mut self) -> Key {
        let start = self.at;
        let mut hash = 0;
        while let Some(word) = self.word() {
            let low = word.wrapping_sub(SPACES + ONES) & !word & TOPS;
            let found = marks(word, b'"') | marks(word, b'\\') | low;
            if found == 0 {
                hash = mixed(hash, word);
                self.at += 8;
                continue;
            }
            let bits = found.trailing_zeros() & !7;
            self.at += bits as usize / 8;
            return Key::new(hash, word & !(u64::MAX << bits), self.at - start);
        }
        self.at = start;
        Key::default()
    }

    /// At an escape in a part that began at `start`: moves to the end of the part and writes its contents to `out`.
    #[inline(never)]
    pub fn escaped_part(&mut self, start: usize, out: &mut Vec<u8>) -> Option<()> {
        out.clear();
        out.extend_from_slice(self.bytes.get(start..self.at)?);
        while self.byte()? == b'\\' {
            self.at = self.bytes.len() - put_escape(self.bytes.get(self.at..)?, out)?.len();
            let plain = self.at;
            self.part();
            out.extend_from_slice(self.bytes.get(plain..self.at)?);
        }
        Some(())
    }

    /// The next byte, whatever it is.
    #[inline]
    pub fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Consumes one byte.
    #[inline]
    pub const fn step(&mut self) {
        self.at += 1;
    }

    /// The next byte that is not an ordinary character of a string, and its distance.
    #[inline]
    fn special(&mut self) -> Option<(u8, usize)> {
        while let Some(word) = self.word() {
            let control = word.wrapping_sub(SPACES) & !word & TOPS;
            let found = marks(word, b'"') | marks(word, b'\\') | control;
            if found != 0 {
                let skipped = found.trailing_zeros() as usize / 8;
                return Some(((word >> (8 * skipped)) as u8, skipped));
            }
            self.at += 8;
        }
        let rest = self.bytes.get(self.at..)?;
        let skipped = rest.iter().position(|&byte| byte == b'"' || byte == b'\\' || byte < b' ')?;
        Some((*rest.get(skipped)?, skipped))
    }

    /// Consumes a whole number of at most nine digits.
    #[inline]
    pub fn number(&mut self) -> Option<u32> {
        let first = self.peek()?;
        let start = self.at;
        let mut value = 0_u32;
        while let Some(&byte) = self.bytes.get(self.at) {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit));
            self.at += 1;
        }
        let len = self.at - start;
        (len == 1 || len > 1 && len < 10 && first != b'0').then_some(value)
    }

    /// Consumes the next value and returns it as it is written.
    pub fn value(&mut self) -> Option<&'a [u8]> {
        self.peek()?;
        let start = self.at;
        self.skip()?;
        self.bytes.get(start..self.at)
    }

    /// Skips the next value. Only its end is determined; its contents are not checked.
    pub fn skip(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.text()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
            if depth == 0 && self.bytes.get(self.at).is_none_or(|byte| b",}] \n\r\t".contains(byte)) {
                return Some(());
            }
        }
    }
}

impl<'a> Raw<'a> {
    /// The string's contents, written to `buffer` if it has escapes; `None` if an escape is invalid.
    #[inline]
    pub fn unescaped<'b>(self, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]>
    where
        'a: 'b,
    {
        if self.is_escaped { self.unescape_into(buffer) } else { Some(self.inner) }
    }

    #[inline(never)]
    fn unescape_into(self, out: &mut Vec<u8>) -> Option<&[u8]> {
        out.clear();
        let mut rest = self.inner;
        while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
            let (plain, escape) = rest.split_at(at);
            out.extend_from_slice(plain);
            rest = put_escape(escape, out)?;
        }
        out.extend_from_slice(rest);
        Some(out)
    }
}

/// Writes the character of the escape at the beginning to `out`, and returns the rest.
#[inline(never)]
fn put_escape<'a>(escape: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    out.push(match escape.get(1)? {
        same @ (b'"' | b'\\' | b'/') => *same,
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'u' => {
            let (mut c, mut behind) = code_unit(escape)?;
            if let 0xD800..0xDC00 = c {
                let (low, behind_both) = code_unit(behind)?;
                let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                (c, behind) = (0x1_0000 + ((c - 0xD800) << 10 | low), behind_both);
            }
            out.extend_from_slice(char::from_u32(c)?.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(behind);
        }
        _ => return None,
    });
    escape.get(2..)
}

/// The code unit of `\u` and four digits, and the rest.
fn code_unit(escape: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, behind) = escape.strip_prefix(b"\\u")?.split_at_checked(4)?;
    let unit = digits.iter().try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))?;
    Some((unit, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_are_read_like_serde() {
        let texts = [
            "",
            "a",
            "Ġ中😀",
            "0123456",
            "01234567",
            "012345678\u{7f}",
            "\"",
            "\\",
            "a\n\u{1}",
            "ends in \\",
            "é".repeat(40).leak(),
        ];
        for text in texts {
            for indent in ["", "        \n\t "] {
                let json = format!(
                    "{indent}{},{indent}17{indent}}}",
                    serde_json::to_string(text).unwrap_or_default()
                );
                let mut scanner = Scanner::new(json.as_bytes(), 0);
                let raw = scanner.text().unwrap_or_else(|| unreachable!("{json}"));
                assert_eq!(raw.unescaped(&mut Vec::new()), Some(text.as_bytes()));
                assert!(raw.is_escaped || raw.inner == text.as_bytes());
                assert_eq!(
                    (scanner.more(b'}'), scanner.number(), scanner.more(b'}')),
                    (Some(true), Some(17), Some(false))
                );
            }
        }
        for no_text in ["", "\"", "\"a", "\"a\n\"", "\"0123456\t\"", "\"\\", "\"\\\"", "a\"", "[\"a\"]"] {
            assert!(Scanner::new(no_text.as_bytes(), 0).text().is_none(), "{no_text}");
        }
        for (json, number) in [
            ("0", Some(0)),
            ("01", None),
            ("-1", None),
            ("", None),
            ("a", None),
            ("999999999", Some(999_999_999)),
            ("1234567890", None),
        ] {
            assert_eq!(Scanner::new(json.as_bytes(), 0).number(), number, "{json}");
        }
    }

    #[test]
    fn skipping_a_value_ends_where_serde_does() {
        for value in [
            "1", "-1.5e3", "null", "\"a]\\\"}\"", "[]", "{}", "[1, [2, {\"a\": \"]\"}], \"}\"]",
            "{\"a\": [1]}",
        ] {
            for behind in ["", " ", ",1", "\n}"] {
                let json = format!(" {value}{behind}");
                let mut scanner = Scanner::new(json.as_bytes(), 0);
                assert_eq!((scanner.skip(), scanner.at()), (Some(()), 1 + value.len()), "{json}");
            }
        }
        for none in ["", "]", "[", "[\"", "{\"a\": 1"] {
            assert!(Scanner::new(none.as_bytes(), 0).skip().is_none(), "{none}");
        }
    }
}
