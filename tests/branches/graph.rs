use contextfold::ErrorCode;
use contextfold::graph::{ContextGraph, EdgeKind, NodeState, NodeType};
use contextfold::provider::GraphMessages;
use contextfold::session::{MergeAs, Session};

use super::support::{code, fold, push, shown, talk};

fn view(s: &mut Session, id: &str) -> String {
    let graph = s.graph().unwrap();
    graph.ids(&graph.context_for_full(id, None).unwrap().nodes).join(" ")
}

fn edges(s: &mut Session, kind: EdgeKind) -> Vec<String> {
    let edges = s.graph().unwrap().edges();
    let of_kind = edges.iter().filter(|e| e.kind == kind && !e.relaid);
    of_kind.map(|e| format!("{} {}", e.from, e.to)).collect()
}

/// What the graph shows: its snapshot as text.
fn seen(graph: &ContextGraph) -> String {
    String::from_utf8(graph.snapshot(&GraphMessages).unwrap()).unwrap()
}

#[test]
fn every_message_is_a_node_that_follows_the_previous_one() {
    let mut s = talk("s0 u1 c1 t1 a1 u2 c2");
    let graph = s.graph().unwrap();
    let nodes: Vec<String> = graph
        .nodes()
        .iter()
        .map(|n| {
            format!(
                "{} {} {} {}",
                graph.id(n.place),
                graph.node_type(n.place).as_str(),
                graph.lane(n.place),
                graph.state(n.place).as_str()
            )
        })
        .collect();
    assert_eq!(
        nodes,
        [
            "s0 system_message main finished", "u1 user_message main finished",
            "c1 agent_message main finished", "t1 task main finished", "a1 agent_message main finished",
            "u2 user_message main finished", "c2 agent_message main running",
        ]
    );
    assert_eq!(edges(&mut s, EdgeKind::Sequence), ["s0 u1", "u1 c1", "c1 t1", "t1 a1", "a1 u2", "u2 c2"]);
    assert_eq!(edges(&mut s, EdgeKind::Dependency), ["c1 t1"]);
    push(&mut s, "t2");
    let graph = s.graph().unwrap();
    assert_eq!(graph.state(graph.find("c2").unwrap()), NodeState::Finished);
    assert_eq!(view(&mut s, "t2"), "s0 u1 c1 t1 a1 u2 c2 t2");
}

#[test]
fn folds_are_compressed_nodes_and_unfold_as_the_session_does() {
    let mut s = talk("u1 c1 t1 a1 u2");
    s.graph().unwrap();
    let first = fold(&mut s);
    push(&mut s, "a2 u3");
    let second = fold(&mut s);
    push(&mut s, "a3");
    assert_eq!(view(&mut s, "a3"), format!("{second} u3 a3"));
    let graph = s.graph().unwrap();
    let inner = graph.info(graph.find(&first).unwrap());
    assert_eq!((inner.compressed_by, graph.node_type(inner.place)), (Some(&*second), NodeType::Summary));
    assert_eq!(graph.info(graph.find("t1").unwrap()).compressed_by, Some(&*first));
    s.unfold(&second, false).unwrap();
    assert_eq!(view(&mut s, "a3"), format!("{first} u2 a2 u3 a3"));
    s.unfold(&first, false).unwrap();
    assert_eq!(view(&mut s, "a3"), "u1 c1 t1 a1 u2 a2 u3 a3");
}

#[test]
fn messages_pinned_inside_a_folded_range_stay_after_the_fold() {
    let mut s = talk("u1 a1 u2 a2 u3 a3 u4");
    s.set_pinned("u2", true).unwrap();
    let id = fold(&mut s);
    push(&mut s, "a4");
    assert_eq!(view(&mut s, "a4"), format!("{id} u2 u4 a4"));
    let drawn = seen(s.graph().unwrap());
    let restored = ContextGraph::restore(drawn.as_bytes(), &GraphMessages).unwrap();
    assert_eq!(seen(&restored), drawn);
}

#[test]
fn messages_left_behind_by_a_rewind_form_a_dead_end() {
    let mut s = talk("u1 a1 u2 a2");
    assert_eq!(view(&mut s, "a2"), "u1 a1 u2 a2");
    s.rewind(Some("a1")).unwrap();
    push(&mut s, "u3 a3");
    assert_eq!(view(&mut s, "a3"), "u1 a1 u3 a3");
    assert_eq!(view(&mut s, "a2"), "u1 a1 u2 a2");
    s.rewind(Some("u1")).unwrap();
    push(&mut s, "a3"); // the id is free again
    assert_eq!(view(&mut s, "a3"), "u1 a3");
}

