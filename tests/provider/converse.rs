//! Bedrock's Converse: recorded histories in its shape, and the rules of its service, written again independently of `check`.

use std::borrow::Cow;
use std::collections::HashSet;

use contextfold::message::{Format, Message, Role, steps};
use contextfold::provider::{CheckOptions, Severity, check, convert, provider, repair};
use serde_json::{Value, json};

use super::data::{Recorded, recorded};

const FORMAT: Format = Format::BedrockConverse;

/// Anthropic's recorded histories, converted to Converse's shape by hand. Those that it cannot represent are left out.
pub fn histories() -> Vec<Recorded> {
    let mut all = recorded(".anthropic.jsonl");
    all.extend(recorded("-clean.anthropic.json"));
    all.into_iter()
        .filter_map(|list| {
            let items = translated(&list.items)?;
            Some(Recorded { items, ..list })
        })
        .filter(|list| list.record["opts"]["thinking"].is_null())
        .collect()
}

fn translated(list: &[Value]) -> Option<Vec<Value>> {
    let mut out: Vec<Value> = Vec::new();
    for message in list {
        let mut content = Vec::new();
        match &message["content"] {
            Value::String(text) => content.push(json!({ "text": text })),
            Value::Array(blocks) => {
                for block in blocks {
                    content.push(translated_block(block)?);
                    if !block["cache_control"].is_null() {
                        content.push(json!({ "cachePoint": { "type": "default" } }));
                    }
                }
            }
            _ => return None,
        }
        let role = message["role"].as_str().filter(|role| *role != "system")?;
        match out.last_mut().filter(|last| last["role"] == role) {
            Some(before) => before["content"].as_array_mut().unwrap().extend(content),
            None => out.push(json!({ "role": role, "content": content })),
        }
    }
    (!out.is_empty()).then_some(out)
}

fn translated_block(block: &Value) -> Option<Value> {
    Some(match block["type"].as_str()? {
        "text" => json!({ "text": block["text"] }),
        "thinking" => {
            json!({ "reasoningContent": { "reasoningText": { "text": block["thinking"], "signature": block["signature"] } } })
        }
        "redacted_thinking" => json!({ "reasoningContent": { "redactedContent": block["data"] } }),
        "image" => {
            let format = block.pointer("/source/media_type")?.as_str()?.strip_prefix("image/")?;
            json!({ "image": { "format": format, "source": { "bytes": block.pointer("/source/data")? } } })
        }
        "tool_use" => {
            json!({ "toolUse": { "toolUseId": block["id"], "name": block["name"], "input": block["input"] } })
        }
        "tool_result" => {
            let content = match &block["content"] {
                Value::String(text) if text.is_empty() => Vec::new(),
                Value::String(text) => vec![json!({ "text": text })],
                Value::Array(list) => list.iter().map(translated_block).collect::<Option<Vec<_>>>()?,
                _ => Vec::new(),
            };
            let mut result = json!({ "toolUseId": block["tool_use_id"], "content": content });
            if block["is_error"] == true {
                result["status"] = "error".into();
            }
            json!({ "toolResult": result })
        }
        _ => return None,
    })
}

