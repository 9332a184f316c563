//! Earlier states of a view. Only what was edited since is copied.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::View;
use crate::context::slot::Slot;

/// What an edit replaced: from position `from` on (counted over header and body), the view was `tail`.
#[derive(Debug)]
struct ReplacedTail {
    from: usize,
    /// The slots from `from` on, last one first.
    tail: Vec<Slot>,
}

impl Default for ReplacedTail {
    fn default() -> Self {
        Self { from: usize::MAX, tail: Vec::new() }
    }
}

type Shared = Arc<Mutex<ReplacedTail>>;

/// A view as it was at some time; by default, an empty one. Read it with [`View::slots_at`].
#[derive(Debug, Default)]
pub struct Snapshot {
    kept: Shared,
    /// How many slots there were.
    pub len: usize,
}

/// The state shared by the snapshots of a view. All snapshots between two edits share one [`ReplacedTail`]. An older snapshot never
/// shares more of the current view than a newer one, so an edit starts at the newest, and goes on to older ones only while
/// it has to copy something for them.
#[derive(Debug, Default)]
pub(super) struct Epochs {
    /// For the snapshots since the last edit.
    now: Shared,
    /// For earlier snapshots that still read a part of the current view, newest last.
    before: Vec<Weak<Mutex<ReplacedTail>>>,
}

/// A cloned view has no snapshots: the two may be edited apart.
impl Clone for Epochs {
    fn clone(&self) -> Self {
        Self::default()
    }
}

fn lock(kept: &Mutex<ReplacedTail>) -> MutexGuard<'_, ReplacedTail> {
    kept.lock().unwrap_or_else(PoisonError::into_inner) // nothing in here can panic half-way
}

