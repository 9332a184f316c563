//! Properties of every graph, checked on random ones; `CONTEXTFOLD_CASES` sets how many.

use std::collections::{HashMap, HashSet};

use contextfold::graph::{ContextGraph, EdgeKind, NodeSpec, NodeState, NodeType, Place};
use contextfold::provider::GraphMessages;
use proptest::prelude::*;

use super::world::*;

/// A step of building a graph. Its numbers select among what exists at that time.
#[derive(Debug, Clone)]
enum Act {
    Append { lane: u8, node_type: usize, finished: bool },
    AppendAfter { lane: u8, node_type: usize, after: Vec<u16> },
    Edge { from: u16, to: u16, kind: usize },
    Fork { at: u16, lane: u8 },
    State { at: u16, state: usize },
    Fold { at: u16, len: u8, skip: Option<u8> },
    Expand { at: u16 },
}

fn act() -> impl Strategy<Value = Act> {
    let at = any::<u16>;
    prop_oneof![
        6 => (0..4_u8, 0..6_usize, prop::bool::weighted(0.9))
            .prop_map(|(lane, node_type, finished)| Act::Append { lane, node_type, finished }),
        3 => (0..4_u8, 0..6_usize, prop::collection::vec(at(), 0..3))
            .prop_map(|(lane, node_type, after)| Act::AppendAfter { lane, node_type, after }),
        3 => (at(), at(), 0..3_usize).prop_map(|(from, to, kind)| Act::Edge { from, to, kind }),
        1 => (at(), 4..7_u8).prop_map(|(at, lane)| Act::Fork { at, lane }),
        1 => (at(), 0..4_usize).prop_map(|(at, state)| Act::State { at, state }),
        3 => (at(), 1..6_u8, prop::option::of(0..5_u8)).prop_map(|(at, len, skip)| Act::Fold { at, len, skip }),
        1 => at().prop_map(|at| Act::Expand { at }),
    ]
}

fn all_ids(graph: &ContextGraph) -> Vec<String> {
    graph.nodes().iter().map(|n| graph.id(n.place).to_string()).collect()
}

fn pick(ids: &[String], at: u16) -> String {
    ids.get(usize::from(at) % ids.len().max(1)).cloned().unwrap_or_default()
}

/// Candidates for a fold: visible nodes of one lane, starting from one of them.
fn run_of(graph: &ContextGraph, at: u16, len: u8, skip: Option<u8>) -> Vec<String> {
    let seen: Vec<Place> =
        graph.nodes().iter().filter(|n| n.compressed_at.is_none()).map(|n| n.place).collect();
    let Some(first) = seen.get(usize::from(at) % seen.len().max(1)) else { return Vec::new() };
    let lane = graph.lane(*first);
    let start = seen.iter().position(|p| p == first).unwrap_or(0);
    let run = seen[start..].iter().filter(|p| graph.lane(**p) == lane).take(usize::from(len));
    run.enumerate()
        .filter(|(i, _)| skip.is_none_or(|s| usize::from(s) != *i))
        .map(|(_, p)| graph.id(*p).to_string())
        .collect()
}

fn perform(graph: &mut ContextGraph, act: &Act) -> contextfold::Result<()> {
    let ids = all_ids(graph);
    let spec = |lane: u8, node_type: usize| NodeSpec {
        lane: format!("lane {lane}"),
        ..NodeSpec::text(NodeType::ALL[node_type], "text")
    };
    match act {
        Act::Append { lane, node_type, finished } => {
            let state = if *finished { NodeState::Finished } else { NodeState::Running };
            graph.add_node(NodeSpec { state, ..spec(*lane, *node_type) }).map(drop)
        }
        Act::AppendAfter { lane, node_type, after } => {
            let after = after.iter().map(|at| pick(&ids, *at)).collect();
            graph.add_node(NodeSpec { after: Some(after), ..spec(*lane, *node_type) }).map(drop)
        }
        Act::Edge { from, to, kind } => {
            graph.add_edge(&pick(&ids, *from), &pick(&ids, *to), EdgeKind::ALL[*kind])
        }
        Act::Fork { at, lane } => graph.fork(&pick(&ids, *at), &format!("lane {lane}")),
        Act::State { at, state } => graph.set_state(&pick(&ids, *at), NodeState::ALL[*state]),
        Act::Fold { at, len, skip } => {
            let members = run_of(graph, *at, *len, *skip);
            graph.compress(&members, "summary").map(drop)
        }
        Act::Expand { at } => {
            let folds: Vec<String> = ids.into_iter().filter(|id| id.starts_with("fold_")).collect();
            graph.expand(&pick(&folds, *at))
        }
    }
}

