//! The messages of a view, for the caller.

use serde::Serialize;

use super::core::Context;
use super::slot::Slot;
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
    /// Its priority: as given, or the default of its type. No built-in pass uses it.
    pub priority: i64,
    /// How many messages of its kind stay, if it is ephemeral.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<u32>,
    /// Whether every view shows it verbatim.
    pub pinned: bool,
    /// The form in which the view shows it.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "ItemForm"))]
    pub form: &'static str,
}

impl Context {
    /// Every message of the view with its metadata.
    pub fn items(&self) -> Vec<Item> {
        let item = |slot: &Slot| {
            let node = self.history.node(slot.node);
            let (meta, item_type) = (&node.message.meta, node.message.item_type());
            Item {
                id: node.id.to_string(),
                item_type,
                tokens: slot.tokens(),
                priority: meta.priority.unwrap_or_else(|| default_priority(item_type)),
                ephemeral: meta.ephemeral,
                pinned: node.pinned,
                form: slot.form.as_str(),
            }
        };
        self.view.slots().map(item).collect()
    }
}

/// The order of the selective document: the lowest goes first.
pub fn default_priority(item_type: ItemType) -> i64 {
    match item_type {
        ItemType::ToolResult => 10,
        ItemType::SkillPrompt => 20,
        ItemType::SkillMetadata => 30,
        ItemType::Memory => 35,
        ItemType::Injection => 38,
        ItemType::AssistantMessage => 40,
        ItemType::UserMessage => 50,
        ItemType::CompactionSummary => 90,
        ItemType::SkillStrategy | ItemType::SubagentStrategy => 95,
        ItemType::SystemPrompt => 100,
    }
}
