//! The rules of Bedrock's Converse. Rules that Anthropic has as well are checked in `super::anthropic`, under names of
//! our own.
//!
//! Sources: Amazon's API reference, and the `ValidationException`s that are quoted in public threads. Errors of the
//! models begin with "The model returned the following errors: ".
//!
//! | rule | what the service says, and where it is cited |
//! | --- | --- |
//! | `B-first` | "A conversation must start with a user message. Try again with a conversation that starts with a user message." (langgenius/dify#12340) |
//! | `B-same-role` | "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again." (langchain-ai/langchainjs#6724) |
//! | `B-empty-content` | "The content field in the Message object at messages.N is empty. Add a ContentBlock object to the content field and try again." (earendil-works/pi#3443) |
//! | `B-empty-text` | "The text field in the ContentBlock object at messages.95.content.0 is blank. Add text to the text field, and try again." (aws/bedrock-agentcore-sdk-python#185) |
//! | `B-unanswered` | "Expected toolResult blocks at messages.2.content for the following Ids: tooluse_…" (agno-agi/agno#6698) |
//! | `B-orphan-result` | "The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn." (pydantic/pydantic-ai#2327) |
//! | `B-dup-use` | "The toolUse blocks at messages.2.content contain duplicate Ids: …" (double16/Cyber-AutoAgent-ng#27) |
//! | `B-dup-result` | "The toolResult blocks at messages.X.content contain duplicate Ids: …" (BerriAI/litellm#20048) |
//! | `B-result-not-first` | from Anthropic's models: "Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks." (Amazon-Q-Developer/language-servers#1235) |
//! | `B-empty-error` | "The content field at messages.N.content.0.toolResult cannot be empty when status value is error." (aws-samples/sample-multi-agent-orchestration-chat-on-agentcore#15) |
//! | `B-json` | "The format of the value at messages.2.content.0.toolResult.content.0.json is invalid. Provide a json object for the field and try again." (sigoden/aichat#1550) |
//! | `B-input` | `ToolUseBlock`: "input: The input to pass to the tool", a JSON object |
//! | `B-id`, `B-name` | `ToolUseBlock`: 1 to 64 of `[a-zA-Z0-9_-]`; in ids, the service also accepts `.` and `:` (run-llama/llama_index#22775) |
//! | `B-signature` | from Anthropic's models: "thinking.signature: Field required"; for an empty one, from any model: "Invalid signature" (maximhq/bifrost#6942) |
//! | `B-thinking-last`, `B-thinking-first`, `B-trailing-space`, `B-error-content` | Anthropic's own rules, for its models |
//! | `B-cache-marks` | "A maximum of 4 blocks with cache_control may be provided. Found 5." (Bike4Mind/bike4mind#2208) |
//! | `B-cache-place` | "Cache point cannot be inserted after reasoning block. Please remove the invalid cache point and try again." (anomalyco/opencode#36517) |
//! | `B-doc-name` | "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character." (simonw/llm-bedrock#8) |
//! | `B-doc-dup` | "Messages can't contain duplicate document names. Rename the document and retry your request." (maximhq/bifrost#7003) |
//! | `B-doc-text` | "A text block must be included when using documents. Add a text block and retry your request." (BerriAI/litellm#36499) |
//! | `B-tool-config` | "The toolConfig field must be defined when using toolUse and toolResult content blocks." (vxcontrol/pentagi#196) |
//! | `B-prefill` | from newer models: "This model does not support assistant message prefill. The conversation must end with a user message." (NousResearch/hermes-agent#101401) |

use serde_json::Value;

use super::super::bedrock::{CACHE_POINT, MAX_ID_CHARS, is_call_id, is_name};
use super::super::fields::{given, text};
use super::super::tool_names;
use super::anthropic::{Block, blocks};
use super::options::CheckOptions;
use super::violation::Violations;
use crate::hashing::HashSet;
use crate::message::Format;

const FORMAT: Format = Format::BedrockConverse;

/// The rules that Anthropic has as well.
const SHARED: [&str; 20] = [
    "B-empty", "B-first", "B-same-role", "B-empty-content", "B-empty-text", "B-use-in-user",
    "B-result-in-assistant", "B-signature", "B-empty-error", "B-error-content", "B-trailing-space",
    "B-dup-use", "B-unanswered", "B-dup-result", "B-orphan-result", "B-result-not-first", "B-thinking-first",
    "B-thinking-last", "B-cache-marks", "B-name",
];

