//! Shared by the graph tests.

use contextfold::graph::{ContextGraph, EdgeKind, GraphLimits, NodeSpec, NodeState, NodeType};
use contextfold::provider::GraphMessages;

pub fn empty() -> ContextGraph {
    ContextGraph::new(GraphLimits::default())
}

pub fn node(id: &str, node_type: NodeType) -> NodeSpec {
    NodeSpec { id: Some(id.to_owned()), ..NodeSpec::text(node_type, &format!("text of {id}")) }
}

/// A node whose id determines its type: `u…` user, `a…` agent, `t…` task, `s…` system, `d…` developer.
pub fn named(id: &str) -> NodeSpec {
    let node_type = match id.as_bytes()[0] {
        b'u' => NodeType::UserMessage,
        b'a' => NodeType::AgentMessage,
        b't' => NodeType::Task,
        b's' => NodeType::SystemMessage,
        _ => NodeType::DeveloperMessage,
    };
    node(id, node_type)
}

pub fn in_lane(lane: &str, id: &str) -> NodeSpec {
    NodeSpec { lane: lane.to_owned(), ..named(id) }
}

pub fn after(ids: &[&str], spec: NodeSpec) -> NodeSpec {
    NodeSpec { after: Some(ids.iter().map(ToString::to_string).collect()), ..spec }
}

pub fn running(spec: NodeSpec) -> NodeSpec {
    NodeSpec { state: NodeState::Running, ..spec }
}

/// One lane with these nodes in a row.
pub fn line(ids: &str) -> ContextGraph {
    let mut graph = empty();
    extend(&mut graph, ids);
    graph
}

pub fn extend(graph: &mut ContextGraph, ids: &str) {
    for id in ids.split_whitespace() {
        graph.add_node(named(id)).unwrap();
    }
}

/// The ids of a view, in order.
pub fn view(graph: &ContextGraph, id: &str, turns: impl Into<Option<usize>>) -> String {
    graph.ids(&graph.context_for_full(id, turns.into()).unwrap().nodes).join(" ")
}

/// The whole graph as its snapshot.
pub fn bytes(graph: &ContextGraph) -> String {
    String::from_utf8(graph.snapshot(&GraphMessages).unwrap()).unwrap()
}

/// The visible edges.
pub fn seen_edges(graph: &ContextGraph) -> Vec<(String, String, EdgeKind)> {
    let seen = graph.edges().into_iter().filter(|e| e.compressed_at.is_none());
    seen.map(|e| (e.from.to_owned(), e.to.to_owned(), e.kind)).collect()
}

/// The code and the message of a refusal, which must have changed nothing.
pub fn refused<T>(
    graph: &mut ContextGraph,
    ask: impl FnOnce(&mut ContextGraph) -> contextfold::Result<T>,
) -> String {
    let before = bytes(graph);
    let Err(error) = ask(graph) else { panic!("it was not refused") };
    assert_eq!(bytes(graph), before, "a refusal changed the graph");
    error.to_string()
}
