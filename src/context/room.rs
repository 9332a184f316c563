//! Brings back what was taken out of the view to make room, when there is room again.

use super::core::Context;
use super::event::EventName;
use super::media_budget::MediaSums;
use super::node::{NodeIndex, NodeSet};
use super::slot::{Form, Slot};
use crate::message::Role;

pub(super) const ROOM_AGAIN: &str = "there is room again";

impl Context {
    /// Brings back everything that no fold replaced: what was dropped, pruned, trimmed or shortened; tool outputs and media
    /// as far as their budgets allow, newest first. With `but_cuts`, texts cut to a level stay cut, since a pass redoes
    /// them. Passes that do not depend on the room will act again. Returns what changed.
    pub fn bring_back(&mut self, but_cuts: bool) -> Vec<NodeIndex> {
        let mut back = self.view.show_all_parts();
        let dropped = self.dropped_for_room();
        if !dropped.is_empty() {
            self.view.restore(&dropped);
        }
        // Only up to the low mark that a trim goes down to. With more, the next output would push out again what comes back
        // now.
        let mut room = if self.output_config.enabled { self.output_budget.target } else { u64::MAX };
        room = room.saturating_sub(self.view.output_tokens());
        let mut newest_first = Vec::new();
        let (mut is_cut, mut has_room_for_media) = (false, true);
        for at in (0..self.view.body().len()).rev() {
            let current = &self.view.body()[at];
            let (node, is_back) = (current.node, dropped.contains(&current.node));
            if let Some(whole) = self.with_its_media(current).filter(|_| has_room_for_media) {
                has_room_for_media = self.has_room_for_media_of(current, &whole.message);
                if has_room_for_media {
                    self.view.replace(at, whole.message, whole.tally, whole.form);
                    newest_first.push(node);
                    continue;
                }
            }
            if let Some(whole) = self.unshortened(current, but_cuts) {
                let grows = whole.tokens().saturating_sub(current.tokens());
                if current.role() != Role::Tool || grows <= room {
                    room -= if current.role() == Role::Tool { grows } else { 0 };
                    self.view.replace(at, whole.message, whole.tally, whole.form);
                    newest_first.push(node);
                    continue;
                }
                room = 0; // only the newest come back
            }
            is_cut |= matches!(self.view.body()[at].form, Form::Shortened | Form::Pointer);
            newest_first.extend(Some(node).filter(|_| is_back));
        }
        self.view.set_cut_to(None);
        if but_cuts && is_cut {
            self.view.allow_uncutting();
        }
        back.extend(newest_first.into_iter().rev());
        if back.is_empty() {
            return back;
        }
        let came_back: NodeSet = back.iter().copied().collect();
        self.trim_refused_media(&came_back);
        self.view.pruned.retain(|node, _| !came_back.contains(node));
        self.view.list_trimmable();
        self.on_entry.forget(|node| came_back.contains(&node));
        let is_back = |id: &str| self.history.find(id).is_some_and(|node| came_back.contains(&node));
        self.left_out.retain(|line| line.fold.is_some() || !is_back(&line.id));
        self.replace_stale_pointers();
        self.emit(EventName::Unfolded, &back, ROOM_AGAIN.to_owned());
        back
    }

    /// What passes dropped, except for what the provider's newest compaction covers: that stays out, however much room there
    /// is.
    fn dropped_for_room(&self) -> NodeSet {
        let order = self.view.order();
        let compaction = self.newest_compaction();
        let from = compaction.and_then(|node| order.iter().rposition(|n| *n == node)).unwrap_or(0);
        order[from..].iter().copied().filter(|n| self.view.dropped(*n).is_some()).collect()
    }

    /// The message as it entered, if the view shows it without its media.
    fn with_its_media(&self, current: &Slot) -> Option<Slot> {
        let came_back = MediaSums::of(&self.history.node(current.node).message);
        if !matches!(current.form, Form::MediaTrimmed | Form::Cut)
            || came_back == MediaSums::of(&current.message)
        {
            return None;
        }
        let whole = self.slot_on_entry(current.node);
        (MediaSums::of(&whole.message) != MediaSums::of(&current.message)).then_some(whole)
    }

    /// The message as it entered, if it was shortened to make room.
    fn unshortened(&self, current: &Slot, but_cuts: bool) -> Option<Slot> {
        let is_shorter = match current.form {
            Form::Placeholder => current.message.meta.ephemeral.is_none(),
            Form::Truncated | Form::Stripped => true,
            Form::Shortened | Form::Pointer => !but_cuts,
            _ => false,
        };
        let whole = Some(current).filter(|_| is_shorter).map(|slot| self.slot_on_entry(slot.node));
        whole.filter(|whole| whole.form != Form::Placeholder) // on entry, an output in the host's store has no other form
    }
}
