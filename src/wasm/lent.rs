//! Objects that JavaScript got from a session, such as requests and plans. They end when the caller frees the session, even
//! if somebody still holds them.
//!
//! If the garbage collector finds the session instead, these are kept while somebody holds them, because what `prepare`
//! resolved to may still be read.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use super::inner::{Inner, freed_error};
use crate::error::Result;

/// Something of a session's.
pub struct Lent<T>(Rc<RefCell<Option<Rc<T>>>>);

impl<T> Clone for Lent<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: 'static> Lent<T> {
    /// Lends it.
    pub fn of(inner: &Inner, value: Rc<T>) -> Self {
        let cell = Rc::new(RefCell::new(Some(value)));
        let loan: Weak<dyn Loan> = Rc::downgrade(&(cell.clone() as Rc<dyn Loan>));
        inner.loans.0.borrow_mut().add(loan);
        Self(cell)
    }

    /// `FREED` once the session was freed by hand.
    pub fn get(&self) -> Result<Rc<T>> {
        self.0.borrow().clone().ok_or_else(freed_error)
    }
}

trait Loan {
    fn end(&self);
}

impl<T> Loan for RefCell<Option<Rc<T>>> {
    fn end(&self) {
        let value = self.take();
        drop(value);
    }
}

/// All that a session has lent.
#[derive(Default)]
pub struct Loans(RefCell<List>);

#[derive(Default)]
struct List {
    all: Vec<Weak<dyn Loan>>,
    /// Those that nobody has any more are looked for when there are so many.
    look_at: usize,
}

impl List {
    fn add(&mut self, loan: Weak<dyn Loan>) {
        if self.all.len() >= self.look_at {
            self.all.retain(|loan| loan.strong_count() > 0);
            self.look_at = 16 + 2 * self.all.len();
        }
        self.all.push(loan);
    }
}

impl Loans {
    /// Takes all of it back.
    pub fn end(&self) {
        let all = std::mem::take(&mut self.0.borrow_mut().all);
        all.iter().filter_map(Weak::upgrade).for_each(|loan| loan.end());
    }
}
