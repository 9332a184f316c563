//! Recognises answers that say nothing about the conversation: errors of services, and announcements of a summary that does not follow.

use serde_json::Value;

use crate::facts::words::{is_listed, lowered};
use crate::provider::is_too_large;

/// Longer texts are never classified by their words.
const SHORT: usize = 600;

/// An error must have at least this many known words for each unknown one: "Rate limit handling was added" is a summary.
const KNOWN_FOR_OTHER: usize = 5;

/// Function words, which are ignored.
const FUNCTION: &str = "a an the and or of to for from in on at by with as is are was were be been being it its \
    this that these those there here here's i i'm i'll me my we our us you your any some no not yes so far if \
    while when than do does don't have has had can could would will may about what which let let's only also \
    just still below above following now currently";

/// Words of a text that announces a summary or asks for the conversation.
const ANNOUNCES: &str = "sure certainly course okay ok understood summary summaries summarize summarise \
    summarized summarised summarizing summarising conversation transcript chat text content message messages \
    please want need like happy help";

/// Words of a text that says the summary is missing or asks for the conversation.
const NOTHING_YET: &str =
    "no not none null empty todo tbd placeholder insert provide provided share paste send";

/// Words of service errors.
const ERRORS: &str = "error errors failed failure fail code status http request requests reason rate limit \
    limits limited exceeded exceed exceeds reached try again later retry retrying after seconds minutes moment \
    server service api engine upstream gateway proxy host overloaded overload capacity busy high demand \
    unavailable temporarily unable occurred encountered processing process sorry internal unexpected unknown bad \
    invalid incorrect missing unauthorized forbidden denied permission access authentication authenticated \
    credentials key x token tokens found find exist exists model deployment resource exhausted insufficient quota \
    credit credits balance billing plan plans details check too low many much large long payload purchase upgrade \
    go add more information see contact support account organization project connect connection socket network \
    fetch timeout timed time out deadline operation aborted cancelled canceled refused reset closed disconnect \
    disconnected hang up peer before headers getaddrinfo certificate expired disabled deactivated blocked \
    slow down unprocessable required generate generating create cannot can't couldn't completion output prompt \
    input context length window size maximum resulted however adjust reduce requested total exceeding per day \
    current first pulling response received nginx cloudflare openai anthropic went wrong something";

/// Prefixes of the names of system errors.
const SYSTEM_ERRORS: [&str; 6] = ["econn", "etimed", "enotfound", "ehost", "enet", "epipe"];

/// Whether a text does nothing but announce a summary that does not follow, or ask for the conversation: "Here is the summary:", `TODO`.
/// "Summary of 7 messages" is accepted, because a caller's placeholder may read like that.
pub fn says_nothing(text: &str) -> bool {
    let lower = lowered(text);
    let leads_nowhere = || {
        lower.trim_end().ends_with([':', '\u{FF1A}'])
            || lower.starts_with('{')
            || words(&lower).any(|word| is_listed(word, NOTHING_YET))
    };
    let announces = |word: &str| is_listed(word, ANNOUNCES) || is_listed(word, NOTHING_YET);
    lower.len() <= SHORT
        && words(&lower).all(|word| announces(word) || is_listed(word, FUNCTION))
        && words(&lower).any(announces)
        && leads_nowhere()
}

/// Whether a text is an error of a service, gateway, proxy or client, as a callback returns it if it does not check the status.
pub fn is_error(text: &str) -> bool {
    let lower = lowered(text);
    if ["<!doctype html", "<html", "<head>", "<?xml"].iter().any(|page| lower.starts_with(page)) {
        return true;
    }
    let fenced = text.strip_prefix("```json").and_then(|rest| rest.strip_suffix("```"));
    if let Ok(Value::Object(object)) = serde_json::from_str(fenced.unwrap_or(text)) {
        let names_one = ["error", "errors"].iter().any(|key| object.get(*key).is_some_and(|e| !e.is_null()));
        let texts = object.values().filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
        return names_one
            || object.get("type").is_some_and(|t| t == "error")
            || is_made_of_errors(&lowered(&texts));
    }
    has_status_and_body(&lower) || is_made_of_errors(&lower)
}

/// Whether nearly all words are those of an error. A text that only begins with an error, or quotes one, has other words as well.
fn is_made_of_errors(lower: &str) -> bool {
    if lower.len() > SHORT {
        return false;
    }
    let significant = words(lower).filter(|word| !is_listed(word, FUNCTION));
    let (known, other): (Vec<&str>, Vec<&str>) = significant.partition(|word| {
        [ERRORS, ANNOUNCES, NOTHING_YET].iter().any(|list| is_listed(word, list)) || names_an_error(word)
    });
    let is_any = || known.iter().any(|word| is_listed(word, ERRORS) || names_an_error(word));
    let for_each = |few: usize| other.len() * few <= known.len();
    for_each(1) && is_any() && (for_each(KNOWN_FOR_OTHER) || is_too_large(lower)) // last, because it is slow
}

/// "Error code: 429 - {…}", "HTTP/1.1 502 <html>…", whatever the body contains.
fn has_status_and_body(lower: &str) -> bool {
    let Some(body) = lower.find(['{', '<']) else { return false };
    let head = &lower[..body];
    let is_status = |word: &str| word.parse::<u16>().is_ok_and(|status| (400..600).contains(&status));
    head.split(|c: char| !c.is_alphanumeric()).any(is_status)
        && words(head).all(|word| is_listed(word, ERRORS) || names_an_error(word))
}

/// Matches `aborterror` and `econnrefused` (lower case).
fn names_an_error(word: &str) -> bool {
    word.ends_with("error") || SYSTEM_ERRORS.iter().any(|begin| word.starts_with(begin))
}

/// The words that are classified: without numbers, addresses, ids and quoted words.
fn words(lower: &str) -> impl Iterator<Item = &str> {
    let counts = |token: &&str| {
        let is_quoted = token.starts_with(['"', '\'', '`', '“']);
        let has_figure = token.contains(|c: char| c.is_ascii_digit() || c == '*') && !token.contains('/');
        let is_id = has_figure || token.starts_with("sk-");
        !is_quoted && !is_id && !token.contains("://")
    };
    let parts = lower
        .split_whitespace()
        .filter(counts)
        .flat_map(|token| token.split(|c: char| !c.is_alphanumeric() && c != '\''));
    parts
        .map(|word| word.trim_matches('\'').trim_end_matches("'s"))
        .filter(|word| !word.is_empty() && !word.contains(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::agrees;

    #[test]
    fn errors_and_announcements_are_not_summaries() {
        agrees(include_str!("service_error.tsv"), |text| match (is_error(text), says_nothing(text)) {
            (true, false) => "error",
            (false, true) => "nothing",
            (true, true) => "error, nothing",
            (false, false) => "summary",
        });
    }
}
