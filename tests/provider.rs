//! Provider formats, in and out.
#![recursion_limit = "512"]
// Tests read files and fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

#[path = "provider/contract.rs"]
mod contract;
#[path = "provider/converse.rs"]
mod converse;
#[path = "provider/conversion.rs"]
mod conversion;
#[path = "provider/cuts.rs"]
mod cuts;
#[path = "provider/data.rs"]
mod data;
#[path = "provider/history.rs"]
mod history;
#[path = "provider/long.rs"]
mod long;
#[path = "provider/messages.rs"]
mod messages;
#[path = "provider/mutations.rs"]
mod mutations;
#[path = "invariants/oracle.rs"]
mod oracle;
#[path = "provider/overflow.rs"]
mod overflow;
#[path = "provider/recorded.rs"]
mod recorded;
#[path = "provider/responses.rs"]
mod responses;
#[path = "provider/rules.rs"]
mod rules;
