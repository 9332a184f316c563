//! Shortens texts to fit a line of a summary. What somebody asked or said keeps its beginning, and if there is much room its end, because
//! what is in the middle of a long request is mostly pasted. Lines about commands keep their end, too, because it says what failed, or
//! names the file.
//!
//! A text that is only a little too long stays whole: a mark in the place of a few words saves nothing, and takes the sense from the rest.

use memchr::memchr_iter;

use super::marks::between_marks;
use super::sentences;
use crate::tool_output::{first_words, last_words, splits_word};

/// Marks where text was left out.
pub const GAP: &str = "[…]";

/// What a mark costs, and what a reader loses by it, in bytes.
const COST_OF_GAP: usize = 36;

/// Whether a text is so long that it is shortened to `limit` bytes: a quarter longer, and by what the mark costs.
fn is_too_long(text: &str, limit: usize) -> bool {
    text.len() > at_most(limit)
}

/// The length, in bytes, that a text shortened to `limit` bytes has at most, apart from the mark.
pub const fn at_most(limit: usize) -> usize {
    limit.saturating_add(limit / 4).saturating_add(COST_OF_GAP)
}

/// `text` on one line, without emphasis marks, shortened in the middle to about `limit` bytes if it is clearly longer.
pub fn line(text: &str, limit: usize) -> String {
    middle(&whole_line(text), limit)
}

/// The beginning of `text` on one line, without emphasis marks, of about `limit` bytes if it is clearly longer: whole sentences if they fill
/// half of that, or else whole words.
pub fn beginning(text: &str, limit: usize) -> String {
    let text = whole_line(text);
    if is_too_long(&text, limit) { begins_with(&text, limit) } else { text }
}

/// The same, of at most `limit` bytes apart from the mark.
pub fn beginning_within(text: &str, limit: usize) -> String {
    let text = whole_line(text);
    if text.len() > limit { begins_with(&text, limit) } else { text }
}

fn begins_with(text: &str, limit: usize) -> String {
    let all = sentences(first_words(text, 2 * limit));
    let ends = all.iter().map(|sentence| sentence.at + sentence.text.len());
    match ends.take_while(|end| *end <= limit).last().filter(|end| *end >= limit / 2) {
        Some(end) => with_gap(text, end),
        None => head(text, limit),
    }
}

/// Of `text`, at most `limit` bytes apart from the mark: its beginning, and in the last quarter of the limit the sentences at its end, or
/// its last lines if those are no sentences of their own, as a question under a log.
pub fn both_ends_within(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let tail = last_words(text, limit / 2);
    let from = text.len() - tail.len();
    let in_last_quarter = |start: &usize| text.len() - start <= limit / 4;
    let mut sentences = sentences(tail).into_iter().skip(1).map(|sentence| from + sentence.at);
    let mut lines = memchr_iter(b'\n', tail.as_bytes()).map(|at| from + at + 1);
    let Some(start) = sentences.find(in_last_quarter).or_else(|| lines.find(in_last_quarter)) else {
        return begins_with(text, limit);
    };
    let (rest, tail) = text.split_at(start);
    format!("{} {tail}", begins_with(rest, limit - tail.len()))
}

/// `text` on one line, without emphasis marks. The marks of earlier cuts become short.
pub fn whole_line(text: &str) -> String {
    marked_line(text).replace("**", "").trim().to_owned()
}

/// `text` on one line. The marks of earlier cuts become short.
pub fn marked_line(text: &str) -> String {
    let pieces: Vec<&str> = between_marks(text).map(|(_, piece)| piece).collect();
    one_line(&pieces.join(GAP))
}

/// `text` on one line, with a single blank between words.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of `text` with its line breaks but without blank lines, of about `limit` bytes if it is clearly longer.
pub fn lines(text: &str, limit: usize) -> String {
    let kept: Vec<&str> = text.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    let text = kept.join("\n");
    if is_too_long(&text, limit) { head(&text, limit) } else { text }
}

/// `text`, shortened to at most `limit` bytes apart from the mark, even if it is only a little longer.
pub fn within(text: &str, limit: usize) -> String {
    if text.len() > limit { head(text, limit) } else { text.to_owned() }
}

/// Keeps the beginning, of at most `limit` bytes.
fn head(text: &str, limit: usize) -> String {
    with_gap(text, first_words(text, limit).len())
}

