//! A place in a store where a session is saved, and the position of its journal there.

use wasm_bindgen::JsValue;

use super::error::context_error;
use super::store::{Journal, Store};
use crate::error::{Error, ErrorCode};
use crate::saved::{Checksum, Records};
use crate::session::SESSION;

/// Where a session was last loaded from or saved.
#[derive(Clone)]
pub struct Home {
    pub store: Store,
    pub key: String,
    /// The position of its journal there; `None` if nothing was there.
    pub position: Option<u64>,
    /// The checksum of the last record there, or else of the snapshot. It tells apart two journals at the same position.
    pub last: Option<u64>,
    /// Bytes of the snapshot, and of the records after it.
    pub snapshot: u64,
    pub tail: u64,
    /// Whether the stored data is incomplete: then the next save writes a new snapshot.
    pub is_incomplete: bool,
    /// What unanswered saves may have written: the position afterwards, and the checksum of the snapshot or of the last record.
    pub attempts: Vec<(u64, u64)>,
}

impl Home {
    pub fn new(store: Store, key: String) -> Self {
        Self {
            store,
            key,
            position: None,
            last: None,
            snapshot: 0,
            tail: 0,
            is_incomplete: false,
            attempts: Vec::new(),
        }
    }

    /// The position of its journal.
    pub fn position(&self) -> Option<u64> {
        self.position
    }

    /// The same place, advanced to what was read.
    pub fn advanced_to(mut self, there: &Journal) -> Self {
        if let Some(snapshot) = &there.snapshot {
            (self.snapshot, self.tail) = (snapshot.len() as u64, 0);
        }
        self.tail += there.records.len() as u64;
        self.position = Some(there.position);
        self.last = last_of(there);
        self
    }

    /// The key of the lease for a summary.
    pub fn lease(&self) -> String {
        format!("{}:lease", self.key)
    }

    pub fn is_at(&self, store: &Store, key: &str) -> bool {
        self.key == key && self.store.is(store)
    }

    /// Whether it is the same place at the same position.
    pub fn is(&self, other: &Self) -> bool {
        self.is_at(&other.store, &other.key) && self.position == other.position
    }

    /// Whether somebody else has saved since.
    pub async fn has_moved_on(&self) -> Result<bool, JsValue> {
        let there = self.store.read(&self.key, self.position).await?;
        Ok(there.map(|there| there.position) != self.position)
    }
}

/// Converts a checksum to a number.
pub fn number(sum: Checksum) -> u64 {
    u64::from_le_bytes(sum.to_bytes())
}

/// The checksum of the last record, or else of the snapshot.
pub fn last_of(there: &Journal) -> Option<u64> {
    let snapshot = || Some(number(SESSION.sum(there.snapshot.as_deref()?)?));
    let records = Records::read(&there.records).ok()?;
    records.whole.last().map(|record| record.sum).or_else(snapshot)
}

/// A `STORE_CONFLICT` error for a key under which nothing is saved any more.
pub fn removed(home: &Home) -> JsValue {
    let key = &home.key;
    let why = if home.position.is_some() {
        format!(
            "the session saved under `{key}` was removed after this session was loaded or saved; nothing was written. To bring it back, save `Session.restore(session.snapshot())`, or save under another key"
        )
    } else {
        format!("another writer saved under `{key}` and then removed it; nothing was written. Save again")
    };
    context_error(&Error::new(ErrorCode::StoreConflict, why), None, None)
}

/// A `STORE_CONFLICT` error.
pub fn conflict(home: &Home) -> JsValue {
    let key = &home.key;
    let why = if home.position.is_some() {
        format!(
            "another writer saved under `{key}` after this session was loaded or saved; nothing was overwritten. Load the session again and push the new messages"
        )
    } else {
        format!(
            "a session is already saved under `{key}`; nothing was overwritten. Load that session, or save under another key"
        )
    };
    context_error(&Error::new(ErrorCode::StoreConflict, why), None, None)
}
