//! What every pass works on, and the lines and events that passes leave in it.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::custom::CustomRuns;
use super::duplicates::Duplicates;
use super::event::{Event, EventName};
use super::fold::Fold;
use super::history::History;
use super::holders::Holders;
use super::item_id::ItemId;
use super::media_budget::MediaBudget;
use super::node::{NodeIndex, NodeSet};
use super::on_entry::OnEntry;
use super::output_budget::{LOW_RATIO, OutputBudget};
use super::part_name::PartName;
use super::report::{LeftOut, PartReport};
use super::shared::Shared;
use super::tally::Tally;
use super::view::View;
use super::wording::{PlaceholderWriter, Wording};
use crate::facts::ExtractedFacts;
use crate::message::Message;
use crate::sorted::SortedMap;
use crate::tokens::Counter;
use crate::tool_output::{ToolOutputCacheConfig, ToolOutputs};

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

    /// Runs `work` on behalf of a pass, so that lines of the report name that pass.
    pub fn by_pass<T>(&mut self, pass: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.current_pass.replace(pass);
        let done = work(self);
        self.current_pass = before;
        done
    }

    /// The tokens that a message takes, by what they are spent on.
    pub(super) fn tally_of(&self, message: &Message) -> Tally {
        Tally::of(message, &*self.counter)
    }

    /// The tokens that a message takes.
    pub fn count(&self, message: &Message) -> u64 {
        self.tally_of(message).total()
    }

    /// Adds a report line that a message left the view or was shortened.
    pub fn note_left_out(
        &mut self,
        index: NodeIndex,
        why: impl Into<Cow<'static, str>>,
        fold: Option<&Arc<str>>,
    ) {
        let output_ref = self.history.node(index).message.output_ref().map(|r| r.id.clone());
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

    /// Adds a report line for each of these messages, and an event that they left the view.
    pub(super) fn note_removed(&mut self, nodes: &[NodeIndex], why: &'static str) {
        for node in nodes {
            self.note_left_out(*node, why, None);
        }
        self.emit(EventName::ItemsRemoved, nodes, why.to_owned());
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
        let detail = format!("chunk {chunk} of {chunks} is summarised");
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

    /// The view's tokens and messages by part.
    pub fn part_reports(&self) -> Vec<PartReport> {
        let report = |(part, tokens, messages): (PartName, u64, u64)| PartReport {
            name: Cow::Borrowed(part.as_str()),
            tokens,
            messages,
        };
        self.view.tokens_by_part().into_iter().map(report).collect()
    }

    /// The budgets shown in the report.
    pub fn budgets(&self) -> SortedMap<Cow<'static, str>, u64> {
        let mut budgets = SortedMap::new();
        if self.output_config.enabled && self.output_budget != OutputBudget::NONE {
            budgets.insert(Cow::Borrowed("tool_outputs"), self.output_budget.limit);
        }
        budgets
    }
}
