//! Measures what a compaction keeps (LAB-2): the facts of a history, and the share of them that is still in a view.

use std::borrow::Cow;

use serde::Serialize;

use crate::facts::{TextSet, constraints, literals, message_text, texts};
use crate::hashing::HashSet;
use crate::message::Message;
use crate::sorting::sort;

/// The facts of a history, without duplicates.
///
/// A literal fact is a path, a URL, an id or an error code anywhere in the messages' texts, arguments or outputs. A
/// constraint is a sentence of a user message with never, always, must, don't, only or one of their Chinese and Japanese
/// equivalents, or a sentence that revokes such a sentence. A constraint of several lines counts line by line, because a
/// view may wrap its lines differently.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Paths, URLs, ids and error codes, sorted.
    pub literals: Vec<String>,
    /// The user's constraints, sorted.
    pub constraints: Vec<String>,
}

/// The shares of a history's facts that are still in a view, 0 to 1; 1 if the history has none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Retention {
    /// Literal facts that are in the view itself, letter by letter.
    pub literal: f64,
    /// Literal facts that are in the view, or in an output that a ref in the view opens.
    pub with_refs: f64,
    /// Constraints of the user that are in the view word for word.
    pub constraints: f64,
}

impl Retention {
    /// The value for a history without facts.
    pub(super) const WITHOUT_FACTS: Self = Self { literal: 1.0, with_refs: 1.0, constraints: 1.0 };
}

/// Finds the facts of a history, in time linear in its length.
///
/// ```
/// use contextfold::lab::facts;
/// use contextfold::message::{Message, Role};
///
/// let history = [Message::text(Role::User, "Never touch src/legacy.rs. See https://example.org/a.")];
/// let found = facts(&history);
/// assert_eq!(found.literals, ["https://example.org/a", "src/legacy.rs"]);
/// assert_eq!(found.constraints, ["Never touch src/legacy.rs."]);
/// ```
pub fn facts<'a>(history: impl IntoIterator<Item = &'a Message>) -> Facts {
    let mut found: HashSet<String> = HashSet::default();
    let mut rules: HashSet<String> = HashSet::default();
    each_fact(history, |text, is_rule| {
        if is_rule {
            rules.insert(text.to_owned());
        } else if !found.contains(text) {
            found.insert(text.to_owned());
        }
    });
    let mut literals: Vec<String> = found.into_iter().collect();
    sort(&mut literals);
    let mut constraints: Vec<String> = rules.into_iter().collect();
    sort(&mut constraints);
    Facts { literals, constraints }
}

/// Calls `each` for every occurrence of a fact in a history, with whether it is a constraint of the user.
pub(super) fn each_fact<'a>(
    history: impl IntoIterator<Item = &'a Message>,
    mut each: impl FnMut(&str, bool),
) {
    for message in history {
        for text in texts(message) {
            for literal in literals(&text) {
                each(literal.text, false);
            }
        }
        if message.opens_turn() {
            let said = message_text(message);
            for constraint in constraints(&said).into_iter().filter(|found| !found.fenced) {
                for line in constraint.text.lines().map(str::trim).filter(|line| !line.is_empty()) {
                    each(line, true);
                }
            }
        }
    }
}

/// The shares of `facts` in a view. `opens_ref` returns the full output that a ref opens, or `None` if the word is not a
/// ref; it is called once for each distinct word of the view that may be one.
pub fn retention<'a>(
    facts: &Facts,
    view: impl IntoIterator<Item = &'a Message>,
    mut opens_ref: impl FnMut(&str) -> Option<String>,
) -> Retention {
    let needles = TextSet::new(facts.literals.iter().chain(&facts.constraints).map(String::as_str));
    let mut there = vec![false; facts.literals.len() + facts.constraints.len()];
    let mut words: HashSet<String> = HashSet::default();
    for message in view {
        for text in texts(message) {
            needles.find(&text, |i| there[i] = true);
            words.extend(refs_in(&text).map(Cow::into_owned));
        }
    }
    let (known, rules) = there.split_at(facts.literals.len());
    let (literal, constraints) = (share(known), share(rules));
    let mut opened = known.to_vec();
    let in_outputs = TextSet::new(facts.literals.iter().map(String::as_str));
    let mut words: Vec<String> = words.into_iter().collect();
    sort(&mut words);
    for full in words.iter().filter_map(|word| opens_ref(word)) {
        in_outputs.find(&full, |i| opened[i] = true);
    }
    Retention { literal, with_refs: share(&opened), constraints }
}

