//! Tool outputs on their way into the view: stored, cut, and trimmed to their budget.

use super::core::Context;
use super::decision::Decision;
use super::event::EventName;
use super::item_id::ItemId;
use super::node::{NodeIndex, NodeSet};
use super::on_entry::OnEntry;
use super::output_budget::OutputBudget;
use super::room::ROOM_AGAIN;
use super::slot::{Form, Slot};
use crate::error::Result;
use crate::hashing::{HashMap, HashSet};
use crate::message::{Message, Part, Role, ToolOutput, ToolOutputRef};
use crate::tool_output::{self, ToolOutputCacheConfig};

impl Context {
    /// Stores a tool output in full, and returns the message with its ref (CACHE-2).
    pub(super) fn store_outputs(
        &mut self,
        mut message: Message,
        caller: Option<NodeIndex>,
    ) -> Result<Message> {
        if !self.output_config.enabled || message.role != Role::Tool {
            return Ok(message);
        }
        let own_tool = caller.is_some_and(|caller| self.answers_own_tool(&message, caller));
        for output in message.tool_outputs_mut() {
            if !own_tool || output.output_ref.is_some() {
                output.output_ref = Some(self.store_output(output)?.into());
            }
        }
        Ok(message)
    }

    /// The slot of a node in the form in which it enters the view.
    pub fn slot_on_entry(&self, index: NodeIndex) -> Slot {
        let mut slot = Slot::whole(&self.history, index);
        if slot.message.role != Role::Tool || self.history.node(index).pinned || !self.output_config.enabled {
            return slot;
        }
        if let Some(cut) = self.cut(&slot.message, self.history.caller(index)) {
            slot.tally = self.tally_of(&cut);
            slot.message = cut.into();
            slot.form = Form::Cut;
        }
        slot
    }

    /// A tool message with its outputs cut to the limits for outputs in the view; `None` if nothing has to be cut.
    fn cut(&self, message: &Message, caller: Option<NodeIndex>) -> Option<Message> {
        let config = &self.output_config;
        let mut cut = None;
        for (at, part) in message.parts.iter().enumerate() {
            let Part::ToolOutput(output) = part else { continue };
            let content = match &output.output_ref {
                Some(known) => {
                    self.bounded(&output.content, self.rule_of(caller, &output.call_id), &known.id)
                }
                None => tool_output::view_of_own_tool_output(&output.content, config)
                    .filter(|_| caller.is_some_and(|caller| self.answers_own_tool(message, caller))),
            };
            if let Some(content) = content {
                let shorter = ToolOutput { content, ..ToolOutput::clone(output) };
                cut.get_or_insert_with(|| message.clone()).parts[at] = Part::from(shorter);
            }
        }
        cut
    }

    /// The ref that opens this output. A ref that came with the output is kept if it opens the same output here, or a longer
    /// one that was stored by hand, or if it is unknown. If it is known as another tool's answer, this output gets its own
    /// ref, even if that answer contains it.
    pub(super) fn store_output(&mut self, output: &ToolOutput) -> Result<ToolOutputRef> {
        let Some(given) = output.output_ref.as_deref() else { return self.store_answer(output, None) };
        let Some(known) = self.outputs.loaded(&given.id) else {
            return self
                .store_answer(output, Some(given.id.clone()))
                .map(|_| given.clone())
                .or_else(|_| self.opened_by_placeholder(output, given));
        };
        let whole = known.parts();
        if whole == output.content {
            self.outputs.note_answer(&given.id);
            return Ok(given.clone());
        }
        let rule = self.rule_of(self.history.open_call(&output.call_id), &output.call_id);
        let shown = self.bounded(&whole, rule, &given.id);
        let is_part = !self.outputs.is_answer(&given.id) && is_excerpt(&output.content, &whole);
        if is_part || shown.as_ref() == Some(&output.content) {
            return Ok(given.clone());
        }
        self.opened_by_placeholder(output, given)
    }

    /// Stores what the view no longer shows whole of a node, unless it is already stored, and returns the ref. It goes when the node is
    /// erased.
    pub fn store_copy(&mut self, node: NodeIndex, content: Part) -> Result<String> {
        if let Some(known) = self.outputs.copy_of(node.0, &content) {
            return Ok(known.to_owned());
        }
        let stored = self.outputs.put(vec![content], None)?.id;
        self.outputs.note_copy(&stored, node.0);
        Ok(stored)
    }

    fn opened_by_placeholder(&mut self, output: &ToolOutput, given: &ToolOutputRef) -> Result<ToolOutputRef> {
        if let [Part::Text { text, .. }] = &output.content[..]
            && tool_output::is_placeholder(text)
        {
            return Ok(given.clone());
        }
        self.store_answer(output, None)
    }

