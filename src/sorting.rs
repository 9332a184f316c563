//! Sorting by way of positions: the standard sort is several kilobytes of code for each type that it is used with, and here it
//! is there once. For lists that are long and sorted often, use the standard one.

use std::cmp::Ordering;

/// Sorts a list; what is equal stays in its order.
pub fn sort_by<T>(list: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = order_of(list.len(), &mut |a, b| compare(&list[a], &list[b]));
    put_in_order(list, order);
}

/// The same by a key.
pub fn sort_by_key<T, K: Ord>(list: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(list, |a, b| key(a).cmp(&key(b)));
}

/// The same by the elements themselves.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, Ord::cmp);
}

/// The positions of `len` elements in their order.
fn order_of(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Puts the element of position `order[i]` at `i`: cycle by cycle.
fn put_in_order<T>(list: &mut [T], mut order: Vec<usize>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn it_sorts_as_the_standard_does(list in proptest::collection::vec((0u8..20, 0u8..20), 0..60)) {
            let (mut ours, mut standard) = (list.clone(), list);
            sort_by_key(&mut ours, |(a, _)| *a);
            standard.sort_by_key(|(a, _)| *a);
            proptest::prop_assert_eq!(&ours, &standard);
            sort(&mut ours);
            standard.sort_unstable(); // equal ones look the same
            proptest::prop_assert_eq!(ours, standard);
        }
    }
}
