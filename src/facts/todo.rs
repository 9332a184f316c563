use serde_json::Value;

use super::actions::named;
use super::open_work::checkboxes;
use super::words::is_listed;

/// A call of a plan or to-do tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The call contains the whole plan; otherwise its entries are added or change existing ones.
    pub whole: bool,
    /// Its entries, in order.
    pub entries: Vec<Todo>,
}

/// An entry of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// The tool's id of the entry, if it has one.
    pub id: Option<String>,
    /// The text of the entry; empty if the call only gives the id.
    pub text: String,
    /// Whether it is finished or cancelled.
    pub done: bool,
}

/// Reads a call's changes to the plan: a list of entries with a status, as JSON, as text that contains JSON, or as a checklist; or one
/// entry that is created or changed. `None` for tools whose names do not mention a plan, to-dos or tasks.
pub fn plan(tool: &str, args: &Value) -> Option<Plan> {
    if !(named(tool, &["plan", "task", "tasks"]) || tool.to_ascii_lowercase().contains("todo")) {
        return None;
    }
    let map = args.as_object()?;
    let lists = map.iter().filter_map(|(key, value)| {
        let list = match value {
            Value::Array(list) => list.iter().filter_map(entry).collect(),
            Value::String(text) => parse_list(text),
            _ => return None,
        };
        let emptied = value.as_array().is_some_and(Vec::is_empty)
            && ["todos", "plan", "tasks", "items", "todoList", "todo_list"].contains(&key.as_str());
        (emptied || !list.is_empty()).then_some(list)
    });
    if let Some(entries) = lists.max_by_key(Vec::len) {
        let merged = args.get("merge").and_then(Value::as_bool) == Some(true);
        let whole = !merged && entries.iter().all(|entry| !entry.text.is_empty());
        return Some(Plan { whole, entries });
    }
    let one = Todo { id: id_of(args), text: text_of(args).unwrap_or_default(), done: is_done(args) };
    let made = named(tool, &["create", "add", "new"]) && !one.text.is_empty();
    let changed = one.id.is_some() && (args.get("status").is_some() || !one.text.is_empty());
    (made || changed).then(|| Plan { whole: false, entries: vec![one] })
}

/// The id that a tool gave to the entry that it created: "Task #1 created", `{"id": 1}`.
pub fn created_id(output: &str) -> Option<String> {
    const BEGINNING: usize = 2_000;
    let json: Option<Value> = (output.len() <= BEGINNING && output.starts_with('{'))
        .then(|| serde_json::from_str(output).ok())
        .flatten();
    if let Some(id) = json.and_then(|json| id_of(&json).or_else(|| id_of(json.get("task")?))) {
        return Some(id);
    }
    let (_, behind) = output.get(..output.len().min(BEGINNING)).unwrap_or_default().split_once('#')?;
    let end = behind.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(behind.len());
    (end > 0).then(|| behind[..end].to_owned())
}

/// Reads a list that was passed as text.
fn parse_list(text: &str) -> Vec<Todo> {
    if text.trim_start().starts_with("[{") {
        let list: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        return list.iter().filter_map(entry).collect();
    }
    let lines: Vec<String> = text
        .lines()
        .map(|line| if line.starts_with('[') { format!("- {line}") } else { line.to_owned() })
        .collect();
    let boxes = lines.iter().flat_map(|line| checkboxes(line));
    boxes.map(|found| Todo { id: None, text: found.text.to_owned(), done: found.done }).collect()
}

fn entry(value: &Value) -> Option<Todo> {
    value.get("status")?.as_str()?;
    let (id, text) = (id_of(value), text_of(value).unwrap_or_default());
    (id.is_some() || !text.is_empty()).then(|| Todo { id, text, done: is_done(value) })
}

fn is_done(value: &Value) -> bool {
    const DONE: &str = "completed complete done finished cancelled canceled closed deleted removed";
    let status = value.get("status").and_then(Value::as_str).unwrap_or_default();
    is_listed(status, DONE)
}

fn text_of(value: &Value) -> Option<String> {
    let keys = ["content", "step", "subject", "title", "text", "task", "description"];
    keys.iter().find_map(|key| value.get(key)?.as_str()).map(|text| text.trim().to_owned())
}

fn id_of(value: &Value) -> Option<String> {
    ["id", "taskId", "task_id", "todoId", "todo_id"].iter().find_map(|key| match value.get(key)? {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    })
}
