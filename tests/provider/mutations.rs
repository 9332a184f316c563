//! Accepted histories that are broken on purpose: each error is found and repaired.

use std::io::Write;

use contextfold::message::Format;
use contextfold::provider::{CheckOptions, Severity, check, convert, repair};
use serde_json::{Value, json};

use super::data::{Recorded, recorded};

/// How many positions of a list are broken, evenly spread.
const PLACES: usize = 24;

fn options(record: &Value) -> CheckOptions<'_> {
    let opts = &record["opts"];
    CheckOptions {
        provider: opts["provider"].as_str(),
        stateful: opts["stateful"].as_bool().unwrap_or(false),
        store: opts["store"].as_bool(),
        thinking: opts["thinking"].as_str(),
        ..CheckOptions::default()
    }
}

fn errors(format: Format, list: &[Value], options: &CheckOptions<'_>) -> Vec<String> {
    let found = check(format, &Value::Array(list.to_vec()), options).unwrap();
    found
        .iter()
        .filter(|v| v.severity == Severity::Error)
        .map(|v| format!("{} at {}: {}", v.rule, v.index, v.message))
        .collect()
}

/// The same for a list with hundreds of entries.
const FEW_PLACES: usize = 1;

/// The recorded lists of a format.
fn lists(format: Format) -> Vec<Recorded> {
    match format {
        Format::OpenaiResponses => recorded(".responses.jsonl"),
        Format::OpenaiChat => {
            let mut all = recorded(".chat.jsonl");
            // Cline's own dialogs contain Anthropic blocks despite their name.
            all.extend(
                recorded(".chat.json")
                    .into_iter()
                    .filter(|l| errors(format, &l.items, &options(&l.record)).is_empty()),
            );
            all
        }
        Format::Anthropic => {
            let mut all = recorded(".anthropic.jsonl");
            all.extend(recorded("-clean.anthropic.json"));
            all
        }
        Format::Gemini => as_gemini(),
        Format::BedrockConverse => super::converse::histories(),
        Format::Messages | Format::AiSdk => Vec::new(),
    }
}

/// Recorded lists of other formats, converted to Gemini's, because none were recorded in it.
fn as_gemini() -> Vec<Recorded> {
    let mut all = Vec::new();
    for (suffix, from) in [
        (".anthropic.jsonl", Format::Anthropic),
        ("-clean.anthropic.json", Format::Anthropic),
        (".chat.jsonl", Format::OpenaiChat),
        (".responses.jsonl", Format::OpenaiResponses),
    ] {
        for list in recorded(suffix) {
            let Ok(converted) = convert(from, Format::Gemini, &Value::Array(list.items)) else { continue };
            let items = converted.output.get("contents").unwrap_or(&converted.output);
            let Some(items) = items.as_array().filter(|items| !items.is_empty()) else { continue };
            let record = json!({ "opts": {} });
            if errors(Format::Gemini, items, &options(&record)).is_empty() {
                all.push(Recorded { name: list.name, items: items.clone(), record });
            }
        }
    }
    all
}

/// The list, broken at `at` in each way.
fn broken(list: &[Value], at: usize) -> Vec<(&'static str, Vec<Value>)> {
    let with = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut list = list.to_vec();
        change(&mut list);
        list
    };
    let mut out = vec![
        ("drop", with(&|l| drop(l.remove(at)))),
        ("duplicate", with(&|l| l.insert(at, l[at].clone()))),
        ("cut before", list[at..].to_vec()),
        ("cut after", list[..=at].to_vec()),
    ];
    if at + 1 < list.len() {
        out.push(("swap", with(&|l| l.swap(at, at + 1))));
        out.push((
            "move to the end",
            with(&|l| {
                let entry = l.remove(at);
                l.push(entry);
            }),
        ));
    }
    let renamed = rename(&list[at]);
    if renamed != list[at] {
        out.push(("rename", with(&|l| l[at] = rename(&list[at]))));
    }
    out
}