#[test]
fn forks_are_lanes_and_merges_tasks() {
    let mut s = talk("u1 c1");
    s.graph().unwrap();
    let (mut child, _) = s.fork("u1", Some("side")).unwrap();
    push(&mut child, "u2 c2 t2 a2");
    s.read_branch(&child);
    assert_eq!(view(&mut s, "side/a2"), "u1 side/u2 side/c2 side/t2 side/a2");
    s.merge(&child, &MergeAs::ToolOutput("call_1".to_owned())).unwrap();
    let task = s.context().history.nodes().last().unwrap().id.to_string();
    push(&mut s, "a3");
    push(&mut child, "u4");
    s.read_branch(&child);
    assert_eq!(view(&mut s, "a3"), format!("u1 c1 {task} a3"), "the result, not its story");
    assert_eq!(edges(&mut s, EdgeKind::Branch), ["u1 side/u2".to_owned(), format!("side/a2 {task}")]);
    let graph = s.graph().unwrap();
    assert_eq!(graph.lane(graph.find("side/u4").unwrap()), "side");
    assert_eq!(child.graph().unwrap().nodes().iter().filter(|n| n.compressed_by.is_some()).count(), 0);
    fold(&mut child);
    assert_eq!(view(&mut s, "a3"), format!("u1 c1 {task} a3"));
}

#[test]
fn with_forks_too_the_order_of_nodes_does_not_tell_when_the_graph_was_read() {
    let script = |reads: bool| {
        let mut s = talk("u1 c1");
        let read = |s: &mut Session| drop(reads.then(|| s.graph().map(seen)));
        let (mut one, _) = s.fork("u1", Some("one")).unwrap();
        let (mut two, _) = s.fork("u1", Some("two")).unwrap();
        read(&mut s);
        push(&mut one, "u2 c2 t2 a2");
        s.read_branch(&one);
        read(&mut s);
        push(&mut two, "u5 a5");
        s.read_branch(&two);
        read(&mut s);
        push(&mut one, "u3 a6");
        s.read_branch(&one);
        read(&mut s);
        s.merge(&two, &MergeAs::ToolOutput("call_1".to_owned())).unwrap();
        read(&mut s);
        push(&mut s, "a3 u7");
        read(&mut s);
        push(&mut two, "u8");
        s.read_branch(&two);
        seen(s.graph().unwrap())
    };
    assert_eq!(script(true), script(false));
}

#[test]
fn reading_the_graph_along_the_way_does_not_change_it() {
    let script = |reads: bool| {
        let mut s = talk("s0 u1 c1 t1 a1 u2");
        let read = |s: &mut Session| {
            if reads {
                s.graph().unwrap();
            }
        };
        read(&mut s);
        let id = fold(&mut s);
        read(&mut s);
        push(&mut s, "a2 u3 a3 u4");
        fold(&mut s);
        read(&mut s);
        s.rewind(Some("u3")).unwrap();
        push(&mut s, "c5");
        read(&mut s);
        push(&mut s, "t5 a5");
        s.unfold(&id, false).unwrap();
        push(&mut s, "u6 a6");
        seen(s.graph().unwrap())
    };
    assert_eq!(script(true), script(false));
}

#[test]
fn a_manual_fold_obeys_the_documents_constraints() {
    let mut s = talk("s0 u1 c1 t1 a1 u2 a2 u3 c3");
    let ids = |list: &str| -> Vec<String> { list.split(' ').map(str::to_owned).collect() };
    for (list, words) in [
        ("u1 c1", "t1"),
        ("u1 nobody", "nobody"),
        ("u1 a1", "fold this node too"),
        ("u3", "newest user"),
        ("c3", "finished"),
        ("s0", "header"),
    ] {
        let (refused, why) = code(s.fold_by_hand(&ids(list), "S"));
        assert_eq!(refused, ErrorCode::GraphConstraint, "{list}: {why}");
        assert!(why.contains(words), "{list}: {why}");
    }
    assert_eq!(code(s.fold_by_hand(&ids("u1"), " ")).0, ErrorCode::SummaryEmpty);
    assert_eq!(shown(&s), "s0 u1 c1 t1 a1 u2 a2 u3 c3");
    let id = s.fold_by_hand(&ids("c1 t1 a1 u2"), "what happened").unwrap();
    assert_eq!(shown(&s), "s0 fold u1 a2 u3 c3");
    assert_eq!(view(&mut s, "c3"), format!("s0 u1 {id} a2 u3 c3"));
    let outer = s.fold_by_hand(&[id.clone(), "a2".to_owned()], "all of it").unwrap();
    assert_eq!(shown(&s), "s0 fold u1 u3 c3");
    s.unfold(&outer, false).unwrap();
    s.unfold(&id, false).unwrap();
    assert_eq!(shown(&s), "s0 u1 c1 t1 a1 u2 a2 u3 c3");
}