/// The errors of the service, or of an Anthropic model behind it; empty if it accepts the list.
#[allow(clippy::too_many_lines)] // the service's rules, one after the other
pub fn refused(list: &[Value]) -> Vec<String> {
    let mut said = Vec::new();
    if list.is_empty() {
        said.push("messages: at least one message is required".to_owned());
    }
    if list.first().is_some_and(|first| first["role"] != "user") {
        said.push("A conversation must start with a user message.".to_owned());
    }
    let mut names = HashSet::new();
    let mut cache_points = 0;
    for (n, message) in list.iter().enumerate() {
        let content = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        let is_user = message["role"] == "user";
        if n > 0 && list[n - 1]["role"] == message["role"] {
            said.push(format!("{n}: A conversation must alternate between user and assistant roles."));
        }
        if content.is_empty() {
            said.push(format!("The content field in the Message object at messages.{n} is empty."));
        }
        for (m, block) in content.iter().enumerate() {
            if block.as_object().is_none_or(|block| block.len() != 1) {
                said.push(format!("{n}.{m}: not one member of the union"));
            }
            if blank(block) {
                said.push(format!(
                    "The text field in the ContentBlock object at messages.{n}.content.{m} is blank."
                ));
            }
            if block.get("cachePoint").is_some() {
                cache_points += 1;
                if m == 0 || content[m - 1].get("reasoningContent").is_some() {
                    said.push(format!("{n}.{m}: Cache point cannot be inserted after reasoning block."));
                }
            }
            if let Some(call) = block.get("toolUse") {
                let fits = |text: &str| {
                    (1..=64).contains(&text.len())
                        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.:".contains(&b))
                };
                let text = |key: &str| call[key].as_str().unwrap_or_default();
                if is_user
                    || !fits(text("toolUseId"))
                    || !fits(text("name"))
                    || text("name").contains(['.', ':'])
                {
                    said.push(format!("{n}.{m}: toolUse failed to satisfy constraint"));
                }
            }
            if let Some(result) = block.get("toolResult") {
                let inner = result["content"].as_array().map_or(&[][..], Vec::as_slice);
                if !is_user {
                    said.push(format!("{n}.{m}: toolResult in an assistant message"));
                }
                if inner.is_empty() && result["status"] == "error" {
                    said.push(format!("{n}.{m}: content cannot be empty when status value is error"));
                }
                for one in inner {
                    if blank(one) {
                        said.push(format!("{n}.{m}: text content blocks must be non-empty"));
                    }
                    if one.get("json").is_some_and(|json| !json.is_object()) {
                        said.push(format!("{n}.{m}: Provide a json object for the field"));
                    }
                }
            }
            let inside = block.pointer("/toolResult/content").and_then(Value::as_array);
            for document in inside.into_iter().flatten().chain([block]).filter_map(|one| one.get("document"))
            {
                let name = document["name"].as_str().unwrap_or_default();
                let is_good = |c: char| c.is_ascii_alphanumeric() || " -()[]_".contains(c);
                if name.is_empty() || name.len() > 200 || name.contains("  ") || !name.chars().all(is_good) {
                    said.push(format!("{n}.{m}: The document file name can only contain …: {name}"));
                }
                if !names.insert(name.to_owned()) {
                    said.push(format!("{n}.{m}: Messages can't contain duplicate document names."));
                }
            }
        }
        let has = |key: &str| content.iter().any(|block| block.get(key).is_some());
        if is_user && has("document") && !has("text") {
            said.push(format!("{n}: A text block must be included when using documents."));
        }
        let ids = |content: &[Value], key: &str| -> Vec<String> {
            let of = |block: &Value| block[key]["toolUseId"].as_str().map(str::to_owned);
            content.iter().filter_map(of).collect()
        };
        let calls = ids(content, "toolUse");
        if calls.iter().collect::<HashSet<_>>().len() < calls.len() {
            said.push(format!("The toolUse blocks at messages.{n}.content contain duplicate Ids"));
        }
        let next = list.get(n + 1).and_then(|next| next["content"].as_array()).map_or(&[][..], Vec::as_slice);
        let answers = ids(next, "toolResult");
        let missing: Vec<&String> = calls.iter().filter(|id| !answers.contains(id)).collect();
        if !missing.is_empty() && !is_user {
            said.push(format!(
                "Expected toolResult blocks at messages.{}.content for the following Ids: {missing:?}",
                n + 1
            ));
        }
        let results = ids(content, "toolResult");
        let asked =
            n.checked_sub(1).map(|before| &list[before]).filter(|before| before["role"] == "assistant");
        let asked =
            asked.and_then(|before| before["content"].as_array()).map(|before| ids(before, "toolUse"));
        if results.iter().any(|id| !asked.as_ref().is_some_and(|asked| asked.contains(id))) {
            said.push(format!("The number of toolResult blocks at messages.{n}.content exceeds the number of toolUse blocks of previous turn."));
        }
        if results.iter().collect::<HashSet<_>>().len() < results.len() {
            said.push(format!("The toolResult blocks at messages.{n}.content contain duplicate Ids"));
        }
        let plain: Vec<&Value> = content.iter().filter(|b| b.get("cachePoint").is_none()).collect();
        let leading = plain.iter().take_while(|b| b.get("toolResult").is_some()).count();
        if leading < results.len() {
            said.push(format!("{n}: Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks."));
        }
        let ending = plain.iter().rfind(|block| !blank(block));
        let is_signed = |block: &Value| {
            block.get("reasoningContent").is_some_and(|r| {
                r.pointer("/reasoningText/signature").is_some() || r.get("redactedContent").is_some()
            })
        };
        if !is_user && ending.is_some_and(|block| is_signed(block)) {
            said.push(format!("messages.{n}: The final block in an assistant message cannot be `thinking`."));
        }
        let end = plain.last().and_then(|block| block["text"].as_str());
        if !is_user && n + 1 == list.len() && end.is_some_and(|text| text.ends_with(char::is_whitespace)) {
            said.push("final assistant content cannot end with trailing whitespace".to_owned());
        }
    }
    if cache_points > 4 {
        said.push("A maximum of 4 blocks with cache_control may be provided.".to_owned());
    }
    said
}

fn blank(block: &Value) -> bool {
    block["text"].as_str().is_some_and(|text| text.trim().is_empty())
}

fn errors(list: &[Value]) -> Vec<String> {
    let found = check(FORMAT, &json!(list), &CheckOptions::default()).unwrap();
    let errors = found.iter().filter(|v| v.severity == Severity::Error);
    errors.map(|v| format!("{} at {}: {}", v.rule, v.index, v.message)).collect()
}

