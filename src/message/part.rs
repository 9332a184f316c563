use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Extras, Format};
use crate::names::names;

/// Shared text: the history, the view and the cache hold the same tool output without copying it.
pub type Text = Arc<str>;

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Part {
    /// Plain text.
    Text {
        /// The text.
        text: Text,
        /// Other fields of its format (annotations, an item id …).
        extras: Extras,
    },
    /// An image, a document or audio.
    Media(Box<Media>),
    /// The model's refusal, in its own words.
    Refusal {
        /// The refusal's text.
        text: Text,
        /// Other fields of its format.
        extras: Extras,
    },
    /// Reasoning or thinking. Signatures and encrypted content are never touched.
    Reasoning(Box<Reasoning>),
    /// A call of a tool.
    ToolCall(Box<ToolCall>),
    /// A tool's answer.
    ToolOutput(Box<ToolOutput>),
    /// An item or block that is not understood. It is carried along in its position (INV-9).
    Opaque {
        /// The format it belongs to.
        format: Format,
        /// The item or block, unchanged.
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

    /// Whether it is thinking without the signature that its provider requires.
    pub(crate) fn is_cut_off_thinking(&self) -> bool {
        matches!(self, Self::Reasoning(reasoning) if reasoning.is_cut_off())
    }

    /// Whether it is thinking with a signature, which binds it to the model that made it. Cut-off thinking is none: no view has it.
    pub(crate) fn is_bound_thinking(&self) -> bool {
        matches!(self, Self::Reasoning(reasoning) if reasoning.signature.is_some() && !reasoning.is_cut_off())
    }

    /// The text, if it is a text. A refusal is none.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The text of a text or of a refusal.
    pub fn as_text_or_refusal(&self) -> Option<&Text> {
        match self {
            Self::Text { text, .. } | Self::Refusal { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The tool output, if it is one.
    pub fn as_tool_output(&self) -> Option<&ToolOutput> {
        match self {
            Self::ToolOutput(output) => Some(output),
            _ => None,
        }
    }

    /// The id of the call that an opaque part refers to: the part is the result of a tool that the provider ran, or a
    /// request for approval.
    #[must_use]
    pub fn opaque_call_id(&self) -> Option<&str> {
        let Self::Opaque { raw, .. } = self else { return None };
        ["tool_use_id", "toolCallId"].iter().find_map(|key| raw.get(key)?.as_str())
    }

    /// Other fields of its format. `None` for an opaque part, which belongs to its format entirely.
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

    /// The same, to change them.
    pub(crate) fn extras_mut(&mut self) -> Option<&mut Extras> {
        match self {
            Self::Text { extras, .. } | Self::Refusal { extras, .. } => Some(extras),
            Self::Media(media) => Some(&mut media.extras),
            Self::Reasoning(reasoning) => Some(&mut reasoning.extras),
            Self::ToolCall(call) => Some(&mut call.extras),
            Self::ToolOutput(output) => Some(&mut output.extras),
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

names! {
    /// What kind of medium a [`Media`] part holds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum MediaKind {
        /// A picture.
        Image = "image",
        /// A file: PDF, text, office document.
        Document = "document",
        /// Sound.
        Audio = "audio",
    }
}

impl MediaKind {
    /// Its name in a sentence.
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Image => "an image",
            Self::Document => "a document",
            Self::Audio => "audio",
        }
    }
}

/// An image, a document or audio: by URL, by file id, or as base64 data.
#[derive(Debug, Clone, PartialEq)]
pub struct Media {
    /// Image, document or audio.
    pub kind: MediaKind,
    /// Its address, if the data is not here.
    pub url: Option<String>,
    /// Base64 data.
    pub data: Option<Text>,
    /// The provider's id of an uploaded file.
    pub file_id: Option<String>,
    /// A file's name.
    pub filename: Option<String>,
    /// Such as `image/png`.
    pub media_type: Option<String>,
    /// `auto`, `low` or `high`: how many tokens the provider spends on an image.
    pub detail: Option<String>,
    /// In pixels, if the caller knows it.
    pub width: Option<u32>,
    /// In pixels, if the caller knows it.
    pub height: Option<u32>,
    /// Other fields of its format.
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
    /// The text, if the provider shows it.
    pub text: Option<Text>,
    /// Summaries of the reasoning, if the provider returns these instead of the text.
    pub summary: Vec<Text>,
    /// The signature of a thinking block. Never touched.
    pub signature: Option<Text>,
    /// Encrypted content. Never touched.
    pub encrypted: Option<Text>,
    /// Whether the provider redacted it.
    pub redacted: bool,
    /// Other fields of its format.
    pub extras: Extras,
}

impl Reasoning {
    /// Whether it is Anthropic thinking whose signature never arrived, because its stream was cut off. The API refuses
    /// every request that contains such thinking, so no view includes it and its tokens are not counted.
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
    /// Any other kind of call that needs an output (computer, shell, patch, search …).
    Other {
        /// The format it belongs to.
        format: Format,
        /// The item, unchanged.
        raw: Arc<Value>,
    },
}

/// A tool call by the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The id that its output refers to (`call_id`, `tool_call_id`, `tool_use_id`).
    pub id: String,
    /// The tool's name, or the item type if this kind of call has no name.
    pub name: String,
    /// The arguments as the model wrote them: JSON text for a function, free text for a custom tool.
    pub input: Text,
    /// Function, custom, or another kind.
    pub kind: CallKind,
    /// Whether the provider runs the tool and supplies the output itself: then it needs no tool message.
    pub hosted: bool,
    /// Other fields of its format (an item id `fc_…`, `status`, thought signatures …).
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

/// Where the full content of a tool output is stored.
///
/// A message may be pushed with a ref of its own. The ref is kept if it opens this output, if it opens a longer text
/// that contains this output and was stored under that id by hand, or if nothing is stored there yet. A ref that opens
/// another tool's answer is replaced, so that every answer has a ref that opens it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ToolOutputRef {
    /// The ref: pass it as `ref_id` to `tool_output_cache({ ref_id })`.
    pub id: String,
    /// UTF-8 bytes of the full content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_size: Option<u64>,
    /// Lines of the full content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_count: Option<u64>,
}

/// A tool's answer to one call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// The id of the call that it answers.
    pub call_id: String,
    /// Text, images and other parts; never calls or outputs.
    pub content: Vec<Part>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Where the full content is stored, once it is cached.
    pub output_ref: Option<Box<ToolOutputRef>>,
    /// Other fields of its format (item id, `status`, whether it was a string or parts …).
    pub extras: Extras,
}

impl ToolOutput {
    /// An output that consists of one text.
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
