//! How messages are saved in a snapshot.

use std::sync::Arc;

use super::{
    CallKind, Format, ItemType, Media, MediaKind, Message, Meta, Part, Reasoning, Role, ToolCall, ToolOutput,
    ToolOutputRef,
};
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer, saved};

saved!(struct Message { role, parts, meta, extras });
saved!(struct Meta { id, item_type, priority, ephemeral, pinned });
saved!(struct Media { kind, url, data, file_id, filename, media_type, detail, width, height, extras });
saved!(struct Reasoning { id, text, summary, signature, encrypted, redacted, extras });
saved!(struct ToolCall { id, name, input, kind, hosted, extras });
saved!(struct ToolOutput { call_id, content, is_error, output_ref, extras });
saved!(struct ToolOutputRef { id, byte_size, line_count });
saved!(enum Role);
saved!(enum MediaKind);
saved!(enum Format);
saved!(enum ItemType);

impl Saved for Part {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        match self {
            Self::Text { text, extras } => {
                out.byte(0);
                text.save(out);
                extras.save(out);
            }
            Self::Media(media) => {
                out.byte(1);
                media.save(out);
            }
            Self::Refusal { text, extras } => {
                out.byte(2);
                text.save(out);
                extras.save(out);
            }
            Self::Reasoning(reasoning) => {
                out.byte(3);
                reasoning.save(out);
            }
            Self::ToolCall(call) => {
                out.byte(4);
                call.save(out);
            }
            Self::ToolOutput(output) => {
                out.byte(5);
                output.save(out);
            }
            Self::Opaque { format, raw } => {
                out.byte(6);
                format.save(out);
                raw.save(out);
            }
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match from.byte()? {
            0 => Self::Text { text: Saved::load(from)?, extras: Saved::load(from)? },
            1 => Self::Media(Saved::load(from)?),
            2 => Self::Refusal { text: Saved::load(from)?, extras: Saved::load(from)? },
            3 => Self::Reasoning(Saved::load(from)?),
            4 => Self::ToolCall(Saved::load(from)?),
            5 => {
                let output = from.nested(ToolOutput::load)?;
                // A tool output cannot contain calls or other outputs: no history yields such nesting.
                let nests =
                    output.content.iter().any(|p| matches!(p, Self::ToolOutput(_) | Self::ToolCall(_)));
                from.require(!nests, "a tool output contains another one")?;
                Self::from(output)
            }
            6 => Self::Opaque { format: Saved::load(from)?, raw: Saved::load(from)? },
            _ => return Err(from.invalid("a part is of an unknown kind")),
        })
    }
}

impl Saved for CallKind {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        match self {
            Self::Function => out.byte(0),
            Self::Custom => out.byte(1),
            Self::Other { format, raw } => {
                out.byte(2);
                format.save(out);
                raw.save(out);
            }
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match from.byte()? {
            0 => Self::Function,
            1 => Self::Custom,
            2 => Self::Other { format: Saved::load(from)?, raw: Arc::load(from)? },
            _ => return Err(from.invalid("a tool call is of an unknown kind")),
        })
    }
}