/// The entry with every id that pairs it renamed.
fn rename(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let is_id = |k: &str, v: &Value| {
                v.is_string()
                    && (["call_id", "tool_call_id", "tool_use_id", "toolUseId"].contains(&k)
                        || k == "id"
                            && (map.contains_key("function")
                                || map.contains_key("args")
                                || map.contains_key("response")
                                || map.get("type") == Some(&json!("tool_use"))))
            };
            map.iter()
                .map(|(k, v)| {
                    let v = if is_id(k, v) {
                        json!(format!("{}_x", v.as_str().unwrap_or_default()))
                    } else {
                        rename(v)
                    };
                    (k.clone(), v)
                })
                .collect()
        }
        Value::Array(list) => list.iter().map(rename).collect(),
        other => other.clone(),
    }
}

/// An independent version of Gemini's rules: `check` names what it refuses, and `repair` removes all of it. A missing signature
/// is no error for `check`, because older models accept such calls.
fn agrees(mutant: &[Value], found: &[String], mended: &Value, how: &str) {
    let refused = |list: &[Value]| -> Vec<String> {
        let all = super::oracle::violations(Format::Gemini, list, false);
        all.into_iter().filter(|why| !why.contains("thought_signature")).collect()
    };
    let why = refused(mutant);
    assert_eq!(why.is_empty(), found.is_empty(), "{how}: {why:?}, {found:?}");
    assert_eq!(refused(mended.as_array().unwrap()), [""; 0], "{how}");
}

/// Breaks every list in every way. Returns how many breaks there were, and how many were errors.
fn every_break_is_mended(format: Format) {
    let mut dump = std::env::var_os("CONTEXTFOLD_MUTATIONS").map(|folder| {
        let path = std::path::PathBuf::from(folder).join(format!("{}.jsonl", format.as_str()));
        std::io::BufWriter::new(std::fs::File::create(path).unwrap())
    });
    let (mut made, mut refused) = (0, 0);
    let mut unmended = Vec::new();
    for list in lists(format) {
        let options = options(&list.record);
        let places = if list.items.len() > 150 { FEW_PLACES } else { PLACES };
        let step = list.items.len().div_ceil(places).max(1);
        for at in (0..list.items.len()).step_by(step) {
            for (how, mutant) in broken(&list.items, at) {
                if mutant.is_empty() {
                    continue; // an empty list cannot be repaired
                }
                made += 1;
                let before = errors(format, &mutant, &options);
                let is_refused =
                    format == Format::BedrockConverse && !super::converse::refused(&mutant).is_empty();
                if format == Format::BedrockConverse {
                    assert_eq!(is_refused, !before.is_empty(), "{how} at {at} of {}: {before:?}", list.name);
                }
                let fixed = repair(format, &Value::Array(mutant.clone()), &options).unwrap();
                if format == Format::Gemini {
                    agrees(&mutant, &before, &fixed.output, &format!("{how} at {at} of {}", list.name));
                }
                if before.is_empty() {
                    assert_eq!(fixed.output, Value::Array(mutant.clone()), "{how} at {at} of {}", list.name);
                    assert_eq!(fixed.changes, [], "{how} at {at} of {}", list.name);
                } else {
                    refused += 1;
                    let after = errors(format, fixed.output.as_array().unwrap(), &options);
                    if format == Format::BedrockConverse && after.is_empty() {
                        let said = super::converse::refused(fixed.output.as_array().unwrap());
                        assert_eq!(said, [""; 0], "{how} at {at} of {}", list.name);
                    }
                    let nothing_left = after.iter().all(|e| e.contains("-empty at 0: no messages"));
                    if !after.is_empty() && !nothing_left || fixed.changes.is_empty() {
                        unmended.push(format!("{how} at {at} of {}: {before:?} -> {after:?}", list.name));
                    }
                }
                if let Some(dump) = &mut dump {
                    let line = json!({ "name": list.name, "how": how, "at": at, "opts": list.record["opts"], "items": mutant, "errors": before,
                        "repaired": fixed.output });
                    writeln!(dump, "{line}").unwrap();
                }
            }
        }
    }
    if super::data::folder().is_some() {
        assert!(refused > 0, "nothing was put to the test");
    }
    println!("{}: {made} breaks, {refused} of them errors, {} not mended", format.as_str(), unmended.len());
    assert!(
        unmended.is_empty(),
        "{} of {refused}:\n{}",
        unmended.len(),
        unmended[..unmended.len().min(12)].join("\n")
    );
}

