//! Parts of messages that the API refuses because of their position. A view and `repair` leave them out.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::anthropic::is_blank;
use super::bedrock::{self, CACHE_POINT};
use super::item_ids;
use super::openai_responses::kinds;
use crate::hashing::HashMap;
use crate::message::{CallKind, Extras, Format, Message, Part, Role};

/// At most so many cache marks may stand in a request.
pub(super) const CACHE_MARKS: usize = 4;

/// The key of a cache mark.
pub const fn mark_key(format: Format) -> &'static str {
    if matches!(format, Format::BedrockConverse) { CACHE_POINT } else { "cache_control" }
}

pub(super) const REASONING_TAIL: &str = "R-reasoning-tail";
pub(super) const THINKING_LAST: &str = "A-thinking-last";
pub(super) const SERVER_UNANSWERED: &str = "A-server-unanswered";
pub(super) const SERVER_RESULT: &str = "A-server-result";
pub(super) const DUPLICATE_ID: &str = "R-dup-id";
pub(super) const TOO_MANY_MARKS: &str = "A-cache-marks";
const COMPACTION_PLACE: &str = "A-compaction-place";
pub(super) const DUPLICATE_NAME: &str = "B-doc-dup";

/// What one message loses where it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lost {
    /// The indexes of parts, and the rule that each breaks.
    parts: BTreeMap<usize, &'static str>,
    /// The indexes of parts that lose the id of their item, or go where they cannot stand without.
    ids: BTreeSet<usize>,
    /// So many of its cache marks, from the first on.
    marks: usize,
    /// A provider's own compaction, which is taken only where nothing stands before it.
    compaction: bool,
    /// The numbers of documents that have to be named otherwise, and how.
    names: BTreeMap<usize, String>,
}

impl Lost {
    fn is_nothing(&self) -> bool {
        self.parts.is_empty()
            && self.ids.is_empty()
            && self.marks == 0
            && self.names.is_empty()
            && !self.compaction
    }

    /// The rules that it would break, and what a person is told of it.
    pub(super) fn told(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let rules: BTreeSet<&'static str> = self.parts.values().copied().collect();
        let ids = (!self.ids.is_empty()).then_some(DUPLICATE_ID);
        let marks = (self.marks > 0).then_some(TOO_MANY_MARKS);
        let compaction = self.compaction.then_some(COMPACTION_PLACE);
        let names = (!self.names.is_empty()).then_some(DUPLICATE_NAME);
        rules
            .into_iter()
            .chain(ids)
            .chain(marks)
            .chain(names)
            .chain(compaction)
            .map(|rule| (rule, what(rule)))
    }

    /// What a person is told of it.
    pub fn notes(&self) -> impl Iterator<Item = &'static str> {
        self.told().map(|(_, what)| what)
    }

    /// The message without it.
    #[must_use]
    pub fn taken_off(&self, message: &Message, format: Format) -> Message {
        let mut rest = message.clone();
        let parts = std::mem::take(&mut rest.parts).into_iter().enumerate();
        let kept = parts.filter(|(at, _)| !self.parts.contains_key(at)).filter_map(|(at, part)| {
            if !self.ids.contains(&at) {
                return Some(part);
            }
            let is_call = matches!(part, Part::ToolCall(_)); // its output could not stand without it
            let bare = item_ids::without_item_id(part);
            (is_call || item_ids::any_id(&bare).is_none()).then_some(bare)
        });
        rest.parts = kept.collect();
        if self.compaction {
            rest.extras = Extras::default(); // its words stand in its place
        }
        let mut marks = self.marks;
        unmark(&mut rest.parts, format, &mut marks);
        for (nth, name) in &self.names {
            bedrock::rename(&mut rest, *nth, name);
        }
        rest
    }
}

