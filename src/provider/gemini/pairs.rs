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
    let mut taken = vec![false; calls.len()];
    let mut found = vec![None; outputs.len()];
    for by_id in [true, false] {
        for (output, found) in outputs.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            let fits = |call: &Named<'_>| match (output.id, call.id) {
                (Some(id), Some(of_call)) => id == of_call,
                _ => !by_id && output.name == call.name,
            };
            *found = (0..calls.len()).find(|at| !taken[*at] && fits(&calls[*at]));
            if let Some(at) = *found {
                taken[at] = true;
            }
        }
    }
    found
}

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
