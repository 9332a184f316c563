use std::collections::BTreeMap;

use super::sights::{Seen, Sights};
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

/// Literal facts, sorted by text. All texts are in one string, because there may be tens of thousands and they are copied together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Literals {
    text: String,
    /// For each fact, the end of its text and what is known about it.
    list: Vec<(u32, Seen)>,
}

impl Literals {
    /// The number of facts.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All facts, sorted by text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Seen)> {
        let mut start = 0;
        self.list.iter().map(move |(end, seen)| {
            let text = &self.text[start..*end as usize];
            start = *end as usize;
            (text, seen)
        })
    }

    /// Adds facts that were seen after all those that are here.
    pub fn see(&mut self, sights: &Sights<'_>) {
        let (count, bytes) =
            sights.iter().fold((0, 0), |(n, bytes), (_, text, _)| (n + 1, bytes + text.len()));
        let room = Self {
            text: String::with_capacity(self.text.len() + bytes),
            list: Vec::with_capacity(self.len() + count),
        };
        let before = std::mem::replace(self, room);
        let mut before = before.iter().peekable();
        for (_, text, new) in sights.iter() {
            while let Some((other, seen)) = before.next_if(|(other, _)| *other < text) {
                self.push(other, *seen);
            }
            let known = before.next_if(|(other, _)| *other == text);
            self.push(text, known.map_or(*new, |(_, seen)| seen.and_then(*new)));
        }
        for (text, seen) in before {
            self.push(text, *seen);
        }
    }

    fn push(&mut self, text: &str, seen: Seen) {
        self.text.push_str(text);
        self.list.push((self.text.len() as u32, seen));
    }
}

/// Saved as a map from text to `Seen`.
impl Saved for Literals {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.count(self.len());
        for (text, seen) in self.iter() {
            out.string(text);
            seen.save(out);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let sorted: BTreeMap<String, Seen> = Saved::load(from)?;
        let mut literals = Self::default();
        for (text, seen) in sorted.iter().filter(|(text, _)| !text.is_empty()) {
            literals.push(text, *seen);
        }
        Ok(literals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{LiteralKind, Names};

    #[test]
    fn what_is_seen_again_stands_once() {
        let mut names = Names::default();
        let [b, d, a, e] = ["b", "d", "a", "e"].map(|text| names.number(text, LiteralKind::Path));
        names.index();
        let mut all = Literals::default();
        for (at, numbers) in [(1, vec![b, d]), (2, vec![a, d, e]), (3, Vec::new())] {
            let mut sights = Sights::of(&names);
            for number in numbers {
                sights.again(number, at, false, false);
            }
            all.see(&sights);
        }
        let told: Vec<_> = all.iter().map(|(text, seen)| (text, seen.count, seen.last)).collect();
        assert_eq!(told, [("a", 1, 2), ("b", 1, 1), ("d", 2, 2), ("e", 1, 2)]);
    }
}
