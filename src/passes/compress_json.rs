use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::config::Keys;
use crate::context::{Context, Form, NodeIndex};
use crate::error::Result;
use crate::message::Role;
use crate::tool_output::{JSON_MAX_TOKENS, compress_json};

const WHY: &str = "JSON was compressed to its identifying parts; the full output can be read by its ref";

/// Compresses large JSON tool outputs: they keep only what identifies them (CACHE-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompressJson {
    /// If false, it does nothing.
    pub enabled: bool,
    /// Outputs of up to this many tokens stay as they are.
    pub max_tokens: u64,
    /// It does nothing in a view of up to this many messages: the rolling document optimizes only longer conversations.
    pub min_messages: u64,
}

impl Default for CompressJson {
    fn default() -> Self {
        Self { enabled: true, max_tokens: JSON_MAX_TOKENS, min_messages: 0 }
    }
}

impl CompressJson {
    pub(super) fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        let d = Self::default();
        Ok(Box::new(Self {
            enabled: keys.bool("enabled")?.unwrap_or(d.enabled),
            max_tokens: keys.u64_in("maxTokens", 1..)?.unwrap_or(d.max_tokens),
            min_messages: keys.u64_in("minMessages", ..)?.unwrap_or(d.min_messages),
        }))
    }
}

impl Pass for CompressJson {
    fn name(&self) -> &'static str {
        "compress_json"
    }

    fn options(&self) -> Value {
        json!({ "enabled": self.enabled, "maxTokens": self.max_tokens, "minMessages": self.min_messages })
    }

    fn is_optional(&self) -> bool {
        true
    }

    fn wants(&self, context: &Context, _: &Aim) -> bool {
        self.enabled
            && context.view.body().len() as u64 > self.min_messages
            && context.view.output_tokens() > self.max_tokens
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let large: Vec<usize> = context
            .view
            .body()
            .iter()
            .enumerate()
            .filter(|(_, s)| s.message.role == Role::Tool && matches!(s.form, Form::Whole | Form::Cut))
            .filter(|(_, s)| s.tally.outputs() > self.max_tokens)
            .map(|(at, _)| at)
            .collect();
        let mut items: Vec<NodeIndex> = Vec::new();
        for at in large {
            let counter = context.counter.clone();
            let shorter = |text: &str| compress_json(text, self.max_tokens, &*counter);
            if context.shorten_output(at, Form::Compressed, shorter)? {
                items.push(context.view.body()[at].node);
            }
        }
        context.note_trimmed(&items, WHY);
        Ok(Outcome::changed(items, format!("JSON above {} tokens was compressed", self.max_tokens)))
    }
}
