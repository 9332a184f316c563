use std::borrow::Borrow;
use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;
use std::sync::Arc;

use serde::Serialize;

use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

/// The id of a message in reports and events. Shared with the history, since a fold may list thousands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct ItemId(Arc<str>);

impl ItemId {
    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for ItemId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for ItemId {
    fn borrow(&self) -> &str {
        self
    }
}

impl From<&Arc<str>> for ItemId {
    fn from(id: &Arc<str>) -> Self {
        Self(id.clone())
    }
}

impl From<&str> for ItemId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl PartialEq<str> for ItemId {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for ItemId {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialEq<String> for ItemId {
    fn eq(&self, other: &String) -> bool {
        **self == **other
    }
}

impl Display for ItemId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&**self, f)
    }
}

impl Debug for ItemId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&**self, f)
    }
}

/// Saved as a string.
impl Saved for ItemId {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.string(self);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        from.string().map(Self::from)
    }
}
