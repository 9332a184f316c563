//! The difference between two states of a list or a map.

use super::saved;
use crate::sorted::SortedMap;
use crate::sorting::sort;

/// A change of a list: `front` entries stay, the next `gone` entries are replaced by `put`, and the rest stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListEdit<T> {
    front: usize,
    gone: usize,
    put: Vec<T>,
}

impl<T> ListEdit<T> {
    /// The edit that turns `before` into `now`, without copying what it inserts.
    pub fn between<'n, B>(before: &[B], now: &'n [T], same: impl Fn(&B, &T) -> bool) -> ListEdit<&'n T> {
        let front = before.iter().zip(now).take_while(|(b, n)| same(b, n)).count();
        let (before, now) = (&before[front..], &now[front..]);
        let back = before.iter().rev().zip(now.iter().rev()).take_while(|(b, n)| same(b, n)).count();
        ListEdit { front, gone: before.len() - back, put: now[..now.len() - back].iter().collect() }
    }

    /// The same for entries that can be compared, with copies.
    pub fn from_to(before: &[T], now: &[T]) -> Self
    where
        T: Clone + PartialEq,
    {
        Self::between(before, now, T::eq).map(T::clone)
    }

    /// The edit that appends `put` to a list of `len` entries.
    pub fn append(len: usize, put: Vec<T>) -> Self {
        Self { front: len, gone: 0, put }
    }

    /// Whether the edit keeps all entries of a list of `len` entries and at most appends some.
    pub fn appends_to(&self, len: usize) -> bool {
        self.is_empty() || self.front == len && self.gone == 0
    }

    /// How many entries at the front stay.
    pub fn front(&self) -> usize {
        self.front
    }

    /// The inserted entries.
    pub fn put(&self) -> &[T] {
        &self.put
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.gone == 0 && self.put.is_empty()
    }

    /// The length after the edit of a list of `len` entries; `None` if the edit does not fit that length.
    pub fn len_after(&self, len: usize) -> Option<usize> {
        let stays = len.checked_sub(self.front)?.checked_sub(self.gone)?;
        Some(self.front + self.put.len() + stays)
    }

    /// Applies the edit. Returns `false` if it does not fit the list's length.
    pub fn apply(self, list: &mut Vec<T>) -> bool {
        let end = self.front.checked_add(self.gone).filter(|end| *end <= list.len());
        let Some(end) = end else { return false };
        let mut behind = list.split_off(end);
        list.truncate(self.front);
        list.extend(self.put);
        list.append(&mut behind);
        true
    }

    /// The same edit with converted entries.
    pub fn map<U>(self, with: impl FnMut(T) -> U) -> ListEdit<U> {
        let Self { front, gone, put } = self;
        ListEdit { front, gone, put: put.into_iter().map(with).collect() }
    }

    /// The same edit with converted entries; `None` if one of them cannot be converted.
    pub fn try_map<U>(self, with: impl FnMut(T) -> Option<U>) -> Option<ListEdit<U>> {
        let Self { front, gone, put } = self;
        Some(ListEdit { front, gone, put: put.into_iter().map(with).collect::<Option<_>>()? })
    }
}

saved!(struct ListEdit<T> { front, gone, put });

/// A change of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapEdit<K, V> {
    gone: Vec<K>,
    put: Vec<(K, V)>,
}

impl<K: Ord + Copy, V> MapEdit<K, V> {
    /// The edit that turns `before` into `now`, found by walking both in key order, without copying values.
    pub fn between<'n, B>(
        before: &SortedMap<K, B>,
        now: &'n SortedMap<K, V>,
        same: impl Fn(&B, &V) -> bool,
    ) -> MapEdit<K, &'n V> {
        let mut edit = MapEdit::none();
        let mut before = before.iter().peekable();
        for (key, value) in now {
            while let Some((gone, _)) = before.next_if(|(k, _)| *k < key) {
                edit.gone.push(*gone);
            }
            let there = before.next_if(|(k, _)| *k == key);
            if !there.is_some_and(|(_, there)| same(there, value)) {
                edit.put.push((*key, value));
            }
        }
        edit.gone.extend(before.map(|(key, _)| *key));
        edit
    }

    /// The edit that sets these keys to their values in `now`, and removes those for which `now` returns `None`.
    pub fn of(keys: impl IntoIterator<Item = K>, now: impl Fn(K) -> Option<V>) -> Self {
        let mut edit = Self::none();
        for key in keys {
            match now(key) {
                Some(value) => edit.put.push((key, value)),
                None => edit.gone.push(key),
            }
        }
        edit
    }

    /// The edit that changes nothing.
    pub fn none() -> Self {
        Self { gone: Vec::new(), put: Vec::new() }
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.put.is_empty()
    }

    /// The entries to set.
    pub fn put(&self) -> &[(K, V)] {
        &self.put
    }

    /// The keys to remove and the entries to set.
    pub fn into_parts(self) -> (Vec<K>, Vec<(K, V)>) {
        (self.gone, self.put)
    }

    /// Applies the edit.
    pub fn apply(self, map: &mut SortedMap<K, V>) {
        let Self { mut gone, put } = self;
        if !gone.is_empty() {
            sort(&mut gone);
            map.retain(|key, _| gone.binary_search(key).is_err());
        }
        map.extend(put);
    }

    /// The same edit with converted values.
    pub fn map<U>(self, mut with: impl FnMut(V) -> U) -> MapEdit<K, U> {
        let put = self.put.into_iter().map(|(key, value)| (key, with(value))).collect();
        MapEdit { gone: self.gone, put }
    }

    /// The same edit with converted values; `None` if one of them cannot be converted.
    pub fn try_map<U>(self, mut with: impl FnMut(V) -> Option<U>) -> Option<MapEdit<K, U>> {
        let put =
            self.put.into_iter().map(|(key, value)| Some((key, with(value)?))).collect::<Option<_>>()?;
        Some(MapEdit { gone: self.gone, put })
    }
}

saved!(struct MapEdit<K, V> { gone, put });

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_list_edit_turns_one_into_the_other(before in proptest::collection::vec(0u32..4, 0..12), now in proptest::collection::vec(0u32..4, 0..12)) {
            let edit = ListEdit::from_to(&before, &now);
            proptest::prop_assert_eq!(edit.is_empty(), before == now);
            let mut made = before.clone();
            proptest::prop_assert!(edit.clone().apply(&mut made));
            proptest::prop_assert_eq!(&made, &now);
            let mut shorter = before;
            shorter.truncate(edit.front + edit.gone);
            if shorter.pop().is_some() {
                proptest::prop_assert!(!edit.apply(&mut shorter) || now.len() > shorter.len());
            }
        }

        #[test]
        fn a_map_edit_turns_one_into_the_other(before in proptest::collection::btree_map(0u32..9, 0u32..3, 0..9), now in proptest::collection::btree_map(0u32..9, 0u32..3, 0..9)) {
            let (before, now) = (SortedMap::from_iter(before), SortedMap::from_iter(now));
            let edit = MapEdit::between(&before, &now, |b, n| b == n).map(|n| *n);
            let mut made = before.clone();
            edit.clone().apply(&mut made);
            proptest::prop_assert_eq!(&made, &now);
            proptest::prop_assert_eq!(edit == MapEdit::none(), before == now);
        }
    }
}
