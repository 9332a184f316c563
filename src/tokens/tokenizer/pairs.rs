//! Maps two tokens to the token they make: an open hash table of fixed size.

use bpe::MAX_IDS;

/// A slot holds an id in its low bits and bits of the hash above. 0 is an empty slot, because id 0 is a single byte.
pub struct Pairs {
    slots: Vec<u32>,
    shift: u32,
}

const ID: u32 = MAX_IDS as u32 - 1;

impl Pairs {
    /// A table with room for `pairs` pairs.
    pub fn new(pairs: usize) -> Self {
        let pairs = pairs.min(MAX_IDS);
        let slots = (pairs + pairs / 2 + 16).next_power_of_two();
        Self { slots: vec![0; slots], shift: 64 - slots.trailing_zeros() }
    }

    #[inline]
    pub fn insert(&mut self, left: u32, right: u32, id: u32) {
        let hash = hash(left, right);
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = fingerprint(hash) | id;
    }

    /// The token that these two make. `parts` lists the two parts of each token.
    #[inline]
    pub fn get(&self, left: u32, right: u32, parts: &[[u32; 2]]) -> Option<u32> {
        let hash = hash(left, right);
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            let id = slot & ID;
            if slot & !ID == fingerprint(hash) && parts.get(id as usize) == Some(&[left, right]) {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }
}

#[inline]
const fn hash(left: u32, right: u32) -> u64 {
    ((left as u64) << 32 | right as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[inline]
const fn fingerprint(hash: u64) -> u32 {
    (hash >> 14) as u32 & !ID
}
