//! Loading an encoding never panics, whatever the bytes. The checksum is made correct, so that the code after it is reached, too.
#![no_main]

use contextfold::tokens::{Encoding, TokenCounter};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut asset = vocabulary::with_streams("r50k_base", bytes);
    vocabulary::sign(&mut asset);
    if let Ok(encoding) = Encoding::new("r50k_base", asset) {
        encoding.count("The quick brown fox, 敏捷的棕色狐狸 ---------------- 12345");
    }
});
