//! Searches a text for many texts at once.

use crate::sorting::sort_texts;

/// A set of texts that are searched for together, as whole words: `lib/src/a.rs:3` contains `src/a.rs`, but `#123` does not contain `#12`.
///
/// From each position where a word may begin, a search follows the sorted set as long as the text matches any needle. Its time is linear in
/// the text, times the length of the longest needle at worst.
#[derive(Debug, Clone, Default)]
pub struct TextSet<T> {
    /// Sorted and not empty, each with the caller's index for it.
    sorted: Vec<(T, usize)>,
    /// For each first byte, where its needles begin in `sorted`.
    starts: Vec<u32>,
    /// Only for a few long needles: how far the search may advance, by the byte at the current end position.
    skips: Vec<[u8; 256]>,
}

/// This few needles are searched for one by one.
const FEW: usize = 4;
/// Shorter needles would match every few bytes.
const LONG: usize = 16;

impl<T: AsRef<str> + Clone> TextSet<T> {
    /// Creates a set of these texts. Empty ones are never found.
    pub fn new(texts: impl IntoIterator<Item = T>) -> Self {
        let texts: Vec<T> = texts.into_iter().collect();
        let text = |i: u32| texts[i as usize].as_ref();
        let mut order: Vec<u32> = (0..texts.len() as u32).filter(|i| !text(*i).is_empty()).collect();
        sort_texts(&mut order, &text);
        Self::of_sorted(order.into_iter().map(|i| (texts[i as usize].clone(), i as usize)).collect())
    }

    /// Like `new`, for texts that are sorted already and not empty, each with the index to report.
    pub fn of_sorted(sorted: Vec<(T, usize)>) -> Self {
        let mut starts = vec![0; 257];
        for (text, _) in &sorted {
            starts[usize::from(bytes(text)[0]) + 1] += 1;
        }
        for byte in 0..256 {
            starts[byte + 1] += starts[byte];
        }
        let are_few = sorted.len() <= FEW && sorted.iter().all(|(text, _)| bytes(text).len() >= LONG);
        let skips =
            if are_few { sorted.iter().map(|(text, _)| skips(bytes(text))).collect() } else { Vec::new() };
        Self { sorted, starts, skips }
    }

    /// Whether there are no needles.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Calls `found` with the index of each needle in `text`, once per occurrence.
    pub fn find(&self, text: &str, mut found: impl FnMut(usize)) {
        if self.skips.is_empty() {
            self.find_from(0, text, &mut found);
        }
        for ((needle, index), skips) in self.sorted.iter().zip(&self.skips) {
            find_one(bytes(needle), skips, text.as_bytes(), || found(*index));
        }
    }

    /// For every needle that contains another one, calls `found` with the indices of both.
    pub fn find_each_other(&self, mut found: impl FnMut(usize, usize)) {
        // A stack of needles that are prefixes of the next one, each a prefix of the one after it.
        let mut beginnings: Vec<(&str, usize)> = Vec::new();
        for (text, outer) in &self.sorted {
            let text = text.as_ref();
            while beginnings.last().is_some_and(|(beginning, _)| !text.starts_with(beginning)) {
                beginnings.pop();
            }
            for (beginning, inner) in &beginnings {
                let end = beginning.len();
                if !joins(text.as_bytes().get(end - 1).copied(), text.as_bytes().get(end).copied()) {
                    found(*outer, *inner);
                }
            }
            beginnings.push((text, *outer));
            self.find_from(1, text, &mut |inner| found(*outer, inner));
        }
    }

    fn find_from(&self, start: usize, text: &str, found: &mut dyn FnMut(usize)) {
        let said = text.as_bytes();
        for at in start..said.len() {
            let first = usize::from(said[at]);
            let (mut low, mut high) = (self.starts[first] as usize, self.starts[first + 1] as usize);
            if low == high || joins(at.checked_sub(1).map(|i| said[i]), Some(said[at])) {
                continue;
            }
            let mut len = 0;
            while low < high {
                // All of `low..high` begin with the `len` bytes at `at`; one that ends there comes first.
                while low < high && bytes(&self.sorted[low].0).len() == len {
                    if !joins(Some(said[at + len - 1]), said.get(at + len).copied()) {
                        found(self.sorted[low].1);
                    }
                    low += 1;
                }
                let Some(next) = said.get(at + len) else { break };
                let range = &self.sorted[low..high];
                let agrees = |of: Option<&(T, usize)>| of.is_some_and(|(t, _)| bytes(t)[len] == *next);
                if agrees(range.first()) && agrees(range.last()) {
                    len += 1;
                    continue;
                }
                let from = range.partition_point(|(t, _)| bytes(t)[len] < *next);
                let to = range.partition_point(|(t, _)| bytes(t)[len] <= *next);
                (low, high) = (low + from, low + to);
                len += 1;
            }
        }
    }
}

