//! What a message costs beyond its text, by the [`Rules`] of the counter.

use std::io::Write;

use serde::Serialize;
use serde_json::ser::Formatter;
use serde_json::{Value, json};

use super::raw::count_raw;
use super::{Rules, TokenCounter, ToolRule};
use crate::message::{CallKind, Media, MediaKind, Message, Part};
use crate::saved::from_base64;

/// The tokens of the system prompt that Anthropic adds if there are tools (`tools:anthropic`).
const ANTHROPIC_TOOLS: u64 = 346;

/// Bytes of a document or of audio per token (`document:estimate`, `audio:estimate`). A PDF page has about 40 kB and 2,000
/// tokens; a second of compressed speech about 1.6 kB and 10 tokens.
const DOCUMENT_BYTES: u64 = 20;
const AUDIO_BYTES: u64 = 160;
/// Assumed for a document or audio given only by URL or id, whose size is unknown.
const UNKNOWN_SIZE_TOKENS: u64 = 2_000;

/// The tokens of one part.
pub fn count_part(part: &Part, counter: &dyn TokenCounter) -> u64 {
    match part {
        Part::Text { text, .. } | Part::Refusal { text, .. } => counter.count(text),
        Part::Media(media) => count_media(media, counter),
        Part::Reasoning(reasoning) if reasoning.is_cut_off() => 0, // it is never sent
        Part::Reasoning(reasoning) => {
            reasoning.text.as_deref().map_or(0, |t| counter.count(t))
                + reasoning.summary.iter().map(|t| counter.count(t)).sum::<u64>()
                + reasoning.encrypted.as_deref().map_or(0, encrypted_tokens)
                + reasoning
                    .signature
                    .as_deref()
                    .map_or(0, |s| if reasoning.redacted { encrypted_tokens(s) } else { 0 })
        }
        Part::ToolCall(call) => {
            let raw = match &call.kind {
                CallKind::Other { raw, .. } => count_raw(raw, counter),
                CallKind::Function | CallKind::Custom => {
                    counter.count(&call.name) + counter.count(&call.input)
                }
            };
            counter.rules().frames.call() + raw
        }
        Part::ToolOutput(output) => {
            counter.rules().frames.output()
                + output.content.iter().map(|p| count_part(p, counter)).sum::<u64>()
        }
        Part::Opaque { raw, .. } => count_raw(raw, counter),
    }
}

/// The tokens of a whole message.
pub fn count_message(message: &Message, counter: &dyn TokenCounter) -> u64 {
    counter.rules().frames.message(message.role)
        + message.parts.iter().map(|p| count_part(p, counter)).sum::<u64>()
}

/// The tokens of tool definitions in any format: `{ name, description, parameters | input_schema }`, also inside `{ function
/// }`. A definition that is not a function (a hosted tool) counts as its JSON text.
pub fn count_tools(tools: &[Value], counter: &dyn TokenCounter) -> u64 {
    count_tools_by(counter.rules().tools, tools, counter)
}

/// Like [`count_tools`], by a rule other than the counter's.
pub fn count_tools_by(rule: ToolRule, tools: &[Value], counter: &dyn TokenCounter) -> u64 {
    if tools.is_empty() {
        return 0;
    }
    match rule {
        ToolRule::Anthropic => {
            ANTHROPIC_TOOLS + tools.iter().map(|tool| counter.count(&tool.to_string())).sum::<u64>()
        }
        ToolRule::Template { each, all } => {
            all + tools.iter().map(|tool| each + counter.count(&as_templates_write(tool))).sum::<u64>()
        }
        ToolRule::OpenAi => 12 + tools.iter().map(|tool| count_function(tool, counter)).sum::<u64>(),
    }
}

/// A definition as chat templates receive and write it: inside `function`, with spaces after colons and commas.
fn as_templates_write(tool: &Value) -> String {
    let inside = || json!({ "type": "function", "function": tool });
    let is_function = tool.get("function").is_none() && tool.get("name").is_some();
    let mut out = Vec::new();
    let mut json = serde_json::Serializer::with_formatter(&mut out, Spaced);
    let tool = if is_function { &inside() } else { tool };
    // Writing to memory does not fail.
    let _ = tool.serialize(&mut json);
    String::from_utf8(out).unwrap_or_default()
}

/// JSON as Python writes it, with spaces after colons and commas.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> std::io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> std::io::Result<()> {
        to.write_all(b": ")
    }
}

/// The rule of the `OpenAI` cookbook's notebook. Nested objects, which it does not cover, are counted by the same rule.
fn count_function(tool: &Value, counter: &dyn TokenCounter) -> u64 {
    let function = tool.get("function").unwrap_or(tool);
    let Some(name) = function.get("name").and_then(Value::as_str) else {
        return 7 + counter.count(&tool.to_string());
    };
    let schema = ["parameters", "input_schema", "inputSchema"].iter().find_map(|key| function.get(key));
    let line = format!("{name}:{}", description(function));
    7 + counter.count(&line) + schema.map_or(0, |schema| count_properties(schema, counter))
}

