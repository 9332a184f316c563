//! The lab: what a view is worth, measured.

mod retention;

pub use retention::{Facts, Retention, facts, retention};
