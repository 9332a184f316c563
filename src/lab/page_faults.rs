//! Page faults: a recorded agent needs again what a view no longer shows.

use serde::Serialize;

use super::answers::Answer;
use super::run::SimulatedCall;
use crate::context::{Context, Form};
use crate::facts::{Readings, Subject};
use crate::hashing::HashMap;
use crate::message::Message;

/// An output that left the view at most this many calls of the model before it is needed again left too early.
const RECENTLY: usize = 10;

/// How often the recorded agent went back to an earlier tool output, and how often the view no longer showed that output. A
/// call goes back if it shows the same thing as an earlier call, and no call in between may have changed it; or if it changes
/// a file that was read. The replay does not show which calls a model would have made with the shorter view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PageFaults {
    /// Tool calls that went back to an earlier output.
    pub needed: u64,
    /// Those whose output was not in the view as the agent had read it: it was trimmed, cut or folded.
    pub gone: u64,
    /// Those of them whose output had left the view within the last ten model calls.
    pub gone_recently: u64,
}

/// Follows a replay, and counts its page faults. A call costs what is new in it and what the ladder changed before it.
#[derive(Debug, Default)]
pub(super) struct Needs {
    pub faults: PageFaults,
    /// Places are positions in the transcript.
    readings: Readings,
    /// The calls without an output, by id, and what they work on.
    open: Vec<(String, Subject)>,
    /// The call of the model before which the ladder last changed a message, by the message's id.
    changed: HashMap<String, usize>,
}

impl Needs {
    /// Takes up an answer's messages and those before it, and counts what the answer needs that the view does not show. `call` is
    /// the number of the model's call.
    pub fn take_up(
        &mut self,
        messages: &[Message],
        answer: &Answer,
        context: &Context,
        call: &SimulatedCall,
        at: usize,
    ) {
        for id in call.decisions.iter().flat_map(|decision| &decision.items) {
            self.changed.insert(id.as_str().to_owned(), at);
        }
        for (place, message) in messages.iter().enumerate().take(answer.begin).skip(answer.pushed) {
            for output in message.tool_outputs() {
                if let Some(open) = self.open.iter().position(|(id, _)| *id == output.call_id) {
                    let (_, subject) = self.open.swap_remove(open);
                    self.readings.show(&subject, place);
                }
            }
        }
        for tool_call in messages[answer.begin..answer.end].iter().flat_map(Message::tool_calls) {
            let subject = Subject::of(tool_call);
            let needed =
                self.readings.needed_by(&subject).filter_map(|place| messages[place].meta.id.as_deref());
            let needed: Vec<&str> = needed.collect();
            let gone: Vec<&str> = needed.iter().copied().filter(|id| !is_whole(context, id)).collect();
            let is_recent = |id: &&str| self.changed.get(*id).is_some_and(|left| at - left <= RECENTLY);
            self.faults.needed += u64::from(!needed.is_empty());
            self.faults.gone += u64::from(!gone.is_empty());
            self.faults.gone_recently += u64::from(gone.iter().any(is_recent));
            self.readings.change(&subject);
            self.open.push((tool_call.id.clone(), subject));
        }
    }
}

/// Whether the view has a message as it was read when it was new.
fn is_whole(context: &Context, id: &str) -> bool {
    let place = context.history.find(id).and_then(|node| context.view.position(node));
    place.is_some_and(|at| matches!(context.view.body()[at].form, Form::Whole | Form::Cut))
}
