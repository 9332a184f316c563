//! Documents and their names.

use serde_json::Value;

use crate::message::{Format, Media, MediaKind, Message, Part};

const FORMAT: Format = Format::BedrockConverse;

/// The name for a document without one.
pub const UNNAMED: &str = "document";

/// The maximum length of a name.
const MAX_NAME_CHARS: usize = 200;

/// Formats whose media type has another name.
const TYPES: [(&str, &str); 10] = [
    ("jpeg", "image/jpg"),
    ("mp3", "audio/mpeg"),
    ("txt", "text/plain"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
];

/// The image formats that the API accepts.
const IMAGES: [&str; 4] = ["png", "jpeg", "gif", "webp"];

/// The media type of a format.
pub fn media_type(key: &str, format: &str) -> String {
    let known = TYPES.iter().find(|(name, _)| *name == format && format != "jpeg");
    let kind = if key == "document" { "application" } else { key };
    known.map_or_else(|| format!("{kind}/{format}"), |(_, media_type)| (*media_type).to_owned())
}

/// The format for a media type, if the API has one.
pub fn format<'t>(key: &str, media_type: &'t str) -> Option<&'t str> {
    let (kind, of_type) = media_type.split_once('/')?;
    let known = TYPES.iter().find(|(_, known)| *known == media_type).map(|(format, _)| *format);
    let fits = |format: &&str| match key {
        "image" => IMAGES.contains(format),
        "document" => {
            known.is_some()
                || matches!(*format, "pdf" | "txt" | "md" | "csv" | "html" | "doc" | "docx" | "xls" | "xlsx")
        }
        key => kind == key,
    };
    let plain = (key == "document" && (kind == "text" || of_type == "json")).then_some("txt");
    Some(known.unwrap_or(of_type)).filter(fits).or(plain)
}

/// Whether the API accepts the name. Contrary to its documentation, it accepts underscores, and no white space other
/// than spaces.
pub fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_NAME_CHARS
        && name.chars().all(is_allowed_in_name)
        && !name.contains("  ")
}

fn is_allowed_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-' | '(' | ')' | '[' | ']')
}

/// A name that the API accepts: without the file extension, and with spaces instead of invalid characters.
pub fn name_of(name: &str) -> String {
    if is_name(name) {
        return name.to_owned();
    }
    let stem = match name.rsplit_once('.') {
        Some((stem, ending)) if ending.len() < 6 && ending.bytes().all(|b| b.is_ascii_alphanumeric()) => stem,
        _ => name,
    };
    let fitting: String =
        stem.chars().map(|c| if is_allowed_in_name(c) { c } else { ' ' }).take(MAX_NAME_CHARS).collect();
    let words: Vec<&str> = fitting.split_whitespace().collect();
    if words.is_empty() { UNNAMED.to_owned() } else { words.join(" ") }
}

fn is_document_medium(media: &Media) -> bool {
    media.kind == MediaKind::Document && !media.extras.has(FORMAT, "video")
}

/// Whether it is a document, including one that is carried unchanged.
pub fn is_document(part: &Part) -> bool {
    match part {
        Part::Media(media) => is_document_medium(media),
        Part::Opaque { format: FORMAT, raw } => raw.get("document").is_some_and(Value::is_object),
        _ => false,
    }
}

/// Calls `look` with the name of every document, as it is written, in order.
pub fn each_name(message: &Message, look: &mut dyn FnMut(&str)) {
    for part in &message.parts {
        each_name_in_part(part, look);
    }
}

fn each_name_in_part(part: &Part, look: &mut dyn FnMut(&str)) {
    match part {
        Part::ToolOutput(output) => output.content.iter().for_each(|part| each_name_in_part(part, look)),
        Part::Media(media) if is_document_medium(media) => look(&written(media)),
        Part::Opaque { raw, .. } if is_document(part) => {
            look(raw.pointer("/document/name").and_then(Value::as_str).unwrap_or_default());
        }
        _ => {}
    }
}

/// The name under which a document is written.
fn written(media: &Media) -> String {
    let name = media.filename.as_deref();
    // A name that came in this format is kept, even if it is invalid or missing. Names from other formats are made valid.
    if media.extras.came_in(FORMAT) {
        return name.unwrap_or_default().to_owned();
    }
    name.map_or_else(|| UNNAMED.to_owned(), name_of)
}

/// Renames documents: `other` gets the number and the name of each and returns a new name, if any.
pub fn set_names(message: &mut Message, other: &mut dyn FnMut(usize, &str) -> Option<String>) {
    let mut number = 0;
    for part in &mut message.parts {
        set_name(part, &mut number, other);
    }
}

fn set_name(part: &mut Part, number: &mut usize, other: &mut dyn FnMut(usize, &str) -> Option<String>) {
    match part {
        Part::ToolOutput(output) => {
            for part in &mut output.content {
                set_name(part, number, other);
            }
        }
        Part::Media(media) if is_document_medium(media) => {
            let name = other(*number, &written(media));
            *number += 1;
            media.filename = name.or_else(|| media.filename.take());
        }
        Part::Opaque { format: FORMAT, raw } if raw.get("document").is_some_and(Value::is_object) => {
            let old_name = raw.pointer("/document/name").and_then(Value::as_str).unwrap_or_default();
            let name = other(*number, old_name);
            *number += 1;
            if let Some(name) = name {
                let mut block = Value::clone(raw);
                block["document"]["name"] = name.into();
                *raw = block.into();
            }
        }
        _ => {}
    }
}

/// Renames the document with this number in a message.
pub fn rename(message: &mut Message, nth: usize, name: &str) {
    set_names(message, &mut |number, _| (number == nth).then(|| name.to_owned()));
}