#[test]
fn accepted_histories_are_written_as_they_were_read() {
    let all = histories();
    for list in &all {
        assert_eq!(refused(&list.items), [""; 0], "{}", list.name);
        assert_eq!(errors(&list.items), [""; 0], "{}", list.name);
        let p = provider(FORMAT);
        let read = p.read(&json!(list.items)).unwrap();
        let written = p.write(&read.iter().collect::<Vec<_>>());
        assert_eq!(json!(written.items).to_string(), json!(list.items).to_string(), "{}", list.name);
        assert_eq!(written.notes, [], "{}", list.name);
    }
    println!("{} histories", all.len());
    assert!(super::data::folder().is_none() || all.len() > 20);
}

/// Every recorded history of any format, cut at every step, in Converse's shape.
#[test]
fn every_cut_is_valid_for_the_service() {
    let mut views = 0;
    let mut lists: Vec<(Format, Recorded)> = histories().into_iter().map(|list| (FORMAT, list)).collect();
    for (suffix, format) in [
        (".responses.jsonl", Format::OpenaiResponses),
        (".chat.jsonl", Format::OpenaiChat),
        (".anthropic.jsonl", Format::Anthropic),
        ("-clean.anthropic.json", Format::Anthropic),
    ] {
        lists.extend(recorded(suffix).into_iter().map(|list| (format, list)));
    }
    for (from, list) in lists {
        let history = provider(from).read(&json!(list.items)).unwrap();
        let head = history.iter().position(|m| m.role == Role::Assistant).unwrap_or(history.len());
        if history[..head].iter().any(|m| m.role == Role::Tool) {
            continue;
        }
        let all = steps(&history);
        let stride = if list.items.len() > 150 { all.len().div_ceil(6) } else { 1 };
        for step in all.iter().filter(|s| s.range.start >= head).step_by(stride) {
            for view in [
                history[..head].iter().chain(&history[step.range.start..]).collect::<Vec<&Message>>(),
                history[..step.range.start].iter().chain(&history[step.range.end..]).collect(),
            ] {
                let sent: Vec<Cow<'_, Message>> = view
                    .iter()
                    .map(|m| {
                        provider(FORMAT).corrected(m, &mut Vec::new()).map_or(Cow::Borrowed(*m), Cow::Owned)
                    })
                    .collect();
                let sent: Vec<&Message> = sent.iter().map(|m| &**m).collect();
                let items = provider(FORMAT).write(&sent).items;
                if items.is_empty() {
                    continue;
                }
                // As in `convert`: what only another API accepts is repaired.
                let items = if from == FORMAT {
                    items
                } else {
                    let fixed = repair(FORMAT, &json!(items), &CheckOptions::default()).unwrap();
                    fixed.output.as_array().unwrap().clone()
                };
                let said = refused(&items);
                assert_eq!(said, [""; 0], "{} of {from:?} at {}", list.name, step.range.start);
                views += 1;
            }
        }
    }
    println!("{views} views");
}

#[test]
fn it_converts_to_every_other_format_and_back() {
    for list in histories() {
        for to in
            [Format::Anthropic, Format::OpenaiChat, Format::OpenaiResponses, Format::AiSdk, Format::Messages]
        {
            let there = convert(FORMAT, to, &json!(list.items)).unwrap();
            let back = convert(to, FORMAT, &there.output).unwrap();
            let items = back.output.get("messages").unwrap_or(&back.output).as_array().unwrap().clone();
            assert_eq!(refused(&items), [""; 0], "{} by way of {to:?}", list.name);
            if to == Format::Messages {
                assert_eq!(items, list.items, "{}", list.name);
            }
        }
    }
}

/// A repeatable random generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }
}

/// A short conversation with some of everything.
fn short(dice: &mut Dice) -> Vec<Value> {
    let mut list = vec![
        json!({ "role": "user", "content": [{ "text": "Go." }, document("a"), { "cachePoint": { "type": "default" } }] }),
    ];
    for n in 0..=dice.below(3) {
        let ids: Vec<String> = (0..=dice.below(2)).map(|m| format!("call_{n}_{m}")).collect();
        let call = |id: &String| json!({ "toolUse": { "toolUseId": id, "name": "f", "input": {} } });
        let result = |id: &String| json!({ "toolResult": { "toolUseId": id, "content": [{ "text": "1" }, { "json": { "n": 1 } }] } });
        let mut asks = vec![
            json!({ "reasoningContent": { "reasoningText": { "text": "hm", "signature": "c2ln" } } }),
            json!({ "text": "I look." }),
        ];
        asks.extend(ids.iter().map(call));
        list.push(json!({ "role": "assistant", "content": asks }));
        list.push(json!({ "role": "user", "content": ids.iter().map(result).collect::<Vec<_>>() }));
    }
    list.push(json!({ "role": "assistant", "content": [{ "text": "So." }] }));
    list.push(json!({ "role": "user", "content": [{ "text": "And?" }, document("b")] }));
    list
}

