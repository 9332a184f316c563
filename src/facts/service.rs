//! Calls that change something in another service: send a mail, book a seat, cancel an order, update a row. Whoever forgets one might do it
//! again.

use serde_json::Value;

use super::actions::words_of;
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
        && plan(name, &action.args).is_none()
        && !is_ask_user_tool(name)
}

fn verb(name: &str, args: &Value) -> Option<String> {
    // A server's name may stand before the tool's own.
    let own = name.rsplit(['.', '/', ':']).next().unwrap_or(name);
    let own_words = words_of(own.rsplit("__").next().unwrap_or(own));
    let is_verb = |word: &String| changes(word) || looks(word);
    let first = |keys: &[&str]| {
        let text = keys.iter().find_map(|key| args.get(key)?.as_str())?;
        text.split_whitespace().next().map(str::to_ascii_lowercase).filter(is_verb)
    };
    // "charge_history": a noun.
    let is_noun =
        own_words.last().is_some_and(|last| is_listed(last, "details history info lookup policy search"));
    let of_request = first(&["method", "http_method", "verb", "operation", "action"]);
    let of_name = || own_words.iter().find(|word| is_verb(word)).cloned();
    if of_request.is_some() || is_noun {
        return of_request;
    }
    of_name().or_else(|| {
        let statement = ["sql", "statement", "query"].iter().find_map(|key| args.get(key)?.as_str())?;
        sql_verb(statement)
    })
}

/// The verb of an SQL statement, which may begin with comments, a transaction, or a part that is given a name.
fn sql_verb(statement: &str) -> Option<String> {
    const MOST_WORDS: usize = 400;
    let lines = statement.lines().map(str::trim).filter(|line| !line.starts_with("--"));
    let mut words = lines.flat_map(words::words).map(str::to_ascii_lowercase).take(MOST_WORDS);
    match words.next()? {
        first if is_listed(&first, "begin start with") => {
            words.find(|word| is_listed(word, "alter create delete drop insert merge truncate update"))
        }
        first => Some(first),
    }
}

fn changes(verb: &str) -> bool {
    is_listed(
        verb,
        "accept add alter append apply approve archive assign book buy cancel change charge checkout close commit confirm create decline delete \
         deploy disable drop enable exchange forward grant insert invite lock make merge modify move mutation notify patch pay place post provision publish \
         purchase push put reboot refund register reject remove rename reopen reply rerun reschedule reserve reset resolve restart restore return \
         revoke rollback save scale schedule send set start stop submit subscribe terminate toggle transfer trigger truncate turn unlock unsubscribe update upload \
         upsert write",
    )
}

fn looks(verb: &str) -> bool {
    is_listed(
        verb,
        "ask calculate check compare count describe explain fetch find get head list load lookup look preview read retrieve search \
         select show summarize think view wait",
    )
}

/// A tool call on one line: `name(key: value, …)`.
pub fn call_line(action: &Action<'_>) -> String {
    let mut inside: Vec<String> = Vec::new();
    match &action.args {
        Value::Object(map) => {
            for (key, value) in map {
                if is_secret(key) {
                    inside.push(format!("{key}: …"));
                    continue;
                }
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                inside.push(format!("{key}: {}", shorten::line(&value, LONGEST_ARGUMENT)));
            }
        }
        other => inside.push(shorten::line(other.as_str().unwrap_or_default(), LONGEST_ARGUMENT)),
    }
    shorten::line(&format!("{}({})", action.call.name, inside.join(", ")), LONGEST_CALL).replace('`', "'")
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
        let args = r#"{"user":"ann","newPassword":"hunter2","headers":{"Authorization":"Bearer x"},"api_key":"k1","pages":2}"#;
        let call = ToolCall::function("a", "set_password", args);
        let told = "set_password(user: ann, newPassword: …, headers: …, api_key: …, pages: 2)";
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
        assert!(!is("get_order_update", r#"{"order_id":"A-1"}"#));
        assert!(!is("search", r#"{"query":"send a mail"}"#), "a search whose first word is a verb");
        assert!(!is("TodoWrite", r#"{"todos":[{"content":"a","status":"pending"}]}"#));
        assert!(!is("write_file", r#"{"path":"a.rs","content":""}"#), "told as a changed file");
        assert!(!is("bash", r#"{"command":"rm a"}"#), "told as a command");
    }
}
