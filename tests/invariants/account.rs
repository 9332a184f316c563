//! INV-10 and the history: every token and every message is accounted for, and everything can be found again.

use std::sync::Arc;

use contextfold::message::{Message, Part, Role, ToolOutput};
use contextfold::session::{Form, NodeKind, Report, Slot};
use contextfold::tokens::count_message;
use contextfold::tool_output;

use super::world::{Came, Happened, World};

pub fn tokens_add_up(world: &mut World, happened: &Happened) {
    let context = world.session.context();
    let view = context.view_messages();
    let count = |messages: &mut dyn Iterator<Item = &Arc<Message>>| -> u64 {
        messages.map(|m| count_message(m, &*world.counter)).sum()
    };
    assert_eq!(world.session.tokens(), count(&mut view.iter()) + world.tools, "counted afresh");
    let parts: u64 = context.part_reports().iter().map(|p| p.tokens).sum();
    assert_eq!(world.session.tokens(), parts, "the parts' sum");
    let outputs = context.view.slots().filter(|slot| slot.message.role == Role::Tool);
    let (placeholders, texts): (Vec<&Slot>, Vec<&Slot>) =
        outputs.partition(|slot| matches!(slot.form, Form::Placeholder | Form::Pointer));
    assert_eq!(
        context.view.output_tokens(),
        count(&mut texts.iter().map(|slot| &slot.message)),
        "tool outputs with text"
    );
    assert_eq!(context.view.output_counts().placeholders, placeholders.len() as u64);
    assert_eq!(
        context.view.output_counts().whole,
        texts.iter().filter(|slot| slot.form == Form::Whole).count() as u64
    );
    let report: Option<&Report> = match &happened.came {
        Came::Done { report, .. } => {
            assert_eq!(report.tokens_after, world.session.tokens());
            assert_eq!(report.messages_after, view.len() as u64);
            Some(report)
        }
        Came::Refused { .. } => world.session.report(),
        _ => None,
    };
    if let Some(report) = report {
        assert_eq!(report.parts.iter().map(|p| p.tokens).sum::<u64>(), report.tokens_after);
        assert!(report.stable_prefix_tokens <= report.tokens_after);
    }
}

pub fn what_is_not_whole_had_a_line(world: &mut World, happened: &Happened) {
    let context = world.session.context();
    let whole: Vec<&str> = context
        .view
        .slots()
        .filter(|s| matches!(s.form, Form::Whole | Form::Merged)) // a merged message contains the whole text, and more
        .map(|s| &*context.history.node(s.node).id)
        .collect();
    for pushed in &world.pushed {
        let id = pushed.id.as_str();
        assert!(
            whole.contains(&id) || world.left_out.contains_key(id),
            "{id} is not whole in the view, and no report says so"
        );
    }
    if let Came::Done { .. } = happened.came {
        let there: Vec<&str> = context.view.slots().map(|s| &*context.history.node(s.node).id).collect();
        for id in &world.meanwhile {
            let may_go = world
                .find(id)
                .is_some_and(|m| m.role == Role::Tool || m.role.is_instruction() || m.is_empty());
            assert!(
                may_go || there.contains(&id.as_str()) || world.left_out.contains_key(id),
                "{id} came while the summary was awaited and is gone"
            );
        }
    }
}

fn is_placeholder(output: &ToolOutput) -> bool {
    matches!(&output.content[..], [Part::Text { text, .. }] if tool_output::is_placeholder(text))
}

