//! Sorts by way of positions. The standard sort is several kilobytes of code for each type that it is used with; here there is only
//! one copy. For lists that are long and sorted often, use the standard sort.

use std::cmp::Ordering;

/// Sorts a list; equal elements keep their order.
pub fn sort_by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = order_of(list.len(), &mut |a, b| compare(&list[a], &list[b]));
    put_in_order(list, order);
}

/// Like [`sort_by`], by a key.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(list, |a, b| key(a).cmp(&key(b)));
}

/// Like [`sort_by`], by the elements' own order.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, Ord::cmp);
}

/// The positions of `len` elements in sorted order.
pub fn order_of(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Moves the element at position `order[i]` to `i`, cycle by cycle.
pub fn put_in_order<T>(list: &mut [T], mut order: Vec<usize>) {
    const DONE: usize = usize::MAX;
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], DONE);
            if from == DONE || from == start {
                break;
            }
            list.swap(at, from);
            at = from;
        }
    }
}

/// Bytes of a text that are compared at once.
const WORD: usize = 7;

/// Sorts numbers by the texts that they refer to, and numbers of equal texts by themselves. Many texts of a conversation begin
/// alike: a shared beginning is read once, not by every comparison.
pub fn sort_texts<'a>(numbers: &mut [u32], text: &dyn Fn(u32) -> &'a str) {
    let mut words: Vec<(u64, u32)> = numbers.iter().map(|n| (0, *n)).collect();
    // Texts that are alike up to a byte. Not by recursion: long texts may be alike for thousands of words.
    let mut alike = vec![(0..words.len(), 0)];
    while let Some((range, at)) = alike.pop() {
        let first = range.start;
        let list = &mut words[range];
        sort_at(list, at, text);
        let mut start = first;
        for part in list.chunk_by(|(a, _), (b, _)| a == b) {
            let range = start..start + part.len();
            start = range.end;
            let goes_on = part[0].0 & 0xFF == WORD as u64;
            if goes_on && part.len() > 1 {
                alike.push((range, at + WORD));
            }
        }
    }
    for (number, (_, sorted)) in numbers.iter_mut().zip(words) {
        *number = sorted;
    }
}

/// Sorts texts by their word at byte `at`, up to which they are equal.
fn sort_at<'a>(list: &mut [(u64, u32)], at: usize, text: &dyn Fn(u32) -> &'a str) {
    for (word, number) in list.iter_mut() {
        *word = word_at(text(*number).as_bytes(), at);
    }
    list.sort_unstable();
}

/// The bytes from `at` on, as a number that sorts like them. Its last byte is how many there are, so that a text that ends sorts
/// before those that go on.
fn word_at(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    let len = rest.len().min(WORD);
    let mut word = [0; WORD + 1];
    word[..len].copy_from_slice(&rest[..len]);
    word[WORD] = len as u8;
    u64::from_be_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_that_are_alike_need_no_stack() {
        let texts = ["a".repeat(2_000_000) + "b", "a".repeat(2_000_000) + "a"];
        let mut numbers = [0, 1];
        sort_texts(&mut numbers, &|n| &texts[n as usize]);
        assert_eq!(numbers, [1, 0]);
    }

    proptest::proptest! {
        #[test]
        fn it_sorts_like_the_standard_library(list in proptest::collection::vec((0u8..20, 0u8..20), 0..60)) {
            let (mut ours, mut standard) = (list.clone(), list);
            sort_by_key(&mut ours, |(a, _)| *a);
            standard.sort_by_key(|(a, _)| *a);
            proptest::prop_assert_eq!(&ours, &standard);
            sort(&mut ours);
            standard.sort_unstable(); // equal ones look the same
            proptest::prop_assert_eq!(ours, standard);
        }

        #[test]
        fn it_sorts_texts_like_the_standard_library(texts in proptest::collection::btree_set("(src/)?[ab\u{0}é]{0,20}", 0..60)) {
            let sorted: Vec<String> = texts.into_iter().collect();
            let mut numbers: Vec<u32> = (0..sorted.len() as u32).rev().collect();
            sort_texts(&mut numbers, &|n| &sorted[n as usize]);
            proptest::prop_assert!(numbers.is_sorted(), "{numbers:?}");
        }
    }
}
