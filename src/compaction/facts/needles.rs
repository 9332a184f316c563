//! Many texts looked for in a text at once.

use crate::sorting::sort;

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
}

impl<'a> Needles<'a> {
    /// A set of these texts; empty ones are never found.
    pub fn new(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut sorted: Vec<(&str, usize)> = texts.into_iter().enumerate().map(|(i, t)| (t, i)).collect();
        sorted.retain(|(text, _)| !text.is_empty());
        sort(&mut sorted);
        let first = |byte: usize| sorted.partition_point(|(t, _)| usize::from(t.as_bytes()[0]) < byte) as u32;
        let starts = (0..=256).map(first).collect();
        Self { sorted, starts }
    }

    /// Calls `found` with the index of each needle that stands in `text`, once for every place.
    pub fn find(&self, text: &str, mut found: impl FnMut(usize)) {
        let bytes = text.as_bytes();
        for at in 0..bytes.len() {
            if joins(at.checked_sub(1).map(|i| bytes[i]), Some(bytes[at])) {
                continue;
            }
            let first = usize::from(bytes[at]);
            let (mut low, mut high) = (self.starts[first] as usize, self.starts[first + 1] as usize);
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
                let from = range.partition_point(|(t, _)| t.as_bytes()[len] < *next);
                let to = range.partition_point(|(t, _)| t.as_bytes()[len] <= *next);
                (low, high) = (low + from, low + to);
                len += 1;
            }
        }
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
