//! Many texts looked for in a text at once.

use crate::sorting::sort_texts;

/// A set of texts that are looked for together, as whole words: `src/a.rs` stands in `lib/src/a.rs:3`, `#12` does not
/// stand in `#123`.
///
/// A search walks the sorted set from each place where a word may begin, as far as the text agrees with any needle:
/// the time is linear in the text, times the length of the longest needle at worst.
#[derive(Debug, Clone, Default)]
pub struct Needles<'a> {
    /// Sorted, distinct, with the place that each has for the caller.
    sorted: Vec<(&'a str, usize)>,
    /// Where the needles with this first byte begin in `sorted`.
    starts: Vec<u32>,
    /// Of a few long ones: how far a search may go on from each byte that stands where a needle would end.
    skips: Vec<[u8; 256]>,
}

/// So few needles are looked for one by one.
const FEW: usize = 4;
/// Shorter ones than this would be met at every few bytes.
const LONG: usize = 16;

impl<'a> Needles<'a> {
    /// A set of these texts; empty ones are never found.
    pub fn new(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let texts: Vec<&str> = texts.into_iter().collect();
        let mut order: Vec<u32> =
            (0..texts.len() as u32).filter(|i| !texts[*i as usize].is_empty()).collect();
        sort_texts(&mut order, &|i| texts[i as usize]);
        Self::of_sorted(order.into_iter().map(|i| (texts[i as usize], i as usize)).collect())
    }

    /// The same of texts that are sorted already, none of them empty; with each, what it is found as.
    pub fn of_sorted(sorted: Vec<(&'a str, usize)>) -> Self {
        let mut starts = vec![0; 257];
        for (text, _) in &sorted {
            starts[usize::from(text.as_bytes()[0]) + 1] += 1;
        }
        for byte in 0..256 {
            starts[byte + 1] += starts[byte];
        }
        let are_few = sorted.len() <= FEW && sorted.iter().all(|(text, _)| text.len() >= LONG);
        let skips = if are_few {
            sorted.iter().map(|(text, _)| skips(text.as_bytes())).collect()
        } else {
            Vec::new()
        };
        Self { sorted, starts, skips }
    }

    /// There is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// Calls `found` with the index of each needle that stands in `text`, once for every place.
    pub fn find(&self, text: &str, mut found: impl FnMut(usize)) {
        if self.skips.is_empty() {
            self.find_from(0, text, &mut found);
        }
        for ((needle, index), skips) in self.sorted.iter().zip(&self.skips) {
            find_one(needle.as_bytes(), skips, text.as_bytes(), || found(*index));
        }
    }

    /// Calls `found` with the indexes of a needle and of one that stands in it, for all of them.
    pub fn find_each_other(&self, mut found: impl FnMut(usize, usize)) {
        // Those that the next one begins with stand before it, each beginning with the one before.
        let mut beginnings: Vec<(&str, usize)> = Vec::new();
        for (text, outer) in &self.sorted {
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
        let bytes = text.as_bytes();
        for at in start..bytes.len() {
            let first = usize::from(bytes[at]);
            let (mut low, mut high) = (self.starts[first] as usize, self.starts[first + 1] as usize);
            if low == high || joins(at.checked_sub(1).map(|i| bytes[i]), Some(bytes[at])) {
                continue;
            }
            let mut len = 0;
            while low < high {
                // All of `low..high` begin with the `len` bytes at `at`; the one that is no longer stands first.
                while low < high && self.sorted[low].0.len() == len {
                    if !joins(Some(bytes[at + len - 1]), bytes.get(at + len).copied()) {
                        found(self.sorted[low].1);
                    }
                    low += 1;
                }
                let Some(next) = bytes.get(at + len) else { break };
                let range = &self.sorted[low..high];
                let agrees = |of: Option<&(&str, usize)>| of.is_some_and(|(t, _)| t.as_bytes()[len] == *next);
                if agrees(range.first()) && agrees(range.last()) {
                    len += 1;
                    continue;
                }
                let from = range.partition_point(|(t, _)| t.as_bytes()[len] < *next);
                let to = range.partition_point(|(t, _)| t.as_bytes()[len] <= *next);
                (low, high) = (low + from, low + to);
                len += 1;
            }
        }
    }
}

/// How far the end of a needle may go on from each byte: to where that byte stands in it next.
fn skips(needle: &[u8]) -> [u8; 256] {
    let mut skips = [needle.len().min(255) as u8; 256];
    let last = needle.len() - 1;
    for (byte, left) in needle[..last].iter().zip((1..=last).rev()) {
        skips[usize::from(*byte)] = left.min(255) as u8;
    }
    skips
}

/// Looks for one needle, mostly at one byte in many.
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

/// Whether two neighbouring bytes belong to one word. Scripts beyond ASCII set no blanks around a name.
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
        Needles::new(needles.iter().copied()).find(text, |i| out.push(i));
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
        fn each_other_as_one_by_one(needles in proptest::collection::btree_set("[ab/é]{1,6}", 0..12)) {
            let set = Needles::new(needles.iter().map(String::as_str));
            let mut each = std::collections::BTreeSet::new();
            set.find_each_other(|outer, inner| { each.insert((outer, inner)); });
            let mut one_by_one = std::collections::BTreeSet::new();
            for (outer, needle) in needles.iter().enumerate() {
                set.find(needle, |inner| { one_by_one.extend((inner != outer).then_some((outer, inner))); });
            }
            prop_assert_eq!(each, one_by_one);
        }

        #[test]
        fn few_and_long_ones_are_found_as_many_are(
            needles in proptest::collection::vec("[ab/é]{16,20}", 1..4), before in "[ab/é ]{0,24}", within in 0usize..4, behind in "[ab/é ]{0,40}"
        ) {
            let text = format!("{before}{}{behind}", needles[within % needles.len()]);
            let set = Needles::new(needles.iter().map(String::as_str));
            let (mut one_by_one, mut together) = (Vec::new(), Vec::new());
            set.find(&text, |i| one_by_one.push(i));
            set.find_from(0, &text, &mut |i| together.push(i));
            one_by_one.sort_unstable();
            together.sort_unstable();
            prop_assert_eq!(one_by_one, together);
        }

        #[test]
        fn as_a_search_one_by_one_would_find(
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
