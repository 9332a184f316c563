use serde_json::{Value, json};

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
    pub name: &'static str,
    /// What it does and when to use it, for the model.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

impl ToolDefinition {
    /// The definition in the shape that `format`'s API requires.
    pub fn to_format(&self, format: Format) -> Value {
        let Self { name, description, parameters } = self;
        match format {
            Format::OpenaiResponses => {
                json!({ "type": "function", "name": name, "description": description, "parameters": parameters, "strict": false })
            }
            Format::OpenaiChat | Format::Messages => {
                json!({ "type": "function", "function": { "name": name, "description": description, "parameters": parameters } })
            }
            Format::Anthropic => {
                json!({ "name": name, "description": description, "input_schema": parameters })
            }
            Format::Gemini => {
                json!({ "name": name, "description": description, "parametersJsonSchema": parameters })
            }
            Format::BedrockConverse => {
                json!({ "toolSpec": { "name": name, "description": description, "inputSchema": { "json": parameters } } })
            }
            Format::AiSdk => {
                json!({ "type": "function", "name": name, "description": description, "inputSchema": parameters })
            }
        }
    }
}

/// The tools with which a model reads outputs that its view shows cut or trimmed, and finds what was folded.
pub fn definitions() -> [ToolDefinition; 3] {
    let ref_id = json!({
        "type": "string",
        "description": "The ref of the tool output, as the notice or the placeholder names it (ref=…).",
    });
    [
        ToolDefinition {
            name: CACHE_TOOL,
            description: "Reads a stored tool output that this conversation shows only in part or as \"[tool output trimmed: …; ref=…]\". Answers numbered lines. For a long output, search it with tool_output_cache_grep first, then read around the hits.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "ref_id": ref_id,
                    "offset": { "type": "integer", "minimum": 0, "description": "How many lines to skip; 0 reads from the beginning. Default 0." },
                    "limit": { "type": "integer", "minimum": 1, "description": "How many lines to read at most. Default 2000." },
                },
                "required": ["ref_id"],
                "additionalProperties": false,
            }),
        },
        ToolDefinition {
            name: GREP_TOOL,
            description: "Searches a stored tool output line by line with a regular expression. Answers the matching lines with their numbers, for use as offset of tool_output_cache. No look-around and no backreferences.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "ref_id": ref_id,
                    "pattern": { "type": "string", "description": "The regular expression; it is searched within each line." },
                    "context": { "type": "integer", "minimum": 0, "description": "Lines to show before and after each match. Default 0." },
                    "max_matches": { "type": "integer", "minimum": 1, "description": "How many matching lines to show at most. Default 100." },
                    "ignore_case": { "type": "boolean", "description": "Match upper and lower case alike. Default false." },
                },
                "required": ["ref_id", "pattern"],
                "additionalProperties": false,
            }),
        },
        ToolDefinition {
            name: SEARCH_TOOL,
            description: "Searches this whole conversation, also what was summarised away and the full tool outputs. Answers a list of { id, role, excerpt }, newest first, with `ref` where tool_output_cache can open the output. Use it before you ask the user, or do something again, because you no longer see what was said or done.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": { "type": "string", "description": "The text to look for, letter by letter: a name, a path, an error, a few words in a row." },
                    "regex": { "type": "boolean", "description": "The query is a regular expression. No look-around and no backreferences. Default false." },
                    "ignore_case": { "type": "boolean", "description": "Match upper and lower case alike. Default true." },
                    "max_hits": { "type": "integer", "minimum": 1, "maximum": 1000, "description": "How many places to show at most. Default 20." },
                },
                "required": ["query"],
                "additionalProperties": false,
            }),
        },
    ]
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
        for tool in definitions() {
            assert!(is_own_tool(tool.name));
            assert_eq!(tool.parameters["additionalProperties"], false);
            for required in tool.parameters["required"].as_array().unwrap() {
                assert!(tool.parameters["properties"].get(required.as_str().unwrap()).is_some());
            }
        }
        assert!(!is_own_tool("read_file"));
    }
}
