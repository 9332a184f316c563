//! Shortens JSON so that it is still JSON (CACHE-8).

mod compress;
mod lines;
mod members;
mod outline;
mod replace;
mod scan;
mod strings;
mod write;

pub use compress::{JSON_MAX_TOKENS, compress_json};
pub use outline::{Outline, outline};
pub use replace::Json;

/// Whether `text` is one JSON object, nested to any depth.
pub fn is_json_object(text: &str) -> bool {
    scan::Document::parse(text).is_some_and(|document| document.kind(0) == scan::Kind::Object)
}
