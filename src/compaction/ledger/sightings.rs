use crate::facts::{LiteralKind, Names};
use crate::hashing::HashMap;
use crate::saved::saved;

/// Where and how often a literal fact was seen. Small, because there is one for every fact of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sighting {
    pub kind: LiteralKind,
    pub count: u32,
    /// How often somebody mentioned it or acted on it, so that it did not only occur in an output.
    pub uses: u32,
    /// The number of the last message that contains it.
    pub last: u32,
    /// The number of the last stored output that contains it.
    pub output: Option<u32>,
}

saved!(struct Sighting { kind, count, uses, last, output });

impl Sighting {
    /// Combines this with later sightings.
    pub fn and_then(self, later: Self) -> Self {
        Self {
            count: self.count.saturating_add(later.count),
            last: later.last,
            uses: self.uses.saturating_add(later.uses),
            output: later.output.or(self.output),
            ..self
        }
    }
}

/// Collects the sightings of literal facts while messages are read, by the facts' numbers, without copying their texts.
pub(super) struct Sightings<'a> {
    names: &'a Names,
    /// One entry per fact; facts that were not seen have count 0.
    list: Vec<Sighting>,
    /// The fields that held ids first, by the ids' numbers.
    fields: HashMap<u32, &'a str>,
}

impl<'a> Sightings<'a> {
    /// No sightings yet of these facts, which must be indexed.
    pub fn of(names: &'a Names) -> Self {
        let list = names.kinds().iter().map(|kind| Sighting {
            kind: *kind,
            count: 0,
            last: 0,
            uses: 0,
            output: None,
        });
        Self { names, list: list.collect(), fields: HashMap::default() }
    }

    /// The facts.
    pub fn names(&self) -> &'a Names {
        self.names
    }

    /// Records a sighting in message number `at`. `used`: somebody said or did it; `output`: the message is an output that can be read
    /// again.
    pub fn record(&mut self, fact: u32, at: u32, used: bool, output: bool) {
        let sighting = &mut self.list[fact as usize];
        sighting.count = sighting.count.saturating_add(1);
        sighting.last = at;
        sighting.uses = sighting.uses.saturating_add(u32::from(used));
        if output {
            sighting.output = Some(at);
        }
    }

    /// Records that a field held a fact.
    pub fn record_field(&mut self, fact: u32, field: &'a str) {
        self.fields.entry(fact).or_insert(field);
    }

    /// The name of the field that held a fact first.
    pub fn field(&self, number: u32) -> Option<&'a str> {
        self.fields.get(&number).copied()
    }

    /// The facts that were seen, sorted by text, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &'a str, &Sighting)> {
        let each = self.names.sorted().iter().map(|number| (*number, &self.list[*number as usize]));
        each.filter(|(_, sighting)| sighting.count > 0)
            .map(|(number, sighting)| (number, self.names.text(number), sighting))
    }
}
