/// Options of the extractive summariser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractiveOptions {
    /// The most tokens that the summary may have, including its tags.
    pub max_tokens: u64,
    /// Whether the summary contains the refs of tool outputs.
    pub refs: bool,
    /// A ledger follows, which tells requests, rules, open work, commands and names word for word: the summary leaves them to it.
    pub beside_ledger: bool,
}

impl Default for ExtractiveOptions {
    fn default() -> Self {
        Self { max_tokens: 2000, refs: true, beside_ledger: false }
    }
}
