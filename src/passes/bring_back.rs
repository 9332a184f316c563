//! Brings messages back when there is room again. It restores the view as if nothing had been taken out (`context/room.rs`);
//! the passes behind it then take out again what still has no room. So no pass has to undo its own work.

use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::context::Context;
use crate::error::Result;

/// Brings back what was taken out of the view to make room, once there is room again: the window or a budget grew, or the
/// conversation was rewound. It comes first in every ladder; the passes behind it then take out again what still has no
/// room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BringBack {
    /// A pass behind it redoes cut texts, so these stay as they are until then.
    cuts_behind: bool,
}

impl Options for BringBack {}

impl Pass for BringBack {
    fn name(&self) -> &'static str {
        "bring_back"
    }

    fn wants(&self, context: &Context, _: &Aim) -> bool {
        context.view.has_room_again()
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let items = context.bring_back(self.cuts_behind);
        Ok(Outcome::changed(items, "there is room again for content that had been removed to save space"))
    }

    fn set_neighbours(&mut self, _: &[Box<dyn Pass>], behind: &[Box<dyn Pass>]) {
        self.cuts_behind = behind.iter().any(|pass| pass.cuts_evenly());
    }
}