/// What is done where a rule is broken.
fn what(rule: &'static str) -> &'static str {
    match rule {
        COMPACTION_PLACE => {
            "a provider's own compaction is said in its words: it is taken only where nothing stands before it"
        }
        REASONING_TAIL => "reasoning that nothing of the model's follows is left out: the API refuses it",
        THINKING_LAST => "thinking at the end of an answer is left out: the API refuses it there",
        SERVER_RESULT => "what a tool of the provider's brought is left out: its call is not before it",
        DUPLICATE_NAME => "a document that has the name of another gets a number: the API refuses it",
        DUPLICATE_ID => "an item that has the id of another loses it: the API refuses it",
        SERVER_UNANSWERED => {
            "a call of a tool that the provider runs is left out: no result of it came before the user spoke"
        }
        _ => "a cache mark is left out: the API takes four, and the newest stay",
    }
}

/// A call of a tool that the provider runs.
#[derive(Debug, Clone)]
struct Served {
    at: usize,
    part: usize,
    /// Where what came of it stands.
    answered: Option<usize>,
    /// Where a call stands that its code made: it cannot go without that.
    leads: Option<usize>,
    /// Where the user spoke behind it.
    spoken: Option<usize>,
}

impl Served {
    fn has_lapsed(&self) -> bool {
        self.answered.is_none() && self.leads.is_none() && self.spoken.is_some()
    }
}

/// What the messages of a list lose, kept from one look at the list to the next: only what is new, or stands behind an edit, is
/// looked at again.
#[derive(Debug, Clone)]
pub struct Standing {
    format: Format,
    /// Cache marks that may stand in the list.
    room: usize,
    served: Vec<Served>,
    /// What came of such tools whose calls are not before it.
    orphans: Vec<(usize, usize)>,
    /// The ids of items, and where each stands first.
    ids: HashMap<String, usize>,
    /// Items whose ids stand further up.
    twice: Vec<(usize, usize)>,
    /// Documents whose names do, and those that they get. (`ids` has the names.)
    renamed: Vec<(usize, usize, String)>,
    /// The index in `served` of the newest call of each id.
    by_id: HashMap<String, usize>,
    /// The indexes in `served` of calls behind which the user has not spoken yet.
    waiting: Vec<usize>,
    /// The positions of cache marks, one each.
    marks: Vec<usize>,
    /// So many of them go.
    unmarked: usize,
    lost: BTreeMap<usize, Lost>,
    /// So many messages have been looked at.
    seen: usize,
}

impl Standing {
    /// Of a list in this format.
    pub fn new(format: Format) -> Self {
        Self::with_marks(format, CACHE_MARKS)
    }

    /// Of a list that may hold so many cache marks.
    pub(super) fn with_marks(format: Format, room: usize) -> Self {
        Self {
            format,
            room,
            served: Vec::new(),
            orphans: Vec::new(),
            ids: HashMap::default(),
            twice: Vec::new(),
            renamed: Vec::new(),
            by_id: HashMap::default(),
            waiting: Vec::new(),
            marks: Vec::new(),
            unmarked: 0,
            lost: BTreeMap::new(),
            seen: 0,
        }
    }

    /// How many messages it has looked at.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// What the messages from a position on lose.
    pub fn lost_from(&self, at: usize) -> impl Iterator<Item = (usize, &Lost)> {
        self.lost.range(at..).map(|(at, lost)| (*at, lost))
    }

    /// Looks at the messages from position `from` on, which are new or other than before; none stand at `len` or behind. The
    /// first position that loses something else than before, or `from`.
    pub fn update<'m>(
        &mut self,
        from: usize,
        len: usize,
        message: impl Fn(usize) -> Option<&'m Message>,
    ) -> usize {
        let is_edit = from < std::mem::replace(&mut self.seen, len);
        let has_turns = matches!(self.format, Format::Anthropic | Format::BedrockConverse);
        if !has_turns && self.format != Format::OpenaiResponses {
            return from;
        }
        let mut first = from;
        if self.format == Format::Anthropic {
            first = self.serve(from, len, is_edit, &message);
        }
        match self.format {
            Format::OpenaiResponses => self.identify(from, len, is_edit, &message),
            Format::BedrockConverse => self.name(from, len, &message),
            _ => {}
        }
        let start = turn_start(first, &message);
        let before = self.lost.split_off(&start);
        let lapsed = self.served.iter().rev().take_while(|call| call.at >= start);
        let lapsed =
            lapsed.filter(|call| call.has_lapsed()).map(|call| (call.at, call.part, SERVER_UNANSWERED));
        let orphans = self.orphans.iter().rev().take_while(|(at, _)| *at >= start);
        let orphans = orphans.map(|(at, part)| (*at, *part, SERVER_RESULT));
        for (at, part, rule) in lapsed.chain(orphans) {
            self.lost.entry(at).or_default().parts.insert(part, rule);
        }
        for (at, part) in self.twice.iter().rev().take_while(|(at, _)| *at >= start) {
            self.lost.entry(*at).or_default().ids.insert(*part);
        }
        for (at, nth, name) in self.renamed.iter().rev().take_while(|(at, ..)| *at >= start) {
            self.lost.entry(*at).or_default().names.insert(*nth, name.clone());
        }
        self.tails(start, len, &message);
        if self.format == Format::Anthropic {
            self.place(start, len, &message);
        }
        let marked = if has_turns { self.mark(from, len, start, &message) } else { None };
        let now = self.lost.range(start..).filter(|(at, lost)| before.get(at) != Some(lost));
        let gone = before.keys().find(|at| !self.lost.contains_key(at));
        now.map(|(at, _)| *at).chain(gone.copied()).chain(marked).chain([first]).min().unwrap_or(from)
    }

    /// The provider's own compactions that anything of the conversation stands before.
    fn place<'m>(&mut self, start: usize, len: usize, message: &impl Fn(usize) -> Option<&'m Message>) {
        let is_own = |at: &usize| message(*at).is_some_and(|m| m.has_provider_summary(self.format));
        let is_said = |at: usize| message(at).is_some_and(|m| !m.role.is_instruction());
        let late: Vec<usize> = (start..len).filter(is_own).filter(|at| (0..*at).any(is_said)).collect();
        for at in late {
            self.lost.entry(at).or_default().compaction = true;
        }
    }

    /// Calls of tools that the provider runs. The first position at which one lapses, or does no longer; else `from`.
    fn serve<'m>(
        &mut self,
        from: usize,
        len: usize,
        is_edit: bool,
        message: &impl Fn(usize) -> Option<&'m Message>,
    ) -> usize {
        let mut first = from;
        if is_edit {
            first = self.take_back(from);
        }
        for (at, message) in (from..len).filter_map(|at| Some((at, message(at)?))) {
            if message.role == Role::User && !message.parts.is_empty() {
                for call in self.waiting.drain(..) {
                    let call = &mut self.served[call];
                    call.spoken = Some(at);
                    if call.has_lapsed() {
                        first = first.min(call.at);
                    }
                }
            }
            for (part, one) in message.parts.iter().enumerate() {
                match one {
                    Part::ToolCall(call) if call.is_of_server() => {
                        let n = self.served.len();
                        self.waiting.push(n);
                        self.by_id.insert(call.id.clone(), n);
                        self.served.push(Served { at, part, answered: None, leads: None, spoken: None });
                    }
                    Part::ToolCall(call) => {
                        let known = call.made_by().and_then(|id| self.by_id.get(&id).copied());
                        if let Some(call) = known.map(|n| &mut self.served[n]) {
                            first = if call.has_lapsed() { first.min(call.at) } else { first };
                            call.leads.get_or_insert(at);
                        }
                    }
                    part_of => {
                        let Some(id) = part_of.opaque_call_id() else { continue };
                        match self.by_id.get(id).map(|n| &mut self.served[*n]) {
                            Some(call) => {
                                first = if call.has_lapsed() { first.min(call.at) } else { first };
                                call.answered.get_or_insert(at);
                            }
                            None if is_result(part_of) => self.orphans.push((at, part)),
                            None => {}
                        }
                    }
                }
            }
        }
        first
    }

    /// Forgets what stands from a position on. The first position at which a call lapses no longer, or that position.
    fn take_back(&mut self, from: usize) -> usize {
        let mut first = from;
        let kept = self.served.partition_point(|call| call.at < from);
        self.served.truncate(kept);
        self.by_id.retain(|_, n| *n < kept);
        self.orphans.truncate(self.orphans.partition_point(|(at, _)| *at < from));
        for call in &mut self.served {
            let lapsed = call.has_lapsed();
            for at in [&mut call.answered, &mut call.leads, &mut call.spoken] {
                *at = at.filter(|at| *at < from);
            }
            if lapsed != call.has_lapsed() {
                first = first.min(call.at);
            }
        }
        let waits = |n: &usize| self.served[*n].spoken.is_none();
        self.waiting = (0..kept).filter(waits).collect();
        first
    }

    /// Ids of items that stand twice: the second loses its own.
    fn identify<'m>(
        &mut self,
        from: usize,
        len: usize,
        is_edit: bool,
        message: &impl Fn(usize) -> Option<&'m Message>,
    ) {
        if is_edit {
            self.ids.retain(|_, at| *at < from);
            self.twice.truncate(self.twice.partition_point(|(at, _)| *at < from));
        }
        // The AI SDK says the parts of one item with the item's id each.
        let is_item = |part: &Part| part.extras().is_none_or(|extras| !extras.came_in(Format::AiSdk));
        for (at, message) in (from..len).filter_map(|at| Some((at, message(at)?))) {
            for (n, part) in message.parts.iter().enumerate().filter(|(_, part)| is_item(part)) {
                let Some(id) = item_ids::any_id(part) else { continue };
                match self.ids.entry(id) {
                    Entry::Occupied(_) => self.twice.push((at, n)),
                    Entry::Vacant(free) => {
                        free.insert(at);
                    }
                }
            }
        }
    }

    /// Names of documents that stand twice: the second gets a number.
    fn name<'m>(&mut self, from: usize, len: usize, message: &impl Fn(usize) -> Option<&'m Message>) {
        self.ids.retain(|_, at| *at < from);
        self.renamed.truncate(self.renamed.partition_point(|(at, ..)| *at < from));
        for (at, message) in (from..len).filter_map(|at| Some((at, message(at)?))) {
            let mut nth = 0;
            bedrock::each_name(message, &mut |name| {
                let name = bedrock::name_of(name);
                let numbered = |n: usize| if n == 1 { name.clone() } else { format!("{name} ({n})") };
                let free = (1..=len + message.parts.len() + self.ids.len())
                    .map(numbered)
                    .find(|name| !self.ids.contains_key(&name.to_lowercase()));
                if let Some(free) = free {
                    self.ids.insert(free.to_lowercase(), at);
                    if free != name {
                        self.renamed.push((at, nth, free));
                    }
                }
                nth += 1;
            });
        }
    }

    /// Reasoning at the end of answers, from a position on at which an answer may begin.
    fn tails<'m>(&mut self, start: usize, len: usize, message: &impl Fn(usize) -> Option<&'m Message>) {
        let mut is_led_to = false; // what stands right behind lets reasoning stand before it
        for (at, message) in (start..len).rev().filter_map(|at| Some((at, message(at)?))) {
            if message.role != Role::Assistant {
                is_led_to = match (self.format, message.parts.as_slice()) {
                    // The API keeps instructions apart.
                    (Format::Anthropic | Format::BedrockConverse, _) => {
                        is_led_to && message.role.is_instruction()
                    }
                    (_, [part @ Part::Opaque { .. }]) => may_be_made(part),
                    _ => false,
                };
                continue;
            }
            for (n, part) in message.parts.iter().enumerate().rev() {
                let is_gone = self.lost.get(&at).is_some_and(|lost| lost.parts.contains_key(&n));
                match (self.format, part) {
                    _ if is_gone => {}
                    // With other models of Bedrock's, whose reasoning is not signed, it may stand there.
                    (Format::BedrockConverse, Part::Reasoning(one)) if one.signature.is_none() => {}
                    (Format::Anthropic | Format::BedrockConverse, Part::Reasoning(_)) if !is_led_to => {
                        self.lose(at, n, THINKING_LAST);
                    }
                    (Format::Anthropic | Format::BedrockConverse, Part::Text { text, .. })
                        if is_blank(text) => {}
                    (Format::Anthropic | Format::BedrockConverse, _) => is_led_to = true,
                    (_, Part::Reasoning(reasoning)) if !is_led_to => {
                        if reasoning.id.is_some() {
                            self.lose(at, n, REASONING_TAIL);
                        }
                    }
                    (_, part) => is_led_to = may_be_made(part),
                }
            }
        }
    }

    fn lose(&mut self, at: usize, part: usize, rule: &'static str) {
        self.lost.entry(at).or_default().parts.insert(part, rule);
    }

    /// Cache marks: the newest stay. The first position at which something may be otherwise. `start`: what is lost from there on was found anew.
    fn mark<'m>(
        &mut self,
        from: usize,
        len: usize,
        start: usize,
        message: &impl Fn(usize) -> Option<&'m Message>,
    ) -> Option<usize> {
        self.marks.truncate(self.marks.partition_point(|at| *at < from));
        for (at, message) in (from..len).filter_map(|at| Some((at, message(at)?))) {
            let marks = message.parts.iter().map(|part| marks(part, self.format)).sum();
            self.marks.extend(std::iter::repeat_n(at, marks));
        }
        let unmarked = self.marks.len().saturating_sub(self.room);
        let again = self.marks.partition_point(|at| *at < start);
        let (low, high) = (unmarked.min(self.unmarked).min(again), unmarked.max(self.unmarked));
        self.unmarked = unmarked;
        let other: BTreeSet<usize> =
            self.marks[low..high.min(self.marks.len()).max(low)].iter().copied().collect();
        let first = other.first().copied();
        for at in other {
            let before = self.marks.partition_point(|mark| *mark < at);
            let until = self.marks.partition_point(|mark| *mark <= at).min(unmarked);
            let lost = self.lost.entry(at).or_default();
            lost.marks = until.saturating_sub(before);
            if lost.is_nothing() {
                self.lost.remove(&at);
            }
        }
        first
    }
}

