//! `ContextGraph`: the JavaScript class over [`crate::graph`].

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::*;

use super::arguments::{known_keys, options_json, text};
use super::inner::Inner;
use super::text_pieces::bytes_of;
use super::value::{self, get, list_in, to_js};
use crate::error::{Error, ErrorCode};
use crate::graph::{
    self, EdgeInfo, EdgeKind, GraphLimits, MessageCodec as _, NodeInfo, NodeSpec, NodeState, NodeType,
    SpecContent,
};
use crate::message::{Format, Message, Part, Role};
use crate::provider::{GraphMessages, provider};

/// A conversation as a graph: lanes of nodes, edges between them, and folds that replace nodes and can be undone.
///
/// A **lane** is an append-only sequence of nodes. A **fold** is a summary that replaces nodes of one lane in views; it hides
/// them without changing them. An operation that fails changes nothing. The cost of appending depends only on what is appended, the
/// cost of a view only on what it returns, however large the graph is.
///
/// ```js
/// const graph = new ContextGraph();
/// const ask = graph.addNode({ type: "user_message", content: "Which colour?" });
/// const answer = graph.addNode({ type: "agent_message", content: "Blue." });
/// const next = graph.addNode({ type: "user_message", content: "And the shape?" });
/// const fold = graph.compress([ask, answer], "The colour is blue.");
/// graph.contextForFull(next).map((node) => node.id); // [fold, next]
/// graph.expand(fold);
/// graph.contextForFull(next).map((node) => node.id); // [ask, answer, next]
/// ```
#[wasm_bindgen]
pub struct ContextGraph {
    core: Backing,
}

/// Where the graph comes from.
enum Backing {
    /// A graph of its own.
    Own(Box<RefCell<graph::ContextGraph>>),
    /// The graph of a session's history.
    Session(Rc<Inner>),
}

