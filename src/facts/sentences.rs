//! Splits text into sentences, in Latin and CJK scripts.

use super::full_stop::{goes_on, may_go_on};
use super::marks::between_marks;
use super::wrapped::{LineBreak, line_break};
use crate::tool_output::first_words;

/// A sentence without its list mark and surrounding blanks. In wrapped text it contains line breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// The sentence.
    pub text: &'a str,
    /// Its byte offset in the text.
    pub at: usize,
    /// Whether it is inside a code fence or a quotation (`> …`).
    pub fenced: bool,
    /// Its beginning or its end may be missing, because a mark beside it says that something was left out there.
    pub cut: bool,
    /// It begins an entry of a list.
    pub(super) listed: bool,
}

impl Sentence<'_> {
    /// The byte offset of its end in the text.
    pub(super) fn end(&self) -> usize {
        self.at + self.text.len()
    }

    /// Whether somebody said this, in whole.
    pub fn is_said(&self) -> bool {
        !self.fenced && !self.cut
    }
}

/// The most bytes of a sentence on several lines. Anything longer is not a sentence, and is split into its lines.
pub(super) const LONGEST_WRAPPED: usize = 600;

/// The most characters in brackets or quotation marks that belong to the sentence around them.
const LONGEST_INSIDE: usize = 200;

/// The first of the sentences of `text` that is sought. A long text is read only as far as necessary.
pub fn first_sentence<'t>(
    text: &'t str,
    mut is_sought: impl FnMut(&Sentence<'t>) -> bool,
) -> Option<Sentence<'t>> {
    const ENOUGH: usize = 4_000;
    let beginning = first_words(text, ENOUGH);
    if beginning.len() < text.len() && between_marks(beginning).nth(1).is_none() {
        let mut read = sentences(beginning);
        read.pop(); // it may go on
        if let Some(found) = read.into_iter().find(&mut is_sought) {
            return Some(found);
        }
    }
    sentences(text).into_iter().find(is_sought)
}

/// The sentences of `text`, in order. A line break ends a sentence unless the line continues on the next one. Inside a code fence each line
/// is a sentence. A mark where something was left out ends one, and what it says is none. Where it is in doubt whether a full stop ends a
/// sentence, it does not.
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut out: Vec<Sentence<'_>> = Vec::new();
    let mut fenced = false;
    let mut pieces = between_marks(text).peekable();
    let mut fences_behind = 0;
    if pieces.peek().is_some_and(|(_, piece)| piece.len() < text.len()) {
        fences_behind = text.lines().filter(|line| is_fence(line.trim())).count();
    }
    while let Some((at, piece)) = pieces.next() {
        let first = out.len();
        add_sentences(&text[..at + piece.len()], at, &mut fenced, &mut out);
        // Where a fence closes in what was left out, it is known from the fences behind.
        fences_behind =
            fences_behind.saturating_sub(piece.lines().filter(|line| is_fence(line.trim())).count());
        if pieces.peek().is_some() {
            fenced = fences_behind % 2 == 1;
        }
        let new = &mut out[first..];
        if let (true, Some(sentence)) = (at > 0, new.first_mut()) {
            sentence.cut = true;
        }
        if let (true, Some(sentence)) = (pieces.peek().is_some(), new.last_mut()) {
            sentence.cut |= !sentence.text.ends_with(is_closing);
        }
    }
    out
}

/// Adds the sentences of a text from this byte on.
fn add_sentences<'a>(text: &'a str, mut at: usize, fenced: &mut bool, out: &mut Vec<Sentence<'a>>) {
    // The lines of a paragraph that continue each other.
    let mut open: Option<(usize, usize)> = None;
    for whole in text[at..].split_inclusive('\n') {
        let line = whole.trim();
        let start = at + (whole.len() - whole.trim_start().len()).min(whole.len());
        let end = start + line.len();
        at += whole.len();
        let fence = is_fence(line);
        match open {
            Some((begin, before)) if !*fenced && !fence && may_continue(&text[begin..before], line) => {
                open = Some((begin, end));
                continue;
            }
            Some(lines) => split_lines(text, lines, out),
            None => {}
        }
        open = None;
        if fence {
            *fenced = !*fenced;
        } else if *fenced {
            push(out, text, (start, end), true);
        } else if !line.is_empty() {
            open = Some((start, end));
        }
    }
    if let Some(lines) = open {
        split_lines(text, lines, out);
    }
}

pub(super) fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// Whether wrapped text continues on the next line, or may. `before`: the text up to that line.
pub(super) fn may_continue(before: &str, next: &str) -> bool {
    line_break(before, next) != LineBreak::Ends
}

pub(super) fn is_heading(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
}

/// Whether a line does not continue the line before: a list entry, a heading, a quotation, a table row, a horizontal rule, a tag.
pub(super) fn starts_new_block(line: &str) -> bool {
    is_heading(line)
        || is_entry(line)
        || line.starts_with(['>', '|', '<', '[', '☐', '☑', '⬜', '✅', '{', '}'])
        || line.starts_with("---")
        || line.starts_with("===")
}

/// Whether a line is a list entry.
pub(super) fn is_entry(line: &str) -> bool {
    !line.starts_with(['#', '>']) && unmarked(line).len() < line.len()
}