/// Builds a graph from these acts. Refused acts must change nothing.
fn built(acts: &[Act]) -> ContextGraph {
    let mut graph = empty();
    for act in acts {
        let before = bytes(&graph);
        if perform(&mut graph, act).is_err() {
            assert_eq!(bytes(&graph), before, "a refusal changed the graph: {act:?}");
        }
    }
    graph
}

/// The graph as it lists itself, and what can be derived from that alone.
struct Listed {
    place: HashMap<String, usize>,
    lane: Vec<String>,
    node_type: Vec<NodeType>,
    folded_by: Vec<Option<String>>,
    /// In order of entry, as indexes of nodes.
    edges: Vec<(usize, usize, EdgeKind)>,
    seen_edges: Vec<(usize, usize, EdgeKind)>,
    /// The first node of each lane.
    openings: HashSet<usize>,
}

impl Listed {
    fn of(graph: &ContextGraph) -> Self {
        let nodes = graph.nodes();
        let place: HashMap<String, usize> =
            nodes.iter().enumerate().map(|(i, n)| (graph.id(n.place).to_string(), i)).collect();
        let lane: Vec<String> = nodes.iter().map(|n| graph.lane(n.place).to_owned()).collect();
        let mut lanes = HashSet::new();
        let entered = |i: &usize| matches!(nodes[*i].place, Place::Node(_));
        let openings = (0..nodes.len()).filter(entered).filter(|i| lanes.insert(lane[*i].clone())).collect();
        let ends = |e: &contextfold::graph::EdgeInfo<'_>| (place[e.from], place[e.to], e.kind);
        let edges = graph.edges();
        Self {
            edges: edges.iter().filter(|e| !e.relaid).map(ends).collect(),
            seen_edges: edges.iter().filter(|e| e.compressed_at.is_none()).map(ends).collect(),
            node_type: nodes.iter().map(|n| graph.node_type(n.place)).collect(),
            folded_by: nodes.iter().map(|n| n.compressed_by.map(str::to_owned)).collect(),
            place,
            lane,
            openings,
        }
    }

    fn top(&self, node: usize) -> usize {
        let mut seen = node;
        while let Some(fold) = &self.folded_by[seen] {
            seen = self.place[fold];
        }
        seen
    }

    fn leads_on(&self, edge: &(usize, usize, EdgeKind)) -> bool {
        edge.2.is_blocking() || self.openings.contains(&edge.1)
    }

