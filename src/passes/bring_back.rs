//! It shows the view as if nothing had been taken (`context/room.rs`), and the passes behind it take again what still has no
//! room. So no pass needs a way back of its own.

use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::context::Context;
use crate::error::Result;

/// What was taken out of the view for want of room stands again, once there is room: the window or a budget grew, or the
/// conversation went back. It stands before every ladder, whose passes then take again what still has no room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BringBack {
    /// A pass behind it lays out anew what was cut: that stays as it is until then.
    cuts_behind: bool,
}

impl Pass for BringBack {
    fn name(&self) -> &'static str {
        "bring_back"
    }

    fn options(&self) -> Value {
        json!({})
    }

    fn wants(&self, context: &Context, _: &Aim) -> bool {
        context.view.has_room_again()
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let items = context.bring_back(self.cuts_behind);
        Ok(Outcome::changed(items, "there is room again for what was taken out for want of it"))
    }

    fn stands_between(&mut self, _: &[Box<dyn Pass>], behind: &[Box<dyn Pass>]) {
        self.cuts_behind = behind.iter().any(|pass| pass.cuts_evenly());
    }
}
