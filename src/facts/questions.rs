//! Whether a clause asks something.

use super::clause::{BEING, DETERMINERS, is_third_person};
use super::words::is_listed;

/// Words that ask, or begin a clause about something.
const ASKING: &str = "why how what which who where";
const PRONOUNS: &str = "i we you it they he she there this that";
/// Words that make a condition of "where": "where possible".
const CONDITIONS: &str =
    "possible needed necessary required appropriate applicable feasible sensible practical";

/// "Does it always", "why does it never": a question, whether or not it has a question mark.
pub(super) fn asks(words: &[&str], is_marked: bool) -> bool {
    match words {
        ["can" | "could" | "would" | "will", "you", ..] | ["do", "it" | "this" | "that", ..] => false,
        ["don't", "you", "ever" | "dare", ..] => is_marked,
        ["have", subject, ..] if is_listed(subject, DETERMINERS) => is_marked,
        [asking, behind @ ..] if is_listed(asking, ASKING) => is_marked || !is_about(asking, behind),
        [verb, subject, ..] => {
            (is_listed(subject, PRONOUNS) || (*verb != "do" && is_listed(subject, DETERMINERS)))
                && is_auxiliary(verb)
        }
        _ => false,
    }
}

/// Whether a verb comes before its subject in questions.
pub(super) fn is_auxiliary(verb: &str) -> bool {
    is_listed(verb, BEING) || is_listed(verb, "are do can will should must aren't don't shouldn't can't")
}

/// "What you do", "where possible", "what matters is": such a clause is part of a statement.
fn is_about(asking: &str, behind: &[&str]) -> bool {
    match behind {
        [subject, ..] if is_listed(subject, PRONOUNS) || is_listed(subject, CONDITIONS) => true,
        [verb, rest @ ..] => {
            asking == "what" && is_third_person(verb) && !is_auxiliary(verb) && rest.contains(&"is")
        }
        [] => false,
    }
}
