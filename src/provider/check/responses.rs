//! The rules of the Responses API.

use serde_json::{Map, Value};

use super::super::fields::text;
use super::super::openai_responses::kinds::{self, APPROVAL, CALL_ID_MAX, TAKES_FUNCTION_OUTPUT};
use super::dialect::Dialect;
use super::open::OpenIds;
use super::options::CheckOptions;
use super::pending::last_step;
use super::violation::{Severity, Violations, tool_name};
use crate::hashing::{HashMap, HashSet};
use crate::message::Role;

/// A call without an output so far.
struct Call<'v> {
    index: usize,
    kind: &'v str,
}

struct Pairing<'v> {
    open: OpenIds<'v, Call<'v>>,
    answered: HashSet<&'v str>,
    called: HashSet<&'v str>,
    /// The calls of local shells by the ids of their items: an output may name either.
    shells: HashMap<&'v str, &'v str>,
    /// The index of the last call with each id.
    last_call: HashMap<&'v str, usize>,
    stateful: bool,
}

pub(super) fn check(list: &[Value], options: &CheckOptions<'_>, dialect: &Dialect, found: &mut Violations) {
    let referenced = list.iter().any(|item| text(item, "type") == Some("item_reference"));
    let stateful = options.stateful || referenced;
    let mut pairing = Pairing::new(list, stateful);
    let behind = next_non_reasoning(list);
    let mut ids: HashMap<&str, usize> = HashMap::default();
    let mut approvals = OpenIds::default(); // requests without an answer so far
    for (i, value) in list.iter().enumerate() {
        let Some(item) = value.as_object() else { continue };
        let kind = text(value, "type").unwrap_or_default();
        if matches!(kind, "function_call" | "custom_tool_call") {
            tool_name("R-name", text(value, "name"), i, found);
        }
        if kinds::call_kind(kind).is_some() {
            pairing.call(item, kind, i, found);
        } else if kinds::output_kind(kind).is_some() {
            pairing.output(item, kind, i, found);
        } else if kind == "reasoning" {
            reasoning(value, behind[i].map(|at| &list[at]), i, options, dialect, found);
        } else if kind == APPROVAL.call {
            approvals.open(kinds::call_id(item).unwrap_or_default(), i);
        } else if kind == APPROVAL.output {
            approvals.close(kinds::call_id(item).unwrap_or_default());
        }
        id(value, kind, item, i, &mut ids, dialect, found);
        let between =
            kinds::call_kind(kind).is_none() && kinds::output_kind(kind).is_none() && kind != "reasoning";
        if dialect.strict_adjacency && between && !pairing.open.is_empty() {
            let what = if kind.is_empty() { text(value, "role").unwrap_or("unknown") } else { kind };
            found.error("R-interleaved", i, format!("a {what} item is between a call and its output"));
        }
    }
    let running =
        if options.pending { last_step(&list.iter().map(role).collect::<Vec<_>>()) } else { list.len() };
    for (id, call) in pairing.open.close_all() {
        if call.index < running {
            found.error("R-unanswered", call.index, format!("{} {id} has no output", call.kind));
        }
    }
    for (id, at) in approvals.close_all().into_iter().filter(|(_, at)| *at < running) {
        found.error("R-unanswered", at, format!("{} {id} has no {}", APPROVAL.call, APPROVAL.output));
    }
}

/// The role of an item.
fn role(item: &Value) -> Role {
    let kind = text(item, "type").unwrap_or_default();
    match text(item, "role") {
        Some(name) if matches!(kind, "" | "message") => Role::parse(name).unwrap_or(Role::User),
        _ if kinds::output_kind(kind).is_some() => Role::Tool,
        _ => Role::Assistant,
    }
}

impl<'v> Pairing<'v> {
    fn new(list: &'v [Value], stateful: bool) -> Self {
        let call = |(i, item): (usize, &'v Value)| {
            text(item, "type").filter(|kind| kinds::call_kind(kind).is_some())?;
            Some((kinds::call_id(item.as_object()?)?, i))
        };
        Self {
            open: OpenIds::default(),
            answered: HashSet::default(),
            called: HashSet::default(),
            shells: HashMap::default(),
            last_call: list.iter().enumerate().filter_map(call).collect(),
            stateful,
        }
    }

    fn call(&mut self, item: &'v Map<String, Value>, kind: &'v str, i: usize, found: &mut Violations) {
        let Some(id) = kinds::call_id(item) else { return };
        if !kinds::is_hosted(item) {
            if self.open.contains(id) {
                found.error("R-dup-call", i, format!("a second open {kind} with call_id {id}"));
            }
            self.open.open(id, Call { index: i, kind });
        }
        self.called.insert(id);
        if let Some(item) = item.get("id").and_then(Value::as_str).filter(|_| kind == "local_shell_call") {
            self.shells.insert(item, id);
        }
    }

