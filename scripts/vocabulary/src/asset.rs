//! One packed file per encoding. `src/tokens/bpe/asset.rs` reads it and documents the layout.

use std::collections::HashMap;

use tiktoken_rs::CoreBPE;

/// An encoding, where its tokens come from, and how it cuts text into pieces.
pub struct Source {
    /// Its name in tiktoken.
    pub name: &'static str,
    /// Which pre-tokenizer it uses: the number in the asset's header.
    pub pattern: u8,
    load: fn() -> CoreBPE,
}

const VERSION: u16 = 2;
const GPT2: u8 = 0;
const CL100K: u8 = 1;
const O200K: u8 = 2;

/// Every encoding that can be packed. One more is one more line.
pub const ENCODINGS: [Source; 4] = [
    Source { name: "o200k_base", pattern: O200K, load: || tiktoken_rs::o200k_base().unwrap() },
    Source { name: "cl100k_base", pattern: CL100K, load: || tiktoken_rs::cl100k_base().unwrap() },
    Source { name: "p50k_base", pattern: GPT2, load: || tiktoken_rs::p50k_base().unwrap() },
    Source { name: "r50k_base", pattern: GPT2, load: || tiktoken_rs::r50k_base().unwrap() },
];

/// The asset's bytes for the encoding of this name.
#[must_use]
pub fn pack(name: &str) -> Vec<u8> {
    let source = ENCODINGS.iter().find(|s| s.name == name).expect("an encoding of the list");
    let tokens = ordinary_tokens(&(source.load)());
    let ids: HashMap<&[u8], u32> =
        tokens.iter().enumerate().filter_map(|(i, t)| Some((t.as_deref()?, i as u32))).collect();

    let mut base = Vec::with_capacity(256);
    let (mut lefts, mut rights) = (Numbers::default(), Numbers::default());
    for (id, token) in tokens.iter().enumerate() {
        match token {
            Some(byte) if id < 256 => {
                assert_eq!(byte.len(), 1, "the first 256 tokens of {name} are the single bytes");
                base.push(byte[0]);
            }
            Some(token) => {
                let cut = last_merge(token, id as u32, &ids);
                lefts.put(ids[&token[..cut]] + 1);
                rights.put(ids[&token[cut..]]);
            }
            None => {
                lefts.put(0);
                rights.lows.push(0);
            }
        }
    }

    let mut out = Vec::new();
    put_header(&mut out, source, tokens.len() as u32, lefts.highs.len() as u32, rights.highs.len() as u32);
    out.extend(base);
    for stream in [lefts.lows, lefts.highs, rights.lows, rights.highs] {
        out.extend(stream);
    }
    sign(&mut out);
    out
}

const CHECKSUM_AT: usize = 40;

fn put_header(out: &mut Vec<u8>, source: &Source, ids: u32, left_highs: u32, right_highs: u32) {
    out.extend(b"CFTV");
    out.extend(VERSION.to_le_bytes());
    out.push(source.pattern);
    out.push(0);
    let mut padded = [0; 16];
    padded[..source.name.len()].copy_from_slice(source.name.as_bytes());
    out.extend(padded);
    for number in [ids, left_highs, right_highs, 0] {
        out.extend(number.to_le_bytes());
    }
    out.extend([0; 8]);
}

/// Sets the checksum of an asset right.
pub fn sign(asset: &mut [u8]) {
    let (head, rest) = asset.split_at_mut(CHECKSUM_AT);
    let (sum, payload) = rest.split_at_mut(8);
    sum.copy_from_slice(&checksum(&[head, payload]).to_le_bytes());
}

/// An asset whose streams are any bytes, for tests of what reads it: the first two bytes say how many tokens it claims,
/// as far as the rest has low bytes for them; half of what is left are high parts of the left stream. Not signed.
#[must_use]
pub fn with_streams(name: &str, bytes: &[u8]) -> Vec<u8> {
    let source = ENCODINGS.iter().find(|s| s.name == name).expect("an encoding of the list");
    let (count, streams) = bytes.split_at(bytes.len().min(2));
    let len = streams.len() as u32;
    let further = count.iter().fold(0, |n, &byte| n << 8 | u32::from(byte)).min(len / 3);
    let highs = len - 2 * further;
    let mut out = Vec::new();
    put_header(&mut out, source, 256 + further, highs / 2, highs - highs / 2);
    out.extend(0..=255);
    out.extend(streams);
    out
}

/// Tokens by id; a hole (an id that is special, or nothing) is `None`.
fn ordinary_tokens(bpe: &CoreBPE) -> Vec<Option<Vec<u8>>> {
    let specials = bpe.special_tokens();
    let mut tokens: Vec<Option<Vec<u8>>> = Vec::new();
    for id in 0..300_000_u32 {
        tokens.push(
            bpe.decode_bytes(&[id])
                .ok()
                .filter(|t| !std::str::from_utf8(t).is_ok_and(|t| specials.contains(t))),
        );
    }
    while tokens.last().is_some_and(Option::is_none) {
        tokens.pop();
    }
    tokens
}

/// Where the two parts meet whose merge makes `token`: merges of lower rank alone lead up to it.
fn last_merge(token: &[u8], id: u32, ids: &HashMap<&[u8], u32>) -> usize {
    let mut cuts: Vec<usize> = (0..=token.len()).collect();
    while cuts.len() > 3 {
        let best = (0..cuts.len() - 2)
            .filter_map(|i| ids.get(&token[cuts[i]..cuts[i + 2]]).map(|&rank| (rank, i)))
            .filter(|&(rank, _)| rank < id)
            .min();
        let (_, i) = best.expect("every token is reached by merges of lower rank");
        cuts.remove(i + 1);
    }
    cuts[1]
}

/// Numbers as they are stored: low bytes and high parts apart.
#[derive(Default)]
struct Numbers {
    lows: Vec<u8>,
    highs: Vec<u8>,
}

impl Numbers {
    fn put(&mut self, number: u32) {
        self.lows.push(number as u8);
        match number >> 8 {
            high @ ..252 => self.highs.push(high as u8),
            high => self.highs.extend([252 + ((high - 252) >> 8) as u8, (high - 252) as u8]),
        }
    }
}

/// As `src/tokens/bpe/asset.rs` checks it.
fn checksum(parts: &[&[u8]]) -> u64 {
    let mut sum: u64 = 0xCF01_7AB5_93D2_E84F;
    for part in parts {
        for chunk in part.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            sum = (sum ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        }
        sum = (sum ^ part.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
    sum
}
