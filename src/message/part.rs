use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extras, Format};

/// Text that several places hold without copying it: a tool output stands in the history, the view and the cache.
pub type Text = Arc<str>;

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    Text {
        /// The text.
        text: Text,
        /// What its format carried beside it (annotations, an item id …).
        extras: Extras,
    },
    /// An image, a document or audio.
    Media(Box<Media>),
    /// The model's refusal, as it said it.
    Refusal {
        /// The refusal's text.
        text: Text,
        /// What its format carried beside it.
        extras: Extras,
    },
    /// Reasoning or thinking. Signatures and encrypted content are never touched.
    Reasoning(Box<Reasoning>),
    /// A call of a tool.
    ToolCall(Box<ToolCall>),
    /// A tool's answer.
    ToolOutput(Box<ToolOutput>),
    /// Not understood: carried in its place (INV-9).
    Opaque {
        /// The format it belongs to.
        format: Format,
        /// The item or block, as it came.
        raw: Arc<Value>,
    },
}

impl From<Reasoning> for Part {
    fn from(reasoning: Reasoning) -> Self {
        Self::Reasoning(Box::new(reasoning))
    }
}

impl From<ToolCall> for Part {
    fn from(call: ToolCall) -> Self {
        Self::ToolCall(Box::new(call))
    }
}

impl From<ToolOutput> for Part {
    fn from(output: ToolOutput) -> Self {
        Self::ToolOutput(Box::new(output))
    }
}

impl Part {
    /// A text part with no extras.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Text { text: text.into(), extras: Extras::default() }
    }

    /// Whether it is thinking without the signature that its provider wants back.
    pub(crate) fn is_cut_off_thinking(&self) -> bool {
        matches!(self, Self::Reasoning(reasoning) if reasoning.is_cut_off())
    }

    /// The tool output, if it is one.
    pub fn as_tool_output(&self) -> Option<&ToolOutput> {
        match self {
            Self::ToolOutput(output) => Some(output),
            _ => None,
        }
    }

    /// The id of the call that an opaque part is about: the result of a tool that the provider ran itself, or an approval that is
    /// asked for.
    #[must_use]
    pub fn opaque_call_id(&self) -> Option<&str> {
        let Self::Opaque { raw, .. } = self else { return None };
        ["tool_use_id", "toolCallId"].iter().find_map(|key| raw.get(key)?.as_str())
    }

    /// What its format carried beside it; none for an opaque part, which is all its format's.
    pub fn extras(&self) -> Option<&Extras> {
        match self {
            Self::Text { extras, .. } | Self::Refusal { extras, .. } => Some(extras),
            Self::Media(media) => Some(&media.extras),
            Self::Reasoning(reasoning) => Some(&reasoning.extras),
            Self::ToolCall(call) => Some(&call.extras),
            Self::ToolOutput(output) => Some(&output.extras),
            Self::Opaque { .. } => None,
        }
    }

    /// Appends the visible text: text, refusals and text of tool outputs.
    pub(crate) fn push_plain_text(&self, out: &mut String) {
        let mut add = |text: &str| {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(text);
        };
        match self {
            Self::Text { text, .. } | Self::Refusal { text, .. } => add(text),
            Self::ToolOutput(output) => {
                for part in &output.content {
                    part.push_plain_text(out);
                }
            }
            Self::Media(_) | Self::Reasoning(_) | Self::ToolCall(_) | Self::Opaque { .. } => {}
        }
    }
}

/// What kind of medium a [`Media`] part holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A file: PDF, text, office document.
    Document,
    /// Sound.
    Audio,
}

impl MediaKind {
    /// The part's `type` in the public shape.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Document => "document",
            Self::Audio => "audio",
        }
    }
}

/// An image, a document or audio: by URL, by file id, or as base64 data.
#[derive(Debug, Clone, PartialEq)]
pub struct Media {
    /// What it is.
    pub kind: MediaKind,
    /// Where it lies, if it is not here.
    pub url: Option<String>,
    /// Base64 data.
    pub data: Option<Text>,
    /// The provider's id of an uploaded file.
    pub file_id: Option<String>,
    /// A file's name.
    pub filename: Option<String>,
    /// As `image/png`.
    pub media_type: Option<String>,
    /// `auto`, `low` or `high`: how many tokens the provider spends on an image.
    pub detail: Option<String>,
    /// Pixels, where the caller knows them.
    pub width: Option<u32>,
    /// Pixels, where the caller knows them.
    pub height: Option<u32>,
    /// What its format carried beside it.
    pub extras: Extras,
}

