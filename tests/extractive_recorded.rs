//! The extractive summary on recorded conversations, if the data folder exists.

#![allow(clippy::disallowed_methods)] // a test may look for its data

use std::path::{Path, PathBuf};

use contextfold::message::{Message, Part, Role, ToolCall, ToolOutput};
use contextfold::session::extractive::{ExtractiveOptions, summarize};
use contextfold::tokens::{Estimate, TokenCounter};
use serde_json::Value;

fn data() -> Option<PathBuf> {
    let own = std::env::var("CONTEXTFOLD_DATA").map(PathBuf::from).ok();
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    own.or(Some(beside)).filter(|path| path.is_dir())
}

/// Reads enough of the formats of Anthropic and Chat Completions for the recordings. The real adapters are elsewhere.
fn read(list: &[Value]) -> Vec<Message> {
    list.iter().flat_map(entry_messages).collect()
}

fn entry_messages(entry: &Value) -> Vec<Message> {
    let text = |v: &Value| match v {
        Value::String(s) => s.clone(),
        Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    };
    let role = match entry["role"].as_str() {
        Some("assistant") => Role::Assistant,
        Some("system" | "developer") => Role::System,
        Some("tool") => {
            return vec![Message::tool(
                entry["tool_call_id"].as_str().unwrap_or(""),
                text(&entry["content"]),
            )];
        }
        _ => Role::User,
    };
    let mut parts = Vec::new();
    let mut out = Vec::new();
    match &entry["content"] {
        Value::Array(blocks) => {
            for block in blocks {
                match block["type"].as_str() {
                    Some("text") => parts.push(Part::text(block["text"].as_str().unwrap_or(""))),
                    Some("tool_use") => parts.push(Part::from(ToolCall::function(
                        block["id"].as_str().unwrap_or(""),
                        block["name"].as_str().unwrap_or(""),
                        block["input"].to_string(),
                    ))),
                    Some("tool_result") => {
                        let id = block["tool_use_id"].as_str().unwrap_or("");
                        let mut output = ToolOutput::text(id, text(&block["content"]));
                        output.is_error = block["is_error"] == true;
                        out.push(Message::new(Role::Tool, vec![Part::from(output)]));
                    }
                    _ => {}
                }
            }
        }
        other => parts.push(Part::text(text(other))),
    }
    for call in entry["tool_calls"].as_array().into_iter().flatten() {
        parts.push(Part::from(ToolCall::function(
            call["id"].as_str().unwrap_or(""),
            call["function"]["name"].as_str().unwrap_or(""),
            call["function"]["arguments"].as_str().unwrap_or(""),
        )));
    }
    if !parts.is_empty() {
        out.push(Message::new(role, parts));
    }
    out
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(read) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "json") {
            out.push(path);
        }
    }
}

/// Every recorded conversation with its path.
fn conversations() -> Vec<(String, Vec<Message>)> {
    let Some(data) = data() else {
        println!("skipped: the folder of recorded data is not there");
        return Vec::new();
    };
    let mut paths = Vec::new();
    files(&data.join("long-sessions"), &mut paths);
    files(&data.join("dialogs"), &mut paths);
    let read_file = |path: &PathBuf| -> Option<(String, Vec<Message>)> {
        let value: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        let list = value.as_array().or_else(|| value["messages"].as_array())?;
        Some((path.display().to_string(), read(list)))
    };
    paths.iter().filter_map(read_file).collect()
}

#[test]
fn every_recording_is_summarised_within_its_budget() {
    for (name, messages) in conversations() {
        for max_tokens in [300, 2000] {
            let text = summarize(
                &messages,
                &Estimate,
                ExtractiveOptions { max_tokens, ..ExtractiveOptions::default() },
            );
            assert!(Estimate.count(&text) <= max_tokens, "{name}");
            assert!(text.starts_with("<summary>\n## Task\n- First request: "), "{name}: {text}");
            assert!(text.ends_with("\n</summary>"), "{name}");
            if let Ok(show) = std::env::var("CONTEXTFOLD_SHOW")
                && name.contains(&show)
            {
                println!("===== {name} at {max_tokens}: {}\n{text}", Estimate.count(&text));
            }
        }
    }
}
