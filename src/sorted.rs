//! A map and a set over sorted lists. `BTreeMap` is several kilobytes of code for each pair of types that it is used with; this is
//! some hundred bytes.
//!
//! An entry behind the last one is appended. Any other moves what comes after it: that is cheap for some hundred entries, and quadratic
//! for many. So entries that may be many and come in another order are collected and added at once: `extend` sorts them once, and
//! `retain` removes many.

use std::borrow::Borrow;
use std::fmt;
use std::iter::Zip;
use std::slice;
use std::vec;

use serde::{Serialize, Serializer};

use crate::growing;
use crate::sorting::{order_of, put_in_order};

/// A map in the order of its keys.
#[derive(Clone, PartialEq, Eq)]
pub struct SortedMap<K, V> {
    keys: Vec<K>,
    /// In the same order. A list of its own: so its code is that of any other list of such values.
    values: Vec<V>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> SortedMap<K, V> {
    /// An empty map.
    pub const fn new() -> Self {
        Self { keys: Vec::new(), values: Vec::new() }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
    }

    /// The keys, in order.
    pub fn keys(&self) -> slice::Iter<'_, K> {
        self.keys.iter()
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> slice::Iter<'_, V> {
        self.values.iter()
    }

    /// The values, in the order of their keys.
    pub fn values_mut(&mut self) -> slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    /// The values, in the order of their keys.
    pub fn into_values(self) -> vec::IntoIter<V> {
        self.values.into_iter()
    }

    /// The entries, in order.
    pub fn iter(&self) -> Zip<slice::Iter<'_, K>, slice::Iter<'_, V>> {
        self.keys.iter().zip(&self.values)
    }

    /// Keeps the entries that `stays` accepts.
    pub fn retain(&mut self, mut stays: impl FnMut(&K, &mut V) -> bool) {
        let staying: Vec<bool> =
            self.keys.iter().zip(&mut self.values).map(|(key, value)| stays(key, value)).collect();
        self.keep(&staying);
    }

    fn keep(&mut self, staying: &[bool]) {
        keep(&mut self.keys, staying);
        keep(&mut self.values, staying);
    }

    /// Removes the entry with the lowest key.
    pub fn pop_first(&mut self) -> Option<(K, V)> {
        if self.is_empty() { None } else { Some((self.keys.remove(0), self.values.remove(0))) }
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// The map of these keys to these values, in any order. Of equal keys, the last one holds.
    pub fn of(keys: Vec<K>, values: Vec<V>) -> Self {
        debug_assert_eq!(keys.len(), values.len());
        let mut map = Self { keys, values };
        map.sort_from(0);
        map
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        position(&self.keys, key).ok().map(|at| &self.values[at])
    }

    /// The value of a key, to change it.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        position(&self.keys, key).ok().map(|at| &mut self.values[at])
    }

    /// Whether there is an entry with this key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        position(&self.keys, key).is_ok()
    }

    /// Sets the value of a key. Returns the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match place(&self.keys, &key) {
            Ok(at) => Some(std::mem::replace(&mut self.values[at], value)),
            Err(at) => {
                self.insert_at(at, key, value);
                None
            }
        }
    }

    /// The value of a key; if it has none, it gets this one.
    pub fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let at = place(&self.keys, &key);
        if let Err(at) = at {
            self.insert_at(at, key, value);
        }
        let (Ok(at) | Err(at)) = at;
        &mut self.values[at]
    }

    /// The value of a key; if it has none, it gets the default.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert(key, V::default())
    }

    fn insert_at(&mut self, at: usize, key: K, value: V) {
        growing::insert(&mut self.keys, at, key);
        growing::insert(&mut self.values, at, value);
    }

    /// Removes a key. Returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let at = position(&self.keys, key).ok()?;
        self.keys.remove(at);
        Some(self.values.remove(at))
    }

    /// The entries from a key on, in order.
    pub fn starting_at(&self, key: &K) -> Zip<slice::Iter<'_, K>, slice::Iter<'_, V>> {
        let (Ok(at) | Err(at)) = place(&self.keys, key);
        self.keys[at..].iter().zip(&self.values[at..])
    }

    /// Takes out the entries from a key on.
    #[must_use]
    pub fn split_off(&mut self, key: &K) -> Self {
        let (Ok(at) | Err(at)) = place(&self.keys, key);
        Self { keys: self.keys.split_off(at), values: self.values.split_off(at) }
    }

    /// Puts what was appended to the first `sorted` entries into its places. Of equal keys, the last one holds.
    fn sort_from(&mut self, sorted: usize) {
        let Some(Order { start, positions, len }) = Order::of(&self.keys, sorted) else { return };
        put_in_order(&mut self.keys[start..], positions.clone());
        self.keys.truncate(len);
        put_in_order(&mut self.values[start..], positions);
        self.values.truncate(len);
    }
}

