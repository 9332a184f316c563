//! The view size that texts are cut for, and whether they are to come back or to be cut again.

use super::View;

/// [`View::cut_to`] if there is room again for everything that was taken out to make room …
const ROOM_AGAIN: u64 = 0;

/// … if cut texts are to be cut again from scratch …
const RECUT_REQUESTED: u64 = 1;

/// … or if cut texts may come back.
const UNCUTTING_ALLOWED: u64 = 2;

impl View {
    /// Sets the view size that texts are cut for; `None` if nothing is cut.
    pub fn set_cut_to(&mut self, tokens: Option<u64>) {
        self.cut_to = tokens;
    }

    /// Records that there is room again for what was taken out to make room.
    pub fn expect_room(&mut self) {
        self.cut_to = Some(ROOM_AGAIN);
    }

    /// Whether [`View::expect_room`] was called.
    pub fn has_room_again(&self) -> bool {
        self.cut_to == Some(ROOM_AGAIN)
    }

    /// Requests that cut texts be cut again from scratch, whatever room they were cut for.
    pub fn request_recut(&mut self) {
        self.cut_to = Some(RECUT_REQUESTED);
    }

    /// Whether that was requested, because a fold made room.
    pub fn is_recut_requested(&self) -> bool {
        self.cut_to == Some(RECUT_REQUESTED)
    }

    /// Allows cut texts to come back, whatever room they were cut for.
    pub fn allow_uncutting(&mut self) {
        self.cut_to = Some(UNCUTTING_ALLOWED);
    }

    /// Whether texts are cut for a view clearly smaller than `tokens`, or the view has shrunk since, so that a cut message
    /// could be whole again.
    pub fn is_cut_for_less(&self, tokens: u64) -> bool {
        self.cut_to.is_some_and(|cut| tokens > cut.saturating_add(cut / 10) || self.tokens() < cut / 2)
    }
}
