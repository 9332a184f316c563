//! Finds parts of messages that the API refuses because of their position. Views and `repair` leave them out.

use std::collections::hash_map::Entry;

use serde_json::{Map, Value};

use super::anthropic::is_blank;
use super::bedrock::{self, CACHE_POINT};
use super::fields::each;
use super::item_ids;
use super::openai_responses::kinds;
use crate::hashing::HashMap;
use crate::message::{CallKind, Extras, Format, Message, Part, Role};
use crate::sorted::{SortedMap, SortedSet};

/// The maximum number of cache marks in a request.
pub(super) const CACHE_MARKS: usize = 4;

/// The key of a cache mark in this format.
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

/// What one message loses because of its position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removals {
    /// The indexes of the removed parts, with the rule that each would break.
    parts: SortedMap<usize, &'static str>,
    /// The indexes of parts that lose the id of their item. A part that is invalid without its id is removed.
    ids: SortedSet<usize>,
    /// How many of its cache marks are removed, counted from its first one.
    marks: usize,
    /// Whether its provider's own compaction is removed, because it is only accepted if nothing precedes it.
    compaction: bool,
    /// New names for documents, by the number of the document in the message.
    names: SortedMap<usize, String>,
}

impl Removals {
    fn is_nothing(&self) -> bool {
        self.parts.is_empty()
            && self.ids.is_empty()
            && self.marks == 0
            && self.names.is_empty()
            && !self.compaction
    }

    /// The rules that it would break, with a description of each change.
    pub(super) fn broken_rules(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let rules: SortedSet<&'static str> = self.parts.values().copied().collect();
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
            .map(|rule| (rule, describe(rule)))
    }

    /// Descriptions of the changes.
    pub fn notes(&self) -> impl Iterator<Item = &'static str> {
        self.broken_rules().map(|(_, what)| what)
    }

    /// The message without what it loses.
    #[must_use]
    pub fn apply(&self, message: &Message, format: Format) -> Message {
        let mut rest = message.clone();
        let parts = std::mem::take(&mut rest.parts).into_iter().enumerate();
        let kept = parts.filter(|(at, _)| !self.parts.contains_key(at)).filter_map(|(at, part)| {
            if !self.ids.contains(&at) {
                return Some(part);
            }
            let is_call = matches!(part, Part::ToolCall(_)); // a call is always kept, because its output needs it
            let bare = item_ids::without_item_id(part);
            (is_call || item_ids::any_id(&bare).is_none()).then_some(bare)
        });
        rest.parts = kept.collect();
        if self.compaction {
            rest.extras = Extras::default(); // the summary's words are sent instead
        }
        let mut marks = self.marks;
        unmark(&mut rest.parts, format, &mut marks);
        for (nth, name) in &self.names {
            bedrock::rename(&mut rest, *nth, name);
        }
        rest
    }
}

