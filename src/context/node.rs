use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use serde::Serialize;

use super::branch::Renumbering;
use super::place::Late;
use super::tally::{PartName, Tally, text_part};
use crate::error::{Error, ErrorCode, Result};
use crate::message::{ItemType, Message, Part, Role};
use crate::saved::{Reader, Saved, Writer, saved};

/// A node's place in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

impl NodeIndex {
    /// As an index.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// Who put a node in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// The caller.
    Message,
    /// The engine: a fold's summary.
    Summary,
    /// The engine: the text that a fold's answer wants retained verbatim.
    Retain,
    /// The engine: the question that a summary answers, in a layout that shows it.
    Ask,
    /// The engine: a piece of a message's text that the caller pinned.
    Pin,
    /// The engine: what stands between header and conversation, as the caller set it.
    Part,
    /// The engine: what stands in for the output of an interrupted call until it comes.
    StandIn,
}

/// A message with what the engine knows of it.
#[derive(Debug, Clone)]
pub struct Node {
    /// Unique in the session: the caller's, or ours (`m1`, `m2`, …; `fold_1` for summaries).
    pub id: Arc<str>,
    /// The message, whole. Never changed.
    pub message: Arc<Message>,
    /// Its tokens, counted when it entered.
    pub tally: Tally,
    /// Who put it in.
    pub kind: NodeKind,
    /// Stands verbatim in every view.
    pub pinned: bool,
    /// The summary that stands for it in the view.
    pub folded_by: Option<NodeIndex>,
}

/// A call that waits for its output.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenCall {
    caller: NodeIndex,
    stand_in: Option<NodeIndex>,
}

impl OpenCall {
    /// The same in a branch of the conversation; `None` where it was not made there.
    pub fn renumbered(self, new: &Renumbering) -> Option<Self> {
        let caller = new.of(self.caller)?;
        Some(Self { caller, stand_in: self.stand_in.and_then(|n| new.of(n)) })
    }
}

/// All that happened. Append-only.
#[derive(Debug, Clone, Default)]
pub struct History {
    pub(super) nodes: Vec<Node>,
    pub(super) by_id: HashMap<Arc<str>, NodeIndex>,
    pub(super) open_calls: BTreeMap<String, OpenCall>,
    pub(super) generated: u64,
    /// Ids of messages that are entering.
    reserved: HashSet<String>,
    /// Nodes of a past that the caller rewrote or went back behind, and how many nodes there were then: their ids and
    /// calls are free.
    superseded: HashMap<NodeIndex, usize>,
    pub(super) late: Late,
    /// Messages whose output lives in the host's store, and what they took when they were pushed.
    pub(super) away: BTreeMap<NodeIndex, Tally>,
}

saved!(
    enum NodeKind {
        Message,
        Summary,
        Retain,
        Ask,
        Pin,
        StandIn,
        Part,
    }
);
saved!(struct Node { id, message, tally, kind, pinned, folded_by });
saved!(struct OpenCall { caller, stand_in });

impl Saved for NodeIndex {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        self.0.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        u32::load(from).map(Self)
    }
}

impl Saved for History {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        // What is not saved follows from the nodes; `reserved` names ids that have entered.
        let Self { nodes, by_id: _, open_calls, generated, reserved: _, superseded, late, away } = self;
        nodes.save(out);
        open_calls.save(out);
        generated.save(out);
        let mut gone: Vec<(NodeIndex, usize)> = superseded.iter().map(|(n, at)| (*n, *at)).collect();
        gone.sort_unstable();
        out.count(gone.len());
        for (node, at) in gone {
            out.count(node.get());
            out.count(at);
        }
        late.save(out);
        away.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let nodes: Vec<Node> = Saved::load(from)?;
        let is_node = |n: &NodeIndex| n.get() < nodes.len();
        let open_calls: BTreeMap<String, OpenCall> = Saved::load(from)?;
        let generated = Saved::load(from)?;
        let superseded: Vec<(NodeIndex, usize)> = Saved::load(from)?;
        let late: Late = Saved::load(from)?;
        let named = nodes.iter().filter_map(|n| n.folded_by.as_ref());
        let calls = open_calls.values().flat_map(|c| std::iter::once(&c.caller).chain(&c.stand_in));
        let away: BTreeMap<NodeIndex, Tally> = Saved::load(from)?;
        let known = named
            .chain(calls)
            .chain(superseded.iter().map(|(n, _)| n))
            .chain(away.keys())
            .chain(late.nodes())
            .all(is_node);
        from.require(known, "a message that it names is not there")?;
        // A summary is folded by a later one: whoever follows them comes to an end.
        let by_a_summary = |(at, node): (usize, &Node)| {
            let outer = |by: NodeIndex| node.kind != NodeKind::Summary || by.get() > at;
            node.folded_by.is_none_or(|by| nodes[by.get()].kind == NodeKind::Summary && outer(by))
        };
        from.require(nodes.iter().enumerate().all(by_a_summary), "it is folded by no summary")?;
        Ok(Self {
            by_id: nodes.iter().enumerate().map(|(at, n)| (n.id.clone(), NodeIndex(at as u32))).collect(),
            open_calls,
            generated,
            reserved: HashSet::new(),
            superseded: superseded.into_iter().collect(),
            late,
            away,
            nodes,
        })
    }
}

