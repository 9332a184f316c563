use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::custom::CustomRuns;
use super::duplicates::Duplicates;
use super::event::{Event, EventName};
use super::fold::{Fold, FoldInfo, FoldMessages};
use super::history::History;
use super::holders::Holders;
use super::item::Item;
use super::item_id::ItemId;
use super::ledger_text::without_ledger;
use super::media_budget::MediaBudget;
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::on_entry::OnEntry;
use super::output_budget::{LOW_RATIO, OutputBudget};
use super::report::{LeftOut, PartReport};
use super::shared::Shared;
use super::slot::{Form, PlacedSlot, Slot};
use super::tally::Tally;
use super::view::View;
use super::wording::{PlaceholderWriter, Wording};
use crate::error::Result;
use crate::facts::ExtractedFacts;
use crate::message::{ItemType, Message, Role};
use crate::tokens::Counter;
use crate::tool_output::{ToolOutputCacheConfig, ToolOutputs};

/// Replaces the output of a call that was interrupted.
const INTERRUPTED: &str = "[no output yet: the call was interrupted]";

/// Why a view leaves out thinking without a signature.
const CUT_OFF: &str = "its thinking was left out: it has no signature because its stream was cut off, and the provider would reject it";

/// History, view, tool outputs and counter: the state that every pass works on.
#[derive(Clone)]
pub struct Context {
    /// Every message that ever entered.
    pub history: History,
    /// What is sent next.
    pub view: View,
    /// Full tool outputs, by ref.
    pub outputs: ToolOutputs,
    /// Every fold that was made, in order.
    pub folds: Vec<Fold>,
    /// Counts text.
    pub counter: Counter,
    /// The settings of the tool output cache.
    pub output_config: ToolOutputCacheConfig,
    /// The style of placeholders, and whether the model can open refs.
    pub wording: Wording,
    /// Writes placeholders, if the host does so.
    pub placeholder_writer: Option<PlaceholderWriter>,
    /// The functions of the ladder's custom passes.
    pub customs: CustomRuns,
    /// How many tokens all tool outputs may take together.
    pub output_budget: OutputBudget,
    /// View sizes at which entering outputs trim nothing, because a fold is near that would take them anyway.
    pub fold_near: Range<u64>,
    /// How many media a request may hold.
    pub(super) media_budget: MediaBudget,
    /// The time by the caller's clock, if there is one.
    pub now: Option<f64>,
    /// What happened since events were last taken.
    pub events: Vec<Event>,
    /// What left the view since the last report.
    pub left_out: Vec<LeftOut>,
    /// The `left_out` lines of all reports, newest last.
    pub(super) reported: Vec<LeftOut>,
    /// `reported` was rewritten since the session was last saved, not only extended.
    pub(super) reported_rewritten: bool,
    /// The pass that is running.
    pub(super) current_pass: Option<&'static str>,
    /// What entering tool outputs did to the view since the last report.
    pub on_entry: OnEntry,
    /// Pairs of a tool output that was replaced by a pointer and the identical output further down.
    pub pointers: Vec<(NodeIndex, NodeIndex)>,
    /// User messages that hold the results of branches, not the user's own words.
    pub results: NodeSet,
    pub(super) merges_instructions: bool,
    /// The facts in the history's messages, as far as they were needed so far.
    pub(super) facts: Shared<ExtractedFacts>,
    pub(super) duplicates: Shared<Duplicates>,
    pub(super) holders: Shared<Holders>,
    /// Counts the changes of `folds` and of their members.
    pub folds_changed: u64,
}

impl Context {
    /// An empty conversation.
    pub fn new(counter: Counter, output_config: ToolOutputCacheConfig, window: Option<u64>) -> Self {
        let output_budget = OutputBudget::new(output_config.budget(window), LOW_RATIO);
        Self {
            history: History::default(),
            view: View::default(),
            outputs: ToolOutputs::default(),
            folds: Vec::new(),
            counter,
            output_config,
            wording: Wording::default(),
            placeholder_writer: None,
            customs: CustomRuns::new(),
            output_budget,
            fold_near: 0..0,
            media_budget: MediaBudget::default(),
            now: None,
            events: Vec::new(),
            left_out: Vec::new(),
            reported: Vec::new(),
            reported_rewritten: false,
            current_pass: None,
            on_entry: OnEntry::default(),
            pointers: Vec::new(),
            results: NodeSet::default(),
            merges_instructions: false,
            facts: Shared::default(),
            duplicates: Shared::default(),
            holders: Shared::default(),
            folds_changed: 0,
        }
    }

