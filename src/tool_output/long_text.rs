//! A text that may be very long, kept in chunks with an index of its lines.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::Result;
use crate::message::Text;
use crate::pattern::Searchable;
use crate::saved::{Reader, Saved, Writer};
use crate::scanning;

/// The size of a chunk in bytes, which limits the extra work when the text grows or is looked up.
const CHUNK_BYTES: usize = 64 * 1024;

/// A text in chunks. It grows at its end without being copied; a line or byte is found by looking at one chunk only.
#[derive(Debug, Clone, Default)]
pub struct LongText {
    chunks: Vec<Chunk>,
    /// The start of the next chunk.
    end: Place,
}

/// A part of the text, and its start.
#[derive(Debug, Clone)]
struct Chunk {
    source: Source,
    start: Place,
}

#[derive(Debug, Clone)]
enum Source {
    /// Part of a text that is also used elsewhere.
    Shared(Text, Range<usize>),
    Own(String),
}

/// A position in the text: how much precedes it.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    bytes: usize,
    chars: u64,
    breaks: u64,
}

impl Place {
    fn after(self, text: &str) -> Self {
        Self {
            bytes: self.bytes + text.len(),
            chars: self.chars + text.chars().count() as u64,
            breaks: self.breaks + scanning::count(text, b'\n'),
        }
    }
}

impl Chunk {
    fn text(&self) -> &str {
        match &self.source {
            Source::Shared(text, range) => &text[range.clone()],
            Source::Own(text) => text,
        }
    }
}

impl From<Text> for LongText {
    /// Shares the text instead of copying it.
    fn from(text: Text) -> Self {
        let mut long = Self::default();
        long.chunks.reserve_exact(text.len().div_ceil(CHUNK_BYTES));
        let mut at = 0;
        while at < text.len() {
            let end = text.ceil_char_boundary(at + CHUNK_BYTES);
            long.add(Source::Shared(text.clone(), at..end));
            at = end;
        }
        long
    }
}

impl LongText {
    /// Appends to the end.
    pub fn push_str(&mut self, mut more: &str) {
        if let Some(Chunk { source: Source::Own(last), .. }) = self.chunks.last_mut() {
            let (now, later) =
                more.split_at(more.floor_char_boundary(CHUNK_BYTES.saturating_sub(last.len())));
            // Doubles the capacity each time, up to a whole chunk.
            let wanted = (last.len() + now.len()).max(2 * last.len()).min(CHUNK_BYTES);
            if last.capacity() < wanted {
                last.reserve_exact(wanted - last.len());
            }
            last.push_str(now);
            self.end = self.end.after(now);
            more = later;
        }
        while !more.is_empty() {
            let (now, later) = more.split_at(more.floor_char_boundary(CHUNK_BYTES));
            self.add(Source::Own(now.to_owned()));
            more = later;
        }
    }

    fn add(&mut self, source: Source) {
        let chunk = Chunk { source, start: self.end };
        self.end = self.end.after(chunk.text());
        self.chunks.push(chunk);
    }

    /// UTF-8 bytes.
    pub fn len(&self) -> usize {
        self.end.bytes
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The chunks, in order; joined, they are the text.
    pub fn chunks(&self) -> impl Iterator<Item = &str> {
        self.chunks.iter().map(Chunk::text)
    }

    /// The whole text as one line, including its line breaks.
    pub fn as_line(&self) -> Line<'_> {
        Line { text: Cow::Borrowed(self), range: 0..self.len() }
    }

    /// The text as one string. It is shared, not copied, if it came as one and has not grown.
    pub fn to_text(&self) -> Text {
        if let Some(Chunk { source: Source::Shared(text, _), .. }) = self.chunks.first()
            && text.len() == self.len()
        {
            return text.clone();
        }
        self.chunks().collect::<String>().into()
    }

    /// The number of lines that [`LongText::lines_from`] returns.
    pub fn line_count(&self) -> u64 {
        self.end.breaks + u64::from(!self.is_empty() && !self.ends_with_break())
    }

    fn ends_with_break(&self) -> bool {
        self.chunks.last().is_some_and(|c| c.text().ends_with('\n'))
    }

