use super::sightings::{Sighting, Sightings};
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};
use crate::sorted::SortedMap;

/// Literal facts, sorted by text. All texts are in one string, because there may be tens of thousands and they are copied together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Literals {
    text: String,
    /// For each fact, the end of its text and what is known about it.
    list: Vec<(u32, Sighting)>,
    /// The fields that held ids. Few facts have one.
    fields: SortedMap<String, String>,
}

impl Literals {
    /// The number of facts.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The name of the field that held a fact.
    pub fn field(&self, text: &str) -> Option<&str> {
        self.fields.get(text).map(String::as_str)
    }

    /// All facts, sorted by text.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Sighting)> {
        let mut start = 0;
        self.list.iter().map(move |(end, sighting)| {
            let text = &self.text[start..*end as usize];
            start = *end as usize;
            (text, sighting)
        })
    }

    /// Adds facts that were seen after all those that are here.
    pub fn add(&mut self, sightings: &Sightings<'_>) {
        let (count, bytes) =
            sightings.iter().fold((0, 0), |(n, bytes), (_, text, _)| (n + 1, bytes + text.len()));
        let room = Self {
            text: String::with_capacity(self.text.len() + bytes),
            list: Vec::with_capacity(self.len() + count),
            fields: std::mem::take(&mut self.fields),
        };
        let before = std::mem::replace(self, room);
        let mut before = before.iter().peekable();
        for (number, text, new) in sightings.iter() {
            if let Some(field) = sightings.field(number).filter(|_| self.field(text).is_none()) {
                self.fields.insert(text.to_owned(), field.to_owned());
            }
            while let Some((other, sighting)) = before.next_if(|(other, _)| *other < text) {
                self.push(other, *sighting);
            }
            let known = before.next_if(|(other, _)| *other == text);
            self.push(text, known.map_or(*new, |(_, sighting)| sighting.and_then(*new)));
        }
        for (text, sighting) in before {
            self.push(text, *sighting);
        }
    }

    fn push(&mut self, text: &str, sighting: Sighting) {
        self.text.push_str(text);
        self.list.push((self.text.len() as u32, sighting));
    }
}

/// Saved as a map from text to `Sighting`, and the fields.
impl Saved for Literals {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.count(self.len());
        for (text, sighting) in self.iter() {
            out.string(text);
            sighting.save(out);
        }
        self.fields.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let sorted: SortedMap<String, Sighting> = Saved::load(from)?;
        let mut literals = Self { fields: Saved::load(from)?, ..Self::default() };
        for (text, sighting) in sorted.iter().filter(|(text, _)| !text.is_empty()) {
            literals.push(text, *sighting);
        }
        Ok(literals)
    }
}
