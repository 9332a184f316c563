//! Checks whether a provider would accept a history, by the rules of its API.

mod anthropic;
pub(super) mod bedrock;
mod chat;
mod compare;
pub(super) mod dialect;
mod gemini;
mod open;
mod options;
mod pairs;
pub(super) mod pending;
mod reasoning;
mod responses;
mod shape;
mod violation;

use serde_json::Value;

use super::detect::OWN_KEYS;
use super::fields::given;
use super::find_list::{is_response, list_of};
use crate::error::Result;
use crate::message::Format;
use violation::Violations;

pub use dialect::Dialect;
pub use options::CheckOptions;
pub use violation::{Severity, Violation};

/// Checks a list, a request body or a response by the rules of `format`. Violations are in the order of the list as far
/// as the rules allow.
///
/// # Errors
/// `INVALID_ARGUMENT` if `input` has no list.
pub fn check(format: Format, input: &Value, options: &CheckOptions<'_>) -> Result<Vec<Violation>> {
    let list = &*list_of(format, input)?;
    let options = options.with_body(input);
    let is_converse = format == Format::BedrockConverse;
    let mut found = Violations { is_converse, is_signed: !is_converse, ..Violations::default() };
    let name = options.provider.unwrap_or_else(|| dialect::default_provider(format));
    let dialect = Dialect::of(name);
    if Dialect::known(name).is_none() {
        found.warn(
            "provider-unknown",
            0,
            format!("unknown provider `{name}`: the most lenient rules are used"),
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
        found.list.retain(|v| !is_first(v.rule)); // a response continues a conversation that began before
    }
    Ok(found.list)
}

/// Reports keys of our own messages, because strict APIs refuse unknown keys.
fn own_keys(format: Format, list: &[Value], found: &mut Violations) {
    for (i, entry) in list.iter().enumerate() {
        let own: Vec<&str> = OWN_KEYS.into_iter().filter(|key| given(entry, key).is_some()).collect();
        if !own.is_empty() {
            let (keys, format) = (own.join("`, `"), format.as_str());
            let why = format!(
                "`{keys}`: these keys are contextfold's own; send what `session.view(\"{format}\")` returns"
            );
            found.warn("own-keys", i, why);
        }
    }
}