#[wasm_bindgen]
impl ContextGraph {
    /// Creates an empty graph. Exceeding a limit throws `SAFETY_LIMIT_EXCEEDED`, with the limit and the actual number.
    ///
    /// @throws {ContextError} `INVALID_CONFIG`, which names the key.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "ContextGraphOptions")] options: JsValue,
    ) -> Result<ContextGraph, JsValue> {
        let limits = GraphLimits::from_value(&options_json(&options, ErrorCode::InvalidConfig)?)?;
        Ok(Self::own(graph::ContextGraph::new(limits)))
    }

    /// Appends a node to its lane and returns its id.
    ///
    /// `after` says what it comes after; by default the lane's last node, or the node at which the lane was forked off. The edge is
    /// a `sequence` within a lane. From another lane it is a `branch` to the lane's first node, and a `dependency` to any
    /// later one. `[]`: it comes after nothing.
    ///
    /// ```js
    /// const agent = graph.addNode({ type: "agent_message", message: { role: "assistant", tool_calls } });
    /// const tasks = tool_calls.map((call) => graph.addNode({ id: call.id, type: "task", state: "running", after: agent }));
    /// graph.addNode({ type: "agent_message", state: "pending", after: tasks });
    /// ```
    ///
    /// @throws {ContextError} `GRAPH_CONSTRAINT` with the ids: the id is taken, or a node in `after` is missing or folded;
    /// `SAFETY_LIMIT_EXCEEDED`; `INVALID_MESSAGE` for a malformed message or content; `INVALID_ARGUMENT`.
    #[wasm_bindgen(js_name = addNode)]
    pub fn add_node(
        &self,
        #[wasm_bindgen(unchecked_param_type = "GraphNodeInput")] node: JsValue,
    ) -> Result<String, JsValue> {
        self.refuse_session("a node", "push(message)")?;
        let spec = spec(&node)?;
        Ok(self.write()?.add_node(spec)?.to_string())
    }

    /// Adds an edge; `kind` is `"sequence"` by default. If the edge exists already, nothing changes. An edge of a summary is an edge
    /// of the nodes it replaces: an outgoing one starts at its last node, an incoming one ends at its first.
    ///
    /// @throws {ContextError} `GRAPH_CONSTRAINT` with the ids: a missing or folded node, or an edge that would close a cycle (no
    /// edge may run against the order of a lane); `SAFETY_LIMIT_EXCEEDED`.
    #[wasm_bindgen(js_name = addEdge)]
    pub fn add_edge(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] from: JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] to: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "EdgeKind")] kind: JsValue,
    ) -> Result<(), JsValue> {
        self.refuse_session("an edge", "push(message), which adds edges from tool calls to their outputs")?;
        let kind = if kind.is_undefined() {
            EdgeKind::Sequence
        } else {
            named(&kind, "kind", EdgeKind::parse, &EdgeKind::ALL.map(EdgeKind::as_str))?
        };
        Ok(self.write()?.add_edge(&text(&from, "from")?, &text(&to, "to")?, kind)?)
    }

    /// Sets the state of a node's work.
    ///
    /// @throws {ContextError} `GRAPH_CONSTRAINT` for a missing or folded node, and for a fold's summary.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
        #[wasm_bindgen(unchecked_param_type = "NodeState")] state: JsValue,
    ) -> Result<(), JsValue> {
        self.refuse_session("a state", "push(message): a tool call is finished when its output is pushed")?;
        let state = named(&state, "state", NodeState::parse, &NodeState::ALL.map(NodeState::as_str))?;
        Ok(self.write()?.set_state(&text(&id, "id")?, state)?)
    }

    /// A node's context: its ancestors in order, and the node itself. Summaries replace the nodes that they fold.
    ///
    /// With `limitTurns`: only the last turns of these, up to that number, the nodes that those depend on by `dependency`, and everything
    /// that is pinned (system and developer messages, summaries). A turn begins with a user message of the node's own lane, or of the
    /// lanes it was forked from. An edge of kind `branch` is followed only into the first node of a lane, so a forked lane contributes
    /// its result but not its messages. The order is topological and keeps the order of each lane.
    ///
    /// ```js
    /// const messages = graph.contextForFull(id, { limitTurns: 3 }).map((node) => node.content);
    /// ```
    ///
    /// @throws {ContextError} `GRAPH_CONSTRAINT` for a missing or folded node; `SAFETY_LIMIT_EXCEEDED` for more than
    /// `maxContextNodes`; `INVALID_ARGUMENT`.
    #[wasm_bindgen(js_name = contextForFull, unchecked_return_type = "GraphNode[]")]
    pub fn context_for_full(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ limitTurns?: number | undefined }")]
        options: JsValue,
    ) -> Result<JsValue, JsValue> {
        known_keys(&options, &["limitTurns"])?;
        let turns = get(&options, "limitTurns")?.map(|turns| {
            let whole = turns.as_f64().filter(|n| n.fract() == 0.0 && (1.0..=4_294_967_295.0).contains(n));
            whole
                .map(|n| n as usize)
                .ok_or_else(|| Error::argument("`limitTurns`: expected a whole number, at least 1"))
        });
        let (id, turns) = (text(&id, "id")?, turns.transpose()?);
        self.read(|core| {
            let view = core.context_for_full(&id, turns)?;
            to_js(&view.nodes.iter().map(|place| shown(core, &core.info(*place))).collect::<Vec<_>>())
        })
    }

    /// Folds nodes into a summary, which replaces them in every view, and returns the summary's id. Summaries can be folded too.
    ///
    /// The nodes and their edges stay as they are, marked with `compressed_at`; edges to and from other nodes are added to the
    /// summary instead. Instructions of the lane between the nodes stay, and so does what was forked off between them.
    ///
    /// @throws {ContextError} `GRAPH_CONSTRAINT` with the ids if a node is missing, already folded, not finished, or of another
    /// lane; if no blocking edge leads out of the nodes (a summary is never a leaf); or if a node that is not folded comes
    /// after one of them and before another. `SUMMARY_EMPTY`, `SAFETY_LIMIT_EXCEEDED`.
    pub fn compress(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string[]")] ids: JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] summary: JsValue,
    ) -> Result<String, JsValue> {
        let ids = texts(&ids, "ids")?;
        if let Backing::Session(inner) = &self.core {
            let summary = text(&summary, "summary")?;
            inner.refuse_freed()?;
            inner.precount(&[Message::text(Role::User, summary.as_str())])?;
            return inner.write(|core| core.fold_by_hand(&ids, &summary));
        }
        Ok(self.write()?.compress(&ids, &text(&summary, "summary")?)?.to_string())
    }

    /// Undoes a fold: the graph is as if the fold had never been made, plus what was appended since. What came after the summary comes
    /// after the last node that it replaced. Undoing a fold of folds brings back the inner folds.
    ///
    /// @throws {ContextError} `GRAPH_CONSTRAINT` for a missing node, a node that is not a fold's summary, and a fold that is folded itself.
    pub fn expand(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string", js_name = summaryId)] summary_id: JsValue,
    ) -> Result<(), JsValue> {
        let id = text(&summary_id, "summaryId")?;
        if let Backing::Session(inner) = &self.core {
            inner.refuse_freed()?;
            return inner.write(|core| {
                core.graph()?.expandable(&id).and_then(|()| core.unfold(&id, false)).map(drop)
            });
        }
        Ok(self.write()?.expand(&id)?)
    }

    /// Opens a lane that begins at a node: the lane sees what that node sees, and continues on its own.
    ///
    /// ```js
    /// graph.fork(agent, "researcher");
    /// const found = graph.addNode({ type: "agent_message", lane: "researcher", content: "Found it." });
    /// const task = graph.addNode({ type: "task", content: "Found it." });
    /// graph.addEdge(found, task, "branch"); // the result came from there; the parent's view does not contain the branch's messages
    /// ```
    ///
    /// @throws {ContextError} `GRAPH_CONSTRAINT` for a missing or folded node; `INVALID_ARGUMENT` for a lane that already exists.
    pub fn fork(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] lane: JsValue,
    ) -> Result<(), JsValue> {
        self.refuse_session("a lane", "fork(id, { lane }), which returns the lane's session")?;
        Ok(self.write()?.fork(&text(&id, "id")?, &text(&lane, "lane")?)?)
    }

    /// All nodes in the order in which they were added, including folded ones and summaries.
    #[wasm_bindgen(unchecked_return_type = "GraphNode[]")]
    pub fn nodes(&self) -> Result<JsValue, JsValue> {
        // One by one: as one text, all of them would be as long as the conversation, and WebAssembly memory never shrinks.
        self.read(|core| {
            let nodes: Result<Array, _> = core.nodes().iter().map(|node| to_js(&shown(core, node))).collect();
            Ok(nodes?.into())
        })
    }

    /// All edges in the order in which they were added, including hidden ones; then those that folds added in their place.
    #[wasm_bindgen(unchecked_return_type = "GraphEdge[]")]
    pub fn edges(&self) -> Result<JsValue, JsValue> {
        self.read(|core| to_js(&core.edges().iter().map(edge).collect::<Vec<_>>()))
    }

    /// The graph as bytes, including its limits. The same graph always gives the same bytes.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array")]
    pub fn snapshot(&self) -> Result<Uint8Array, JsValue> {
        self.read(|core| Ok(Uint8Array::from(core.snapshot(&GraphMessages)?.as_slice())))
    }

    /// Restores a graph from the bytes of `snapshot`; those of older versions can be read too.
    ///
    /// @throws {ContextError} `SNAPSHOT_TOO_NEW`, `SNAPSHOT_INVALID`.
    pub fn restore(
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] bytes: JsValue,
    ) -> Result<ContextGraph, JsValue> {
        let bytes = bytes_of(&bytes)
            .map(|b| b.to_vec())
            .ok_or_else(|| Error::argument("`bytes`: expected a Uint8Array"))?;
        Ok(Self::own(graph::ContextGraph::restore(&bytes, &GraphMessages)?))
    }
}

