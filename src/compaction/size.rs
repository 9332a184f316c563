/// How far a request has been made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// The whole view, as the specification asks: the provider's prompt cache serves most of it.
    Whole,
    /// The view up to the last message that is folded: the prompt cache serves that, too.
    Beginning,
    /// Only what is folded.
    FoldedOnly,
    /// Only what is folded, tool outputs as placeholders.
    NoOutputs,
}

impl Size {
    /// The next smaller one.
    pub const fn smaller(self) -> Option<Self> {
        match self {
            Self::Whole => Some(Self::Beginning),
            Self::Beginning => Some(Self::FoldedOnly),
            Self::FoldedOnly => Some(Self::NoOutputs),
            Self::NoOutputs => None,
        }
    }
}
