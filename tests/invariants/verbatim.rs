//! INV-5, INV-9, INV-11 and INV-12: whole messages are unchanged, cuts are between grapheme clusters, pins are verbatim, and
//! arguments that were JSON are still JSON.

use contextfold::message::{CallKind, Format, Message, Part, Role, ToolCall};
use contextfold::provider::provider;
use contextfold::session::{Form, NodeKind, Slot};
use contextfold::tool_output;
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use super::world::{Happened, World};

/// The message without the ref that the engine adds on entry.
fn as_it_came(message: &Message, original: &Message) -> Message {
    let mut message = message.clone();
    for (part, came) in message.parts.iter_mut().zip(&original.parts) {
        if let (Part::ToolOutput(output), Part::ToolOutput(came)) = (part, came) {
            output.output_ref.clone_from(&came.output_ref);
        }
    }
    message
}

/// The message without cut-off thinking: no view has it, because its API refuses it.
fn sendable(message: &Message) -> Message {
    let mut message = message.clone();
    message.parts.retain(|part| !matches!(part, Part::Reasoning(thought) if thought.is_cut_off()));
    message
}

/// The same message with empty texts.
fn frame(message: &Message) -> Message {
    let mut message = message.clone();
    for part in &mut message.parts {
        match part {
            Part::Text { text, .. } => *text = "".into(),
            Part::ToolOutput(output) => {
                output.content.clear();
                output.output_ref = None;
            }
            Part::Media(_) => *part = Part::text(""), // or its placeholder
            _ => {}
        }
    }
    message
}

/// The same message with only its first text: several small texts are joined before they are cut.
fn one_text(mut message: Message) -> Message {
    let mut first = matches!(message.role, Role::User | Role::Tool);
    let joins = first;
    message.parts.retain(|p| !joins || !matches!(p, Part::Text { .. }) || std::mem::take(&mut first));
    message
}

/// The same message without the arguments that may be cut as a last resort.
fn without_arguments(mut message: Message) -> Message {
    for part in &mut message.parts {
        if let Part::ToolCall(call) = part
            && !call.hosted
            && !matches!(call.kind, CallKind::Other { .. })
        {
            call.input = "".into();
        }
    }
    message
}

fn slots(world: &World) -> Vec<(&Slot, &Message)> {
    let context = world.session.context();
    let node = |s: &Slot| context.history.node(s.node);
    let pushed = context.view.slots().filter(|s| node(s).kind == NodeKind::Message);
    pushed.map(|s| (s, world.find(&node(s).id).expect("every message of the view was pushed"))).collect()
}

pub fn untouched_messages_are_as_they_came(world: &mut World, _: &Happened) {
    for (slot, original) in slots(world) {
        if slot.form == Form::Whole {
            assert_eq!(&as_it_came(&slot.message, original), original);
        } else if slot.form == Form::Stripped {
            let mut spoken = original.clone();
            spoken.parts.retain(|p| !matches!(p, Part::ToolCall(_) | Part::Reasoning(_)));
            assert_eq!(*slot.message, spoken);
        } else {
            let frame = |message: &Message| match slot.form {
                Form::Shortened => without_arguments(frame(message)),
                _ => frame(message),
            };
            let mut original = sendable(original);
            if slot.form == Form::Shortened && slot.message.tool_calls().next().is_none() {
                // A pass may have removed its calls before, with the reasoning that led to them.
                let calls = original.tool_calls().next().is_some();
                original.parts.retain(|p| !calls || !matches!(p, Part::ToolCall(_) | Part::Reasoning(_)));
            }
            if texts(&slot.message).len() < texts(&original).len() {
                assert_eq!(one_text(frame(&slot.message)), one_text(frame(&original)));
                continue;
            }
            assert_eq!(frame(&slot.message), frame(&original));
        }
    }
}

/// The placeholder of a medium is not one of the message's texts. If texts were joined, it may be one of their lines.
fn is_stand_in(text: &str) -> bool {
    text.contains(" left out of this request") && !text.contains('\n')
}