impl ContextGraph {
    fn own(core: graph::ContextGraph) -> Self {
        Self { core: Backing::Own(Box::new(RefCell::new(core))) }
    }

    /// The graph of a session's history.
    pub(super) fn of_session(inner: Rc<Inner>) -> Self {
        Self { core: Backing::Session(inner) }
    }

    /// Reads the graph. A session's graph is read as it is now.
    fn read<T>(&self, read: impl FnOnce(&graph::ContextGraph) -> Result<T, JsValue>) -> Result<T, JsValue> {
        match &self.core {
            Backing::Own(core) => read(&*core.try_borrow().map_err(|_| busy())?),
            Backing::Session(inner) => inner.read_graph(read),
        }
    }

    fn write(&self) -> Result<RefMut<'_, graph::ContextGraph>, Error> {
        match &self.core {
            Backing::Own(core) => core.try_borrow_mut().map_err(|_| busy()),
            Backing::Session(_) => Err(busy()), // a session's graph is only changed through its session
        }
    }

    /// Refuses a change of a session's graph that would not change the session.
    fn refuse_session(&self, what: &str, instead: &str) -> Result<(), Error> {
        match &self.core {
            Backing::Own(_) => Ok(()),
            Backing::Session(_) => Err(Error::new(
                ErrorCode::GraphConstraint,
                format!(
                    "this graph is a session's history, so {what} can be set only through the session: use session.{instead}"
                ),
            )),
        }
    }
}

