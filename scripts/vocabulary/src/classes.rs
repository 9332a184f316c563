//! Character classes of the pre-tokenizers, from the very tables that the oracle's regular expressions use.

use regex_syntax::hir::{Class, HirKind};

/// The classes of `src/tokens/bpe/classes.rs`, one bit each, lowest first.
const CLASSES: [&str; 7] =
    [r"[\p{Lu}\p{Lt}]", r"\p{Ll}", r"[\p{Lm}\p{Lo}]", r"\p{M}", r"\p{N}", r"\s", r"[\r\n]"];

const BLOCK: usize = 128;

/// `src/tokens/bpe/classes.bin`: which block holds each 128 characters, then the class bits of the distinct blocks. The last
/// block that is named goes on to the end of Unicode.
#[must_use]
pub fn table() -> Vec<u8> {
    let mut bits = vec![0_u8; 0x11_0000];
    for (bit, pattern) in CLASSES.iter().enumerate() {
        let hir = regex_syntax::parse(pattern).expect("a class");
        let HirKind::Class(Class::Unicode(class)) = hir.kind() else { panic!("{pattern} is a class") };
        for range in class.iter() {
            for class in &mut bits[range.start() as usize..=range.end() as usize] {
                *class |= 1 << bit;
            }
        }
    }
    let mut blocks: Vec<&[u8]> = Vec::new();
    let mut index = Vec::new();
    for block in bits.chunks(BLOCK) {
        let at = blocks.iter().position(|b| *b == block).unwrap_or_else(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        index.push(u8::try_from(at).expect("fewer than 256 distinct blocks"));
    }
    let last = *index.last().expect("blocks");
    let used = index.iter().rposition(|&i| i != last).map_or(1, |i| i + 2);
    index.truncate(used);
    [index, blocks.concat()].concat()
}

/// `src/tokens/bpe/signs.bin`: the first and the last character of each range of signs, as little-endian `u32`s.
#[must_use]
pub fn signs() -> Vec<u8> {
    let hir = regex_syntax::parse(r"[\p{P}\p{S}]").expect("a class");
    let HirKind::Class(Class::Unicode(class)) = hir.kind() else { panic!("a class") };
    let ends = class.iter().flat_map(|range| [range.start(), range.end()]);
    ends.flat_map(|c| u32::from(c).to_le_bytes()).collect()
}