    fn store_answer(&mut self, output: &ToolOutput, id: Option<String>) -> Result<ToolOutputRef> {
        let stored = self.outputs.put(output.content.clone(), id)?;
        self.outputs.note_answer(&stored.id);
        Ok(stored)
    }

    /// Marks which stored outputs are complete tool answers, according to the history.
    pub(super) fn find_answers(&mut self, known: usize) {
        for node in &self.history.nodes()[known..] {
            for output in node.message.tool_outputs() {
                let Some(known) = &output.output_ref else { continue };
                let is_away = self.outputs.store_key(&known.id).is_some(); // then the message's output is not in memory either
                if is_away || self.outputs.loaded(&known.id).is_some_and(|o| o.parts() == output.content) {
                    self.outputs.note_answer(&known.id);
                }
            }
        }
    }

    /// Whether a tool message answers one of the cache's own tools. Such answers are not stored again.
    fn answers_own_tool(&self, message: &Message, caller: NodeIndex) -> bool {
        let mut answered = message.tool_outputs().filter_map(|o| self.history.call_of(caller, &o.call_id));
        answered.any(|call| tool_output::is_cache_tool(&call.name))
    }

    /// Replaces the oldest tool outputs with placeholders if together they exceed the budget (CACHE-4).
    pub(super) fn trim_outputs(&mut self) {
        if self.output_config.enabled && !self.fold_near.contains(&self.view.tokens()) {
            let budget = self.output_budget;
            let trimmed =
                self.by_pass("trim_tool_outputs", |context| context.make_placeholders_beyond(budget));
            self.on_entry.trimmed.extend(&trimmed);
        }
    }

    /// Changes the settings for tool outputs. What exceeds the new budget becomes a placeholder at once; existing
    /// placeholders stay.
    pub fn set_output_config(&mut self, config: ToolOutputCacheConfig, budget: OutputBudget) {
        self.output_budget = budget;
        self.output_config = config;
        self.trim_outputs();
    }

    /// The same for any budget. Returns the nodes that became placeholders.
    pub fn trim_outputs_to(&mut self, budget: OutputBudget) -> Vec<NodeIndex> {
        self.make_placeholders_beyond(budget).into_iter().map(|(index, _)| index).collect()
    }

    /// Returns the nodes that became placeholders, and the tokens each saved. To get down to the budget, any output may be
    /// trimmed; from there down to the low mark only outputs that the model has seen, since it is still waiting for those of
    /// the newest step.
    fn make_placeholders_beyond(&mut self, budget: OutputBudget) -> Vec<(NodeIndex, u64)> {
        let mut saved = Vec::new();
        if self.view.output_tokens() <= budget.limit {
            return saved;
        }
        let newest_step = self.view.newest_step();
        let mut first = self.first_outputs().into_iter().peekable();
        while self.view.output_tokens() > budget.target {
            let is_over = self.view.output_tokens() > budget.limit;
            let until = if is_over { self.view.body().len() } else { newest_step };
            let next = first.next_if(|at| *at < until).or_else(|| self.view.oldest_output(until));
            let Some(at) = next else { break };
            let before = self.view.tokens();
            if self.make_placeholder(at) {
                saved.push((self.view.body()[at].node, before - self.view.tokens()));
            }
        }
        let trimmed: Vec<NodeIndex> = saved.iter().map(|(index, _)| *index).collect();
        for index in &trimmed {
            self.note_left_out(
                *index,
                "tool outputs exceed their budget; this one was among the oldest",
                None,
            );
        }
        self.emit_trimmed(&trimmed, &format!("tool output budget of {} tokens", budget.limit));
        if !trimmed.is_empty() {
            self.replace_stale_pointers();
        }
        saved
    }

    /// Records that tool outputs lost text: one line each in the report, and an event.
    pub fn note_trimmed(&mut self, nodes: &[NodeIndex], why: &'static str) {
        let trimmed: NodeSet = nodes.iter().copied().collect();
        let named = |slot: &Slot| {
            let output_ref = slot.message.output_ref()?;
            Some((slot.node, output_ref.id.clone()))
        };
        let shown = self.view.body().iter().filter(|s| trimmed.contains(&s.node));
        let refs: HashMap<NodeIndex, String> = shown.filter_map(named).collect();
        for node in nodes {
            self.note_left_out_by_ref(*node, why, refs.get(node).cloned(), None);
        }
        self.emit_trimmed(nodes, why);
    }

    /// Emits an event that messages lost text.
    pub fn emit_trimmed(&mut self, nodes: &[NodeIndex], why: &str) {
        if !nodes.is_empty() {
            self.emit(EventName::OutputTrimmed, nodes, why.to_owned());
        }
    }

