//! The lab: what a ladder does to a recorded transcript, and what its views are worth, measured.

mod answers;
mod recorded;
mod recording;
mod replay;
mod retention;
mod run;
mod survival;

pub use recording::Recording;
pub use retention::{Facts, Retention, facts, retention};
pub use run::{
    RecordedRun, SimulatedCall, SimulatedCompactions, SimulatedError, SimulatedRequest, SimulatedRun,
    Simulation, SimulationPrices,
};
