//! Which output answers which call, where the API gives no ids, or a caller sends none back.

/// A call or an output, as it stands in a content.
#[derive(Debug, Clone, Copy)]
pub(in crate::provider) struct Named<'v> {
    pub id: Option<&'v str>,
    pub name: &'v str,
}

/// For each output the place of its call: the one of its id, or else the first of its name that no other output answers.
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

/// The id that a call without one has here: its name, and which of that name in its content it is.
pub(super) fn made_id<'v>(named: &mut Vec<&'v str>, name: &'v str) -> String {
    named.push(name);
    match named.iter().filter(|other| **other == name).count() {
        1 => name.to_owned(),
        nth => format!("{name}--{nth}"),
    }
}
