use std::collections::HashMap;
use std::sync::Arc;

use super::Saved;

/// Strings up to this many bytes are written once, however often they occur: ids, names, reasons.
pub(super) const LONGEST_WORD: usize = 120;

/// Bytes are handed on in pieces of about this size.
const PIECE: usize = 1 << 16;

/// Who is handed the bytes of a snapshot, piece by piece: all of them at once may be as much as the session itself.
type Sink<'s> = &'s mut dyn FnMut(&[u8]);

/// Collects the bytes of a snapshot. What it has seen lives as long as it does, so that an address means one thing.
#[derive(Default)]
pub struct Writer<'s> {
    out: Vec<u8>,
    sink: Option<Sink<'s>>,
    words: HashMap<&'s str, usize>,
    shared: HashMap<*const u8, usize>,
    /// What several hold is written for each of them.
    apart: bool,
}

impl<'s> Writer<'s> {
    /// One that hands on what is written.
    pub fn to(sink: Sink<'s>) -> Self {
        Self { sink: Some(sink), ..Self::default() }
    }

    /// One that writes what several hold for each of them: the same bytes for the same content, however memory shares it.
    pub fn apart() -> Self {
        Self { apart: true, ..Self::default() }
    }

    /// Hands on what was not handed on yet.
    pub fn finish(mut self) {
        self.hand_on();
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    fn hand_on(&mut self) {
        if let Some(sink) = &mut self.sink {
            sink(&self.out);
            self.out.clear();
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.out.len() + bytes.len() >= PIECE {
            self.hand_on();
        }
        match &mut self.sink {
            Some(sink) if bytes.len() >= PIECE => bytes.chunks(PIECE).for_each(sink),
            _ => self.out.extend_from_slice(bytes),
        }
    }

    /// A whole number: seven bits a byte, the lowest first.
    pub fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.byte(n as u8 | 0x80);
            n >>= 7;
        }
        self.byte(n as u8);
    }

    /// How many there are, or where something stands.
    pub fn count(&mut self, n: usize) {
        self.number(n as u64);
    }

    /// One byte.
    pub fn byte(&mut self, byte: u8) {
        self.add(&[byte]);
    }

    /// A number bit for bit.
    pub fn float(&mut self, n: f64) {
        self.add(&n.to_le_bytes());
    }

    /// Bytes, and how many.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.add(bytes);
    }

    /// A string; a short one that was there before by its number.
    pub fn string(&mut self, text: &'s str) {
        if let Some(known) = self.words.get(text) {
            self.count(known + 1);
            return;
        }
        self.number(0);
        self.bytes(text.as_bytes());
        if text.len() <= LONGEST_WORD {
            self.words.insert(text, self.words.len());
        }
    }

    /// A text; one that was there before by its number.
    pub fn text(&mut self, text: &'s Arc<str>) {
        let address = Arc::as_ptr(text).cast();
        if self.is_new(address) {
            self.bytes(text.as_bytes());
            self.shared.insert(address, self.shared.len());
        }
    }

    /// What several may hold; what was there before by its number.
    pub fn shared<T: Saved>(&mut self, value: &'s Arc<T>) {
        let address = Arc::as_ptr(value).cast();
        if self.is_new(address) {
            T::save(value, self);
            // Counted when it is complete: what it holds itself comes before it.
            self.shared.insert(address, self.shared.len());
        }
    }

    fn is_new(&mut self, address: *const u8) -> bool {
        let known = self.shared.get(&address).copied().filter(|_| !self.apart);
        self.count(known.map_or(0, |n| n + 1));
        known.is_none()
    }
}