/// Whether a part is what a tool brought that the provider runs, as Anthropic says it.
fn is_result(part: &Part) -> bool {
    let anthropics = raw(part).filter(|(_, format)| *format == Format::Anthropic);
    let kind = anthropics.and_then(|(block, _)| block.get("type")?.as_str());
    kind.is_some_and(|kind| kind.ends_with("_tool_result"))
}

/// Where the answer begins that a position is in, or right behind.
fn turn_start<'m>(at: usize, message: &impl Fn(usize) -> Option<&'m Message>) -> usize {
    let may_lead = |at: &usize| {
        message(*at).is_some_and(|message| message.role == Role::Assistant || message.role.is_instruction())
    };
    (0..at).rev().take_while(may_lead).last().unwrap_or(at)
}

/// Whether reasoning may stand before it, as [`check`](super::check) has it.
pub(super) fn may_be_made(part: &Part) -> bool {
    match part {
        Part::Opaque { format: Format::OpenaiResponses, raw } => {
            raw.as_object().is_some_and(|item| kinds::is_model_made(item) || kinds::is_unknown(item))
        }
        _ => true,
    }
}

/// How many cache marks stand in a block, and in what it holds.
pub(super) fn marks_of(block: &Value, key: &str) -> usize {
    let inside = block.get("content").and_then(Value::as_array).into_iter().flatten();
    usize::from(is_mark(block.get(key))) + inside.map(|block| marks_of(block, key)).sum::<usize>()
}

