//! Finds the calls that outputs answer, by their ids. Thousands of parallel calls may be in one message, and their outputs are written one
//! by one: so the calls that were looked through are kept.

use std::cell::RefCell;

use super::list::Slots;
use crate::context::{History, NodeIndex};
use crate::hashing::HashMap;
use crate::message::ToolCall;

type ById<'c> = HashMap<&'c str, &'c ToolCall>;

/// The calls of messages of a history.
pub struct CallsOf<'h> {
    pub history: &'h History,
    /// The message that was looked through last.
    newest: RefCell<Option<(NodeIndex, ById<'h>)>>,
}

impl<'h> CallsOf<'h> {
    pub fn new(history: &'h History) -> Self {
        Self { history, newest: RefCell::default() }
    }

    /// The call with this id that `caller` makes.
    pub fn find(&self, caller: NodeIndex, id: &str) -> Option<&'h ToolCall> {
        let mut newest = self.newest.borrow_mut();
        let (of, calls) = newest.get_or_insert_with(|| (caller, self.all_of(caller)));
        if *of != caller {
            (*of, *calls) = (caller, self.all_of(caller));
        }
        calls.get(id).copied()
    }

    fn all_of(&self, caller: NodeIndex) -> ById<'h> {
        self.history.node(caller).message.tool_calls().map(|call| (call.id.as_str(), call)).collect()
    }
}

/// The calls in a list, for outputs that are asked for from its beginning to its end.
#[derive(Default)]
pub struct CallsBefore<'a> {
    /// The positions that were looked through, and their calls. Of several calls with one id, the newest one.
    seen: RefCell<Option<(std::ops::Range<usize>, ById<'a>)>>,
}

impl<'a> CallsBefore<'a> {
    /// The newest call with this id up to position `last`; it is usually only a few messages back.
    pub fn find(&self, slots: Slots<'a>, last: usize, id: &str) -> Option<&'a ToolCall> {
        let mut seen = self.seen.borrow_mut();
        let (range, calls) = seen.get_or_insert_with(|| (last + 1..last + 1, HashMap::default()));
        let made = |at: usize| slots(at).into_iter().flat_map(|(slot, _)| slot.message.tool_calls());
        while range.end <= last {
            calls.extend(made(range.end).map(|call| (call.id.as_str(), call)));
            range.end += 1;
        }
        while !calls.contains_key(id) && range.start > 0 {
            range.start -= 1;
            for call in made(range.start) {
                calls.entry(&call.id).or_insert(call);
            }
        }
        calls.get(id).copied()
    }
}
