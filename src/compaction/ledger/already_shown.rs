use super::message_facts::{MessageFacts, with_facts};
use crate::compaction::Redact;
use crate::context::{Context, NodeIndex, called};
use crate::facts::{Names, Notes, StatedRule, TextSet, recorded_rules, shorten, texts};
use crate::hashing::HashSet;
use crate::message::{Message, Part, Role};

/// How many of the user's newest messages are searched for the user's words, which cost little to repeat.
const NEARBY: usize = 32;

/// What the model is shown beside the ledger, so that the ledger need not repeat it.
pub struct AlreadyShown<'a> {
    /// Messages whose texts are searched.
    messages: Vec<&'a Message>,
    /// Summaries, whose texts are searched too. They may be influenced by tool outputs.
    summaries: Vec<&'a Message>,
    /// Messages that passes have shortened and may shorten further.
    edited: Vec<&'a Message>,
    /// Messages that are in the view in full, searched by their facts.
    whole: Option<MessageFacts<'a>>,
    /// Where the calls of outputs are found, and what may not be shown of them.
    calls: Option<(&'a Context, Option<&'a Redact>)>,
}

impl<'a> AlreadyShown<'a> {
    /// Starts with messages whose texts are searched.
    pub fn of(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        Self {
            messages: messages.into_iter().collect(),
            summaries: Vec::new(),
            edited: Vec::new(),
            whole: None,
            calls: None,
        }
    }

    /// Names of outputs come with their calls.
    #[must_use]
    pub fn with_calls(self, context: &'a Context, redact: Option<&'a Redact>) -> Self {
        Self { calls: Some((context, redact)), ..self }
    }

    /// The call whose output a ref opens, in a few words.
    pub(super) fn call_of(&self, ref_id: &str) -> Option<String> {
        let (context, redact) = self.calls?;
        let call = context.call_of_ref(ref_id)?;
        let Some(redact) = redact else { return Some(shorten::one_line(&called(call))) };
        // Before it is shortened, because a part of a secret would not be recognised.
        let asks = Message::new(Role::Assistant, vec![Part::from(call.clone())]);
        let redacted = redact.message(&asks).ok()?;
        redacted.tool_calls().next().map(|call| shorten::one_line(&called(call)))
    }

    /// Adds texts written by summarisers.
    #[must_use]
    pub fn and_summaries(self, summaries: impl IntoIterator<Item = &'a Message>) -> Self {
        Self { summaries: summaries.into_iter().collect(), ..self }
    }

    /// Adds messages that are in the view in shortened form.
    #[must_use]
    pub fn and_edited(self, edited: Vec<&'a Message>) -> Self {
        Self { edited, ..self }
    }

    /// Adds messages that are in the view as they were pushed.
    #[must_use]
    pub fn and_whole(self, context: &'a Context, nodes: &[NodeIndex]) -> Self {
        Self { whole: Some(with_facts(context, nodes)), ..self }
    }

    /// Numbered and indexed literal facts, which include those of the messages in full.
    pub(super) fn names(&self) -> Option<&Names> {
        self.whole.as_ref().map(|read| &read.facts().names)
    }

    /// Marks the literal facts in messages that are in the view in full, by number. Facts inside longer ones are marked too.
    pub(super) fn mark_literals(&self, names: &Names, there: &mut [bool]) {
        let Some(read) = &self.whole else { return };
        for number in read.places().flat_map(|(_, at)| read.facts().literals(at)) {
            there[*number as usize] = true;
            for inner in names.within(*number) {
                there[*inner as usize] = true;
            }
        }
    }

    /// Calls `found` with the index of each rule that the user or an instruction states here, too. Tool outputs do not count: they have no
    /// authority and may be trimmed at any time. In a summary only what a record tells as the user's rules counts, because elsewhere it may
    /// say that the rule no longer holds.
    pub(super) fn find_rules(&self, rules: &[&str], mut found: impl FnMut(usize)) {
        let needles = TextSet::new(rules.iter().copied());
        let mut find = |messages: &[&'a Message], stated: fn(&Message) -> Vec<StatedRule>| {
            for message in messages {
                let mut hits = Vec::new();
                find_in_texts(&needles, std::iter::once(*message), &mut |i| hits.push(i));
                let stated = if hits.is_empty() { Vec::new() } else { stated(message) };
                hits.retain(|i| stated.iter().any(|rule| rule.text == rules[*i]));
                hits.into_iter().for_each(&mut found);
            }
        };
        find(&self.messages, |message| Notes::of(message).rules);
        find(&self.summaries, |message| recorded_rules(&message.plain_text()));
        let Some(read) = &self.whole else { return };
        let noted = read.places().filter(|(_, at)| !read.is_others(*at));
        let noted = noted.filter_map(|(_, at)| read.facts().notes(at)).flat_map(|notes| &notes.rules);
        let stated: HashSet<&str> = noted.map(|rule| rule.text.as_str()).collect();
        (0..rules.len()).filter(|i| stated.contains(rules[*i])).for_each(found);
    }

    /// Calls `found` with the index of each text that occurs in anything but a tool output.
    pub(super) fn find_outside_outputs(&self, needles: &TextSet<String>, mut found: impl FnMut(usize)) {
        let whole = self.whole_messages(|_, message, _| message.role != Role::Tool);
        find_in_texts(needles, self.searched().chain(whole), &mut found);
    }

    /// Calls `found` with the index of each of the user's words that occur in the engine's messages, the header, or the user's newest
    /// messages, in whatever lines. Not all messages are searched, because these words cost little to repeat; nor are summaries, because the
    /// next one may no longer quote them, and they do not say in what order it was said.
    pub(super) fn find_words(&self, needles: &TextSet<String>, mut found: impl FnMut(usize)) {
        let newest = self.whole_messages(MessageFacts::is_users).into_iter().rev().take(NEARBY);
        for message in self.messages.iter().copied().chain(newest).filter(|_| !needles.is_empty()) {
            needles.find(&shorten::whole_line(&message.plain_text()), &mut found);
        }
    }

    /// The messages that are in the view in full and match `counts`.
    fn whole_messages(
        &self,
        counts: impl Fn(&MessageFacts<'a>, &Message, usize) -> bool,
    ) -> Vec<&'a Message> {
        let Some(read) = &self.whole else { return Vec::new() };
        read.places().filter(|(message, at)| counts(read, message, *at)).map(|(message, _)| message).collect()
    }

    /// Calls `found` with the index of each text that occurs in a message that is not searched by its facts.
    pub(super) fn find_in_searched(&self, needles: &TextSet<&str>, mut found: impl FnMut(usize)) {
        let edited = self.edited.iter().copied();
        find_in_texts(needles, self.searched().chain(edited), &mut found);
    }

    fn searched(&self) -> impl Iterator<Item = &'a Message> {
        self.messages.iter().chain(&self.summaries).copied()
    }
}

fn find_in_texts<'m, T: AsRef<str> + Clone>(
    needles: &TextSet<T>,
    messages: impl Iterator<Item = &'m Message>,
    found: &mut impl FnMut(usize),
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
            hits.into_iter().for_each(&mut *found);
        }
    }
}
