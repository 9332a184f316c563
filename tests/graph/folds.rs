//! Folds of folds, nodes between folded nodes, and undoing folds.

use contextfold::graph::EdgeKind;

use super::world::*;

#[test]
fn expanding_a_fold_restores_the_original_graph() {
    let mut graph = line("s1 u1 a1 t1 a2 u2");
    let before = bytes(&graph);
    graph.compress(&["u1", "a1", "t1"], "S").unwrap();
    assert_ne!(bytes(&graph), before);
    graph.expand("fold_1").unwrap();
    assert_eq!(bytes(&graph), before);
}

#[test]
fn a_fold_can_be_expanded_after_more_nodes_were_added() {
    let more = |graph: &mut contextfold::graph::ContextGraph, stands_in: &str| {
        extend(graph, "a2 u3");
        graph.fork("a2", "side").unwrap();
        graph.add_node(in_lane("side", "u9")).unwrap();
        graph.add_node(after(&["u9", stands_in], named("t3"))).unwrap();
        graph.add_edge(stands_in, "u9", EdgeKind::Dependency).unwrap();
    };
    let mut folded = line("u1 a1 u2");
    folded.compress(&["u1", "a1"], "S").unwrap();
    more(&mut folded, "fold_1");
    assert_eq!(view(&folded, "t3", None), "fold_1 u2 a2 u9 t3");
    folded.expand("fold_1").unwrap();
    let mut plain = line("u1 a1 u2");
    more(&mut plain, "a1");
    assert_eq!(bytes(&folded), bytes(&plain));
}

#[test]
fn folds_of_folds_unfold_level_by_level() {
    let mut graph = line("u1 a1 u2 a2 u3 a3");
    let levels =
        [("u1 a1", "fold_1 u2 a2 u3 a3"), ("fold_1 u2", "fold_2 a2 u3 a3"), ("fold_2 a2 u3", "fold_3 a3")];
    let mut states = Vec::new();
    for (members, shown) in levels {
        states.push(bytes(&graph));
        graph.compress(&members.split(' ').collect::<Vec<_>>(), "S").unwrap();
        assert_eq!(view(&graph, "a3", None), shown);
    }
    let refusal = refused(&mut graph, |g| g.expand("fold_1"));
    assert!(refusal.contains("`fold_1`: it is folded into `fold_3`"), "{refusal}");
    for (n, state) in states.iter().enumerate().rev() {
        graph.expand(&format!("fold_{}", n + 1)).unwrap();
        assert_eq!(&bytes(&graph), state);
    }
}

#[test]
fn two_folds_are_undone_in_any_order() {
    let mut graph = line("u1 a1 u2 a2 u3");
    let before = bytes(&graph);
    graph.compress(&["u1", "a1"], "S").unwrap();
    graph.compress(&["u2", "a2"], "T").unwrap();
    assert_eq!(view(&graph, "u3", None), "fold_1 fold_2 u3");
    graph.expand("fold_1").unwrap();
    assert_eq!(view(&graph, "u3", None), "u1 a1 fold_2 u3");
    graph.expand("fold_2").unwrap();
    assert_eq!(bytes(&graph), before);
}

#[test]
fn instructions_between_folded_nodes_stay_where_they_are() {
    let mut graph = line("s1 u1 a1 d1 u2 a2 u3");
    let before = bytes(&graph);
    graph.compress(&["u1", "a1", "u2", "a2"], "S").unwrap();
    assert_eq!(view(&graph, "u3", None), "s1 fold_1 d1 u3");
    assert_eq!(view(&graph, "u3", 1), "s1 fold_1 d1 u3");
    graph.expand("fold_1").unwrap();
    assert_eq!(bytes(&graph), before);
}

#[test]
fn a_fold_that_skips_a_message_in_between_is_refused() {
    let mut graph = line("u1 a1 u2 a2 u3");
    let refusal = refused(&mut graph, |g| g.compress(&["u1", "a1", "a2"], "S"));
    assert!(refusal.starts_with("GRAPH_CONSTRAINT: `u2`: it comes between the nodes"), "{refusal}");
}

#[test]
fn one_of_parallel_tasks_can_stay_out_of_a_fold() {
    let mut graph = line("u1 a1");
    graph.add_node(after(&["a1"], named("t1"))).unwrap();
    graph.add_node(running(after(&["a1"], named("t2")))).unwrap();
    graph.add_node(after(&["t1", "t2"], named("a2"))).unwrap();
    graph.compress(&["u1", "a1", "t1"], "S").unwrap();
    assert_eq!(view(&graph, "a2", None), "fold_1 t2 a2");
}

#[test]
fn an_edge_that_forms_a_cycle_through_a_fold_is_refused() {
    let mut graph = line("u1 a1 u2 a2 u3");
    for id in ["u4", "u5"] {
        graph.add_node(after(&[], in_lane(id, id))).unwrap();
    }
    graph.add_edge("u1", "u4", EdgeKind::Dependency).unwrap();
    graph.add_edge("u5", "u2", EdgeKind::Dependency).unwrap();
    graph.compress(&["u1", "a1", "u2", "a2"], "S").unwrap();
    // Without the fold, u4 could come before u5. With it, the summary would have to come before itself.
    let refusal = refused(&mut graph, |g| g.add_edge("u4", "u5", EdgeKind::Dependency));
    assert!(
        refusal.contains("`u4`, `u5`: an edge from the first to the second would close a cycle"),
        "{refusal}"
    );
    graph.expand("fold_1").unwrap();
    refused(&mut graph, |g| g.add_edge("u2", "u5", EdgeKind::Dependency));
}

#[test]
fn an_edge_from_a_newer_to_an_older_node_orders_the_view() {
    // A task waits for a sub-agent that starts later.
    let mut graph = line("u1 a1 t1 a2");
    graph.fork("a1", "sub").unwrap();
    graph.add_node(in_lane("sub", "u7")).unwrap();
    graph.add_node(in_lane("sub", "a7")).unwrap();
    graph.add_edge("a7", "t1", EdgeKind::Dependency).unwrap();
    assert_eq!(view(&graph, "a2", None), "u1 a1 u7 a7 t1 a2");
    refused(&mut graph, |g| g.add_edge("a2", "u7", EdgeKind::Dependency));
}

#[test]
fn adding_an_existing_edge_changes_nothing() {
    let mut graph = line("u1 a1 u2");
    let before = bytes(&graph);
    graph.add_edge("u1", "a1", EdgeKind::Sequence).unwrap();
    assert_eq!(bytes(&graph), before);
    graph.add_edge("u1", "a1", EdgeKind::Dependency).unwrap();
    assert_ne!(bytes(&graph), before);
}
