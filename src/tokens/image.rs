//! The tokens of an image, from its size and detail.

use crate::message::Media;

/// How images are counted. The sources are listed at [`Rules`](super::Rules).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageRule {
    /// `image:openai-tiles`: `base`, plus `tile` for each square of 512 pixels after scaling to fit 2,048 × 2,048 and then
    /// the shorter side to 768. With detail `low`, only `base`.
    OpenAiTiles {
        /// Tokens of each image.
        base: u64,
        /// Tokens of each tile.
        tile: u64,
    },
    /// `image:openai-patches`: the number of squares of 32 pixels, at most 1,536, times the model's factor.
    OpenAiPatches {
        /// The model's factor in percent.
        percent: u64,
    },
    /// `image:anthropic-area`: width × height / 750 after scaling the longer side down to 1,568; at most 1,600.
    AnthropicArea,
    /// `image:gemini-tiles`: 258 up to 384 × 384 pixels, else 258 for each tile of 256 to 768 pixels.
    GeminiTiles,
}

impl Default for ImageRule {
    /// The values of `gpt-4o`, `gpt-4.1` and `gpt-4.5`.
    fn default() -> Self {
        Self::OpenAiTiles { base: 85, tile: 170 }
    }
}

/// Assumed for images of unknown size.
const USUAL_SIZE: (u64, u64) = (1024, 1024);

/// An image's width and height, from its own fields or else from its data.
pub fn image_size(image: &Media) -> Option<(u64, u64)> {
    let own = image.width.zip(image.height).map(|(w, h)| (u64::from(w), u64::from(h)));
    let size = own.or_else(|| size_of(&decoded(image.data.as_deref()?)));
    size.filter(|&(w, h)| w > 0 && h > 0)
}

impl ImageRule {
    /// The rule's name in the report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiTiles { .. } => "image:openai-tiles",
            Self::OpenAiPatches { .. } => "image:openai-patches",
            Self::AnthropicArea => "image:anthropic-area",
            Self::GeminiTiles => "image:gemini-tiles",
        }
    }

    /// Where the provider publishes the rule.
    pub const fn source(self) -> &'static str {
        match self {
            Self::OpenAiTiles { .. } | Self::OpenAiPatches { .. } => {
                "OpenAI, Images and vision, Calculating costs"
            }
            Self::AnthropicArea => "Anthropic, Vision, Evaluate image size",
            Self::GeminiTiles => "Google, Understand and count tokens",
        }
    }

    /// The tokens of an image. Its size is taken from its own fields, or from its data (PNG, GIF, JPEG, WebP), or is assumed
    /// to be 1,024 × 1,024. Detail `auto` counts as `high`.
    pub fn tokens(self, image: &Media) -> u64 {
        let (width, height) = image_size(image).unwrap_or(USUAL_SIZE);
        self.tokens_of(width, height, image.detail.as_deref() == Some("low"))
    }

    fn tokens_of(self, width: u64, height: u64, low: bool) -> u64 {
        match self {
            Self::OpenAiTiles { base, .. } if low => base,
            Self::OpenAiTiles { base, tile } => {
                let (w, h) = fit(width as f64, height as f64, 2048.0);
                let scale = (768.0 / w.min(h)).min(1.0);
                base + tile * tiles(w * scale, h * scale, 512.0)
            }
            Self::OpenAiPatches { percent } => {
                (tiles(width as f64, height as f64, 32.0).min(1536) * percent).div_ceil(100)
            }
            Self::AnthropicArea => {
                let (w, h) = fit(width as f64, height as f64, 1568.0);
                ((w * h / 750.0).ceil() as u64).min(1600)
            }
            Self::GeminiTiles if width <= 384 && height <= 384 => 258,
            Self::GeminiTiles => {
                let unit = (width.min(height) as f64 / 1.5).floor().clamp(256.0, 768.0);
                258 * tiles(width as f64, height as f64, unit)
            }
        }
    }
}

/// Scales down so that neither side is longer than `most`.
fn fit(width: f64, height: f64, most: f64) -> (f64, f64) {
    let scale = (most / width.max(height)).min(1.0);
    (width * scale, height * scale)
}

fn tiles(width: f64, height: f64, side: f64) -> u64 {
    // Slightly less, so that rounding errors do not make two tiles of a side scaled to exactly 512.
    let along = |length: f64| (length / side - 1e-6).ceil().max(1.0) as u64;
    along(width) * along(height)
}

/// How much of an image's base64 data is decoded. A JPEG's frame header may come after a preview picture and a color
/// profile.
const HEADER_BYTES: usize = 64 * 1024;

