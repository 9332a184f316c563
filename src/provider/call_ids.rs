//! Ids of calls that an API does not take as they are: another provider gave them.

use std::borrow::Cow;

use crate::saved::checksum;

/// How long the beginning of an id stays: with what follows, any API takes it.
const KEPT: usize = 40;

/// The id where it is at most `longest` long, of characters that `fits` takes; otherwise what is left of it, with a checksum: ids
/// that differ stay different, and a call and its output are written alike.
pub(super) fn written(id: &str, longest: usize, fits: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !id.is_empty() && id.encode_utf16().count() <= longest && id.chars().all(&fits) {
        return Cow::Borrowed(id);
    }
    let kept: String = id.chars().take(KEPT).map(|c| if c.is_ascii() && fits(c) { c } else { '_' }).collect();
    Cow::Owned(format!("{kept}_{:016x}", checksum(id.as_bytes())))
}