#[test]
fn accepted_histories_have_no_errors() {
    for format in [Format::OpenaiResponses, Format::OpenaiChat, Format::Anthropic, Format::Gemini] {
        let all = lists(format);
        for list in &all {
            assert_eq!(
                errors(format, &list.items, &options(&list.record)),
                Vec::<String>::new(),
                "{}",
                list.name
            );
            let whole = Value::Array(list.items.clone());
            let same = CheckOptions { original: Some(&whole), ..options(&list.record) };
            assert_eq!(errors(format, &list.items, &same), Vec::<String>::new(), "{}", list.name);
        }
        println!("{}: {} lists without errors", format.as_str(), all.len());
    }
}

#[test]
fn check_names_the_rule_of_every_recorded_rejection() {
    for list in recorded("rejected-by-the-api-400.jsonl") {
        let Some(format) = (match list.record["format"].as_str() {
            Some("responses") => Some(Format::OpenaiResponses),
            Some("chat") => Some(Format::OpenaiChat),
            _ => Some(Format::Anthropic),
        }) else {
            continue;
        };
        let said = list.record["error"].to_string();
        let found = errors(format, &list.items, &options(&list.record));
        let expected = if said.contains("No tool output found for tool call") {
            "R-interleaved"
        } else if said.contains("without its required following item") {
            "R-reasoning-unlinked"
        } else if said.contains("Missing required parameter") {
            "schema"
        } else {
            continue;
        };
        assert!(found.iter().any(|e| e.starts_with(expected)), "{}: {said}: {found:?}", list.name);
    }
}

#[test]
fn responses() {
    every_break_is_mended(Format::OpenaiResponses);
}

#[test]
fn chat() {
    every_break_is_mended(Format::OpenaiChat);
}

#[test]
fn anthropic() {
    every_break_is_mended(Format::Anthropic);
}

#[test]
fn gemini() {
    every_break_is_mended(Format::Gemini);
}

/// Older APIs have no ids: calls and responses are paired by name and order.
#[test]
fn gemini_without_ids() {
    fn without_ids(value: &Value) -> Value {
        match value {
            Value::Object(map) => {
                let named = map.contains_key("name");
                let kept = map.iter().filter(|(key, _)| !(named && *key == "id"));
                kept.map(|(key, value)| (key.clone(), without_ids(value))).collect()
            }
            Value::Array(list) => list.iter().map(without_ids).collect(),
            other => other.clone(),
        }
    }
    let (mut made, mut refused) = (0, 0);
    for list in as_gemini() {
        let items: Vec<Value> = list.items.iter().map(without_ids).collect();
        let options = options(&list.record);
        assert_eq!(errors(Format::Gemini, &items, &options), [""; 0], "{}", list.name);
        let step = items.len().div_ceil(if items.len() > 150 { FEW_PLACES } else { PLACES }).max(1);
        for at in (0..items.len()).step_by(step) {
            for (how, mutant) in broken(&items, at) {
                if mutant.is_empty() {
                    continue;
                }
                made += 1;
                let before = errors(Format::Gemini, &mutant, &options);
                let fixed = repair(Format::Gemini, &Value::Array(mutant.clone()), &options).unwrap();
                agrees(&mutant, &before, &fixed.output, &format!("{how} at {at} of {}", list.name));
                if before.is_empty() {
                    continue;
                }
                refused += 1;
                let after = errors(Format::Gemini, fixed.output.as_array().unwrap(), &options);
                let nothing_left = after.iter().all(|e| e.contains("-empty at 0: no messages"));
                assert!(
                    nothing_left && !fixed.changes.is_empty(),
                    "{how} at {at} of {}: {after:?}",
                    list.name
                );
            }
        }
    }
    println!("gemini without ids: {made} breaks, {refused} of them errors");
}

#[test]
fn bedrock() {
    every_break_is_mended(Format::BedrockConverse);
}
