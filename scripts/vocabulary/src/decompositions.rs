//! What characters decompose into, from the crate that Hugging Face's normalizes with.

use unicode_normalization_alignments::char::{decompose_canonical, decompose_compatible};

/// `src/tokens/tokenizer/decompositions.bin`; `decompositions.rs` beside it reads it and documents the layout.
#[must_use]
pub fn table() -> String {
    let mut out = String::new();
    let mut before = 0;
    let mut put = |c: char, compatible: bool, text: &str| {
        let number = (c as u32 - before) << 1 | u32::from(compatible);
        before = c as u32;
        out.push(char::from_u32(number).expect("a distance that is a character"));
        out.push_str(text);
        out.push('\0');
    };
    for c in ('\u{80}'..=char::MAX).filter(|c| !('\u{AC00}'..='\u{D7A3}').contains(c)) {
        let (mut canonical, mut compatible) = (String::new(), String::new());
        decompose_canonical(c, |c| canonical.push(c));
        decompose_compatible(c, |c| compatible.push(c));
        if canonical != c.to_string() {
            put(c, false, &canonical);
        }
        if compatible != canonical {
            put(c, true, &compatible);
        }
    }
    out
}