/// The error if a getter of an argument uses the graph while it reads that argument.
fn busy() -> Error {
    Error::argument("a getter of an argument cannot use the graph that is reading it")
}

/// Reads a new node from `{ id?, type, lane?, state?, content?, message?, after? }`.
fn spec(node: &JsValue) -> Result<NodeSpec, JsValue> {
    if node.is_undefined() {
        return Err(Error::argument("`node`: expected an object").into());
    }
    known_keys(node, &["id", "type", "lane", "state", "content", "message", "after"])?;
    let field = |key: &str| get(node, key);
    let Some(node_type) = field("type")? else { return Err(Error::argument("`type` is missing").into()) };
    let node_type = named(&node_type, "type", NodeType::parse, &NodeType::ALL.map(NodeType::as_str))?;
    let mut spec = NodeSpec::new(node_type);
    spec.id = field("id")?.map(|id| text(&id, "id")).transpose()?;
    if let Some(lane) = field("lane")? {
        spec.lane = text(&lane, "lane")?;
    }
    if let Some(state) = field("state")? {
        spec.state = named(&state, "state", NodeState::parse, &NodeState::ALL.map(NodeState::as_str))?;
    }
    spec.after = match field("after")? {
        Some(after) if after.is_string() => Some(vec![text(&after, "after")?]),
        Some(after) => Some(texts(&after, "after")?),
        None => None,
    };
    spec.content = match (field("content")?, field("message")?) {
        (Some(_), Some(_)) => {
            return Err(Error::argument("a node can have `content` or a `message`, not both").into());
        }
        (Some(content), None) => SpecContent::Parts(parts(&content)?),
        (None, Some(message)) => {
            let message = GraphMessages.read(value::json(&message, ErrorCode::InvalidMessage)?)?;
            SpecContent::Message(message.into())
        }
        (None, None) => SpecContent::Parts(Vec::new()),
    };
    Ok(spec)
}

/// The parts of a text or a list of parts.
fn parts(content: &JsValue) -> Result<Vec<Part>, JsValue> {
    let content = value::json(content, ErrorCode::InvalidMessage)?;
    let read = provider(Format::Messages).read(&json!([{ "role": "user", "content": content }]))?;
    Ok(read.into_iter().flat_map(|m| m.parts).collect())
}

/// The node as the JavaScript API shows it.
fn shown(core: &graph::ContextGraph, node: &NodeInfo<'_>) -> Value {
    let content = core.content(node.place);
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| out.insert(key.to_owned(), value);
    set("id", core.id(node.place).to_string().into());
    set("type", core.node_type(node.place).as_str().into());
    set("lane", core.lane(node.place).into());
    set("state", core.state(node.place).as_str().into());
    let mut message = GraphMessages.write(&content.message);
    if content.whole {
        set("message", message);
    } else if let Some(said) = message.get_mut("content").filter(|said| **said != json!([])) {
        set("content", said.take());
    }
    if let (Some(at), Some(by)) = (node.compressed_at, node.compressed_by) {
        set("compressed_at", at.into());
        set("compressed_by", by.into());
    }
    if let Some(metadata) = core.metadata(node.place) {
        set("metadata", Value::Object(metadata.clone()));
    }
    Value::Object(out)
}

fn edge(edge: &EdgeInfo<'_>) -> Value {
    let mut out = json!({ "from": edge.from, "to": edge.to, "kind": edge.kind.as_str() });
    if let Some(at) = edge.compressed_at {
        out["compressed_at"] = at.into();
    }
    if edge.relaid {
        out["relaid"] = true.into();
    }
    out
}

/// Parses one of a set of known words.
fn named<T>(
    value: &JsValue,
    key: &str,
    parse: impl Fn(&str) -> Option<T>,
    known: &[&str],
) -> Result<T, Error> {
    value.as_string().as_deref().and_then(parse).ok_or_else(|| {
        let known = known.iter().map(|k| format!("\"{k}\"")).collect::<Vec<_>>().join(", ");
        Error::argument(format!("`{key}`: expected one of {known}"))
    })
}

/// A list of strings.
fn texts(value: &JsValue, name: &str) -> Result<Vec<String>, Error> {
    let wrong = || Error::argument(format!("`{name}`: expected an array of strings"));
    let list = list_in(value).ok().flatten().ok_or_else(wrong)?;
    list.iter().map(|v| v.as_string().ok_or_else(wrong)).collect()
}
