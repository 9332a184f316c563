//! What models hold: the registry of their limits, and the limit of a view.

mod built_in;
mod limits;
mod names;
mod registry;

pub use built_in::BUILT_IN_AS_OF;
pub use limits::{ModelLimits, limit};
pub use registry::Registry;
