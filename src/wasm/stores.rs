//! What a session knows of stores: where it is saved, and what is being written there.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use js_sys::Promise;

use super::home::Home;
use super::pending::Pending;
use super::store::Store;
use crate::tool_output::ToolOutputs;

/// How many earlier places where a session was saved are remembered, besides the last one.
const MAX_PLACES: usize = 8;

/// A session's state about stores.
pub struct Stores {
    /// The option `store`, or else the store the session was loaded from or first saved in.
    pub own: RefCell<Option<Store>>,
    pub home: RefCell<Option<Home>>,
    /// Where it was saved before `home`, the most recent last.
    earlier_homes: RefCell<Vec<Home>>,
    /// Which of the own store's outputs are also in another store, where the session was saved last.
    pub copied: RefCell<Option<(Store, HashSet<String>)>>,
    /// A place where a save may have succeeded without the store confirming it.
    pub unconfirmed: RefCell<Option<Home>>,
    /// The last `save`; saves run one after the other.
    pub saving: RefCell<Option<Promise>>,
    pub pending: Pending,
    /// Whether a batch of outputs is being moved into the store.
    pub moving: Cell<bool>,
    /// When memory holds this many bytes of outputs, they are checked again for what can be moved.
    pub look_at: Cell<u64>,
    /// The output that was read last from the store, with its key.
    pub fetched: RefCell<Option<(String, Rc<ToolOutputs>)>>,
    /// Where this session has taken the lease, which may no longer be its home.
    pub leased: RefCell<Option<Home>>,
    /// Marks a lease as this session's. It is in no snapshot, and nothing else depends on it.
    pub token: String,
}

impl Stores {
    pub fn new(own: Option<Store>) -> Self {
        let token = format!("{:x}", (js_sys::Math::random() * 2_f64.powi(52)) as u64);
        Self {
            own: RefCell::new(own),
            home: RefCell::default(),
            earlier_homes: RefCell::default(),
            copied: RefCell::default(),
            unconfirmed: RefCell::default(),
            saving: RefCell::default(),
            pending: Pending::default(),
            moving: Cell::new(false),
            look_at: Cell::new(0),
            fetched: RefCell::default(),
            leased: RefCell::default(),
            token,
        }
    }

    /// A known place: the session was loaded from it or saved in it.
    pub fn known_home(&self, store: &Store, key: &str) -> Option<Home> {
        let (home, elsewhere) = (self.home.borrow(), self.earlier_homes.borrow());
        home.iter().chain(elsewhere.iter()).find(|home| home.is_at(store, key)).cloned()
    }

    /// A place where a save may have succeeded unconfirmed.
    pub fn unconfirmed(&self, store: &Store, key: &str) -> Option<Home> {
        self.unconfirmed.borrow().clone().filter(|unsure| unsure.is_at(store, key))
    }

    /// All known places with this key, in whatever store.
    pub fn homes_under(&self, key: &str) -> Vec<Home> {
        let (home, elsewhere) = (self.home.borrow(), self.earlier_homes.borrow());
        home.iter().chain(elsewhere.iter()).filter(|home| home.key == key).cloned().collect()
    }

    /// Records where the session is saved now. An unconfirmed save there no longer matters.
    pub fn move_to(&self, home: Home) {
        let mut unsure = self.unconfirmed.borrow_mut();
        *unsure = unsure.take().filter(|unsure| !unsure.is_at(&home.store, &home.key));
        drop(unsure);
        let mut elsewhere = self.earlier_homes.borrow_mut();
        elsewhere.retain(|earlier| !earlier.is_at(&home.store, &home.key));
        let before = self.home.replace(Some(home.clone()));
        elsewhere.extend(before.filter(|before| !before.is_at(&home.store, &home.key)));
        if elsewhere.len() > MAX_PLACES {
            elsewhere.remove(0);
        }
    }

    /// Records in a place that a save is being tried there, since its answer may never come.
    pub fn note_attempt(&self, home: &mut Home, now: u64, sum: u64) {
        home.attempts.push((now, sum));
        *self.unconfirmed.borrow_mut() = Some(home.clone());
    }
}
