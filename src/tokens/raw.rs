//! The tokens of JSON that only its own format knows. Base64 in it (a generated image, a screenshot, a fetched PDF) counts as the
//! media that it is: as text, a picture of 300 kB would count as 190,000 tokens.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::TokenCounter;
use super::overhead::{count_media, text_of};
use crate::message::{Media, MediaKind};

/// Shorter strings count as text.
const LEAST_MEDIA: usize = 1_000;

/// How the base64 of common media begins, and the kind.
const BEGINNINGS: [(&str, MediaKind); 7] = [
    ("iVBORw0KGgo", MediaKind::Image), // PNG
    ("/9j/", MediaKind::Image),        // JPEG
    ("R0lGOD", MediaKind::Image),      // GIF
    ("UklGR", MediaKind::Image),       // WebP
    ("JVBERi0", MediaKind::Document),  // PDF
    ("SUQz", MediaKind::Audio),        // MP3
    ("T2dnUw", MediaKind::Audio),      // Ogg
];

/// Fields for the type of the media in a field beside them.
const TYPES: [&str; 4] = ["mimeType", "mime_type", "media_type", "mediaType"];

/// Counts JSON as its text, without the media in it, and the media as such.
pub(super) fn count_raw(raw: &Value, counter: &dyn TokenCounter) -> u64 {
    let mut media = 0;
    let text = without_media(raw, None, &mut |found| media += count_media(&found, counter));
    counter.count(&text.to_string()) + media
}

/// The value without media. `media_type`: of the object that it is in, or whose `data` it is.
fn without_media<'v>(
    value: &'v Value,
    media_type: Option<&str>,
    found: &mut dyn FnMut(Media),
) -> Cow<'v, Value> {
    match value {
        Value::String(text) => match media_in(text, media_type) {
            Some(media) => {
                found(media);
                Cow::Owned(Value::String(String::new()))
            }
            None => Cow::Borrowed(value),
        },
        Value::Array(list) => {
            let lean: Vec<_> = list.iter().map(|value| without_media(value, media_type, found)).collect();
            if lean.iter().all(|value| matches!(value, Cow::Borrowed(_))) {
                return Cow::Borrowed(value);
            }
            Cow::Owned(lean.into_iter().map(Cow::into_owned).collect())
        }
        Value::Object(map) => {
            let own = TYPES.iter().find_map(|key| map.get(*key)?.as_str()).or(media_type);
            let lean: Vec<_> = map
                .iter()
                .map(|(key, value)| {
                    (key, without_media(value, own.filter(|_| value.is_string() || key == "data"), found))
                })
                .collect();
            if lean.iter().all(|(_, value)| matches!(value, Cow::Borrowed(_))) {
                return Cow::Borrowed(value);
            }
            let lean: Map<String, Value> =
                lean.into_iter().map(|(key, value)| (key.clone(), value.into_owned())).collect();
            Cow::Owned(lean.into())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Cow::Borrowed(value),
    }
}

/// The media that a string is: a data URL, or base64 whose beginning or type is known.
fn media_in(text: &str, media_type: Option<&str>) -> Option<Media> {
    if text.len() < LEAST_MEDIA {
        return None;
    }
    let (media_type, data) = match text.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((of_url, data)) => (Some(of_url), data),
        None => (media_type, text),
    };
    let is_wave = data.starts_with("UklGR") && data.get(12..16) == Some("QVZF"); // otherwise it begins like WebP
    let known = BEGINNINGS.iter().find(|(beginning, _)| data.starts_with(beginning)).map(|(_, kind)| *kind);
    let known = if is_wave { Some(MediaKind::Audio) } else { known };
    let kind = match media_type {
        Some(name) if name.starts_with("image") => MediaKind::Image,
        Some(name) if name.starts_with("audio") => MediaKind::Audio,
        Some(_) => known.unwrap_or(MediaKind::Document),
        None => known?,
    };
    let is_base64 = data
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_'));
    let media = Media { data: Some(data.into()), media_type: media_type.map(Into::into), ..Media::new(kind) };
    // What is said to be text and cannot be read as such, such as a hash beside a text, stays text.
    let is_said_to_be_text = media_type.is_some_and(|name| name.starts_with("text"));
    (is_base64 && (!is_said_to_be_text || text_of(&media).is_some())).then_some(media)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tokens::Method;

    /// One token per byte.
    struct Bytes;

    impl TokenCounter for Bytes {
        fn count(&self, text: &str) -> u64 {
            text.len() as u64
        }
        fn method(&self) -> Method {
            Method::Callback
        }
    }

    #[test]
    fn base64_of_media_is_not_counted_as_text() {
        let png = format!("iVBORw0KGgo{}", "A".repeat(400_000));
        let bytes = "A".repeat(80_000);
        for (raw, tokens) in [
            (json!({ "type": "image_generation_call", "result": png }), 765 + 43),
            (json!({ "outputs": [{ "url": format!("data:image/png;base64,{png}") }] }), 765 + 24),
            (json!({ "source": { "media_type": "application/pdf", "data": bytes } }), 3_000 + 55),
            (json!({ "mediaType": "image", "data": { "type": "data", "data": bytes } }), 765 + 56),
            // 400 rows of `12,34`, each with its line break.
            (json!({ "mediaType": "text/csv", "data": "MTIsMzQK".repeat(400) }), 6 * 400 + 38),
        ] {
            let counted = count_raw(&raw, &Bytes);
            assert!(counted.abs_diff(tokens) <= 10, "{counted} instead of {tokens}");
        }
    }

    #[test]
    fn other_text_is_counted_as_text() {
        let letters = "A".repeat(2_000);
        let page = "word ".repeat(400);
        for raw in [
            json!({ "encrypted_content": letters }),
            json!({ "mimeType": "text/plain", "data": page }),
            json!({ "mimeType": "text/plain", "output": "0f3c".repeat(1_000) }),
            json!({ "media_type": "application/pdf", "meta": { "encrypted_content": letters } }),
            json!({ "result": "iVBORw0KGgo" }),
        ] {
            assert_eq!(count_raw(&raw, &Bytes), raw.to_string().len() as u64);
        }
    }
}
