//! The pieces of a stored output.

use super::long_text::LongText;
use crate::error::Result;
use crate::message::{Extras, Media, Part};
use crate::saved::{Reader, Saved, Writer};

/// A text, or any other part.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text { text: LongText, extras: Extras },
    Other(Box<Part>),
}

impl Piece {
    pub(super) fn of(part: Part) -> Self {
        match part {
            Part::Text { text, extras } => Self::Text { text: text.into(), extras },
            other => Self::Other(other.into()),
        }
    }

    pub(super) fn part(&self) -> Part {
        match self {
            Self::Text { text, extras } => Part::Text { text: text.to_text(), extras: extras.clone() },
            Self::Other(part) => Part::clone(part),
        }
    }

    pub(super) fn line_count(&self) -> u64 {
        match self {
            Self::Text { text, .. } => text.line_count(),
            Self::Other(_) => 1,
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Text { text, .. } => text.len(),
            Self::Other(part) => match &**part {
                Part::Media(m) => {
                    m.data.as_deref().map_or(0, str::len) + m.url.as_deref().map_or(0, str::len)
                }
                Part::Opaque { raw, .. } => raw.to_string().len(),
                _ => 0,
            },
        };
        bytes as u64
    }
}

impl Saved for Piece {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        match self {
            Self::Text { text, extras } => {
                out.byte(0);
                text.save(out);
                extras.save(out);
            }
            Self::Other(part) => {
                out.byte(1);
                part.save(out);
            }
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match from.byte()? {
            0 => Self::Text { text: Saved::load(from)?, extras: Saved::load(from)? },
            1 => match Part::load(from)? {
                Part::Text { .. } | Part::ToolCall(_) | Part::ToolOutput(_) => {
                    return Err(from.invalid("a tool output has content that is not allowed"));
                }
                part => Self::Other(part.into()),
            },
            _ => return Err(from.invalid("a piece is of an unknown kind")),
        })
    }
}

/// A line that represents a part without text.
pub(super) fn describe_part(part: &Part) -> String {
    match part {
        Part::Media(media) => describe_media(media),
        _ => "[content that is no text]".to_owned(),
    }
}

fn describe_media(media: &Media) -> String {
    let mut line = format!("[{}", media.kind.as_str());
    for detail in [media.media_type.as_deref(), media.filename.as_deref()].into_iter().flatten() {
        line.push(' ');
        line.extend(detail.chars().filter(|c| !c.is_control()).take(100));
    }
    line.push(']');
    line
}