    /// Its lines after the first `skip`, divided as in `str::lines`.
    pub fn lines_from(&self, skip: u64) -> impl Iterator<Item = Line<'_>> {
        let mut at = self.start_of_line(skip);
        std::iter::from_fn(move || {
            let start = at.filter(|start| *start < self.len())?;
            let line_break = self.find_break(start);
            at = line_break.map(|at| at + 1);
            let end = match line_break {
                Some(end) if end > start && self.byte(end - 1) == Some(b'\r') => end - 1,
                Some(end) => end,
                None => self.len(),
            };
            Some(Line { text: Cow::Borrowed(self), range: start..end })
        })
    }

    /// The start of the line after the first `skip` lines.
    fn start_of_line(&self, skip: u64) -> Option<usize> {
        let Some(last) = skip.checked_sub(1) else { return Some(0) };
        let chunk = &self.chunks[self.chunks.partition_point(|c| c.start.breaks <= last).checked_sub(1)?];
        let within = usize::try_from(last - chunk.start.breaks).ok()?;
        let (at, _) = chunk.text().match_indices('\n').nth(within)?;
        Some(chunk.start.bytes + at + 1)
    }

    /// The next line break from this byte on.
    fn find_break(&self, from: usize) -> Option<usize> {
        let first = self.chunk_at(from)?;
        let mut from = from - self.chunks[first].start.bytes;
        for chunk in &self.chunks[first..] {
            if let Some(at) = chunk.text()[from..].find('\n') {
                return Some(chunk.start.bytes + from + at);
            }
            from = 0;
        }
        None
    }

    /// The chunk that contains this byte, or the last one.
    fn chunk_at(&self, byte: usize) -> Option<usize> {
        self.chunks.partition_point(|c| c.start.bytes <= byte).checked_sub(1)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        let chunk = &self.chunks[self.chunk_at(at)?];
        chunk.text().as_bytes().get(at - chunk.start.bytes).copied()
    }

    /// The text between two bytes. A position inside a character moves to its start.
    fn between(&self, from: usize, to: usize) -> Cow<'_, str> {
        let (from, to) = (self.floor(from), self.floor(to));
        let Some(first) = self.chunk_at(from).filter(|_| from < to) else { return Cow::Borrowed("") };
        let mut pieces = self.chunks[first..].iter().take_while(|c| c.start.bytes < to).map(|chunk| {
            let text = chunk.text();
            let start = from.saturating_sub(chunk.start.bytes);
            &text[start..(to - chunk.start.bytes).min(text.len())]
        });
        let piece = pieces.next().unwrap_or_default();
        if piece.len() == to - from {
            return Cow::Borrowed(piece);
        }
        let mut joined = String::with_capacity(to - from);
        joined.push_str(piece);
        joined.extend(pieces);
        Cow::Owned(joined)
    }

    fn floor(&self, at: usize) -> usize {
        let at = at.min(self.len());
        self.chunk_at(at).map_or(0, |chunk| {
            let chunk = &self.chunks[chunk];
            chunk.start.bytes + chunk.text().floor_char_boundary(at - chunk.start.bytes)
        })
    }

    /// The number of characters before this byte, which is a char boundary.
    fn chars_before(&self, at: usize) -> u64 {
        self.chunk_at(at).map_or(0, |chunk| {
            let chunk = &self.chunks[chunk];
            chunk.start.chars + chunk.text()[..at - chunk.start.bytes].chars().count() as u64
        })
    }
}

impl Saved for LongText {
    /// Saves the text that it began with, which is shared, and each chunk of its own.
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        let Self { chunks, end: _ } = self;
        let shared = chunks.iter().find_map(|chunk| match &chunk.source {
            Source::Shared(text, _) => Some(text),
            Source::Own(_) => None,
        });
        let own = || {
            chunks.iter().filter_map(|chunk| match &chunk.source {
                Source::Own(text) => Some(text),
                Source::Shared(..) => None,
            })
        };
        out.byte(u8::from(shared.is_some()));
        if let Some(text) = shared {
            text.save(out);
        }
        out.count(own().count());
        own().for_each(|text| out.bytes(text.as_bytes()));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let mut long = Option::<Text>::load(from)?.map_or_else(Self::default, Self::from);
        for _ in 0..from.count()? {
            let text = from.utf8()?;
            from.require(!text.is_empty() && text.len() <= CHUNK_BYTES, "a chunk is too large")?;
            long.add(Source::Own(text.to_owned()));
        }
        Ok(long)
    }
}

impl PartialEq for LongText {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.chunks().flat_map(str::bytes).eq(other.chunks().flat_map(str::bytes))
    }
}

/// One line of a long text, without its line break. It may be very long itself: only the requested part is joined.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    text: Cow<'a, LongText>,
    range: Range<usize>,
}

