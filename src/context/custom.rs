//! What a custom pass of the host receives and returns.

use std::rc::Rc;

use serde::Serialize;

use crate::error::Result;
use crate::message::{ItemType, Role};
use crate::sorted::SortedMap;

/// A message as a custom pass sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CustomItem {
    /// Its id.
    pub id: String,
    /// Its role.
    pub role: Role,
    /// Its item type.
    pub item_type: ItemType,
    /// Its tokens in the view.
    pub tokens: u64,
    /// The form in which the view shows it.
    pub form: &'static str,
    /// How many answers of the model come after it.
    pub age: u64,
    /// Whether every view shows it verbatim.
    pub pinned: bool,
    /// The name of the tool whose call it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// The decision of a custom pass, as message ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Messages to remove from the view, as whole steps.
    pub drop: Vec<String>,
    /// Tool outputs to replace with placeholders.
    pub trim: Vec<String>,
}

/// The host's function.
pub type CustomRun = dyn Fn(&[CustomItem], u64) -> Result<Verdict>;

/// The functions of a ladder's custom passes, by their index in its list.
pub type CustomRuns = SortedMap<usize, Rc<CustomRun>>;
