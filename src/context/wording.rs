//! What the view says of a tool output that stands elsewhere.
//!
//! A snapshot keeps the text that stood.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::core::Context;
use super::node::NodeIndex;
use crate::error::Result;
use crate::facts::telling;
use crate::message::{ToolCall, ToolOutput};
use crate::tool_output;

/// In whose words placeholders stand, and whether a ref is of any use to the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wording {
    /// A document's own: the ref alone.
    #[default]
    Document,
    /// What was run and how large its output was; the ref where the model has a tool that opens it.
    Told {
        /// It has.
        opens: bool,
    },
}

impl Wording {
    /// The model is taken for one that can open refs.
    pub fn open_refs(&mut self) {
        if let Self::Told { opens } = self {
            *opens = true;
        }
    }

    /// Whether what the model reads may name refs.
    pub fn names_refs(self) -> bool {
        self != Self::Told { opens: false }
    }
}

/// What a placeholder stands for.
#[derive(Debug)]
pub struct Trimmed<'a> {
    /// The ref that opens it, where the cache has it and the model can.
    pub output_ref: Option<&'a str>,
    /// The call that it answers.
    pub call: Option<&'a ToolCall>,
    /// Tokens of the whole output.
    pub tokens: u64,
}

/// `toolOutputCache.placeholder`: the host writes the text. Where it cannot, our own text stands, and the report says why.
#[derive(Clone)]
pub struct Describe {
    write: Arc<Write>,
    trouble: Rc<RefCell<Option<String>>>,
}

type Write = dyn Fn(&Trimmed<'_>) -> Result<String>;

impl Describe {
    /// Writes with this function.
    #[allow(clippy::arc_with_non_send_sync, reason = "the host's function lives on the host's thread")]
    pub fn new(write: impl Fn(&Trimmed<'_>) -> Result<String> + 'static) -> Self {
        Self { write: Arc::new(write), trouble: Rc::default() }
    }

    fn text(&self, trimmed: &Trimmed<'_>) -> Option<String> {
        (self.write)(trimmed)
            .map_err(|error| *self.trouble.borrow_mut() = Some(error.message().to_owned()))
            .ok()
    }
}

impl Context {
    /// What went wrong when the host was to write a placeholder, since it was last asked for.
    pub fn take_placeholder_trouble(&mut self) -> Option<String> {
        self.describe.as_ref().and_then(|describe| describe.trouble.take())
    }

    /// The text that stands for an output of a node, which `id` opens.
    pub(super) fn placeholder_text(&self, node: NodeIndex, output: &ToolOutput, id: Option<&str>) -> String {
        let whole = self.history.node(node);
        let caller = self.history.caller(node).map(|caller| &self.history.node(caller).message);
        let call = caller.and_then(|m| m.tool_calls().find(|call| call.id == output.call_id));
        let tokens = whole.tally.outputs() / whole.message.tool_outputs().count().max(1) as u64;
        let known = id.filter(|_| self.wording.names_refs());
        let trimmed = Trimmed { output_ref: known, call, tokens };
        let given = self.describe.as_ref().and_then(|describe| describe.text(&trimmed));
        given.unwrap_or_else(|| match self.wording {
            Wording::Document => {
                known.map_or_else(|| tool_output::PLACEHOLDER.to_owned(), tool_output::placeholder)
            }
            Wording::Told { .. } => told(&trimmed),
        })
    }
}

fn told(trimmed: &Trimmed<'_>) -> String {
    let ran = trimmed.call.map(|call| match telling(call) {
        Some(what) => format!("{} {what}, ", call.name),
        None => format!("{}, ", call.name),
    });
    let by_ref = trimmed.output_ref.map(|id| format!("; ref={id}")).unwrap_or_default();
    format!("[tool output trimmed: {}{} tokens{by_ref}]", ran.unwrap_or_default(), trimmed.tokens)
}
