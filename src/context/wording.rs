//! The text of placeholders: what the view says about a tool output that is stored elsewhere.
//!
//! A snapshot keeps the text as it was.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::error::Result;
use crate::facts::distinguishing_argument;
use crate::message::ToolCall;
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

    /// Whether the model is known to have a tool that opens refs.
    pub fn has_tool(self) -> bool {
        self == Self::Descriptive { opens: true }
    }

    /// The text that replaces an output, unless the host writes it.
    pub(super) fn placeholder(self, trimmed: &Trimmed<'_>) -> String {
        match self {
            Self::Document => plain_placeholder(trimmed.output_ref),
            Self::Descriptive { .. } => descriptive_placeholder(trimmed),
        }
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

    /// The host's text; `None` if it failed.
    pub(super) fn text(&self, trimmed: &Trimmed<'_>) -> Option<String> {
        (self.write)(trimmed)
            .map_err(|error| *self.error.borrow_mut() = Some(error.message().to_owned()))
            .ok()
    }

    /// The error of the host's function, if there was one since this was last called.
    pub(super) fn take_error(&self) -> Option<String> {
        self.error.take()
    }
}

/// The text that names only the ref, if there is one.
pub(super) fn plain_placeholder(output_ref: Option<&str>) -> String {
    output_ref.map_or_else(|| tool_output::PLACEHOLDER.to_owned(), tool_output::placeholder)
}

/// A call's tool, and what it was called for.
pub fn called(call: &ToolCall) -> String {
    match distinguishing_argument(call) {
        Some(what) => format!("{} {what}", call.name),
        None => call.name.clone(),
    }
}

fn descriptive_placeholder(trimmed: &Trimmed<'_>) -> String {
    let ran = trimmed.call.map(|call| format!("{}, ", called(call)));
    let by_ref = trimmed.output_ref.map(|id| format!("; ref={id}")).unwrap_or_default();
    format!("[tool output trimmed: {}{} tokens{by_ref}]", ran.unwrap_or_default(), trimmed.tokens)
}
