use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::message::Message;
use contextfold::session::{Fit, MergeAs, Session};
use contextfold::tokens::Estimate;
use serde_json::json;

use super::support::{code, fold, named, push, session, shown, talk};

fn fork(s: &mut Session, at: &str, lane: Option<&str>) -> Session {
    s.fork(at, lane).unwrap().0
}

#[test]
fn a_fork_starts_from_its_session_and_the_two_then_diverge() {
    let mut s = talk("s0 u1 c1 t1 a1 u2 a2");
    let mut child = fork(&mut s, "a1", Some("side"));
    assert_eq!((shown(&child).as_str(), child.lane()), ("s0 u1 c1 t1 a1", "side"));
    assert_eq!(child.context().history.len(), 5);
    push(&mut child, "u2 c9 t9 a9");
    push(&mut s, "u3");
    assert_eq!(shown(&child), "s0 u1 c1 t1 a1 u2 c9 t9 a9");
    assert_eq!(shown(&s), "s0 u1 c1 t1 a1 u2 a2 u3");
    let (own, shared) = (&child.context().history.nodes()[1], &s.context().history.nodes()[1]);
    assert!(Arc::ptr_eq(&own.message, &shared.message), "no body is copied");
    assert_eq!(child.context().outputs.refs()[0], s.context().outputs.refs()[0]);
}

#[test]
fn folds_before_the_fork_are_copied_and_can_be_unfolded_there() {
    let mut s = talk("u1 a1 u2 a2 u3");
    let id = fold(&mut s);
    push(&mut s, "a3 u4");
    let mut child = fork(&mut s, "a3", None);
    assert_eq!(shown(&child), "fold u3 a3");
    child.unfold(&id, false).unwrap();
    assert_eq!(shown(&child), "u1 a1 u2 a2 u3 a3");
    assert_eq!(shown(&s), "fold u3 a3 u4");
    assert_eq!(shown(&fork(&mut s, "a1", None)), "u1 a1", "a fold over more than that is undone");
}

/// As after a rewind to the same message.
#[test]
fn what_was_taken_out_to_make_room_comes_back_in_a_fork() {
    let options = json!({
        "contextWindow": 2_000, "safetyMargin": 0, "ladder": "spec", "toolOutputCache": { "contextBudgetTokens": 200 }
    });
    let mut s = session(&options);
    push(&mut s, "u1 c1 t1 c2 t2 c3 t3 c4 t4 c5 t5 c6 t6 c7 t7 c8 t8");
    s.prepare().unwrap();
    let whole = |s: &Session| -> Vec<String> {
        let outputs = s.context().items().into_iter().filter(|item| item.id.starts_with('t'));
        outputs.filter(|item| item.form == "whole").map(|item| item.id.clone()).collect()
    };
    assert!(!whole(&s).contains(&"t3".to_owned()), "{:?}", whole(&s));
    let mut child = fork(&mut s, "t3", None);
    child.prepare().unwrap();
    s.rewind(Some("t3")).unwrap();
    s.prepare().unwrap();
    assert_eq!(whole(&child), whole(&s));
    assert!(whole(&child).contains(&"t3".to_owned()), "{:?}", whole(&child));
}

/// Its first request finds the session's last one in the prompt cache.
#[test]
fn a_fork_at_the_newest_message_keeps_the_view_after_a_cut() {
    let mut s = session(&json!({ "contextWindow": 4_000, "safetyMargin": 0 }));
    push(&mut s, "u0");
    let finish = |session: &mut Session| {
        let mut fit = session.prepare().unwrap();
        while let Fit::NeedsSummary(pending) = fit {
            fit = session.resume_extractive(*pending).unwrap();
        }
    };
    for n in 0..60 {
        push(&mut s, &format!("c{n}"));
        let output = Message::tool(format!("call_{n}"), format!("w{n} ").repeat(100 + n * 37 % 200));
        s.push(vec![output]).unwrap();
        finish(&mut s);
        let newest = s.context().history.nodes().iter().rfind(|node| !node.is_fold()).unwrap().id.to_string();
        let mut child = fork(&mut s, &newest, None);
        finish(&mut child);
        assert_eq!(child.context().view_messages(), s.context().view_messages(), "{n}");
    }
}

