use serde_json::Value;

/// An entry of a plan or to-do tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// What is to be done.
    pub text: String,
    /// It is finished or cancelled.
    pub done: bool,
}

/// The list in the arguments of a plan or to-do tool: an array of objects that have a `status` and a text.
/// `None` where the arguments hold no such list.
pub fn todos(args: &Value) -> Option<Vec<Todo>> {
    let lists = args.as_object()?.values().filter_map(Value::as_array);
    lists.map(|list| list.iter().filter_map(entry).collect::<Vec<_>>()).find(|list| !list.is_empty())
}

fn entry(value: &Value) -> Option<Todo> {
    let status = value.get("status")?.as_str()?;
    let text = ["content", "step", "title", "text", "task", "description"]
        .iter()
        .find_map(|k| value.get(k)?.as_str())?;
    let done = matches!(
        status,
        "completed" | "complete" | "done" | "finished" | "cancelled" | "canceled" | "closed"
    );
    Some(Todo { text: text.trim().to_owned(), done })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_of_several_tools() {
        let args = serde_json::json!({ "explanation": "x", "plan": [
            { "step": "Fix the parser", "status": "completed" },
            { "step": "Write tests", "status": "in_progress" },
        ]});
        let list = todos(&args).unwrap();
        assert_eq!(
            list.iter().map(|t| (t.text.as_str(), t.done)).collect::<Vec<_>>(),
            [("Fix the parser", true), ("Write tests", false)]
        );
        assert_eq!(todos(&serde_json::json!({ "edits": [{ "old": "a" }] })), None);
    }
}