/// Our name for a rule of Anthropic's, if this API has it, too.
pub fn named(rule: &'static str) -> &'static str {
    let own = rule.strip_prefix("A-").and_then(|rule| SHARED.iter().find(|own| own[2..] == *rule));
    own.copied().unwrap_or(rule)
}

/// Whether the request is for an Anthropic model, which requires signed thinking.
pub fn is_signed(body: &Value, options: &CheckOptions<'_>) -> bool {
    let is_claude = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.contains("anthropic") || name.contains("claude")
    };
    text(body, "modelId").or(options.provider).is_some_and(is_claude)
}

pub(super) fn check(body: &Value, list: &[Value], options: &CheckOptions<'_>, found: &mut Violations) {
    found.is_signed = is_signed(body, options);
    super::anthropic::head(body, found);
    super::anthropic::cache_marks(FORMAT, body, list, found);
    super::anthropic::check(FORMAT, list, options, found);
    let mut names: HashSet<String> = HashSet::default();
    let mut has_tools = None;
    for (i, message) in list.iter().enumerate() {
        let own = blocks(FORMAT, message, i);
        for (at, block) in own.iter().enumerate() {
            let mark = block.kind() == CACHE_POINT;
            let before = at.checked_sub(1).map(|before| own[before].kind());
            if mark && matches!(before, None | Some("thinking" | "redacted_thinking")) {
                found.error("B-cache-place", i, "a cache point after reasoning, or after nothing");
            }
            call(block, i, found);
            documents(block.value, i, &mut names, found);
            if matches!(block.kind(), "tool_use" | "tool_result") {
                has_tools.get_or_insert(i);
            }
        }
        let has = |kind: &str| own.iter().any(|block| block.kind() == kind);
        if text(message, "role") == Some("user") && has("document") && !has("text") {
            found.error("B-doc-text", i, "a document without a text next to it");
        }
    }
    // A view is not a request: only a request names its model.
    let is_request = given(body, "modelId").is_some();
    if let Some(i) = has_tools.filter(|_| is_request && given(body, "toolConfig").is_none()) {
        found.error("B-tool-config", i, "tool blocks without `toolConfig`");
    }
    let ends = list.last().is_some_and(|last| text(last, "role") == Some("assistant"));
    if ends && is_request && !options.pending {
        found.warn(
            "B-prefill",
            list.len() - 1,
            "the last message is from the assistant: newer models reject that",
        );
    }
}

/// Checks ids, names and inputs of calls, and JSON in outputs.
fn call(block: &Block<'_>, i: usize, found: &mut Violations) {
    if !matches!(block.kind(), "tool_use" | "tool_result") {
        return;
    }
    let id = block.field("toolUseId").unwrap_or_default();
    if id.is_empty() || id.len() > MAX_ID_CHARS || !id.chars().all(is_call_id) {
        found.error("B-id", i, format!("the id `{id}` is not 1 to {MAX_ID_CHARS} letters, digits, _ and -"));
    }
    let input = block.body().filter(|_| block.kind() == "tool_use").and_then(|body| body.get("input"));
    if input.is_some_and(|input| !input.is_object()) {
        found.error("B-input", i, format!("the input of {id} is not an object"));
    }
    let name = block
        .field("name")
        .filter(|name| block.kind() == "tool_use" && !tool_names::fits(name, MAX_ID_CHARS));
    if let Some(name) = name {
        let why = format!("the tool name `{name}` is not 1 to {MAX_ID_CHARS} letters, digits, _ and -");
        found.error("B-name", i, why);
    }
    let content = block.body().and_then(|body| body.get("content")?.as_array()).into_iter().flatten();
    for _ in content.filter(|inner| given(inner, "json").is_some_and(|json| !json.is_object())) {
        found.error("B-json", i, format!("the result of {id} has `json` that is not an object"));
    }
}

fn documents(block: Option<&Value>, i: usize, names: &mut HashSet<String>, found: &mut Violations) {
    let Some(block) = block else { return };
    if let Some(document) = given(block, "document") {
        let name = text(document, "name").unwrap_or_default();
        if !is_name(name) {
            let why = format!(
                "the document's name `{name}` is not 1 to 200 letters, digits, single spaces, - ( ) [ ]"
            );
            found.error("B-doc-name", i, why);
        }
        if !names.insert(name.to_lowercase()) {
            found.error("B-doc-dup", i, format!("a second document with the name `{name}`"));
        }
    }
    let inside = block.pointer("/toolResult/content").and_then(Value::as_array);
    for inner in inside.into_iter().flatten() {
        documents(Some(inner), i, names, found);
    }
}
