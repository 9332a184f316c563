//! A value that usually is the default, which then only takes the memory of a pointer.

use std::fmt;
use std::ops::{Deref, DerefMut};

use super::Meta;
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

/// A type with a shared default value.
pub trait ByDefault: Default + PartialEq + 'static {
    /// The shared default.
    const SHARED: &'static Self;
}

/// `None` for the default, otherwise the boxed value.
#[derive(Clone)]
pub struct Rare<T>(Option<Box<T>>);

impl<T> Default for Rare<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: ByDefault> From<T> for Rare<T> {
    fn from(value: T) -> Self {
        Self((value != *T::SHARED).then(|| Box::new(value)))
    }
}

impl<T: ByDefault> Deref for Rare<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::SHARED)
    }
}

impl<T: ByDefault> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: ByDefault> PartialEq for Rare<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ByDefault + fmt::Debug> fmt::Debug for Rare<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ByDefault + Saved> Saved for Rare<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        (**self).save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        T::load(from).map(Self::from)
    }
}

impl ByDefault for Meta {
    const SHARED: &'static Self =
        &Self { id: None, item_type: None, priority: None, ephemeral: None, pinned: false };
}
