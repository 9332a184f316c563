//! What a custom pass of the host gets, and what it may return.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::view::Form;
use crate::error::Result;
use crate::message::{ItemType, Role};

/// A message as a custom pass sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomItem {
    /// Its id.
    pub id: String,
    /// Its role.
    pub role: Role,
    /// What kind of entry it is.
    pub item_type: ItemType,
    /// The tool whose call it answers.
    pub tool: Option<String>,
    /// Its tokens as it stands.
    pub tokens: u64,
    /// How it stands in the view.
    pub form: Form,
    /// How many answers of the model stand behind it.
    pub age: u64,
    /// It stands verbatim in every view.
    pub pinned: bool,
}

/// What it decides, by ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// These leave the view: whole steps.
    pub drop: Vec<String>,
    /// These tool outputs become placeholders.
    pub trim: Vec<String>,
}

/// The host's function.
pub type CustomRun = dyn Fn(&[CustomItem], u64) -> Result<Verdict>;

/// The functions of a ladder's custom passes, by their places in its list.
pub type CustomRuns = BTreeMap<usize, Rc<CustomRun>>;