/// What [`History::supersede`] changed.
#[derive(Debug)]
pub struct Superseded {
    nodes: Vec<NodeIndex>,
    open_calls: BTreeMap<String, OpenCall>,
}

impl Node {
    /// The part of the report that its text belongs to.
    pub fn part(&self) -> PartName {
        match self.kind {
            NodeKind::Retain | NodeKind::Pin => PartName::Retain,
            NodeKind::Summary | NodeKind::Ask => PartName::Summary,
            NodeKind::Message | NodeKind::Part | NodeKind::StandIn => text_part(&self.message),
        }
    }

    /// Whether it stands for a fold: its summary, or what stands with that.
    pub fn is_fold(&self) -> bool {
        matches!(self.kind, NodeKind::Retain | NodeKind::Ask | NodeKind::Summary)
    }
}

impl History {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many messages the caller put in.
    pub fn pushed(&self) -> usize {
        self.nodes.iter().filter(|n| n.kind == NodeKind::Message).count()
    }

    /// Nothing has entered yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes in the order in which they entered.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node at `index`.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.get()]
    }

    /// Counts every message anew.
    pub(super) fn recount(&mut self, count: impl Fn(&Message) -> Tally) {
        for node in &mut self.nodes {
            node.tally = count(&node.message);
        }
    }

    /// The node with this id.
    pub fn find(&self, id: &str) -> Option<NodeIndex> {
        self.by_id.get(id).copied()
    }

    /// Pins or unpins a node.
    pub fn set_pinned(&mut self, index: NodeIndex, pinned: bool) {
        self.nodes[index.get()].pinned = pinned;
    }

    /// Marks a node as standing behind a summary, or no longer.
    pub fn set_folded_by(&mut self, index: NodeIndex, summary: Option<NodeIndex>) {
        self.nodes[index.get()].folded_by = summary;
    }

    /// The node whose call `call_id` no output has answered yet.
    pub fn open_call(&self, call_id: &str) -> Option<NodeIndex> {
        self.open_calls.get(call_id).map(|c| c.caller)
    }

    /// Whether a call still waits for its output.
    pub fn has_open_calls(&self) -> bool {
        !self.open_calls.is_empty()
    }

    /// The calls that neither an output nor a stand-in answers, and who made them.
    pub fn unanswered(&self) -> Vec<(String, NodeIndex)> {
        let waiting = self.open_calls.iter().filter(|(_, c)| c.stand_in.is_none());
        waiting.map(|(id, c)| (id.clone(), c.caller)).collect()
    }

    /// The stand-in of an open call whose output comes now.
    pub fn take_stand_in(&mut self, call_id: &str) -> Option<NodeIndex> {
        self.open_calls.get_mut(call_id).and_then(|c| c.stand_in.take())
    }

    /// Appends a stand-in for the output of `call_id`; the call stays open.
    pub fn append_stand_in(&mut self, call_id: &str, message: Arc<Message>, tally: Tally) -> NodeIndex {
        let open = self.open_calls.get(call_id).copied();
        let id = self.fresh_id("interrupted_");
        let index = self.insert(id, message, tally, NodeKind::StandIn);
        if let Some(open) = open {
            self.open_calls.insert(call_id.to_owned(), OpenCall { stand_in: Some(index), ..open });
        }
        index
    }

    /// Refuses messages that would break the history; changes nothing (PROV-5). Ids of the `replaced` nodes are free.
    pub fn check(&self, messages: &[Message], replaced: &[NodeIndex]) -> Result<()> {
        let mut opened: HashMap<&str, bool> = HashMap::new();
        let mut ids: HashMap<&str, usize> = HashMap::new();
        for (i, message) in messages.iter().enumerate() {
            if let Some(id) = &message.meta.id {
                if id.is_empty() {
                    return Err(Error::message_at(i, "its id is empty; leave it out to have one made"));
                }
                let holds = |index: NodeIndex| !replaced.contains(&index) && !self.is_superseded(index);
                let taken = self.find(id).is_some_and(holds);
                if taken || ids.insert(id, i).is_some() {
                    return Err(Error::message_at(
                        i,
                        format!("the id `{id}` is taken; ids are unique in a session"),
                    ));
                }
            }
            let is_open = |opened: &HashMap<&str, bool>, id: &str| {
                opened.get(id).copied().unwrap_or_else(|| self.open_calls.contains_key(id))
            };
            for call in message.tool_calls().filter(|c| !c.hosted) {
                if message.role != Role::Assistant {
                    return Err(Error::message_at(i, "only an assistant message can carry tool calls"));
                }
                if is_open(&opened, &call.id) {
                    let id = &call.id;
                    return Err(Error::message_at(
                        i,
                        format!(
                            "the tool call id `{id}` is still waiting for its output; give each call an id of its own"
                        ),
                    ));
                }
                opened.insert(&call.id, true);
            }
            let outputs = message.tool_outputs().count();
            if outputs != usize::from(message.role == Role::Tool) {
                return Err(Error::message_at(
                    i,
                    "a tool message holds exactly one tool output, and no other message holds any",
                ));
            }
            for output in message.tool_outputs() {
                if output.content.iter().any(|p| matches!(p, Part::ToolCall(_) | Part::ToolOutput(_))) {
                    return Err(Error::message_at(
                        i,
                        "a tool output holds no tool calls and no tool outputs",
                    ));
                }
                if !is_open(&opened, &output.call_id) {
                    let id = &output.call_id;
                    return Err(Error::message_at(
                        i,
                        format!(
                            "the tool output for call `{id}` has no open call before it; push the assistant message with that call first, or leave the output out"
                        ),
                    ));
                }
                opened.insert(&output.call_id, false);
            }
        }
        Ok(())
    }

    /// Appends a node. The message has passed [`History::check`].
    pub fn append(&mut self, message: Arc<Message>, tally: Tally) -> NodeIndex {
        let id: Arc<str> = match &message.meta.id {
            Some(id) => Arc::from(id.as_str()),
            None => self.fresh_id("m"),
        };
        self.insert(id, message, tally, NodeKind::Message)
    }

    /// Appends a message of the engine's own.
    pub fn append_engine_made(&mut self, kind: NodeKind, message: Arc<Message>, tally: Tally) -> NodeIndex {
        let id = self.fresh_id(match kind {
            NodeKind::Retain => "retain_",
            NodeKind::Ask => "ask_",
            NodeKind::Pin => "pin_",
            NodeKind::Part => "context_",
            _ => "fold_",
        });
        self.insert(id, message, tally, kind)
    }

    fn insert(&mut self, id: Arc<str>, message: Arc<Message>, tally: Tally, kind: NodeKind) -> NodeIndex {
        let index = NodeIndex(self.nodes.len() as u32);
        for output in message.tool_outputs() {
            self.open_calls.remove(&output.call_id);
        }
        for call in message.tool_calls().filter(|c| !c.hosted) {
            self.open_calls.insert(call.id.clone(), OpenCall { caller: index, stand_in: None });
        }
        self.by_id.insert(id.clone(), index);
        let pinned = message.meta.pinned;
        self.nodes.push(Node { id, message, tally, kind, pinned, folded_by: None });
        index
    }

    /// Nodes of a past that the caller rewrites: their ids may be used again, their calls wait no longer, and calls before
    /// them that they answered wait again.
    pub fn supersede(&mut self, gone: &[NodeIndex]) -> Superseded {
        let now = self.nodes.len();
        let nodes: Vec<NodeIndex> = gone.iter().copied().filter(|n| !self.is_superseded(*n)).collect();
        self.superseded.extend(nodes.iter().map(|n| (*n, now)));
        let before = Superseded { nodes, open_calls: self.open_calls.clone() };
        self.open_calls.retain(|_, call| !self.superseded.contains_key(&call.caller));
        // A call waited before all this if what comes first of it here is its output.
        let mut in_time = gone.to_vec();
        in_time.sort_unstable();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut reopened: HashSet<&str> = HashSet::new();
        for message in in_time.iter().map(|n| &self.nodes[n.get()].message) {
            let answered = message.tool_outputs().map(|o| o.call_id.as_str());
            reopened.extend(answered.filter(|id| seen.insert(id)));
            seen.extend(message.tool_calls().filter(|c| !c.hosted).map(|c| c.id.as_str()));
        }
        let mut open = Vec::new();
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if reopened.is_empty() {
                break;
            }
            let caller = NodeIndex(i as u32);
            if self.is_superseded(caller) {
                continue;
            }
            for call in node.message.tool_calls().filter(|c| !c.hosted) {
                if reopened.remove(call.id.as_str()) {
                    open.push((call.id.clone(), OpenCall { caller, stand_in: None }));
                }
            }
        }
        self.open_calls.extend(open);
        before
    }

    /// Whether the caller rewrote the past that the node belongs to, or went back behind it.
    pub fn is_superseded(&self, index: NodeIndex) -> bool {
        self.superseded.contains_key(&index)
    }

    /// How many nodes there were when the node became superseded.
    pub fn superseded_at(&self, index: NodeIndex) -> Option<usize> {
        self.superseded.get(&index).copied()
    }

    /// Takes [`History::supersede`] back.
    pub fn reinstate(&mut self, before: Superseded) {
        for node in before.nodes {
            self.superseded.remove(&node);
        }
        self.open_calls = before.open_calls;
    }

    /// Remembers that a node entered right behind another, and not behind all.
    pub(super) fn note_late(&mut self, index: NodeIndex, behind: Option<NodeIndex>) {
        if let Some(behind) = behind {
            self.late.enter(index, behind);
        }
    }

    /// Keeps the ids that messages bring from being given to others that come with them.
    pub fn reserve_ids(&mut self, messages: &[Message]) {
        self.reserved = messages.iter().filter_map(|m| m.meta.id.clone()).collect();
    }

    /// An id that is not taken; deterministic (INV-6).
    fn fresh_id(&mut self, prefix: &str) -> Arc<str> {
        loop {
            self.generated += 1;
            let id = format!("{prefix}{}", self.generated);
            if !self.by_id.contains_key(id.as_str()) && !self.reserved.contains(&id) {
                return Arc::from(id);
            }
        }
    }

    /// Whether a message's output lives in the host's store: a placeholder stands for it here.
    pub fn is_away(&self, index: NodeIndex) -> bool {
        self.away.contains_key(&index)
    }

    /// What a message took when it was pushed.
    pub fn tally_as_pushed(&self, index: NodeIndex) -> Tally {
        self.away.get(&index).copied().unwrap_or(self.node(index).tally)
    }

    /// A placeholder stands for a message's output from now on.
    pub(super) fn send_away(&mut self, index: NodeIndex, message: Arc<Message>, tally: Tally) {
        let node = &mut self.nodes[index.get()];
        node.message = message;
        let pushed = std::mem::replace(&mut node.tally, tally);
        self.away.entry(index).or_insert(pushed);
    }

    /// A message's output is in memory again.
    pub(super) fn bring_back(&mut self, index: NodeIndex, message: Arc<Message>) {
        if let Some(pushed) = self.away.remove(&index) {
            let node = &mut self.nodes[index.get()];
            (node.message, node.tally) = (message, pushed);
        }
    }

    /// The node with this id, or `INVALID_ARGUMENT`.
    pub fn require(&self, id: &str) -> Result<NodeIndex> {
        self.find(id).ok_or_else(|| {
            Error::new(
                ErrorCode::InvalidArgument,
                format!("no message has the id `{id}`; see items() for the ids"),
            )
        })
    }
}

/// A message with what the engine knows of it, for the caller.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Item {
    /// The message's id.
    pub id: String,
    /// What kind of entry it is.
    pub item_type: ItemType,
    /// Tokens that it takes in the view now.
    pub tokens: u64,
    /// Lower goes first.
    pub priority: i64,
    /// How many of its kind stay, where it is ephemeral.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<u32>,
    /// It stands verbatim in every view.
    pub pinned: bool,
    /// How it stands in the view: `whole`, `cut`, `placeholder` or `shortened`.
    pub form: &'static str,
}
