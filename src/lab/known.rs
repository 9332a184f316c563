use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::answers::Answer;
use super::retention::{each_fact, refs_in};
use crate::facts::{TextSet, texts};
use crate::hashing::{HashMap, HashSet};
use crate::message::{Message, Part};
use crate::tool_output::Output;

/// The prefix of refs that were not chosen by the caller.
const NUMBERED_REF_PREFIX: &str = "out_";

/// The number of other forms of a message to remember.
const MAX_OTHER_FORMS: usize = 3;

/// The facts of a transcript and the messages that contain them. Found once, however often the transcript is replayed.
#[derive(Default)]
pub(super) struct KnownFacts {
    /// The facts, in the order in which they first occur.
    facts: Vec<Rc<str>>,
    /// For each fact, whether it is a constraint of the user; the others are literals.
    rules: Vec<bool>,
    /// For each answer: the facts that first occur between the answer before and this one.
    facts_by_answer: Vec<Vec<u32>>,
    /// The indexes of known facts, while facts are being found.
    finding: Finding,
    index: Option<TextSet<Rc<str>>>,
    /// What the transcript's messages contain, filled on demand.
    contents_by_message: HashMap<u32, Rc<Contents>>,
    /// What messages contain in the other forms that views show, such as trimmed ones or placeholders. The newest few of
    /// each.
    other_forms: HashMap<u32, Vec<(Message, Rc<Contents>)>>,
    recorded: RecordedMessages,
}

#[derive(Default)]
struct Finding {
    literals: HashMap<Rc<str>, u32>,
    rules: HashMap<Rc<str>, u32>,
}

/// How the transcript's own messages are recognized in a session.
#[derive(Default)]
struct RecordedMessages {
    by_id: HashMap<String, u32>,
    /// Messages that consist of a single tool output text, by the address of that text.
    by_output: HashMap<*const u8, u32>,
    /// Ids of outputs that the transcript itself refers to.
    refs: HashSet<String>,
}

/// What a text or a message contains.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The indexes of facts, without duplicates.
    pub facts: Vec<u32>,
    /// Words that may be refs of stored outputs.
    pub refs: Vec<String>,
}

impl KnownFacts {
    /// Finds the facts in the messages before the transcript's next answer. Returns `false` once all facts are known.
    pub fn find_more(&mut self, messages: &[Message], answers: &[Answer]) -> bool {
        if self.index.is_some() {
            return false;
        }
        let Some(answer) = answers.get(self.facts_by_answer.len()) else {
            self.finding = Finding::default();
            self.index = Some(TextSet::new(self.facts.iter().cloned()));
            self.recorded = RecordedMessages::of(messages);
            return true;
        };
        self.find(&messages[answer.pushed..answer.begin]);
        true
    }

    fn find(&mut self, messages: &[Message]) {
        let mut first = Vec::new();
        let Self { facts, rules, finding, .. } = self;
        each_fact(messages, |text, is_rule| {
            let known = if is_rule { &mut finding.rules } else { &mut finding.literals };
            if !known.contains_key(text) {
                let (at, fact) = (facts.len() as u32, Rc::<str>::from(text));
                known.insert(fact.clone(), at);
                facts.push(fact);
                rules.push(is_rule);
                first.push(at);
            }
        });
        self.facts_by_answer.push(first);
    }

    /// The number of facts.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether a fact is a constraint of the user rather than a literal.
    pub fn is_rule(&self, fact: u32) -> bool {
        self.rules[fact as usize]
    }

    /// The facts that first occur before this answer and after the one before it.
    pub fn new_facts_before(&self, answer: usize) -> &[u32] {
        self.facts_by_answer.get(answer).map_or(&[], Vec::as_slice)
    }