    /// Emits events for the messages that a pass changed, except those that its own events name. `before`: how many events there
    /// were, and the view's tokens.
    pub fn emit_changed(&mut self, nodes: &[NodeIndex], why: &str, before: (usize, u64)) {
        let named: HashSet<ItemId> = self.events[before.0..].iter().flat_map(|e| e.items.clone()).collect();
        let is_told = |node: &NodeIndex| named.contains(&*self.history.node(*node).id);
        let changed: NodeSet = nodes.iter().copied().filter(|node| !is_told(node)).collect();
        // A larger view shows more of the messages that are still cut, too.
        let grew = self.view.tokens() > before.1;
        let (mut trimmed, mut back) = (Vec::new(), Vec::new());
        for slot in self.view.body().iter().filter(|slot| changed.contains(&slot.node)) {
            let is_back = grew || matches!(slot.form, Form::Whole | Form::Cut);
            if is_back { &mut back } else { &mut trimmed }.push(slot.node);
        }
        self.emit_trimmed(&trimmed, why);
        if !back.is_empty() {
            self.emit(EventName::Unfolded, &back, ROOM_AGAIN.to_owned());
        }
    }

    /// What entering tool outputs caused since the last report, as decisions in order.
    pub fn decisions_on_entry(&self) -> Vec<Decision> {
        let OnEntry { cut, trimmed, media } = &self.on_entry;
        if cut.is_empty() && trimmed.is_empty() && media.is_empty() {
            return Vec::new(); // the usual case
        }
        let config = &self.output_config;
        let (bytes, line) = (config.max_message_bytes, config.max_line_length);
        let steps = [
            (
                "cut_tool_outputs",
                cut,
                format!(
                    "each tool output is limited to {bytes} bytes and {line} characters per line{}",
                    self.tool_limits(cut.iter().map(|(node, _)| *node))
                ),
            ),
            ("trim_tool_outputs", trimmed, self.output_budget.why()),
            ("trim_media", media, self.media_budget.why()),
        ];
        let saved = |of: &Vec<(NodeIndex, u64)>| of.iter().map(|(_, tokens)| tokens).sum::<u64>();
        let mut tokens = self.view.tokens() + saved(cut) + saved(trimmed) + saved(media);
        let mut decisions = Vec::new();
        for (pass, shrunk, why) in steps.into_iter().filter(|(_, shrunk, _)| !shrunk.is_empty()) {
            let after = tokens - saved(shrunk);
            let nodes: Vec<NodeIndex> = shrunk.iter().map(|(index, _)| *index).collect();
            decisions.push(Decision::new(pass, (tokens, after), self.item_ids(&nodes), why));
            tokens = after;
        }
        decisions
    }

    /// Removes stored outputs that neither the history nor a fold mentions (CACHE-7), or only lists them. Walks over the
    /// history once, however many outputs there are.
    pub fn collect_garbage(&mut self, dry_run: bool) -> Vec<ToolOutputRef> {
        let mut texts: Vec<String> = Vec::new();
        let mut mentioned: HashSet<String> = HashSet::default();
        // A shortened message names the ref of its full text only in its slot: in the view, among the dropped messages, or
        // in a fold.
        let in_view = self.view.with_dropped();
        let comes_back = self.folds.iter().flat_map(|f| &f.altered).map(|s| &s.slot);
        let changed =
            in_view.into_iter().chain(comes_back).filter(|s| s.form != Form::Whole).map(|s| &s.message);
        for message in self.history.nodes().iter().map(|n| &n.message).chain(changed) {
            mentioned
                .extend(message.tool_outputs().filter_map(|o| o.output_ref.as_ref()).map(|r| r.id.clone()));
            texts.push(message.plain_text());
            texts.extend(message.tool_calls().map(|c| c.input.to_string()));
        }
        let words: HashSet<&str> = texts.iter().flat_map(|t| t.split(|c| !is_ref_char(c))).collect();
        let named = |id: &str| {
            if id.chars().all(is_ref_char) {
                words.contains(id)
            } else {
                texts.iter().any(|t| t.contains(id))
            }
        };
        self.outputs.collect_garbage(&|id| mentioned.contains(id) || named(id), dry_run)
    }
}

/// The characters that generated ids consist of.
fn is_ref_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Whether each part occurs in `whole`; a text may be a piece of a longer one.
fn is_excerpt(parts: &[Part], whole: &[Part]) -> bool {
    let stands_in = |part: &Part, of: &Part| match (part, of) {
        (Part::Text { text, .. }, Part::Text { text: longer, .. }) => longer.contains(&**text),
        (part, of) => part == of,
    };
    parts.iter().all(|part| whole.iter().any(|of| stands_in(part, of)))
}
