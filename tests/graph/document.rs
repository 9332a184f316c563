//! The parts of the reference document that concern the graph, sentence by sentence.

use contextfold::graph::{NodeState, NodeType};

use super::world::*;

/// 1.1: `graph.context_for_full(node.id)` gives the context nodes.
#[test]
fn the_context_is_the_ancestors_in_order() {
    let graph = line("s1 u1 a1 u2 a2 u3");
    assert_eq!(view(&graph, "u3", None), "s1 u1 a1 u2 a2 u3");
    assert_eq!(view(&graph, "a1", None), "s1 u1 a1");
}

/// 2: `limit_turns` counts down, and the view is rebuilt each time.
#[test]
fn fewer_turns_are_a_smaller_view() {
    let graph = line("s1 u1 a1 u2 a2 t2 u3");
    assert_eq!(view(&graph, "u3", 3), "s1 u1 a1 u2 a2 t2 u3");
    assert_eq!(view(&graph, "u3", 2), "s1 u2 a2 t2 u3");
    assert_eq!(view(&graph, "u3", 1), "s1 u3");
    assert_eq!(view(&graph, "u3", 9), view(&graph, "u3", None));
}

/// 3.1: the nodes dropped by the smaller window: same lane, finished, neither system nor developer nor summary.
#[test]
fn the_nodes_dropped_from_the_smaller_view_can_be_folded() {
    let mut graph = line("s1 u0 a0 u1 a1 d1 t1 u2 a2 u3");
    graph.compress(&["u0", "a0"], "earlier").unwrap();
    graph.set_state("t1", NodeState::Errored).unwrap();
    let full = graph.context_for_full("u3", None).unwrap();
    let shrunk = graph.context_for_full("u3", Some(1)).unwrap();
    assert_eq!(graph.ids(&graph.dropped(&full, &shrunk)), ["u1", "a1", "u2", "a2"]);
}

/// 3.4: the nodes and their incident edges are marked, and a summary replaces that subgraph.
#[test]
fn a_summary_replaces_the_nodes_it_marks_as_compressed() {
    let mut graph = line("u1 a1 u2 a2");
    let fold = graph.compress(&["u1", "a1"], "S").unwrap();
    assert_eq!(view(&graph, "a2", None), "fold_1 u2 a2");
    let marked: Vec<_> = graph
        .nodes()
        .iter()
        .map(|n| (graph.id(n.place).to_string(), n.compressed_at, n.compressed_by.map(str::to_owned)))
        .collect();
    assert_eq!(marked[0], ("u1".to_owned(), Some(4), Some(fold.to_string())));
    assert_eq!(marked[1], ("a1".to_owned(), Some(4), Some(fold.to_string())));
    assert_eq!(marked[2].1, None);
    let edges: Vec<String> = graph
        .edges()
        .iter()
        .map(|e| {
            format!("{}→{} {:?}{}", e.from, e.to, e.compressed_at, if e.relaid { " relaid" } else { "" })
        })
        .collect();
    assert_eq!(edges, ["u1→a1 Some(4)", "a1→u2 Some(4)", "u2→a2 None", "fold_1→u2 None relaid"]);
    let place = graph.find(&fold).unwrap();
    assert_eq!((graph.node_type(place), graph.state(place)), (NodeType::Summary, NodeState::Finished));
}

/// 3: only finished nodes can be compressed.
#[test]
fn only_finished_nodes_can_be_folded() {
    let mut graph = line("u1 a1 u2");
    for state in [NodeState::Pending, NodeState::Running, NodeState::Errored] {
        graph.set_state("a1", state).unwrap();
        let refusal = refused(&mut graph, |g| g.compress(&["u1", "a1"], "S"));
        assert!(refusal.starts_with("GRAPH_CONSTRAINT: `a1`: only finished"), "{refusal}");
    }
}

/// 3: no set of nodes across lanes can be compressed.
#[test]
fn only_nodes_of_one_lane_can_be_folded() {
    let mut graph = line("u1 a1");
    graph.fork("a1", "side").unwrap();
    graph.add_node(in_lane("side", "u2")).unwrap();
    graph.add_node(in_lane("side", "a2")).unwrap();
    let refusal = refused(&mut graph, |g| g.compress(&["a1", "u2"], "S"));
    assert!(refusal.starts_with("GRAPH_CONSTRAINT: `u2`: not in the lane `main`"), "{refusal}");
}

/// 3: a summary cannot become a leaf: it must keep an outgoing blocking edge.
#[test]
fn a_summary_is_never_a_leaf() {
    let mut graph = line("u1 a1");
    let refusal = refused(&mut graph, |g| g.compress(&["u1", "a1"], "S"));
    assert!(refusal.starts_with("GRAPH_CONSTRAINT: `u1`, `a1`: nothing comes after these"), "{refusal}");
    graph.fork("a1", "side").unwrap();
    graph.add_node(in_lane("side", "u2")).unwrap();
    refused(&mut graph, |g| g.compress(&["u1", "a1"], "S")); // a branch edge does not block
    extend(&mut graph, "u3");
    graph.compress(&["u1", "a1"], "S").unwrap();
}

/// 3: later views show the summary as a system message `<summary>…</summary>`, for any number of turns.
#[test]
fn a_summary_stays_in_the_view_for_any_number_of_turns() {
    let mut graph = line("s1 u1 a1 u2 a2 u3");
    graph.compress(&["u1", "a1"], "S").unwrap();
    assert_eq!(view(&graph, "u3", 1), "s1 fold_1 u3");
}

/// 4: hard limits of a context.
#[test]
fn a_context_has_a_limit() {
    use contextfold::graph::{ContextGraph, GraphLimits};
    let mut graph = ContextGraph::new(GraphLimits { max_context_nodes: 3, ..GraphLimits::default() });
    extend(&mut graph, "u1 a1 u2 a2");
    let error = graph.context_for_full("a2", None).unwrap_err().to_string();
    assert!(
        error.starts_with("SAFETY_LIMIT_EXCEEDED: 4 nodes in a context exceed the limit of 3"),
        "{error}"
    );
    assert_eq!(view(&graph, "a2", 1), "u2 a2");
}
