//! The lab: what a ladder does to a recorded transcript, and what its views are worth, measured.

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
