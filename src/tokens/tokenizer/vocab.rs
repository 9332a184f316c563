//! A model's tokens: their texts and ids, and lookup by text.

use std::cell::{Cell, OnceCell};

use crate::key::Key;
use crate::places::{MAX_TOKENS, Places, Texts};

/// Tokens in the file's order. Code refers to a token by its place, which is its index in this order.
#[derive(Default)]
pub struct Vocab {
    text: String,
    /// Where each token's text ends.
    ends: Vec<u32>,
    ids: Vec<u32>,
    /// The keys of all tokens if they are known, until `places` takes them.
    keys: Cell<Vec<Key>>,
    /// Places by text; built on first use.
    places: OnceCell<Places>,
}

impl Vocab {
    /// Builds a vocabulary from the concatenated texts and the length and id of each; `None` if they are inconsistent.
    pub fn of(text: &str, sizes: &[(usize, u32)]) -> Option<Self> {
        (sizes.len() <= MAX_TOKENS).then_some(())?;
        let mut vocab = Self { text: text.to_owned(), ..Self::default() };
        let mut from = 0;
        for &(len, id) in sizes {
            from += len;
            vocab.ends.push(from as u32);
            vocab.ids.push(id);
            text.is_char_boundary(from).then_some(())?;
        }
        (from == text.len()).then_some(vocab)
    }

    /// All texts, concatenated.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Builds a vocabulary from the concatenated texts and the end, id and key of each token.
    pub fn with_keys(text: String, ends: Vec<u32>, ids: Vec<u32>, keys: Vec<Key>) -> Self {
        Self { text, ends, ids, keys: Cell::new(keys), places: OnceCell::new() }
    }

    /// Whether all tokens have different texts.
    pub fn is_distinct(&self) -> bool {
        self.places().is_distinct
    }

    /// The place of the token with this text.
    pub fn get(&self, token: &str) -> Option<u32> {
        self.get_bytes(token.as_bytes())
    }

    /// The place of the token with these bytes.
    pub fn get_bytes(&self, token: &[u8]) -> Option<u32> {
        self.get_key(Key::of(token), token)
    }

    /// The place of the token with these bytes, whose key is known.
    #[inline]
    pub fn get_key(&self, key: Key, token: &[u8]) -> Option<u32> {
        self.places().get(key, token, self.texts())
    }

    /// The key of the token at `place`.
    #[inline]
    pub fn key_of(&self, place: u32) -> Option<Key> {
        self.places().key_of(place)
    }

    #[inline]
    fn places(&self) -> &Places {
        self.places.get_or_init(|| self.make_places())
    }

    #[cold]
    fn make_places(&self) -> Places {
        let mut keys = self.keys.take();
        if keys.len() != self.len() {
            keys = (0..self.len() as u32).map(|place| Key::of(self.bytes_of(place))).collect();
        }
        Places::new(keys, self.texts())
    }

    #[inline]
    fn texts(&self) -> Texts<'_> {
        Texts { text: self.text.as_bytes(), ends: &self.ends }
    }

    /// The bytes of the token at `place`.
    #[inline]
    pub fn bytes_of(&self, place: u32) -> &[u8] {
        self.texts().of(place)
    }

    /// The text of the token at `place`.
    pub fn text_of(&self, place: u32) -> &str {
        let end = self.ends.get(place as usize).map_or(0, |&end| end as usize);
        self.text.get(end - self.bytes_of(place).len()..end).unwrap_or_default()
    }

    /// The id of the token at `place`.
    pub fn id_of(&self, place: u32) -> u32 {
        self.ids.get(place as usize).copied().unwrap_or_default()
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// The total bytes of all tokens' texts.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }
}
