//! Reading JSON by hand, where a file has hundreds of thousands of values: eight bytes at a time, and nothing is built of them.
//! What is small is left to serde.

/// Where reading has come to. Methods give `None` where the file is not JSON there, or not what was asked for.
#[derive(Clone, Copy)]
pub struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A text as it stands in the file.
#[derive(Clone, Copy)]
pub struct Raw<'a> {
    /// Between its quotes.
    pub inner: &'a [u8],
    pub is_escaped: bool,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const TOPS: u64 = 0x80 * ONES;
const SPACES: u64 = b' ' as u64 * ONES;

/// The top bit of each byte of `word` that is `byte`, and of some above the first.
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

    fn word(&self) -> Option<u64> {
        self.bytes.get(self.at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
    }

    /// The next byte that is no white space; it is not taken.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        if byte > b' ' { Some(byte) } else { self.behind_space() }
    }

    #[inline(never)]
    fn behind_space(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' if self.word() == Some(SPACES) => self.at += 8,
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                other => return Some(other),
            }
        }
    }

    /// Takes `byte`, which comes next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Behind a value of a list or map: takes what follows, and says whether it is a further one.
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

    /// The next byte that is not simply part of a text, and how far away it is.
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

    /// A whole number of at most nine digits.
    #[inline]
    pub fn number(&mut self) -> Option<u32> {
        self.peek()?;
        let start = self.at;
        let mut value = 0;
        while let Some(digit) =
            self.bytes.get(self.at).map(|byte| byte.wrapping_sub(b'0')).filter(|d| *d < 10)
        {
            value = value * 10 + u32::from(digit);
            self.at += 1;
            if self.at - start > 9 {
                return None;
            }
        }
        let is_plain = self.at == start + 1 || self.bytes.get(start) != Some(&b'0');
        (self.at > start && is_plain).then_some(value)
    }

    /// The next value as it is written.
    pub fn value(&mut self) -> Option<&'a [u8]> {
        self.peek()?;
        let start = self.at;
        self.skip()?;
        self.bytes.get(start..self.at)
    }

    /// Goes behind the next value, of which it only knows where it ends.
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
    /// What it says, in `buffer` where that is not what stands there; `None` where that is no text.
    #[inline]
    pub fn said<'b>(self, buffer: &'b mut Vec<u8>) -> Option<&'b [u8]>
    where
        'a: 'b,
    {
        if self.is_escaped { self.unescaped(buffer) } else { Some(self.inner) }
    }

    #[inline(never)]
    fn unescaped(self, out: &mut Vec<u8>) -> Option<&[u8]> {
        out.clear();
        let mut rest = self.inner;
        while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
            let (plain, escape) = rest.split_at(at);
            out.extend_from_slice(plain);
            out.push(match escape.get(1)? {
                same @ (b'"' | b'\\' | b'/') => *same,
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                _ => return self.unescaped_by_serde(out),
            });
            rest = escape.get(2..)?;
        }
        out.extend_from_slice(rest);
        Some(out)
    }

    /// Rare ones.
    fn unescaped_by_serde(self, out: &mut Vec<u8>) -> Option<&[u8]> {
        let quoted = [b"\"", self.inner, b"\""].concat();
        *out = serde_json::from_slice::<String>(&quoted).ok()?.into_bytes();
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers_are_those_that_serde_reads() {
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
                assert_eq!(raw.said(&mut Vec::new()), Some(text.as_bytes()));
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
    fn a_value_ends_where_serde_says() {
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
