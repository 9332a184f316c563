use serde_json::Value;

use crate::message::{CallKind, ToolCall};

/// A call's arguments as JSON; free text becomes a JSON string.
pub(super) fn of(call: &ToolCall) -> Value {
    match &call.kind {
        CallKind::Other { raw, .. } => raw.as_ref().clone(),
        CallKind::Function | CallKind::Custom => {
            serde_json::from_str(&call.input).unwrap_or_else(|_| Value::String(call.input.to_string()))
        }
    }
}

/// The command line in a shell tool's arguments.
pub(super) fn command(args: &Value) -> Option<String> {
    const KEYS: [&str; 5] = ["command", "cmd", "script", "commands", "bash"];
    let found = KEYS.iter().find_map(|key| args.get(key)).or_else(|| args.get("action")?.get("command"))?;
    let line = match found {
        Value::String(line) => line.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            // Some agents wrap each command as `["bash", "-lc", "the command"]`.
            match words.as_slice() {
                [shell, flag, line] if flag.starts_with('-') && shell.ends_with("sh") => (*line).to_owned(),
                _ => words.join(" "),
            }
        }
        _ => return None,
    };
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// The files that the arguments name.
pub(super) fn paths(args: &Value) -> Vec<String> {
    const KEYS: [&str; 14] = [
        "path", "file", "filename", "file_name", "file_path", "filepath", "filePath", "target_file",
        "absolute_path", "notebook_path", "paths", "files", "file_paths", "directory",
    ];
    let mut out = Vec::new();
    for value in KEYS.iter().filter_map(|key| args.get(key)) {
        push_paths(value, &mut out);
    }
    if let Some(text) =
        args.as_str().or_else(|| ["patch", "input", "diff"].iter().find_map(|k| args.get(k)?.as_str()))
    {
        out.extend(patched(text));
    }
    out
}

fn push_paths(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(path) if is_plain(path) => out.push(path.trim().to_owned()),
        Value::Array(list) => list.iter().for_each(|v| push_paths(v, out)),
        Value::Object(map) => {
            if let Some(path) = map.get("path").or_else(|| map.get("file_path")) {
                push_paths(path, out);
            }
        }
        _ => {}
    }
}

fn is_plain(path: &str) -> bool {
    !path.trim().is_empty() && path.len() <= 400 && !path.contains('\n')
}

/// The files that a patch changes: `*** Update File: a` or `+++ b/a`.
fn patched(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter_map(|line| {
        let own = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
        let path = own.iter().find_map(|mark| line.strip_prefix(mark));
        let path = path.or_else(|| line.strip_prefix("+++ b/"))?;
        is_plain(path).then(|| path.trim().to_owned())
    })
}
