use super::drawn;
use super::read::Read;
use crate::context::{Context, NodeIndex};
use crate::facts::{Needles, texts};
use crate::message::Message;

/// What the model is shown beside a ledger, where the ledger need not say it again.
pub struct Stays<'a> {
    /// Messages whose texts are looked through.
    messages: Vec<&'a Message>,
    /// Messages that stand whole, by their facts.
    drawn: Option<Read<'a>>,
}

impl<'a> Stays<'a> {
    /// Messages whose texts are looked through.
    pub fn of(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        Self { messages: messages.into_iter().collect(), drawn: None }
    }

    /// And messages that stand in the view as they were pushed.
    #[must_use]
    pub fn and_whole(self, context: &'a Context, nodes: &[NodeIndex]) -> Self {
        Self { drawn: Some(drawn(context, nodes)), ..self }
    }

    /// Calls `found` with the index of each literal fact that stands there. One that stands in a longer one stands there, too.
    pub(super) fn find_literals(&self, needles: &Needles<'_>, mut found: impl FnMut(usize)) {
        if let Some(read) = &self.drawn {
            let names = &read.facts().names;
            let mut there = vec![false; names.len()];
            for (_, at) in read.places() {
                for number in read.facts().literals(at) {
                    there[*number as usize] = true;
                }
            }
            let numbers = (0..names.len() as u32).filter(|number| there[*number as usize]);
            numbers.for_each(|number| needles.find(names.text(number), &mut found));
        }
        find_in_texts(needles, self.messages.iter().copied(), &mut found);
    }

    /// Calls `found` with the index of each text that stands there.
    pub(super) fn find(&self, needles: &Needles<'_>, mut found: impl FnMut(usize)) {
        if needles.is_empty() {
            return;
        }
        let whole = self.drawn.iter().flat_map(Read::places).map(|(message, _)| message);
        find_in_texts(needles, self.messages.iter().copied().chain(whole), &mut found);
    }

    /// The same where only the engine's own words may hold them: none of them stands in a message that is as it was pushed.
    pub(super) fn find_written(&self, needles: &Needles<'_>, mut found: impl FnMut(usize)) {
        find_in_texts(needles, self.messages.iter().copied(), &mut found);
    }
}

fn find_in_texts<'m>(
    needles: &Needles<'_>,
    messages: impl Iterator<Item = &'m Message>,
    found: &mut impl FnMut(usize),
) {
    for message in messages {
        for text in texts(message) {
            needles.find(&text, &mut *found);
        }
    }
}
