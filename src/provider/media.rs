//! Data URLs and bytes, for all formats.

use crate::message::{Media, Text};

/// The only key of an object that represents bytes, which it holds in base64: JSON has no bytes, and Bedrock's SDK
/// accepts nothing else.
pub const BYTES: &str = "$bytes";

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
