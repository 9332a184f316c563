//! Marks: what stands where a cut left out the middle of a text. They are read again if a caller passes on messages that were cut.

use std::borrow::Cow;

use super::notes::StatedRule;
use super::record_text::recorded_rule;
use super::shorten::GAP;

const BEGINS: &str = "[… ";
const ENDS: &str = " …]";
const LEFT_OUT: &str = " left out";
/// Comes before what a mark lists.
pub const LISTS: &str = "; in it: ";

/// A mark in a text.
struct Mark<'a> {
    begins: usize,
    ends: usize,
    /// How many tokens or characters it says are left out.
    size: u64,
    /// What it quotes.
    quotes: Vec<String>,
    /// All that it lists.
    list: &'a str,
}

/// A quote in the list of a mark: a JSON string, so that its end is certain.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The lists of a text's marks.
pub fn mark_lists(text: &str) -> impl Iterator<Item = &str> {
    marks(text).map(|mark| mark.list)
}

/// How many tokens were left out where a text has marks.
pub fn tokens_left_out(text: &str) -> u64 {
    marks(text).map(|mark| mark.size).fold(0, u64::saturating_add)
}

/// Whether a text has a mark.
pub fn has_mark(text: &str) -> bool {
    marks(text).next().is_some()
}

/// The rules that marks quote, because they stood in what an even cut left out of this text.
pub(super) fn quoted_rules(text: &str) -> Vec<StatedRule> {
    marks(text).flat_map(|mark| mark.quotes).map(|quote| recorded_rule(&quote)).collect()
}

/// A text with a gap in the place of each mark: what a mark says was not said there, and what stands around it does not belong together.
pub fn without_marks(text: &str) -> Cow<'_, str> {
    let (mut said, mut from) = (String::new(), 0);
    for mark in marks(text) {
        for piece in [text[from..mark.begins].trim_end(), "\n\n", GAP, "\n\n"] {
            said.push_str(piece);
        }
        from = mark.ends;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    said.push_str(text[from..].trim_start());
    Cow::Owned(said)
}

fn marks(text: &str) -> impl Iterator<Item = Mark<'_>> {
    // A text whose marks have no end is not searched for the end of each.
    let text = text.rfind(ENDS).map_or("", |at| &text[..at + ENDS.len()]);
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let begins = from + text[from..].find(BEGINS)?;
            from = begins + BEGINS.len();
            if let Some(mark) = mark_at(text, begins) {
                from = mark.ends;
                return Some(mark);
            }
        }
    })
}

fn mark_at(text: &str, begins: usize) -> Option<Mark<'_>> {
    let (size, unit) = text[begins..].strip_prefix(BEGINS)?.split_once(' ')?;
    let size = size.parse().ok()?;
    let rest =
        unit.strip_prefix("tokens").or_else(|| unit.strip_prefix("characters"))?.strip_prefix(LEFT_OUT)?;
    let (mut quotes, mut names) = (Vec::new(), rest);
    if let Some(list) = rest.strip_prefix(LISTS) {
        names = list;
        while let Some((quote, behind)) = quote_at(names) {
            quotes.push(quote);
            names = behind.strip_prefix(", ").unwrap_or(behind);
        }
    }
    let line = names.split('\n').next()?; // a mark stands on one line
    let list_ends = text.len() - names.len() + line.find(ENDS)?;
    let list = &text[text.len() - rest.len()..list_ends];
    Some(Mark { begins, ends: list_ends + ENDS.len(), size, quotes, list })
}

/// The JSON string at the beginning of a text, and what is behind it.
fn quote_at(text: &str) -> Option<(String, &str)> {
    text.starts_with('"').then_some(())?;
    let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
    let quote = strings.next()?.ok()?;
    Some((quote, &text[strings.byte_offset()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_what_was_left_out_and_is_a_gap_in_what_was_said() {
        let rule = "Never write \"a\", \"b\" or [like this …].";
        let text = format!(
            "Make sure that\n[… 42 tokens left out{LISTS}{}, {}, src/a.rs …]\nit works.",
            quoted(rule),
            quoted("Ask first.")
        );
        let texts: Vec<String> = quoted_rules(&text).into_iter().map(|rule| rule.text).collect();
        assert_eq!(texts, [rule, "Ask first."]);
        assert!(mark_lists(&text).all(|list| list.ends_with("src/a.rs")));
        assert_eq!(without_marks(&text), "Make sure that\n\n[…]\n\nit works.");
        assert_eq!(without_marks("a[… 3 tokens left out …]b"), "a\n\n[…]\n\nb");
    }

    #[test]
    fn what_only_looks_like_a_mark_is_said() {
        let texts = [
            "A step left out; in it: \"the cache\", more …] is cleared.",
            "[… many tokens left out …]",
            "[… 3 tokens left out; in it: \"without an end",
            "[… 3 tokens …]",
        ];
        for text in texts {
            assert!(!has_mark(text) && quoted_rules(text).is_empty(), "{text}");
            assert_eq!(without_marks(text), text);
        }
    }
}