impl Line<'_> {
    /// A text that consists of one line.
    pub(super) fn of_text(text: &str) -> Line<'static> {
        let mut long = LongText::default();
        long.push_str(text);
        Line { range: 0..long.len(), text: Cow::Owned(long) }
    }

    /// UTF-8 bytes.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether the line is empty.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// The whole line.
    pub fn text(&self) -> Cow<'_, str> {
        self.between(0, self.len())
    }

    /// The text between two of its bytes. A position inside a character moves to its start.
    pub(super) fn between(&self, from: usize, to: usize) -> Cow<'_, str> {
        let at = |byte: usize| self.range.start + byte.min(self.len());
        self.text.between(at(from), at(to))
    }

    /// The start of the character that contains this byte.
    pub(super) fn floor(&self, byte: usize) -> usize {
        self.text.floor(self.range.start + byte.min(self.len())) - self.range.start
    }

    /// The number of characters from this byte, which is a char boundary, to the end.
    pub(super) fn chars_from(&self, byte: usize) -> u64 {
        if byte >= self.len() {
            return 0;
        }
        self.text.chars_before(self.range.end) - self.text.chars_before(self.range.start + byte)
    }
}

impl Searchable for Line<'_> {
    fn bytes(&self) -> usize {
        self.len()
    }

    fn floor(&self, at: usize) -> usize {
        Line::floor(self, at)
    }

    fn piece(&self, range: Range<usize>) -> Cow<'_, str> {
        self.between(range.start, range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grown(pieces: &[String]) -> LongText {
        let mut long = LongText::default();
        for piece in pieces {
            long.push_str(piece);
        }
        long
    }

    #[test]
    fn a_text_added_whole_is_shared() {
        let text: Text = "line\n".repeat(100_000).into();
        let mut long = LongText::from(text.clone());
        assert!(std::sync::Arc::ptr_eq(&long.to_text(), &text));
        assert!(matches!(long.lines_from(99_999).next().unwrap().text(), Cow::Borrowed("line")));
        long.push_str("end");
        assert_eq!(&*long.to_text(), format!("{text}end"));
        assert_eq!(
            long.lines_from(99_999).map(|l| l.text().into_owned()).collect::<Vec<_>>(),
            ["line", "end"]
        );
        assert!(long.lines_from(100_001).next().is_none());
    }

    #[test]
    fn a_line_break_may_be_split_between_chunks() {
        for before in [CHUNK_BYTES - 2, CHUNK_BYTES - 1, CHUNK_BYTES] {
            let text = format!("{}\r\nb\r\n\r", "日".repeat(before / 3) + &"x".repeat(before % 3));
            let long = grown(std::slice::from_ref(&text));
            assert!(long.chunks().all(|c| c.len() <= CHUNK_BYTES));
            assert_eq!(
                long.lines_from(0).map(|l| l.text().into_owned()).collect::<Vec<_>>(),
                text.lines().collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn part_of_a_long_line_is_found_without_reading_the_rest() {
        let text = "日".repeat(100_000);
        let long = grown(std::slice::from_ref(&text));
        let line = long.lines_from(0).next().unwrap();
        assert_eq!(line.between(200_000, 200_009), "日日日");
        assert_eq!(line.between(CHUNK_BYTES - 4, CHUNK_BYTES + 4), "日日");
        assert_eq!((line.chars_from(3), line.chars_from(300_000)), (99_999, 0));
        assert_eq!(line.text(), text);
    }

    proptest! {
        #[test]
        fn lines_match_the_text(pieces in prop::collection::vec("[a日\r\n]{0,6}", 0..5), sizes in prop::collection::vec(0usize..40_000, 4), shared in any::<bool>()) {
            let pieces: Vec<String> = pieces.iter().zip(sizes).map(|(p, size)| p.clone() + &"y".repeat(size)).collect();
            let text = pieces.concat();
            let long = if shared { LongText::from(Text::from(text.as_str())) } else { grown(&pieces) };
            let lines: Vec<&str> = text.lines().collect();
            prop_assert_eq!(long.line_count(), lines.len() as u64);
            prop_assert_eq!(long.len(), text.len());
            for skip in [0, 1, lines.len() / 2, lines.len(), lines.len() + 1] {
                let read: Vec<String> = long.lines_from(skip as u64).map(|l| l.text().into_owned()).collect();
                prop_assert!(read.iter().eq(lines.iter().skip(skip)));
            }
            prop_assert_eq!(&*long.to_text(), text.as_str());
            prop_assert!(long == LongText::from(Text::from(text)));
        }
    }
}
