//! Finds the argument that distinguishes a call from other calls of the same tool.

use serde_json::Value;

use super::actions::action;
use super::shorten::line;
use crate::message::ToolCall;

/// The length limit, in bytes.
const MOST: usize = 60;

/// The command line in backquotes, the first path, or the first non-empty text argument (a query, an address, a name).
pub fn distinguishing_argument(call: &ToolCall) -> Option<String> {
    let action = action(call, 0);
    if let Some(command) = &action.command {
        return Some(format!("`{}`", line(command, MOST)));
    }
    if let Some(path) = action.paths.first() {
        return Some(line(path, MOST));
    }
    let mut texts = action.args.as_object()?.values().filter_map(Value::as_str);
    texts.find(|text| !text.trim().is_empty()).map(|text| line(text, MOST))
}