/// Describes the change that a rule makes.
fn describe(rule: &'static str) -> &'static str {
    match rule {
        COMPACTION_PLACE => {
            "a provider's own compaction is written as its text: the API accepts it only if nothing comes before it"
        }
        REASONING_TAIL => "reasoning that is not followed by model output is left out: the API rejects it",
        THINKING_LAST => "thinking at the end of an assistant message is left out: the API rejects it there",
        SERVER_RESULT => "a provider tool's result is left out: its call is not before it",
        DUPLICATE_NAME => {
            "a document with the name of another gets a number: the API rejects duplicate names"
        }
        DUPLICATE_ID => "an item with the id of another loses its id: the API rejects duplicate ids",
        SERVER_UNANSWERED => {
            "a call of a provider-run tool is left out: it has no result before the next user message"
        }
        _ => "a cache mark is left out: the API allows four, and the newest are kept",
    }
}

/// A call of a tool that the provider runs.
#[derive(Debug, Clone)]
struct ServerCall {
    at: usize,
    part: usize,
    /// The position of its result.
    result_at: Option<usize>,
    /// The position of a call that its code made. That call cannot be sent without this one.
    code_call_at: Option<usize>,
    /// The position of the next user message after it.
    user_message_at: Option<usize>,
}

impl ServerCall {
    fn has_lapsed(&self) -> bool {
        self.result_at.is_none() && self.code_call_at.is_none() && self.user_message_at.is_some()
    }
}

/// What the messages of a list lose. It is kept between updates: only messages that are new, or from an edit on, are
/// looked at again.
#[derive(Debug, Clone)]
pub struct PositionChecker {
    format: Format,
    /// How many cache marks the list may have.
    max_marks: usize,
    server_calls: Vec<ServerCall>,
    /// Results of such tools without their call before them, as indexes of message and part.
    orphans: Vec<(usize, usize)>,
    /// The ids of items (in Bedrock, the names of documents), with the position of the first use.
    ids: HashMap<String, usize>,
    /// Items whose id was used before, as indexes of message and part.
    duplicate_ids: Vec<(usize, usize)>,
    /// Documents whose name was used before, with their new names: indexes of message and document.
    renamed_documents: Vec<(usize, usize, String)>,
    /// The index in `server_calls` of the newest call of each id.
    by_id: HashMap<String, usize>,
    /// The indexes in `server_calls` of calls with no user message after them yet.
    waiting: Vec<usize>,
    /// The positions of the messages with cache marks, once for each mark.
    marks: Vec<usize>,
    /// How many marks are removed, from the first one on.
    removed_marks: usize,
    /// In boxes, because those of different rules are added in turn.
    removals: SortedMap<usize, Box<Removals>>,
    /// How many messages have been looked at.
    checked: usize,
}

impl PositionChecker {
    /// For a list in this format.
    pub fn new(format: Format) -> Self {
        Self::with_marks(format, CACHE_MARKS)
    }

    /// For a list that may have `room` cache marks.
    pub(super) fn with_marks(format: Format, room: usize) -> Self {
        Self {
            format,
            max_marks: room,
            server_calls: Vec::new(),
            orphans: Vec::new(),
            ids: HashMap::default(),
            duplicate_ids: Vec::new(),
            renamed_documents: Vec::new(),
            by_id: HashMap::default(),
            waiting: Vec::new(),
            marks: Vec::new(),
            removed_marks: 0,
            removals: SortedMap::new(),
            checked: 0,
        }
    }

    /// How many messages it has looked at.
    pub fn checked(&self) -> usize {
        self.checked
    }

    /// What the messages from position `at` on lose.
    pub fn removals_from(&self, at: usize) -> impl Iterator<Item = (usize, &Removals)> {
        self.removals.starting_at(&at).map(|(at, lost)| (*at, &**lost))
    }

    /// Looks at the messages from position `from` on, which are new or have changed; `len` is the number of messages.
    /// Returns the first position whose loss differs from before, at most `from`.
    pub fn update<'m>(
        &mut self,
        from: usize,
        len: usize,
        message: impl Fn(usize) -> Option<&'m Message>,
    ) -> usize {
        let is_edit = from < std::mem::replace(&mut self.checked, len);
        let has_turns = matches!(self.format, Format::Anthropic | Format::BedrockConverse);
        if !has_turns && self.format != Format::OpenaiResponses {
            return from;
        }
        let mut first = from;
        if self.format == Format::Anthropic {
            first = self.pair_server_calls(from, len, is_edit, &message);
        }
        match self.format {
            Format::OpenaiResponses => self.find_duplicate_ids(from, len, is_edit, &message),
            Format::BedrockConverse => self.find_duplicate_names(from, len, &message),
            _ => {}
        }
        let start = turn_start(first, &message);
        let before = self.removals.split_off(&start);
        let lapsed = &self.server_calls[self.server_calls.partition_point(|call| call.at < start)..];
        let lapsed = lapsed.iter().filter(|call| call.has_lapsed());
        let lapsed = lapsed.map(|call| (call.at, call.part, SERVER_UNANSWERED));
        let orphans = &self.orphans[self.orphans.partition_point(|(at, _)| *at < start)..];
        let orphans = orphans.iter().map(|(at, part)| (*at, *part, SERVER_RESULT));
        for (at, part, rule) in lapsed.chain(orphans) {
            self.removals.or_default(at).parts.insert(part, rule);
        }
        let from_start = self.duplicate_ids.partition_point(|(at, _)| *at < start);
        for (at, part) in &self.duplicate_ids[from_start..] {
            self.removals.or_default(*at).ids.insert(*part);
        }
        let from_start = self.renamed_documents.partition_point(|(at, ..)| *at < start);
        for (at, nth, name) in &self.renamed_documents[from_start..] {
            self.removals.or_default(*at).names.insert(*nth, name.clone());
        }
        self.find_trailing_reasoning(start, len, &message);
        if self.format == Format::Anthropic {
            self.find_late_compactions(start, len, &message);
        }
        let marked = if has_turns { self.find_surplus_marks(from, len, start, &message) } else { None };
        let now = self.removals.starting_at(&start).filter(|(at, lost)| before.get(at) != Some(lost));
        let gone = before.keys().find(|at| !self.removals.contains_key(at));
        now.map(|(at, _)| *at).chain(gone.copied()).chain(marked).chain([first]).min().unwrap_or(from)
    }

    /// Finds compactions of the provider's own that come after a message other than instructions.
    fn find_late_compactions<'m>(
        &mut self,
        start: usize,
        len: usize,
        message: &impl Fn(usize) -> Option<&'m Message>,
    ) {
        let is_own = |at: &usize| message(*at).is_some_and(|m| m.has_provider_summary(self.format));
        let is_said = |at: usize| message(at).is_some_and(|m| !m.role.is_instruction());
        let late: Vec<usize> = (start..len).filter(is_own).filter(|at| (0..*at).any(is_said)).collect();
        for at in late {
            self.removals.or_default(at).compaction = true;
        }
    }

    /// Pairs calls of tools that the provider runs with their results. Returns the first position where a call lapses
    /// or no longer lapses, or else `from`. A call lapses if the user spoke before its result came.
    fn pair_server_calls<'m>(
        &mut self,
        from: usize,
        len: usize,
        is_edit: bool,
        message: &impl Fn(usize) -> Option<&'m Message>,
    ) -> usize {
        let mut first = from;
        if is_edit {
            first = self.forget_from(from);
        }
        for (at, message) in (from..len).filter_map(|at| Some((at, message(at)?))) {
            if message.role == Role::User && !message.parts.is_empty() {
                for call in self.waiting.drain(..) {
                    let call = &mut self.server_calls[call];
                    call.user_message_at = Some(at);
                    if call.has_lapsed() {
                        first = first.min(call.at);
                    }
                }
            }
            for (part, one) in message.parts.iter().enumerate() {
                match one {
                    Part::ToolCall(call) if call.is_of_server() => {
                        let n = self.server_calls.len();
                        self.waiting.push(n);
                        self.by_id.insert(call.id.clone(), n);
                        self.server_calls.push(ServerCall {
                            at,
                            part,
                            result_at: None,
                            code_call_at: None,
                            user_message_at: None,
                        });
                    }
                    Part::ToolCall(call) => {
                        let known = call.parent_call_id().and_then(|id| self.by_id.get(&id).copied());
                        if let Some(call) = known.map(|n| &mut self.server_calls[n]) {
                            first = if call.has_lapsed() { first.min(call.at) } else { first };
                            call.code_call_at.get_or_insert(at);
                        }
                    }
                    part_of => {
                        let Some(id) = part_of.opaque_call_id() else { continue };
                        match self.by_id.get(id).map(|n| &mut self.server_calls[*n]) {
                            Some(call) => {
                                first = if call.has_lapsed() { first.min(call.at) } else { first };
                                call.result_at.get_or_insert(at);
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

    /// Forgets everything from a position on. Returns the first position where a call no longer lapses, or else that
    /// position.
    fn forget_from(&mut self, from: usize) -> usize {
        let mut first = from;
        let kept = self.server_calls.partition_point(|call| call.at < from);
        self.server_calls.truncate(kept);
        self.by_id.retain(|_, n| *n < kept);
        self.orphans.truncate(self.orphans.partition_point(|(at, _)| *at < from));
        for call in &mut self.server_calls {
            let lapsed = call.has_lapsed();
            for at in [&mut call.result_at, &mut call.code_call_at, &mut call.user_message_at] {
                *at = at.filter(|at| *at < from);
            }
            if lapsed != call.has_lapsed() {
                first = first.min(call.at);
            }
        }
        let waits = |n: &usize| self.server_calls[*n].user_message_at.is_none();
        self.waiting = (0..kept).filter(waits).collect();
        first
    }

    /// Finds items with an id that was used before: these lose their id.
    fn find_duplicate_ids<'m>(
        &mut self,
        from: usize,
        len: usize,
        is_edit: bool,
        message: &impl Fn(usize) -> Option<&'m Message>,
    ) {
        if is_edit {
            self.ids.retain(|_, at| *at < from);
            self.duplicate_ids.truncate(self.duplicate_ids.partition_point(|(at, _)| *at < from));
        }
        // In the AI SDK, several parts of one item carry the item's id.
        let is_item = |part: &Part| part.extras().is_none_or(|extras| !extras.came_in(Format::AiSdk));
        for (at, message) in (from..len).filter_map(|at| Some((at, message(at)?))) {
            for (n, part) in message.parts.iter().enumerate().filter(|(_, part)| is_item(part)) {
                let Some(id) = item_ids::any_id(part) else { continue };
                match self.ids.entry(id) {
                    Entry::Occupied(_) => self.duplicate_ids.push((at, n)),
                    Entry::Vacant(free) => {
                        free.insert(at);
                    }
                }
            }
        }
    }

    /// Finds documents with a name that was used before: these get a number.
    fn find_duplicate_names<'m>(
        &mut self,
        from: usize,
        len: usize,
        message: &impl Fn(usize) -> Option<&'m Message>,
    ) {
        self.ids.retain(|_, at| *at < from);
        self.renamed_documents.truncate(self.renamed_documents.partition_point(|(at, ..)| *at < from));
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
                        self.renamed_documents.push((at, nth, free));
                    }
                }
                nth += 1;
            });
        }
    }

    /// Finds reasoning at the end of answers. `start` is a position where an answer may begin.
    fn find_trailing_reasoning<'m>(
        &mut self,
        start: usize,
        len: usize,
        message: &impl Fn(usize) -> Option<&'m Message>,
    ) {
        let mut trailing = Vec::new(); // the last one first
        let mut may_follow_reasoning = false; // what follows directly allows reasoning before it
        for (at, message) in (start..len).rev().filter_map(|at| Some((at, message(at)?))) {
            if message.role != Role::Assistant {
                may_follow_reasoning = match (self.format, message.parts.as_slice()) {
                    // The API keeps instructions outside of the list.
                    (Format::Anthropic | Format::BedrockConverse, _) => {
                        may_follow_reasoning && message.role.is_instruction()
                    }
                    (_, [part @ Part::Opaque { .. }]) => may_be_made(part),
                    _ => false,
                };
                continue;
            }
            for (n, part) in message.parts.iter().enumerate().rev() {
                let is_gone = self.removals.get(&at).is_some_and(|lost| lost.parts.contains_key(&n));
                match (self.format, part) {
                    _ if is_gone => {}
                    // Other models on Bedrock, whose reasoning has no signature, allow it there.
                    (Format::BedrockConverse, Part::Reasoning(one)) if one.signature.is_none() => {}
                    (Format::Anthropic | Format::BedrockConverse, Part::Reasoning(_))
                        if !may_follow_reasoning =>
                    {
                        trailing.push((at, n, THINKING_LAST));
                    }
                    (Format::Anthropic | Format::BedrockConverse, Part::Text { text, .. })
                        if is_blank(text) => {}
                    (Format::Anthropic | Format::BedrockConverse, _) => may_follow_reasoning = true,
                    (_, Part::Reasoning(reasoning)) if !may_follow_reasoning => {
                        if reasoning.id.is_some() {
                            trailing.push((at, n, REASONING_TAIL));
                        }
                    }
                    (_, part) => may_follow_reasoning = may_be_made(part),
                }
            }
        }
        for (at, part, rule) in trailing.into_iter().rev() {
            self.removals.or_default(at).parts.insert(part, rule);
        }
    }

    /// Finds surplus cache marks: the newest are kept. Returns the first position where something may have changed.
    /// From `start` on, losses were determined anew.
    fn find_surplus_marks<'m>(
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
        let unmarked = self.marks.len().saturating_sub(self.max_marks);
        let again = self.marks.partition_point(|at| *at < start);
        let (low, high) = (unmarked.min(self.removed_marks).min(again), unmarked.max(self.removed_marks));
        self.removed_marks = unmarked;
        let mut other = self.marks[low..high.min(self.marks.len()).max(low)].to_vec();
        other.dedup();
        let first = other.first().copied();
        for at in other {
            let before = self.marks.partition_point(|mark| *mark < at);
            let until = self.marks.partition_point(|mark| *mark <= at).min(unmarked);
            let lost = self.removals.or_default(at);
            lost.marks = until.saturating_sub(before);
            if lost.is_nothing() {
                self.removals.remove(&at);
            }
        }
        first
    }
}

