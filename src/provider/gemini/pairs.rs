//! Matches outputs with calls if the API assigns no ids, or a caller does not return them.

use crate::hashing::HashMap;
use crate::message::ToolCall;

/// Comes between a call's name and its number in an id that we assign.
const NUMBERED: &str = "--";

/// A call or an output in a content.
#[derive(Debug, Clone, Copy)]
pub(in crate::provider) struct Named<'v> {
    pub id: Option<&'v str>,
    pub name: &'v str,
}

/// For each output the index of its call: the one with the same id, or else the first one with the same name that has
/// no output yet.
pub(in crate::provider) fn match_outputs(calls: &[Named<'_>], outputs: &[Named<'_>]) -> Vec<Option<usize>> {
    let (mut by_id, mut by_name, mut without_id) =
        (Waiting::default(), Waiting::default(), Waiting::default());
    for (at, call) in calls.iter().enumerate().rev() {
        let own = call.id.map_or((&mut without_id, call.name), |id| (&mut by_id, id));
        for (waiting, key) in [own, (&mut by_name, call.name)] {
            waiting.entry(key).or_default().push(at);
        }
    }
    let mut taken = vec![false; calls.len()];
    let mut first = |waiting: &mut Waiting<'_>, key: &str| {
        let waiting = waiting.get_mut(key)?;
        std::iter::from_fn(|| waiting.pop()).find(|at| !std::mem::replace(&mut taken[*at], true))
    };
    let mut found: Vec<Option<usize>> = outputs.iter().map(|output| first(&mut by_id, output.id?)).collect();
    for (output, found) in outputs.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
        let waiting = if output.id.is_some() { &mut without_id } else { &mut by_name };
        *found = first(waiting, output.name);
    }
    found
}

/// The indices of calls under an id or a name, the first one last.
type Waiting<'v> = HashMap<&'v str, Vec<usize>>;

/// The names of calls without ids, each with the number of its calls.
#[derive(Default)]
pub(super) struct NamesUsed<'v>(HashMap<&'v str, usize>);

impl<'v> NamesUsed<'v> {
    /// Counts a call that has an id which we assign.
    pub fn note(&mut self, call: &'v ToolCall) {
        let rest = call.id.strip_prefix(&call.name);
        if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(NUMBERED)) {
            *self.0.entry(&call.name).or_default() += 1;
        }
    }

    /// The id that we assign to a call without one: its name, with a number from the second call of that name on.
    pub fn made_id(&mut self, name: &'v str) -> String {
        let nth = self.0.entry(name).or_default();
        *nth += 1;
        if *nth == 1 { name.to_owned() } else { format!("{name}{NUMBERED}{nth}") }
    }
}
