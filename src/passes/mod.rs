//! Ways to make a view smaller. A [`Ladder`] is an ordered list of them; every preset is one.

mod ladder;
mod pass;
mod recent_window;
mod rolling_summary;
mod shorten;
mod summarize;

pub use ladder::{Given, Ladder};
pub use pass::{Aim, Outcome, Pass};
pub use recent_window::RecentWindow;
pub use rolling_summary::RollingSummary;
pub use shorten::Shorten;
pub use summarize::Summarize;