/// Decodes the beginning of base64 data. The head of a `data:` URL is skipped.
fn decoded(base64: &str) -> Vec<u8> {
    let data =
        if base64.starts_with("data:") { base64.split_once(',').map_or("", |(_, d)| d) } else { base64 };
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for c in data.bytes().take(HEADER_BYTES) {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// Width and height from the first bytes of an image.
fn size_of(bytes: &[u8]) -> Option<(u64, u64)> {
    let big = |at: usize| Some(u64::from(u16::from_be_bytes(bytes.get(at..)?.first_chunk().copied()?)));
    let little = |at: usize| Some(u64::from(u16::from_le_bytes(bytes.get(at..)?.first_chunk().copied()?)));
    if bytes.starts_with(b"\x89PNG") {
        return Some((big(16)? << 16 | big(18)?, big(20)? << 16 | big(22)?));
    }
    if bytes.starts_with(b"GIF8") {
        return Some((little(6)?, little(8)?));
    }
    if bytes.starts_with(b"RIFF") {
        return match bytes.get(12..16)? {
            b"VP8 " => Some((little(26)? & 0x3FFF, little(28)? & 0x3FFF)),
            b"VP8L" => {
                let packed = little(21)? | little(23)? << 16;
                Some(((packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1))
            }
            b"VP8X" => {
                let three = |at| Some(little(at)? | u64::from(*bytes.get(at + 2)?) << 16);
                Some((three(24)? + 1, three(27)? + 1))
            }
            _ => None,
        };
    }
    if bytes.starts_with(&[0xFF, 0xD8]) {
        // Segments of marker and length, up to the frame header (C0 to CF, except C4, C8 and CC).
        let mut at = 2;
        loop {
            let marker = *bytes.get(at + 1)?;
            if matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC) {
                return Some((big(at + 7)?, big(at + 5)?));
            }
            at += 2 + big(at + 2)? as usize;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::MediaKind;

    const GPT_4O: ImageRule = ImageRule::OpenAiTiles { base: 85, tile: 170 };

    fn image(width: u32, height: u32, detail: &str) -> Media {
        let mut image = Media::new(MediaKind::Image);
        (image.width, image.height, image.detail) = (Some(width), Some(height), Some(detail.to_owned()));
        image
    }

    /// The examples from `OpenAI`'s page.
    #[test]
    fn openais_published_examples() {
        assert_eq!(GPT_4O.tokens(&image(1024, 1024, "high")), 765);
        assert_eq!(GPT_4O.tokens(&image(2048, 4096, "high")), 1105);
        assert_eq!(GPT_4O.tokens(&image(4096, 8192, "low")), 85);
        let patches = ImageRule::OpenAiPatches { percent: 100 };
        assert_eq!(patches.tokens(&image(1024, 1024, "auto")), 1024);
        assert_eq!(patches.tokens(&image(1800, 2400, "auto")), 1536);
    }

    /// The table on Anthropic's page: 200² is about 54 tokens, 1000² about 1,334, 1092² about 1,590.
    #[test]
    fn anthropics_published_examples() {
        for (side, tokens) in [(200, 54), (1000, 1334), (1092, 1590)] {
            assert_eq!(ImageRule::AnthropicArea.tokens(&image(side, side, "auto")), tokens);
        }
        assert_eq!(ImageRule::AnthropicArea.tokens(&image(8000, 8000, "auto")), 1600);
    }

    #[test]
    fn geminis_published_examples() {
        assert_eq!(ImageRule::GeminiTiles.tokens(&image(384, 384, "auto")), 258);
        assert_eq!(ImageRule::GeminiTiles.tokens(&image(960, 540, "auto")), 258 * 6);
    }

    #[test]
    fn an_image_without_a_size_counts_as_1024_squared() {
        assert_eq!(GPT_4O.tokens(&Media::new(MediaKind::Image)), 765);
        assert_eq!(GPT_4O.tokens(&image(0, 0, "high")), 765);
    }

    #[test]
    fn sizes_are_read_from_the_data() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xe0";
        assert_eq!(size_of(png), Some((640, 480)));
        assert_eq!(size_of(b"GIF89a\x80\x02\xe0\x01"), Some((640, 480)));
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x04\0\0\xFF\xC4\0\x03\0\xFF\xC2\0\x11\x08\x01\xe0\x02\x80\x03";
        assert_eq!(size_of(jpeg), Some((640, 480)));
        assert_eq!(size_of(b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0"), Some((640, 480)));
        assert_eq!(size_of(b"\xFF\xD8\xFF\xE0\0\x04"), None);
        assert_eq!(size_of(b"BM"), None);
        let mut media = Media::new(MediaKind::Image);
        // A PNG of 1 × 1.
        media.data = Some("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ".into());
        assert_eq!(GPT_4O.tokens(&media), 85 + 170);
        media.data = Some("data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ".into());
        assert_eq!(GPT_4O.tokens(&media), 85 + 170);
    }
}
