use std::borrow::Cow;
use std::sync::Arc;

use super::long_text::{Line, LongText};
use super::piece::{Piece, describe_part};
use crate::error::Result;
use crate::message::{Extras, Part, ToolOutputRef};
use crate::saved::{Reader, Saved, Writer};

/// A stored tool output with all of its parts.
#[derive(Debug, Clone)]
pub struct Output {
    pub(super) id: Arc<str>,
    pub(super) pieces: Vec<Piece>,
    pub(super) bytes: u64,
    pub(super) lines: u64,
    /// The key of its pieces in the host's store, if they are not in memory.
    pub(super) store_key: Option<Arc<str>>,
    /// The entry of the history that it was stored for, because the view does not show that one whole; `None` for what a tool
    /// answered and for what the host stored.
    pub(super) copy_of: Option<u32>,
}

impl Output {
    pub(super) fn new(id: Arc<str>, pieces: Vec<Piece>) -> Self {
        let bytes = pieces.iter().map(Piece::bytes).sum();
        let lines = pieces.iter().map(Piece::line_count).sum();
        Self { id, pieces, bytes, lines, store_key: None, copy_of: None }
    }

    /// The ref's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The parts, as they were stored. Texts are shared, not copied, except those that came in chunks, which are
    /// joined.
    pub fn parts(&self) -> Vec<Part> {
        self.pieces.iter().map(Piece::part).collect()
    }

    /// UTF-8 bytes of its texts, plus the bytes of everything else in its written form (base64, URLs).
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The text, if the output consists of exactly one text.
    pub fn as_text(&self) -> Option<&LongText> {
        match self.pieces.as_slice() {
            [Piece::Text { text, .. }] => Some(text),
            _ => None,
        }
    }

    /// Its texts, in order. Any other part is represented by a line that names it.
    pub fn texts(&self) -> impl Iterator<Item = Cow<'_, LongText>> {
        self.pieces.iter().map(|piece| match piece {
            Piece::Text { text, .. } => Cow::Borrowed(text),
            Piece::Other(part) => {
                let mut named = LongText::default();
                named.push_str(&describe_part(part));
                Cow::Owned(named)
            }
        })
    }

    /// Its lines after the first `skip`, in order, without line breaks: the lines of each text, and one line that names
    /// each other part. Skipped lines are not read.
    pub fn lines_from(&self, skip: u64) -> impl Iterator<Item = Line<'_>> {
        let mut before = 0;
        self.pieces.iter().flat_map(move |piece| {
            let skip_here = skip.saturating_sub(before).min(piece.line_count());
            before += piece.line_count();
            let (text, other) = match piece {
                Piece::Text { text, .. } => (Some(text), None),
                Piece::Other(part) => (None, (skip_here == 0).then(|| Line::of_text(&describe_part(part)))),
            };
            text.into_iter().flat_map(move |text| text.lines_from(skip_here)).chain(other)
        })
    }

    /// The number of lines.
    pub fn line_count(&self) -> u64 {
        self.lines
    }

    /// The ref, with the output's sizes.
    pub fn reference(&self) -> ToolOutputRef {
        ToolOutputRef { id: self.id.to_string(), byte_size: Some(self.bytes), line_count: Some(self.lines) }
    }

    /// Its key in the host's store, if it is not in memory.
    pub fn store_key(&self) -> Option<&Arc<str>> {
        self.store_key.as_ref()
    }

    /// Its bytes in memory.
    pub fn bytes_here(&self) -> u64 {
        if self.store_key.is_some() { 0 } else { self.bytes }
    }

    pub(super) fn append(&mut self, chunk: &str) {
        if chunk.is_empty() {
            return;
        }
        if !matches!(self.pieces.last(), Some(Piece::Text { .. })) {
            self.pieces.push(Piece::Text { text: LongText::default(), extras: Extras::default() });
        }
        if let Some(Piece::Text { text, .. }) = self.pieces.last_mut() {
            self.lines -= text.line_count();
            text.push_str(chunk);
            self.lines += text.line_count();
            self.bytes += chunk.len() as u64;
        }
    }
}

impl Saved for Output {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        let Self { id, pieces, bytes, lines, store_key, copy_of } = self;
        id.save(out);
        store_key.save(out);
        if store_key.is_some() {
            bytes.save(out);
            lines.save(out);
        } else {
            pieces.save(out);
        }
        copy_of.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let (id, store_key) = (Saved::load(from)?, Option::load(from)?);
        let output = if store_key.is_none() {
            Self::new(id, Saved::load(from)?)
        } else {
            let (bytes, lines): (u64, u64) = Saved::load(from)?;
            from.require(bytes < 1 << 40 && lines < 1 << 40, "an output is too large")?;
            Self { id, pieces: Vec::new(), bytes, lines, store_key, copy_of: None }
        };
        Ok(Self { copy_of: Saved::load(from)?, ..output })
    }
}