fn is_mark(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null())
}

/// How many cache marks a part holds.
fn marks(part: &Part, format: Format) -> usize {
    if let Some((raw, from)) = raw(part) {
        return if from == format { marks_of(raw, mark_key(format)) } else { 0 };
    }
    let inside =
        part.as_tool_output().map_or(0, |output| output.content.iter().map(|part| marks(part, format)).sum());
    inside + usize::from(part.extras().is_some_and(|extras| is_marked(extras, format)))
}

fn is_marked(extras: &Extras, format: Format) -> bool {
    let key = mark_key(format);
    extras.has(format, key) && is_mark(extras.field(format, key).as_ref())
}

/// The block, where a part carries it as it came, and the format that it came in.
fn raw(part: &Part) -> Option<(&Value, Format)> {
    match part {
        Part::Opaque { format, raw } => Some((raw, *format)),
        Part::ToolCall(call) => match &call.kind {
            CallKind::Other { format, raw } => Some((raw, *format)),
            _ => None,
        },
        _ => None,
    }
}

/// Takes so many marks off, from the first on.
fn unmark(parts: &mut [Part], format: Format, count: &mut usize) {
    let key = mark_key(format);
    for part in parts {
        if *count == 0 {
            return;
        }
        let extras = match part {
            Part::Opaque { format: from, raw } if *from == format => {
                let mut block = Value::clone(raw);
                unmark_block(&mut block, key, count);
                *raw = block.into();
                continue;
            }
            Part::ToolCall(call) => {
                if let CallKind::Other { format: from, raw } = &mut call.kind
                    && *from == format
                {
                    let mut block = Value::clone(raw);
                    unmark_block(&mut block, key, count);
                    *raw = block.into();
                    continue;
                }
                &mut call.extras
            }
            Part::ToolOutput(output) => {
                unmark(&mut output.content, format, count);
                &mut output.extras
            }
            Part::Text { extras, .. } | Part::Refusal { extras, .. } => extras,
            Part::Media(media) => &mut media.extras,
            Part::Reasoning(reasoning) => &mut reasoning.extras,
            Part::Opaque { .. } => continue,
        };
        if *count > 0
            && is_marked(extras, format)
            && let Some(mut fields) = extras.of(format)
        {
            fields.shift_remove(key);
            *extras = extras.with(format, fields);
            *count -= 1;
        }
    }
}

fn unmark_block(block: &mut Value, key: &str, count: &mut usize) {
    for inside in block.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        unmark_block(inside, key, count);
    }
    if *count > 0
        && is_mark(block.get(key))
        && let Some(map) = block.as_object_mut()
    {
        map.shift_remove(key);
        *count -= 1;
    }
}
