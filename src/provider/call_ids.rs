//! Rewrites ids of calls that another provider made and that an API does not accept.

use std::borrow::Cow;

use crate::saved::checksum;

/// How many characters of an id are kept. With the checksum, these are 57, within the limits of the APIs (64).
const KEPT_CHARS: usize = 40;

/// Returns the id if it has at most `longest` characters and all of them satisfy `fits`. Otherwise its beginning, with
/// the other characters replaced, and a checksum: different ids stay different, and a call and its output get the same
/// id.
pub(super) fn acceptable_id(id: &str, longest: usize, fits: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !id.is_empty() && id.encode_utf16().count() <= longest && id.chars().all(&fits) {
        return Cow::Borrowed(id);
    }
    let kept: String =
        id.chars().take(KEPT_CHARS).map(|c| if c.is_ascii() && fits(c) { c } else { '_' }).collect();
    Cow::Owned(format!("{kept}_{:016x}", checksum(id.as_bytes())))
}
