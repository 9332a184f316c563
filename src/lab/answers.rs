use crate::message::{Message, Role};

/// Where an answer begins, and where the messages begin that are pushed before its call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub pushed: usize,
    pub begin: usize,
    /// After its last message.
    pub end: usize,
}

/// The answers of a transcript. Each is a run of assistant messages.
pub(super) fn answers(messages: &[Message]) -> impl Iterator<Item = Answer> {
    let is_answer = |at: usize| messages.get(at).is_some_and(|m| m.role == Role::Assistant);
    let begins = (0..messages.len()).filter(move |at| is_answer(*at) && (*at == 0 || !is_answer(at - 1)));
    let mut pushed = 0;
    begins.map(move |begin| {
        let end = (begin..messages.len()).find(|at| !is_answer(*at)).unwrap_or(messages.len());
        Answer { pushed: std::mem::replace(&mut pushed, begin), begin, end }
    })
}