    fn output(&mut self, item: &'v Map<String, Value>, kind: &str, i: usize, found: &mut Violations) {
        let Some(id) = kinds::call_id(item) else {
            if kind != "tool_search_output" {
                found.error("R-no-call-id", i, format!("{kind} without call_id"));
            }
            return;
        };
        let by_item =
            self.shells.get(id).filter(|_| kind == "local_shell_call_output" && !self.open.contains(id));
        let id = by_item.copied().unwrap_or(id);
        if let Some(call) = self.open.close(id) {
            let own = kinds::output_kind(kind).is_some_and(|k| k.call == call.kind);
            let plain = kind == "function_call_output" && TAKES_FUNCTION_OUTPUT.contains(&call.kind);
            if !own && !plain {
                found.error("R-kind", i, format!("{kind} answers a {} (call_id {id})", call.kind));
            }
            self.answered.insert(id);
        } else if self.answered.contains(id) && !self.stateful {
            found.error("R-dup-output", i, format!("second output for call_id {id}"));
        } else if !self.stateful && !self.called.contains(id) {
            if self.last_call.get(id).is_some_and(|&at| at > i) {
                found.error("R-order", i, format!("output before its call (call_id {id})"));
            } else {
                found.error(
                    "R-orphan-output",
                    i,
                    format!("output whose call is not in the input (call_id {id})"),
                );
            }
        }
    }
}

/// For each item, the index of the next one that is not reasoning.
fn next_non_reasoning(list: &[Value]) -> Vec<Option<usize>> {
    let mut behind = vec![None; list.len()];
    let mut next = None;
    for (i, item) in list.iter().enumerate().rev() {
        behind[i] = next;
        if text(item, "type") != Some("reasoning") {
            next = Some(i);
        }
    }
    behind
}

/// `next`: the next item that is not reasoning.
fn reasoning(
    item: &Value,
    next: Option<&Value>,
    i: usize,
    options: &CheckOptions<'_>,
    dialect: &Dialect,
    found: &mut Violations,
) {
    if !item.get("summary").is_some_and(Value::is_array) {
        found.error("R-summary", i, "reasoning without summary");
    }
    let id = super::given(item, "id");
    match next.filter(|v| v.as_object().is_some_and(kinds::is_model_made)) {
        None => {
            // An unknown item may have been made by the model.
            let unknown = next.is_some_and(|v| v.as_object().is_some_and(kinds::is_unknown));
            let severity = if id.is_some() && !unknown { Severity::Error } else { Severity::Warn };
            let what = next.map_or("nothing", |v| {
                text(v, "type").or_else(|| text(v, "role")).unwrap_or("an unknown item")
            });
            let message = format!("reasoning is followed by {what}, not by a model item");
            found.add(severity, "R-reasoning-tail", i, message);
        }
        Some(next) => {
            let looked_up = options.store != Some(false) && dialect.stores_items && dialect.name == "openai";
            if id.is_some() && super::given(next, "id").is_none() && looked_up {
                let severity = if options.store == Some(true) { Severity::Error } else { Severity::Warn };
                let message = "reasoning keeps its id but the item after it has none: if items are stored, the API looks for the stored one";
                found.add(severity, "R-reasoning-unlinked", i, message);
            }
        }
    }
}

fn id<'v>(
    value: &'v Value,
    kind: &str,
    item: &Map<String, Value>,
    i: usize,
    ids: &mut HashMap<&'v str, usize>,
    dialect: &Dialect,
    found: &mut Violations,
) {
    if let Some(call_id) = text(value, "call_id").filter(|id| id.encode_utf16().count() > CALL_ID_MAX) {
        found.error(
            "R-call-id-long",
            i,
            format!("call_id has {} characters", call_id.encode_utf16().count()),
        );
    }
    if kind == "item_reference" || kind == "local_shell_call_output" {
        return;
    }
    let Some(id) = text(value, "id") else { return };
    if let Some(at) = ids.insert(id, i) {
        found.error("R-dup-id", i, format!("item id {id} already used at {at}"));
    }
    let prefix = match kind {
        "reasoning" => "rs",
        "function_call" => "fc",
        _ if kinds::is_assistant(item) => "msg",
        _ => return,
    };
    if !id.starts_with(prefix) {
        let severity =
            if dialect.prefixed_ids && dialect.name == "openai" { Severity::Error } else { Severity::Warn };
        found.add(severity, "R-id-prefix", i, format!("id {id} does not begin with {prefix}"));
    }
}
