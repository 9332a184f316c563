//! Images, documents and sounds in the view: providers limit their number and their bytes.
//!
//! Sums of images and bytes are updated as messages enter, like those of tokens. What a provider's refusal teaches about
//! media is stored as a changed option, so snapshots and `setOptions` need no special case.

use std::sync::Arc;

use super::core::Context;
use super::event::EventName;
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::tally::Tally;
use super::view::{Form, Slot};
use crate::message::{Media, MediaKind, Message, Part};
use crate::tokens::image_size;

/// What a report says about media that left the view.
const WHY: &str =
    "the request exceeded its limit for images or bytes, so the oldest media became placeholders";

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
        for_each_medium(message, &mut |media| {
            sums.images += u64::from(media.kind == MediaKind::Image);
            sums.bytes += bytes_of(media);
        });
        sums
    }

    fn is_none(self) -> bool {
        self == Self::default()
    }
}

fn bytes_of(media: &Media) -> u64 {
    media.data.as_ref().map_or(0, |data| data.len() as u64)
}

fn for_each_medium(message: &Message, look: &mut dyn FnMut(&Media)) {
    for part in &message.parts {
        match part {
            Part::Media(media) => look(media),
            Part::ToolOutput(output) => {
                for part in &output.content {
                    if let Part::Media(media) = part {
                        look(media);
                    }
                }
            }
            _ => {}
        }
    }
}

impl MediaBudget {
    /// Whether a view with this many media is within the budget.
    pub fn holds(&self, sums: MediaSums) -> bool {
        self.max_images.is_none_or(|max| sums.images <= max)
            && self.max_bytes.is_none_or(|max| sums.bytes <= max)
    }

