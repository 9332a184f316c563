//! Shortens texts to fit a line of a summary. What somebody asked or said keeps its beginning: the rest of a long request is
//! mostly pasted. Lines about commands keep their end, too, because it says what failed, or names the file.

use super::marks::between_marks;
use super::sentences;
use crate::tool_output::{first_words, last_words, splits_word};

/// Marks where text was left out.
const GAP: &str = "[…]";

/// `text` on one line, without emphasis marks, shortened in the middle to about `limit` bytes.
pub fn line(text: &str, limit: usize) -> String {
    middle(&whole_line(text), limit)
}

/// The beginning of `text` on one line, without emphasis marks, of at most about `limit` bytes: whole sentences if they fill half of that, or
/// else whole words.
pub fn beginning(text: &str, limit: usize) -> String {
    let text = whole_line(text);
    let all = sentences(first_words(&text, 2 * limit));
    let ends = all.iter().map(|sentence| sentence.at + sentence.text.len());
    match ends.take_while(|end| *end <= limit).last().filter(|end| *end >= limit / 2) {
        Some(end) if text.len() > limit => format!("{} {GAP}", &text[..end]),
        _ => head(&text, limit),
    }
}

/// `text` on one line, without emphasis marks. The marks of earlier cuts become short.
pub fn whole_line(text: &str) -> String {
    let pieces: Vec<&str> = between_marks(text).map(|(_, piece)| piece).collect();
    one_line(&pieces.join(GAP)).replace("**", "").trim().to_owned()
}

/// Whether `text` contains the beginning of `whole`, a text on one line, shortened to `least` bytes or more.
pub fn shows_beginning(text: &str, whole: &str, least: usize) -> bool {
    text.match_indices(GAP).any(|(at, _)| {
        let before = text[..at].trim_end();
        let mut heads = (least..=whole.len().min(before.len())).filter_map(|len| whole.get(..len));
        heads.any(|head| before.ends_with(head))
    })
}

/// `text` on one line, with a single blank between words.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of `text` with its line breaks but without blank lines, of about `limit` bytes.
pub fn lines(text: &str, limit: usize) -> String {
    let kept: Vec<&str> = text.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    head(&kept.join("\n"), limit)
}

/// Keeps the beginning.
fn head(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = first_words(text, limit);
    [head.trim_end(), blank(head, &text[head.len()..]), GAP].concat()
}

/// Keeps two thirds of the limit from the beginning and one third from the end.
fn middle(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = first_words(text, limit * 2 / 3);
    let rest = &text[head.len()..];
    let tail = last_words(rest, limit / 3);
    let left_out = &rest[..rest.len() - tail.len()];
    [head.trim_end(), blank(head, left_out), GAP, blank(left_out, tail), tail.trim_start()].concat()
}

/// What stands between a mark and a text: nothing if a word was cut, so that half an id is not read as an id.
fn blank(before: &str, after: &str) -> &'static str {
    if splits_word(before, after) { "" } else { " " }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_cut_between_graphemes() {
        assert_eq!(line("a\n  **b** c", 20), "a b c");
        assert_eq!(line("one two three four five six seven", 18), "one two […] seven");
        let path = "apps/examples/desktop-example/src/ContextMenuContent.tsx";
        assert_eq!(line(path, 40), "apps/examples/desktop-exam[…]nuContent.tsx");
        let family = "👩‍👩‍👧".repeat(10);
        let short = line(&family, 60);
        assert!(short.split(GAP).all(|part| part.replace("👩‍👩‍👧", "").is_empty()), "{short}");
    }

    #[test]
    fn a_request_keeps_its_beginning() {
        let request = "can you update @apps/examples/desktop-example/src/Menu.tsx to use <ContextMenu> </ContextMenuContent>";
        assert_eq!(
            beginning(request, 64),
            "can you update @apps/examples/desktop-example/src/Menu.tsx to […]"
        );
        let two = format!("Update the menu of the desktop example. {request}");
        assert_eq!(beginning(&two, 64), "Update the menu of the desktop example. […]");
        assert_eq!(beginning(request, 50), "can you update @apps/examples/desktop-example/src/[…]");
        assert_eq!(lines("Fix this:\n\n  let a = 1;\n  let b = 2;", 20), "Fix this:\n  let a = […]");
        assert!(shows_beginning(&format!("- {}", beginning(request, 64)), request, 50));
        assert!(!shows_beginning("- can you update […]", request, 50));
    }
}
