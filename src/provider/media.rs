//! Data URLs, which all formats share.

use crate::message::{Media, Text};

/// The one key of an object that stands for bytes, which it holds in base64: JSON has none, and the SDK of Bedrock takes no other.
pub const BYTES: &str = "$bytes";

/// Splits `data:TYPE;base64,DATA`; none for any other URL, so that nothing of it is lost.
pub(super) fn split_data_url(url: &str) -> Option<(&str, &str)> {
    let (media_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    (!media_type.is_empty() && !media_type.contains([';', ','])).then_some((media_type, data))
}

/// Takes the data or the address of `url` into `media`.
pub(super) fn set_url(media: &mut Media, url: &Text) {
    match split_data_url(url) {
        Some((media_type, data)) => {
            media.media_type = Some(media_type.to_owned());
            media.data = Some(data.into());
        }
        None => media.url = Some(url.as_ref().to_owned()),
    }
}

/// The address, or a data URL of the data.
pub(super) fn url_of(media: &Media, default_type: &str) -> Option<String> {
    match (&media.data, &media.url) {
        (Some(data), _) => {
            let media_type = media.media_type.as_deref().unwrap_or(default_type);
            Some(format!("data:{media_type};base64,{data}"))
        }
        (None, url) => url.clone(),
    }
}
