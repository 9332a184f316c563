use serde_json::Value;

use super::cut::{prefix_chars, suffix_chars};
use crate::config::Keys;
use crate::error::Result;

/// Shortens a long text to its head and its tail (CACHE-9). Characters are code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadTail {
    /// A text of at most this many characters is kept whole. Default 5,000; at least `head` + `tail`.
    pub max: u64,
    /// Characters that are kept of its beginning. Default 1,000.
    pub head: u64,
    /// Characters that are kept of its end. Default 1,000.
    pub tail: u64,
}

impl Default for HeadTail {
    fn default() -> Self {
        Self { max: 5000, head: 1000, tail: 1000 }
    }
}

impl HeadTail {
    /// Reads its own keys of a larger object; the caller reads the rest and calls `finish`.
    ///
    /// # Errors
    /// A wrong type, a number out of range, or a `max` that is less than `head` and `tail` together, each with its key.
    pub fn from_keys(keys: &mut Keys<'_>) -> Result<Self> {
        let default = Self::default();
        let head = keys.u64_in("head", 0..)?.unwrap_or(default.head);
        let tail = keys.u64_in("tail", 0..)?.unwrap_or(default.tail);
        let max = keys.u64_in("max", 0..)?.unwrap_or(default.max);
        if head + tail > max {
            let expected = format!("expected at least `head` + `tail` ({head} + {tail}), got {max}");
            return Err(keys.error("max", expected));
        }
        Ok(Self { max, head, tail })
    }

    /// Reads the options of a call.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`, see [`HeadTail::from_keys`], also for an unknown key.
    pub fn from_value(value: &Value) -> Result<Self> {
        let mut keys = Keys::arguments("options", value)?;
        let read = Self::from_keys(&mut keys)?;
        keys.finish()?;
        Ok(read)
    }
}

/// Shortens a text of more than `max` characters to its first `head` and last `tail` characters, with the number of
/// omitted characters between them; `None` if it is kept whole.
///
/// A grapheme cluster of up to 64 code points at a cut is left out as a whole. The notice itself is not counted: if
/// `max` is close to `head` + `tail`, the result may be longer than the original.
///
/// ```
/// use contextfold::tool_output::{HeadTail, truncate_head_tail};
///
/// let shape = HeadTail { max: 20, head: 4, tail: 3 };
/// let cut = truncate_head_tail("the quick brown fox jumps", &shape);
/// assert_eq!(cut.as_deref(), Some("the \n\n[... 18 chars omitted ...]\n\nmps"));
/// assert_eq!(truncate_head_tail("the quick brown fox", &shape), None);
/// ```
pub fn truncate_head_tail(text: &str, shape: &HeadTail) -> Option<String> {
    let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    prefix_chars(text, size(shape.max))?;
    let head = prefix_chars(text, size(shape.head))?;
    let tail = suffix_chars(text, size(shape.tail))?;
    let between = text.get(head.len()..text.len() - tail.len())?;
    Some(format!("{head}\n\n[... {} chars omitted ...]\n\n{tail}", between.chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn contradictory_options_are_refused_with_the_key() {
        let of = |value| HeadTail::from_value(&value);
        assert_eq!(of(json!({})).unwrap(), HeadTail::default());
        assert_eq!(
            of(json!({ "max": 6, "head": 3, "tail": 3 })).unwrap(),
            HeadTail { max: 6, head: 3, tail: 3 }
        );
        let refused = [
            json!({ "max": 5, "head": 3, "tail": 3 }),
            json!({ "head": -1 }),
            json!({ "tail": 1.5 }),
            json!({ "most": 1 }),
        ];
        insta::assert_snapshot!(refused.map(|v| of(v).unwrap_err().to_string()).join("\n"), @r"
        INVALID_ARGUMENT: `options.max`: expected at least `head` + `tail` (3 + 3), got 5
        INVALID_ARGUMENT: `options.head`: expected a whole number of at least 0, got -1
        INVALID_ARGUMENT: `options.tail`: expected a whole number of at least 0, got 1.5
        INVALID_ARGUMENT: `options.most`: unknown key; known keys are `head`, `tail`, `max`
        ");
    }

    #[test]
    fn no_cluster_is_split() {
        let family = "👨‍👩‍👧‍👦";
        let cut = truncate_head_tail(&family.repeat(10), &HeadTail { max: 20, head: 10, tail: 10 }).unwrap();
        assert_eq!(cut, format!("{family}\n\n[... 56 chars omitted ...]\n\n{family}"));
    }

    proptest! {
        #[test]
        fn every_character_is_accounted_for(text in "[a日👍🏽é\r\n]{0,200}", head in 0u64..50, tail in 0u64..50, more in 0u64..50) {
            let shape = HeadTail { max: head + tail + more, head, tail };
            let chars = text.chars().count() as u64;
            let Some(cut) = truncate_head_tail(&text, &shape) else {
                prop_assert!(chars <= shape.max);
                return Ok(());
            };
            prop_assert!(chars > shape.max);
            let (first, rest) = cut.split_once("\n\n[... ").unwrap();
            let (number, last) = rest.split_once(" chars omitted ...]\n\n").unwrap();
            prop_assert!(text.starts_with(first) && text.ends_with(last));
            let [first, last] = [first, last].map(|t| t.chars().count() as u64);
            prop_assert!(first <= head && last <= tail);
            prop_assert_eq!(first + last + number.parse::<u64>().unwrap(), chars);
        }
    }
}