/// A message's texts, with a placeholder without a ref for each medium.
fn without_media(message: &Message) -> Vec<String> {
    let text = |part: &Part| match part {
        Part::Text { text, .. } => Some(text.to_string()),
        Part::Media(media) => Some(format!("[{} left out of this request]", media.kind.as_str())),
        _ => None,
    };
    let outputs = message.tool_outputs().flat_map(|o| o.content.iter());
    message.parts.iter().chain(outputs).filter_map(text).collect()
}

fn texts(message: &Message) -> Vec<&str> {
    fn text(part: &Part) -> Option<&str> {
        match part {
            Part::Text { text, .. } => Some(&**text).filter(|text| !is_stand_in(text)),
            _ => None,
        }
    }
    let own = message.parts.iter().filter_map(text);
    own.chain(message.tool_outputs().flat_map(|o| o.content.iter()).filter_map(text)).collect()
}

fn between_clusters(text: &str, at: usize) -> bool {
    at == text.len() || text.grapheme_indices(true).any(|(i, _)| i == at)
}

const NOTICE: [&str; 2] = ["\n[… ", " …]\n"];

/// The head and the tail of a text whose middle was cut.
fn halves(text: &str) -> Option<(&str, &str)> {
    let (head, rest) = text.split_once(NOTICE[0].trim_start())?;
    let (_, tail) = rest.split_once(NOTICE[1].trim_end())?;
    Some((head, tail))
}

fn lost_its_middle(shown: &str, full: &str) -> bool {
    halves(shown).is_some_and(|(head, tail)| {
        // The notice may be on a line of its own.
        let heads = [head, head.strip_suffix('\n').unwrap_or(head)];
        let tails = [tail, tail.strip_prefix('\n').unwrap_or(tail)];
        heads.iter().any(|head| full.starts_with(head) && between_clusters(full, head.len()))
            && tails
                .iter()
                .any(|tail| full.ends_with(tail) && between_clusters(full, full.len() - tail.len()))
    })
}

/// Whether a notice names a ref: there is a cache, and the model has a tool that opens refs.
fn opens_refs(world: &World) -> bool {
    world.session.config().tool_output_cache.enabled && world.session.context().wording.names_refs()
}

/// Arguments in which the middles of some strings are cut or replaced by a notice; the ref opens them in full.
fn arguments_are_cut(world: &World, now: &str, came: &str) -> bool {
    let outputs = &world.session.context().outputs;
    let full = [Part::text(came)];
    let names_it = |o: &tool_output::Output| now.contains(o.reference().id.as_str()) && o.parts() == full;
    let is_even = now.contains(" tokens left out");
    let needs_no_ref = is_even || !opens_refs(world);
    if !(needs_no_ref || outputs.iter().any(names_it)) || now.len() >= came.len() {
        return false;
    }
    if is_even && !is_json(came) {
        return lost_its_middle(now, came);
    }
    let (Ok(now), Ok(came)) = (serde_json::from_str::<Value>(now), serde_json::from_str::<Value>(came))
    else {
        return if is_json(came) { is_json(now) } else { is_notice(now) };
    };
    let whole = now["left_out"].as_str().is_some_and(|notice| notice.starts_with("[… "));
    let mut left = vec![(&now, &came)];
    let mut same = true;
    while let Some((now, came)) = left.pop() {
        match (now, came) {
            (Value::String(now), Value::String(came)) => same &= now == came || lost_its_middle(now, came),
            (Value::Array(now), Value::Array(came)) if now.len() == came.len() => {
                left.extend(now.iter().zip(came));
            }
            (Value::Object(now), Value::Object(came)) if now.keys().eq(came.keys()) => {
                left.extend(now.values().zip(came.values()));
            }
            (now, came) => same &= now == came,
        }
    }
    whole || same
}

