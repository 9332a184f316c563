use crate::facts::{LiteralKind, Names};
use crate::saved::saved;

/// Where and how often a literal fact was seen. Small, because there is one for every fact of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub kind: LiteralKind,
    pub count: u32,
    /// The number of the last message that contains it.
    pub last: u32,
    /// Somebody mentioned it or acted on it; it did not only occur in an output.
    pub used: bool,
    /// The number of the last stored output that contains it.
    pub output: Option<u32>,
}

saved!(struct Seen { kind, count, last, used, output });

impl Seen {
    /// Combines this with later sightings.
    pub fn and_then(self, later: Self) -> Self {
        Self {
            count: self.count.saturating_add(later.count),
            last: later.last,
            used: self.used | later.used,
            output: later.output.or(self.output),
            ..self
        }
    }
}

/// Collects the sightings of literal facts while messages are read, by the facts' numbers, without copying their texts.
pub(super) struct Sights<'a> {
    names: &'a Names,
    /// One entry per fact; facts that were not seen have count 0.
    seen: Vec<Seen>,
}

impl<'a> Sights<'a> {
    /// No sightings yet of these facts, which must be settled.
    pub fn of(names: &'a Names) -> Self {
        let seen = names.kinds().iter().map(|kind| Seen {
            kind: *kind,
            count: 0,
            last: 0,
            used: false,
            output: None,
        });
        Self { names, seen: seen.collect() }
    }

    /// The facts.
    pub fn names(&self) -> &'a Names {
        self.names
    }

    /// Records a sighting in message number `at`. `used`: somebody said or did it; `output`: the message is an output that can be read
    /// again.
    pub fn again(&mut self, fact: u32, at: u32, used: bool, output: bool) {
        let seen = &mut self.seen[fact as usize];
        seen.count = seen.count.saturating_add(1);
        seen.last = at;
        seen.used |= used;
        if output {
            seen.output = Some(at);
        }
    }

    /// The facts that were seen, sorted by text, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &'a str, &Seen)> {
        let each = self.names.sorted().iter().map(|number| (*number, &self.seen[*number as usize]));
        each.filter(|(_, seen)| seen.count > 0).map(|(number, seen)| (number, self.names.text(number), seen))
    }
}
