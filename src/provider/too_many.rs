//! Recognises errors of providers that refuse a request because of its bytes or images, not because of its tokens.

use std::sync::OnceLock;

use crate::pattern::{Captures, Options, Pattern};
use crate::tool_output::prefix_bytes;

/// How many bytes of an error are read.
const MAX_BYTES_READ: usize = 16 * 1024;

/// What the request has too much of, with the limit if the text names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooMany {
    /// Images.
    Images(Option<u64>),
    /// Total bytes.
    Bytes(Option<u64>),
    /// Bytes of one image.
    ImageBytes(Option<u64>),
    /// Pixels per side of an image.
    Side {
        /// The limit, in pixels.
        limit: Option<u64>,
        /// Whether the limit only applies to requests with many images: a request with fewer images may have larger
        /// ones.
        many: bool,
    },
}

/// Makes a result of a match.
type Read = fn(&Captures<'_>) -> TooMany;

/// The texts, the most specific first. `N` is a number, `U` its unit.
const TEXTS: [(Read, &str); 13] = [
    // Anthropic
    (
        side,
        r"image dimensions? exceeds? (the )?max(imum)? allowed size(?<many> for many-image requests)?(: (?<limit>N) pixels)?",
    ),
    (image_bytes, r"image exceeds .{0,40}?maximum: (?<actual>N) bytes > (?<limit>N) bytes"),
    (image_bytes, r"image (size )?exceeds (the )?((maximum|limit) (size )?(of )?)?(?<limit>N) ?(?<unit>U)"),
    (images, r"too (many images|much media).{0,80}?(?<actual>N).{0,30}? > (?<limit>N)"),
    // Meta, MiniMax and others by way of gateways
    (images, r"contains? N images?.{0,60}?(maximum|limit|most|more than)( of)? (?<limit>N)"),
    // vLLM, Groq, Mistral, OpenAI
    (images, r"at most (?<limit>N) image"),
    (images, r"too many images.{0,80}?(up to|max(imum)?( of| is|:)?|at most|limit( of| is|:)?) (?<limit>N)"),
    (images, r"too many images|too much media|exceeds? the (maximum|max) number of images"),
    // Google
    (bytes, r"request (payload|body) size exceeds the limit: (?<limit>N) ?(?<unit>U)?"),
    // Anthropic, gateways
    (
        bytes,
        r"(request|payload|body)( size)? (exceeds|is larger than) (the )?(maximum|max|limit)( allowed)?( size)?( of|:)? ?((?<limit>N) ?(?<unit>U))?",
    ),
    (bytes, r"\brequest_too_large\b"),
    (bytes, r"(request entity|payload|request body|content) too large"),
    (bytes, r"\b413\b.{0,20}(status code \(no body\)|too large)"),
];

/// A text that mentions one of these is about tokens.
const TOKENS: &str = r"\btokens?\b|context (window|length)|rate.?limit|quota|per (minute|hour|day|second)";

/// Recognises an error's text as a refusal because of total bytes, or the number, size or dimensions of images; `None`
/// for any other error.
pub fn too_many(text: &str) -> Option<TooMany> {
    let text = prefix_bytes(text, MAX_BYTES_READ);
    let (tokens, texts) = compiled()?;
    if tokens.is_match(text) {
        return None;
    }
    texts.iter().find_map(|(read, pattern)| pattern.captures(text).map(|found| read(&found)))
}

fn images(found: &Captures<'_>) -> TooMany {
    TooMany::Images(figure(found))
}

fn bytes(found: &Captures<'_>) -> TooMany {
    TooMany::Bytes(figure(found))
}

fn image_bytes(found: &Captures<'_>) -> TooMany {
    TooMany::ImageBytes(figure(found))
}

fn side(found: &Captures<'_>) -> TooMany {
    TooMany::Side { limit: figure(found), many: found.name("many").is_some() }
}

/// The limit in the text, converted to bytes if it has a unit.
fn figure(found: &Captures<'_>) -> Option<u64> {
    let digits: String = found.name("limit")?.chars().filter(char::is_ascii_digit).collect();
    let unit = found.name("unit").unwrap_or_default().to_ascii_lowercase();
    let times: u64 = match unit.as_bytes().first() {
        Some(b'k') => 1024,
        Some(b'm') => 1024 * 1024,
        Some(b'g') => 1024 * 1024 * 1024,
        _ => 1,
    };
    digits.parse::<u64>().ok()?.checked_mul(times).filter(|limit| *limit > 0)
}

type Compiled = (Pattern, Vec<(Read, Pattern)>);

fn compiled() -> Option<&'static Compiled> {
    static COMPILED: OnceLock<Option<Compiled>> = OnceLock::new();
    let compile = |pattern: &str| {
        let pattern = pattern.replace('N', "(?:[0-9]{1,3}(?:[,_][0-9]{3})+|[0-9]+)");
        let pattern = pattern.replace('U', "(?:bytes|[kmg]i?b)");
        Pattern::new(&pattern, Options { ignore_case: true, dot_matches_new_line: true, multi_line: false })
            .ok()
    };
    let all = || {
        let texts = TEXTS.iter().map(|(read, text)| Some((*read, compile(text)?)));
        Some((compile(TOKENS)?, texts.collect::<Option<Vec<_>>>()?))
    };
    COMPILED.get_or_init(all).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::agrees;

    #[test]
    fn provider_messages_are_classified() {
        agrees(include_str!("too_many.tsv"), |text| {
            too_many(text).map_or_else(|| "-".to_owned(), |meant| format!("{meant:?}"))
        });
        assert_eq!(too_many(""), None);
    }
}
