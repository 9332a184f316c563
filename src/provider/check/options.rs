use serde_json::Value;

use super::super::held::is_response;

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