    /// The nodes that a full view must contain.
    fn ancestors(&self, of: usize) -> HashSet<usize> {
        let mut found = HashSet::from([of]);
        loop {
            let more: Vec<usize> = self
                .edges
                .iter()
                .filter(|e| self.leads_on(e) && found.contains(&self.top(e.1)))
                .map(|e| self.top(e.0))
                .filter(|n| !found.contains(n))
                .collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }

    fn is_acyclic(&self) -> bool {
        let mut left: Vec<_> = self.seen_edges.clone();
        loop {
            let targets: HashSet<usize> = left.iter().map(|e| e.1).collect();
            let before = left.len();
            left.retain(|e| targets.contains(&e.0));
            if left.is_empty() || left.len() == before {
                return left.is_empty();
            }
        }
    }
}

/// The first node that this one stands for: itself, or the first one folded into it.
fn begins(graph: &ContextGraph, listed: &Listed, node: usize) -> usize {
    let all = graph.nodes();
    (0..all.len())
        .filter(|i| matches!(all[*i].place, Place::Node(_)) && listed.top(*i) == node)
        .min()
        .unwrap_or(node)
}

fn check_views(graph: &ContextGraph) {
    let listed = Listed::of(graph);
    assert!(listed.is_acyclic(), "what is seen has a cycle");
    for (node, id) in all_ids(graph).iter().enumerate() {
        if listed.folded_by[node].is_some() {
            continue;
        }
        let whole = graph.context_for_full(id, None).unwrap();
        let shown: Vec<usize> = graph.ids(&whole.nodes).iter().map(|id| listed.place[*id]).collect();
        let set: HashSet<usize> = shown.iter().copied().collect();
        assert_eq!(set.len(), shown.len(), "a node is shown twice");
        assert_eq!(set, listed.ancestors(node), "the view of {id}");
        check_order(graph, &listed, &shown);
        for turns in [1, 2, 50] {
            check_bounded(graph, &listed, id, &set, turns);
        }
    }
}

fn check_order(graph: &ContextGraph, listed: &Listed, shown: &[usize]) {
    let at: HashMap<usize, usize> = shown.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    for (from, to, kind) in &listed.seen_edges {
        if let (Some(from), Some(to)) = (at.get(from), at.get(to)) {
            assert!(from < to, "an edge of kind {kind:?} runs against the view's order");
        }
    }
    let mut time: HashMap<&str, usize> = HashMap::new();
    for node in shown {
        let begins = begins(graph, listed, *node);
        let before = time.insert(&listed.lane[*node], begins);
        assert!(before.is_none_or(|b| b < begins), "the view runs against a lane's time");
    }
}

fn check_bounded(graph: &ContextGraph, listed: &Listed, id: &str, whole: &HashSet<usize>, turns: usize) {
    let view = graph.context_for_full(id, Some(turns)).unwrap();
    let shown: Vec<usize> = graph.ids(&view.nodes).iter().map(|id| listed.place[*id]).collect();
    let set: HashSet<usize> = shown.iter().copied().collect();
    assert!(set.is_subset(whole), "{turns} turns of {id} hold what the whole does not");
    assert!(set.contains(&listed.place[id]));
    for pinned in whole.iter().filter(|n| listed.node_type[**n].is_pinned()) {
        assert!(set.contains(pinned), "{turns} turns of {id} lack an instruction or a summary");
    }
    for (from, to, kind) in &listed.edges {
        // Nodes pinned into the view from outside the turns do not bring their dependencies.
        let to = listed.top(*to);
        if *kind == EdgeKind::Dependency && set.contains(&to) && !listed.node_type[to].is_pinned() {
            assert!(set.contains(&listed.top(*from)), "{turns} turns of {id} lack what is depended on");
        }
    }
    if turns == 50 {
        assert_eq!(&set, whole);
    }
    check_order(graph, listed, &shown);
}

fn config() -> ProptestConfig {
    let cases = std::env::var("CONTEXTFOLD_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(96);
    ProptestConfig { cases, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn views_match_the_rules(acts in prop::collection::vec(act(), 1..60)) {
        check_views(&built(&acts));
    }

    #[test]
    fn unfolding_a_fold_restores_the_graph(
        acts in prop::collection::vec(act(), 1..60),
        (at, len, skip) in (any::<u16>(), 1..8_u8, prop::option::of(0..5_u8)),
        more in prop::collection::vec((0..4_u8, 0..6_usize), 0..10),
    ) {
        let mut graph = built(&acts);
        let mut plain = graph.clone();
        let members = run_of(&graph, at, len, skip);
        let (before, edges) = (bytes(&graph), format!("{:?}", graph.edges()));
        let folded = graph.compress(&members, "summary");
        prop_assume!(folded.is_ok());
        let fold = folded.unwrap();
        prop_assert_ne!(&bytes(&graph), &before);
        let mut now = graph.clone();
        now.expand(&fold).unwrap();
        prop_assert_eq!(bytes(&now), before);
        prop_assert_eq!(format!("{:?}", now.edges()), edges);
        for (lane, node_type) in more {
            let append = Act::Append { lane, node_type, finished: true };
            perform(&mut graph, &append).unwrap();
            perform(&mut plain, &append).unwrap();
        }
        graph.expand(&fold).unwrap();
        prop_assert_eq!(bytes(&graph), bytes(&plain));
        check_views(&graph);
    }

    #[test]
    fn a_restored_graph_equals_the_original(acts in prop::collection::vec(act(), 1..60)) {
        let graph = built(&acts);
        let saved = graph.snapshot(&GraphMessages).unwrap();
        let again = ContextGraph::restore(&saved, &GraphMessages).unwrap();
        prop_assert_eq!(again.snapshot(&GraphMessages).unwrap(), saved);
        prop_assert_eq!(again.edges(), graph.edges());
        for node in graph.nodes().iter().filter(|n| n.compressed_at.is_none()) {
            let id = graph.id(node.place);
            for turns in [None, Some(1), Some(3)] {
                prop_assert_eq!(view(&again, id, turns), view(&graph, id, turns));
            }
        }
    }
}
