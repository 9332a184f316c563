//! Packs vocabularies and writes tables. A build tool: it panics where its source is not what it expects.

#![allow(clippy::disallowed_methods, reason = "a build tool reads and writes files")]

mod asset;
mod classes;
mod decompositions;
mod models;

pub use asset::{ENCODINGS, Source, pack, sign, with_streams};
pub use classes::{signs as sign_table, table as unicode_table};
pub use decompositions::table as decomposition_table;
pub use models::table as model_table;
