//! Matches calls that come in again with other ids, because some SDKs and proxies create new ids for each request.
//!
//! Ids of calls only connect a call with its output, so an entry's reading does not contain them. They are kept beside
//! it, in order: a call may have a new id, but then its output must have the same one. New entries are read with the
//! known ids; at the end all calls get their new ids together (`History::rename_calls`), so that nothing changes if an
//! entry is refused.

/// The id of a call in an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallId {
    /// The entry makes the call.
    Call(String),
    /// The entry answers the call.
    Output(String),
}

/// Calls that have a new id and whose outputs have not been reached yet, while a list is compared from its beginning.
#[derive(Debug, Clone, Default)]
pub struct PendingRenames {
    /// Pairs of known id and new id.
    waiting: Vec<(String, String)>,
}

impl PendingRenames {
    /// The calls whose outputs have not been reached yet, as pairs of known id and new id.
    pub fn waiting(&self) -> &[(String, String)] {
        &self.waiting
    }

    /// Starts with these waiting calls.
    pub fn of(waiting: Vec<(String, String)>) -> Self {
        Self { waiting }
    }

    /// Whether no waiting call has a new id.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether the calls of the next entry, which were `known` under these ids, can be those that it has `now`. A call
    /// may have any id that no waiting call has; an output must have its call's id. If they do not match, nothing is
    /// recorded.
    pub fn pair(&mut self, known: &[CallId], now: &[CallId]) -> bool {
        let mut waiting = None;
        let same = known.len() == now.len()
            && known.iter().zip(now).all(|ids| match ids {
                (CallId::Call(known), CallId::Call(now)) => {
                    let waiting = waiting.get_or_insert_with(|| self.waiting.clone());
                    take_new_id(waiting, known);
                    let is_free = waiting.iter().all(|(_, taken)| taken != now);
                    if known != now {
                        waiting.push((known.clone(), now.clone()));
                    }
                    is_free
                }
                (CallId::Output(known), CallId::Output(now)) => {
                    let waiting = waiting.get_or_insert_with(|| self.waiting.clone());
                    take_new_id(waiting, known).as_ref().unwrap_or(known) == now
                }
                _ => false,
            });
        if let Some(waiting) = waiting.filter(|_| same) {
            self.waiting = waiting;
        }
        same
    }
}

/// Removes a call from the waiting ones and returns its new id.
fn take_new_id(waiting: &mut Vec<(String, String)>, known: &str) -> Option<String> {
    let at = waiting.iter().position(|(id, _)| id == known)?;
    Some(waiting.swap_remove(at).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(ids: &[&str]) -> Vec<CallId> {
        ids.iter().map(|id| CallId::Call((*id).to_owned())).collect()
    }

    fn outputs(ids: &[&str]) -> Vec<CallId> {
        ids.iter().map(|id| CallId::Output((*id).to_owned())).collect()
    }

    #[test]
    fn an_output_is_matched_under_its_calls_new_id() {
        let mut renamed = PendingRenames::default();
        assert!(renamed.pair(&calls(&["a", "b"]), &calls(&["x", "y"])));
        assert!(!renamed.pair(&outputs(&["a"]), &outputs(&["y"])), "another one's");
        assert!(!renamed.pair(&outputs(&["a"]), &outputs(&["a"])), "as it was called before");
        assert!(renamed.pair(&outputs(&["b", "a"]), &outputs(&["y", "x"])));
        assert!(renamed.is_empty(), "each has come by");
        assert!(!renamed.pair(&outputs(&["a"]), &outputs(&["x"])), "its call is not before it");
        assert!(renamed.pair(&outputs(&["a"]), &outputs(&["a"])));
    }

    #[test]
    fn two_pending_calls_need_distinct_ids() {
        let mut renamed = PendingRenames::default();
        assert!(!renamed.pair(&calls(&["a", "b"]), &calls(&["x", "x"])));
        assert!(renamed.is_empty());
        assert!(renamed.pair(&calls(&["a"]), &calls(&["x"])));
        assert!(!renamed.pair(&calls(&["b"]), &calls(&["x"])));
        assert!(!renamed.pair(&calls(&["b"]), &outputs(&["b"])));
        assert!(!renamed.pair(&calls(&["b"]), &calls(&[])));
    }

    #[test]
    fn ids_can_be_reused() {
        let mut renamed = PendingRenames::default();
        for now in ["x", "y", "a"] {
            assert!(renamed.pair(&calls(&["a"]), &calls(&[now])));
            assert!(renamed.pair(&outputs(&["a"]), &outputs(&[now])));
        }
    }
}