fn count_properties(schema: &Value, counter: &dyn TokenCounter) -> u64 {
    let Some(properties) = schema.get("properties").and_then(Value::as_object).filter(|p| !p.is_empty())
    else {
        return 0;
    };
    let each = properties.iter().map(|(key, property)| {
        let kind = property.get("type").and_then(Value::as_str).unwrap_or_default();
        let choices = property.get("enum").and_then(Value::as_array);
        let choices = choices.map_or(0, |choices| {
            let each = choices.iter().map(|c| 3 + counter.count(c.as_str().unwrap_or(&c.to_string())));
            each.sum::<u64>().saturating_sub(3)
        });
        let inner = count_properties(property, counter)
            + property.get("items").map_or(0, |items| count_properties(items, counter));
        3 + choices + counter.count(&format!("{key}:{kind}:{}", description(property))) + inner
    });
    3 + each.sum::<u64>()
}

fn description(of: &Value) -> &str {
    let text = of.get("description").and_then(Value::as_str).unwrap_or_default();
    text.strip_suffix('.').unwrap_or(text)
}

/// Encrypted reasoning is billed as the text it contains: about 3/4 of its base64 length, at four bytes per token.
fn encrypted_tokens(base64: &str) -> u64 {
    (base64.len() as u64 * 3 / 4).div_ceil(4)
}

pub(super) fn count_media(media: &Media, counter: &dyn TokenCounter) -> u64 {
    let Rules { image, .. } = counter.rules();
    let by_size = |bytes_a_token: u64| {
        media
            .data
            .as_deref()
            .map_or(UNKNOWN_SIZE_TOKENS, |data| (data.len() as u64 * 3 / 4).div_ceil(bytes_a_token))
    };
    match media.kind {
        MediaKind::Image => image.tokens(media),
        MediaKind::Document => {
            text_of(media).map_or_else(|| by_size(DOCUMENT_BYTES), |text| counter.count(&text))
        }
        MediaKind::Audio => by_size(AUDIO_BYTES),
    }
}

/// The text of a document that is text in base64, which the model reads as such.
pub(super) fn text_of(document: &Media) -> Option<String> {
    let media_type = document.media_type.as_deref()?;
    let is_text =
        media_type.starts_with("text/") || media_type.ends_with("json") || media_type.ends_with("xml");
    is_text
        .then(|| from_base64(document.data.as_deref()?))
        .flatten()
        .and_then(|bytes| String::from_utf8(bytes).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::{Method, WithRules};

    /// One token per word.
    struct Words;

    impl TokenCounter for Words {
        fn count(&self, text: &str) -> u64 {
            text.split_whitespace().count() as u64
        }
        fn method(&self) -> Method {
            Method::Callback
        }
    }

    #[test]
    fn functions_are_counted_like_openais_notebook() {
        let tool = json!({ "type": "function", "function": {
            "name": "get_weather", "description": "Get the weather.",
            "parameters": { "type": "object", "properties": {
                "place": { "type": "string", "description": "a place" },
                "unit": { "type": "string", "enum": ["C", "F"] } } } } });
        // 12 at the end; 7 + "get_weather:Get the weather" (3); 3 for properties; place 3 + 2; unit 3 + 1 + enum 8 - 3.
        assert_eq!(count_tools(&[tool], &Words), 12 + 7 + 3 + 3 + 5 + 4 + 5);
        assert_eq!(count_tools(&[], &Words), 0);
    }

    #[test]
    fn anthropics_definitions_are_counted_as_json() {
        let counter = WithRules::new(std::sync::Arc::new(Words), Rules::for_model("claude-sonnet-4-5"));
        let tool = json!({ "name": "a", "description": "one two", "input_schema": {} });
        assert_eq!(count_tools(&[tool], &counter), 346 + 2);
        assert_eq!(counter.method(), Method::Callback);
    }

    #[test]
    fn media_are_counted_by_the_counters_rules() {
        let mut image = Media::new(MediaKind::Image);
        (image.width, image.height) = (Some(1000), Some(1000));
        let part = Part::Media(image.into());
        let claude = WithRules::new(std::sync::Arc::new(Words), Rules::for_model("claude-3-haiku"));
        assert_eq!(count_part(&part, &Words), 765);
        assert_eq!(count_part(&part, &claude), 1334);
        let mut document = Media::new(MediaKind::Document);
        document.data = Some("A".repeat(80_000).into());
        assert_eq!(count_part(&Part::Media(document.into()), &Words), 3_000);
        assert_eq!(
            count_part(&Part::Media(Media::new(MediaKind::Audio).into()), &Words),
            UNKNOWN_SIZE_TOKENS
        );
    }
}
