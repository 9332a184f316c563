//! A model's tokens: texts, their ids, and which text is which.

use std::cell::OnceCell;

use crate::places::{MOST, Places};

/// Tokens in the file's order. A token is known by its place in it.
#[derive(Default)]
pub struct Vocab {
    text: String,
    /// Where each token's text ends.
    ends: Vec<u32>,
    ids: Vec<u32>,
    /// Places by text; made when one is asked for.
    places: OnceCell<Places>,
}

impl Vocab {
    /// Of all texts together, and each one's length and id; `None` where these do not fit.
    pub fn of(text: &str, sizes: &[(usize, u32)]) -> Option<Self> {
        (sizes.len() <= MOST).then_some(())?;
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

    /// All texts, one behind the other.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Room for so many tokens and bytes.
    pub fn reserve(&mut self, tokens: usize, bytes: usize) {
        self.text.reserve(bytes);
        self.ends.reserve(tokens);
        self.ids.reserve(tokens);
    }

    /// Gives back what room there is too much.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.ids.shrink_to_fit();
    }

    /// Whether no two tokens have the same text.
    pub fn is_distinct(&self) -> bool {
        self.places().is_distinct
    }

    /// Adds a token.
    pub fn push(&mut self, token: &str, id: u32) {
        self.text.push_str(token);
        self.ends.push(self.text.len() as u32);
        self.ids.push(id);
        self.places.take();
    }

    /// The place of the token with this text.
    pub fn get(&self, token: &str) -> Option<u32> {
        self.get_bytes(token.as_bytes())
    }

    /// The same of its bytes.
    #[inline]
    pub fn get_bytes(&self, token: &[u8]) -> Option<u32> {
        self.places().get(token, |place| self.bytes_of(place))
    }

    #[inline]
    fn places(&self) -> &Places {
        self.places.get_or_init(|| Places::new(self.len(), &|place| self.bytes_of(place)))
    }

    /// The bytes of the text of the token at `place`.
    #[inline]
    pub fn bytes_of(&self, place: u32) -> &[u8] {
        let (start, end) = self.range(place);
        self.text.as_bytes().get(start..end).unwrap_or_default()
    }

    /// The text of the token at `place`.
    pub fn text_of(&self, place: u32) -> &str {
        let (start, end) = self.range(place);
        self.text.get(start..end).unwrap_or_default()
    }

    #[inline]
    fn range(&self, place: u32) -> (usize, usize) {
        let place = place as usize;
        let start =
            place.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        (start, self.ends.get(place).map_or(start, |&end| end as usize))
    }

    /// The id of the token at `place`.
    pub fn id_of(&self, place: u32) -> u32 {
        self.ids.get(place as usize).copied().unwrap_or_default()
    }

    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Bytes of all tokens' texts.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }
}