    /// Adds messages, all or none: checks them, stores their tool outputs, counts and indexes them.
    pub fn push(&mut self, messages: Vec<Message>) -> Result<Vec<NodeIndex>> {
        self.history.check(&messages, &[])?;
        self.history.reserve_ids(&messages);
        let mut added = Vec::with_capacity(messages.len());
        let held = self.view.media();
        for message in messages {
            added.push(self.admit(message)?);
            self.trim_outputs(); // one by one, so that the result does not depend on which messages were pushed together
        }
        if self.view.media() != held || added.iter().any(|node| self.history.node(*node).message.opens_turn())
        {
            let first = self.view.first_position(&added.iter().copied().collect());
            self.trim_media_on_entry(first.unwrap_or(self.view.body().len()));
        }
        for index in &added {
            self.emit(EventName::MessageAdded, &[*index], String::new());
        }
        Ok(added)
    }

    fn admit(&mut self, mut message: Message) -> Result<NodeIndex> {
        message.shrink();
        let is_merged = self.is_to_merge(&message) && self.view.has_begun(&self.history);
        if !is_merged {
            self.answer_interrupted_calls(&message);
        }
        let caller = message.tool_outputs().find_map(|o| self.history.open_call(&o.call_id));
        for late in message.tool_outputs().filter_map(|o| self.history.take_stand_in(&o.call_id)) {
            self.view.remove(late);
        }
        let (whole, cut) = self.store_outputs(message, caller)?;
        let whole = Arc::new(whole);
        let tally = Tally::of(&whole, &*self.counter);
        let in_header = whole.role.is_instruction() && !self.view.has_begun(&self.history);
        let index = self.history.append(whole, tally);
        let mut slot = Slot::whole(&self.history, index);
        if let Some(cut) = cut {
            slot.tally = Tally::of(&cut, &*self.counter);
            slot.message = Arc::new(cut);
            slot.form = Form::Cut;
            self.on_entry.note_cut(index, tally.total().saturating_sub(slot.tokens()));
            let why = "the tool output exceeds the limit for one output; only its beginning was kept";
            self.by_pass("cut_tool_outputs", |context| context.note_left_out(index, why, None));
        }
        if slot.form == Form::Unbound {
            self.note_left_out(index, CUT_OFF, None);
        } else if slot.message.is_empty() {
            self.note_left_out(index, "it is empty, and providers reject empty messages", None);
        }
        if slot.message.is_empty() {
            return Ok(index);
        }
        if in_header {
            self.view.push_header(slot);
        } else if is_merged {
            self.merge(index);
        } else if let Some((caller, fold)) = caller.and_then(|c| Some((c, self.history.node(c).folded_by?))) {
            self.add_to_fold(fold, index, caller);
            let pinned = self.history.node(index).pinned;
            self.set_pinned(index, pinned);
        } else if let Some(caller) = caller.filter(|c| !self.shows_call_of(*c, &slot.message)) {
            let behind = self.view.enter_dropped(slot, caller, &self.history);
            self.history.record_inserted(index, behind);
            self.note_left_out(index, "its tool call left the view before this output came", None);
            let pinned = self.history.node(index).pinned;
            self.set_pinned(index, pinned);
        } else {
            let behind = self.view.push(slot, caller, &self.history);
            self.history.record_inserted(index, behind);
            if behind.is_some() {
                self.answer_calls_before(index);
            }
            if self.is_compaction(index) {
                self.drop_compacted();
            }
        }
        Ok(index)
    }

    /// If an output is inserted before later messages, its step is over: the other calls of the step were interrupted.
    fn answer_calls_before(&mut self, output: NodeIndex) {
        let waiting = self.history.unanswered();
        if waiting.is_empty() {
            return;
        }
        let at = self.view.position(output);
        for (call_id, caller) in waiting {
            if self.view.position(caller).is_some_and(|caller| Some(caller) < at) {
                self.stand_in_for(&call_id, caller);
            }
        }
    }