impl View {
    /// The view as it is now, whatever happens to it later. Copies nothing: edits copy what they are about to change.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { kept: self.epochs.now.clone(), len: self.len() }
    }

    /// Whether a snapshot equals the current view.
    pub fn is_current(&self, snapshot: &Snapshot) -> bool {
        self.len() == snapshot.len && lock(&snapshot.kept).from >= snapshot.len
    }

    /// Whether the view was only appended to since the snapshot.
    pub fn was_appended_to(&self, snapshot: &Snapshot) -> bool {
        lock(&snapshot.kept).from >= snapshot.len && self.len() >= snapshot.len
    }

    /// The slots of this view at the time of `snapshot`.
    pub fn slots_at(&self, snapshot: &Snapshot) -> Vec<Slot> {
        let kept = lock(&snapshot.kept);
        let untouched = self.slots().take(kept.from.min(snapshot.len));
        untouched.chain(kept.tail.iter().rev()).take(snapshot.len).cloned().collect()
    }

    /// Must be called before an edit other than an append changes anything from `at` on (counted over header and body).
    /// Copies that for the snapshots that still read it.
    pub(super) fn before_edit(&mut self, at: usize) {
        if Arc::strong_count(&self.epochs.now) > 1 {
            let held = std::mem::take(&mut self.epochs.now);
            self.epochs.before.push(Arc::downgrade(&held));
        }
        let mut epochs = std::mem::take(&mut self.epochs.before);
        for epoch in epochs.iter().rev() {
            let Some(shared) = epoch.upgrade() else { continue };
            let mut kept = lock(&shared);
            if kept.from <= at {
                break; // the same holds for all earlier ones
            }
            let end = kept.from.min(self.len());
            let changing: Vec<Slot> = self.slots().skip(at).take(end.saturating_sub(at)).cloned().collect();
            kept.tail.extend(changing.into_iter().rev());
            kept.from = at;
        }
        if at == 0 {
            epochs.clear(); // none of them reads the view any more
        }
        if epochs.len() > 32 && epochs.len().is_power_of_two() {
            epochs.retain(|epoch| epoch.strong_count() > 0);
        }
        self.epochs.before = epochs;
    }

    /// Restores the view from before a run. Its snapshots keep their content.
    pub fn restore_from(&mut self, mut before: Self) {
        self.before_edit(0);
        before.epochs = std::mem::take(&mut self.epochs);
        *self = before;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::context::Context;
    use crate::message::{Message, Role};
    use crate::tokens::Estimate;
    use crate::tool_output::ToolOutputCacheConfig;

    fn context() -> Context {
        let mut context = Context::new(Arc::new(Estimate), ToolOutputCacheConfig::default(), None);
        push(&mut context, "one");
        push(&mut context, "two");
        context
    }

    fn push(context: &mut Context, text: &str) {
        context.push(vec![Message::text(Role::User, text)]).unwrap();
    }

    fn texts(context: &Context, snapshot: &Snapshot) -> String {
        let slots = context.view.slots_at(snapshot);
        slots.iter().map(|slot| slot.message.plain_text()).collect::<Vec<_>>().join(" ")
    }

    fn copied(snapshot: &Snapshot) -> usize {
        lock(&snapshot.kept).tail.len()
    }

    #[test]
    fn appends_need_no_copy_and_an_edit_copies_once_for_all_snapshots() {
        let mut context = context();
        let first = context.view.snapshot();
        push(&mut context, "three");
        let second = context.view.snapshot();
        push(&mut context, "four");
        assert_eq!(copied(&first), 0, "nothing but appends");
        assert_eq!(texts(&context, &first), "one two");
        let node = context.view.body()[0].node;
        context.view.remove(node);
        assert!(Arc::ptr_eq(&first.kept, &second.kept) && copied(&first) == 4);
        let third = context.view.snapshot();
        push(&mut context, "five");
        assert_eq!(texts(&context, &first), "one two");
        assert_eq!(texts(&context, &second), "one two three");
        assert_eq!(texts(&context, &third), "two three four");
        assert_eq!(copied(&third), 0);
    }

    #[test]
    fn an_edit_copies_only_what_follows_it_and_only_once() {
        let mut context = context();
        (0..98).for_each(|_| push(&mut context, "more"));
        let snapshots: Vec<Snapshot> = (0..50)
            .map(|i| {
                let snapshot = context.view.snapshot();
                let slot = context.view.body()[i].clone();
                context.view.replace(90 + i % 10, slot.message, slot.tally, slot.form);
                snapshot
            })
            .collect();
        assert!(snapshots.iter().all(|s| copied(s) <= 10), "{:?}", snapshots.iter().map(copied).max());
        let behind = context.view.body()[40..].iter().map(|s| s.node).collect();
        context.view.remove_all(&behind);
        assert!(snapshots.iter().all(|s| copied(s) == 60));
        assert_eq!(context.view.epochs.before.len(), 50);
        context.view.set_header(Vec::new());
        assert!(context.view.epochs.before.is_empty(), "nothing is read from the view any more");
        assert_eq!(context.view.slots_at(&snapshots[0]).len(), 100);
    }

    proptest::proptest! {
        #[test]
        fn a_snapshot_equals_a_copy(edits in proptest::collection::vec((0usize..6, 0usize..100, proptest::bool::ANY), 1..40)) {
            let mut context = context();
            let mut taken: Vec<(Snapshot, String)> = Vec::new();
            for (n, (kind, at, fingerprint)) in edits.into_iter().enumerate() {
                if fingerprint {
                    let snapshot = context.view.snapshot();
                    let now = texts(&context, &snapshot);
                    taken.push((snapshot, now));
                }
                push(&mut context, &format!("text {n}"));
                let len = context.view.body().len();
                let slot = context.view.body()[at % len].clone();
                match kind {
                    0 => context.view.replace((at * 7) % len, slot.message, slot.tally, slot.form),
                    1 => context.view.insert(at % len, vec![slot]),
                    2 => context.view.remove(slot.node),
                    3 => context.view.drop_nodes(&std::iter::once(slot.node).collect()),
                    4 => context.view.set_header(vec![slot]),
                    _ => push(&mut context, "and more"),
                }
                for (snapshot, then) in &taken {
                    proptest::prop_assert_eq!(&texts(&context, snapshot), then);
                    proptest::prop_assert!(!context.view.is_current(snapshot) || texts(&context, &context.view.snapshot()) == *then);
                }
            }
        }
    }
}
