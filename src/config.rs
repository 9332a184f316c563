//! A strict reader of option objects: unknown keys are refused, and numbers out of range are not clamped.
//!
//! ```text
//! let mut keys = Keys::of("compaction", &options)?;
//! let enabled = keys.bool("enabled")?.unwrap_or(true);
//! let ratio = keys.number_in("thresholdRatio", 0.0..=1.0)?.unwrap_or(0.8);
//! let model = keys.or_null("model", Keys::string)?.flatten();
//! keys.finish()?; // refuses keys that were not read
//! ```

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::{Bound, RangeBounds};

use serde_json::{Map, Value};

use crate::error::{Error, ErrorCode, Result};
use crate::nearest::nearest;

/// The largest whole number that JavaScript holds exactly.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Reads the keys of one option object. Every method reads one key and returns `None` if it is missing.
///
/// Errors name the full path of the key, what was expected and what was found.
#[derive(Debug)]
pub struct Keys<'a> {
    prefix: String,
    map: &'a Map<String, Value>,
    asked: Vec<&'a str>,
    code: ErrorCode,
    /// Whether a number or boolean in quotes is accepted: models write them so.
    takes_quoted: bool,
}

impl<'a> Keys<'a> {
    /// Reads `map`, which is at the path `prefix` (empty at the top). Errors are `INVALID_CONFIG`.
    pub fn new(prefix: &str, map: &'a Map<String, Value>) -> Self {
        let code = ErrorCode::InvalidConfig;
        Self { prefix: prefix.to_owned(), map, asked: Vec::new(), code, takes_quoted: false }
    }

    /// Reads `value`, which must be an object.
    pub fn of(prefix: &str, value: &'a Value) -> Result<Self> {
        Self::object_of(prefix, value, ErrorCode::InvalidConfig)
    }

    /// Like [`Keys::of`], for the arguments of a call: errors are `INVALID_ARGUMENT`.
    pub fn arguments(prefix: &str, value: &'a Value) -> Result<Self> {
        Self::object_of(prefix, value, ErrorCode::InvalidArgument)
    }

    /// Like [`Keys::arguments`], for a tool call by a model: a number, `true` or `false` may be in quotes.
    pub fn called(tool: &str, value: &'a Value) -> Result<Self> {
        Ok(Self { takes_quoted: true, ..Self::arguments(tool, value)? })
    }

    fn object_of(prefix: &str, value: &'a Value, code: ErrorCode) -> Result<Self> {
        let Value::Object(map) = value else {
            let place = if prefix.is_empty() { "options" } else { prefix };
            return Err(Error::new(code, format!("`{place}`: expected an object, got {}", describe(value))));
        };
        Ok(Self { code, ..Self::new(prefix, map) })
    }

    /// An error for `key` of this object; `expected` says what is allowed.
    pub fn error(&self, key: &str, expected: impl Display) -> Error {
        Error::new(self.code, format!("`{}`: {expected}", self.path(key)))
    }

    /// The raw value of `key`, for shapes that no other method reads.
    pub fn value(&mut self, key: &'a str) -> Option<&'a Value> {
        self.asked.push(key);
        self.map.get(key)
    }

    /// A boolean.
    pub fn bool(&mut self, key: &'a str) -> Result<Option<bool>> {
        let quoted = self.takes_quoted;
        self.read(key, "true or false", |v| {
            v.as_bool().or_else(|| v.as_str().filter(|_| quoted)?.trim().parse().ok())
        })
    }

    /// A whole number within `range`.
    pub fn u64_in(&mut self, key: &'a str, range: impl RangeBounds<u64>) -> Result<Option<u64>> {
        let expected = format!("a whole number{}", range_text(&range));
        let quoted = self.takes_quoted;
        let written =
            |v: &Value| v.as_str().filter(|_| quoted)?.trim().parse().ok().filter(|n| *n <= MAX_SAFE_INTEGER);
        self.read(key, &expected, |v| whole(v).or_else(|| written(v)).filter(|n| range.contains(n)))
    }

    /// A whole number within `range`; `Some(None)` for `null`.
    #[expect(clippy::option_option, reason = "`null` means something else than an absent key")]
    pub fn u64_or_null(&mut self, key: &'a str, range: impl RangeBounds<u64>) -> Result<Option<Option<u64>>> {
        self.or_null(key, |keys, key| keys.u64_in(key, range))
    }

    /// A whole number that may be negative.
    pub fn integer(&mut self, key: &'a str) -> Result<Option<i64>> {
        self.read(key, "a whole number", |v| {
            let magnitude =
                |v: &Value| v.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= MAX_SAFE_INTEGER as f64);
            magnitude(v).map(|n| n as i64)
        })
    }

