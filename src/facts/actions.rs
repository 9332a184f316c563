use serde_json::Value;

use super::{Outcome, args, outcome, shell};
use crate::hashing::HashMap;
use crate::message::{Message, ToolCall};

/// What a tool call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// Ran a command.
    Run,
    /// Read or listed files.
    Read,
    /// Created, changed or deleted files.
    Change,
    /// Anything else (a search, a web page, a booking).
    Other,
}

/// A tool call with its outcome.
#[derive(Debug, Clone)]
pub struct Action<'a> {
    /// The call.
    pub call: &'a ToolCall,
    /// Its arguments; free text becomes a JSON string.
    pub args: Value,
    /// What it did.
    pub kind: ActionKind,
    /// The command line, for [`ActionKind::Run`].
    pub command: Option<String>,
    /// The files that its arguments name.
    pub paths: Vec<String>,
    /// Its outcome; `None` if no output answers it.
    pub outcome: Option<Outcome>,
    /// The index of the message that holds the call.
    pub at: usize,
    /// The index of the message that answers it.
    pub answered_at: Option<usize>,
}

/// Every tool call of `messages`, in order, with the output that answers it.
pub fn actions(messages: &[Message]) -> Vec<Action<'_>> {
    let mut out: Vec<Action<'_>> = Vec::new();
    let mut open: HashMap<&str, usize> = HashMap::default();
    for (at, message) in messages.iter().enumerate() {
        for output in message.tool_outputs() {
            if let Some(index) = open.remove(output.call_id.as_str()) {
                let action = &mut out[index];
                action.answered_at = Some(at);
                let programs = action.command.as_deref().is_some_and(shell::prints_own_messages);
                // What a tool read says nothing of the call, even if it looks like an exit code.
                let is_content = action.kind == ActionKind::Read && !output.is_error;
                let text = if is_content { String::new() } else { message.plain_text() };
                action.outcome = Some(outcome(&text, output.is_error, programs));
            }
        }
        for call in message.tool_calls() {
            open.insert(&call.id, out.len());
            out.push(action(call, at));
        }
    }
    out
}

pub(super) fn action(call: &ToolCall, at: usize) -> Action<'_> {
    let args = args::of(call);
    let shell = named(&call.name, &["bash", "shell", "exec", "execute", "run", "terminal", "command", "cmd"]);
    let words = call.name.to_ascii_lowercase();
    let command = args::command(&args).or_else(|| {
        // A custom shell tool takes the command as its whole input.
        args.as_str().filter(|_| shell && !words.contains("python")).map(|s| s.trim().to_owned())
    });
    let edits = args.get("command").and_then(Value::as_str).map(edit_verb);
    let paths = args::paths(&args);
    let kind = match edits {
        // Some editors pass their verb as `command`, with the file beside it.
        Some(Some(kind)) if !paths.is_empty() => kind,
        _ if command.is_some() => ActionKind::Run,
        // Without a file, the call reads or changes something in another service.
        _ if paths.is_empty() => ActionKind::Other,
        _ if named(&call.name, &CHANGES) => ActionKind::Change,
        _ if named(&call.name, &READS) => ActionKind::Read,
        _ => ActionKind::Other,
    };
    let command = command.filter(|_| kind == ActionKind::Run);
    Action { call, args, kind, command, paths, outcome: None, at, answered_at: None }
}

pub(super) const CHANGES: [&str; 18] = [
    "write", "edit", "create", "patch", "apply", "delete", "replace", "insert", "update", "modify", "move",
    "rename", "remove", "multiedit", "save", "append", "str", "overwrite",
];
pub(super) const READS: [&str; 12] =
    ["read", "view", "cat", "grep", "list", "ls", "glob", "open", "find", "search", "show", "get"];

fn edit_verb(command: &str) -> Option<ActionKind> {
    match command {
        "view" | "read" => Some(ActionKind::Read),
        "create" | "str_replace" | "insert" | "undo_edit" | "write" | "edit" | "delete" | "append" => {
            Some(ActionKind::Change)
        }
        _ => None,
    }
}

/// Whether the list contains one of the words of a tool's name.
pub(super) fn named(name: &str, list: &[&str]) -> bool {
    words_of(name).iter().any(|word| list.contains(&word.as_str()))
}

/// A tool's own name: a server's may stand before it, as in `mcp__mail__send`.
pub(super) fn own_name(tool: &str) -> &str {
    let own = tool.rsplit(['.', '/', ':']).next().unwrap_or(tool);
    own.rsplit("__").next().unwrap_or(own)
}

/// The words of a tool's name, in lower case: of `read_file`, `readFile` and `files.read`.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;
    use crate::message::{Part, Role};

    #[test]
    fn outputs_are_matched_to_their_calls() {
        let list = [
            Message::new(
                Role::Assistant,
                ["a", "b"].map(|id| Part::from(ToolCall::function(id, "bash", r#"{"command":"x"}"#))).into(),
            ),
            Message::tool("b", "Command exited with code 2"),
        ];
        let found = actions(&list);
        assert!(found[0].outcome.is_none());
        assert_eq!(found[1].outcome.as_ref().map(|o| o.status), Some(Status::Failed));
    }

    #[test]
    fn a_file_that_was_read_says_nothing_of_the_call() {
        let read = ToolCall::function("a", "read_file", r#"{"path":"src/a.ts"}"#);
        let list = [
            Message::new(Role::Assistant, vec![Part::from(read)]),
            Message::tool("a", "throw new Error('build failed')\n// exit code: 2"),
        ];
        assert_eq!(actions(&list)[0].outcome.as_ref().map(|o| o.status), Some(Status::Unknown));
    }
}
