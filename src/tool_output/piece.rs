//! What a stored output consists of.

use super::long_text::LongText;
use crate::message::{Extras, Media, MediaKind, Part};

/// A text, or a part that is none.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text { text: LongText, extras: Extras },
    Other(Part),
}

impl Piece {
    pub(super) fn of(part: Part) -> Self {
        match part {
            Part::Text { text, extras } => Self::Text { text: text.into(), extras },
            other => Self::Other(other),
        }
    }

    pub(super) fn part(&self) -> Part {
        match self {
            Self::Text { text, extras } => Part::Text { text: text.to_text(), extras: extras.clone() },
            Self::Other(part) => part.clone(),
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
            Self::Other(Part::Media(m)) => {
                m.data.as_deref().map_or(0, str::len) + m.url.as_deref().map_or(0, str::len)
            }
            Self::Other(Part::Opaque { raw, .. }) => raw.to_string().len(),
            Self::Other(_) => 0,
        };
        bytes as u64
    }
}

/// One line that stands for a part without text.
pub(super) fn describe_part(part: &Part) -> String {
    match part {
        Part::Media(media) => describe_media(media),
        _ => "[content that is no text]".to_owned(),
    }
}

fn describe_media(media: &Media) -> String {
    let kind = match media.kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "audio",
    };
    let mut line = format!("[{kind}");
    for detail in [media.media_type.as_deref(), media.filename.as_deref()].into_iter().flatten() {
        line.push(' ');
        line.extend(detail.chars().filter(|c| !c.is_control()).take(100));
    }
    line.push(']');
    line
}
