//! A model's tokens: texts, their ids, and which text is which.

use std::cell::OnceCell;
use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Tokens in the file's order. A token is known by its place in it.
#[derive(Default)]
pub struct Vocab {
    text: String,
    /// Where each token's text ends.
    ends: Vec<u32>,
    ids: Vec<u32>,
    /// Places by text; made when one is asked for.
    places: OnceCell<HashTable<u32>>,
}

const HASH: FixedState = FixedState::with_seed(0);

impl Vocab {
    /// Of all texts together, and each one's length and id; `None` where these do not fit.
    pub fn of(text: &str, sizes: &[(usize, u32)]) -> Option<Self> {
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

    /// Whether no two tokens have the same text.
    pub fn is_distinct(&self) -> bool {
        self.places().len() == self.len()
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
        self.places()
            .find(HASH.hash_one(token.as_bytes()), |&place| text_at(&self.text, &self.ends, place) == token)
            .copied()
    }

    /// The same, where it may be one of these two places.
    pub fn get_near(&self, token: &str, near: u32) -> Option<u32> {
        let is = |place: &u32| !token.is_empty() && text_at(&self.text, &self.ends, *place) == token;
        [near.wrapping_add(1), near].into_iter().find(is).or_else(|| self.get(token))
    }

    fn places(&self) -> &HashTable<u32> {
        self.places.get_or_init(|| {
            let mut places = HashTable::with_capacity(self.len());
            (0..self.len() as u32).for_each(|place| add(&mut places, &self.text, &self.ends, place));
            places
        })
    }

    /// The text of the token at `place`.
    pub fn text_of(&self, place: u32) -> &str {
        text_at(&self.text, &self.ends, place)
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

fn add(places: &mut HashTable<u32>, text: &str, ends: &[u32], place: u32) {
    let hash = |place: u32| HASH.hash_one(text_at(text, ends, place).as_bytes());
    let same = |&other: &u32| text_at(text, ends, other) == text_at(text, ends, place);
    if let Entry::Vacant(entry) = places.entry(hash(place), same, |&place| hash(place)) {
        entry.insert(place);
    }
}

fn text_at<'a>(text: &'a str, ends: &[u32], place: u32) -> &'a str {
    let place = place as usize;
    let start = place.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |&end| end as usize);
    let end = ends.get(place).map_or(start, |&end| end as usize);
    text.get(start..end).unwrap_or_default()
}