#[test]
fn a_fork_has_its_own_options_and_counter() {
    let mut s = talk("u1 a1 u2 c2 t2 a2 u3");
    fold(&mut s);
    let mut child = fork(&mut s, "u3", Some("small"));
    let config = child.config().with(&json!({ "contextWindow": 500 })).unwrap();
    child.set_options(config, Some(Arc::new(Estimate)));
    assert_eq!(child.config().limit, Some(500));
    let sum: u64 = child
        .context()
        .view_messages()
        .iter()
        .map(|m| contextfold::tokens::count_message(m, &Estimate))
        .sum();
    assert_eq!((child.tokens(), s.config().limit), (sum, Some(1_000_000)));
}

#[test]
fn a_result_is_merged_as_a_tool_output_or_a_user_message() {
    let mut s = talk("u1 c1");
    let mut child = fork(&mut s, "u1", Some("side"));
    push(&mut child, "u2 a2 u3 c3 t3");
    let before = s.context().history.len();
    assert_eq!(
        code(s.merge(&child, &MergeAs::ToolOutput("call_7".to_owned()))).0,
        ErrorCode::InvalidArgument
    );
    assert_eq!(s.context().history.len(), before);
    s.merge(&child, &MergeAs::ToolOutput("call_1".to_owned())).unwrap();
    let said = s.context().view_messages().last().unwrap().tool_outputs().next().unwrap().clone();
    assert_eq!(said.call_id, "call_1");
    assert_eq!(
        contextfold::message::Message::new(contextfold::message::Role::User, said.content).plain_text(),
        named("a2").plain_text()
    );
    assert_eq!(code(s.merge(&child, &MergeAs::User)).0, ErrorCode::GraphConstraint, "merged twice");
    let silent = fork(&mut s, "u1", None);
    assert_eq!(code(s.merge(&silent, &MergeAs::User)).0, ErrorCode::GraphConstraint, "no result");
    assert_eq!(code(s.merge(&talk("u1 a1"), &MergeAs::User)).0, ErrorCode::InvalidArgument, "a stranger");
    let mut other = fork(&mut s, "u1", None);
    push(&mut other, "a8");
    s.merge(&other, &MergeAs::User).unwrap();
    assert_eq!(s.context().view_messages().last().unwrap().plain_text(), named("a8").plain_text());
    let mut nested = fork(&mut other, "a8", None);
    push(&mut nested, "u9 a9");
    assert_eq!(
        code(s.merge(&nested, &MergeAs::User)).0,
        ErrorCode::InvalidArgument,
        "a grandchild is its parent's"
    );
    other.merge(&nested, &MergeAs::User).unwrap();
}

#[test]
fn a_fork_needs_a_new_lane_name_and_an_existing_message() {
    let mut s = talk("u1 a1 u2");
    fork(&mut s, "u1", Some("side"));
    for (at, lane) in [("u1", "side"), ("u1", "main"), ("u1", ""), ("nobody", "other"), ("fold_1", "other")] {
        assert_eq!(s.fork(at, Some(lane)).map(|_| ()).unwrap_err().code(), ErrorCode::InvalidArgument);
    }
    assert_eq!(fork(&mut s, "u1", None).lane(), "fork_2");
}

#[test]
fn the_sessions_safety_limits_are_enforced() {
    let mut s = session(&json!({ "maxNodes": 3 }));
    push(&mut s, "u1 a1");
    let (refused, why) = code(s.push(vec![named("u2"), named("a2")]));
    assert_eq!(refused, ErrorCode::SafetyLimitExceeded);
    assert!(why.contains('4') && why.contains('3'), "{why}");
    assert_eq!(shown(&s), "u1 a1");
    push(&mut s, "u2");
    s.rewind(Some("a1")).unwrap();
    assert_eq!(
        code(s.push(vec![named("u3")])).0,
        ErrorCode::SafetyLimitExceeded,
        "the history keeps all of it"
    );
}