/// The words of a text that may be refs of stored outputs.
pub(super) fn refs_in(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let bare = text.split(move |c| !word(c)).map(|w| Cow::Borrowed(w.trim_matches(['.', ':'])));
    // A ref chosen by the caller may contain any characters; placeholders write it in full.
    let named = text.split("ref=").skip(1).filter_map(|rest| Some(Cow::Borrowed(rest.split_once(']')?.0)));
    bare.chain(named).chain(in_ranges(text)).filter(|w| !w.is_empty() && w.len() <= 256)
}

/// The refs inside a range: for `out_3 to out_9`, those from `out_4` to `out_8`.
fn in_ranges(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    const MAX_RANGE: u64 = 10_000;
    let ends = |at: usize| {
        let first = text[..at].rsplit(|c: char| c.is_whitespace()).next()?;
        let last =
            text[at + " to ".len()..].split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()?;
        let name = first.trim_end_matches(|c: char| c.is_ascii_digit());
        let from: u64 = first[name.len()..].parse().ok()?;
        let to: u64 = last.strip_prefix(name)?.parse().ok()?;
        (!name.is_empty() && to > from && to - from <= MAX_RANGE).then(|| (name.to_owned(), from, to))
    };
    let ranges: Vec<(String, u64, u64)> = text.match_indices(" to ").filter_map(|(at, _)| ends(at)).collect();
    ranges
        .into_iter()
        .flat_map(|(name, from, to)| (from + 1..to).map(move |number| Cow::Owned(format!("{name}{number}"))))
}

fn share(there: &[bool]) -> f64 {
    if there.is_empty() {
        return 1.0;
    }
    there.iter().filter(|t| **t).count() as f64 / there.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Part, Role, ToolCall};

    fn user(text: &str) -> Message {
        Message::text(Role::User, text)
    }

    #[test]
    fn facts_are_searched_in_texts_arguments_and_outputs_and_counted_once() {
        let call = ToolCall::function("c1", "read", r#"{"path":"src/a.rs"}"#);
        let history = [
            user("Never edit src/a.rs. I use 94ff0b0. 必须用 pnpm。"),
            Message::new(Role::Assistant, vec![Part::text("Always fine: #42"), Part::from(call)]),
            Message::tool("c1", "error[E0308] at src/a.rs, see https://x.org/y"),
        ];
        let found = facts(&history);
        assert_eq!(found.literals, ["#42", "94ff0b0", "E0308", "https://x.org/y", "src/a.rs"]);
        assert_eq!(found.constraints, ["Never edit src/a.rs.", "必须用 pnpm。"]);
    }

    #[test]
    fn the_shares_in_the_view_and_reachable_by_refs() {
        let facts = Facts {
            literals: ["#12", "#123", "a/b/c.rs", "b/c.rs"].map(str::to_owned).into(),
            constraints: vec!["Never push.".to_owned()],
        };
        let ranged = refs_in("opens them: out_2, out_4 to out_6").filter(|word| word.starts_with("out_"));
        assert_eq!(ranged.collect::<HashSet<_>>().len(), 4);
        let view = [user("Rules: Never push. See a/b/c.rs and [tool output trimmed; ref=my out/1]")];
        let opens = |id: &str| (id == "my out/1").then(|| "issue #123".to_owned());
        let shares = retention(&facts, &view, opens);
        assert_eq!(shares, Retention { literal: 0.5, with_refs: 0.75, constraints: 1.0 });
        assert!(retention(&Facts::default(), &[], |_| None).literal >= 1.0, "of nothing, nothing is lost");
    }
}
