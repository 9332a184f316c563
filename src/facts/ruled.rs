use crate::saved::saved;

/// How surely a sentence lays down a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// It holds one of the words, though hardly as a rule ("I don't know", "is this only for tests?").
    Mention,
    /// A wish: "make sure", "prefer", "avoid", "only".
    Wish,
    /// A rule: "never", "always", "must", "do not".
    Rule,
}

saved!(
    enum Strength {
        Mention,
        Wish,
        Rule,
    }
);

/// What a sentence is that lays down a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ruled {
    pub strength: Strength,
    /// By a word for never, always, must, not or only, or it takes back what one said.
    pub explicit: bool,
}
