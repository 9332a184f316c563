//! Invalid input: a typed error that names the ids, and nothing has changed.

use contextfold::graph::{ContextGraph, EdgeKind, GraphLimits, NodeSpec, NodeState, NodeType, SpecContent};
use contextfold::message::{Message, Role};

use super::world::*;

#[test]
fn missing_duplicate_and_cyclic_references_are_refused() {
    let mut graph = line("u1 a1 u2");
    for (refusal, told) in [
        (refused(&mut graph, |g| g.add_node(named("u1"))), "`u1`: the id is already used"),
        (refused(&mut graph, |g| g.add_node(after(&["x"], named("u3")))), "`x`: there is no node"),
        (refused(&mut graph, |g| g.add_edge("u2", "u1", EdgeKind::Dependency)), "`u2`, `u1`: an edge"),
        (
            refused(&mut graph, |g| g.add_edge("u1", "u1", EdgeKind::Branch)),
            "`u1`: an edge from a node to itself",
        ),
        (refused(&mut graph, |g| g.add_edge("u1", "x", EdgeKind::Branch)), "`x`: there is no node"),
        (refused(&mut graph, |g| g.set_state("x", NodeState::Running)), "`x`: there is no node"),
        (refused(&mut graph, |g| g.context_for_full("x", None)), "`x`: there is no node"),
        (refused(&mut graph, |g| g.fork("x", "l")), "`x`: there is no node"),
        (refused(&mut graph, |g| g.compress(&["u1", "x"], "S")), "`x`: there is no node"),
        (refused(&mut graph, |g| g.compress(&["u1", "u1"], "S")), "`u1`: named more than once"),
        (refused(&mut graph, |g| g.compress(&[] as &[&str], "S")), "there is nothing to fold"),
        (refused(&mut graph, |g| g.expand("u1")), "`u1`: it is not a fold's summary"),
    ] {
        assert!(refusal.starts_with("GRAPH_CONSTRAINT") && refusal.contains(told), "{refusal}");
    }
}

#[test]
fn a_folded_node_accepts_no_edge_state_or_view() {
    let mut graph = line("u1 a1 u2");
    graph.compress(&["u1", "a1"], "S").unwrap();
    for refusal in [
        refused(&mut graph, |g| g.add_edge("a1", "u2", EdgeKind::Dependency)),
        refused(&mut graph, |g| g.add_node(after(&["a1"], named("u3")))),
        refused(&mut graph, |g| g.set_state("a1", NodeState::Running)),
        refused(&mut graph, |g| g.fork("a1", "side")),
        refused(&mut graph, |g| g.compress(&["a1"], "T")),
        refused(&mut graph, |g| g.context_for_full("a1", None)),
    ] {
        assert!(refusal.contains("`a1`: it is folded into `fold_1`"), "{refusal}");
    }
    let refusal = refused(&mut graph, |g| g.set_state("fold_1", NodeState::Running));
    assert!(refusal.contains("always finished"), "{refusal}");
}

#[test]
fn invalid_arguments_are_refused() {
    let mut graph = line("u1 a1 u2");
    graph.fork("a1", "side").unwrap();
    let wrong = SpecContent::Message(Message::text(Role::Assistant, "hi").into());
    for (refusal, code) in [
        (refused(&mut graph, |g| g.fork("a1", "side")), "INVALID_ARGUMENT"),
        (refused(&mut graph, |g| g.fork("a1", "")), "INVALID_ARGUMENT"),
        (refused(&mut graph, |g| g.add_node(in_lane("", "u3"))), "INVALID_ARGUMENT"),
        (refused(&mut graph, |g| g.add_node(node("", NodeType::Task))), "INVALID_ARGUMENT"),
        (refused(&mut graph, |g| g.context_for_full("u1", Some(0))), "INVALID_ARGUMENT"),
        (refused(&mut graph, |g| g.add_node(NodeSpec { content: wrong, ..named("u3") })), "INVALID_ARGUMENT"),
        (refused(&mut graph, |g| g.compress(&["u1"], " \n")), "SUMMARY_EMPTY"),
    ] {
        assert!(refusal.starts_with(code), "{refusal}");
    }
}

#[test]
fn limit_errors_name_both_numbers() {
    let mut graph = ContextGraph::new(GraphLimits { max_nodes: 2, max_edges: 1, max_context_nodes: 1 });
    extend(&mut graph, "u1 a1");
    let refusal = refused(&mut graph, |g| g.add_node(after(&[], named("u2"))));
    assert!(refusal.starts_with("SAFETY_LIMIT_EXCEEDED: 3 nodes exceed the limit of 2"), "{refusal}");
    let refusal = refused(&mut graph, |g| g.compress(&["u1"], "S"));
    assert!(refusal.starts_with("SAFETY_LIMIT_EXCEEDED: 3 nodes"), "{refusal}");
    let refusal = refused(&mut graph, |g| g.add_edge("u1", "a1", EdgeKind::Dependency));
    assert!(refusal.starts_with("SAFETY_LIMIT_EXCEEDED: 2 edges exceed the limit of 1"), "{refusal}");
}

#[test]
fn invalid_limits_are_refused() {
    let read = |v: serde_json::Value| GraphLimits::from_value(&v).map_err(|e| e.to_string());
    assert_eq!(read(serde_json::json!({})).unwrap(), GraphLimits::default());
    assert_eq!(read(serde_json::json!({ "maxNodes": 5 })).unwrap().max_nodes, 5);
    assert!(read(serde_json::json!({ "maxNodes": 0 })).unwrap_err().starts_with("INVALID_CONFIG"));
    assert!(read(serde_json::json!({ "maxnodes": 1 })).unwrap_err().contains("maxNodes"));
}