pub fn cuts_stand_between_clusters(world: &mut World, _: &Happened) {
    let config = &world.session.context().output_config;
    for (slot, original) in slots(world) {
        match slot.form {
            Form::Whole | Form::Placeholder | Form::Pointer | Form::Unbound | Form::MediaTrimmed => {}
            Form::Merged => assert!(slot.message.plain_text().starts_with(&original.plain_text())),
            Form::Truncated => {
                let originals = texts(original);
                for shown in texts(&slot.message).into_iter().filter(|t| !originals.contains(t)) {
                    let (head, rest) = shown.split_once("\n\n[... ").expect("a notice");
                    let (_, tail) = rest.rsplit_once(" chars omitted ...]\n\n").expect("its end");
                    let came_from = |t: &&str| {
                        t.starts_with(head)
                            && t.ends_with(tail)
                            && between_clusters(t, head.len())
                            && between_clusters(t, t.len() - tail.len())
                    };
                    assert!(originals.iter().any(came_from), "{shown:?} of {originals:?}");
                }
            }
            Form::Stripped => {
                assert_eq!(slot.message.tool_calls().count(), 0);
                let originals = texts(original);
                assert!(texts(&slot.message).iter().all(|t| originals.contains(t)), "{:?}", slot.message);
            }
            Form::Compressed => {
                let json = |t: &&str| {
                    let mut lines = t.lines().filter(|l| !l.trim().is_empty());
                    let is_json = |t: &str| serde_json::from_str::<serde_json::Value>(t).is_ok();
                    is_json(t) || lines.all(is_json)
                };
                assert!(texts(&slot.message).iter().any(json), "{:?}", slot.message);
            }
            Form::Cut => {
                let originals = texts(original);
                for shown in texts(&slot.message) {
                    let body = shown.rsplit_once('\n').map_or("", |(body, _)| body);
                    let lines = |t: &'_ str| {
                        t.split('\n').map(|l| l.trim_end_matches('\r').to_owned()).collect::<Vec<_>>()
                    };
                    let came_from = |t: &&str| {
                        lines(body).iter().zip(lines(t)).all(|(cut, line)| {
                            line.starts_with(cut.as_str()) && between_clusters(&line, cut.len())
                        })
                    };
                    assert!(body.is_empty() || originals.iter().any(came_from), "{shown:?} of {originals:?}");
                }
            }
            Form::Shortened => {
                let output_ref = slot.message.tool_outputs().find_map(|o| o.output_ref.as_ref());
                let cut: Vec<Part> = original
                    .tool_outputs()
                    .filter_map(|o| match output_ref {
                        Some(output_ref) => tool_output::view(&o.content, config, &output_ref.id),
                        None => tool_output::view_of_own_tool_output(&o.content, config),
                    })
                    .flatten()
                    .collect();
                let cut = Message::new(original.role, cut);
                let joined =
                    [texts(original).join("\n"), texts(&cut).join("\n"), without_media(original).join("\n")];
                let joined = joined.iter().map(String::as_str);
                let before: Vec<&str> =
                    texts(original).into_iter().chain(texts(&cut)).chain(joined).collect();
                let shown = texts(&slot.message);
                let shortened: Vec<_> = shown.iter().filter(|t| !before.contains(t)).collect();
                let calls = slot.message.tool_calls().zip(original.tool_calls());
                let cut: Vec<_> = calls.filter(|(now, came)| now.input != came.input).collect();
                assert!(shortened.len() + cut.len() > 0, "something is shorter: {shown:?} of {before:?}");
                for text in shortened {
                    let lines: Vec<&str> = text.split('\n').filter(|line| !is_stand_in(line)).collect();
                    let (text, own) = (*text, lines.join("\n"));
                    let is_of = |t: &&str| lost_its_middle(text, t) || lost_its_middle(&own, t);
                    assert!(before.iter().any(is_of), "{text:?} of {before:?}");
                }
                for (now, came) in cut {
                    assert!(
                        arguments_are_cut(world, &now.input, &came.input),
                        "{} of {}",
                        now.input,
                        came.input
                    );
                }
            }
        }
    }
}

