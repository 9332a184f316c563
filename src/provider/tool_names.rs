//! Rewrites names of tools that another host allowed and that an API does not accept.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::bedrock;
use super::note::Note;
use crate::message::{Format, ToolCall};

/// The maximum length of a tool name.
pub(super) const MAX_NAME_CHARS: usize = 128;

fn is_allowed_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Whether an API accepts a name of at most `longest` characters. Anthropic and `OpenAI` allow up to [`MAX_NAME_CHARS`].
pub(super) fn fits(name: &str, longest: usize) -> bool {
    !name.is_empty() && name.len() <= longest && name.chars().all(is_allowed_in_name)
}

/// The name of a call as the API of `format` accepts it: one that came in this format stays as it is.
pub(super) fn name_of<'c>(
    call: &'c ToolCall,
    format: Format,
    longest: usize,
    notes: &mut Vec<Note>,
) -> Cow<'c, str> {
    if call.extras.came_in(format) {
        return Cow::Borrowed(&call.name);
    }
    acceptable_name(&call.name, longest, notes)
}

/// Definitions of tools with these names, if the API requires some where there are calls. Anthropic: "Requests which include `tool_use` or
/// `tool_result` blocks must define tools"; Bedrock: "The toolConfig field must be defined when using toolUse and toolResult content blocks".
pub fn tools_called(names: &[&str], format: Format) -> Vec<Value> {
    let definition = |name: &&str| match format {
        Format::BedrockConverse => Some(bedrock::tool_called(name)),
        Format::Anthropic => {
            let name = acceptable_name(name, MAX_NAME_CHARS, &mut Vec::new());
            Some(json!({ "name": name, "input_schema": { "type": "object" } }))
        }
        _ => None,
    };
    let mut tools: Vec<Value> = Vec::new();
    for tool in names.iter().filter_map(definition) {
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }
    tools
}

/// The name as these APIs accept it, with a note if it differs: all other characters become underscores.
pub(super) fn acceptable_name<'n>(name: &'n str, longest: usize, notes: &mut Vec<Note>) -> Cow<'n, str> {
    if fits(name, longest) {
        return Cow::Borrowed(name);
    }
    let fitting = |c: char| if is_allowed_in_name(c) { c } else { '_' };
    let mut written: String = name.chars().map(fitting).take(longest).collect();
    if written.is_empty() {
        written.push('_');
    }
    notes.push(Note::new(format!(
        "the tool name `{name}` is written `{written}`: only letters, digits, _ and - are allowed"
    )));
    Cow::Owned(written)
}