    /// No provider accepts a call without an output (INV-1). If another message comes before a call's output, a stand-in
    /// answers the call until the output comes. Calls at the very end are still being executed and get none.
    fn answer_interrupted_calls(&mut self, next: &Message) {
        let same_answer = |last: &Slot| last.message.role == Role::Assistant && next.role == Role::Assistant;
        if next.role == Role::Tool
            || next.answers_approvals()
            || !self.history.has_open_calls()
            || self.view.body().last().is_some_and(same_answer)
        {
            return;
        }
        for (call_id, caller) in self.history.unanswered() {
            self.stand_in_for(&call_id, caller);
        }
    }

    /// Answers a waiting call with a stand-in.
    pub(super) fn stand_in_for(&mut self, call_id: &str, caller: NodeIndex) {
        let message = Arc::new(Message::tool(call_id.to_owned(), INTERRUPTED));
        let tally = Tally::of(&message, &*self.counter);
        let index = self.history.append_stand_in(call_id, message, tally);
        let behind = self.view.push(Slot::whole(&self.history, index), Some(caller), &self.history);
        self.history.record_inserted(index, behind);
    }

    /// Adds an output whose call is folded to the fold, in place of its stand-in.
    fn add_to_fold(&mut self, summary: NodeIndex, index: NodeIndex, caller: NodeIndex) {
        self.history.set_folded_by(index, Some(summary));
        self.folds_changed += 1;
        let entering = PlacedSlot { slot: self.slot_on_entry(index), shown: true };
        if let Some(fold) = self.folds.iter_mut().find(|f| f.summary == summary) {
            let answered = &self.history.node(index).message;
            let answers_same = |n: &NodeIndex| {
                let node = self.history.node(*n);
                let ids = || node.message.tool_outputs().map(|o| &o.call_id);
                node.kind == NodeKind::StandIn
                    && *n > caller
                    && ids().any(|id| answered.tool_outputs().any(|o| o.call_id == *id))
            };
            let behind = if let Some(at) = fold.members.iter().position(answers_same) {
                std::mem::replace(&mut fold.members[at], index)
            } else {
                fold.members.push(index);
                caller
            };
            // Hidden if its call was dropped or removed from its message.
            let call_shown = fold.altered.iter().all(|s| s.slot.node != caller || s.shows_calls());
            let placed = PlacedSlot { shown: call_shown, ..entering };
            fold.altered.extend(Some(placed).filter(PlacedSlot::is_altered));
            self.history.record_inserted(index, Some(behind));
        }
        let id = self.history.node(summary).id.clone();
        self.note_left_out(index, "its tool call was folded before this output came", Some(&id));
    }

    /// Replaces the header; setting the same header again changes nothing. Only system and developer messages are allowed.
    pub fn set_header(&mut self, messages: Vec<Message>) {
        self.replace_in_header(&self.own_header(), messages, 0);
    }

    /// Replaces messages of the header in place; if `replaced` is empty, the new ones are inserted at position `at`. The ids
    /// of the replaced messages become free. Returns the nodes of the new messages.
    pub fn replace_in_header(
        &mut self,
        replaced: &[NodeIndex],
        messages: Vec<Message>,
        at: usize,
    ) -> Vec<NodeIndex> {
        let same = |(node, message): (&NodeIndex, &Message)| *self.history.node(*node).message == *message;
        if replaced.len() == messages.len() && replaced.iter().zip(&messages).all(same) {
            return replaced.to_vec();
        }
        let mut own = self.own_header();
        let at = own.iter().position(|node| replaced.contains(node)).unwrap_or(at.min(own.len()));
        own.retain(|node| !replaced.contains(node));
        self.history.supersede(replaced);
        for index in replaced {
            self.history.set_pinned(*index, false);
            self.note_left_out(*index, "the caller replaced the header", None);
        }
        let mut entered = Vec::with_capacity(messages.len());
        for message in messages {
            let message = Arc::new(message);
            let tally = Tally::of(&message, &*self.counter);
            entered.push(self.history.append(message, tally));
        }
        own.splice(at..at, entered.iter().copied());
        self.compose_header(&own);
        entered
    }

