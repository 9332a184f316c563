use crate::saved::saved;

/// How certain it is that a sentence sets a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// It contains one of the words, but hardly as a rule ("I don't know", "is this only for tests?").
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

/// The classification of a sentence that may set a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RuleClass {
    pub strength: Strength,
    /// It contains a word for never, always, must, not or only, or revokes a rule.
    pub explicit: bool,
}
