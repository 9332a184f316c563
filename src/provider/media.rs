//! Data URLs and bytes, for all formats.

use super::note::{Note, note_lost_fields};
use crate::message::{Format, Media, Text};

/// The only key of an object that represents bytes, which it holds in base64: JSON has no bytes, and Bedrock's SDK
/// accepts nothing else.
pub const BYTES: &str = "$bytes";

/// Notes what a format cannot keep of a medium that did not come in it: all fields but the `kept` ones. `assumed`: the
/// media type that is written if none is given.
pub(super) fn note_lost(
    media: &Media,
    format: Format,
    kept: &[&str],
    assumed: Option<&str>,
    notes: &mut Vec<Note>,
) {
    if media.extras.came_in(format) {
        return;
    }
    let what = media.kind.with_article();
    let given = [
        ("url", media.url.is_some()),
        ("data", media.data.is_some()),
        ("file_id", media.file_id.is_some()),
        ("filename", media.filename.is_some()),
        ("media_type", media.media_type.is_some()),
        ("detail", media.detail.is_some()),
        ("width", media.width.is_some()),
        ("height", media.height.is_some()),
    ];
    note_lost_fields(what, &given, kept, notes);
    if let Some(assumed) = assumed.filter(|_| media.media_type.is_none()) {
        notes.push(Note::new(format!("{what} without a media type is written as `{assumed}`")));
    }
}

/// Splits `data:TYPE;base64,DATA`; `None` for any other URL, which is then kept as a whole.
pub(super) fn split_data_url(url: &str) -> Option<(&str, &str)> {
    let (media_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    (!media_type.is_empty() && !media_type.contains([';', ','])).then_some((media_type, data))
}

/// Sets the data or the address of `media` from `url`.
pub(super) fn set_url(media: &mut Media, url: &Text) {
    if !set_data_url(media, url) {
        media.url = Some(url.as_ref().to_owned());
    }
}

/// Sets the data of `media` from a data URL or from base64 data.
pub(super) fn set_data(media: &mut Media, data: Text) {
    if !set_data_url(media, &data) {
        media.data = Some(data);
    }
}

fn set_data_url(media: &mut Media, url: &Text) -> bool {
    let Some((media_type, data)) = split_data_url(url) else { return false };
    media.media_type = Some(media_type.to_owned());
    media.data = Some(data.into());
    true
}

/// The data, as a data URL if its type is known.
pub(super) fn data_of(media: &Media) -> Option<String> {
    media.data.as_deref().map(|data| match &media.media_type {
        Some(media_type) => format!("data:{media_type};base64,{data}"),
        None => data.to_owned(),
    })
}

/// The address, or a data URL with the data.
pub(super) fn url_of(media: &Media, default_type: &str) -> Option<String> {
    match (&media.data, &media.url) {
        (Some(data), _) => {
            let media_type = media.media_type.as_deref().unwrap_or(default_type);
            Some(format!("data:{media_type};base64,{data}"))
        }
        (None, url) => url.clone(),
    }
}
