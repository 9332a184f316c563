//! BPE by the merges as the file lists them, for any vocabulary, including characters that are not tokens.
//!
//! If no token contains two characters side by side, no merge crosses between them. The text is cut there, and the tokens of
//! parts that were seen before are reused. Without such positions the text is a single part, merged in n log n.
//!
//! Building the tables takes as long as reading the file. So they are built for the second short text or the first long one;
//! until then, a pair is looked up by its text in the vocabulary.

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::settings::Settings;
use crate::spelling::byte_token;
use crate::strides::in_strides;
use crate::vocab::Vocab;

/// A model that merges by rank.
pub struct Ranked {
    /// Built by [`Ranked::make_tables`]; a few short texts do not need it.
    tables: Option<Tables>,
    /// Used instead of the tables until they exist; built on first use.
    by_result: OnceCell<MergesByResult>,
    /// The tokens `<0x00>` to `<0xFF>`, if characters that are not tokens are represented by bytes.
    bytes: Option<Vec<u32>>,
    unknown: Option<u32>,
    fuse_unknown: bool,
    prefix: String,
    suffix: String,
    ignore_merges: bool,
    cache: PartCache,
    work: Work,
}

struct Tables {
    /// The rank and result of each pair.
    merges: HashMap<(u32, u32), (u32, u32), FixedState>,
    /// The token of each character that is one.
    chars: HashMap<char, u32, FixedState>,
    ascii: [u32; 128],
    cuts: Option<Pairs>,
}

const NONE: u32 = u32::MAX;

impl Ranked {
    /// A model without tables.
    pub fn new(vocab: &Vocab, settings: &Settings) -> Self {
        let bytes = settings
            .byte_fallback
            .then(|| (0..=255_u8).map(|byte| byte_token(vocab, byte).unwrap_or(NONE)).collect::<Vec<_>>());
        let unknown = settings.unk_token.as_deref().and_then(|token| vocab.get(token));
        Self {
            tables: None,
            by_result: OnceCell::new(),
            bytes,
            unknown,
            fuse_unknown: settings.fuse_unk,
            prefix: settings.prefix.clone(),
            suffix: settings.suffix.clone(),
            ignore_merges: settings.ignore_merges,
            cache: PartCache::default(),
            work: Work::default(),
        }
    }

    /// A model with all tables.
    pub fn with_tables(vocab: &Vocab, merges: &[[u32; 3]], settings: &Settings) -> Self {
        let mut ranked = Self::new(vocab, settings);
        ranked.make_tables(vocab, merges);
        ranked
    }

    /// Whether it can count a few short texts without tables.
    pub fn works_without_tables(&self, vocab: &Vocab, merges: &[[u32; 3]]) -> bool {
        self.prefix.is_empty()
            && self.suffix.is_empty()
            && self.by_result.get_or_init(|| MergesByResult::new(vocab, merges)).is_shallow
    }

    #[inline(never)]
    pub fn make_tables(&mut self, vocab: &Vocab, merges: &[[u32; 3]]) {
        self.by_result.take();
        let mut by_pair = HashMap::with_capacity_and_hasher(merges.len(), FixedState::default());
        for (rank, &[left, right, made]) in (0..).zip(merges) {
            by_pair.insert((left, right), (rank, made));
        }
        let mut chars = HashMap::with_hasher(FixedState::default());
        let mut ascii = [NONE; 128];
        for place in 0..vocab.len() as u32 {
            let mut text = vocab.text_of(place).chars();
            if let (Some(c), None) = (text.next(), text.next()) {
                chars.insert(c, place);
                if let Some(slot) = ascii.get_mut(c as usize) {
                    *slot = place;
                }
            }
        }
        let cuts = self.cuts(vocab, merges);
        self.tables = Some(Tables { merges: by_pair, chars, ascii, cuts });
    }

    /// Which characters are adjacent in the results of merges; `None` if cutting could change a result.
    fn cuts(&self, vocab: &Vocab, merges: &[[u32; 3]]) -> Option<Pairs> {
        if !self.prefix.is_empty() || !self.suffix.is_empty() {
            return None;
        }
        let mut special = vec![false; vocab.len()];
        for &token in self.bytes.as_deref().unwrap_or_default().iter().chain(&self.unknown) {
            if let Some(slot) = special.get_mut(token as usize) {
                *slot = true;
            }
        }
        let is_special = |token: u32| special.get(token as usize).copied().unwrap_or(true);
        let mut pairs = Pairs::default();
        for &[left, right, made] in merges {
            if is_special(left) || is_special(right) {
                return None;
            }
            let mut before = None;
            for c in vocab.text_of(made).chars() {
                if let Some(before) = before {
                    pairs.insert(before, c);
                }
                before = Some(c);
            }
        }
        Some(pairs)
    }

