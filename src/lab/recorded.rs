use super::answers::answers;
use super::run::{RecordedRun, SimulatedCall, cache_hit_ratio};
use crate::error::Result;
use crate::message::Message;
use crate::model::{Costs, Price};
use crate::session::Session;

/// The figures of a transcript as it was recorded, counted once. Making them also checks that a session accepts all
/// messages.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    /// Tokens of the whole transcript.
    pub tokens: u64,
    /// Tokens of each call's answer.
    pub outputs: Vec<u64>,
    calls: Vec<SimulatedCall>,
}

impl Recorded {
    /// Pushes all messages through `session`, which must not trim or enforce anything.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` if a message is refused.
    pub fn of(mut session: Session, messages: &[Message]) -> Result<Self> {
        let (mut calls, mut outputs) = (Vec::<SimulatedCall>::new(), Vec::new());
        let mut pushed = 0;
        for answer in answers(messages) {
            push(&mut session, messages, &mut pushed, answer.begin)?;
            let tokens = session.tokens();
            let is_call = !session.context().view.is_empty();
            let parts = session.context().part_reports();
            push(&mut session, messages, &mut pushed, answer.end)?;
            if is_call {
                let output_tokens = session.tokens() - tokens;
                let cached_tokens = calls.last().map_or(0, |before| before.tokens);
                let call = SimulatedCall::of(tokens, cached_tokens, parts, Vec::new());
                calls.push(SimulatedCall { output_tokens, ..call });
                outputs.push(output_tokens);
            }
        }
        push(&mut session, messages, &mut pushed, messages.len())?;
        Ok(Self { tokens: session.tokens(), outputs, calls })
    }

    /// The recorded run at this price.
    pub fn at(&self, price: Option<&Price>) -> RecordedRun {
        let mut calls = self.calls.clone();
        let costs = price.map(|price| {
            let mut costs = Costs::default();
            for call in &mut calls {
                costs += call.charge(price);
            }
            costs
        });
        RecordedRun {
            tokens_total: calls.iter().map(|c| c.tokens).sum(),
            tokens_largest: calls.iter().map(|c| c.tokens).max().unwrap_or(0),
            output_tokens: self.outputs.iter().sum(),
            cache_hit_ratio: cache_hit_ratio(&calls),
            cost: costs.map(|c| c.total()),
            costs,
            calls,
        }
    }
}

fn push(session: &mut Session, messages: &[Message], pushed: &mut usize, until: usize) -> Result<()> {
    let from = std::mem::replace(pushed, until);
    session.push(messages[from..until].to_vec()).map(|_| ())
}