    /// A finite number within `range`.
    pub fn number_in(&mut self, key: &'a str, range: impl RangeBounds<f64>) -> Result<Option<f64>> {
        let expected = format!("a number{}", range_text(&range));
        self.read(key, &expected, |v| v.as_f64().filter(|n| n.is_finite() && range.contains(n)))
    }

    /// A string, which may be empty.
    pub fn string(&mut self, key: &'a str) -> Result<Option<String>> {
        self.read(key, "a string", |v| v.as_str().map(str::to_owned))
    }

    /// A string that is not empty.
    pub fn name(&mut self, key: &'a str) -> Result<Option<String>> {
        self.read(key, "a non-empty string", |v| v.as_str().filter(|s| !s.is_empty()).map(str::to_owned))
    }

    /// A list of strings.
    pub fn string_list(&mut self, key: &'a str) -> Result<Option<Vec<String>>> {
        self.read(key, "a list of strings", |v| {
            v.as_array()?.iter().map(|s| s.as_str().map(str::to_owned)).collect()
        })
    }

    /// One of these words.
    pub fn one_of(&mut self, key: &'a str, words: &[&'static str]) -> Result<Option<&'static str>> {
        let expected = words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", ");
        self.read(key, &format!("one of {expected}"), |v| {
            let given = v.as_str()?;
            words.iter().copied().find(|w| *w == given)
        })
    }

    /// An object, to be read key by key.
    pub fn object(&mut self, key: &'a str) -> Result<Option<Self>> {
        let Some(value) = self.value(key) else { return Ok(None) };
        Self::object_of(&self.path(key), value, self.code).map(Some)
    }

    /// An object whose keys are chosen by the caller.
    pub fn map(&mut self, key: &'a str) -> Result<Option<&'a Map<String, Value>>> {
        self.read(key, "an object", Value::as_object)
    }

    /// What `read` reads; `Some(None)` for `null`.
    #[expect(clippy::option_option, reason = "`null` means something else than an absent key")]
    pub fn or_null<T>(
        &mut self,
        key: &'a str,
        read: impl FnOnce(&mut Self, &'a str) -> Result<Option<T>>,
    ) -> Result<Option<Option<T>>> {
        if self.value(key) == Some(&Value::Null) {
            return Ok(Some(None));
        }
        Ok(read(self, key)?.map(Some))
    }

    /// Refuses the first key that was not read, and suggests the key that was probably meant.
    pub fn finish(self) -> Result<()> {
        let Some(unknown) = self.map.keys().find(|k| !self.asked.contains(&k.as_str())) else {
            return Ok(());
        };
        let hint = match nearest(unknown, self.asked.iter().copied(), 1).first() {
            Some(meant) => format!("unknown key; did you mean `{meant}`?"),
            None if self.asked.is_empty() => "unknown key; no keys are allowed here".to_owned(),
            None => format!("unknown key; known keys are {}", self.known()),
        };
        Err(self.error(unknown, hint))
    }

    fn known(&self) -> String {
        let mut seen: Vec<&str> = Vec::new();
        for &key in &self.asked {
            if !seen.contains(&key) {
                seen.push(key);
            }
        }
        seen.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")
    }

    fn path(&self, key: &str) -> String {
        let key = shortened(key);
        if self.prefix.is_empty() { key.into_owned() } else { format!("{}.{key}", self.prefix) }
    }

    fn read<T>(
        &mut self,
        key: &'a str,
        expected: &str,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some(value) = self.value(key) else { return Ok(None) };
        match convert(value) {
            Some(converted) => Ok(Some(converted)),
            None => Err(self.error(key, format!("expected {expected}, got {}", describe(value)))),
        }
    }
}

/// Converts a count to a `usize`; one that is too large becomes `usize::MAX`, which means "all".
pub(crate) fn size(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// A whole number that JavaScript holds exactly; it may have come as a float.
pub(crate) fn whole(value: &Value) -> Option<u64> {
    if let Some(n) = value.as_u64() {
        return (n <= MAX_SAFE_INTEGER).then_some(n);
    }
    let n = value.as_f64()?;
    (n.fract() == 0.0 && (0.0..=MAX_SAFE_INTEGER as f64).contains(&n)).then_some(n as u64)
}

/// Characters of a text that an error message shows.
const SHOWN_CHARS: usize = 40;

/// A key for an error message, shortened: callers may have written a long one.
fn shortened(key: &str) -> Cow<'_, str> {
    match key.char_indices().nth(SHOWN_CHARS) {
        Some((at, _)) => Cow::Owned(format!("{}…", &key[..at])),
        None => Cow::Borrowed(key),
    }
}

/// A value for an error message, shortened.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        // JSON has no such numbers, so options from JavaScript have them as texts.
        Value::String(s) if matches!(s.as_str(), "NaN" | "Infinity" | "-Infinity") => s.clone(),
        Value::String(s) if s.chars().count() <= SHOWN_CHARS => format!("{s:?}"),
        Value::String(s) => format!("{:?}…", s.chars().take(SHOWN_CHARS).collect::<String>()),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn range_text<T: Display>(range: &impl RangeBounds<T>) -> String {
    match (range.start_bound(), range.end_bound()) {
        (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high)) => {
            format!(" from {low} to {high}")
        }
        (Bound::Included(low) | Bound::Excluded(low), Bound::Excluded(high)) => {
            format!(" from {low} to below {high}")
        }
        (Bound::Included(low) | Bound::Excluded(low), Bound::Unbounded) => format!(" of at least {low}"),
        (Bound::Unbounded, Bound::Included(high)) => format!(" of at most {high}"),
        (Bound::Unbounded, Bound::Excluded(high)) => format!(" below {high}"),
        (Bound::Unbounded, Bound::Unbounded) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refusal<T: std::fmt::Debug>(value: &Value, read: impl FnOnce(&mut Keys<'_>) -> Result<T>) -> String {
        read(&mut Keys::of("a", value).unwrap()).unwrap_err().to_string()
    }

    #[test]
    fn present_keys_are_read_and_missing_ones_are_none() {
        let value = json!({ "flag": false, "n": 3, "f": 7.0, "r": 0.5, "s": "", "l": ["a"], "w": "up",
            "o": { "x": 1 }, "nil": null });
        let mut k = Keys::of("", &value).unwrap();
        assert_eq!(k.bool("flag").unwrap(), Some(false));
        assert_eq!((k.u64_in("n", 1..).unwrap(), k.u64_in("f", ..).unwrap()), (Some(3), Some(7)));
        assert_eq!(k.number_in("r", 0.0..=1.0).unwrap(), Some(0.5));
        assert_eq!(k.string("s").unwrap().as_deref(), Some(""));
        assert_eq!(k.string_list("l").unwrap().unwrap(), ["a"]);
        assert_eq!(k.one_of("w", &["down", "up"]).unwrap(), Some("up"));
        assert_eq!(k.object("o").unwrap().unwrap().u64_in("x", ..).unwrap(), Some(1));
        assert_eq!(k.or_null("nil", Keys::string).unwrap(), Some(None));
        assert_eq!(k.or_null("s", Keys::string).unwrap(), Some(Some(String::new())));
        assert_eq!(k.or_null("absent", Keys::string).unwrap(), None);
        assert_eq!(k.bool("missing").unwrap(), None);
        k.finish().unwrap();
    }

    #[test]
    fn errors_name_the_key_the_value_and_what_is_expected() {
        let v = json!({ "n": 0, "r": 7, "b": "yes", "l": [1], "w": "left", "s": null, "f": 1.5, "m": -1, "o": 3 });
        let lines = [
            refusal(&v, |k| k.u64_in("n", 1..)),
            refusal(&v, |k| k.number_in("r", 0.0..=1.0)),
            refusal(&v, |k| k.bool("b")),
            refusal(&v, |k| k.string_list("l")),
            refusal(&v, |k| k.one_of("w", &["up", "down"])),
            refusal(&v, |k| k.string("s")),
            refusal(&v, |k| k.u64_in("f", ..10)),
            refusal(&v, |k| k.u64_in("m", ..)),
            refusal(&v, |k| k.object("o").map(|_| ())),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r#"
        INVALID_CONFIG: `a.n`: expected a whole number of at least 1, got 0
        INVALID_CONFIG: `a.r`: expected a number from 0 to 1, got 7
        INVALID_CONFIG: `a.b`: expected true or false, got "yes"
        INVALID_CONFIG: `a.l`: expected a list of strings, got a list
        INVALID_CONFIG: `a.w`: expected one of "up", "down", got "left"
        INVALID_CONFIG: `a.s`: expected a string, got null
        INVALID_CONFIG: `a.f`: expected a whole number below 10, got 1.5
        INVALID_CONFIG: `a.m`: expected a whole number, got -1
        INVALID_CONFIG: `a.o`: expected an object, got 3
        "#);
    }

    #[test]
    fn the_error_for_an_unknown_key_suggests_the_intended_one() {
        let v = json!({ "tresholdRatio": 1 });
        let line = refusal(&v, |k| {
            k.bool("enabled")?;
            k.number_in("thresholdRatio", ..)?;
            Keys { asked: k.asked.clone(), prefix: k.prefix.clone(), ..*k }.finish()
        });
        assert_eq!(line, "INVALID_CONFIG: `a.tresholdRatio`: unknown key; did you mean `thresholdRatio`?");

        let v = json!({ "zzz": 1 });
        let mut keys = Keys::arguments("tool", &v).unwrap();
        keys.bool("enabled").unwrap();
        let refused = keys.finish().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "INVALID_ARGUMENT: `tool.zzz`: unknown key; known keys are `enabled`"
        );
    }

    #[test]
    fn a_models_quoted_values_are_accepted_and_long_keys_are_shortened() {
        let v = json!({ "n": " 7 ", "b": "true", "x": "seven" });
        let mut keys = Keys::called("tool", &v).unwrap();
        assert_eq!((keys.u64_in("n", 1..).unwrap(), keys.bool("b").unwrap()), (Some(7), Some(true)));
        assert!(keys.u64_in("x", ..).is_err() && keys.u64_in("n", 8..).is_err());
        let mut strict = Keys::arguments("tool", &v).unwrap();
        assert!(strict.u64_in("n", ..).is_err() && strict.bool("b").is_err());
        let v = json!({ "k".repeat(100_000): 1 });
        let refused = Keys::called("tool", &v).unwrap().finish().unwrap_err();
        assert_eq!(
            refused.message(),
            format!("`tool.{}…`: unknown key; no keys are allowed here", "k".repeat(40))
        );
    }

    #[test]
    fn integers_are_limited_to_javascripts_safe_range() {
        assert_eq!(whole(&json!(9_007_199_254_740_991_u64)), Some(MAX_SAFE_INTEGER));
        assert_eq!(whole(&json!(9_007_199_254_740_992_u64)), None);
        assert_eq!(whole(&json!(1e300)), None);
        assert_eq!(whole(&json!(-0.0)), Some(0));
    }
}
