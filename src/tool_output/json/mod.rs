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

/// Whether `text` is a JSON object that says that the call failed whose output it is. Errors are short: longer texts are not read.
pub fn is_error(text: &str) -> bool {
    const LONGEST: usize = 1 << 16;
    let document = Some(text).filter(|text| text.len() <= LONGEST).and_then(scan::Document::parse);
    document.is_some_and(|document| {
        let has = |is: fn(&scan::Document<'_>, usize) -> bool| document.children(0).any(|m| is(&document, m));
        document.kind(0) == scan::Kind::Object && has(members::is_error) && !has(members::is_success)
    })
}

/// Whether `text` is one JSON object, nested to any depth.
pub fn is_json_object(text: &str) -> bool {
    scan::Document::parse(text).is_some_and(|document| document.kind(0) == scan::Kind::Object)
}
