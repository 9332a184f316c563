//! The even cut (COMP-25): what a model reads of the older steps of a conversation that is too long to be read whole.
//!
//! The newest steps stand whole. All other steps stay in their places, and every long text in them is cut to one level: its
//! head and its tail stand, or of JSON what is least deep, and a mark says how much is left out, and which names stood there. The
//! level is the largest with which everything fits. What does not fit at the smallest level is for a summary to stand for.
//!
//! Why so: on recorded sessions, a language model predicts the agent's next message better from such a view than from any
//! number of whole steps (`docs/measured.md` has the figures).
//!
//! The level is chosen from sizes, by bisection, without cutting anything. Then texts are cut and counted, and the level is
//! corrected until the view is full. Texts are always cut from the history's message, so a later cut, a larger budget or a
//! rewind can use any level.
//!
//! `summarize` stands before `even_cut` and plans by what will stay once the rest is cut (`Pass::stands_between`). When the
//! summary is there, what it left room for is given back (`FoldPlan::giving_back`), its ledger is written again for what is
//! still folded, and the cut fills the view.

mod level;
mod message;
mod names;
mod sizes;
mod steps;
mod text;

pub use level::Level;
pub use message::cut_slot;
pub use names::Names;
pub use steps::{Cut, Share, Steps, can_be_cut, fixed_tokens, low_beside, standing_whole};
