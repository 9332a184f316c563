//! The lab measures what a ladder does to a recorded transcript, and how much of it the views keep.
//!
//! A recording is read once (`Recording`): its messages, their facts, and the figures as recorded. A replay pushes the
//! messages before each answer and prepares the view, as a host would. It advances in steps, so that a page can show its
//! progress and stop it. It keeps some copies of its session, so that the state at any call can be reached from the nearest
//! copy. It only records how its views differ from one another (`trail`); facts are counted afterwards (`survival`), so a
//! call costs only what changed. `simulate`, the command line and the page run the same code.

mod answers;
mod copies;
mod known;
mod page_faults;
mod recorded;
mod recording;
mod replay;
mod retention;
mod run;
mod survival;
mod trail;
mod transcript;

pub use crate::facts::{LEDGER_HEADING, Status, actions};
pub use crate::model::PRICES_AS_OF;
pub use page_faults::PageFaults;
pub use recording::Recording;
pub use replay::Replay;
pub use retention::{Facts, Retention, facts, retention};
pub use run::{
    CacheBreak, RecordedRun, SimulatedCall, SimulatedCompactions, SimulatedError, SimulatedRequest,
    SimulatedRun, Simulation, SimulationPrices,
};
