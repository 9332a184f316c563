//! Views as they were, without a copy for as long as messages are only appended.

use std::sync::{Arc, OnceLock};

use super::view::{Slot, View};

/// The slots of a view until something other than an append happens to it; a copy of them from then on.
type Kept = Arc<OnceLock<Vec<Slot>>>;

/// A view as it was at some time. To be read with [`View::slots_at`].
#[derive(Debug)]
pub struct Snapshot {
    kept: Kept,
    len: usize,
}

/// What the snapshots of a view since its last edit share.
#[derive(Debug, Default)]
pub(super) struct Epoch(Kept);

/// A cloned view has no snapshots: the two may be edited apart.
impl Clone for Epoch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl View {
    /// The view as it is now, whatever happens to it. Takes no copy: the first edit does, one for all snapshots of what was
    /// only appended to.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { kept: self.epoch.0.clone(), len: self.len() }
    }

    /// The slots of a view of which `snapshot` was taken, as they were then.
    pub fn slots_at<'a>(&'a self, snapshot: &'a Snapshot) -> Box<dyn Iterator<Item = &'a Slot> + 'a> {
        match snapshot.kept.get() {
            Some(slots) => Box::new(slots.iter().take(snapshot.len)),
            None => Box::new(self.slots().take(snapshot.len)),
        }
    }

    /// Something other than an append is about to happen: who holds a snapshot gets a copy.
    pub(super) fn before_edit(&mut self) {
        if Arc::strong_count(&self.epoch.0) > 1 {
            let slots = self.slots().cloned().collect();
            // Never set before: an epoch ends with its copy.
            let _ = std::mem::take(&mut self.epoch).0.set(slots);
        }
    }

    /// Goes back to what the view was before a run. Its snapshots stay what they were.
    pub fn go_back_to(&mut self, before: Self) {
        self.before_edit();
        *self = before;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
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
        let texts: Vec<String> =
            context.view.slots_at(snapshot).map(|slot| slot.message.plain_text()).collect();
        texts.join(" ")
    }

    #[test]
    fn appends_take_no_copy_and_an_edit_takes_one_for_all() {
        let mut context = context();
        let first = context.view.snapshot();
        push(&mut context, "three");
        let second = context.view.snapshot();
        push(&mut context, "four");
        assert!(first.kept.get().is_none(), "nothing but appends");
        assert_eq!(texts(&context, &first), "one two");
        let node = context.view.body()[0].node;
        context.view.remove(node);
        assert!(Arc::ptr_eq(&first.kept, &second.kept) && first.kept.get().is_some());
        let third = context.view.snapshot();
        push(&mut context, "five");
        assert_eq!(texts(&context, &first), "one two");
        assert_eq!(texts(&context, &second), "one two three");
        assert_eq!(texts(&context, &third), "two three four");
        assert!(third.kept.get().is_none());
    }

    #[test]
    fn it_outlives_every_edit() {
        type Edit = fn(&mut Context);
        let edits: [(&str, Edit); 8] = [
            ("header", |c| c.set_header(vec![Message::text(Role::System, "brief")])),
            ("remove", |c| c.view.remove(c.view.body()[0].node)),
            ("insert", |c| {
                let slot = c.view.body()[1].clone();
                c.view.insert(0, vec![slot]);
            }),
            ("replace", |c| {
                let slot = c.view.body()[1].clone();
                c.view.replace(0, slot.message, slot.tally, slot.form);
            }),
            ("arrange", |c| {
                let last = c.view.stood().skip(1).collect();
                c.view.arrange(last);
            }),
            ("fold", |c| {
                let slot = c.view.body()[1].clone();
                c.view.fold(&HashSet::from([c.view.body()[0].node]), vec![slot], 0);
            }),
            ("drop", |c| c.view.drop_nodes(&HashSet::from([c.view.body()[0].node]))),
            ("go back", |c| {
                let mut before = c.view.clone();
                before.remove(before.body()[0].node);
                c.view.go_back_to(before);
            }),
        ];
        for (name, edit) in edits {
            let mut context = context();
            let snapshot = context.view.snapshot();
            edit(&mut context);
            assert_ne!(texts(&context, &context.view.snapshot()), "one two", "{name}");
            assert_eq!(texts(&context, &snapshot), "one two", "{name}");
        }
        let mut context = context();
        let first = HashSet::from([context.view.body()[0].node]);
        context.view.drop_nodes(&first);
        let snapshot = context.view.snapshot();
        context.view.restore(&first);
        assert_eq!(texts(&context, &snapshot), "two");
    }
}
