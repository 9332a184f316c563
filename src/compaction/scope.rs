/// How far a request for a summary has been made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequestScope {
    /// The whole view, as the specification asks. The provider's prompt cache covers most of it.
    Whole,
    /// The view up to the last folded message. The prompt cache covers that, too.
    Beginning,
    /// Only the folded messages.
    FoldedOnly,
    /// Only the folded messages, with placeholders for tool outputs.
    NoOutputs,
}

impl RequestScope {
    /// The next smaller size.
    pub const fn smaller(self) -> Option<Self> {
        match self {
            Self::Whole => Some(Self::Beginning),
            Self::Beginning => Some(Self::FoldedOnly),
            Self::FoldedOnly => Some(Self::NoOutputs),
            Self::NoOutputs => None,
        }
    }
}
