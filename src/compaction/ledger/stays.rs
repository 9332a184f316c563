use super::read::{Read, drawn};
use super::sentence;
use crate::context::{Context, NodeIndex};
use crate::facts::{Names, Needles, texts};
use crate::message::{Message, Role};

/// So many of the messages that stay are looked through for what costs little to be told twice.
const NEARBY: usize = 32;

/// What the model is shown beside a ledger, where the ledger need not say it again.
pub struct Stays<'a> {
    /// Messages whose texts are looked through.
    messages: Vec<&'a Message>,
    /// Summaries, whose texts are looked through, too; a tool's output may have had a say in them.
    summaries: Vec<&'a Message>,
    /// Messages that passes have made shorter, and may make shorter still.
    edited: Vec<&'a Message>,
    /// Messages that stand whole, by their facts.
    drawn: Option<Read<'a>>,
}

impl<'a> Stays<'a> {
    /// Messages whose texts are looked through.
    pub fn of(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            summaries: Vec::new(),
            edited: Vec::new(),
            drawn: None,
        }
    }

    /// And what summarisers wrote.
    #[must_use]
    pub fn and_summaries(self, summaries: impl IntoIterator<Item = &'a Message>) -> Self {
        Self { summaries: summaries.into_iter().collect(), ..self }
    }

    /// And messages that stand in the view shorter than they were pushed.
    #[must_use]
    pub fn and_edited(self, edited: Vec<&'a Message>) -> Self {
        Self { edited, ..self }
    }

    /// And messages that stand in the view as they were pushed.
    #[must_use]
    pub fn and_whole(self, context: &'a Context, nodes: &[NodeIndex]) -> Self {
        Self { drawn: Some(drawn(context, nodes)), ..self }
    }

    /// Literal facts by number, settled, those of the messages that stand whole among them.
    pub(super) fn names(&self) -> Option<&Names> {
        self.drawn.as_ref().map(|read| &read.facts().names)
    }

    /// Marks by number the literal facts in messages that stand whole. One that stands in a longer one stands there, too.
    pub(super) fn mark_whole(&self, names: &Names, there: &mut [bool]) {
        let Some(read) = &self.drawn else { return };
        for number in read.places().flat_map(|(_, at)| read.facts().literals(at)) {
            there[*number as usize] = true;
            for inner in names.within(*number) {
                there[*inner as usize] = true;
            }
        }
    }

    /// Calls `found` with the index of each rule that stands there, a sentence of its own, as the user's or an instruction's
    /// word: what a tool's output happens to say has not their weight, and may be trimmed at any time. In the header
    /// it may stand in a list; under a colon of the user's it may be quoted. In a summary it counts among the constraints alone: it may
    /// say of any other sentence that it no longer holds.
    pub(super) fn find_ruled(&self, rules: &[&str], mut found: impl FnMut(usize)) {
        let needles = Needles::new(rules.iter().copied());
        let mut find = |messages: Vec<&'a Message>, stands: fn(&str, &str) -> bool| {
            find_in_texts(&needles, messages.into_iter(), &mut |text, i| {
                if stands(text, rules[i]) {
                    found(i);
                }
            });
        };
        find(self.messages.clone(), sentence::stands);
        find(self.summaries.clone(), |text, rule| {
            sentence::constraints(text).is_some_and(|section| sentence::stands(section, rule))
        });
        let rule = |read: &Read<'_>, message: &Message, at| {
            read.is_users(message, at) || message.role.is_instruction()
        };
        find(self.whole(rule), sentence::stands_alone);
    }

    /// Calls `found` with the index of each text that stands there in the words of anyone but a tool.
    pub(super) fn find_said(&self, needles: &Needles<'_>, mut found: impl FnMut(usize)) {
        let whole = self.whole(|_, message, _| message.role != Role::Tool);
        find_in_texts(needles, self.written().chain(whole), &mut |_, i| found(i));
    }

    /// Calls `found` with the index of each text that stands in the words of the engine, the header or the newest messages of the
    /// user: what costs little to be told twice is not looked for in all that stays.
    pub(super) fn find_nearby(&self, needles: &Needles<'_>, mut found: impl FnMut(usize)) {
        let newest = self.whole(Read::is_users).into_iter().rev().take(NEARBY);
        find_in_texts(needles, self.written().chain(newest), &mut |_, i| found(i));
    }

    /// Those of the messages that stand whole that count.
    fn whole(&self, counts: impl Fn(&Read<'a>, &Message, usize) -> bool) -> Vec<&'a Message> {
        let Some(read) = &self.drawn else { return Vec::new() };
        read.places().filter(|(message, at)| counts(read, message, *at)).map(|(message, _)| message).collect()
    }

    /// Calls `found` with the index of each text that stands in a message that is not looked through by its facts.
    pub(super) fn find_written(&self, needles: &Needles<'_>, mut found: impl FnMut(usize)) {
        let edited = self.edited.iter().copied();
        find_in_texts(needles, self.written().chain(edited), &mut |_, i| found(i));
    }

    fn written(&self) -> impl Iterator<Item = &'a Message> {
        self.messages.iter().chain(&self.summaries).copied()
    }
}

fn find_in_texts<'m>(
    needles: &Needles<'_>,
    messages: impl Iterator<Item = &'m Message>,
    found: &mut impl FnMut(&str, usize),
) {
    if needles.is_empty() {
        return;
    }
    for message in messages {
        for text in texts(message) {
            let mut hits = Vec::new();
            needles.find(&text, |i| hits.push(i));
            hits.sort_unstable();
            hits.dedup();
            for i in hits {
                found(&text, i);
            }
        }
    }
}
