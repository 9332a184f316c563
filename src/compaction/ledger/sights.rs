use crate::facts::{LiteralKind, Names};
use crate::saved::saved;

/// Where and how often a literal fact was seen: kept small, for there is one for every fact of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub kind: LiteralKind,
    pub count: u32,
    /// The number of the message in which it was seen last.
    pub last: u32,
    /// Someone spoke of it or acted on it; it did not only stand in an output.
    pub used: bool,
    /// The number of the output in which it stood last.
    pub output: Option<u32>,
}

saved!(struct Seen { kind, count, last, used, output });

impl Seen {
    /// It was seen again, so often and there.
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

/// What is seen of the literal facts of messages while they are read, by number: each text stays where it is.
pub(super) struct Sights<'a> {
    names: &'a Names,
    /// Of all facts; those that were not seen count 0.
    seen: Vec<Seen>,
}

impl<'a> Sights<'a> {
    /// Of none so far of these facts, which are settled.
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

    /// A fact stands in the message of this number, which someone said or did, or which is an output that can be read again.
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
