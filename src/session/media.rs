//! The option `media`, and the limits that providers publish.

use crate::config::Keys;
use crate::context::MediaBudget;
use crate::error::Result;

const MIB: u64 = 1024 * 1024;

/// The published limits, by a part of the model's name. If a family has several figures, the smallest is used: it fits all its models.
///
/// | family | images | bytes of a request | bytes of an image | side | source |
/// | --- | --: | --: | --: | --: | --- |
/// | `claude` | 100 | 32 MB | 5 MB | 8,000 | Anthropic, Vision, General limits; Messages API, Request size limits |
/// | `gpt-`, `o1`, `o3`, `o4` | 500 | 50 MB | | | `OpenAI`, Images and vision, Image input requirements |
/// | `gemini` | 900 | 20 MB | | | Google, Image understanding (images a prompt; inline data) |
const PUBLISHED: [(&str, MediaBudget); 6] = [
    ("claude", CLAUDE),
    ("gpt-", OPENAI),
    ("o1", OPENAI),
    ("o3", OPENAI),
    ("o4", OPENAI),
    ("gemini", GEMINI),
];

const CLAUDE: MediaBudget =
    MediaBudget { max_image_bytes: Some(5 * MIB), max_image_side: Some(8_000), ..limits(100, 32_000_000) };
const OPENAI: MediaBudget = limits(500, 50_000_000);
const GEMINI: MediaBudget = limits(900, 20_000_000);

const fn limits(images: u64, bytes: u64) -> MediaBudget {
    MediaBudget {
        max_images: Some(images),
        max_bytes: Some(bytes),
        keep_newest: None,
        max_image_bytes: None,
        max_image_side: None,
    }
}

/// The limits that a model's provider publishes; none for any other model.
fn published(model: Option<&str>) -> MediaBudget {
    let Some(model) = model else { return MediaBudget::default() };
    let model = model.to_ascii_lowercase();
    let name = model.rsplit('/').next().unwrap_or(&model);
    let is = |(part, _): &&(&str, MediaBudget)| match part.len() {
        2 => name.starts_with(part),
        _ => name.contains(part),
    };
    PUBLISHED.iter().find(is).map(|(_, budget)| *budget).unwrap_or_default()
}

/// Reads `media`. `null` removes a limit; a missing key means the published limit.
pub(super) fn read(keys: &mut Keys<'_>, model: Option<&str>) -> Result<MediaBudget> {
    let published = published(model);
    let Some(mut media) = keys.object("media")? else { return Ok(published) };
    let mut of = |key: &'static str, published: Option<u64>| {
        media.u64_or_null(key, ..).map(|given| given.unwrap_or(published))
    };
    let budget = MediaBudget {
        max_images: of("maxImages", published.max_images)?,
        max_bytes: of("maxBytes", published.max_bytes)?,
        keep_newest: of("keepNewest", published.keep_newest)?,
        max_image_bytes: of("maxImageBytes", published.max_image_bytes)?,
        max_image_side: of("maxImageSide", published.max_image_side)?,
    };
    media.finish()?;
    Ok(budget)
}