fn document(name: &str) -> Value {
    json!({ "document": { "format": "pdf", "name": name, "source": { "bytes": "AAAA" } } })
}

/// Breaks a list in one way.
fn mutate(list: &mut Vec<Value>, dice: &mut Dice) {
    if list.is_empty() {
        return;
    }
    let (at, other) = (dice.below(list.len()), dice.below(list.len()));
    match dice.below(8) {
        0 => drop(list.remove(at)),
        1 => list.insert(at, list[other].clone()),
        2 => list.swap(at, other),
        3 => {
            let role = list[at]["role"] == "user";
            list[at]["role"] = if role { "assistant" } else { "user" }.into();
        }
        _ => {
            let into = list[other]["content"].as_array().unwrap().clone();
            let content = list[at]["content"].as_array_mut().unwrap();
            let place = dice.below(content.len() + 1);
            if content.is_empty() || place == content.len() {
                let new = [
                    json!({ "cachePoint": { "type": "default" } }),
                    json!({ "text": " " }),
                    json!({ "text": "x " }),
                    document("a"),
                    document("a.b"),
                    json!({ "reasoningContent": { "redactedContent": "AAAA" } }),
                    json!({ "reasoningContent": { "reasoningText": { "text": "unsigned" } } }),
                ];
                content.push(new[dice.below(new.len())].clone());
                return;
            }
            match dice.below(7) {
                0 => drop(content.remove(place)),
                1 => content.insert(place, content[place].clone()),
                2 => content.extend(into),
                3 => content[place] = json!({ "text": "" }),
                4 => content.insert(0, json!({ "cachePoint": { "type": "default" } })),
                5 => {
                    for key in ["toolUse", "toolResult"] {
                        if content[place].get(key).is_some() {
                            let ids = ["other", "not an id", "", "call_0_0"];
                            content[place][key]["toolUseId"] = ids[dice.below(4)].into();
                        }
                    }
                }
                _ => {
                    if content[place].get("toolResult").is_some() {
                        let contents = [
                            json!([]),
                            json!([{ "text": " " }]),
                            json!([{ "json": [1] }]),
                            json!([document("a")]),
                        ];
                        content[place]["toolResult"]["content"] = contents[dice.below(4)].clone();
                        if dice.below(2) == 0 {
                            content[place]["toolResult"]["status"] = "error".into();
                        }
                    } else if content[place].get("toolUse").is_some() {
                        content[place]["toolUse"]["name"] = "a.b".into();
                    }
                }
            }
        }
    }
}

/// `check` finds what the service refuses, and nothing else, except a tool's error that holds more than texts, on which the service is
/// silent. The service accepts what `repair` returns.
/// A restored view has it as the live view does.
#[test]
fn an_empty_block_is_carried_unchanged() {
    let result = json!({ "toolResult": { "toolUseId": "a", "content": [{ "text": "ok" }, {}] } });
    let list = json!([
        { "role": "user", "content": [{ "text": "Go." }, {}] },
        { "role": "assistant", "content": [{}, { "toolUse": { "toolUseId": "a", "name": "f", "input": {} } }] },
        { "role": "user", "content": [result, {}] },
    ]);
    let read = provider(FORMAT).read(&list).unwrap();
    assert_eq!(json!(provider(FORMAT).write(&read.iter().collect::<Vec<_>>()).items), list);
}

#[test]
fn check_finds_every_mutation() {
    let mut dice = Dice(7);
    let (mut broken, mut missed) = (0, Vec::new());
    for n in 0..20_000 {
        let mut list = short(&mut dice);
        for _ in 0..=dice.below(3) {
            mutate(&mut list, &mut dice);
        }
        let (said, found) = (refused(&list), errors(&list));
        let is_found = found.iter().any(|e| !e.starts_with("B-error-content"));
        if said.is_empty() == is_found {
            missed.push(format!("{n}: {said:?} {found:?} {}", json!(list)));
            continue;
        }
        if said.is_empty() {
            continue;
        }
        broken += 1;
        let fixed = repair(FORMAT, &json!(list), &CheckOptions::default()).unwrap();
        let out = fixed.output.as_array().unwrap();
        let left = refused(out);
        if !out.is_empty() && !left.is_empty() || fixed.changes.is_empty() {
            missed.push(format!("{n}: not mended: {left:?} {} of {}", fixed.output, json!(list)));
        }
    }
    println!("{broken} of 20,000 mutations are refused");
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed[..missed.len().min(6)].join("\n"));
    assert!(broken > 10_000);
}
