//! The even cut (COMP-25): shows the older steps of a long conversation with their long texts cut short.
//!
//! The newest steps stay whole, and those to whose outputs newer steps go back. All other steps keep their places, and each of
//! their long texts is cut to one level: a number of tokens. A cut text keeps its head and its tail; cut JSON keeps its
//! outermost levels. A mark says how many tokens are left out and lists names that occurred in them. The level is the largest
//! with which everything fits. Steps that do not fit even at the smallest level have to be summarised.
//!
//! Why: on recorded sessions, a language model predicts the agent's next message better from such a view than from any
//! number of whole steps (`docs/measured.md` has the figures).
//!
//! The level is first chosen by bisection from estimated sizes, without cutting anything. Then the texts are cut and
//! counted, and the level is corrected until the view is full. Texts are cut from the message in the history, so a later
//! cut, a larger budget or a rewind can use any level; only outputs in the host's store are cut from what the view shows of them.
//!
//! `summarize` comes before `even_cut` in the ladder and plans for what will stay once the rest is cut
//! (`Pass::set_neighbours`). If the finished summary is smaller than planned, messages that were to be folded stay
//! (`FoldPlan::keep_newest_that_fit`). Its ledger is then rewritten for what is still folded, and the even cut fills the view.

mod cut;
mod difference;
mod in_use;
mod level;
mod message;
mod names;
mod sizes;
mod staying;
mod steps;
mod text;

pub use cut::{Cut, Share};
pub use level::Level;
pub use message::cut_slot;
pub use names::Names;
pub use steps::{Steps, can_be_cut, fixed_tokens, target_beside_fixed, uncut};
