//! What a custom pass of the host receives and returns.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::slot::Form;
use crate::error::Result;
use crate::message::{ItemType, Role};

/// A message as a custom pass sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomItem {
    /// Its id.
    pub id: String,
    /// Its role.
    pub role: Role,
    /// Its item type.
    pub item_type: ItemType,
    /// The name of the tool whose call it answers.
    pub tool: Option<String>,
    /// Its tokens in the view.
    pub tokens: u64,
    /// The form in which the view shows it.
    pub form: Form,
    /// How many answers of the model come after it.
    pub age: u64,
    /// Whether every view shows it verbatim.
    pub pinned: bool,
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
pub type CustomRuns = BTreeMap<usize, Rc<CustomRun>>;
