use super::options::options;
use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, Form, NodeIndex};
use crate::error::Result;
use crate::message::Role;
use crate::tool_output::{JSON_MAX_TOKENS, compress_json};

const WHY: &str = "JSON was compressed to its identifying parts; the full output can be read by its ref";

options! {
    /// Compresses large JSON tool outputs: they keep only what identifies them (CACHE-8).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct CompressJson {
        /// If false, it does nothing.
        "enabled": bool => enabled: bool = true,
        /// Outputs of up to this many tokens stay as they are.
        "maxTokens": u64_in(1..) => max_tokens: u64 = JSON_MAX_TOKENS,
        /// It does nothing in a view of up to this many messages: the rolling document optimizes only longer conversations.
        "minMessages": u64_in(..) => min_messages: u64 = 0,
    }
}

impl Pass for CompressJson {
    fn name(&self) -> &'static str {
        "compress_json"
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