impl Media {
    /// An empty part of this kind.
    pub fn new(kind: MediaKind) -> Self {
        Self {
            kind,
            url: None,
            data: None,
            file_id: None,
            filename: None,
            media_type: None,
            detail: None,
            width: None,
            height: None,
            extras: Extras::default(),
        }
    }
}

/// Reasoning (`OpenAI`) or thinking (Anthropic).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reasoning {
    /// The provider's item id (`rs_…`).
    pub id: Option<String>,
    /// The text, where the provider shows it.
    pub text: Option<Text>,
    /// Summaries of the reasoning, where the provider gives them instead of the text.
    pub summary: Vec<Text>,
    /// The signature of a thinking block. Never touched.
    pub signature: Option<Text>,
    /// Encrypted content. Never touched.
    pub encrypted: Option<Text>,
    /// The provider redacted it.
    pub redacted: bool,
    /// What its format carried beside it.
    pub extras: Extras,
}

impl Reasoning {
    /// Whether it is thinking of Anthropic's whose signature never came, since its stream was cut. The API refuses it, and every
    /// request that holds it: no view does, and no tokens are spent on it.
    pub fn is_cut_off(&self) -> bool {
        match self.signature.as_deref() {
            Some(signature) => signature.is_empty(),
            None => self.extras.came_in(Format::Anthropic),
        }
    }
}

/// What kind of call a [`ToolCall`] is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CallKind {
    /// A function with JSON arguments.
    Function,
    /// A custom tool with free text as input.
    Custom,
    /// Any other kind of call that wants an output (computer, shell, patch, search …), as its item came.
    Other {
        /// The format it belongs to.
        format: Format,
        /// The item, as it came.
        raw: Arc<Value>,
    },
}

/// A call of a tool by the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The id that its output answers to (`call_id`, `tool_call_id`, `tool_use_id`).
    pub id: String,
    /// The tool's name; the item type where the kind has none.
    pub name: String,
    /// The arguments as the model wrote them: JSON text for a function, free text for a custom tool.
    pub input: Text,
    /// Function, custom, or another kind.
    pub kind: CallKind,
    /// Whether the provider runs the tool itself and brings the output: it needs no tool message.
    pub hosted: bool,
    /// What its format carried beside it (an item id `fc_…`, `status`, thought signatures …).
    pub extras: Extras,
}

impl ToolCall {
    /// A function call with JSON arguments.
    pub fn function(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<Text>) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input: arguments.into(),
            kind: CallKind::Function,
            hosted: false,
            extras: Extras::default(),
        }
    }

    /// A call of a custom tool with free text.
    pub fn custom(id: impl Into<String>, name: impl Into<String>, input: impl Into<Text>) -> Self {
        Self { kind: CallKind::Custom, ..Self::function(id, name, input) }
    }
}

/// Where a tool output's full content lies.
///
/// On a message that is pushed, a ref of the caller's own stays if it opens this output, or a longer text around it that was put
/// under that id by hand, or if nothing is stored there yet. One that opens another tool's answer is replaced: each answer has
/// a ref that opens it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ToolOutputRef {
    /// The ref: what `tool_output_cache({ ref_id })` is called with.
    pub id: String,
    /// UTF-8 bytes of the full content.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_size: Option<u64>,
    /// Lines of the full content.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u64>,
}

/// A tool's answer to one call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// The call that it answers.
    pub call_id: String,
    /// Text, images and other parts; never calls or outputs.
    pub content: Vec<Part>,
    /// The tool failed.
    pub is_error: bool,
    /// Where the full content lies, once it is cached.
    pub output_ref: Option<Box<ToolOutputRef>>,
    /// What its format carried beside it (item id, `status`, whether it was a string or parts …).
    pub extras: Extras,
}

impl ToolOutput {
    /// An output of one text.
    pub fn text(call_id: impl Into<String>, text: impl Into<Text>) -> Self {
        Self {
            call_id: call_id.into(),
            content: vec![Part::text(text)],
            is_error: false,
            output_ref: None,
            extras: Extras::default(),
        }
    }
}