/// Whether a part is an Anthropic result of a tool that the provider runs.
fn is_result(part: &Part) -> bool {
    let anthropics = raw(part).filter(|(_, format)| *format == Format::Anthropic);
    let kind = anthropics.and_then(|(block, _)| block.get("type")?.as_str());
    kind.is_some_and(|kind| kind.ends_with("_tool_result"))
}

/// The start of the answer that contains the position or ends directly before it.
fn turn_start<'m>(at: usize, message: &impl Fn(usize) -> Option<&'m Message>) -> usize {
    let may_lead = |at: &usize| {
        message(*at).is_some_and(|message| message.role == Role::Assistant || message.role.is_instruction())
    };
    (0..at).rev().take_while(may_lead).last().unwrap_or(at)
}

/// Whether reasoning may precede this part, according to [`check`](super::check).
pub(super) fn may_be_made(part: &Part) -> bool {
    match part {
        Part::Opaque { format: Format::OpenaiResponses, raw } => {
            raw.as_object().is_some_and(|item| kinds::is_model_made(item) || kinds::is_unknown(item))
        }
        _ => true,
    }
}

/// The number of cache marks in a block and its content.
pub(super) fn marks_of(block: &Value, key: &str) -> usize {
    let inside = each(block, "content");
    usize::from(is_mark(block.get(key))) + inside.map(|block| marks_of(block, key)).sum::<usize>()
}