    /// Calls `each` with the places of the tokens of `piece`, part by part, until it returns `false`.
    pub fn tokens(
        &mut self,
        vocab: &Vocab,
        merges: &[[u32; 3]],
        piece: &str,
        mut each: impl FnMut(&[u32]) -> bool,
    ) -> bool {
        if self.ignore_merges
            && let Some(token) = vocab.get(piece)
        {
            return each(&[token]);
        }
        let found = match &self.tables {
            Some(tables) => Lookup::InTables(tables),
            None => Lookup::ByText(
                self.by_result.get_or_init(|| MergesByResult::new(vocab, merges)),
                merges,
                vocab,
            ),
        };
        let rules = Rules {
            lookup: found,
            bytes: self.bytes.as_deref(),
            unknown: self.unknown,
            fuse_unknown: self.fuse_unknown,
            prefix: &self.prefix,
            suffix: &self.suffix,
        };
        let Some(Tables { cuts: Some(cuts), chars, .. }) = &self.tables else {
            self.work.run(&rules, vocab, piece);
            return each(&self.work.out);
        };
        // Unless bytes represent every character that is not a token, adjacent unknown characters may become one token, or
        // are left out, so that what is beside them may merge. So do not cut next to them.
        let wary = self.bytes.as_ref().is_none_or(|bytes| bytes.contains(&NONE));
        let mut start = 0;
        let mut before = None;
        let mut parts = piece.char_indices().chain([(piece.len(), '\0')]);
        loop {
            let Some((at, c)) = parts.next() else { return true };
            let is_end = at == piece.len();
            let is_cut = is_end
                || before.is_some_and(|before| {
                    !cuts.contains(before, c)
                        && (!wary || chars.contains_key(&before) && chars.contains_key(&c))
                });
            before = Some(c);
            if !is_cut || at == start {
                continue;
            }
            let part = piece.get(start..at).unwrap_or_default();
            start = at;
            if let Some(tokens) = self.cache.get(part) {
                if !each(tokens) {
                    return false;
                }
                continue;
            }
            self.work.run(&rules, vocab, part);
            self.cache.put(part, &self.work.out);
            if !each(&self.work.out) {
                return false;
            }
        }
    }
}

/// A set of pairs of characters. It may contain more pairs than were inserted.
struct Pairs(Vec<u64>);

const PAIR_BITS: u32 = 21;

impl Default for Pairs {
    fn default() -> Self {
        Self(vec![0; 1 << (PAIR_BITS - 6)])
    }
}

impl Pairs {
    #[inline]
    const fn bit(before: char, after: char) -> u64 {
        ((before as u64) << 32 | after as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - PAIR_BITS)
    }

    fn insert(&mut self, before: char, after: char) {
        let bit = Self::bit(before, after);
        if let Some(word) = self.0.get_mut((bit >> 6) as usize) {
            *word |= 1 << (bit & 63);
        }
    }

    #[inline]
    fn contains(&self, before: char, after: char) -> bool {
        let bit = Self::bit(before, after);
        self.0.get((bit >> 6) as usize).is_some_and(|word| word >> (bit & 63) & 1 != 0)
    }
}

/// A cache of the tokens of merged parts. It is cleared when it is full.
#[derive(Default)]
struct PartCache {
    parts: HashMap<Box<str>, Range<u32>, FixedState>,
    tokens: Vec<u32>,
}

/// The maximum number of cached parts, and the maximum length of a part. Longer ones rarely occur again.
const MAX_CACHED_PARTS: usize = 1 << 15;
const MAX_PART_BYTES: usize = 64;

impl PartCache {
    fn get(&self, part: &str) -> Option<&[u32]> {
        let range = self.parts.get(part)?;
        self.tokens.get(range.start as usize..range.end as usize)
    }

    fn put(&mut self, part: &str, tokens: &[u32]) {
        if part.len() > MAX_PART_BYTES {
            return;
        }
        if self.parts.len() == MAX_CACHED_PARTS {
            self.parts.clear();
            self.tokens.clear();
        }
        let start = self.tokens.len() as u32;
        self.tokens.extend_from_slice(tokens);
        self.parts.insert(part.into(), start..self.tokens.len() as u32);
    }
}