    /// What a message of a view contains. A message that is unchanged since it was recorded is searched only once.
    pub fn contents_of(&mut self, messages: &[Message], message: &Message) -> Rc<Contents> {
        let own = message.meta.id.as_deref().and_then(|id| self.recorded.by_id.get(id).copied());
        let Some(at) = own else { return self.search_message(message) };
        if shares_texts(&messages[at as usize], message) {
            return self.contents_of_recorded(messages, at);
        }
        let known =
            self.other_forms.get(&at).and_then(|all| all.iter().find(|(m, _)| m.parts == message.parts));
        if let Some((_, held)) = known {
            return held.clone();
        }
        let held = self.search_message(message);
        let others = self.other_forms.entry(at).or_default();
        others.truncate(MAX_OTHER_FORMS - 1);
        others.insert(0, (message.clone(), held.clone()));
        held
    }

    /// What a stored output contains.
    pub fn contents_of_output(&mut self, messages: &[Message], output: &Output) -> Rc<Contents> {
        let text = output.as_text().map(crate::tool_output::LongText::to_text);
        if let Some(at) = text.and_then(|text| self.recorded.by_output.get(&text.as_ptr()).copied()) {
            return self.contents_of_recorded(messages, at);
        }
        let lines: Vec<_> = output.lines_from(0).map(|line| line.text().into_owned()).collect();
        Rc::new(self.search_texts([lines.join("\n").as_str()].into_iter()))
    }

    fn contents_of_recorded(&mut self, messages: &[Message], at: u32) -> Rc<Contents> {
        if let Some(held) = self.contents_by_message.get(&at) {
            return held.clone();
        }
        let held = self.search_message(&messages[at as usize]);
        self.contents_by_message.insert(at, held.clone());
        held
    }

    fn search_message(&self, message: &Message) -> Rc<Contents> {
        Rc::new(self.search_texts(texts(message).iter().map(AsRef::as_ref)))
    }

    fn search_texts<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Contents {
        let mut held = Contents::default();
        for text in texts {
            if let Some(index) = &self.index {
                index.find(text, |fact| held.facts.push(fact as u32));
            }
            if text.contains(NUMBERED_REF_PREFIX) || !self.recorded.refs.is_empty() {
                let may_be_one =
                    |word: &str| word.starts_with(NUMBERED_REF_PREFIX) || self.recorded.refs.contains(word);
                held.refs.extend(refs_in(text).filter(|word| may_be_one(word)).map(Cow::into_owned));
            }
        }
        held.facts.sort_unstable();
        held.facts.dedup();
        crate::sorting::sort(&mut held.refs);
        held.refs.dedup();
        held
    }
}

impl RecordedMessages {
    fn of(messages: &[Message]) -> Self {
        let mut own = Self::default();
        for (at, message) in messages.iter().enumerate() {
            let at = at as u32;
            own.by_id.extend(message.meta.id.clone().map(|id| (id, at)));
            for output in message.tool_outputs() {
                own.refs.extend(output.output_ref.as_ref().map(|given| given.id.clone()));
                if let ([Part::Text { text, .. }], 1) = (output.content.as_slice(), message.parts.len()) {
                    own.by_output.insert(text.as_ptr(), at);
                }
            }
        }
        own
    }
}

/// Whether two messages share the same texts. Compares addresses, not contents.
fn shares_texts(a: &Message, b: &Message) -> bool {
    all_pairs(&a.parts, &b.parts, |a, b| match (a, b) {
        (Part::ToolOutput(a), Part::ToolOutput(b)) => all_pairs(&a.content, &b.content, is_same_text),
        (Part::ToolCall(a), Part::ToolCall(b)) => Arc::ptr_eq(&a.input, &b.input) && a.kind == b.kind,
        (Part::ToolOutput(_) | Part::ToolCall(_), _) | (_, Part::ToolOutput(_) | Part::ToolCall(_)) => false,
        (a, b) => is_same_text(a, b),
    })
}

fn is_same_text(a: &Part, b: &Part) -> bool {
    match (a.as_text_or_refusal(), b.as_text_or_refusal()) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (a, b) => a.is_none() && b.is_none(), // facts are not searched for in other parts
    }
}

fn all_pairs<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}