/// A line without its heading, quote and list marks.
pub(super) fn unmarked(line: &str) -> &str {
    let line = line.trim_start_matches(['#', '>', ' ', '\t']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=3).contains(&digits).then(|| &line[digits..]);
    if let Some(rest) = numbered.and_then(|r| r.strip_prefix(". ").or_else(|| r.strip_prefix(") "))) {
        return rest.trim_start();
    }
    for mark in ["- ", "* ", "+ ", "• ", "・", "– "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.trim_start();
        }
    }
    line
}

/// Adds the sentences of lines that continue each other.
fn split_lines<'a>(text: &'a str, (start, end): (usize, usize), out: &mut Vec<Sentence<'a>>) {
    let is_quotation = text[start..end].starts_with('>');
    let is_listed = is_entry(&text[start..end]);
    let start = end - unmarked(&text[start..end]).len();
    let lines = &text[start..end];
    let mut from = 0;
    // The end of what is in brackets or quotation marks.
    let mut inside = 0;
    // The sentence has a word before that.
    let mut begun = false;
    let mut add = |(from, end): (usize, usize)| {
        let first = out.len();
        push_lines(out, text, (start + from, start + end));
        for (nth, sentence) in out[first..].iter_mut().enumerate() {
            sentence.listed = nth == 0 && is_listed && from == 0;
            sentence.fenced = is_quotation;
        }
    };
    let mut chars = lines.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let wide = matches!(c, '。' | '．' | '\u{FF01}' | '\u{FF1F}');
        let narrow = matches!(c, '.' | '!' | '?');
        if !wide && !narrow {
            begun |= c.is_alphanumeric();
            if at >= inside && begun {
                inside = closing_mark(&lines[from..at], &lines[at..]).map_or(inside, |close| at + close);
            }
            continue;
        }
        let mut end = end;
        while let Some((i, close)) = chars.peek().copied() {
            if !is_closing(close) {
                break;
            }
            end = i + close.len_utf8();
            chars.next();
        }
        let next = lines[end..].trim_start();
        let at_blank = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if wide || (at_blank && !goes_on(&lines[from..end], next)) {
            // A quotation ends, and the sentence goes on behind it.
            let is_quote = at < inside && if wide { !at_blank } else { next.starts_with(char::is_lowercase) };
            let in_doubt = end <= inside || is_quote || (!wide && may_go_on(&lines[from..end], next));
            if !in_doubt || end - from > LONGEST_WRAPPED {
                add((from, end));
                (from, begun) = (end, false);
            }
        }
    }
    add((from, end - start));
}

/// Where the brackets or quotation marks close that open here, if they do so soon.
fn closing_mark(before: &str, text: &str) -> Option<usize> {
    let mut chars = text.char_indices();
    let (_, open) = chars.next()?;
    let begins = || !before.ends_with(|c: char| !c.is_whitespace() && c != '(');
    let closing = match open {
        '(' if !before.ends_with([':', ';']) => ")",
        '"' if begins() => "\"",
        '“' => "”",
        '„' => "“”",
        '«' => "»",
        '「' => "」",
        _ => return None,
    };
    chars.take(LONGEST_INSIDE).find(|(_, c)| closing.contains(*c)).map(|(at, _)| at)
}

/// Adds a sentence of one line or several.
fn push_lines<'a>(out: &mut Vec<Sentence<'a>>, text: &'a str, (start, end): (usize, usize)) {
    if end - start <= LONGEST_WRAPPED {
        return push(out, text, (start, end), false);
    }
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        push(out, text, (at, at + line.len()), false);
        at += line.len();
    }
}

/// Closing marks and repeated end marks (`?!`), which belong to the sentence before them.
pub(super) fn is_closing(c: char) -> bool {
    const CLOSING: &str = "\"')]”’»」』】\u{FF09}!?\u{FF01}\u{FF1F}。.";
    CLOSING.contains(c)
}

fn push<'a>(out: &mut Vec<Sentence<'a>>, text: &'a str, (start, end): (usize, usize), fenced: bool) {
    let from = text[start..end].trim_start();
    let sentence =
        Sentence { text: from.trim_end(), at: end - from.len(), fenced, cut: false, listed: false };
    if sentence.text.chars().any(char::is_alphanumeric) {
        out.push(sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_brackets_or_quotation_marks_does_not_end_a_sentence() {
        for whole in [
            "Refund no more than 75 Euro (incl. VAT. And shipping) without asking.",
            "Always answer like this: \"Hello. How are you?\" and nothing else.",
            "必ず「はい。わかりました。」と答えてください。",
        ] {
            assert_eq!(sentences(whole).len(), 1, "{whole}");
        }
        for two in [
            "It failed again :( Never do that. Ask me first (always).",
            "Say \"Sorry.\" Then hang up.",
            "A screen of 5\" is small. Buy one of 7\".",
            "(It was never closed. Use tabs.",
        ] {
            assert_eq!(sentences(two).len(), 2, "{two}");
        }
    }

    #[test]
    fn initials_take_linear_time() {
        assert!(sentences(&"A. ".repeat(100_000)).len() > 100); // quadratic, it would take minutes
    }

    #[test]
    fn the_lines_of_a_log_are_separate() {
        assert_eq!(sentences(&"a line of some log\n".repeat(100)).len(), 100);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_split(text in "\\PC{0,80}|[a.!?。」 \n`-]{0,40}") {
            for s in sentences(&text) {
                proptest::prop_assert!(text[s.at..].starts_with(s.text) && !s.text.is_empty());
            }
        }
    }
}
