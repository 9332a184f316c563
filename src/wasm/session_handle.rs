//! Objects that JavaScript got from a session, such as requests and plans. They become unusable when the caller frees the session,
//! even if somebody still holds them.
//!
//! If the garbage collector frees the session instead, they stay usable as long as somebody holds them, because the result of
//! `prepare` may still be read.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use super::freed::freed_error;
use crate::error::Result;

/// A value that belongs to a session.
pub struct SessionHandle<T>(Rc<RefCell<Option<Rc<T>>>>);

impl<T> Clone for SessionHandle<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: 'static> SessionHandle<T> {
    /// Lends a value.
    pub fn of(lent: &LentHandles, value: Rc<T>) -> Self {
        let cell = Rc::new(RefCell::new(Some(value)));
        let handle: Weak<dyn Revocable> = Rc::downgrade(&(cell.clone() as Rc<dyn Revocable>));
        lent.0.borrow_mut().add(handle);
        Self(cell)
    }

    /// The value; `FREED` once the caller has freed the session.
    pub fn get(&self) -> Result<Rc<T>> {
        self.0.borrow().clone().ok_or_else(freed_error)
    }
}

trait Revocable {
    fn revoke(&self);
}

impl<T> Revocable for RefCell<Option<Rc<T>>> {
    fn revoke(&self) {
        let value = self.take();
        drop(value);
    }
}

/// Everything that a session has lent.
#[derive(Default)]
pub struct LentHandles(RefCell<List>);

#[derive(Default)]
struct List {
    all: Vec<Weak<dyn Revocable>>,
    /// The number of handles at which unused ones are removed.
    look_at: usize,
}

impl List {
    fn add(&mut self, handle: Weak<dyn Revocable>) {
        if self.all.len() >= self.look_at {
            self.all.retain(|handle| handle.strong_count() > 0);
            self.look_at = 16 + 2 * self.all.len();
        }
        self.all.push(handle);
    }
}

impl LentHandles {
    /// Revokes all handles.
    pub fn revoke_all(&self) {
        let all = std::mem::take(&mut self.0.borrow_mut().all);
        all.iter().filter_map(Weak::upgrade).for_each(|handle| handle.revoke());
    }
}
