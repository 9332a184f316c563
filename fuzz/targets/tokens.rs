//! Any text has the same tokens as with tiktoken, and they decode to the text.
#![no_main]

use std::sync::LazyLock;

use contextfold::tokens::{Encoding, TokenCounter};
use libfuzzer_sys::fuzz_target;
use tiktoken_rs::CoreBPE;

static ENCODINGS: LazyLock<[(Encoding, CoreBPE); 3]> = LazyLock::new(|| {
    let ours = |name| Encoding::new(name, vocabulary::pack(name)).unwrap();
    [
        (ours("o200k_base"), tiktoken_rs::o200k_base().unwrap()),
        (ours("cl100k_base"), tiktoken_rs::cl100k_base().unwrap()),
        (ours("r50k_base"), tiktoken_rs::r50k_base().unwrap()),
    ]
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for (ours, truth) in &*ENCODINGS {
        // Bytes that are not UTF-8 never occur, but must do no harm.
        ours.count_bytes(bytes);
        let tokens = ours.encode(&text);
        assert_eq!(tokens, truth.encode_ordinary(&text), "{}", ours.name());
        let count = tokens.len() as u64;
        assert_eq!(ours.count(&text), count);
        assert_eq!(ours.count_up_to(&text, count), Some(count));
        assert_eq!(ours.decode(&tokens).unwrap(), text);
    }
});
