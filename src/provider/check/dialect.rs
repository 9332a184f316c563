//! What providers of one format differ in, as data.

use crate::message::Format;

/// How one provider takes a format that several speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // a table of independent facts
pub struct Dialect {
    /// The provider's name.
    pub name: &'static str,
    /// Nothing may stand between a call and its output (Responses).
    pub strict_adjacency: bool,
    /// Item ids begin with what the kind of item says (`rs_`, `fc_`, `msg_`), or the request is refused.
    pub prefixed_ids: bool,
    /// A reasoning item that keeps its id is looked up among stored items.
    pub stores_items: bool,
    /// `tool_calls: []` is taken.
    pub empty_tool_calls: bool,
    /// Tool call ids are letters and digits of exactly this length.
    pub call_id_length: Option<usize>,
    /// Calls carry a thought signature that has to come back with them.
    pub thought_signatures: bool,
    /// The published schemas are this provider's own.
    pub owns_schema: bool,
}

const STRICT: Dialect = Dialect {
    name: "openai",
    strict_adjacency: false,
    prefixed_ids: true,
    stores_items: true,
    empty_tool_calls: false,
    call_id_length: None,
    thought_signatures: false,
    owns_schema: true,
};

/// Another provider that speaks a format of `OpenAI`'s, with no known differences.
const OTHER: Dialect = Dialect {
    name: "other",
    prefixed_ids: false,
    stores_items: false,
    empty_tool_calls: true,
    owns_schema: false,
    ..STRICT
};

/// The providers whose differences are known. Sources: recorded answers and public threads.
const DIALECTS: [Dialect; 6] = [
    STRICT,
    Dialect { name: "anthropic", ..STRICT },
    // Refuses an item between a call and its output: "No tool output found for tool call …".
    Dialect { name: "deepseek", strict_adjacency: true, empty_tool_calls: false, ..OTHER },
    // Takes an empty list of calls; ids must be nine letters and digits.
    Dialect { name: "mistral", call_id_length: Some(9), ..OTHER },
    // Gemini 3 and later refuse a call of the running turn whose thought signature is missing.
    Dialect { name: "gemini", empty_tool_calls: false, thought_signatures: true, ..OTHER },
    OTHER,
];

/// Other names of those providers, and of some that are known to be as lax as any.
const ALIASES: [(&str, &str); 27] = [
    ("azure", "openai"),
    ("codex", "openai"),
    ("chatgpt", "openai"),
    ("claude", "anthropic"),
    ("mistralai", "mistral"),
    ("google", "gemini"),
    ("vertex", "gemini"),
    ("vertexai", "gemini"),
    ("alibaba", "other"),
    ("amazon", "other"),
    ("bedrock", "other"),
    ("cerebras", "other"),
    ("cohere", "other"),
    ("compatible", "other"),
    ("fireworks", "other"),
    ("groq", "other"),
    ("litellm", "other"),
    ("lmstudio", "other"),
    ("minimax", "other"),
    ("moonshotai", "other"),
    ("ollama", "other"),
    ("openrouter", "other"),
    ("qwen", "other"),
    ("together", "other"),
    ("togetherai", "other"),
    ("vllm", "other"),
    ("xai", "other"),
];

impl Dialect {
    /// The dialect of a provider; of one that is not known, the laxest.
    pub fn of(provider: &str) -> &'static Self {
        const LAX: &Dialect = &OTHER;
        Self::known(provider).unwrap_or(LAX)
    }

    /// The dialect of a provider by its name or one that begins with it, in any case (`openai.responses`, `Mistral-Large`,
    /// `google-vertex`); none of one that is not known. What another provider serves in this one's way (`openai-compatible`,
    /// `vertex-anthropic`) goes by what it is compatible with, or by nothing.
    pub fn known(provider: &str) -> Option<&'static Self> {
        let lower = provider.to_ascii_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let special = words.iter().find(|w| matches!(**w, "compatible" | "anthropic"));
        let word = special.or(words.first())?;
        let name = ALIASES.iter().find(|(alias, _)| alias == word).map_or(*word, |(_, name)| name);
        DIALECTS.iter().find(|dialect| dialect.name == name)
    }
}

/// Who answers where nothing is said.
pub(super) fn default_provider(format: Format) -> &'static str {
    match format {
        Format::Anthropic => "anthropic",
        Format::Gemini => "gemini",
        _ => "openai",
    }
}
