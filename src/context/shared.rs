//! A value that is copied on write, but only if something else still shares it.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

/// A value whose clone is free until one of the two is changed.
#[derive(Debug, Default)]
pub(super) struct Shared<T>(Arc<T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Shared<T> {
    /// Whether both are the same value: neither was changed since one was cloned from the other.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<A, T: FromIterator<A>> FromIterator<A> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = A>>(values: I) -> Self {
        T::from_iter(values).into()
    }
}

impl<T: Clone> Shared<T> {
    /// Takes the value out, and leaves the default.
    pub fn take(&mut self) -> T
    where
        T: Default,
    {
        Arc::unwrap_or_clone(std::mem::take(&mut self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Saved> Saved for Shared<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        self.0.as_ref().save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        T::load(from).map(Self::from)
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}