pub fn pins_and_the_newest_user_message_are_verbatim(world: &mut World, _: &Happened) {
    let newest = world.newest_user().map(|newest| newest.id.clone());
    let newest = newest.map(|id| {
        let most = world.session.report().and_then(World::most).unwrap_or(u64::MAX);
        let least = world.least.entry(id.clone()).or_insert(most);
        *least = most.min(*least); // what was shortened when the view's limit was smaller stays shortened
        (id, *least)
    });
    let shown = slots(world);
    let by_id =
        |id: &str| shown.iter().find(|(s, _)| &*world.session.context().history.node(s.node).id == id);
    for id in &world.pinned {
        let (slot, original) = by_id(id).unwrap_or_else(|| panic!("the pinned {id} is not there"));
        let original = sendable(original);
        assert_eq!(as_it_came(&slot.message, &original), original, "the pinned {id}");
    }
    let Some((newest, most)) = newest else { return };
    let (slot, original) = by_id(&newest).expect("it is there");
    if as_it_came(&slot.message, original) == **original {
        return;
    }
    let alone = contextfold::tokens::count_message(original, &*world.counter);
    let others = world.session.tokens().saturating_sub(slot.tokens());
    // Alone, or with the messages that cannot be shortened any more.
    let gives_way = alone.saturating_add(others) > most;
    assert!(
        gives_way || world.gave_way.contains(&newest),
        "{alone} and {others} of {most} tokens, shortened"
    );
    let notice = texts(&slot.message).into_iter().find(|t| halves(t).is_some()).expect("a notice");
    let Some((_, named)) = notice.split_once("ref_id: \"") else {
        assert!(!opens_refs(world), "a notice without a ref: {notice}");
        world.gave_way.insert(newest);
        return;
    };
    let named = named.split('"').next().unwrap();
    let full = world.session.context().outputs.get(named).unwrap().parts();
    let joined = Part::text(texts(original).join("\n"));
    assert!(original.parts.contains(&full[0]) || full[0] == joined, "the ref opens the full text");
    assert!(world.left_out.get(&newest).is_some_and(|refs| refs.contains(named)), "the report names the ref");
    world.gave_way.insert(newest);
}

fn is_json(text: &str) -> bool {
    tool_output::Json::parse(text).is_some()
}

/// Whether it replaces arguments that were not JSON: as a text, or as JSON if a function's arguments must be JSON.
fn is_notice(text: &str) -> bool {
    text.strip_prefix("{\"left_out\":\"").unwrap_or(text).starts_with("[… ")
}

pub fn arguments_stay_json(world: &mut World, _: &Happened) {
    let context = world.session.context();
    for (slot, original) in slots(world) {
        for (now, came) in slot.message.tool_calls().zip(original.tool_calls()) {
            assert_eq!(now.id, came.id);
            assert!(!is_json(&came.input) || is_json(&now.input), "{}", now.input);
        }
    }
    let view = context.view_messages();
    let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
    let calls = || world.pushed.iter().flat_map(|p| p.message.tool_calls());
    for item in provider(Format::OpenaiResponses).write(&view).items {
        if item["type"] == "function_call" {
            let arguments = item["arguments"].as_str().expect("arguments are a string");
            // Arguments that were not JSON are unchanged, or replaced whole.
            let came = |c: &&ToolCall| item["call_id"] == *c.id && !is_json(&c.input);
            let is_its_own = |c: &ToolCall| *c.input == *arguments || is_notice(arguments);
            assert!(is_json(arguments) || calls().filter(came).any(is_its_own), "{arguments}");
        }
    }
}

#[test]
fn inv_5_no_cut_splits_a_grapheme_cluster() {
    super::always(cuts_stand_between_clusters);
}

#[test]
fn inv_9_untouched_messages_are_unchanged() {
    super::always(untouched_messages_are_as_they_came);
}

#[test]
fn inv_11_pins_and_the_newest_user_message_are_verbatim() {
    super::always(pins_and_the_newest_user_message_are_verbatim);
}

#[test]
fn inv_12_arguments_stay_valid_json() {
    super::always(arguments_stay_json);
}
