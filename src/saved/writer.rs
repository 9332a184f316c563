use std::sync::Arc;

use super::Saved;
use crate::hashing::HashMap;

/// Strings of up to this many bytes (ids, names, reasons) are written once and then referred to by number.
pub(super) const MAX_WORD_BYTES: usize = 120;

/// The sink is called with pieces of about this size.
const PIECE_BYTES: usize = 1 << 16;

/// Receives the bytes of a snapshot piece by piece, because all of them at once may be as large as the session itself.
type Sink<'s> = &'s mut dyn FnMut(&[u8]);

/// Collects the bytes of a snapshot. It borrows what it writes, so that no address can be reused while it is in use.
#[derive(Default)]
pub struct Writer<'s> {
    out: Vec<u8>,
    sink: Option<Sink<'s>>,
    words: HashMap<&'s str, usize>,
    shared: HashMap<*const u8, usize>,
    /// Write shared values in full each time instead of by reference.
    never_shares: bool,
}

impl<'s> Writer<'s> {
    /// A writer that passes its bytes to `sink`.
    pub fn to(sink: Sink<'s>) -> Self {
        Self { sink: Some(sink), ..Self::default() }
    }

    /// A writer that writes shared values in full each time: equal content gives equal bytes, however it is shared in
    /// memory.
    pub fn without_sharing() -> Self {
        Self { never_shares: true, ..Self::default() }
    }

    /// Passes the remaining bytes to the sink.
    pub fn finish(mut self) {
        self.flush();
    }

    /// The bytes written, if there is no sink.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    fn flush(&mut self) {
        if let Some(sink) = &mut self.sink {
            sink(&self.out);
            self.out.clear();
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        if self.out.len() + bytes.len() >= PIECE_BYTES {
            self.flush();
        }
        match &mut self.sink {
            Some(sink) if bytes.len() >= PIECE_BYTES => bytes.chunks(PIECE_BYTES).for_each(sink),
            _ => self.out.extend_from_slice(bytes),
        }
    }

    /// A whole number, seven bits per byte, lowest first.
    pub fn number(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.byte(n as u8 | 0x80);
            n >>= 7;
        }
        self.byte(n as u8);
    }

    /// A length or an index.
    pub fn count(&mut self, n: usize) {
        self.number(n as u64);
    }

    /// One byte.
    pub fn byte(&mut self, byte: u8) {
        self.add(&[byte]);
    }

    /// A float, bit for bit.
    pub fn float(&mut self, n: f64) {
        self.add(&n.to_le_bytes());
    }

    /// Bytes, preceded by their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.add(bytes);
    }

    /// A string. A short one that was written before is written as its number.
    pub fn string(&mut self, text: &'s str) {
        if let Some(known) = self.words.get(text) {
            self.count(known + 1);
            return;
        }
        self.number(0);
        self.bytes(text.as_bytes());
        if text.len() <= MAX_WORD_BYTES {
            self.words.insert(text, self.words.len());
        }
    }

    /// A shared text. One that was written before is written as its number.
    pub fn text(&mut self, text: &'s Arc<str>) {
        let address = Arc::as_ptr(text).cast();
        if self.is_new(address) {
            self.bytes(text.as_bytes());
            self.shared.insert(address, self.shared.len());
        }
    }

    /// A shared value. One that was written before is written as its number.
    pub fn shared<T: Saved>(&mut self, value: &'s Arc<T>) {
        let address = Arc::as_ptr(value).cast();
        if self.is_new(address) {
            T::save(value, self);
            // Numbered after it is complete, because the shared values inside it are complete before it.
            self.shared.insert(address, self.shared.len());
        }
    }

    fn is_new(&mut self, address: *const u8) -> bool {
        let known = self.shared.get(&address).copied().filter(|_| !self.never_shares);
        self.count(known.map_or(0, |n| n + 1));
        known.is_none()
    }
}