fn bytes(text: &impl AsRef<str>) -> &[u8] {
    text.as_ref().as_bytes()
}

/// The distance by which the end position may advance for each byte: to the byte's next occurrence in the needle.
fn skips(needle: &[u8]) -> [u8; 256] {
    let mut skips = [needle.len().min(255) as u8; 256];
    let last = needle.len() - 1;
    for (byte, left) in needle[..last].iter().zip((1..=last).rev()) {
        skips[usize::from(*byte)] = left.min(255) as u8;
    }
    skips
}

/// Searches for one needle, looking at only few of the bytes (Boyer-Moore-Horspool).
fn find_one(needle: &[u8], skips: &[u8; 256], text: &[u8], mut found: impl FnMut()) {
    let last = needle.len() - 1;
    let mut end = last;
    while let Some(byte) = text.get(end) {
        let start = end - last;
        if *byte == needle[last]
            && text[start..end] == needle[..last]
            && !joins(start.checked_sub(1).map(|i| text[i]), Some(needle[0]))
            && !joins(Some(*byte), text.get(end + 1).copied())
        {
            found();
        }
        end += usize::from(skips[usize::from(*byte)]);
    }
}

/// Whether two adjacent bytes belong to one word. Scripts beyond ASCII may have no blanks around a name.
fn joins(left: Option<u8>, right: Option<u8>) -> bool {
    let word = |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric());
    word(left) && word(right)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(needles: &[&str], text: &str) -> Vec<usize> {
        let mut out = Vec::new();
        TextSet::new(needles.iter().copied()).find(text, |i| out.push(i));
        out.sort_unstable();
        out.dedup();
        out
    }

    #[test]
    fn whole_words_only() {
        let needles = ["src/a.rs", "#12", "/w/app", "E0308", ""];
        assert_eq!(found(&needles, "see lib/src/a.rs:3, #123, /w/app/x"), [0, 2]);
        assert_eq!(found(&needles, "错误E0308在#12。"), [1, 3]);
        assert_eq!(found(&needles, "asrc/a.rs E03081 src/a.rsx"), [0; 0]);
        assert_eq!(found(&["a", "a", "a/b"], "a/b"), [0, 1, 2]);
    }

    proptest! {
        #[test]
        fn texts_inside_other_texts_are_found_as_one_by_one(needles in proptest::collection::btree_set("[ab/é]{1,6}", 0..12)) {
            let set = TextSet::new(needles.iter().map(String::as_str));
            let mut each = std::collections::BTreeSet::new();
            set.find_each_other(|outer, inner| { each.insert((outer, inner)); });
            let mut one_by_one = std::collections::BTreeSet::new();
            for (outer, needle) in needles.iter().enumerate() {
                set.find(needle, |inner| { one_by_one.extend((inner != outer).then_some((outer, inner))); });
            }
            prop_assert_eq!(each, one_by_one);
        }

        #[test]
        fn a_few_long_texts_are_found_like_many(
            needles in proptest::collection::vec("[ab/é]{16,20}", 1..4), before in "[ab/é ]{0,24}", within in 0usize..4, behind in "[ab/é ]{0,40}"
        ) {
            let text = format!("{before}{}{behind}", needles[within % needles.len()]);
            let set = TextSet::new(needles.iter().map(String::as_str));
            let (mut one_by_one, mut together) = (Vec::new(), Vec::new());
            set.find(&text, |i| one_by_one.push(i));
            set.find_from(0, &text, &mut |i| together.push(i));
            one_by_one.sort_unstable();
            together.sort_unstable();
            prop_assert_eq!(one_by_one, together);
        }

        #[test]
        fn it_finds_the_same_as_a_search_one_by_one(
            needles in proptest::collection::vec("[ab/é]{1,4}", 0..8), text in "[ab/é ]{0,24}"
        ) {
            let bounded = |needle: &str| text.match_indices(needle).count() > 0 && (0..=text.len())
                .filter(|at| text.is_char_boundary(*at) && text[*at..].starts_with(needle))
                .any(|at| {
                    let end = at + needle.len();
                    let byte = |i: usize| text.as_bytes().get(i).copied();
                    !joins(at.checked_sub(1).and_then(byte), byte(at)) && !joins(byte(end - 1), byte(end))
                });
            let expected: Vec<usize> =
                needles.iter().enumerate().filter(|(_, n)| bounded(n)).map(|(i, _)| i).collect();
            prop_assert_eq!(found(&needles.iter().map(String::as_str).collect::<Vec<_>>(), &text), expected);
        }
    }
}
