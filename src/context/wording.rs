//! The text of placeholders: what the view says about a tool output that is stored elsewhere.
//!
//! A snapshot keeps the text as it was.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::core::Context;
use super::node::NodeIndex;
use crate::error::Result;
use crate::facts::distinguishing_argument;
use crate::message::{ToolCall, ToolOutput};
use crate::tool_output;

/// The style of placeholders, and whether the model can use refs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wording {
    /// As the ladder's document writes them: only the ref.
    #[default]
    Document,
    /// What was called and how large its output was; with the ref if the model has a tool that opens it.
    Descriptive {
        /// Whether the model has such a tool.
        opens: bool,
    },
}

impl Wording {
    /// Sets that the model can open refs.
    pub fn open_refs(&mut self) {
        if let Self::Descriptive { opens } = self {
            *opens = true;
        }
    }

    /// Whether texts for the model may contain refs.
    pub fn names_refs(self) -> bool {
        self != Self::Descriptive { opens: false }
    }
}

/// The output that a placeholder replaces.
#[derive(Debug)]
pub struct Trimmed<'a> {
    /// The ref that opens it, if the cache has it and the model can open refs.
    pub output_ref: Option<&'a str>,
    /// The call that it answers.
    pub call: Option<&'a ToolCall>,
    /// Tokens of the whole output.
    pub tokens: u64,
}

/// `toolOutputCache.placeholder`: the host writes the text. If it fails, our own text is used, and the report says why.
#[derive(Clone)]
pub struct PlaceholderWriter {
    write: Arc<Write>,
    error: Rc<RefCell<Option<String>>>,
}

type Write = dyn Fn(&Trimmed<'_>) -> Result<String>;

impl PlaceholderWriter {
    /// Writes placeholders with this function.
    #[allow(clippy::arc_with_non_send_sync, reason = "the host's function lives on the host's thread")]
    pub fn new(write: impl Fn(&Trimmed<'_>) -> Result<String> + 'static) -> Self {
        Self { write: Arc::new(write), error: Rc::default() }
    }

    fn text(&self, trimmed: &Trimmed<'_>) -> Option<String> {
        (self.write)(trimmed)
            .map_err(|error| *self.error.borrow_mut() = Some(error.message().to_owned()))
            .ok()
    }
}

impl Context {
    /// The error of the host's placeholder function, if there was one since this was last called.
    pub fn take_placeholder_error(&mut self) -> Option<String> {
        self.placeholder_writer.as_ref().and_then(|placeholder_writer| placeholder_writer.error.take())
    }

    /// The text that replaces an output of a node; `id` is the ref that opens it.
    pub(super) fn placeholder_text(&self, node: NodeIndex, output: &ToolOutput, id: Option<&str>) -> String {
        let whole = self.history.node(node);
        let caller = self.history.caller(node).map(|caller| &self.history.node(caller).message);
        let call = caller.and_then(|m| m.tool_calls().find(|call| call.id == output.call_id));
        let tokens = whole.tally.outputs() / whole.message.tool_outputs().count().max(1) as u64;
        let known = id.filter(|_| self.wording.names_refs());
        let trimmed = Trimmed { output_ref: known, call, tokens };
        let given =
            self.placeholder_writer.as_ref().and_then(|placeholder_writer| placeholder_writer.text(&trimmed));
        given.unwrap_or_else(|| match self.wording {
            Wording::Document => {
                known.map_or_else(|| tool_output::PLACEHOLDER.to_owned(), tool_output::placeholder)
            }
            Wording::Descriptive { .. } => default_placeholder(&trimmed),
        })
    }
}

fn default_placeholder(trimmed: &Trimmed<'_>) -> String {
    let ran = trimmed.call.map(|call| match distinguishing_argument(call) {
        Some(what) => format!("{} {what}, ", call.name),
        None => format!("{}, ", call.name),
    });
    let by_ref = trimmed.output_ref.map(|id| format!("; ref={id}")).unwrap_or_default();
    format!("[tool output trimmed: {}{} tokens{by_ref}]", ran.unwrap_or_default(), trimmed.tokens)
}