pub fn nothing_is_lost(world: &mut World, _: &Happened) {
    let context = world.session.context();
    for pushed in &world.pushed {
        let node = context.history.node(context.history.require(&pushed.id).unwrap());
        assert_eq!(node.kind, NodeKind::Message);
        let mut message = Message::clone(&node.message);
        for (part, came) in message.parts.iter_mut().zip(&pushed.message.parts) {
            if let (Part::ToolOutput(output), Part::ToolOutput(came)) = (part, came) {
                output.output_ref.clone_from(&came.output_ref);
            }
        }
        assert_eq!(message, pushed.message);
    }
    for slot in context.view.slots() {
        let node = context.history.node(slot.node);
        for output in slot.message.tool_outputs().filter(|_| slot.form != Form::Whole) {
            let came = world.find(&node.id).unwrap().tool_outputs().next().unwrap();
            let known = |r: &&contextfold::message::ToolOutputRef| context.outputs.contains(&r.id);
            if slot.form == Form::MediaTrimmed && output.output_ref.as_deref().is_none_or(|r| !known(&r)) {
                // The cache is off, or the ref belongs to another store: the placeholder names the ref of the medium.
                let shown = slot.message.plain_text();
                for id in shown.split("; ref=").skip(1).filter_map(|rest| rest.split(']').next()) {
                    let medium = context.outputs.get(id).unwrap().parts();
                    assert!(medium.iter().all(|part| came.content.contains(part)), "{id} opens the medium");
                }
                continue;
            }
            let Some(output_ref) = output.output_ref.as_deref().filter(known) else {
                if output.content == [Part::text(tool_output::PLACEHOLDER)] {
                    continue; // the cache is off: only the history has it
                }
                if slot.form == Form::Placeholder {
                    // An output of the cache's own tools: the output that it was read from has the text.
                    assert!(is_placeholder(output));
                    continue;
                }
                // The cache is off, the caller brought a ref that the cache does not know, or it is an output of the cache's own tools: the
                // notice names a ref with the full text, alone or with the rest of the output.
                if slot.form == Form::Shortened && !slot.message.plain_text().contains("ref_id: ") {
                    continue; // cut evenly: the whole message is in the history, and is restored if there is room
                }
                let shown = slot.message.plain_text();
                if slot.form == Form::Cut && shown.contains("[answer cut") {
                    continue; // an output in the name of the cache's own tools: the history has it, and the tool returns more
                }
                let named = shown.split("ref_id: \"").nth(1).and_then(|rest| rest.split('"').next());
                let full = context
                    .outputs
                    .get(named.unwrap_or_else(|| {
                        panic!("what is shorter has a ref: {:?} {:?} of {came:?}", slot.form, slot.message)
                    }))
                    .unwrap()
                    .parts();
                let text =
                    |p: &Part| if let Part::Text { text, .. } = p { Some(text.to_string()) } else { None };
                let joined: Vec<String> = came.content.iter().filter_map(text).collect();
                let one = full.len() == 1
                    && (came.content.contains(&full[0]) || full[0] == Part::text(joined.join("\n")));
                assert!(full == came.content || one);
                continue;
            };
            let full = context.outputs.get(&output_ref.id).unwrap().parts();
            assert_eq!(full, came.content, "{} opens the full output", output_ref.id);
            if slot.form == Form::Placeholder {
                assert!(is_placeholder(output), "{:?}", output.content);
            }
        }
    }
    let folded = context.folds.iter().flat_map(|f| &f.members);
    for member in folded {
        assert!(context.history.node(*member).folded_by.is_some());
    }
}

/// The tokens that a report calls a stable prefix are unchanged.
fn the_stable_prefix_is_no_boast(
    marked: &std::cell::RefCell<Vec<Vec<Arc<Message>>>>,
    world: &mut World,
    happened: &Happened,
) {
    let mut marked = marked.borrow_mut();
    if happened.before.nodes == 0 {
        marked.clear();
    }
    // One entry per session. A branch starts with the last view of its parent.
    let last = marked.last().cloned().unwrap_or_default();
    marked.resize(world.branches() + 1, last);
    let Came::Done { report, .. } = &happened.came else { return };
    let Some(marked) = marked.last_mut() else { return };
    let view = world.session.context().view_messages();
    let same = view.iter().zip(marked.iter()).take_while(|(a, b)| a == b).count();
    let tokens: u64 = view[..same].iter().map(|m| count_message(m, &*world.counter)).sum();
    assert!(
        report.stable_prefix_tokens <= tokens + world.tools,
        "{} of {tokens}",
        report.stable_prefix_tokens
    );
    *marked = view;
}

#[test]
fn inv_10_tokens_add_up() {
    super::always(tokens_add_up);
}

#[test]
fn inv_10_everything_not_shown_whole_was_reported() {
    super::always(what_is_not_whole_had_a_line);
}

#[test]
fn history_and_refs_keep_everything() {
    super::always(nothing_is_lost);
}

#[test]
fn the_prefix_reported_as_stable_is_unchanged() {
    let marked = std::cell::RefCell::new(Vec::new());
    super::always(|world, happened| the_stable_prefix_is_no_boast(&marked, world, happened));
}
