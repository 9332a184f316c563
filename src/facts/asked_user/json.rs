//! Reads an answer in JSON.

use serde_json::{Map, Value};

use crate::facts::words::is_listed;
use crate::message::without_inserted;

/// Keys of answers beside their questions. A `user` in front is ignored.
const ANSWERS: &str = "answer answers response responses reply replies";
/// Whether an element of this name contains an answer: `<answer>`, `<user_response>`.
pub(super) fn is_answer(name: &str) -> bool {
    is_listed(without_user_prefix(&plain(name)), ANSWERS)
        || matches!(plain(name).as_str(), "usermessage" | "userinput")
}

/// Keys of what the user wrote beside an answer.
const USER_NOTES: &str = "annotation annotations comment comments custom customanswer customtext additional feedback freeform \
    freetext note notes other remark remarks";
/// Keys of questions.
const QUESTIONS: &str = "question questions prompt";
/// Keys of what the agent asked and offered and of what the tool says about itself. None of this is from the user.
const NOT_FROM_USER: &str = "question questions prompt options choices header label description title preview previews instruction \
    instructions hint hints guidance reminder nextsteps type status id action";

/// Fields that say how asking ended: it failed if they contain one of the words in [`FAILED`].
const ENDED: &str = "status state outcome result type action kind";
const FAILED: &str = "error failed failure fail cancel cancelled canceled abort aborted decline declined dismissed expired \
    interrupted noanswer noresponse refused reject rejected skip skipped timeout timedout unanswered \
    unavailable iserror";
/// Fields that say that asking failed if they are false.
const SUCCEEDED: &str = "success succeeded ok answered responded";

/// The kind of an object's keys: our known words, or ids that the caller gave to its questions.
#[derive(Clone, Copy, PartialEq)]
enum Keys {
    OurWords,
    Ids,
}

/// The user's texts in the value, in order.
pub(super) fn user_answers(value: Value) -> Vec<String> {
    let mut out = Vec::new();
    // The last element says whether the value is certainly the user's and not perhaps the tool's.
    let mut next = vec![(value, Keys::OurWords, false)];
    while let Some((value, keys, certain)) = next.pop() {
        match value {
            Value::String(text) if certain => out.push(without_inserted(&text).into_owned()),
            // This ends, because each text is shorter than the one that contained it.
            Value::String(text) => out.extend(super::user_answers(&text)),
            Value::Array(values) => {
                next.extend(values.into_iter().rev().map(|value| (value, Keys::OurWords, certain)));
            }
            Value::Object(fields) if keys == Keys::Ids && !is_record(&fields) => {
                next.extend(fields.into_iter().rev().map(|(_, value)| (value, Keys::OurWords, certain)));
            }
            Value::Object(fields) => next.extend(values_of_record(fields, certain).into_iter().rev()),
            _ => {}
        }
    }
    out
}

/// The values in a record that the user said.
fn values_of_record(fields: Map<String, Value>, certain: bool) -> Vec<(Value, Keys, bool)> {
    let failed = fields.iter().any(|(key, value)| is_failure(&plain(key), value));
    let answered = fields.keys().any(|key| is_listed(without_user_prefix(&plain(key)), ANSWERS));
    let accepted = fields.get("action").and_then(Value::as_str) == Some("accept");
    let read = |(key, value): (String, Value)| {
        let key = plain(&key);
        let key = without_user_prefix(&key);
        let of_answer = is_listed(key, ANSWERS);
        let own = of_answer || is_listed(key, USER_NOTES);
        let many = matches!(key, "answers" | "responses" | "replies" | "annotations");
        let keys = if many || accepted && key == "content" { Keys::Ids } else { Keys::OurWords };
        let is_users = own || !failed && !answered && !is_listed(key, NOT_FROM_USER) && !is_from_system(key);
        is_users.then_some((value, keys, certain || own && !failed))
    };
    fields.into_iter().filter_map(read).collect()
}

/// Whether an object that may map questions to answers is itself one question with its answer.
fn is_record(fields: &Map<String, Value>) -> bool {
    let any = |of: &str| fields.keys().any(|key| is_listed(without_user_prefix(&plain(key)), of));
    any(ANSWERS) && any(QUESTIONS)
}

/// Whether a field says that there was an error or that nobody answered.
fn is_failure(key: &str, value: &Value) -> bool {
    match value {
        Value::Bool(true) => is_listed(key, FAILED),
        Value::Bool(false) => is_listed(key, SUCCEEDED),
        Value::String(text) if is_listed(key, ENDED) => is_listed(&plain(text), FAILED),
        Value::String(text) => key == "error" && !text.is_empty(),
        Value::Array(errors) => key == "errors" && !errors.is_empty(),
        Value::Object(_) => key == "error",
        _ => false,
    }
}

fn is_from_system(key: &str) -> bool {
    ["system", "tool", "assistant", "agent", "model"].iter().any(|who| key.starts_with(who))
}

/// A key in lower case and without punctuation.
fn plain(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A key without `user` in front.
fn without_user_prefix(key: &str) -> &str {
    let bare = key.strip_prefix("users").filter(|bare| !bare.is_empty());
    bare.or_else(|| key.strip_prefix("user").filter(|bare| !bare.is_empty())).unwrap_or(key)
}