/// What merging needs to know.
struct Rules<'a> {
    lookup: Lookup<'a>,
    bytes: Option<&'a [u32]>,
    unknown: Option<u32>,
    fuse_unknown: bool,
    prefix: &'a str,
    suffix: &'a str,
}

/// How pairs and characters are looked up.
enum Lookup<'a> {
    InTables(&'a Tables),
    /// By their text.
    ByText(&'a MergesByResult, &'a [[u32; 3]], &'a Vocab),
}

impl Lookup<'_> {
    /// The rank and result of a pair.
    fn pair(&self, left: u32, right: u32) -> Option<(u32, u32)> {
        match self {
            Self::InTables(tables) => tables.merges.get(&(left, right)).copied(),
            Self::ByText(by_result, merges, vocab) => {
                let mut both = by_result.both.borrow_mut();
                both.clear();
                both.extend_from_slice(vocab.bytes_of(left));
                both.extend_from_slice(vocab.bytes_of(right));
                let made = vocab.get_bytes(&both)?;
                by_result.making(made).find_map(|rank| {
                    (*merges.get(rank as usize)? == [left, right, made]).then_some((rank, made))
                })
            }
        }
    }

    /// The token of a character, if it is one.
    fn character(&self, c: char, alone: &str) -> Option<u32> {
        match self {
            Self::InTables(tables) => match tables.ascii.get(c as usize) {
                Some(&token) => (token != NONE).then_some(token),
                None => tables.chars.get(&c).copied(),
            },
            Self::ByText(_, _, vocab) => vocab.get(alone),
        }
    }
}

/// The merges by the token they make. Much faster to build than the tables, and slower to use.
struct MergesByResult {
    /// For each place: the last merge that makes it.
    last: Vec<u32>,
    /// For each merge: the merge before it with the same result.
    before: Vec<u32>,
    /// Whether every token is made by only a few merges, so that searching them is fast.
    is_shallow: bool,
    /// A buffer for the text of a pair.
    both: RefCell<Vec<u8>>,
}

impl MergesByResult {
    fn new(vocab: &Vocab, merges: &[[u32; 3]]) -> Self {
        let last = vec![NONE; vocab.len()];
        let before = Vec::with_capacity(merges.len());
        let by_result = Self { last, before, is_shallow: true, both: RefCell::default() };
        let mut making = (by_result, vec![0_u8; vocab.len()]);
        in_strides(merges, &mut making, |(by_result, counts), merges| {
            for &[.., made] in merges {
                let made = made as usize;
                by_result
                    .before
                    .push(std::mem::replace(&mut by_result.last[made], by_result.before.len() as u32));
                counts[made] = counts[made].saturating_add(1);
                by_result.is_shallow &= counts[made] < u8::MAX;
            }
            Some(())
        });
        making.0
    }

    /// The merges that make the token at `place`, last one first: if a merge occurs twice, the last one counts.
    fn making(&self, place: u32) -> impl Iterator<Item = u32> {
        let known = |at: &u32| *at != NONE;
        let last = self.last.get(place as usize).copied().filter(known);
        std::iter::successors(last, move |&at| self.before.get(at as usize).copied().filter(known))
    }
}

/// The buffers for merging, reused from part to part.
#[derive(Default)]
struct Work {
    out: Vec<u32>,
    links: Vec<Link>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
}

#[derive(Clone, Copy)]
struct Link {
    token: u32,
    before: u32,
    after: u32,
    /// What it makes with the next one, and at which rank.
    made: u32,
    rank: u32,
}

/// Up to this many tokens, the lowest rank is found by looking at all of them.
const MAX_LINEAR_TOKENS: usize = 24;
/// Buffers larger than this are freed.
const MAX_KEPT: usize = 1 << 14;

impl Work {
    /// Puts the tokens of `part` into `out`.
    fn run(&mut self, rules: &Rules<'_>, vocab: &Vocab, part: &str) {
        self.begin(rules, vocab, part);
        if self.out.len() <= MAX_LINEAR_TOKENS {
            self.merge_few(rules);
        } else {
            self.merge_many(rules);
        }
    }

