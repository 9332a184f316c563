//! A value that usually is the default, which then only takes the memory of a pointer.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::Meta;
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

/// A type with a shared default value.
pub trait SharedDefault: Default + PartialEq + 'static {
    /// The shared default.
    const SHARED: &'static Self;
}

/// `None` for the default, otherwise the boxed value.
#[derive(Clone)]
pub struct BoxedUnlessDefault<T>(Option<Box<T>>);

impl<T> Default for BoxedUnlessDefault<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: SharedDefault> From<T> for BoxedUnlessDefault<T> {
    fn from(value: T) -> Self {
        Self((value != *T::SHARED).then(|| Box::new(value)))
    }
}

impl<T: SharedDefault> Deref for BoxedUnlessDefault<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::SHARED)
    }
}

impl<T: SharedDefault> DerefMut for BoxedUnlessDefault<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: SharedDefault> PartialEq for BoxedUnlessDefault<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: SharedDefault + fmt::Debug> fmt::Debug for BoxedUnlessDefault<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: SharedDefault + Saved> Saved for BoxedUnlessDefault<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        (**self).save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        T::load(from).map(Self::from)
    }
}

impl SharedDefault for Meta {
    const SHARED: &'static Self =
        &Self { id: None, item_type: None, priority: None, ephemeral: None, pinned: false };
}
