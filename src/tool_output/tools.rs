use serde_json::Value;

use crate::message::Format;

/// The tool that reads a stored output by line.
pub const CACHE_TOOL: &str = "tool_output_cache";

/// The tool that searches a stored output.
pub const GREP_TOOL: &str = "tool_output_cache_grep";

/// The tool that searches the whole conversation, including folded parts and stored outputs.
pub const SEARCH_TOOL: &str = "search_history";

/// A tool to offer to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// The tool's name.
    pub name: String,
    /// What it does and when to use it, for the model.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

impl ToolDefinition {
    /// The definition in the shape that `format`'s API requires.
    pub fn to_format(&self, format: Format) -> Value {
        let key = match format {
            Format::OpenaiResponses | Format::OpenaiChat | Format::Messages => "parameters",
            Format::Anthropic => "input_schema",
            Format::Gemini => "parametersJsonSchema",
            Format::AiSdk | Format::BedrockConverse => "inputSchema",
        };
        let mut schema = self.parameters.clone();
        if format == Format::BedrockConverse {
            schema = object([("json", schema)]);
        }
        let tool = [
            ("name", self.name.as_str().into()),
            ("description", self.description.as_str().into()),
            (key, schema),
        ];
        let function = ("type", "function".into());
        match format {
            Format::Anthropic | Format::Gemini => object(tool),
            Format::BedrockConverse => object([("toolSpec", object(tool))]),
            Format::OpenaiChat | Format::Messages => object([function, ("function", object(tool))]),
            Format::AiSdk => object(std::iter::once(function).chain(tool)),
            Format::OpenaiResponses => {
                object(std::iter::once(function).chain(tool).chain([("strict", false.into())]))
            }
        }
    }
}

fn object<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The tools with which a model reads outputs that its view shows cut or trimmed, and finds what was folded.
pub fn definitions() -> Vec<ToolDefinition> {
    let tools: Vec<Value> = serde_json::from_str(include_str!("tools.json")).unwrap_or_default();
    let text = |tool: &Value, key| tool[key].as_str().unwrap_or_default().to_owned();
    let definition = |tool: &Value| ToolDefinition {
        name: text(tool, "name"),
        description: text(tool, "description"),
        parameters: tool["parameters"].clone(),
    };
    tools.iter().map(definition).collect()
}

/// Whether `name` is one of the cache's own tools. Their answers are limited in size and never cached again.
pub fn is_cache_tool(name: &str) -> bool {
    name == CACHE_TOOL || name == GREP_TOOL
}

/// Whether `name` is one of the three tools of [`definitions`]. Their calls and answers only repeat other content.
pub fn is_own_tool(name: &str) -> bool {
    is_cache_tool(name) || name == SEARCH_TOOL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_own_definition_shape() {
        let keys = |format| {
            let tool = definitions()[0].to_format(format);
            tool.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ")
        };
        let lines: Vec<String> = Format::ALL.map(|f| format!("{}: {}", f.as_str(), keys(f))).into();
        insta::assert_snapshot!(lines.join("\n"), @r"
        messages: type function
        openai-responses: type name description parameters strict
        openai-chat: type function
        anthropic: name description input_schema
        ai-sdk: type name description inputSchema
        gemini: name description parametersJsonSchema
        bedrock-converse: toolSpec
        ");
    }

    #[test]
    fn schemas_allow_no_other_keys_and_require_only_described_ones() {
        assert_eq!(definitions().len(), 3);
        for tool in definitions() {
            assert!(is_own_tool(&tool.name));
            assert_eq!(tool.parameters["additionalProperties"], false);
            for required in tool.parameters["required"].as_array().unwrap() {
                assert!(tool.parameters["properties"].get(required.as_str().unwrap()).is_some());
            }
        }
        assert!(!is_own_tool("read_file"));
    }
}
