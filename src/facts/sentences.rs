//! Splits text into sentences, in Latin and CJK scripts.

use super::marks::between_marks;
use super::wrapped::{LineBreak, line_break};

/// A sentence without its list mark and surrounding blanks. In wrapped text it contains line breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// The sentence.
    pub text: &'a str,
    /// Its byte offset in the text.
    pub at: usize,
    /// Whether it is inside a code fence.
    pub fenced: bool,
    /// Its beginning or its end may be missing, because a mark beside it says that something was left out there.
    pub cut: bool,
}

impl Sentence<'_> {
    /// Whether somebody said this, in whole.
    pub fn is_said(&self) -> bool {
        !self.fenced && !self.cut
    }
}

/// Abbreviations that belong to what follows. Their full stop does not end a sentence.
const OPEN_ABBREVIATIONS: [&str; 27] = [
    "e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "resp.", "dr.", "mr.", "mrs.", "prof.", "z.b.",
    "d.h.", "bzw.", "ggf.", "p.ex.", "hrn.", "mme.", "mlle.", "sra.", "srta.", "dra.", "dott.", "dhr.",
    "т.е.", "т.к.",
];

/// Titles that are words or units in another case. They stand before a name.
const TITLES: [&str; 6] = ["Ms.", "St.", "Sr.", "Hr.", "Sig.", "M."];

/// Abbreviations that stand before a number, or at the end of a sentence.
const BEFORE_NUMBERS: [&str; 8] = ["p.", "pp.", "fig.", "vol.", "nr.", "abs.", "ext.", "tel."];

/// Abbreviations that may stand at the end of a sentence: it goes on if the next word is no beginning.
const ABBREVIATIONS: [&str; 11] =
    ["inc.", "ltd.", "co.", "corp.", "jr.", "dept.", "est.", "a.m.", "p.m.", "usw.", "u.a."];

/// A name has no more initials.
const MOST_INITIALS: usize = 6;

/// The most bytes of a sentence on several lines. Anything longer is not a sentence, and is split into its lines.
pub(super) const LONGEST_WRAPPED: usize = 600;

/// The sentences of `text`, in order. A line break ends a sentence unless the line continues on the next one. Inside a code fence each line
/// is a sentence. A mark where something was left out ends one, and what it says is none.
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
    let start = end - unmarked(&text[start..end]).len();
    let lines = &text[start..end];
    let mut from = 0;
    let mut chars = lines.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let wide = matches!(c, '。' | '．' | '\u{FF01}' | '\u{FF1F}');
        let narrow = matches!(c, '.' | '!' | '?');
        if !wide && !narrow {
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
        let at_blank = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if wide || (at_blank && !is_open(&lines[from..end], lines[end..].trim_start())) {
            push_lines(out, text, (start + from, start + end));
            from = end;
        }
    }
    push_lines(out, text, (start + from, end));
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

/// Whether a sentence goes on after this full stop, with the text `next`: the last word is an abbreviation or the initial of a name.
fn is_open(sentence: &str, next: &str) -> bool {
    let mut words = sentence.split_whitespace().rev().map(|word| word.trim_start_matches(['(', '"', '\'']));
    let (last, before) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_one_of = |known: &[&str]| known.iter().any(|known| last.eq_ignore_ascii_case(known));
    let is_name = |word: &str| word.starts_with(char::is_uppercase);
    if is_one_of(&OPEN_ABBREVIATIONS) {
        return true;
    }
    // "Main St. Never be late", but "Call Mrs. St. John"
    let is_street = last == "St." && is_name(before) && !before.ends_with('.') && words.next().is_some();
    if TITLES.contains(&last) && is_name(next) && !is_street {
        return true;
    }
    if is_one_of(&BEFORE_NUMBERS) {
        return next.starts_with(char::is_numeric);
    }
    if is_one_of(&ABBREVIATIONS) {
        return next.starts_with(|c: char| c.is_lowercase() || c.is_numeric());
    }
    match letter(last) {
        Some(letter) if letter.is_uppercase() => {
            let mut following = next.split_whitespace().take(MOST_INITIALS).peekable();
            let is_one_of_several = initial(before) || following.peek().is_some_and(|word| initial(word));
            is_one_of_several && following.find(|word| !initial(word)).is_some_and(is_name)
        }
        Some(_) => next.starts_with(char::is_numeric),
        None => false,
    }
}

/// The letter of a word that is one letter with a full stop.
fn letter(word: &str) -> Option<char> {
    let mut chars = word.chars();
    let letter = chars.next().filter(|c| c.is_alphabetic())?;
    (chars.as_str() == ".").then_some(letter)
}

fn initial(word: &str) -> bool {
    letter(word).is_some_and(char::is_uppercase)
}

fn push<'a>(out: &mut Vec<Sentence<'a>>, text: &'a str, (start, end): (usize, usize), fenced: bool) {
    let from = text[start..end].trim_start();
    let sentence = Sentence { text: from.trim_end(), at: end - from.len(), fenced, cut: false };
    if sentence.text.chars().any(char::is_alphanumeric) {
        out.push(sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abbreviation_does_not_end_a_sentence() {
        for whole in [
            "Always address me as Dr. Smith.",
            "Always deploy to St. Gallen, never to Zurich.",
            "Never email J. R. R. Tolkien about this.",
            "Call me Ms. Brown, please.",
            "Schreibe Ms. Ng niemals vor 9 Uhr.",
            "Never contact Mrs. St. John before 9 a.m. on weekdays.",
            "No escribas nunca a la Dra. Ruiz.",
            "See the table on p. 12 of the report.",
            "Always use node.js v. 20 for the build.",
            "Never email Acme Inc. about this.",
            "Appelez-moi toujours Mme. Dupont, s.v.p.",
        ] {
            assert_eq!(sentences(whole).len(), 1, "{whole}");
        }
        for two in [
            "We sold it to Acme Inc. Do not write to them.",
            "I choose option A. Please go on.",
            "See line v. Then stop.",
            "The old docs said to wait 300 ms. Never deploy on Fridays.",
            "What did you find on p. Only use tabs.",
            "Was it Plan A. Never deploy on Fridays.",
            "We meet in Main St. Never be late.",
        ] {
            assert_eq!(sentences(two).len(), 2, "{two}");
        }
    }

    #[test]
    fn initials_take_linear_time() {
        assert!(sentences(&"A. ".repeat(100_000)).len() > 10_000); // quadratic, it would take minutes
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
