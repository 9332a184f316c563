//! The cost of views, counted in visited nodes and edges; and deep graphs that must not recurse.

use contextfold::graph::{ContextGraph, EdgeKind, NodeSpec, NodeType};

use super::world::*;

/// Turns of two nodes each.
fn long(nodes: usize) -> (ContextGraph, String) {
    let mut graph = empty();
    graph.add_node(NodeSpec::text(NodeType::SystemMessage, "rules")).unwrap();
    let mut last = String::new();
    for n in 1..nodes {
        let node_type = if n % 2 == 1 { NodeType::UserMessage } else { NodeType::AgentMessage };
        last = graph.add_node(NodeSpec::new(node_type)).unwrap().to_string();
    }
    (graph, last)
}

fn looked_at(graph: &ContextGraph, id: &str, turns: impl Into<Option<usize>>) -> (usize, usize) {
    let view = graph.context_for_full(id, turns.into()).unwrap();
    (view.nodes.len(), view.looked_at)
}

#[test]
fn a_full_view_costs_time_proportional_to_its_size() {
    for nodes in [1_000, 100_000] {
        let (graph, last) = long(nodes);
        let (returned, cost) = looked_at(&graph, &last, None);
        assert_eq!(returned, nodes);
        assert!(cost <= 2 * nodes, "{cost} for {nodes}");
    }
}

#[test]
fn a_bounded_view_costs_the_same_in_a_large_graph() {
    let costs = [1_001, 100_001].map(|nodes| {
        let (graph, last) = long(nodes);
        looked_at(&graph, &last, 5)
    });
    assert_eq!(costs[0], costs[1]);
    assert_eq!(costs[0].0, 11);
    assert!(costs[0].1 <= 50, "{costs:?}");
}

#[test]
fn parallel_work_does_not_hide_the_instructions() {
    // Every step has three parallel tasks, so the lane is not a single chain.
    let costs = [100, 2_000].map(|steps| {
        let mut graph = line("s1 u1");
        let mut last = "u1".to_owned();
        for step in 0..steps {
            let agent = graph.add_node(after(&[&last], NodeSpec::new(NodeType::AgentMessage))).unwrap();
            let task = |graph: &mut ContextGraph| {
                graph.add_node(after(&[&agent], NodeSpec::new(NodeType::Task))).unwrap()
            };
            let tasks = [task(&mut graph), task(&mut graph), task(&mut graph)];
            let ids: Vec<&str> = tasks.iter().map(|t| &**t).collect();
            last = graph.add_node(after(&ids, named(&format!("u{}", step + 2)))).unwrap().to_string();
        }
        looked_at(&graph, &last, 3)
    });
    assert_eq!(costs[0], costs[1]);
    assert_eq!(costs[0].0, 12);
}

#[test]
fn the_view_of_one_lane_does_not_depend_on_other_lanes() {
    let mut graph = line("s1 u1 a1");
    for lane in 0..1_000 {
        let name = format!("lane {lane}");
        graph.fork("a1", &name).unwrap();
        for _ in 0..10 {
            let spec = NodeSpec::new(NodeType::UserMessage);
            graph.add_node(NodeSpec { lane: name.clone(), ..spec }).unwrap();
        }
    }
    let last = graph.add_node(in_lane("lane 500", "u2")).unwrap();
    let (returned, cost) = looked_at(&graph, &last, None);
    assert_eq!(returned, 14);
    assert!(cost <= 28, "{cost}");
}

#[test]
fn a_thousand_lanes_can_be_merged_and_folded() {
    let mut graph = line("s1 u1 a1");
    for lane in 0..1_000 {
        let name = format!("lane {lane}");
        graph.fork("a1", &name).unwrap();
        let task = graph.add_node(NodeSpec { lane: name, ..NodeSpec::new(NodeType::Task) }).unwrap();
        let merged = graph.add_node(NodeSpec::new(NodeType::Task)).unwrap();
        graph.add_edge(&task, &merged, EdgeKind::Branch).unwrap();
    }
    extend(&mut graph, "u2");
    let (returned, cost) = looked_at(&graph, "u2", None);
    assert_eq!(returned, 1_004);
    assert!(cost <= 3 * 1_004, "{cost}");
    let full = graph.context_for_full("u2", None).unwrap();
    let shrunk = graph.context_for_full("u2", Some(1)).unwrap();
    let dropped: Vec<String> =
        graph.ids(&graph.dropped(&full, &shrunk)).into_iter().map(str::to_owned).collect();
    graph.compress(&dropped, "S").unwrap();
    assert_eq!(view(&graph, "u2", None), "s1 fold_1 u2");
}

#[test]
fn fifty_nested_folds_work() {
    let mut graph = line("s1 u1 a1 u2");
    let mut below = vec!["u1".to_owned(), "a1".to_owned()];
    let mut never_folded = graph.clone();
    for level in 1..=50 {
        let more = format!("a{0} u{1}", level + 1, level + 2);
        extend(&mut graph, &more);
        extend(&mut never_folded, &more);
        graph.compress(&below, "S").unwrap();
        below = vec![format!("fold_{level}"), format!("u{}", level + 1), format!("a{}", level + 1)];
    }
    assert_eq!(view(&graph, "u52", None), "s1 fold_50 u51 a51 u52");
    let (_, cost) = looked_at(&graph, "u52", None);
    assert!(cost <= 10, "{cost}");
    for level in (1..=50).rev() {
        graph.expand(&format!("fold_{level}")).unwrap();
        assert_eq!(graph.edges().iter().filter(|e| e.relaid).count(), if level == 1 { 0 } else { 2 });
    }
    assert!(graph.nodes().iter().all(|n| n.compressed_at.is_none()));
    assert_eq!(bytes(&graph), bytes(&never_folded));
}

#[test]
fn a_hundred_thousand_nodes_are_folded_and_unfolded() {
    let (mut graph, last) = long(100_000);
    let before = bytes(&graph);
    let full = graph.context_for_full(&last, None).unwrap();
    let shrunk = graph.context_for_full(&last, Some(1)).unwrap();
    let dropped: Vec<String> =
        graph.ids(&graph.dropped(&full, &shrunk)).into_iter().map(str::to_owned).collect();
    let fold = graph.compress(&dropped, "S").unwrap();
    let (returned, cost) = looked_at(&graph, &last, None);
    assert!(returned <= 4 && cost <= 8, "{returned} for {cost}");
    graph.expand(&fold).unwrap();
    assert_eq!(bytes(&graph), before);
}

#[test]
fn a_cycle_is_found_at_any_depth() {
    let (mut graph, last) = long(100_000);
    let error = graph.add_edge(&last, "n2", EdgeKind::Dependency).unwrap_err();
    assert!(error.to_string().contains("would close a cycle"));
}
