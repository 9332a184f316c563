//! Repairs ids that the API does not accept.

use serde_json::Value;

use super::work::Change;
use crate::hashing::{HashMap, HashSet};
use crate::message::Format;
use crate::provider::check::{Severity, check};
use crate::provider::openai_responses::kinds::CALL_ID_MAX;
use crate::provider::{CheckOptions, Violation};

/// Repairs the ids of Responses items; lists of other formats are returned unchanged.
pub(super) fn repair(
    format: Format,
    mut list: Vec<Value>,
    origin: &[usize],
    options: &CheckOptions<'_>,
    changes: &mut Vec<Change>,
) -> Vec<Value> {
    if format != Format::OpenaiResponses {
        return list;
    }
    let options = CheckOptions { original: None, ..*options };
    let whole = Value::Array(list);
    let found: Vec<Violation> = check(format, &whole, &options).unwrap_or_default();
    let Value::Array(back) = whole else { return Vec::new() };
    list = back;
    for violation in found.iter().filter(|v| v.severity == Severity::Error && v.rule == "R-id-prefix") {
        if let Some(item) = list.get_mut(violation.index).and_then(Value::as_object_mut) {
            item.shift_remove("id");
            changes.push(Change::new(origin[violation.index], "R-id-prefix", "its id was removed"));
        }
    }
    shorten(&mut list, origin, changes);
    list
}

/// Shortens ids of calls that are too long, in calls and outputs alike.
fn shorten(list: &mut [Value], origin: &[usize], changes: &mut Vec<Change>) {
    let used: HashSet<String> =
        list.iter().filter_map(|v| v.get("call_id")?.as_str().map(str::to_owned)).collect();
    let mut short: HashMap<String, String> = HashMap::default();
    for (i, item) in list.iter_mut().enumerate() {
        let Some(Value::String(id)) = item.get_mut("call_id") else { continue };
        if id.encode_utf16().count() <= CALL_ID_MAX {
            continue;
        }
        let next = short.len();
        let new = short.entry(id.clone()).or_insert_with(|| {
            let start: String = id.chars().filter(char::is_ascii).take(40).collect();
            let mut n = next;
            while used.contains(&format!("{start}_{n}")) {
                n += 1;
            }
            format!("{start}_{n}")
        });
        id.clone_from(new);
        let what = format!("its call_id was shortened to {new}");
        changes.push(Change::new(origin[i], "R-call-id-long", what));
    }
}
