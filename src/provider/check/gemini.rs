//! The rules of Gemini's `generateContent`.
//!
//! Error messages of the API, with public sources (2026-11):
//! - "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
//!   (google-gemini/gemini-cli#11814, #26486; continuedev/continue#11164)
//! - "Please ensure that function response turn comes immediately after a function call turn." (langchain-ai/langchain#27799,
//!   GoogleCloudPlatform/generative-ai#368)
//! - "Please ensure that the number of function response parts is equal to the number of function call parts of the function
//!   call turn." (google-gemini/gemini-cli#4217, #16415)
//! - "* GenerateContentRequest.contents[1].parts[0].data: required oneof field 'data' must have one initialized field"
//!   (router-for-me/CLIProxyAPI#1292); Vertex: "Unable to submit request because it has an empty text parameter."
//!   (glowingjade/obsidian-smart-composer#218)
//! - "Unable to submit request because at least one contents field is required" (Calcium-Ion/new-api-horizon#24); the Gemini API:
//!   "contents is not specified".
//! - "Function call is missing a `thought_signature` in functionCall parts. This is required for tools to work
//!   correctly …" (nearai/ironclaw#1510), from Gemini 3 on, for the first call of each content of the current turn
//!   (Google, "Thought signatures").
//!
//! Newer models also say "Requests ending with a model turn are not supported." (pipecat-ai/pipecat#5821). That is not
//! a rule here: the user will continue a list that ends with an answer.

use serde_json::Value;

use super::super::fields::{each, text};
use super::super::gemini::{Named, field, match_outputs, named, says_nothing};
use super::dialect::Dialect;
use super::options::CheckOptions;
use super::violation::Violations;

/// Adjacent model contents, which the API treats as one (its SDK sends the chunks of a stream like this), or one user
/// content.
struct Turn<'v> {
    is_model: bool,
    /// The parts, each with the index of its content.
    parts: Vec<(usize, &'v Value)>,
    index: usize,
}

impl<'v> Turn<'v> {
    /// Its calls, or its outputs of calls.
    fn named(&self, key: &'static str) -> Vec<Named<'v>> {
        self.parts.iter().filter_map(|(_, part)| field(part, key)).map(named).collect()
    }

    /// Whether the user says something, apart from outputs: that begins a turn.
    fn has_content(&self) -> bool {
        !self.is_model && self.parts.iter().any(|(_, part)| field(part, RESPONSE).is_none())
    }
}

fn turns(list: &[Value]) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for (index, content) in list.iter().enumerate() {
        let is_model = text(content, "role") == Some("model");
        let parts = each(content, "parts");
        let parts = parts.map(|part| (index, part));
        match turns.last_mut().filter(|turn| is_model && turn.is_model) {
            Some(turn) => turn.parts.extend(parts),
            None => turns.push(Turn { is_model, parts: parts.collect(), index }),
        }
    }
    turns
}

const CALL: &str = "functionCall";
const RESPONSE: &str = "functionResponse";

pub(super) fn check(list: &[Value], options: &CheckOptions<'_>, dialect: &Dialect, found: &mut Violations) {
    if list.is_empty() {
        found.error("G-empty", 0, "no messages");
    }
    for (index, content) in list.iter().enumerate() {
        if content.get("parts").and_then(Value::as_array).is_none_or(Vec::is_empty) {
            found.error("G-empty-parts", index, "a content without parts");
        }
    }
    let turns = turns(list);
    for (n, turn) in turns.iter().enumerate() {
        parts(turn, found);
        if turn.is_model {
            if n == 0 && !options.stateful {
                first(turn, found);
            }
            answers(turn, turns.get(n + 1..).unwrap_or_default(), options, found);
            continue;
        }
        // If the provider stores the conversation, what precedes the list is unknown.
        let is_behind_calls = match n.checked_sub(1) {
            Some(before) => turns[before].is_model && !turns[before].named(CALL).is_empty(),
            None => options.stateful,
        };
        if !is_behind_calls {
            for output in turn.named(RESPONSE) {
                orphan(turn.index, &output, found);
            }
        }
    }
    if dialect.thought_signatures {
        signatures(&turns, found);
    }
}

