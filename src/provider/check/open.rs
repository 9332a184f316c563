//! Calls and outputs that still wait for their other half, in list order.

use std::collections::HashMap;

/// Calls by id that no output has answered yet. Reports want them in order, outputs ask for them by id: each is at hand.
pub(super) struct Open<'v, T> {
    /// None where an output came.
    order: Vec<Option<(&'v str, T)>>,
    at: HashMap<&'v str, usize>,
}

impl<T> Default for Open<'_, T> {
    fn default() -> Self {
        Self { order: Vec::new(), at: HashMap::new() }
    }
}

impl<'v, T> Open<'v, T> {
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    pub fn contains(&self, id: &str) -> bool {
        self.at.contains_key(id)
    }

    /// Opens `id` behind all others; one that is open already is open anew.
    pub fn open(&mut self, id: &'v str, value: T) {
        self.close(id);
        self.at.insert(id, self.order.len());
        self.order.push(Some((id, value)));
    }

    /// Takes `id` out; none where it is not open.
    pub fn close(&mut self, id: &str) -> Option<T> {
        let at = self.at.remove(id)?;
        self.order.get_mut(at)?.take().map(|(_, value)| value)
    }

    /// Takes all out, in order.
    pub fn close_all(&mut self) -> Vec<(&'v str, T)> {
        self.at.clear();
        std::mem::take(&mut self.order).into_iter().flatten().collect()
    }
}
