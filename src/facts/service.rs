//! Calls that change something in another service: send a mail, book a seat, cancel an order, update a row. Whoever forgets one might do it
//! again.

use serde_json::Value;

use super::actions::{own_name, words_of};
use super::shorten;
use super::words::{self, is_listed};
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
        && !action.call.hosted // its answer is not known here
        && plan(name, &action.args).is_none()
        && !is_ask_user_tool(name)
}

fn verb(name: &str, args: &Value) -> Option<String> {
    let own_words = words_of(own_name(name));
    let is_verb = |word: &String| changes(word) || looks(word);
    let argument = |keys: &[&str]| keys.iter().find_map(|key| args.get(key)?.as_str());
    let request = argument(&["method", "http_method", "verb", "operation", "action"]);
    let of_request = request.and_then(|text| text.split_whitespace().next()).map(str::to_ascii_lowercase);
    let of_statement = || argument(&["sql", "statement", "query"]).and_then(sql_verb);
    // "charge_history": a noun.
    let is_noun = own_words
        .last()
        .is_some_and(|last| is_listed(last, "details history info lookup policy rates search"));
    let of_name = || own_words.iter().find(|word| is_verb(word)).filter(|_| !is_noun).cloned();
    of_request.filter(is_verb).or_else(of_statement).or_else(of_name)
}

/// The first verb of SQL statements that change something, else `select`; `None` if the text is no SQL.
fn sql_verb(text: &str) -> Option<String> {
    const MOST_WORDS: usize = 400;
    let words = words::words(text).take(MOST_WORDS).map(str::to_ascii_lowercase).collect::<Vec<_>>();
    let changes = words.windows(2).enumerate().find(|(at, pair)| match &*pair[0] {
        "insert" | "merge" | "replace" => pair[1] == "into",
        "delete" => pair[1] == "from",
        "alter" | "create" | "drop" | "truncate" => is_listed(&pair[1], "index table view"),
        "update" => words[at + 2..].iter().take(3).any(|word| word == "set"),
        _ => false,
    });
    match changes {
        Some((_, pair)) => Some(pair[0].clone()),
        None => {
            words.first().filter(|first| is_listed(first, "explain select with")).map(|_| "select".to_owned())
        }
    }
}

fn changes(verb: &str) -> bool {
    is_listed(
        verb,
        "accept add alter append apply approve archive assign book buy cancel change charge checkout clear close commit confirm \
         create decline delete deploy deposit dial disable drop enable escalate exchange forward grant insert install invite \
         lock make merge modify move mutation notify patch pay place post provision publish purchase push put rebook reboot \
         refund register reject remove rename reopen reply rerun reschedule reserve reset resolve restart restore return revoke \
         rollback rotate save scale schedule send set share start stop submit subscribe terminate toggle transfer trigger \
         truncate turn uninstall unlock unsubscribe update upload upsert withdraw write",
    )
}

fn looks(verb: &str) -> bool {
    is_listed(
        verb,
        "ask calculate can check compare count describe estimate explain fetch find get has head is list load look lookup \
         preview query read retrieve search select show summarize think validate view wait",
    )
}

/// A tool call on one line: `name(key: value, …)`.
pub fn call_line(action: &Action<'_>) -> String {
    let inside: Vec<String> = match &action.args {
        Value::Object(map) => map.iter().map(|(key, value)| format!("{key}: {}", told(key, value))).collect(),
        other => vec![told("", other)],
    };
    shorten::line(&format!("{}({})", action.call.name, inside.join(", ")), LONGEST_CALL).replace('`', "'")
}

/// An argument on one line.
fn told(key: &str, value: &Value) -> String {
    let value = without_secrets(key, value);
    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    shorten::line(&value, LONGEST_ARGUMENT)
}

/// The value of a member without passwords and the like, also in JSON in a string.
fn without_secrets(key: &str, value: &Value) -> Value {
    if is_secret(key) {
        return Value::from("…");
    }
    match value {
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), without_secrets(key, value))).collect()
        }
        Value::Array(list) => list.iter().map(|item| without_secrets(key, item)).collect(),
        Value::String(text) if text.starts_with('{') => match serde_json::from_str::<Value>(text) {
            Ok(inner) => Value::from(without_secrets(key, &inner).to_string()),
            Err(_) => value.clone(),
        },
        _ => value.clone(),
    }
}

/// Whether an argument is a password or the like, which a record must not repeat, or the headers of a request, which have one.
fn is_secret(key: &str) -> bool {
    const LIST: &str = "authorization auth cookie credential credentials cvc cvv headers passcode password passwd pin pwd secret token";
    let words = words_of(key);
    let is_key = words.ends_with(&["api".to_owned(), "key".to_owned()]) || words.concat() == "apikey";
    is_key || words.iter().any(|word| is_listed(word, LIST))
}

#[cfg(test)]
mod tests {
    use super::super::actions::action;
    use super::*;
    use crate::message::ToolCall;

    #[test]
    fn a_record_repeats_no_password() {
        let args = r#"{"user":"ann","newPassword":"hunter2","headers":{"Authorization":"Bearer x"},"api_key":"k1","pages":[2],"body":"{\"token\":\"t\"}"}"#;
        let call = ToolCall::function("a", "set_password", args);
        let told = "set_password(user: ann, newPassword: …, headers: …, api_key: …, pages: [2], body: {\"token\":\"…\"})";
        assert_eq!(call_line(&action(&call, 0)), told);
    }

    #[test]
    fn what_changes_something_is_told_from_what_looks() {
        let is = |name: &str, args: &str| changes_service(&action(&ToolCall::function("a", name, args), 0));
        assert!(is("send_mail", r#"{"to":"a@b.example"}"#));
        assert!(is("mcp__github__createIssue", r#"{"title":"x"}"#));
        assert!(is("update_reservation_flights", r#"{"reservation_id":"JG7FMM"}"#));
        assert!(is("http_request", r#"{"method":"POST","url":"https://a.example/runs/1/rerun"}"#));
        assert!(is("run_sql", r#"{"query":"UPDATE t SET a = 1"}"#));
        assert!(is("run_sql", r#"{"query":"-- in batches\nWITH b AS (SELECT 1) UPDATE t SET a = 1"}"#));
        assert!(!is("charge_history", "{}") && is("charge_card", "{}"));
        assert!(!is("run_sql", r#"{"query":"SELECT * FROM updates"}"#));
        assert!(!is("http_request", r#"{"method":"GET","url":"https://a.example/create"}"#));
        assert!(is("kubectl", r#"{"verb":"delete","name":"pod-1"}"#));
        assert!(!is("mcp__post-office__get_rates", "{}"), "the server's name is no verb");
        assert!(!is("docs", r#"{"query":"Update on the return policy"}"#) && !is("can_cancel_order", "{}"));
        assert!(is("db", r#"{"query":"SELECT 1; DELETE FROM t"}"#));
        assert!(!is("get_order_update", r#"{"order_id":"A-1"}"#));
        assert!(!is("search", r#"{"query":"send a mail"}"#), "a search whose first word is a verb");
        assert!(!is("TodoWrite", r#"{"todos":[{"content":"a","status":"pending"}]}"#));
        assert!(!is("write_file", r#"{"path":"a.rs","content":""}"#), "told as a changed file");
        assert!(!is("bash", r#"{"command":"rm a"}"#), "told as a command");
    }
}
