use super::literals::Seen;
use crate::facts::Names;

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
