//! History as a graph: its document, its properties, its cost, its snapshots.

#![allow(clippy::unwrap_used, clippy::panic)]
#![allow(clippy::disallowed_methods, reason = "the number of random cases is read from the environment")]

#[path = "graph/cost.rs"]
mod cost;
#[path = "graph/document.rs"]
mod document;
#[path = "graph/folds.rs"]
mod folds;
#[path = "graph/lanes.rs"]
mod lanes;
#[path = "graph/properties.rs"]
mod properties;
#[path = "graph/refusals.rs"]
mod refusals;
#[path = "graph/snapshots.rs"]
mod snapshots;
#[path = "graph/world.rs"]
mod world;
