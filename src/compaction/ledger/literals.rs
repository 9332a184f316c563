use super::sightings::{Sighting, Sightings};
use crate::error::Result;
use crate::facts::FieldNames;
use crate::saved::{Reader, Saved, Writer};
use crate::sorted::SortedMap;

/// Literal facts, sorted by text. All texts are in one string, because there may be tens of thousands and they are copied together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Literals {
    text: String,
    /// For each fact, the end of its text and what is known about it.
    list: Vec<(u32, Sighting)>,
    /// The fields that held ids: by the ids' places in the list, the number of the field's name.
    fields: SortedMap<u32, u32>,
    field_names: FieldNames,
}

impl Literals {
    /// The number of facts.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// All facts, sorted by text, with the names of the fields that held them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Sighting, Option<&str>)> {
        let mut start = 0;
        let mut fields = self.fields.iter().peekable();
        self.list.iter().zip(0..).map(move |((end, sighting), at)| {
            let text = &self.text[start..*end as usize];
            start = *end as usize;
            let field = fields.next_if(|(place, _)| **place == at);
            (text, sighting, field.map(|(_, number)| self.field_names.name(*number)))
        })
    }

    /// Adds facts that were seen after all those that are here.
    pub fn add(&mut self, sightings: &Sightings<'_>) {
        let (count, bytes) =
            sightings.iter().fold((0, 0), |(n, bytes), (_, text, _)| (n + 1, bytes + text.len()));
        let room = Self {
            text: String::with_capacity(self.text.len() + bytes),
            list: Vec::with_capacity(self.len() + count),
            ..Self::default()
        };
        let before = std::mem::replace(self, room);
        let mut before = before.iter().peekable();
        for (number, text, new) in sightings.iter() {
            while let Some((other, sighting, field)) = before.next_if(|(other, ..)| *other < text) {
                self.push(other, *sighting, field);
            }
            let known = before.next_if(|(other, ..)| *other == text);
            let field = known.and_then(|(.., field)| field).or_else(|| sightings.field(number));
            self.push(text, known.map_or(*new, |(_, sighting, _)| sighting.and_then(*new)), field);
        }
        for (text, sighting, field) in before {
            self.push(text, *sighting, field);
        }
    }

    fn push(&mut self, text: &str, sighting: Sighting, field: Option<&str>) {
        if let Some(field) = field {
            self.fields.insert(self.list.len() as u32, self.field_names.number(field));
        }
        self.text.push_str(text);
        self.list.push((self.text.len() as u32, sighting));
    }
}

/// Saved as a map from text to `Sighting`, and one from text to field.
impl Saved for Literals {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.count(self.len());
        for (text, sighting, _) in self.iter() {
            out.string(text);
            sighting.save(out);
        }
        out.count(self.fields.len());
        for (text, field) in self.iter().filter_map(|(text, _, field)| Some((text, field?))) {
            out.string(text);
            out.string(field);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let sorted: SortedMap<String, Sighting> = Saved::load(from)?;
        let fields: SortedMap<String, String> = Saved::load(from)?;
        let mut literals = Self::default();
        for (text, sighting) in sorted.iter().filter(|(text, _)| !text.is_empty()) {
            literals.push(text, *sighting, fields.get(text).map(String::as_str));
        }
        Ok(literals)
    }
}
