//! Marks: what stands where a cut left out the middle of a text. They are read again if a caller passes
//! on messages that were cut, and if an output that is not in memory is cut again.

use std::borrow::Cow;

const BEGINS: &str = "[… ";
const ENDS: &str = " …]";
const A_PART: &str = "a part of ";
const LEFT_OUT: &str = " left out";
/// Comes before the ref that opens the whole text.
pub const OPENS: &str = "; ref=";
/// Comes before what a mark lists.
pub const LISTS: &str = "; in it: ";

/// A mark in a text.
struct Mark<'a> {
    begins: usize,
    ends: usize,
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

/// Where the first mark of a text begins, and where the last one ends.
pub fn marked(text: &str) -> Option<(usize, usize)> {
    let mut marks = marks(text);
    let first = marks.next()?;
    Some((first.begins, marks.last().map_or(first.ends, |last| last.ends)))
}

/// A text with what its marks quote in their place, each quote on a line of its own.
pub(super) fn with_quotes(text: Cow<'_, str>) -> Cow<'_, str> {
    let (mut out, mut from) = (String::new(), 0);
    for mark in marks(&text) {
        out.push_str(&text[from..mark.begins]);
        mark.quotes.iter().for_each(|quote| out.extend(["\n", quote.as_str(), "\n"]));
        from = mark.ends;
    }
    if from == 0 {
        return text;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// The pieces of a text between its marks, with their byte offsets.
pub(super) fn between_marks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut marks = marks(text);
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let at = next?;
        let mark = marks.next();
        next = mark.as_ref().map(|mark| mark.ends);
        Some((at, &text[at..mark.map_or(text.len(), |mark| mark.begins)]))
    })
}

/// Whether a text has a mark of an earlier cut.
pub(super) fn has_marks(text: &str) -> bool {
    marks(text).next().is_some()
}

/// What the marks of a text quote: rules, and how commands ended.
pub(super) fn quotes(text: &str) -> impl Iterator<Item = String> {
    marks(text).flat_map(|mark| mark.quotes)
}

fn marks(text: &str) -> impl Iterator<Item = Mark<'_>> {
    // A text whose marks have no end is not searched for the end of each.
    let text = text.rfind(ENDS).map_or("", |at| &text[..at + ENDS.len()]);
    let mut from = 0;
    let mut no_end_before = 0;
    std::iter::from_fn(move || {
        loop {
            let begins = from + text[from..].find(BEGINS)?;
            from = begins + BEGINS.len();
            if let Some(mark) = mark_at(text, begins, &mut no_end_before) {
                from = mark.ends;
                return Some(mark);
            }
        }
    })
}

/// The mark at a position. A mark stands on one line; a line without an end of a mark is searched only once.
fn mark_at<'a>(text: &'a str, begins: usize, no_end_before: &mut usize) -> Option<Mark<'a>> {
    let size = text[begins..].strip_prefix(BEGINS)?;
    let (size, unit) = size.strip_prefix(A_PART).unwrap_or(size).split_once(' ')?;
    size.parse::<u64>().ok()?;
    let rest =
        unit.strip_prefix("tokens").or_else(|| unit.strip_prefix("characters"))?.strip_prefix(LEFT_OUT)?;
    let rest = rest.strip_prefix(OPENS).map_or(rest, |id| id.trim_start_matches(is_in_ref));
    let (mut quotes, mut names) = (Vec::new(), rest);
    if let Some(list) = rest.strip_prefix(LISTS) {
        names = list;
        while let Some((quote, behind)) = quote_at(names) {
            quotes.push(quote);
            names = behind.strip_prefix(", ").unwrap_or(behind);
        }
    }
    let names_begin = text.len() - names.len();
    if names_begin < *no_end_before {
        return None;
    }
    let end = names.char_indices().find(|(at, c)| *c == '\n' || names[*at..].starts_with(ENDS));
    let Some((list_ends, ' ')) = end.map(|(at, c)| (names_begin + at, c)) else {
        *no_end_before = end.map_or(text.len(), |(at, _)| names_begin + at);
        return None;
    };
    let list = &text[text.len() - rest.len()..list_ends];
    Some(Mark { begins, ends: list_ends + ENDS.len(), quotes, list })
}

/// Whether a mark can name a ref with this character.
pub const fn is_in_ref(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
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
        assert_eq!(quotes(&text).collect::<Vec<_>>(), [rule, "Ask first."]);
        assert!(mark_lists(&text).all(|list| list.ends_with("src/a.rs")));
        let with_ref = text.replace(" left out", &format!(" left out{OPENS}out_3"));
        assert_eq!(quotes(&with_ref).collect::<Vec<_>>(), [rule, "Ask first."]);
        let pieces: Vec<&str> = between_marks(&text).map(|(_, piece)| piece).collect();
        assert_eq!(pieces, ["Make sure that\n", "\nit works."]);
        assert_eq!(with_quotes(text.into()), format!("Make sure that\n\n{rule}\n\nAsk first.\n\nit works."));
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
            assert!(quotes(text).count() == 0 && between_marks(text).count() == 1, "{text}");
        }
    }
}
