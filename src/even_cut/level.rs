//! How much of a text stands.

/// How many tokens of a text stand: one figure for all that is cut, from which that of each kind of text follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u64);

/// A mark takes about so many tokens itself.
const MARK: u64 = 12;

impl Level {
    /// The smallest: a text of fewer tokens tells next to nothing. docs/measured.md says what smaller ones gave.
    pub const LEAST: Self = Self(24);

    /// The largest: where there is more room, it is for whole steps.
    pub const MOST: Self = Self(400);

    /// So many tokens of each tool output, and of each string in a call's arguments; never less than the smallest level.
    pub const fn of(tokens: u64) -> Self {
        if tokens < Self::LEAST.0 { Self::LEAST } else { Self(tokens) }
    }

    /// Its tokens.
    pub const fn tokens(self) -> u64 {
        self.0
    }

    /// The level of texts that say more in fewer words: so many times as much of them stands.
    #[must_use]
    pub const fn times(self, times: u64) -> Self {
        Self(self.0 * times)
    }

    /// Whether a text of so many tokens stays whole: one that is only a little longer does, for a mark takes some itself.
    pub const fn spares(self, tokens: u64) -> bool {
        tokens <= self.0 + self.0 / 4 + MARK
    }

    /// About what a text of so many tokens takes when it is cut, names that its mark tells aside.
    pub const fn size_of(self, tokens: u64) -> u64 {
        if self.spares(tokens) { tokens } else { self.0 + MARK }
    }
}
