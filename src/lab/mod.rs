//! The lab: what a ladder does to a recorded transcript, and what its views are worth, measured.
//!
//! A recording is read once (`Recording`): its messages, their facts, and the session as recorded. A replay pushes what stands
//! before each answer and prepares, as a host would. It goes forward in steps, so that a page can show progress and stop it,
//! and keeps some copies of its session, so that another call is reached from the nearest one. It notes only how its views
//! follow from one another (`trail`); facts are counted afterwards (`survival`), so a call costs what changed. `simulate`, the
//! command line and the page run the same code.

mod answers;
mod copies;
mod index;
mod known;
mod recorded;
mod recording;
mod replay;
mod retention;
mod run;
mod survival;
mod trail;
mod transcript;

pub use recording::Recording;
pub use replay::Replay;
pub use retention::{Facts, Retention, facts, retention};
pub use run::{
    CacheBreak, RecordedRun, SimulatedCall, SimulatedCompactions, SimulatedError, SimulatedRequest,
    SimulatedRun, Simulation, SimulationPrices,
};
