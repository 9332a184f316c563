//! Rules for the outputs of one tool, or of all tools whose names match a pattern.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config::Keys;
use crate::error::{Error, Result};
use crate::sorted::SortedMap;

const CONFIG_KEY: &str = "toolOutputCache.tools";

/// A rule for a tool's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolRule {
    /// No pass trims or shortens them; a summary may still replace them.
    Keep,
    /// They are trimmed before those of other tools.
    First,
    /// The maximum tokens of each output.
    #[serde(untagged)]
    MaxTokens {
        /// At least 1.
        #[serde(rename = "maxTokens")]
        max_tokens: u64,
    },
}

/// Rules by tool name, in which `*` matches any characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct ToolRules(SortedMap<String, ToolRule>);

impl TryFrom<Map<String, Value>> for ToolRules {
    type Error = Error;

    fn try_from(map: Map<String, Value>) -> Result<Self> {
        Self::from_map(&map)
    }
}

impl ToolRules {
    /// Reads `{ name: "keep" | "first" | { maxTokens } }`.
    pub(super) fn from_map(map: &Map<String, Value>) -> Result<Self> {
        let mut rules = SortedMap::new();
        for (name, value) in map {
            let place = format!("{CONFIG_KEY}.{name}");
            let rule = match value {
                Value::String(word) if word == "keep" => ToolRule::Keep,
                Value::String(word) if word == "first" => ToolRule::First,
                Value::Object(_) => {
                    let mut keys = Keys::of(&place, value)?;
                    let Some(max_tokens) = keys.u64_in("maxTokens", 1..)? else {
                        return Err(keys.error("maxTokens", "expected the maximum tokens of an output"));
                    };
                    keys.finish()?;
                    ToolRule::MaxTokens { max_tokens }
                }
                _ => return Err(Error::config(&place, "expected \"keep\", \"first\" or { maxTokens }")),
            };
            rules.insert(name.clone(), rule);
        }
        Ok(Self(rules))
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any tool has the rule `first`.
    pub fn any_first(&self) -> bool {
        self.0.values().any(|rule| *rule == ToolRule::First)
    }

    /// The rule for a tool: that of its exact name, or else that of the longest pattern that matches.
    pub fn of(&self, name: &str) -> Option<ToolRule> {
        let by_name = self.0.get(name);
        let patterns = || self.0.iter().filter(|(pattern, _)| matches(pattern, name));
        let by_pattern = || patterns().max_by_key(|(pattern, _)| pattern.len()).map(|(_, rule)| rule);
        by_name.or_else(by_pattern).copied()
    }
}

/// Whether a pattern matches a name.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return false };
    let Some(mut left) = name.strip_prefix(head) else { return false };
    let mut pieces = rest.split('*').peekable();
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return left.ends_with(piece);
        }
        let Some(at) = left.find(piece) else { return false };
        left = &left[at + piece.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_take_precedence_over_patterns_and_longer_patterns_over_shorter_ones() {
        let map = json!({ "*": "first", "mcp__*": { "maxTokens": 9 }, "mcp__plan": "keep", "a*b*c": "keep" });
        let rules = ToolRules::from_map(map.as_object().unwrap()).unwrap();
        let most = Some(ToolRule::MaxTokens { max_tokens: 9 });
        assert_eq!(rules.of("mcp__plan"), Some(ToolRule::Keep));
        assert_eq!(rules.of("mcp__planner"), most);
        assert_eq!(rules.of("ls"), Some(ToolRule::First));
        assert_eq!(rules.of("a1b2c"), Some(ToolRule::Keep));
        assert_eq!(rules.of("a1c2b"), Some(ToolRule::First));
        assert_eq!(serde_json::to_value(&rules).unwrap(), map);
        assert_eq!(serde_json::from_value::<ToolRules>(map).unwrap(), rules);
    }

    #[test]
    fn an_invalid_rule_is_named() {
        let no = |v: Value| ToolRules::from_map(v.as_object().unwrap()).unwrap_err().to_string();
        let lines =
            [no(json!({ "ls": "kepe" })), no(json!({ "ls": { "maxTokens": 0 } })), no(json!({ "ls": {} }))];
        insta::assert_snapshot!(lines.join("\n"), @r#"
        INVALID_CONFIG: `toolOutputCache.tools.ls`: expected "keep", "first" or { maxTokens }
        INVALID_CONFIG: `toolOutputCache.tools.ls.maxTokens`: expected a whole number of at least 1, got 0
        INVALID_CONFIG: `toolOutputCache.tools.ls.maxTokens`: expected the maximum tokens of an output
        "#);
    }
}
