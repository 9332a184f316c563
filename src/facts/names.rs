//! Literal facts by number: each is written once, however often it stands in a conversation.

use super::LiteralKind;

/// An empty place in the table.
const FREE: u32 = u32::MAX;

/// Literal facts, numbered as they came.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// All of them, one behind the other.
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
    kinds: Vec<LiteralKind>,
    /// Their numbers by hash; a power of two of places, at most three quarters of them taken.
    table: Vec<u32>,
}

impl Names {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The fact of this number.
    pub fn text(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.text[start..self.ends[at] as usize]
    }

    /// What kind it is.
    pub fn kind(&self, number: u32) -> LiteralKind {
        self.kinds[number as usize]
    }

    /// The number of a fact that is here.
    pub fn find(&self, text: &str) -> Option<u32> {
        if self.table.is_empty() {
            return None;
        }
        let number = self.table[self.place(text)];
        (number != FREE).then_some(number)
    }

    /// The number of a fact.
    pub fn number(&mut self, text: &str, kind: LiteralKind) -> u32 {
        if self.table.len() * 3 <= self.len() * 4 {
            self.grow();
        }
        let place = self.place(text);
        if self.table[place] != FREE {
            return self.table[place];
        }
        let number = self.ends.len() as u32;
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        self.kinds.push(kind);
        self.table[place] = number;
        number
    }

    /// Where a fact stands in the table, or would.
    fn place(&self, text: &str) -> usize {
        let most = self.table.len() - 1;
        let mut at = hash(text.as_bytes()) as usize & most;
        while self.table[at] != FREE && self.text(self.table[at]) != text {
            at = (at + 1) & most;
        }
        at
    }

    fn grow(&mut self) {
        self.table = vec![FREE; (self.table.len() * 2).max(16)];
        let most = self.table.len() - 1;
        for number in 0..self.len() as u32 {
            let mut at = hash(self.text(number).as_bytes()) as usize & most;
            while self.table[at] != FREE {
                at = (at + 1) & most;
            }
            self.table[at] = number;
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash.rotate_left(23) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    hash ^ (hash >> 29) ^ (hash >> 47)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_name_has_one_number(texts in prop::collection::vec("[a-c/家]{1,5}", 0..200)) {
            let mut names = Names::default();
            let numbers: Vec<u32> = texts.iter().map(|t| names.number(t, LiteralKind::Path)).collect();
            for (text, number) in texts.iter().zip(numbers) {
                prop_assert_eq!(names.text(number), text);
                prop_assert_eq!(names.find(text), Some(number));
            }
            let mut distinct = texts;
            distinct.sort();
            distinct.dedup();
            prop_assert_eq!(names.len(), distinct.len());
            prop_assert_eq!(names.find("never"), None);
        }
    }
}
