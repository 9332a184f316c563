//! Every cut between steps of a recorded history gives a list that the provider accepts.

use std::borrow::Cow;

use contextfold::message::{Format, Message, Part, Role, steps};
use contextfold::provider::{CheckOptions, Severity, check, provider, unlink_each};
use serde_json::Value;

use super::data::{Recorded, recorded};

fn options(list: &Recorded) -> CheckOptions<'_> {
    let opts = &list.record["opts"];
    CheckOptions {
        provider: opts["provider"].as_str(),
        stateful: opts["stateful"].as_bool().unwrap_or(false),
        store: opts["store"].as_bool(),
        bound: true,
        ..CheckOptions::default()
    }
}

/// Writes a view as a session would: items that lost their counterpart are corrected first.
fn written(format: Format, history: &[Message], view: Vec<Message>) -> Vec<Value> {
    let linked = unlink_each(history, view.into_iter().map(Cow::Owned)).into_iter().flatten();
    let mut view: Vec<Message> = linked.map(Cow::into_owned).collect();
    let untouched = view.iter().zip(history).take_while(|(now, before)| now == before).count();
    let is_bound = |part: &Part| matches!(part, Part::Reasoning(reasoning) if reasoning.signature.is_some());
    for message in view[untouched..].iter_mut().filter(|m| m.parts.iter().any(is_bound)) {
        message.parts.retain(|part| !is_bound(part));
    }
    view.retain(|message| !message.parts.is_empty() || history.contains(message));
    let refs: Vec<&Message> = view.iter().collect();
    provider(format).write(&refs).items
}

fn assert_valid(list: &Recorded, format: Format, items: Vec<Value>, how: &str) {
    let whole = Value::Array(list.items.clone());
    let with = CheckOptions { original: Some(&whole), ..options(list) };
    let found = check(format, &Value::Array(items), &with).unwrap();
    let errors: Vec<String> = found
        .iter()
        .filter(|v| v.severity == Severity::Error)
        .map(|v| format!("{} at {}: {}", v.rule, v.index, v.message))
        .collect();
    assert_eq!(errors, Vec::<String>::new(), "{how} of {}", list.name);
}

/// Keeps everything before the first assistant message, and the steps after each cut.
fn every_cut_is_valid(suffix: &str, format: Format) {
    let mut cuts = 0;
    for list in recorded(suffix) {
        let history = provider(format).read(&Value::Array(list.items.clone())).unwrap();
        let all = steps(&history);
        let head = history.iter().position(|m| m.role == Role::Assistant).unwrap_or(history.len());
        if history[..head].iter().any(|m| m.role == Role::Tool) {
            continue; // it continues a conversation that the provider stores
        }
        let cuts_of_one = if list.items.len() > 150 { 4 } else { 40 };
        let stride = all.len().div_ceil(cuts_of_one).max(1);
        for step in all.iter().filter(|s| s.range.start >= head).step_by(stride) {
            let start = step.range.start;
            let view: Vec<Message> = history[..head].iter().chain(&history[start..]).cloned().collect();
            assert_valid(&list, format, written(format, &history, view), &format!("cut at {start}"));
            let view: Vec<Message> =
                history[..start].iter().chain(&history[step.range.end..]).cloned().collect();
            assert_valid(&list, format, written(format, &history, view), &format!("without {start}"));
            cuts += 2;
        }
    }
    println!("{suffix}: {cuts} cuts");
}

#[test]
fn responses() {
    every_cut_is_valid(".responses.jsonl", Format::OpenaiResponses);
}

#[test]
fn chat() {
    every_cut_is_valid(".chat.jsonl", Format::OpenaiChat);
}

#[test]
fn anthropic() {
    every_cut_is_valid(".anthropic.jsonl", Format::Anthropic);
}

#[test]
fn anthropic_long_sessions() {
    every_cut_is_valid("-clean.anthropic.json", Format::Anthropic);
}

#[test]
fn every_single_part_can_be_removed() {
    let mut parts = 0;
    for list in recorded(".responses.jsonl") {
        let history = provider(Format::OpenaiResponses).read(&Value::Array(list.items.clone())).unwrap();
        for (i, message) in history.iter().enumerate() {
            for (n, part) in message.parts.iter().enumerate() {
                if !matches!(part, Part::Reasoning(_) | Part::Text { .. }) || message.role != Role::Assistant
                {
                    continue;
                }
                let mut view = history.clone();
                view[i].parts.remove(n);
                let items = written(Format::OpenaiResponses, &history, view);
                if items.is_empty() {
                    continue;
                }
                assert_valid(&list, Format::OpenaiResponses, items, &format!("part {n} of message {i}"));
                parts += 1;
            }
        }
    }
    println!("{parts} parts");
}

/// Every accepted history, cut at every step from both ends and converted to every format, is valid if the format can represent
/// any of it.
#[test]
fn every_cut_is_valid_in_every_format() {
    let (mut histories, mut cuts, mut views, mut unsayable) = (0, 0, 0, 0);
    for (suffix, from) in [
        (".responses.jsonl", Format::OpenaiResponses),
        (".chat.jsonl", Format::OpenaiChat),
        (".anthropic.jsonl", Format::Anthropic),
        (".chat.json", Format::OpenaiChat),
        ("-clean.anthropic.json", Format::Anthropic),
    ] {
        for list in recorded(suffix) {
            let history = provider(from).read(&Value::Array(list.items.clone())).unwrap();
            let head = history.iter().position(|m| m.role == Role::Assistant).unwrap_or(history.len());
            if history[..head].iter().any(|m| m.role == Role::Tool) {
                continue; // it continues a conversation that the provider stores
            }
            histories += 1;
            let all = steps(&history);
            let stride = if list.items.len() > 150 { all.len().div_ceil(6) } else { 1 };
            for step in all.iter().filter(|s| s.range.start >= head).step_by(stride) {
                let start = step.range.start;
                let view: Vec<Message> = history[..head].iter().chain(&history[start..]).cloned().collect();
                cuts += 1;
                for to in Format::ALL {
                    let items = written(to, &history, view.clone());
                    if items.is_empty() {
                        unsayable += 1;
                        continue;
                    }
                    let lax =
                        CheckOptions { provider: Some("other"), pending: true, ..CheckOptions::default() };
                    let options =
                        if to == from { CheckOptions { pending: true, ..options(&list) } } else { lax };
                    let found = check(to, &Value::Array(items.clone()), &options).unwrap();
                    let errors: Vec<String> = found
                        .iter()
                        .filter(|v| v.severity == Severity::Error)
                        .map(|v| format!("{} at {}: {}", v.rule, v.index, v.message))
                        .collect();
                    assert_eq!(errors, [""; 0], "{} cut at {start}, as {}", list.name, to.as_str());
                    // Gemini is checked by an independent version of its rules, because no refusals were recorded.
                    if to == Format::Gemini {
                        let refused = super::oracle::violations(to, &items, true);
                        assert_eq!(refused, [""; 0], "{} cut at {start}", list.name);
                    }
                    views += 1;
                }
            }
        }
    }
    println!(
        "{histories} histories, {cuts} cuts, {views} views in all formats, {unsayable} of which a format can say nothing"
    );
}
