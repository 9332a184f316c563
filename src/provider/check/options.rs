use serde_json::Value;

use super::super::find_list::is_response;

/// What is known about the request, besides its list.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckOptions<'a> {
    /// The history before it was changed. Enables the checks that compare with it (lost reasoning, changed thinking,
    /// order).
    pub original: Option<&'a Value>,
    /// The provider that will answer: `openai`, `anthropic`, `deepseek`, `mistral`, `gemini` …, or a name that begins
    /// with one of these, in any case. Default: the format's own provider. An unknown name gives the warning
    /// `provider-unknown`.
    pub provider: Option<&'a str>,
    /// Whether the calls of the last step may have no outputs yet. It is the last step if only outputs follow it.
    pub pending: bool,
    /// Whether the provider stores the conversation (`previous_response_id`, `conversation`), so that outputs may
    /// answer calls that are not in the list.
    pub stateful: bool,
    /// Whether the Responses API stores items (`store`), which is its default.
    pub store: Option<bool>,
    /// Anthropic's `thinking.type`, if thinking is enabled: `enabled` or `adaptive`.
    pub thinking: Option<&'a str>,
    /// Whether the model binds thinking blocks to everything before them: a mismatch is an error then, not a warning.
    pub bound: bool,
}

impl<'a> CheckOptions<'a> {
    /// Sets what a request body says about itself, unless it is already set. The calls of a response are still to be
    /// executed.
    pub(super) fn with_body(mut self, body: &'a Value) -> Self {
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
