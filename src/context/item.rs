use serde::Serialize;

use crate::message::ItemType;

/// A message with what the engine knows of it, for the caller.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Item {
    /// The message's id.
    pub id: String,
    /// What kind of entry it is.
    pub item_type: ItemType,
    /// Tokens that it takes in the view now.
    pub tokens: u64,
    /// Lower goes first.
    pub priority: i64,
    /// How many of its kind stay, where it is ephemeral.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<u32>,
    /// It stands verbatim in every view.
    pub pinned: bool,
    /// How it stands in the view.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "ItemForm"))]
    pub form: &'static str,
}
