//! What a tool call works on, so that a later call that goes back to it is recognised.

use super::actions::{Action, ActionKind, action, named};
use super::{effects, only_reads, without_directory};
use crate::hashing::{HashMap, hash};
use crate::message::ToolCall;

/// Tools that search or list. What they show depends on all of their arguments, not on a file alone.
const SEARCHES: [&str; 7] = ["grep", "glob", "find", "search", "list", "ls", "query"];

/// What a call works on. Calls and files are kept as hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// The call itself, if it only shows something. The same call again shows the same, unless something has changed.
    showing: Option<u64>,
    /// The files that it reads.
    reads: Vec<u64>,
    /// The files that it changes.
    changes: Vec<u64>,
}

impl Subject {
    /// What a call works on, as far as its name and arguments say.
    pub fn of(call: &ToolCall) -> Self {
        Self::of_action(&action(call, 0))
    }

    pub(super) fn of_action(action: &Action<'_>) -> Self {
        let call = action.call;
        let paths = || action.paths.iter().map(|path| file(path)).collect();
        let showing = || Some(hash(format!("{} {}", call.name, action.args).as_bytes()));
        match (action.kind, &action.command) {
            (ActionKind::Run, Some(command)) => {
                let shown = only_reads(command).then(|| hash(without_directory(command).as_bytes()));
                let mut subject = Self { showing: shown, ..Self::default() };
                for effect in effects(command) {
                    let files = if effect.changes { &mut subject.changes } else { &mut subject.reads };
                    files.push(file(&effect.path));
                }
                subject
            }
            (ActionKind::Change, _) => Self { changes: paths(), ..Self::default() },
            (ActionKind::Read, _) if !named(&call.name, &SEARCHES) => {
                Self { showing: showing(), reads: paths(), changes: Vec::new() }
            }
            _ => Self { showing: showing(), ..Self::default() },
        }
    }

    /// Whether nothing is known of what it works on.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

fn file(path: &str) -> u64 {
    hash(path.trim_start_matches("./").as_bytes())
}

/// Where the newest output stands that shows each thing, while a conversation is read from its beginning. Places are numbers.
#[derive(Debug, Default)]
pub struct Readings {
    /// By the call that shows it, as long as no call has changed the file; and by the file.
    newest: HashMap<u64, Reading>,
}

#[derive(Debug)]
struct Reading {
    place: usize,
    /// For a file: the calls in the same map that read it.
    calls: Vec<u64>,
}

impl Readings {
    /// The output that a call goes back to: it shows the same thing again, or it changes a file that was read.
    pub fn needed_by(&self, subject: &Subject) -> Option<usize> {
        let things = subject.showing.iter().chain(&subject.changes);
        things.filter_map(|thing| self.newest.get(thing)).map(|reading| reading.place).next()
    }

    /// Records that a call changed its files: to show them again would show something else.
    pub fn change(&mut self, subject: &Subject) {
        for file in &subject.changes {
            let calls = self.newest.get_mut(file).map(|reading| std::mem::take(&mut reading.calls));
            for call in calls.into_iter().flatten() {
                self.newest.remove(&call);
            }
        }
    }

    /// Records where the output of a call stands. Returns where the same was shown before.
    pub fn show(&mut self, subject: &Subject, place: usize) -> Option<usize> {
        let call = subject.showing?;
        let mut before = self.put(call, place, &[]);
        for file in &subject.reads {
            before = before.or(self.put(*file, place, &[call]));
        }
        before
    }

    fn put(&mut self, thing: u64, place: usize, calls: &[u64]) -> Option<usize> {
        let before = self.newest.get(&thing).map(|reading| reading.place);
        let reading = self.newest.entry(thing).or_insert(Reading { place, calls: Vec::new() });
        reading.place = place;
        let others = calls.iter().filter(|call| !reading.calls.contains(call));
        let others: Vec<u64> = others.copied().collect();
        reading.calls.extend(others);
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, args: &str) -> Subject {
        Subject::of(&ToolCall::function("c", name, args))
    }

    #[test]
    fn a_reading_shows_a_file_and_an_edit_changes_it() {
        let read = of("read_file", r#"{"path":"./src/a.rs","offset":10}"#);
        assert_eq!((read.reads, read.changes), (vec![file("src/a.rs")], Vec::new()));
        assert_ne!(read.showing, of("read_file", r#"{"path":"src/a.rs"}"#).showing, "another part of it");
        let edit = of("edit", r#"{"path":"src/a.rs","oldText":"a","newText":"b"}"#);
        assert_eq!((edit.changes, edit.showing), (vec![file("src/a.rs")], None));
    }

    #[test]
    fn a_command_that_only_shows_is_known_again_without_its_folder() {
        let shown = of("bash", r#"{"command":"cd /repo && cat src/a.rs"}"#);
        assert_eq!(shown, of("bash", r#"{"command":"cat src/a.rs"}"#));
        assert_eq!(shown.reads, [file("src/a.rs")]);
        assert!(of("bash", r#"{"command":"npm test"}"#).is_unknown());
        assert_eq!(of("bash", r#"{"command":"rm src/a.rs"}"#).changes, [file("src/a.rs")]);
    }

    #[test]
    fn a_search_is_its_arguments() {
        let search = of("grep", r#"{"pattern":"x","path":"src"}"#);
        assert!(search.reads.is_empty() && search != of("grep", r#"{"pattern":"y","path":"src"}"#));
        assert!(of("get_order", r#"{"id":"W1"}"#).showing.is_some());
    }

    #[test]
    fn a_file_that_was_changed_is_needed_for_the_next_edit_but_not_to_be_read_again() {
        let (read, edit) = (of("read", r#"{"path":"a.rs"}"#), of("edit", r#"{"path":"a.rs","newText":"b"}"#));
        let mut readings = Readings::default();
        assert_eq!(readings.needed_by(&edit), None);
        assert_eq!(readings.show(&read, 1), None);
        assert_eq!((readings.needed_by(&edit), readings.needed_by(&read)), (Some(1), Some(1)));
        readings.change(&edit);
        assert_eq!((readings.needed_by(&edit), readings.needed_by(&read)), (Some(1), None));
        assert_eq!(readings.show(&read, 3), Some(1));
        assert_eq!((readings.needed_by(&edit), readings.needed_by(&read)), (Some(3), Some(3)));
    }
}