fn is_mark(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null())
}

/// The number of cache marks in a part.
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

/// The unchanged block of a part that carries one, with its format.
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

/// Removes `count` marks, from the first on, and counts `count` down. A part that was only a mark goes.
fn unmark(parts: &mut Vec<Part>, format: Format, count: &mut usize) {
    let key = mark_key(format);
    parts.retain_mut(|part| {
        if *count == 0 {
            return true;
        }
        let extras = match part {
            Part::Opaque { format: from, raw } if *from == format => {
                let mut block = Value::clone(raw);
                let marks = *count;
                unmark_block(&mut block, key, count);
                let is_gone = *count < marks && block.as_object().is_some_and(Map::is_empty);
                *raw = block.into();
                return !is_gone;
            }
            Part::ToolCall(call) => {
                if let CallKind::Other { format: from, raw } = &mut call.kind
                    && *from == format
                {
                    let mut block = Value::clone(raw);
                    unmark_block(&mut block, key, count);
                    *raw = block.into();
                    return true;
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
            Part::Opaque { .. } => return true,
        };
        if *count > 0
            && is_marked(extras, format)
            && let Some(mut fields) = extras.of(format)
        {
            fields.shift_remove(key);
            *extras = extras.with(format, fields);
            *count -= 1;
        }
        true
    });
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
