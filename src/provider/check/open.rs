//! Calls without an output so far, in the order of the list.

use crate::hashing::HashMap;

/// Open calls: reports need them in order, and outputs look them up by id, so both are fast.
pub(super) struct OpenIds<'v, T> {
    /// `None` for a call that has been closed.
    order: Vec<Option<(&'v str, T)>>,
    at: HashMap<&'v str, usize>,
}

impl<T> Default for OpenIds<'_, T> {
    fn default() -> Self {
        Self { order: Vec::new(), at: HashMap::default() }
    }
}

impl<'v, T> OpenIds<'v, T> {
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    pub fn contains(&self, id: &str) -> bool {
        self.at.contains_key(id)
    }

    /// Opens `id` at the end. An id that is already open is closed first.
    pub fn open(&mut self, id: &'v str, value: T) {
        self.close(id);
        self.at.insert(id, self.order.len());
        self.order.push(Some((id, value)));
    }

    /// Closes `id` and returns its value; `None` if it is not open.
    pub fn close(&mut self, id: &str) -> Option<T> {
        let at = self.at.remove(id)?;
        self.order.get_mut(at)?.take().map(|(_, value)| value)
    }

    /// Closes all and returns them in order.
    pub fn close_all(&mut self) -> Vec<(&'v str, T)> {
        self.at.clear();
        std::mem::take(&mut self.order).into_iter().flatten().collect()
    }
}