/// How to sort the entries from `start` on.
struct Order {
    start: usize,
    /// Their positions from there in sorted order, and then those of which a later one has the same key.
    positions: Vec<usize>,
    /// How many entries there are then.
    len: usize,
}

impl Order {
    /// `None` if the keys are in order. The first `sorted` ones are.
    fn of<K: Ord>(keys: &[K], sorted: usize) -> Option<Self> {
        let appended = (sorted.max(1)..keys.len()).find(|at| keys[at - 1] >= keys[*at])?;
        let lowest = keys[appended..].iter().min()?;
        let (Ok(start) | Err(start)) = position(&keys[..appended], lowest);
        let keys = &keys[start..];
        let mut positions = order_of(keys.len(), &mut |a, b| keys[a].cmp(&keys[b]));
        let mut repeated = Vec::new();
        for next in (1..positions.len()).rev() {
            if keys[positions[next - 1]] == keys[positions[next]] {
                repeated.push(positions[next - 1]);
                positions[next - 1] = positions[next];
            }
        }
        positions.dedup();
        let len = start + positions.len();
        positions.append(&mut repeated);
        Some(Self { start, positions, len })
    }
}

/// The position of a key, or else where it belongs.
fn position<K: Ord + Borrow<Q>, Q: Ord + ?Sized>(keys: &[K], key: &Q) -> Result<usize, usize> {
    keys.binary_search_by(|there| there.borrow().cmp(key))
}

/// The same for a key that probably comes behind all others.
fn place<K: Ord>(keys: &[K], key: &K) -> Result<usize, usize> {
    match keys.last() {
        Some(last) if last >= key => position(keys, key),
        _ => Err(keys.len()),
    }
}

fn keep<T>(list: &mut Vec<T>, staying: &[bool]) {
    let mut staying = staying.iter();
    list.retain(|_| staying.next() == Some(&true));
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        let sorted = self.len();
        for (key, value) in entries {
            growing::append(&mut self.keys, key);
            growing::append(&mut self.values, value);
        }
        self.sort_from(sorted);
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = Zip<vec::IntoIter<K>, vec::IntoIter<V>>;

    fn into_iter(self) -> Self::IntoIter {
        self.keys.into_iter().zip(self.values)
    }
}

impl<'m, K, V> IntoIterator for &'m SortedMap<K, V> {
    type Item = (&'m K, &'m V);
    type IntoIter = Zip<slice::Iter<'m, K>, slice::Iter<'m, V>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self)
    }
}

/// A set in order.
#[derive(Clone, PartialEq, Eq)]
pub struct SortedSet<T>(SortedMap<T, ()>);

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> SortedSet<T> {
    /// An empty set.
    pub const fn new() -> Self {
        Self(SortedMap::new())
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The entries, in order.
    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.0.keys()
    }

    /// Keeps the entries that `stays` accepts.
    pub fn retain(&mut self, mut stays: impl FnMut(&T) -> bool) {
        self.0.retain(|entry, ()| stays(entry));
    }
}

impl<T: Ord> SortedSet<T> {
    /// Whether it has this entry.
    pub fn contains<Q: Ord + ?Sized>(&self, entry: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(entry)
    }

    /// Adds an entry. Returns whether it is new.
    pub fn insert(&mut self, entry: T) -> bool {
        self.0.insert(entry, ()).is_none()
    }

    /// Removes an entry. Returns whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, entry: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.remove(entry).is_some()
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().map(|entry| (entry, ())));
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        let mut set = Self::new();
        set.extend(entries);
        set
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.keys.into_iter()
    }
}

impl<'s, T> IntoIterator for &'s SortedSet<T> {
    type Item = &'s T;
    type IntoIter = slice::Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    /// What can be done with a map, with keys as texts, so that a look-up by a borrowed key is tried, too.
    #[derive(Debug, Clone)]
    enum Step {
        Insert(u8, u32),
        OrInsert(u8, u32),
        Change(u8),
        Remove(u8),
        PopFirst,
        Extend(Vec<(u8, u32)>),
        Retain(u32),
        SplitOff(u8),
        Clear,
    }

    fn step() -> impl Strategy<Value = Step> {
        let entries = prop::collection::vec((any::<u8>(), any::<u32>()), 0..60);
        let rising = entries.clone().prop_map(|mut entries| {
            entries.sort_unstable();
            entries
        });
        prop_oneof![
            8 => (any::<u8>(), any::<u32>()).prop_map(|(key, value)| Step::Insert(key, value)),
            4 => (any::<u8>(), any::<u32>()).prop_map(|(key, value)| Step::OrInsert(key, value)),
            2 => any::<u8>().prop_map(Step::Change),
            6 => any::<u8>().prop_map(Step::Remove),
            2 => Just(Step::PopFirst),
            3 => entries.prop_map(Step::Extend),
            2 => rising.prop_map(Step::Extend),
            2 => (1u32..4).prop_map(Step::Retain),
            1 => any::<u8>().prop_map(Step::SplitOff),
            1 => Just(Step::Clear),
        ]
    }

