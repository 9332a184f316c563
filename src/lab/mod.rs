//! The lab: what a ladder does to a recorded transcript, and what its views are worth, measured.

mod replay;
mod retention;
mod run;
mod simulate;
mod survival;

pub use replay::replay;
pub use retention::{Facts, Retention, facts, retention};
pub use run::{SimulatedCall, SimulatedCompactions, SimulatedError, SimulatedRun, Simulation};
pub use simulate::{Transcript, simulate};
