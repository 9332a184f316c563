//! Lanes: forks, merges, and what a bounded view needs from other lanes.

use contextfold::graph::EdgeKind;

use super::world::*;

#[test]
fn a_fork_sees_earlier_nodes_and_then_continues_separately() {
    let mut graph = line("s1 u1 a1 u2 a2");
    graph.fork("a1", "other").unwrap();
    graph.add_node(in_lane("other", "u3")).unwrap();
    graph.add_node(in_lane("other", "a3")).unwrap();
    assert_eq!(view(&graph, "a3", None), "s1 u1 a1 u3 a3");
    assert_eq!(view(&graph, "a3", 1), "s1 u3 a3");
    assert_eq!(view(&graph, "a3", 2), "s1 u1 a1 u3 a3");
    assert_eq!(view(&graph, "a2", None), "s1 u1 a1 u2 a2");
}

#[test]
fn instructions_added_after_a_fork_are_not_seen_by_the_fork() {
    let mut graph = line("u1 a1 d2 u2");
    graph.fork("a1", "other").unwrap();
    graph.add_node(in_lane("other", "u3")).unwrap();
    assert_eq!(view(&graph, "u3", None), "u1 a1 u3");
    assert_eq!(view(&graph, "u3", 1), "u3");
}

#[test]
fn a_fork_sees_the_summary_that_replaced_its_beginning() {
    let mut graph = line("u1 a1 u2 a2 u3");
    graph.fork("a1", "other").unwrap();
    graph.add_node(in_lane("other", "u9")).unwrap();
    graph.compress(&["u1", "a1", "u2", "a2"], "S").unwrap();
    assert_eq!(view(&graph, "u9", None), "fold_1 u9");
    assert_eq!(view(&graph, "u9", 1), "fold_1 u9");
    assert!(seen_edges(&graph).contains(&("fold_1".to_owned(), "u9".to_owned(), EdgeKind::Branch)));
}

#[test]
fn a_lane_forked_from_a_now_folded_node_begins_at_the_summary() {
    let mut graph = line("u1 a1 u2");
    graph.fork("a1", "other").unwrap();
    graph.compress(&["u1", "a1"], "S").unwrap();
    graph.add_node(in_lane("other", "u9")).unwrap();
    assert_eq!(view(&graph, "u9", None), "fold_1 u9");
    graph.expand("fold_1").unwrap();
    assert_eq!(view(&graph, "u9", None), "u1 a1 u9");
}

/// A sub-agent: forked at a call, its end merged back by a branch edge.
fn merged() -> contextfold::graph::ContextGraph {
    let mut graph = line("u1 a1");
    graph.fork("a1", "sub").unwrap();
    graph.add_node(in_lane("sub", "u7")).unwrap();
    graph.add_node(in_lane("sub", "a7")).unwrap();
    extend(&mut graph, "t1 a2 u2 a3");
    graph.add_edge("a7", "t1", EdgeKind::Branch).unwrap();
    graph
}

#[test]
fn a_branch_merge_adds_the_result_but_not_the_lane() {
    let graph = merged();
    assert_eq!(view(&graph, "a3", None), "u1 a1 t1 a2 u2 a3");
    assert_eq!(view(&graph, "a7", None), "u1 a1 u7 a7");
}

#[test]
fn a_merged_lane_does_not_prevent_folding_its_parent() {
    let mut graph = merged();
    let before = bytes(&graph);
    graph.compress(&["u1", "a1", "t1", "a2"], "S").unwrap();
    assert_eq!(view(&graph, "a3", None), "fold_1 u2 a3");
    assert_eq!(view(&graph, "a7", None), "fold_1 u7 a7");
    graph.expand("fold_1").unwrap();
    assert_eq!(bytes(&graph), before);
}

#[test]
fn a_dependency_of_a_shown_node_is_shown_at_any_age() {
    let mut graph = line("u1 a1 u2 a2 u3");
    graph.add_edge("a1", "u3", EdgeKind::Dependency).unwrap();
    assert_eq!(view(&graph, "u3", 1), "a1 u3");
    graph.compress(&["u1", "a1"], "S").unwrap();
    assert_eq!(view(&graph, "u3", 1), "fold_1 u3");
}

#[test]
fn instructions_of_a_depended_on_lane_are_pinned_too() {
    let mut graph = line("u1 a1");
    graph.add_node(after(&[], in_lane("sub", "s7"))).unwrap();
    graph.add_node(in_lane("sub", "a7")).unwrap();
    graph.add_node(in_lane("sub", "a8")).unwrap();
    graph.add_node(after(&["a1", "a7"], named("t1"))).unwrap();
    extend(&mut graph, "u2 a2");
    assert_eq!(view(&graph, "a2", None), "u1 a1 s7 a7 t1 u2 a2");
    assert_eq!(view(&graph, "a2", 1), "s7 u2 a2");
}

#[test]
fn instructions_off_the_path_are_not_shown() {
    let mut graph = line("u1 a1 d1");
    graph.add_node(after(&["a1"], named("u2"))).unwrap(); // parallel to d1, not after it
    assert_eq!(view(&graph, "u2", None), "u1 a1 u2");
    assert_eq!(view(&graph, "u2", 1), "u2");
}
