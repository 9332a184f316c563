//! Whether a provider would take a history, by the rules of its API.

mod anthropic;
pub(super) mod bedrock;
mod chat;
mod compare;
pub(super) mod dialect;
mod gemini;
mod open;
mod pairs;
pub(super) mod pending;
mod reasoning;
pub(super) mod responses;
mod shape;

use serde::Serialize;
use serde_json::Value;

use super::detect::OWN_KEYS;
use super::held::{is_response, list_of};
use super::tool_names;
use crate::error::Result;
use crate::message::Format;

pub use dialect::Dialect;

/// How bad a violation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Some models or gateways refuse it, or it is likely to be a mistake.
    Warn,
    /// The provider answers with an error.
    Error,
}

impl Severity {
    /// `error` or `warn`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
        }
    }
}

/// One rule that a history breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Violation {
    /// How bad it is.
    pub severity: Severity,
    /// The rule's name, as `R-orphan-output`: `R` for Responses, `C` for Chat Completions, `A` for Anthropic, `B` for Bedrock, `S`
    /// for the AI SDK, `M` for our own messages; `schema` for an entry that is not shaped as the format says.
    pub rule: &'static str,
    /// The index of the entry in the list.
    pub index: usize,
    /// What is wrong, for a person.
    pub message: String,
}

/// What is known of the request beside its list.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckOptions<'a> {
    /// The history before it was changed: allows the checks that need it (lost reasoning, changed thinking, order).
    pub original: Option<&'a Value>,
    /// Who answers: `openai`, `anthropic`, `deepseek`, `mistral`, `gemini` …, or a name that begins so, in any case; the
    /// format's own provider by default. The warning `provider-unknown` tells of a name that says nothing.
    pub provider: Option<&'a str>,
    /// The calls of the last step may still be unanswered: only their outputs stand behind it.
    pub pending: bool,
    /// The provider keeps the conversation (`previous_response_id`, `conversation`): outputs may answer calls that
    /// are not in the list.
    pub stateful: bool,
    /// Whether the Responses API stores items (`store`); it does by default.
    pub store: Option<bool>,
    /// Anthropic's `thinking.type`, where thinking is on: `enabled` or `adaptive`.
    pub thinking: Option<&'a str>,
    /// The model binds thinking blocks to what stands before them: a mismatch is an error, not a warning.
    pub bound: bool,
}

impl<'a> CheckOptions<'a> {
    /// What a request body says of itself beside its list, where nothing is set yet. A response's calls are about to run.
    fn with_body(mut self, body: &'a Value) -> Self {
        self.pending |= is_response(body);
        let set = |key: &str| body.get(key).is_some_and(|v| !v.is_null());
        self.stateful |= set("previous_response_id") || set("conversation") || set("cachedContent");
        self.store = self.store.or_else(|| body.get("store")?.as_bool());
        let thinking = body.pointer("/thinking/type");
        let thinking = thinking.or_else(|| body.pointer("/additionalModelRequestFields/thinking/type"));
        let thinking = thinking.and_then(Value::as_str).filter(|t| *t != "disabled");
        self.thinking = self.thinking.or(thinking);
        self
    }
}

/// The violations found so far.
#[derive(Default)]
struct Found {
    list: Vec<Violation>,
    /// Of Bedrock's Converse, whose rules have names of their own.
    is_converse: bool,
    /// Thinking has to be signed.
    is_signed: bool,
}

impl Found {
    fn add(&mut self, severity: Severity, rule: &'static str, index: usize, message: impl Into<String>) {
        let rule = if self.is_converse { bedrock::named(rule) } else { rule };
        self.list.push(Violation { severity, rule, index, message: message.into() });
    }

    fn error(&mut self, rule: &'static str, index: usize, message: impl Into<String>) {
        self.add(Severity::Error, rule, index, message);
    }

    fn warn(&mut self, rule: &'static str, index: usize, message: impl Into<String>) {
        self.add(Severity::Warn, rule, index, message);
    }
}

/// Checks a list, a request body or a response by the rules of `format`, in the order of the list where the rule allows.
///
/// # Errors
/// `INVALID_ARGUMENT` where `input` holds no list.
pub fn check(format: Format, input: &Value, options: &CheckOptions<'_>) -> Result<Vec<Violation>> {
    let list = &*list_of(format, input)?;
    let options = options.with_body(input);
    let is_converse = format == Format::BedrockConverse;
    let mut found = Found { is_converse, is_signed: !is_converse, ..Found::default() };
    let name = options.provider.unwrap_or_else(|| dialect::default_provider(format));
    let dialect = Dialect::of(name);
    if Dialect::known(name).is_none() {
        found.warn(
            "provider-unknown",
            0,
            format!("no rules of a provider `{name}` are known: the laxest are taken"),
        );
    }
    if format != Format::Messages {
        own_keys(format, list, &mut found);
    }
    shape::check(format, list, dialect, &mut found);
    match format {
        Format::OpenaiResponses => responses::check(list, &options, dialect, &mut found),
        Format::OpenaiChat => chat::check(list, &options, dialect, &mut found),
        Format::Anthropic => {
            anthropic::head(input, &mut found);
            anthropic::cache_marks(format, input, list, &mut found);
            anthropic::check(format, list, &options, &mut found);
        }
        Format::Gemini => gemini::check(list, &options, dialect, &mut found),
        Format::BedrockConverse => bedrock::check(input, list, &options, &mut found),
        Format::Messages | Format::AiSdk => pairs::check(format, list, &options, &mut found),
    }
    if let Some(original) = options.original {
        let before = list_of(format, original)?;
        compare::check(format, &before, list, &options, dialect, &mut found);
    }
    if is_response(input) {
        let is_first = |rule: &str| matches!(rule, "A-first" | "B-first" | "G-first" | "G-call-place");
        found.list.retain(|v| !is_first(v.rule)); // it goes on with a conversation that began before
    }
    Ok(found.list)
}

/// What a body keeps apart and may hold cache marks: its header and its tools.
pub(super) fn apart(body: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["/system", "/tools", "/toolConfig/tools"].into_iter();
    lists.filter_map(|path| body.pointer(path)?.as_array()).flatten()
}

/// Complains about keys of our own messages, which strict APIs refuse as unknown ones.
fn own_keys(format: Format, list: &[Value], found: &mut Found) {
    for (i, entry) in list.iter().enumerate() {
        let own: Vec<&str> = OWN_KEYS.into_iter().filter(|key| given(entry, key).is_some()).collect();
        if !own.is_empty() {
            let (keys, format) = (own.join("`, `"), format.as_str());
            let why =
                format!("`{keys}`: keys of contextfold's own; send what `session.view(\"{format}\")` gives");
            found.warn("own-keys", i, why);
        }
    }
}

/// Complains about a tool's name that APIs refuse: some take dots, too, and none is known to take more.
fn tool_name(rule: &'static str, name: Option<&str>, index: usize, found: &mut Found) {
    if let Some(name) = name.filter(|name| !tool_names::fits(name, tool_names::LONGEST)) {
        let longest = tool_names::LONGEST;
        let why = format!("the tool name `{name}` is not 1 to {longest} letters, digits, _ and -");
        found.warn(rule, index, why);
    }
}

/// The text under `key`.
fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// The value under `key`, unless it is missing or `null`.
fn given<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    value.get(key).filter(|v| !v.is_null())
}
