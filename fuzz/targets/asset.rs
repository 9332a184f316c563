//! No bytes make loading an encoding panic; the checksum is set right, so that what is behind it is reached, too.
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
