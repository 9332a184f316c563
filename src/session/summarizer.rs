/// Whether the host has a callback that writes summaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Summarizer {
    /// The host did not say. It may answer requests itself.
    #[default]
    Unknown,
    /// The host has no callback.
    None,
    /// The host has a callback.
    Given,
    /// The saved session had a callback, and it was not given again.
    Missing,
}

impl Summarizer {
    /// Whether there is a callback, or was one when the session was saved.
    pub const fn was_given(self) -> bool {
        matches!(self, Self::Given | Self::Missing)
    }
}
