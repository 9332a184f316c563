//! Shortens texts to fit a line of a summary.

use unicode_segmentation::UnicodeSegmentation;

/// Marks where text was left out.
const GAP: &str = " […] ";

/// `text` on one line, without emphasis marks, shortened in the middle to about `limit` bytes.
pub fn line(text: &str, limit: usize) -> String {
    middle(&whole_line(text), limit)
}

/// `text` on one line, without emphasis marks.
pub fn whole_line(text: &str) -> String {
    one_line(text).replace("**", "").trim().to_owned()
}

/// Whether `text` contains `whole`, a text on one line, shortened in the middle to `least` bytes or more.
pub fn shows_shortened(text: &str, whole: &str, least: usize) -> bool {
    /// No shortened text is longer, in bytes.
    const LONGEST: usize = 2_400;
    let longest = whole.len().min(LONGEST);
    text.match_indices(GAP).any(|(at, gap)| {
        let (before, behind) = (&text[..at], &text[at + gap.len()..]);
        let heads = (1..=longest).rev().filter_map(|len| whole.get(..len));
        let tails = (1..=longest).rev().filter_map(|len| whole.get(whole.len() - len..));
        let head = heads.into_iter().find(|head| before.ends_with(head));
        let tail = tails.into_iter().find(|tail| behind.starts_with(tail));
        head.zip(tail).is_some_and(|(head, tail)| head.len() + tail.len() >= least)
    })
}

/// `text` on one line, with a single blank between words.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `text` with its line breaks but without blank lines, shortened in the middle to about `limit` bytes.
pub fn lines(text: &str, limit: usize) -> String {
    let kept: Vec<&str> = text.lines().map(str::trim_end).filter(|l| !l.is_empty()).collect();
    middle(&kept.join("\n"), limit)
}

/// Keeps two thirds of the limit from the beginning and one third from the end, cut between graphemes.
fn middle(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut head = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        if at + grapheme.len() > limit * 2 / 3 {
            break;
        }
        head = at + grapheme.len();
    }
    let mut tail = text.len();
    for (at, _) in text.grapheme_indices(true).rev() {
        if at < head || text.len() - at > limit / 3 {
            break;
        }
        tail = at;
    }
    let (head, tail) = (at_word(&text[..head]), &text[tail..]);
    let tail = tail.split_once(' ').filter(|(cut, _)| cut.len() < 24).map_or(tail, |(_, rest)| rest);
    format!("{}{GAP}{}", head.trim_end(), tail.trim_start())
}

/// Drops the last word, which was cut, if it is short.
fn at_word(head: &str) -> &str {
    head.rfind(' ').filter(|at| head.len() - at < 24).map_or(head, |at| &head[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_cut_between_graphemes() {
        assert_eq!(line("a\n  **b** c", 20), "a b c");
        assert_eq!(line("one two three four five six seven", 18), "one two […] seven");
        let family = "👩‍👩‍👧".repeat(10);
        let short = line(&family, 60);
        assert!(short.split(GAP).all(|part| part.replace("👩‍👩‍👧", "").is_empty()), "{short}");
    }
}