    /// Whether media may come back when this budget replaces the other.
    fn allows_more_than(&self, other: &Self) -> bool {
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
    fn target(&self) -> Self {
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
    fn is_too_large(&self, media: &Media) -> bool {
        let too_wide = || {
            let max = self.max_image_side?;
            image_size(media).map(|(width, height)| width.max(height) > max)
        };
        media.kind == MediaKind::Image
            && (self.max_image_bytes.is_some_and(|max| bytes_of(media) > max)
                || too_wide().unwrap_or_default())
    }
}

impl Context {
    /// Sets the media budget. What no longer fits is removed at once; if there is more room, removed media come back with
    /// the next run.
    pub fn set_media_budget(&mut self, budget: MediaBudget) {
        let before = std::mem::replace(&mut self.media_budget, budget);
        if budget.allows_more_than(&before) {
            self.view.expect_room();
        }
        if budget != before {
            self.trim_media_on_entry(0);
        }
    }

    /// Whether a message's media may come back: with them, the view must still be clearly within its media budget.
    pub(super) fn has_room_for_media_of(&self, current: &Slot, whole: &Message) -> bool {
        let (all, shown, whole_has) =
            (self.view.media(), MediaSums::of(&current.message), MediaSums::of(whole));
        let sums = MediaSums {
            images: all.images - shown.images + whole_has.images,
            bytes: all.bytes - shown.bytes + whole_has.bytes,
        };
        let mut is_refused = false;
        for_each_medium(whole, &mut |media| is_refused |= self.media_budget.is_too_large(media));
        !is_refused && self.media_budget.target().holds(sums)
    }

    /// Replaces with placeholders those media that came back although they are too large for any request.
    pub(super) fn trim_refused_media(&mut self, came_back: &NodeSet) {
        let budget = self.media_budget;
        for at in 0..self.view.body().len() {
            if came_back.contains(&self.view.body()[at].node) {
                self.trim_at(at, &mut |media| budget.is_too_large(media));
            }
        }
    }

    /// Trims the view to its media budget as far as possible. Media that are too large on their own are only searched for
    /// from body position `from` on. Reported with the decisions of the next run.
    pub(super) fn trim_media_on_entry(&mut self, from: usize) {
        let budget = self.media_budget;
        let trimmed = self.by_pass("trim_media", |context| context.trim_media_to(&budget, from));
        self.on_entry.note_media(trimmed);
    }

    /// Replaces the oldest media with placeholders until the view is within a budget. Pinned messages and the newest user
    /// message keep theirs. Returns the messages that lost media, and the tokens each saved.
    pub fn trim_media_to(&mut self, budget: &MediaBudget, from: usize) -> Vec<(NodeIndex, u64)> {
        let sums = self.view.media();
        if sums.is_none() || *budget == MediaBudget::default() {
            return Vec::new();
        }
        let mut trimmed = Vec::new();
        for at in from..self.view.body().len() {
            if !MediaSums::of(&self.view.body()[at].message).is_none() {
                trimmed.extend(self.trim_at(at, &mut |media| budget.is_too_large(media)));
            }
        }
        if !budget.holds(self.view.media()) {
            let target = budget.target();
            for at in 0..self.view.body().len() {
                let now = self.view.media();
                if target.holds(now) {
                    break;
                }
                let mut left = now;
                trimmed.extend(self.trim_at(at, &mut |media| {
                    let is_image = media.kind == MediaKind::Image;
                    let helps = target.max_images.is_some_and(|max| is_image && left.images > max)
                        || target.max_bytes.is_some_and(|max| bytes_of(media) > 0 && left.bytes > max);
                    if helps {
                        left.images -= u64::from(is_image);
                        left.bytes -= bytes_of(media);
                    }
                    helps
                }));
            }
        }
        let nodes: Vec<NodeIndex> = trimmed.iter().map(|(node, _)| *node).collect();
        for node in &nodes {
            self.note_left_out(*node, WHY, None);
        }
        if !nodes.is_empty() {
            self.emit(EventName::OutputTrimmed, &nodes, WHY.to_owned());
        }
        trimmed
    }

    /// Replaces the media for which `is_removed` returns true in the message at a body position.
    fn trim_at(&mut self, at: usize, is_removed: &mut dyn FnMut(&Media) -> bool) -> Option<(NodeIndex, u64)> {
        let slot = &self.view.body()[at];
        let node = self.history.node(slot.node);
        if node.kind != NodeKind::Message || node.pinned || self.is_newest_request(at) {
            return None;
        }
        if MediaSums::of(&slot.message).is_none() && !holds_media(&slot.message) {
            return None;
        }
        let (index, before, form) = (slot.node, slot.tokens(), slot.form);
        let mut message = Message::clone(&slot.message);
        let mut changed = false;
        for part in &mut message.parts {
            if let Part::ToolOutput(output) = part {
                let known = output.output_ref.as_ref().map(|r| r.id.clone());
                let known = known.filter(|id| self.outputs.contains(id));
                for part in &mut output.content {
                    changed |= self.replace_medium(part, known.as_deref(), is_removed);
                }
            } else {
                changed |= self.replace_medium(part, None, is_removed);
            }
        }
        if !changed {
            return None;
        }
        let tally = Tally::of(&message, &*self.counter);
        let form = if form == Form::Whole { Form::MediaTrimmed } else { form };
        self.view.replace(at, Arc::new(message), tally, form);
        Some((index, before.saturating_sub(tally.total())))
    }

    /// Replaces a medium with a placeholder if it goes. Its ref is that of the output it is in, or a new one.
    fn replace_medium(
        &mut self,
        part: &mut Part,
        known: Option<&str>,
        is_removed: &mut dyn FnMut(&Media) -> bool,
    ) -> bool {
        let Part::Media(media) = &*part else { return false };
        if !is_removed(media) {
            return false;
        }
        let kind = media.kind.as_str();
        let stored = match known {
            Some(id) => Some(id.to_owned()),
            None => self.outputs.put(vec![part.clone()], None).ok().map(|stored| stored.id),
        };
        let named = stored.filter(|_| self.wording.names_refs());
        let by_ref = named.map(|id| format!("; ref={id}")).unwrap_or_default();
        *part = Part::text(format!("[{kind} left out of this request{by_ref}]"));
        true
    }

    /// Whether the newest user message is at this body position.
    fn is_newest_request(&self, at: usize) -> bool {
        let body = self.view.body();
        body[at].opens_turn() && !body[at + 1..].iter().any(Slot::opens_turn)
    }
}

fn holds_media(message: &Message) -> bool {
    let mut any = false;
    for_each_medium(message, &mut |_| any = true);
    any
}
