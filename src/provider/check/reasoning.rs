//! Which reasoning providers of Chat Completions require from earlier answers.

use serde_json::Value;

use super::super::fields::given;
use super::dialect::Dialect;
use super::dialect::ReasoningRule;
use super::violation::{Severity, Violations};
use crate::hashing::HashMap;

/// Reports calls without reasoning, if the provider refuses them and another answer has it, which shows that thinking
/// is enabled.
pub(super) fn check_missing(list: &[Value], dialect: &Dialect, found: &mut Violations) {
    let ReasoningRule::Required(field) = dialect.reasoning else { return };
    if !list.iter().any(|message| has_text(message, field)) {
        return;
    }
    for (i, message) in list.iter().enumerate() {
        // DeepSeek accepts an empty text (recorded), so only the field is required.
        if calls(message).is_some() && given(message, field).is_none() {
            let name = dialect.name;
            let why = format!("calls without `{field}`, which {name} rejects if other answers have it");
            found.error("C-reasoning-missing", i, why);
        }
    }
}

/// Reports reasoning that came with calls and was removed or changed.
pub(super) fn check_lost(before: &[Value], after: &[Value], dialect: &Dialect, found: &mut Violations) {
    let (field, severity) = match dialect.reasoning {
        ReasoningRule::Free => return,
        ReasoningRule::Recommended(field) => (field, Severity::Warn),
        ReasoningRule::Required(field) => (field, Severity::Error),
    };
    let came: HashMap<String, &Value> =
        before.iter().filter_map(|message| Some((calls(message)?, given(message, field)?))).collect();
    for (i, message) in after.iter().enumerate() {
        let Some(was) = calls(message).and_then(|ids| came.get(&ids)) else { continue };
        match given(message, field) {
            None => {
                let why = format!("these calls lost their `{field}`");
                found.add(severity, "C-reasoning-lost", i, why);
            }
            // A text may be shortened; signed blocks must not change.
            Some(now) if now != *was && was.is_array() => {
                let why = format!("`{field}` was changed");
                found.warn("C-reasoning-changed", i, why);
            }
            Some(_) => {}
        }
    }
}

fn has_text(message: &Value, field: &str) -> bool {
    given(message, field).is_some_and(|said| said != "")
}

/// The ids of a message's calls, joined; `None` if it has no calls.
fn calls(message: &Value) -> Option<String> {
    let calls = message.get("tool_calls")?.as_array().filter(|calls| !calls.is_empty())?;
    let ids: Vec<&str> = calls.iter().filter_map(|call| call.get("id")?.as_str()).collect();
    Some(ids.join(" "))
}
