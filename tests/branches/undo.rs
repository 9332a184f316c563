use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::message::{Message, Part, Role, ToolCall};
use contextfold::session::{EventName, Fit, FoldMessages, Form, Session};
use contextfold::tokens::BytesPerFour;
use serde_json::json;

use super::support::{code, fold, named, push, session, shown, talk};

#[test]
fn unfolding_restores_the_folded_messages_before_newer_ones() {
    let mut s = talk("s0 u1 c1 t1 a1 u2 c2 t2 a2 u3");
    let before = s.context().view_messages();
    let id = fold(&mut s);
    assert_eq!(shown(&s), "s0 fold u3");
    push(&mut s, "a3 u4");
    s.take_events();
    s.unfold(&id, false).unwrap();
    assert_eq!(shown(&s), "s0 u1 c1 t1 a1 u2 c2 t2 a2 u3 a3 u4");
    assert_eq!(s.context().view_messages()[..before.len()], before[..]);
    let events = s.take_events();
    assert_eq!(events.iter().map(|e| e.event).collect::<Vec<_>>(), [EventName::Unfolded]);
    assert_eq!(events[0].items, ["u1", "c1", "t1", "a1", "u2", "c2", "t2", "a2"]);
    assert!(events[0].detail.starts_with(&id), "{}", events[0].detail);
    assert!(s.context().folds.is_empty());
    assert_eq!(code(s.unfold(&id, false)).0, ErrorCode::InvalidArgument);
}

#[test]
fn folds_of_folds_unfold_level_by_level() {
    let mut s = talk("u1 a1 u2");
    let mut ids = Vec::new();
    for n in 2..52 {
        ids.push(fold(&mut s));
        push(&mut s, &format!("a{n} u{}", n + 1));
    }
    let (refused, why) = code(s.unfold(&ids[3], false));
    assert_eq!(refused, ErrorCode::GraphConstraint);
    assert!(why.contains(&ids[3]) && why.contains(&format!("unfold `{}` first", ids[49])), "{why}");
    for id in ids.iter().rev() {
        s.unfold(id, false).unwrap();
    }
    let whole: Vec<String> = (1..52).flat_map(|n| [format!("u{n}"), format!("a{n}")]).collect();
    assert_eq!(shown(&s), format!("{} u52", whole.join(" ")));
}

#[test]
fn trimmed_outputs_are_still_trimmed_after_an_unfold() {
    let mut s =
        session(&json!({ "contextWindow": 1_000_000, "toolOutputCache": { "contextBudgetTokens": 60 } }));
    push(&mut s, "u1 c1 t1 c2 t2 a2 u3 a3 u4");
    let forms = |s: &Session| -> Vec<Form> { s.context().view.slots().map(|slot| slot.form).collect() };
    let before = forms(&s);
    assert!(before.contains(&Form::Placeholder));
    let id = fold(&mut s);
    s.unfold(&id, false).unwrap();
    assert_eq!(forms(&s), before);
    assert!(s.context_mut().collect_garbage(true).is_empty());
}

