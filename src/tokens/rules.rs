//! What providers add beyond text, by their published rules. A session uses the rules of its model.

use super::TokenCounter;
use super::image::ImageRule;
use super::template::{Frames, Template};
use super::text_rule::TextRule;

/// The rules that a count follows, each with a name for the report.
///
/// | name | what | source |
/// | --- | --- | --- |
/// | `message:openai-cookbook` | 3 tokens per message and 1 for its role | `OpenAI` cookbook, "How to count tokens with tiktoken", section 6 (`tokens_per_message`); used for every provider, because no other publishes a rule |
/// | `call:estimate` | 8 tokens per tool call and per tool output | no provider publishes a rule |
/// | `tools:openai-cookbook` | frames around a function, its properties and enum values | the same notebook, section 7 |
/// | `tools:anthropic` | 346 tokens if there are tools, plus the definitions as JSON | Anthropic, "Tool use", table of the system prompt's tokens |
/// | `image:openai-tiles` | a base plus tiles of 512 × 512 after scaling | `OpenAI`, "Images and vision", calculating costs |
/// | `image:openai-patches` | patches of 32 × 32, at most 1,536, times the model's factor | the same page |
/// | `image:anthropic-area` | width × height / 750 after scaling to 1,568 | Anthropic, "Vision", evaluate image size |
/// | `image:gemini-tiles` | 258, or 258 per tile | Google, "Understand and count tokens" |
/// | `text:claude-4.7` | how much more text counts with Claude 4.7 and later, by its kind | see [`TextRule`] |
/// | `message:template`, `call:template`, `tools:template` | what the model's chat template adds | measured by rendering it |
/// | `document:estimate`, `audio:estimate` | one token per 20 or 160 bytes | no provider publishes a rule that works without opening the file |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rules {
    /// How images are counted.
    pub image: ImageRule,
    /// How tool definitions are counted.
    pub tools: ToolRule,
    /// How text is counted, by its kind.
    pub text: TextRule,
    /// The tokens around messages and calls.
    pub frames: Frames,
}

/// How tool definitions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolRule {
    /// `tools:openai-cookbook`.
    #[default]
    OpenAi,
    /// `tools:anthropic`.
    Anthropic,
    /// `tools:template`: the definitions as JSON, plus tokens around each and around all of them.
    Template {
        /// Tokens around each.
        each: u64,
        /// Tokens added once if there are any.
        all: u64,
    },
}

impl Rules {
    /// The rules of the model of this name. Unknown models get `OpenAI`'s, whose image rule gives medium counts.
    pub fn for_model(model: &str) -> Self {
        // `provider/model` and `region.provider.model-version` end with the model.
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let is = |part: &str| name.contains(part);
        if is("claude") {
            let text = TextRule::for_model(&name);
            return Self {
                image: ImageRule::AnthropicArea,
                tools: ToolRule::Anthropic,
                text,
                frames: Frames::Usual,
            };
        }
        let tiles = |base, tile| ImageRule::OpenAiTiles { base, tile };
        let patches = |percent| ImageRule::OpenAiPatches { percent };
        let image = if is("gemini") {
            ImageRule::GeminiTiles
        } else if is("gpt-4.1-nano") || is("gpt-5-nano") {
            patches(246)
        } else if is("gpt-4.1-mini") || is("gpt-5-mini") {
            patches(162)
        } else if is("o4-mini") {
            patches(172)
        } else if is("gpt-4o-mini") {
            tiles(2833, 5667)
        } else if is("gpt-5") {
            tiles(70, 140)
        } else if name.starts_with("o1") || name.starts_with("o3") {
            tiles(75, 150)
        } else {
            ImageRule::default()
        };
        Self { image, tools: ToolRule::OpenAi, text: TextRule::Counted, frames: Frames::Usual }
    }

    /// The rules of a chat template; everything else follows `OpenAI`.
    pub fn of_template(template: Template) -> Self {
        let tools = ToolRule::Template { each: template.tool, all: template.tools };
        Self { tools, frames: Frames::Of(template), ..Self::default() }
    }

    /// The rules of the model of this name, with the frames of the counter's chat template if it has one.
    pub fn of(model: &str, counter: &dyn TokenCounter) -> Self {
        let own = counter.rules();
        let rules = Self::for_model(model);
        match own.frames {
            Frames::Usual => rules,
            Frames::Of(_) => Self { tools: own.tools, frames: own.frames, ..rules },
        }
    }

    const fn source(&self) -> &'static str {
        match self.frames {
            Frames::Usual => "",
            Frames::Of(template) => template.source,
        }
    }

    /// All rules that a count may use, as name and source, in the order of the table.
    pub fn listed(&self) -> Vec<(&'static str, &'static str)> {
        let tools = match self.tools {
            ToolRule::OpenAi => {
                ("tools:openai-cookbook", "OpenAI cookbook, How to count tokens with tiktoken, 7")
            }
            ToolRule::Anthropic => ("tools:anthropic", "Anthropic, Tool use, Pricing"),
            ToolRule::Template { .. } => ("tools:template", self.source()),
        };
        let (message, call) = match self.frames {
            Frames::Usual => (
                ("message:openai-cookbook", "OpenAI cookbook, How to count tokens with tiktoken, 6"),
                ("call:estimate", "an estimate: no provider publishes a rule"),
            ),
            Frames::Of(_) => (("message:template", self.source()), ("call:template", self.source())),
        };
        let all = [
            message,
            call,
            tools,
            (self.image.name(), self.image.source()),
            ("document:estimate", "an estimate: no provider publishes a rule that needs no look inside"),
            ("audio:estimate", "an estimate: no provider publishes a rule that needs no look inside"),
        ];
        all.into_iter().chain(self.text.listed()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_uses_its_providers_rules() {
        let image = |model| Rules::for_model(model).image.name();
        assert_eq!(image("gpt-4o"), "image:openai-tiles");
        assert_eq!(image("gpt-4.1-mini-2025-04-14"), "image:openai-patches");
        assert_eq!(image("anthropic/claude-sonnet-4-5"), "image:anthropic-area");
        assert_eq!(image("us.anthropic.claude-3-7-sonnet-20250219-v1:0"), "image:anthropic-area");
        assert_eq!(image("gemini-2.5-pro"), "image:gemini-tiles");
        assert_eq!(image("some-model"), "image:openai-tiles");
        assert_eq!(Rules::for_model("claude-opus-4").tools, ToolRule::Anthropic);
        assert!(
            Rules::for_model("claude-opus-4").listed().iter().any(|(name, _)| *name == "tools:anthropic")
        );
    }
}
