//! Graph snapshots, and bytes that are not valid snapshots.

use contextfold::graph::{ContextGraph, EdgeKind, NodeSpec, NodeType, Place, SpecContent};
use contextfold::message::{Message, Part, Role, ToolCall};
use contextfold::provider::GraphMessages;
use serde_json::json;

use super::world::*;

fn restored(bytes: &[u8]) -> Result<ContextGraph, String> {
    ContextGraph::restore(bytes, &GraphMessages).map_err(|e| e.to_string())
}

/// A graph with something of everything.
fn rich() -> ContextGraph {
    let mut graph = line("s1 u1");
    let call = Part::from(ToolCall::function("c1", "read", "{}"));
    let content = SpecContent::Message(Message::new(Role::Assistant, vec![Part::text("so"), call]).into());
    graph.add_node(NodeSpec { content, ..named("a1") }).unwrap();
    let content = SpecContent::Message(Message::tool("c1", "42").into());
    graph.add_node(NodeSpec { content, ..named("t1") }).unwrap();
    graph.fork("a1", "sub").unwrap();
    graph.fork("u1", "still empty").unwrap();
    graph.add_node(in_lane("sub", "u7")).unwrap();
    graph.add_edge("u7", "t1", EdgeKind::Branch).unwrap();
    extend(&mut graph, "d1 a2 u2 a3 u3");
    graph.add_node(running(NodeSpec::new(NodeType::AgentMessage))).unwrap();
    graph.compress(&["u2", "a3"], "gone").unwrap();
    graph.compress(&["a1", "t1", "a2"], "read \"42\"").unwrap();
    graph.compress(&["fold_2", "fold_1"], "both").unwrap();
    graph.compress(&["u3"], "next").unwrap();
    graph.expand("fold_4").unwrap();
    let Place::Node(u3) = graph.find("u3").unwrap() else { unreachable!("it is no summary") };
    graph.set_metadata(u3, "context_cost", json!({ "limit": 5 }));
    graph
}

#[test]
fn a_restored_graph_equals_the_saved_one() {
    let graph = rich();
    let saved = bytes(&graph);
    let again = restored(saved.as_bytes()).unwrap();
    assert_eq!(bytes(&again), saved);
    assert_eq!(again.nodes(), graph.nodes());
    assert_eq!(again.edges(), graph.edges());
    for turns in [None, Some(1), Some(2)] {
        for id in ["n11", "u3", "u7"] {
            assert_eq!(view(&again, id, turns), view(&graph, id, turns), "{id}, {turns:?}");
        }
    }
    let place = again.find("a1").unwrap();
    assert_eq!(again.content(place), graph.content(graph.find("a1").unwrap()));
    assert_eq!(again.metadata(again.find("u3").unwrap()).unwrap()["context_cost"]["limit"], 5);
}

#[test]
fn a_restored_graph_continues_like_the_saved_one() {
    let (mut graph, mut again) = (rich(), restored(bytes(&rich()).as_bytes()).unwrap());
    for g in [&mut graph, &mut again] {
        extend(g, "u8 a8");
        g.add_node(in_lane("still empty", "u9")).unwrap();
        g.expand("fold_3").unwrap();
        g.expand("fold_2").unwrap();
        g.compress(&["u1"], "new").unwrap();
    }
    assert_eq!(bytes(&again), bytes(&graph));
    assert_eq!(view(&again, "a8", None), view(&graph, "a8", None));
}

#[test]
fn an_undone_fold_leaves_no_gap() {
    let mut graph = line("u1 a1 u2 a2 u3");
    graph.compress(&["u1"], "S").unwrap();
    graph.compress(&["u2"], "T").unwrap();
    graph.expand("fold_1").unwrap();
    graph.compress(&["a1", "fold_2"], "U").unwrap();
    let again = restored(bytes(&graph).as_bytes()).unwrap();
    assert_eq!(again.edges(), graph.edges());
    assert_eq!(bytes(&again), bytes(&graph));
}

#[test]
fn a_newer_version_is_refused_with_its_own_error() {
    let newer = bytes(&rich()).replacen("contextfold-graph 1 ", "contextfold-graph 2 ", 1);
    let refusal = restored(newer.as_bytes()).unwrap_err();
    assert!(refusal.starts_with("SNAPSHOT_TOO_NEW") && refusal.contains("version 2"), "{refusal}");
}

#[test]
fn damaged_bytes_are_refused() {
    let saved = bytes(&rich()).into_bytes();
    let step = (saved.len() / 97).max(1);
    for at in (0..saved.len()).step_by(step) {
        let mut damaged = saved.clone();
        damaged[at] ^= 1;
        let refusal = restored(&damaged).err().unwrap_or_else(|| panic!("byte {at} may change"));
        assert!(refusal.starts_with("SNAPSHOT_"), "{refusal}");
        assert!(restored(&saved[..at]).unwrap_err().starts_with("SNAPSHOT_INVALID"));
    }
}

/// FNV-1a, to give invalid content a valid checksum.
fn signed(graph: &serde_json::Value) -> Vec<u8> {
    let text = graph.to_string();
    let sum = text
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |s, b| (s ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3));
    format!("contextfold-graph 1 {sum:016x}\n{text}").into_bytes()
}

#[test]
fn invalid_content_with_a_valid_checksum_is_refused() {
    let saved = bytes(&rich());
    let good: serde_json::Value = serde_json::from_str(saved.split_once('\n').unwrap().1).unwrap();
    assert!(restored(&signed(&good)).is_ok());
    let nonsense: [(&str, serde_json::Value); 12] = [
        ("/edges/0", json!([0, 99, "sequence"])),
        ("/edges/0", json!([1, 1, "sequence"])),
        ("/edges/0", json!([1, 0, "sequence"])),
        ("/edges/0", json!([1, 0, "of tomorrow"])),
        ("/nodes/0/lane", json!(9)),
        ("/nodes/0/id", json!("u1")),
        ("/nodes/0/message", json!({ "role": "nobody" })),
        ("/lanes/1/name", json!("main")),
        ("/lanes/1/origin", json!(99)),
        ("/folds/0/members", json!([])),
        ("/folds/0/members", json!([{ "fold": 7 }])),
        ("/folds/0/members", json!([{ "node": 0 }, { "node": 0 }])),
    ];
    for (path, value) in nonsense {
        let mut bad = good.clone();
        *bad.pointer_mut(path).unwrap() = value;
        let refusal = restored(&signed(&bad)).err().unwrap_or_else(|| panic!("{path} was taken"));
        assert!(refusal.starts_with("SNAPSHOT_INVALID"), "{path}: {refusal}");
    }
}
