//! A value that is computed on first use.

use std::cell::LazyCell;
use std::rc::Rc;

/// A shared value that is computed on first use.
pub type Lazy<T> = Rc<LazyCell<T, Box<dyn FnOnce() -> T>>>;

/// A value that `make` will compute.
pub fn lazy<T>(make: impl FnOnce() -> T + 'static) -> Lazy<T> {
    Rc::new(LazyCell::new(Box::new(make)))
}