/// The first `end` bytes of a text and a mark, but not two marks in a row.
fn with_gap(text: &str, end: usize) -> String {
    let head = text[..end].trim_end().trim_end_matches(GAP);
    [head.trim_end(), blank(head, &text[head.len()..]), GAP].concat()
}

/// Keeps two thirds of the limit from the beginning and one third from the end.
fn middle(text: &str, limit: usize) -> String {
    if !is_too_long(text, limit) {
        return text.to_owned();
    }
    let head = first_words(text, limit * 2 / 3).trim_end().trim_end_matches(GAP);
    let tail = last_words(&text[head.len()..], limit / 3).trim_start().trim_start_matches(GAP);
    let left_out = &text[head.len()..text.len() - tail.len()];
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
        let words = format!("one two three {}four five six seven", "and so on ".repeat(9));
        assert_eq!(line(&words, 18), "one two […] seven");
        let path =
            "apps/examples/desktop-example/packages/core/src/components/menus/context/ContextMenuContent.tsx";
        assert_eq!(line(path, 40), "apps/examples/desktop-exam[…]nuContent.tsx");
        let family = "👩‍👩‍👧".repeat(10);
        let short = line(&family, 60);
        assert!(short.split(GAP).all(|part| part.replace("👩‍👩‍👧", "").is_empty()), "{short}");
    }

    #[test]
    fn no_mark_takes_the_place_of_a_few_words() {
        let finding = "The pattern is: getters are cheap reads, setters are methods because they have side effects (persistence, validation).";
        assert_eq!(line(finding, 80), finding);
        assert_eq!(beginning(finding, 80), finding);
        assert_eq!(lines(finding, 80), finding);
        assert!(beginning_within(finding, 80).ends_with("because they have […]"));
        for limit in 20..200 {
            let short = line(finding, limit);
            let kept: usize = short.split(GAP).map(str::len).sum();
            assert!(short == finding || finding.len() - kept > COST_OF_GAP, "{short}");
            assert!(short.len() <= at_most(limit) + GAP.len(), "{short}");
        }
    }

    #[test]
    fn what_was_shortened_before_has_one_mark() {
        let long = "The thinking level goes from subtle to prominent, with the colours that the borders already have. ";
        let before = line(&long.repeat(4), 160);
        assert_eq!(line(&before, 160), before);
        let again = line(&before, 80);
        assert_eq!(again.matches(GAP).count(), 1, "{again}");
        assert!(before.starts_with(again.split(GAP).next().unwrap().trim()));
        assert!(before.ends_with(again.rsplit(GAP).next().unwrap().trim()));
        let head = beginning(&long.repeat(4), 160);
        assert_eq!(beginning(&head, 60).matches(GAP).count(), 1);
        assert_eq!(beginning_within("Only this […]", 12), "Only this […]");
        let quoted = format!("Translate 'He […] left' into French, {}", "then into German, ".repeat(20));
        assert!(beginning(&quoted, 160).starts_with("Translate 'He […] left' into French, then"));
        assert!(line(&quoted, 160).starts_with("Translate 'He […] left' into French, then"));
    }

    #[test]
    fn a_question_under_a_log_stays() {
        let log = "2026-03-02T10:10:00Z INFO [worker-0] handled in 10 ms status=200\n".repeat(9);
        let short = both_ends_within(&format!("the theme does not change\n{log}why the 500s?"), 240);
        assert!(short.starts_with("the theme does not change\n2026"), "{short}");
        assert!(short.ends_with(" […] why the 500s?"), "{short}");
    }

    #[test]
    fn a_request_keeps_its_beginning() {
        let request = "can you update @apps/examples/desktop-example/src/Menu.tsx to use <ContextMenu> </ContextMenuContent>";
        assert_eq!(beginning(request, 64), request);
        assert_eq!(
            beginning_within(request, 64),
            "can you update @apps/examples/desktop-example/src/Menu.tsx to […]"
        );
        let two = format!("Update the menu of the desktop example. {request}");
        assert_eq!(beginning(&two, 64), "Update the menu of the desktop example. […]");
        assert_eq!(beginning_within(request, 50), "can you update @apps/examples/desktop-example/src/[…]");
        let code = "Fix this:\n\n  let a = 1;\n  let b = 2;";
        assert_eq!(lines(code, 20), code.replace("\n\n", "\n"));
        assert_eq!(lines(&format!("{code}{}", "\n  b += a;".repeat(9)), 20), "Fix this:\n  let a = […]");
    }
}
