//! History and view: the state that every pass works on.
//!
//! The **history** is every message that ever entered, in an arena of [`Node`]s that only grows. The **view** is what the
//! model is sent next: an ordered list of [`Slot`]s that point into the history. Folding, trimming and cutting change slots.
//! What a model reads of a node's message changes only if the message is erased, or while its output is kept in the host's
//! store.
//!
//! The files build on each other in this order: plain data (nodes, tallies, decisions …), `history`, `slot`, `fold`, `view`,
//! `report`, [`Context`] in `core`, and then what works on a context, by topic.
//!
//! Token sums by part are updated as slots change, so a push costs only what is new, however long the history is. The long
//! lists of a view are shared with its clones until one of them is edited (`shared`), so the copy that allows a run to be
//! undone is free if nothing changes.

mod away;
mod branch;
mod cache_cost;
mod compacted;
mod core;
mod cost;
mod custom;
mod decision;
mod drops;
mod duplicates;
mod erase;
mod event;
mod facts;
mod fold;
mod fold_info;
mod folding;
mod header;
mod history;
mod holders;
mod instructions;
mod item;
mod item_id;
mod journal;
mod left_out_now;
mod media;
mod media_budget;
mod node;
mod on_entry;
mod output_budget;
mod outputs;
mod part_name;
mod parts;
mod pins;
mod placeholders;
mod pruned;
mod push;
mod recount;
mod renew;
mod renumbering;
mod report;
mod rewind;
mod rewrite;
mod room;
mod rules;
mod saved;
mod shared;
mod slot;
mod summary_state;
mod tally;
mod thinking;
mod unfold;
mod units;
mod view;
mod wording;

pub use cache_cost::CacheCost;
pub use core::Context;
pub use cost::{ContextCost, CostDecision};
pub use custom::{CustomItem, CustomRuns, Verdict};
pub use decision::{Decision, number_attempts};
pub use erase::ERASED;
pub use event::{Event, EventName};
pub use fold::{Fold, FoldMessages};
pub use fold_info::FoldInfo;
pub use history::{CallRenamed, History};
pub use item::{Item, default_priority};
pub use item_id::ItemId;
pub use journal::{ContextChanges, ContextMark, Known};
pub use left_out_now::LeftOutNow;
pub use media_budget::{MediaBudget, MediaSums};
pub use node::{Node, NodeIndex, NodeKind, NodeSet};
pub use on_entry::OnEntry;
pub use output_budget::{LOW_RATIO, OutputBudget};
pub use part_name::PartName;
pub use pruned::is_instruction;
pub use renumbering::Renumbering;
pub use report::{CounterReport, LedgerLeftOut, LeftOut, PartReport, Report, RuleReport, SummaryReport};
pub use slot::{Form, PlacedSlot, Slot};
pub use summary_state::SummaryState;
pub use tally::Tally;
pub use units::{Place, Unit, UnitKind, begin_with_user};
pub use view::{Snapshot, View};
pub use wording::{PlaceholderWriter, Wording, called};