    /// Folds `members` into messages written by the engine, one of which is the summary. They come before everything else,
    /// or behind the folds that stay.
    pub fn fold(&mut self, members: Vec<NodeIndex>, messages: FoldMessages) -> NodeIndex {
        let set: NodeSet = members.iter().copied().collect();
        let tokens_folded = self.view.body().iter().filter(|s| set.contains(&s.node)).map(Slot::tokens).sum();
        let altered: Vec<PlacedSlot> = self.view.altered(&set).collect();
        let pointers = self.pointers.iter().filter(|(node, _)| set.contains(node)).copied().collect();
        let mut with = Vec::new();
        let mut add = |context: &mut Self, kind, message: Message| {
            let message = Arc::new(message);
            let tally = Tally::of(&message, &*context.counter);
            let index = context.history.append_engine_made(kind, message, tally);
            with.push(Slot::whole(&context.history, index));
            index
        };
        let retain = messages.retain.map(|message| add(self, NodeKind::Retain, message));
        let ask = messages.ask.map(|message| add(self, NodeKind::Ask, message));
        let summary = add(self, NodeKind::Summary, messages.summary);
        let stays = self.view.body().iter().map(|s| s.node).filter(|n| !set.contains(n));
        let earlier =
            stays.enumerate().filter(|(_, n)| messages.behind_earlier && self.history.node(*n).is_fold());
        let before = earlier.last().max(self.last_compacted(&set));
        let at = match before {
            Some((at, mut before)) => {
                for slot in &with {
                    self.history.record_inserted(slot.node, Some(before));
                    before = slot.node;
                }
                at + 1
            }
            None => 0,
        };
        self.view.fold(&set, with, at);
        let id = self.history.node(summary).id.clone();
        for member in &members {
            self.history.set_folded_by(*member, Some(summary));
            if self.history.node(*member).kind == NodeKind::Message {
                self.note_left_out(*member, "folded into a summary", Some(&id));
            }
        }
        self.emit(EventName::Folded, &members, format!("into {id}"));
        let created_at = self.now;
        let text = messages.text;
        self.folds_changed += 1;
        self.folds.push(Fold {
            members,
            summary,
            retain,
            ask,
            text,
            tokens_folded,
            created_at,
            altered,
            pointers,
        });
        summary
    }

    /// Runs `work` on behalf of a pass, so that lines of the report name that pass.
    pub fn by_pass<T>(&mut self, pass: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.current_pass.replace(pass);
        let done = work(self);
        self.current_pass = before;
        done
    }

    /// The tokens that a message takes.
    pub fn count(&self, message: &Message) -> u64 {
        Tally::of(message, &*self.counter).total()
    }

    /// Adds a report line that a message left the view or was shortened.
    pub fn note_left_out(
        &mut self,
        index: NodeIndex,
        why: impl Into<Cow<'static, str>>,
        fold: Option<&Arc<str>>,
    ) {
        let output_ref = self
            .history
            .node(index)
            .message
            .tool_outputs()
            .find_map(|o| o.output_ref.as_ref())
            .map(|r| r.id.clone());
        self.note_left_out_by_ref(index, why, output_ref, fold);
    }

    /// The same, with the ref that opens its full content.
    pub fn note_left_out_by_ref(
        &mut self,
        index: NodeIndex,
        why: impl Into<Cow<'static, str>>,
        output_ref: Option<String>,
        fold: Option<&Arc<str>>,
    ) {
        let node = self.history.node(index);
        let line = LeftOut {
            id: ItemId::from(&node.id),
            why: why.into(),
            output_ref,
            fold: fold.map(ItemId::from),
            pass: self.current_pass.map(Cow::Borrowed),
        };
        self.left_out.push(line);
    }

    /// Queues an event.
    pub fn emit(&mut self, event: EventName, items: &[NodeIndex], detail: String) {
        let (items, tokens) = (self.item_ids(items), self.view.tokens());
        self.events.push(Event {
            event,
            items,
            detail,
            tokens,
            left: None,
            chunk: None,
            chunks: None,
            text: None,
        });
    }