#[test]
fn what_a_fold_makes_room_for_goes_with_it() {
    let output = "a line of the output, and another\n".repeat(180);
    let step = |n: usize| {
        let call = Part::from(ToolCall::function(format!("call_{n}"), "read", format!(r#"{{"n":{n}}}"#)));
        [
            Message::new(Role::Assistant, vec![call]),
            Message::tool(format!("call_{n}"), format!("{n} {output}")),
            Message::text(Role::Assistant, format!("{n}: {}", "a word on it ".repeat(45))),
        ]
    };
    for (asked, steps) in [(8, 20), (8, 30), (3, 20)] {
        let mut s = session(&json!({ "contextWindow": 20_000, "safetyMargin": 0 }));
        push(&mut s, "u1");
        for n in 0..asked + steps {
            s.push(step(n).to_vec()).unwrap();
            assert!(matches!(s.prepare().unwrap(), Fit::Done(_)));
            if n < asked {
                push(&mut s, &format!("u{}", n + 2));
            }
        }
        let view = |s: &Session| -> Vec<_> {
            s.context().view.slots().map(|slot| (slot.node, slot.form, slot.message.clone())).collect()
        };
        let (before, tokens) = (view(&s), s.tokens());
        assert!(before.iter().any(|(_, form, _)| *form == Form::Shortened));
        let id = fold(&mut s);
        let is_longer =
            view(&s).iter().any(|(node, _, now)| before.iter().any(|(of, _, was)| of == node && was != now));
        assert!(is_longer, "there is room for more of what stays");
        let mut restored =
            Session::restore(&s.snapshot(b""), None, |_| Ok(Arc::new(BytesPerFour))).unwrap().session;
        for s in [&mut s, &mut restored] {
            s.unfold(&id, false).unwrap();
            assert_eq!((view(s), s.tokens()), (before.clone(), tokens));
        }
    }
}

#[test]
fn outputs_of_folded_messages_are_not_garbage() {
    let mut s = talk("u1 c1 t1 a1 u2");
    let refs = s.context().outputs.refs();
    let id = fold(&mut s);
    assert!(s.context_mut().collect_garbage(false).is_empty());
    s.unfold(&id, false).unwrap();
    assert_eq!(s.context().outputs.refs(), refs);
}

#[test]
fn an_unfolded_fold_is_not_repeated_at_once_but_the_view_still_fits() {
    let mut s = session(
        &json!({ "contextWindow": 1_000, "safetyMargin": 0, "compaction": { "thresholdRatio": 0.5 } }),
    );
    push(&mut s, "u1 a1 u2 a2 u3 a3 u4 a4 u5 a5 u6");
    assert!(s.should_compact());
    let id = fold(&mut s);
    s.unfold(&id, false).unwrap();
    assert!(s.threshold().unwrap() <= s.tokens() && s.tokens() <= 1_000);
    assert!(!s.should_compact(), "one was just undone");
    let Fit::Done(report) = s.prepare().unwrap() else { panic!("it folds the same again") };
    assert!(report.decisions.is_empty(), "{:?}", report.decisions);
    push(&mut s, "a6 u7 a7 u8");
    assert!(s.should_compact(), "{} tokens: enough is new", s.tokens());
    let Fit::NeedsSummary(_) = s.prepare().unwrap() else { panic!("a fold is due") };
    // Above the limit the fold is repeated, because the view has to fit.
    let mut s = session(&json!({ "contextWindow": 330, "safetyMargin": 0 }));
    push(&mut s, "u1 a1 u2 a2 u3");
    let id = fold(&mut s);
    push(&mut s, "a3 u4 a4 u5");
    s.unfold(&id, false).unwrap();
    assert!(s.tokens() > 330 && s.should_compact(), "{}", s.tokens());
    assert!(matches!(s.prepare().unwrap(), Fit::NeedsSummary(_)));
}

#[test]
fn a_rewind_keeps_everything_up_to_the_message() {
    let mut s = talk("s0 u1 c1 t1 a1 u2 a2 u3");
    s.rewind(Some("a1")).unwrap();
    assert_eq!(shown(&s), "s0 u1 c1 t1 a1");
    assert_eq!(s.context().history.len(), 8, "nothing is lost");
    let lines: Vec<&str> = s.context().left_out.iter().map(|l| l.id.as_str()).collect();
    assert_eq!(lines, ["u2", "a2", "u3"]);
    push(&mut s, "u2 a2"); // the ids are free again
    assert_eq!(shown(&s), "s0 u1 c1 t1 a1 u2 a2");
    for gone in ["u3", "fold_1", "nobody"] {
        assert_eq!(code(s.rewind(Some(gone))).0, ErrorCode::InvalidArgument);
    }
}

#[test]
fn a_rewind_into_a_step_leaves_later_calls_open() {
    let both = || {
        let mut two = named("c1");
        two.parts.extend(named("c2").parts);
        two
    };
    let mut s = talk("u1");
    s.push(vec![both(), named("t1"), named("t2"), named("a2"), named("u3")]).unwrap();
    s.rewind(Some("t1")).unwrap();
    assert_eq!(shown(&s), "u1 c1 t1");
    push(&mut s, "t2 a2");
    assert_eq!(shown(&s), "u1 c1 t1 t2 a2");
    s.rewind(Some("c1")).unwrap();
    push(&mut s, "u4");
    assert_eq!(shown(&s), "u1 c1 interrupted interrupted u4");
    push(&mut s, "t2");
    assert_eq!(shown(&s), "u1 c1 interrupted t2 u4", "a late output goes to its call");
    s.rewind(Some("u4")).unwrap();
    assert_eq!(shown(&s), "u1 c1 interrupted interrupted u4", "it came later");
}

#[test]
fn a_rewind_undoes_folds_that_contain_removed_messages_or_the_target() {
    let ids = "u1 a1 u2 a2 u3 a3 u4";
    for (to, left) in [("a1", "u1 a1"), ("u3", "u1 a1 u2 a2 u3"), ("u4", "fold u4")] {
        let mut s = talk(ids);
        fold(&mut s);
        s.rewind(Some(to)).unwrap();
        assert_eq!(shown(&s), left, "to {to}");
    }
    let mut s = talk(ids);
    fold(&mut s);
    push(&mut s, "a4 u5");
    fold(&mut s);
    s.rewind(Some("u4")).unwrap();
    assert_eq!(shown(&s), "fold u4", "the first fold still holds");
    assert_eq!(s.context().folds.len(), 1);
}

#[test]
fn rewriting_the_past_keeps_messages_dropped_by_passes_dropped() {
    let mut s = talk("u1 a1 u2 a2 u3 a3 u4");
    let node = |s: &Session, id: &str| s.context().history.find(id).unwrap();
    let dropped = [node(&s, "u2"), node(&s, "a2")];
    s.context_mut().drop_from_view(&dropped, "a pass");
    let members = ["u1", "a1", "u2", "a2", "u3", "a3"].map(|id| node(&s, id));
    s.context_mut().fold(members.to_vec(), summary());
    let gone = [node(&s, "a3"), node(&s, "u4")];
    s.rewrite(&gone, vec![named("a9")]).unwrap();
    assert_eq!(shown(&s), "u1 a1 u3 a9");
    assert!(dropped.iter().all(|n| s.context().view.dropped(*n).is_some()), "a pin can bring them back");
    s.set_pinned("u2", true).unwrap();
    assert_eq!(shown(&s), "u1 a1 u2 u3 a9");
}

#[test]
fn a_dropped_call_left_open_by_a_rewrite_is_shown_with_a_placeholder() {
    let mut s = talk("u1 c2 u2");
    let node = |s: &Session, id: &str| s.context().history.find(id).unwrap();
    let step: Vec<_> = s.context().view.body()[1..3].iter().map(|slot| slot.node).collect();
    s.context_mut().drop_from_view(&step, "a pass");
    assert_eq!(shown(&s), "u1 u2");
    let gone = [node(&s, "u2")];
    s.rewrite(&gone, vec![named("u9")]).unwrap();
    assert_eq!(shown(&s), "u1 c2 interrupted u9");
}

#[test]
fn a_call_whose_late_output_survives_a_rewrite_gets_no_placeholder() {
    let mut s = talk("u1 c2 u2 t2 a3");
    assert_eq!(shown(&s), "u1 c2 t2 u2 a3");
    let gone = ["u2", "a3"].map(|id| s.context().history.find(id).unwrap());
    s.rewrite(&gone, vec![named("u9")]).unwrap();
    assert_eq!(shown(&s), "u1 c2 t2 u9");
}

#[test]
fn messages_that_join_the_header_are_not_counted_as_stable() {
    let mut s = talk("s0 u1 a1");
    let header = s.context().view.header().iter().map(contextfold::session::Slot::tokens).sum::<u64>();
    assert!(matches!(s.prepare().unwrap(), Fit::Done(_)));
    let gone = ["u1", "a1"].map(|id| s.context().history.find(id).unwrap());
    s.rewrite(&gone, vec![named("s2"), named("u3")]).unwrap();
    let Fit::Done(report) = s.prepare().unwrap() else { panic!("it asks") };
    assert!(report.stable_prefix_tokens <= header, "{} of {header}", report.stable_prefix_tokens);
}

#[test]
fn a_late_output_goes_before_later_messages_and_can_be_folded() {
    let folded = || {
        let mut s = talk("u1 c2 u2 c3");
        assert_eq!(shown(&s), "u1 c2 interrupted u2 c3");
        let members: Vec<_> = s.context().view.body()[..4].iter().map(|slot| slot.node).collect();
        s.context_mut().fold(members, summary());
        s.set_pinned("c2", true).unwrap();
        assert_eq!(shown(&s), "fold c2 interrupted c3");
        push(&mut s, "t2");
        assert_eq!(shown(&s), "fold c2 t2 c3", "not one answer: a folded message stands between");
        s
    };
    let mut s = folded();
    push(&mut s, "t3 u4");
    let id = s.context().fold_infos()[0].id.clone();
    s.unfold(&id, false).unwrap();
    assert_eq!(shown(&s), "u1 c2 t2 u2 c3 t3 u4");
    let mut s = folded();
    s.rewind(Some("c3")).unwrap();
    assert_eq!(shown(&s), "u1 c2 interrupted u2 c3");
}

#[test]
fn a_late_output_brings_its_folded_step_back() {
    let node = |s: &Session, id: &str| s.context().history.find(id).unwrap();
    let fold_of = |s: &mut Session, ids: &[&str]| {
        let members = ids.iter().map(|id| node(s, id)).collect();
        let summary = s.context_mut().fold(members, summary());
        s.context().history.node(summary).id.to_string()
    };
    let mut s = talk("u1 c2 u2 c3");
    let stand_in = s.context().view.body()[2].node;
    let stand_in = s.context().history.node(stand_in).id.to_string();
    let inner = fold_of(&mut s, &["u1", "c2", &stand_in]);
    let outer = fold_of(&mut s, &[&inner, "u2"]);
    assert_eq!(shown(&s), "fold c3");
    push(&mut s, "t2");
    assert_eq!(shown(&s), "fold c2 t2 c3", "the summary does not have it");
    assert!(s.context().left_out.iter().all(|line| &*line.id != "t2"));
    push(&mut s, "t3 u4");
    let again = fold_of(&mut s, &[&outer, "c2", "t2"]);
    assert_eq!(shown(&s), "fold c3 t3 u4", "it may be folded like any other step");
    for id in [again, outer, inner] {
        s.unfold(&id, false).unwrap();
    }
    assert_eq!(shown(&s), "u1 c2 t2 u2 c3 t3 u4");

    let mut s = talk("u1 c2");
    let fold = fold_of(&mut s, &["u1", "c2"]);
    push(&mut s, "t2");
    assert_eq!(shown(&s), "fold c2 t2");
    s.unfold(&fold, false).unwrap();
    assert_eq!(shown(&s), "u1 c2 t2");
}

/// One fold inside another.
fn folded_twice() -> Session {
    let mut s = talk("u1 a1 u2 a2 u3 a3 u4");
    let node = |s: &Session, id: &str| s.context().history.find(id).unwrap();
    let members = ["a1", "u2"].map(|id| node(&s, id)).to_vec();
    s.context_mut().fold(members, summary());
    let inner = s.context().fold_infos()[0].id.clone();
    let members = [inner.as_str(), "a2", "u3"].map(|id| node(&s, id)).to_vec();
    s.context_mut().fold(members, summary());
    s
}

#[test]
fn a_fold_that_pins_emptied_inside_another_is_not_listed() {
    let mut s = folded_twice();
    for id in ["a1", "u2"] {
        s.set_pinned(id, true).unwrap();
    }
    let listed = s.context().fold_infos();
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0].items, ["a2", "u3"]);
    s.unfold(&listed[0].id, false).unwrap();
    assert_eq!(shown(&s), "u1 a1 u2 a2 u3 a3 u4");
}

#[test]
fn a_fold_that_holds_only_emptied_folds_leaves_the_view() {
    let mut s = folded_twice();
    for id in ["a1", "u2", "a2", "u3"] {
        s.set_pinned(id, true).unwrap();
    }
    assert_eq!(shown(&s), "u1 a1 u2 a2 u3 a3 u4");
    assert!(s.context().fold_infos().is_empty());
}

#[test]
fn a_late_output_at_the_end_of_the_view_goes_before_dropped_messages() {
    let node = |s: &Session, id: &str| s.context().history.find(id).unwrap();
    let interrupted = || talk("u1 c2 u2");
    let mut s = interrupted();
    let dropped = [node(&s, "u2")];
    s.context_mut().drop_from_view(&dropped, "a pass");
    push(&mut s, "t2");
    assert_eq!(shown(&s), "u1 c2 t2");
    s.set_pinned("u2", true).unwrap();
    assert_eq!(shown(&s), "u1 c2 t2 u2");
    let mut s = interrupted();
    let members = [node(&s, "u1"), node(&s, "u2")];
    s.context_mut().fold(members.to_vec(), summary());
    push(&mut s, "t2");
    let id = s.context().fold_infos()[0].id.clone();
    s.unfold(&id, false).unwrap();
    assert_eq!(shown(&s), "u1 c2 t2 u2");
}

#[test]
fn a_late_output_whose_step_was_dropped_returns_after_the_whole_answer() {
    let node = |s: &Session, id: &str| s.context().history.find(id).unwrap();
    let mut s = talk("u1 c2 c3 t3 u4");
    assert_eq!(shown(&s), "u1 c2 c3 t3 interrupted u4");
    let step: Vec<_> = s.context().view.body()[1..5].iter().map(|slot| slot.node).collect();
    assert_eq!(step[0], node(&s, "c2"));
    s.context_mut().drop_from_view(&step, "a pass");
    push(&mut s, "t2");
    assert_eq!(shown(&s), "u1 u4");
    s.set_pinned("t2", true).unwrap();
    assert_eq!(shown(&s), "u1 c2 c3 t3 t2 u4", "both items are one answer");
    let id = fold(&mut s);
    s.unfold(&id, false).unwrap();
    assert_eq!(shown(&s), "u1 c2 c3 t3 t2 u4");
}

#[test]
fn a_system_message_pushed_into_an_emptied_view_does_not_join_the_header() {
    let mut s = talk("u1 a1");
    let all: Vec<_> = s.context().view.body().iter().map(|slot| slot.node).collect();
    s.context_mut().drop_from_view(&all, "a pass");
    push(&mut s, "s2 u2");
    assert_eq!(shown(&s), "s2 u2");
    assert!(s.context().view.header().is_empty());
    s.set_pinned("a1", true).unwrap();
    assert_eq!(shown(&s), "u1 a1 s2 u2");
}

#[test]
fn an_instruction_after_a_pinned_instruction_joins_the_header() {
    let mut s = talk("s1");
    s.set_text_pinned("s1", "s1 says", true).unwrap();
    push(&mut s, "s2 u1");
    assert_eq!(shown(&s), "s1 s2 pin u1");
    assert_eq!(s.context().view.header().len(), 2);
}

#[test]
fn unpinning_the_first_text_makes_the_view_begin_with_the_user_again() {
    let mut s = talk("u1 a1 u2");
    s.set_text_pinned("a1", "a1 says", true).unwrap();
    let asked: Vec<_> = s.context().view.body()[1..2].iter().map(|slot| slot.node).collect();
    s.context_mut().drop_from_view(&asked, "a pass");
    assert_eq!(shown(&s), "pin a1 u2");
    s.set_text_pinned("a1", "a1 says", false).unwrap();
    assert_eq!(shown(&s), "u1 a1 u2");
}

fn summary() -> FoldMessages {
    FoldMessages {
        retain: None,
        ask: None,
        summary: Message::text(Role::User, "S"),
        text: "S".to_owned(),
        behind_earlier: false,
    }
}
