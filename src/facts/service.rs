//! Calls that change something in another service: send a mail, book a seat, cancel an order, update a row. Whoever forgets one might do it
//! again.

use serde_json::Value;

use super::actions::words_of;
use super::shorten;
use super::words::is_listed;
use super::{Action, ActionKind, is_ask_user_tool, plan};

/// The length limits of a call and of an argument, in bytes.
const LONGEST_CALL: usize = 120;
const LONGEST_ARGUMENT: usize = 60;

/// Whether a call changes something in another service, as far as its verb says: that of an HTTP request, of an SQL statement, or the first
/// one in the tool's name.
pub fn changes_service(action: &Action<'_>) -> bool {
    let name = &action.call.name;
    action.kind == ActionKind::Other
        && verb(name, &action.args).is_some_and(|verb| changes(&verb))
        && plan(name, &action.args).is_none()
        && !is_ask_user_tool(name)
}

fn verb(name: &str, args: &Value) -> Option<String> {
    let is_verb = |word: &String| changes(word) || looks(word);
    let first = |keys: &[&str]| {
        let text = keys.iter().find_map(|key| args.get(key)?.as_str())?;
        text.split_whitespace().next().map(str::to_ascii_lowercase).filter(is_verb)
    };
    let of_request = first(&["method", "http_method"]);
    let of_name = || words_of(name).into_iter().find(is_verb);
    of_request.or_else(of_name).or_else(|| first(&["sql", "statement", "query"]))
}

fn changes(verb: &str) -> bool {
    is_listed(
        verb,
        "accept add alter append apply approve archive assign book buy cancel change charge close commit confirm create decline delete \
         deploy disable drop edit enable exchange forward grant insert invite merge modify move mutation notify patch pay post publish \
         purchase put refund register reject remove rename reopen replace reply rerun reschedule reset resolve restart restore return \
         revoke rollback save schedule send set start stop submit subscribe terminate transfer trigger truncate unsubscribe update upload \
         upsert write",
    )
}

fn looks(verb: &str) -> bool {
    is_listed(
        verb,
        "ask calculate check compare count describe explain fetch find get head list load lookup look open read retrieve search \
         select show summarize think validate view wait",
    )
}

/// A tool call on one line: `name(key: value, …)`.
pub fn call_line(action: &Action<'_>) -> String {
    let mut inside: Vec<String> = Vec::new();
    match &action.args {
        Value::Object(map) => {
            for (key, value) in map {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                inside.push(format!("{key}: {}", shorten::line(&value, LONGEST_ARGUMENT)));
            }
        }
        other => inside.push(shorten::line(other.as_str().unwrap_or_default(), LONGEST_ARGUMENT)),
    }
    shorten::line(&format!("{}({})", action.call.name, inside.join(", ")), LONGEST_CALL).replace('`', "'")
}

#[cfg(test)]
mod tests {
    use super::super::actions::action;
    use super::*;
    use crate::message::ToolCall;

    #[test]
    fn what_changes_something_is_told_from_what_looks() {
        let is = |name: &str, args: &str| changes_service(&action(&ToolCall::function("a", name, args), 0));
        assert!(is("send_mail", r#"{"to":"a@b.example"}"#));
        assert!(is("mcp__github__createIssue", r#"{"title":"x"}"#));
        assert!(is("update_reservation_flights", r#"{"reservation_id":"JG7FMM"}"#));
        assert!(is("http_request", r#"{"method":"POST","url":"https://a.example/runs/1/rerun"}"#));
        assert!(is("run_sql", r#"{"query":"UPDATE t SET a = 1"}"#));
        assert!(!is("run_sql", r#"{"query":"SELECT * FROM updates"}"#));
        assert!(!is("http_request", r#"{"method":"GET","url":"https://a.example/create"}"#));
        assert!(!is("get_order_update", r#"{"order_id":"A-1"}"#));
        assert!(!is("search", r#"{"query":"send a mail"}"#), "a search whose first word is a verb");
        assert!(!is("TodoWrite", r#"{"todos":[{"content":"a","status":"pending"}]}"#));
        assert!(!is("write_file", r#"{"path":"a.rs","content":""}"#), "told as a changed file");
        assert!(!is("bash", r#"{"command":"rm a"}"#), "told as a command");
    }
}
