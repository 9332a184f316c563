use crate::provider::Overflow;
use crate::saved::saved;

/// The refusals since the model last answered.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Refusals {
    pub tries: u32,
    /// The tokens of the view that was refused last, as we counted them and as the provider did.
    pub refused: Option<(u64, u64)>,
    /// The number of the model's answers in the history at the refusal.
    pub answers: usize,
    /// What the provider said last, for the report of the run that follows.
    pub said: Option<Overflow>,
    /// Our count and the provider's, if they cannot be of the same request; until a report tells it.
    pub unlike: Option<(u64, u64)>,
}

saved!(struct Refusals { tries, refused, answers } fresh { said: None, unlike: None });

impl Refusals {
    /// A notice for the report that a count of the provider's was not learnt.
    pub fn take_notice(&mut self) -> Option<String> {
        let (counted, actual) = self.unlike.take()?;
        Some(format!(
            "the provider counted {actual} tokens in the rejected request, and we count {counted}: the difference is too large to correct later counts by it; perhaps the error is about another request, or the request has parts that the session does not know"
        ))
    }

    /// Why a fold was due, in the provider's figures.
    pub fn why(&self) -> String {
        let said = self.said.unwrap_or_default();
        match (said.actual, said.limit) {
            (Some(actual), Some(limit)) => {
                format!("the provider rejected the request: it has {actual} tokens and the limit is {limit}")
            }
            (None, Some(limit)) => {
                format!("the provider rejected the request as too long: the limit is {limit} tokens")
            }
            (Some(actual), None) => {
                format!("the provider rejected the request as too long: it has {actual} tokens")
            }
            (None, None) => "the provider rejected the request as too long".to_owned(),
        }
    }
}
