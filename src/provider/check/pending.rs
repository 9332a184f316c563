use crate::message::Role;

/// Where the last step begins, of entries of these roles: the assistant's at the end, and the outputs that came so far.
/// Calls from there on may still be running; the list's length where something else stands at its end.
pub(in crate::provider) fn last_step(roles: &[Role]) -> usize {
    let outputs = roles.iter().rev().take_while(|role| **role == Role::Tool).count();
    let asks = roles.iter().rev().skip(outputs).take_while(|role| **role == Role::Assistant).count();
    if asks == 0 { roles.len() } else { roles.len() - outputs - asks }
}
