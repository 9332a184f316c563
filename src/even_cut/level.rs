//! How much of a long text is kept.

/// How many tokens a cut text keeps. One figure applies to the whole view; the figure for each kind of text is derived from
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u64);

/// Roughly how many tokens a mark takes.
const MARK: u64 = 12;

impl Level {
    /// The smallest level: fewer tokens of a text say next to nothing. `docs/measured.md` has results for smaller ones.
    pub const LEAST: Self = Self(24);

    /// The largest level: if there is room for more, it is used for whole steps instead.
    pub const MOST: Self = Self(400);

    /// A level of this many tokens for each tool output and each string in a call's arguments, but at least [`Self::LEAST`].
    pub const fn of(tokens: u64) -> Self {
        if tokens < Self::LEAST.0 { Self::LEAST } else { Self(tokens) }
    }

    /// The level in tokens.
    pub const fn tokens(self) -> u64 {
        self.0
    }

    /// The level for texts that say more in fewer words: they keep `times` as many tokens.
    #[must_use]
    pub const fn times(self, times: u64) -> Self {
        Self(self.0 * times)
    }

    /// Whether a text of this many tokens stays whole. A text slightly above the level does, since a mark takes tokens too.
    pub const fn keeps_whole(self, tokens: u64) -> bool {
        tokens <= self.0 + self.0 / 4 + MARK
    }

    /// Roughly how many tokens a text of this size takes once it is cut, without the names that its mark lists.
    pub const fn size_of(self, tokens: u64) -> u64 {
        if self.keeps_whole(tokens) { tokens } else { self.0 + MARK }
    }
}