    /// Emits the progress of a summary that is written in several pieces.
    pub fn emit_progress(&mut self, chunk: u64, chunks: u64, text: String) {
        let (event, tokens) = (EventName::CompactionProgress, self.view.tokens());
        let detail = format!("chunk {chunk} of {chunks} is summarized");
        let (chunk, chunks, text) = (Some(chunk), Some(chunks), Some(text));
        self.events.push(Event { event, items: Vec::new(), detail, tokens, left: None, chunk, chunks, text });
    }

    /// The ids of nodes, for reports and events.
    pub fn item_ids(&self, nodes: &[NodeIndex]) -> Vec<ItemId> {
        nodes.iter().map(|n| ItemId::from(&self.history.node(*n).id)).collect()
    }

    /// The ids of nodes, as strings.
    pub fn ids(&self, nodes: &[NodeIndex]) -> Vec<String> {
        nodes.iter().map(|n| String::from(&*self.history.node(*n).id)).collect()
    }

    /// The view's messages in order.
    pub fn view_messages(&self) -> Vec<Arc<Message>> {
        self.view.slots().map(|s| s.message.clone()).collect()
    }

    /// Every message of the view with its metadata.
    pub fn items(&self) -> Vec<Item> {
        self.view
            .slots()
            .map(|slot| {
                let node = self.history.node(slot.node);
                Item {
                    id: node.id.to_string(),
                    item_type: node.message.item_type(),
                    tokens: slot.tokens(),
                    priority: node
                        .message
                        .meta
                        .priority
                        .unwrap_or_else(|| default_priority(node.message.item_type())),
                    ephemeral: node.message.meta.ephemeral,
                    pinned: node.pinned,
                    form: slot.form.as_str(),
                }
            })
            .collect()
    }

    /// Every fold, for the caller.
    pub fn fold_infos(&self) -> Vec<FoldInfo> {
        let in_view: NodeSet = self.view.body().iter().map(|s| s.node).collect();
        let text = |n: NodeIndex| self.history.node(n).message.plain_text();
        let tokens = |n: NodeIndex| self.history.node(n).tally.total();
        self.folds
            .iter()
            .map(|fold| (fold, without_ledger(&fold.text)))
            .map(|(fold, (summary, ledger))| FoldInfo {
                id: self.history.node(fold.summary).id.to_string(),
                items: self.ids(&fold.members),
                summary: summary.to_owned(),
                ledger: ledger.map(str::to_owned),
                retain: fold.retain.map(text),
                tokens_folded: fold.tokens_folded,
                tokens: tokens(fold.summary) + fold.retain.map_or(0, tokens) + fold.ask.map_or(0, tokens),
                in_view: in_view.contains(&fold.summary),
            })
            .collect()
    }

    /// The view's tokens and messages by part.
    pub fn part_reports(&self) -> Vec<PartReport> {
        let report = |(part, tokens, messages): (super::PartName, u64, u64)| PartReport {
            name: Cow::Borrowed(part.as_str()),
            tokens,
            messages,
        };
        self.view.tokens_by_part().into_iter().map(report).collect()
    }

    /// The budgets shown in the report.
    pub fn budgets(&self) -> BTreeMap<Cow<'static, str>, u64> {
        let mut budgets = BTreeMap::new();
        if self.output_config.enabled && self.output_budget != OutputBudget::NONE {
            budgets.insert(Cow::Borrowed("tool_outputs"), self.output_budget.limit);
        }
        budgets
    }
}

/// The order of the selective document: the lowest goes first.
pub fn default_priority(item_type: ItemType) -> i64 {
    match item_type {
        ItemType::ToolResult => 10,
        ItemType::SkillPrompt => 20,
        ItemType::SkillMetadata => 30,
        ItemType::Memory => 35,
        ItemType::Injection => 38,
        ItemType::AssistantMessage => 40,
        ItemType::UserMessage => 50,
        ItemType::CompactionSummary => 90,
        ItemType::SkillStrategy | ItemType::SubagentStrategy => 95,
        ItemType::SystemPrompt => 100,
    }
}