/// Parts that are not allowed in any content, or not in this role.
fn parts(turn: &Turn<'_>, found: &mut Violations) {
    let (wrong, rule) = if turn.is_model { (RESPONSE, "G-result-in-model") } else { (CALL, "G-use-in-user") };
    for (index, part) in &turn.parts {
        if says_nothing(part) {
            found.error("G-empty-text", *index, "an empty part");
        }
        if field(part, wrong).is_some() {
            found.error(rule, *index, format!("`{wrong}` in a content of the wrong role"));
        }
        if let Some(call) = field(part, CALL).map(named).filter(|call| !fits(call.name)) {
            let why =
                format!("the function name `{}` is not 1 to 128 letters, digits, _ . : and -", call.name);
            found.warn("G-tool-name", *index, why);
        }
    }
}

/// Whether Gemini accepts the name of a function.
fn fits(name: &str) -> bool {
    let is_taken = |c: char| c.is_ascii_alphanumeric() || "_.:-".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.len() <= 128
        && name.chars().all(is_taken)
}

/// Reports a conversation that does not begin with the user.
fn first(turn: &Turn<'_>, found: &mut Violations) {
    if turn.named(CALL).is_empty() {
        found.error("G-first", turn.index, "the first content is not from the user");
    } else {
        found.error("G-call-place", turn.index, "a call before the first user content");
    }
}

/// Every call needs its output in the content directly after it.
fn answers(turn: &Turn<'_>, behind: &[Turn<'_>], options: &CheckOptions<'_>, found: &mut Violations) {
    let calls = turn.named(CALL);
    if calls.is_empty() {
        return;
    }
    let next = behind.first().filter(|next| !next.is_model);
    let outputs = next.map(|next| next.named(RESPONSE)).unwrap_or_default();
    let pairs = match_outputs(&calls, &outputs);
    let index = next.map_or(turn.index, |next| next.index);
    for (output, _) in outputs.iter().zip(&pairs).filter(|(_, call)| call.is_none()) {
        if calls
            .iter()
            .any(|call| call.id.or(output.id).is_none() || call.id == output.id && call.id.is_some())
        {
            found.error("G-dup-result", index, format!("a second output of `{}`", output.name));
        } else {
            orphan(index, output, found);
        }
    }
    let called = turn.parts.iter().filter(|(_, part)| field(part, CALL).is_some());
    let called: Vec<usize> = called.map(|(index, _)| *index).collect();
    for (at, call) in calls.iter().enumerate() {
        let id = call.id.unwrap_or(call.name);
        if call.id.is_some() && calls[..at].iter().any(|other| other.id == call.id) {
            found.error("G-dup-use", called[at], format!("a second call {id}"));
        }
    }
    let may_run = options.pending && behind.iter().all(|content| !content.is_model && !content.has_content());
    for (at, call) in calls.iter().enumerate().filter(|_| !may_run) {
        if !pairs.contains(&Some(at)) {
            let id = call.id.unwrap_or(call.name);
            found.error("G-unanswered", called[at], format!("call {id} has no output right after it"));
        }
    }
}

fn orphan(index: usize, output: &Named<'_>, found: &mut Violations) {
    let id = output.id.unwrap_or(output.name);
    found.error("G-orphan-result", index, format!("an output whose call {id} is not right before it"));
}

/// The first call of each content of the current turn needs a thought signature.
fn signatures(turns: &[Turn<'_>], found: &mut Violations) {
    let running = turns.iter().rposition(Turn::has_content).unwrap_or(0);
    for turn in turns[running..].iter().filter(|turn| turn.is_model) {
        let first = turn.parts.iter().find(|(_, part)| field(part, CALL).is_some());
        if let Some((index, _)) = first.filter(|(_, part)| field(part, "thoughtSignature").is_none()) {
            let why =
                "the first call has no thought signature: Gemini 3 and later reject this in the current turn";
            found.warn("G-thought-signature", *index, why);
        }
    }
}