    /// Starts with one token per character, or the tokens that represent it.
    fn begin(&mut self, rules: &Rules<'_>, vocab: &Vocab, part: &str) {
        self.out.clear();
        let affixed = !rules.prefix.is_empty() || !rules.suffix.is_empty();
        let mut unknown = false;
        let mut buffer = [0; 4];
        for (at, c) in part.char_indices() {
            let alone = c.encode_utf8(&mut buffer);
            let found = if affixed {
                let prefix = if at == 0 { "" } else { rules.prefix };
                let suffix = if at + c.len_utf8() == part.len() { rules.suffix } else { "" };
                vocab.get(&format!("{prefix}{alone}{suffix}"))
            } else {
                rules.lookup.character(c, alone)
            };
            if let Some(token) = found {
                if std::mem::take(&mut unknown) {
                    self.out.extend(rules.unknown);
                }
                self.out.push(token);
                continue;
            }
            if let Some(bytes) = rules.bytes {
                let token_of = |byte: &u8| bytes.get(usize::from(*byte)).copied().unwrap_or(NONE);
                let spelled = if affixed {
                    let prefix = if at == 0 { "" } else { rules.prefix };
                    let suffix = if at + c.len_utf8() == part.len() { rules.suffix } else { "" };
                    format!("{prefix}{alone}{suffix}").into_bytes()
                } else {
                    alone.as_bytes().to_vec()
                };
                if spelled.iter().all(|byte| token_of(byte) != NONE) {
                    self.out.extend(spelled.iter().map(token_of));
                    continue;
                }
            }
            if rules.unknown.is_some() {
                if unknown && !rules.fuse_unknown {
                    self.out.extend(rules.unknown);
                }
                unknown = true;
            }
        }
        if unknown {
            self.out.extend(rules.unknown);
        }
    }

    fn merge_few(&mut self, rules: &Rules<'_>) {
        let out = &mut self.out;
        let mut made = [(NONE, NONE); MAX_LINEAR_TOKENS];
        let of = |left: u32, right: u32| rules.lookup.pair(left, right).unwrap_or((NONE, NONE));
        for (slot, pair) in made.iter_mut().zip(out.windows(2)) {
            *slot = of(pair[0], pair[1]);
        }
        while out.len() > 1 {
            let pairs = out.len() - 1;
            let Some((at, &(rank, token))) =
                made[..pairs].iter().enumerate().min_by_key(|(_, (rank, _))| *rank)
            else {
                return;
            };
            if rank == NONE {
                return;
            }
            out[at] = token;
            out.remove(at + 1);
            made.copy_within(at + 1..pairs, at);
            if at + 1 < out.len() {
                made[at] = of(out[at], out[at + 1]);
            }
            if at > 0 {
                made[at - 1] = of(out[at - 1], out[at]);
            }
        }
    }

    fn merge_many(&mut self, rules: &Rules<'_>) {
        let Self { out, links, queue } = self;
        let len = out.len() as u32;
        links.clear();
        queue.clear();
        links.extend((0..len).zip(out.iter()).map(|(at, &token)| Link {
            token,
            before: at.checked_sub(1).unwrap_or(NONE),
            after: if at + 1 == len { NONE } else { at + 1 },
            made: NONE,
            rank: NONE,
        }));
        let mut first = Vec::with_capacity(out.len());
        for at in 0..len {
            if let Some(entry) = offer(rules, links, at) {
                first.push(entry);
            }
        }
        *queue = BinaryHeap::from(first);
        while let Some(Reverse((rank, at))) = queue.pop() {
            // The pair may no longer exist: its left part was merged away or has grown, or its right part has grown.
            let Some(&left) = links.get(at as usize) else { continue };
            let Some(&right) = links.get(left.after as usize) else { continue };
            if left.rank != rank || left.token == NONE {
                continue;
            }
            set(links, left.after, |link| (link.token, link.rank) = (NONE, NONE));
            set(links, right.after, |link| link.before = at);
            set(links, at, |link| (link.token, link.after) = (left.made, right.after));
            queue.extend(offer(rules, links, left.before));
            queue.extend(offer(rules, links, at));
        }
        out.clear();
        out.extend(links.iter().map(|link| link.token).filter(|&token| token != NONE));
        if links.len() > MAX_KEPT {
            *links = Vec::new();
            *queue = BinaryHeap::new();
        }
    }
}

/// The queue entry of the pair that begins at `at`, if it makes a token.
fn offer(rules: &Rules<'_>, links: &mut [Link], at: u32) -> Option<Reverse<(u32, u32)>> {
    let left = *links.get(at as usize)?;
    let found = links.get(left.after as usize).and_then(|right| rules.lookup.pair(left.token, right.token));
    let (rank, made) = found.unwrap_or((NONE, NONE));
    set(links, at, |link| (link.rank, link.made) = (rank, made));
    found.map(|_| Reverse((rank, at)))
}

fn set(links: &mut [Link], at: u32, change: impl FnOnce(&mut Link)) {
    if let Some(link) = links.get_mut(at as usize) {
        change(link);
    }
}
