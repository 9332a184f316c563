//! Matches outputs with calls if the API assigns no ids, or a caller does not return them.

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

/// The id that we assign to a call without one: its name, with a number from the second call of that name on.
pub(super) fn made_id<'v>(named: &mut Vec<&'v str>, name: &'v str) -> String {
    named.push(name);
    match named.iter().filter(|other| **other == name).count() {
        1 => name.to_owned(),
        nth => format!("{name}--{nth}"),
    }
}
