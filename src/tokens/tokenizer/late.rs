//! A value that is made on first use.

use std::cell::LazyCell;
use std::rc::Rc;

/// A value that is made when it is first asked for, and shared.
pub type Late<T> = Rc<LazyCell<T, Box<dyn FnOnce() -> T>>>;

/// Of what makes it.
pub fn late<T>(make: impl FnOnce() -> T + 'static) -> Late<T> {
    Rc::new(LazyCell::new(Box::new(make)))
}
