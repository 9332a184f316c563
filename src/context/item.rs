use serde::Serialize;

use crate::message::ItemType;

/// A message with its metadata, for the caller.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Item {
    /// The message's id.
    pub id: String,
    /// Its item type.
    pub item_type: ItemType,
    /// Its tokens in the view now.
    pub tokens: u64,
    /// Items with a lower priority are removed first.
    pub priority: i64,
    /// How many messages of its kind stay, if it is ephemeral.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<u32>,
    /// Whether every view shows it verbatim.
    pub pinned: bool,
    /// The form in which the view shows it.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "ItemForm"))]
    pub form: &'static str,
}
