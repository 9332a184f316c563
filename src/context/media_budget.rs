//! How many images, documents and sounds a request may hold, and how many a view holds.
//!
//! What a provider's refusal teaches about media is stored as a changed option, so snapshots and `setOptions` need no special
//! case.

use crate::message::{Media, MediaKind, Message, Part};
use crate::tokens::image_size;

/// How many media a request may hold. `None` means no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MediaBudget {
    /// How many images a request may hold.
    pub max_images: Option<u64>,
    /// How many bytes all media may have together, as they are sent.
    pub max_bytes: Option<u64>,
    /// How many of the newest images stay once a limit is exceeded.
    pub keep_newest: Option<u64>,
    /// How many bytes one image may have, as it is sent.
    pub max_image_bytes: Option<u64>,
    /// How many pixels the longer side of an image may have.
    pub max_image_side: Option<u64>,
}

/// The media of a view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MediaSums {
    /// How many images.
    pub images: u64,
    /// The bytes of all media that are sent inline, not by URL or id.
    pub bytes: u64,
}

impl MediaSums {
    /// The media of one message.
    pub fn of(message: &Message) -> Self {
        let mut sums = Self::default();
        for media in media_of(message) {
            sums.images += u64::from(media.kind == MediaKind::Image);
            sums.bytes += bytes_of(media);
        }
        sums
    }

    pub(super) fn is_none(self) -> bool {
        self == Self::default()
    }
}

pub(super) fn bytes_of(media: &Media) -> u64 {
    media.data.as_ref().map_or(0, |data| data.len() as u64)
}

pub(super) fn media_of(message: &Message) -> impl Iterator<Item = &Media> {
    message.contents().filter_map(|part| match part {
        Part::Media(media) => Some(&**media),
        _ => None,
    })
}

impl MediaBudget {
    /// Whether a view with this many media is within the budget.
    pub fn holds(&self, sums: MediaSums) -> bool {
        self.max_images.is_none_or(|max| sums.images <= max)
            && self.max_bytes.is_none_or(|max| sums.bytes <= max)
    }

    /// Whether media may come back when this budget replaces the other.
    pub(super) fn allows_more_than(&self, other: &Self) -> bool {
        let (own, than) = (self.target(), other.target());
        let more =
            |max: Option<u64>, than: Option<u64>| than.is_some_and(|than| max.is_none_or(|max| max > than));
        more(own.max_images, than.max_images)
            || more(own.max_bytes, than.max_bytes)
            || more(own.max_image_bytes, than.max_image_bytes)
            || more(own.max_image_side, than.max_image_side)
    }

    /// The reason of a decision that enforces it.
    pub fn why(&self) -> String {
        let limits = [
            self.max_images.map(|max| format!("{max} images")),
            self.max_bytes.map(|max| format!("{max} bytes of media")),
            self.max_image_bytes.map(|max| format!("{max} bytes per image")),
            self.max_image_side.map(|max| format!("{max} pixels per side")),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        format!("a request may have at most {}: the oldest media became placeholders", limits.join(", "))
    }

    /// What to trim down to once a limit is exceeded: clearly below it, so that not every new image changes the view.
    pub(super) fn target(&self) -> Self {
        if self.max_images.is_none() && self.max_bytes.is_none() {
            return *self;
        }
        let room = |max: u64| max - max / 4;
        let images = self.keep_newest.or(self.max_images.map(room));
        Self {
            max_images: images.map(|images| self.max_images.map_or(images, |max| images.min(max))),
            max_bytes: self.max_bytes.map(|max| if self.keep_newest.is_some() { max } else { room(max) }),
            ..*self
        }
    }

    /// Whether this medium is too large for any request, however few there are.
    pub(super) fn is_too_large(&self, media: &Media) -> bool {
        let too_wide = || {
            let max = self.max_image_side?;
            image_size(media).map(|(width, height)| width.max(height) > max)
        };
        media.kind == MediaKind::Image
            && (self.max_image_bytes.is_some_and(|max| bytes_of(media) > max)
                || too_wide().unwrap_or_default())
    }
}