    fn key(n: u8) -> String {
        n.to_string()
    }

    proptest! {
        #[test]
        fn a_map_is_like_the_standard_librarys(steps in prop::collection::vec(step(), 0..40)) {
            let (mut ours, mut standard) = (SortedMap::new(), BTreeMap::new());
            for step in steps {
                match step {
                    Step::Insert(n, value) => prop_assert_eq!(ours.insert(key(n), value), standard.insert(key(n), value)),
                    Step::OrInsert(n, value) => {
                        *ours.or_insert(key(n), value) ^= 1;
                        *standard.entry(key(n)).or_insert(value) ^= 1;
                        *ours.or_default(key(n)) ^= 2;
                        *standard.entry(key(n)).or_default() ^= 2;
                    }
                    Step::Change(n) => {
                        prop_assert_eq!(ours.get_mut(key(n).as_str()), standard.get_mut(key(n).as_str()));
                        for (ours, standard) in ours.values_mut().zip(standard.values_mut()) {
                            *ours /= 2;
                            *standard /= 2;
                        }
                    }
                    Step::Remove(n) => prop_assert_eq!(ours.remove(key(n).as_str()), standard.remove(key(n).as_str())),
                    Step::PopFirst => prop_assert_eq!(ours.pop_first(), standard.pop_first()),
                    Step::Extend(entries) => {
                        ours.extend(entries.iter().map(|(n, value)| (key(*n), *value)));
                        standard.extend(entries.iter().map(|(n, value)| (key(*n), *value)));
                    }
                    Step::Retain(by) => {
                        ours.retain(|_, value| *value % by == 0);
                        standard.retain(|_, value| *value % by == 0);
                    }
                    Step::SplitOff(n) => {
                        let (behind, expected) = (ours.split_off(&key(n)), standard.split_off(&key(n)));
                        prop_assert!(behind.iter().eq(&expected));
                    }
                    Step::Clear => {
                        ours.clear();
                        standard.clear();
                    }
                }
                prop_assert!(ours.iter().eq(&standard) && (&ours).into_iter().rev().eq(standard.iter().rev()));
                prop_assert!(ours.keys().eq(standard.keys()) && ours.values().eq(standard.values()));
                prop_assert_eq!((ours.len(), ours.is_empty()), (standard.len(), standard.is_empty()));
                for n in 0..=u8::MAX {
                    prop_assert_eq!(ours.get(key(n).as_str()), standard.get(key(n).as_str()));
                    prop_assert_eq!(ours.contains_key(&key(n)), standard.contains_key(&key(n)));
                    prop_assert!(ours.starting_at(&key(n)).eq(standard.range(key(n)..)));
                }
            }
            prop_assert_eq!(format!("{ours:?}"), format!("{standard:?}"));
            prop_assert_eq!(serde_json::to_string(&ours).unwrap(), serde_json::to_string(&standard).unwrap());
            prop_assert!(ours.clone().into_values().eq(standard.clone().into_values()));
            let again: SortedMap<String, u32> = standard.clone().into_iter().rev().collect();
            prop_assert_eq!(&again, &ours);
            prop_assert!(ours.into_iter().eq(standard));
        }

        #[test]
        fn a_set_is_like_the_standard_librarys(steps in prop::collection::vec(step(), 0..40)) {
            let (mut ours, mut standard) = (SortedSet::new(), BTreeSet::new());
            for step in steps {
                match step {
                    Step::Insert(n, _) | Step::OrInsert(n, _) => prop_assert_eq!(ours.insert(n), standard.insert(n)),
                    Step::Remove(n) | Step::Change(n) | Step::SplitOff(n) => prop_assert_eq!(ours.remove(&n), standard.remove(&n)),
                    Step::Extend(entries) => {
                        ours.extend(entries.iter().map(|(n, _)| *n));
                        standard.extend(entries.iter().map(|(n, _)| *n));
                    }
                    Step::Retain(by) => {
                        ours.retain(|n| u32::from(*n) % by == 0);
                        standard.retain(|n| u32::from(*n) % by == 0);
                    }
                    Step::PopFirst | Step::Clear => {
                        ours.clear();
                        standard.clear();
                    }
                }
                prop_assert!(ours.iter().eq(&standard) && (&ours).into_iter().eq(&standard));
                prop_assert_eq!((ours.len(), ours.is_empty()), (standard.len(), standard.is_empty()));
                prop_assert!((0..=u8::MAX).all(|n| ours.contains(&n) == standard.contains(&n)));
            }
            prop_assert_eq!(format!("{ours:?}"), format!("{standard:?}"));
            let again: SortedSet<u8> = standard.iter().rev().copied().collect();
            prop_assert_eq!(&again, &ours);
            prop_assert!(ours.into_iter().eq(standard));
        }
    }
}
