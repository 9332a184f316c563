//! JSON values, for the small parts of a file.

use crate::json::Scanner;

/// A JSON value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Value {
    #[default]
    Null,
    Bool(bool),
    /// As it is written in the file.
    Number(String),
    Text(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

/// The maximum nesting, above that of real files.
const MAX_DEPTH: usize = 64;

impl Value {
    /// Parses a text that is a single value; `None` if it is not.
    pub fn of(json: &str) -> Option<Self> {
        let mut scanner = Scanner::new(json.as_bytes(), 0);
        let value = Self::read(&mut scanner)?;
        scanner.is_end().then_some(value)
    }

    /// Reads the next value.
    pub fn read(scanner: &mut Scanner<'_>) -> Option<Self> {
        Self::read_at(scanner, 0)
    }

    fn read_at(scanner: &mut Scanner<'_>, depth: usize) -> Option<Self> {
        match scanner.peek()? {
            _ if depth > MAX_DEPTH => None,
            b'"' => scanner.string().map(Self::Text),
            b'[' => {
                let mut list = Vec::new();
                scanner.each(b'[', b']', |scanner| {
                    list.push(Self::read_at(scanner, depth + 1)?);
                    Some(())
                })?;
                Some(Self::List(list))
            }
            b'{' => {
                let mut map = Vec::new();
                scanner.each(b'{', b'}', |scanner| {
                    let key = scanner.string()?;
                    scanner.take(b':')?;
                    map.push((key, Self::read_at(scanner, depth + 1)?));
                    Some(())
                })?;
                Some(Self::Map(map))
            }
            _ => match scanner.word_of_signs() {
                b"null" => Some(Self::Null),
                b"true" => Some(Self::Bool(true)),
                b"false" => Some(Self::Bool(false)),
                number => is_number(number).then(|| Self::Number(String::from_utf8_lossy(number).into())),
            },
        }
    }

    /// Skips the next value; `None` if it is invalid.
    pub fn skip(scanner: &mut Scanner<'_>) -> Option<()> {
        Self::skip_at(scanner, &mut Vec::new(), 0)
    }

    fn skip_at(scanner: &mut Scanner<'_>, buffer: &mut Vec<u8>, depth: usize) -> Option<()> {
        match scanner.peek()? {
            _ if depth > MAX_DEPTH => None,
            b'"' => skip_text(scanner, buffer),
            b'[' => scanner.each(b'[', b']', |scanner| Self::skip_at(scanner, buffer, depth + 1)),
            b'{' => scanner.each(b'{', b'}', |scanner| {
                skip_text(scanner, buffer)?;
                scanner.take(b':')?;
                Self::skip_at(scanner, buffer, depth + 1)
            }),
            _ => {
                let word = scanner.word_of_signs();
                (matches!(word, b"null" | b"true" | b"false") || is_number(word)).then_some(())
            }
        }
    }

    /// The value of a key; the last one if the key occurs twice.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(map) = self else { return None };
        map.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    pub const fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(is) = self { Some(*is) } else { None }
    }

    /// The number, if it is a whole number.
    pub fn as_u64(&self) -> Option<u64> {
        if let Self::Number(number) = self { number.parse().ok() } else { None }
    }

    pub fn as_f64(&self) -> Option<f64> {
        if let Self::Number(number) = self { number.parse().ok() } else { None }
    }

    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

fn skip_text(scanner: &mut Scanner<'_>, buffer: &mut Vec<u8>) -> Option<()> {
    std::str::from_utf8(scanner.text()?.unescaped(buffer)?).ok().map(|_| ())
}

fn is_number(text: &[u8]) -> bool {
    let digits = |text: &mut &[u8]| {
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *text = text.get(count..).unwrap_or_default();
        count
    };
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let begins_with_zero = rest.first() == Some(&b'0');
    let whole = digits(&mut rest);
    let mut is = whole == 1 || whole > 1 && !begins_with_zero;
    if let Some(mut fraction) = rest.strip_prefix(b".") {
        is &= digits(&mut fraction) > 0;
        rest = fraction;
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let mut exponent = if let [b'+' | b'-', digits @ ..] = exponent { digits } else { exponent };
        is &= digits(&mut exponent) > 0;
        rest = exponent;
    }
    is && rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value parsed by serde, converted.
    fn by_serde(value: &serde_json::Value) -> Value {
        match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(is) => Value::Bool(*is),
            serde_json::Value::Number(number) => Value::Number(number.to_string()),
            serde_json::Value::String(text) => Value::Text(text.clone()),
            serde_json::Value::Array(list) => Value::List(list.iter().map(by_serde).collect()),
            serde_json::Value::Object(map) => {
                Value::Map(map.iter().map(|(key, value)| (key.clone(), by_serde(value))).collect())
            }
        }
    }

    #[test]
    fn values_are_read_like_serde() {
        let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
        for json in [
            "null",
            " true ",
            "false",
            "0",
            "10",
            "-17",
            "1.5",
            "-2.25",
            "01",
            "-",
            "1.",
            ".5",
            "+1",
            "1e",
            "1e+",
            "1x",
            "nul",
            "nulll",
            "tru e",
            "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"\\ude00\"",
            "\"\\ud83dx\"",
            "\"\\ud83d\\u0041\"",
            "\"\\u00g0\"",
            "\"\\u+0e9\"",
            "\"\\u00\"",
            "\"\\x\"",
            "\"\n\"",
            "\"a",
            "[]",
            "{}",
            "[1, [\"a\", {}]]",
            "{\"a\": {\"b\": [null]}, \"c\": 1}",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{\"a\" 1}",
            "{\"a\": 1,}",
            "{a: 1}",
            "{1: 1}",
            "[1] x",
            "]",
            "",
            " ",
            &deep,
        ] {
            let read = serde_json::from_str::<serde_json::Value>(json).ok();
            let expected = read.as_ref().map(by_serde);
            assert_eq!(Value::of(json), expected, "{json}");
            let mut scanner = Scanner::new(json.as_bytes(), 0);
            assert_eq!(Value::skip(&mut scanner).is_some() && scanner.is_end(), expected.is_some(), "{json}");
        }
        for (json, number) in [("1e3", Some(1000.0)), ("1.5E-2", Some(0.015)), ("\"1\"", None)] {
            assert_eq!(Value::of(json).and_then(|value| value.as_f64()), number, "{json}");
        }
        assert_eq!(Value::of(&"[".repeat(100_000)), None);
        assert_eq!(
            Value::of("{\"a\": 1, \"a\": 2}").and_then(|map| map.get("a").and_then(Value::as_u64)),
            Some(2)
        );
    }
}
