use crate::message::Role;

/// The start of the last step in a list with these roles: the assistant messages at the end, with the outputs so far.
/// Calls from there on may still be running. The length of the list if it ends with anything else.
pub(in crate::provider) fn last_step(roles: &[Role]) -> usize {
    let outputs = roles.iter().rev().take_while(|role| **role == Role::Tool).count();
    let asks = roles.iter().rev().skip(outputs).take_while(|role| **role == Role::Assistant).count();
    if asks == 0 { roles.len() } else { roles.len() - outputs - asks }
}
