//! Images, documents and sounds in the view: providers limit their number and their bytes.
//!
//! Sums of images and bytes are updated as messages enter, like those of tokens.

use std::sync::Arc;

use super::core::Context;
use super::event::EventName;
use super::media_budget::{MediaBudget, MediaSums, bytes_of, media_of};
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::slot::{Form, Slot};
use crate::message::{Media, MediaKind, Message, Part};

/// What a report says about media that left the view.
const WHY: &str =
    "the request exceeded its limit for images or bytes, so the oldest media became placeholders";

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
        !media_of(whole).any(|media| self.media_budget.is_too_large(media))
            && self.media_budget.target().holds(sums)
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
        media_of(&slot.message).next()?;
        let (index, before, form) = (slot.node, slot.tokens(), slot.form);
        let mut message = Message::clone(&slot.message);
        let mut is_removed_medium = |part: &Part| matches!(part, Part::Media(media) if is_removed(media));
        let mut changed = false;
        for part in &mut message.parts {
            if let Part::ToolOutput(output) = part {
                let known = output.output_ref.as_ref().map(|r| r.id.clone());
                let known = known.filter(|id| self.outputs.contains(id));
                for part in &mut output.content {
                    if is_removed_medium(part) {
                        self.leave_out_medium(index, part, known.as_deref());
                        changed = true;
                    }
                }
            } else if is_removed_medium(part) {
                self.leave_out_medium(index, part, None);
                changed = true;
            }
        }
        if !changed {
            return None;
        }
        let tally = self.tally_of(&message);
        let form = if form == Form::Whole { Form::MediaTrimmed } else { form };
        self.view.replace(at, Arc::new(message), tally, form);
        Some((index, before.saturating_sub(tally.total())))
    }

    /// Replaces a medium with a placeholder. Its ref is that of the output it is in, or a new one.
    pub fn leave_out_medium(&mut self, node: NodeIndex, part: &mut Part, known: Option<&str>) {
        let Part::Media(media) = &*part else { return };
        let kind = media.kind.as_str();
        let stored = match known {
            Some(id) => Some(id.to_owned()),
            None => self.store_copy(node, part.clone()).ok(),
        };
        let named = stored.filter(|_| self.wording.names_refs());
        let by_ref = named.map(|id| format!("; ref={id}")).unwrap_or_default();
        *part = Part::text(format!("[{kind} left out of this request{by_ref}]"));
    }

    /// Whether the newest user message is at this body position.
    fn is_newest_request(&self, at: usize) -> bool {
        let body = self.view.body();
        body[at].opens_turn() && !body[at + 1..].iter().any(Slot::opens_turn)
    }
}
