//! What a tool call works on, so that a later call that goes back to it is recognised.

use super::actions::{Action, ActionKind, CHANGES, READS, action, named};
use super::{directory, effects, only_reads};
use crate::hashing::{HashMap, hash};
use crate::message::{CallKind, ToolCall};

/// Tools that search or list. What they show depends on all of their arguments, not on a file alone.
const SEARCHES: [&str; 7] = ["grep", "glob", "find", "search", "list", "ls", "query"];

/// What a call works on. Calls and files are kept as hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// The call itself, if it only shows something. The same call again shows the same, unless something has changed. Any other
    /// call may change things.
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
        let name = &action.call.name;
        let paths = || action.paths.iter().map(|path| file(None, path)).collect();
        let arguments = || match &action.call.kind {
            CallKind::Other { raw, .. } => hash(raw.to_string().as_bytes()),
            CallKind::Function | CallKind::Custom => hash(action.call.input.as_bytes()),
        };
        let showing = || Some(hash(name.as_bytes()).rotate_left(1) ^ arguments());
        match (action.kind, &action.command) {
            (ActionKind::Run, Some(command)) => {
                let shown = only_reads(command).then(|| hash(command.as_bytes()));
                let mut subject = Self { showing: shown, ..Self::default() };
                for effect in effects(command) {
                    let files = if effect.changes { &mut subject.changes } else { &mut subject.reads };
                    files.push(file(directory(command), &effect.path));
                }
                subject
            }
            (ActionKind::Change, _) => Self { changes: paths(), ..Self::default() },
            (ActionKind::Read, _) if !named(name, &SEARCHES) => {
                Self { showing: showing(), reads: paths(), changes: Vec::new() }
            }
            _ if named(name, &READS) && !named(name, &CHANGES) => {
                Self { showing: showing(), ..Self::default() }
            }
            _ => Self::default(),
        }
    }
}

/// A file, as a command in this folder names it.
fn file(folder: Option<&str>, path: &str) -> u64 {
    let path = path.trim_start_matches("./");
    match folder.filter(|_| !path.starts_with(['/', '~'])) {
        Some(folder) => hash(format!("{}/{path}", folder.trim_end_matches('/')).as_bytes()),
        None => hash(path.as_bytes()),
    }
}

/// Where the newest output stands that shows each thing, while a conversation is read from its beginning. Places are numbers.
#[derive(Debug, Default)]
pub struct Readings {
    /// By the call that shows it, and by the file.
    newest: HashMap<u64, Reading>,
    /// Current calls that show no file by name, such as searches and listings.
    without_file: Vec<u64>,
}

#[derive(Debug)]
struct Reading {
    place: usize,
    /// For a call: nothing that it shows has been changed since.
    is_current: bool,
    /// For a file: the calls in the same map that read it and are current.
    calls: Vec<u64>,
}

impl Readings {
    /// The outputs that a call goes back to: it shows the same thing again, or it changes files that were read.
    pub fn needed_by(&self, subject: &Subject) -> impl Iterator<Item = usize> {
        let again =
            subject.showing.and_then(|call| self.newest.get(&call)).filter(|reading| reading.is_current);
        let changed = subject.changes.iter().filter_map(|file| self.newest.get(file));
        again.into_iter().chain(changed).map(|reading| reading.place)
    }

    /// Records what a call may have changed: to show that again would show something else.
    pub fn change(&mut self, subject: &Subject) {
        if subject.showing.is_some() && subject.changes.is_empty() {
            return;
        }
        let mut changed = std::mem::take(&mut self.without_file);
        for file in &subject.changes {
            if let Some(reading) = self.newest.get_mut(file) {
                changed.append(&mut reading.calls);
            }
        }
        for call in changed {
            if let Some(reading) = self.newest.get_mut(&call) {
                reading.is_current = false;
            }
        }
    }

    /// Records where the output of a call stands. Returns where an older output of the same call stands.
    pub fn show(&mut self, subject: &Subject, place: usize) -> Option<usize> {
        let call = subject.showing?;
        let before = self.newest.get(&call);
        let (older, was_current) =
            (before.map(|reading| reading.place), before.is_some_and(|reading| reading.is_current));
        self.newest.insert(call, Reading { place, is_current: true, calls: Vec::new() });
        if subject.reads.is_empty() && !was_current {
            self.without_file.push(call);
        }
        for file in &subject.reads {
            let reading =
                self.newest.entry(*file).or_insert(Reading { place, is_current: true, calls: Vec::new() });
            reading.place = place;
            if !was_current {
                reading.calls.push(call);
            }
        }
        older
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, args: &str) -> Subject {
        Subject::of(&ToolCall::function("c", name, args))
    }

    fn needed(readings: &Readings, subject: &Subject) -> Vec<usize> {
        readings.needed_by(subject).collect()
    }

    #[test]
    fn a_reading_shows_a_file_and_an_edit_changes_it() {
        let read = of("read_file", r#"{"path":"./src/a.rs","offset":10}"#);
        assert_eq!((read.reads, read.changes), (vec![file(None, "src/a.rs")], Vec::new()));
        assert_ne!(read.showing, of("read_file", r#"{"path":"src/a.rs"}"#).showing, "another part of it");
        let edit = of("edit", r#"{"path":"src/a.rs","oldText":"a","newText":"b"}"#);
        assert_eq!((edit.changes, edit.showing), (vec![file(None, "src/a.rs")], None));
    }

    #[test]
    fn a_command_names_files_in_its_folder() {
        let shown = of("bash", r#"{"command":"cd /repo && cat src/a.rs"}"#);
        assert_eq!(shown.reads, of("read", r#"{"path":"/repo/src/a.rs"}"#).reads);
        assert_ne!(shown.reads, of("bash", r#"{"command":"cd /other && cat src/a.rs"}"#).reads);
        assert_eq!(of("bash", r#"{"command":"npm test"}"#), Subject::default());
        assert_eq!(of("bash", r#"{"command":"rm src/a.rs"}"#).changes, [file(None, "src/a.rs")]);
    }

    #[test]
    fn only_a_tool_that_is_named_for_it_shows_something() {
        let search = of("grep", r#"{"pattern":"x","path":"src"}"#);
        assert!(search.reads.is_empty() && search != of("grep", r#"{"pattern":"y","path":"src"}"#));
        assert!(of("get_order", r#"{"id":"W1"}"#).showing.is_some());
        for acts in ["send_message", "next_page", "wait_for_job", "get_or_create_user", "update_booking"] {
            assert_eq!(of(acts, r#"{"id":1}"#), Subject::default(), "{acts}");
        }
    }

    #[test]
    fn a_file_that_was_changed_is_needed_for_the_next_edit_but_not_to_be_read_again() {
        let (read, edit) = (of("read", r#"{"path":"a.rs"}"#), of("edit", r#"{"path":"a.rs","newText":"b"}"#));
        let mut readings = Readings::default();
        assert!(needed(&readings, &edit).is_empty());
        assert_eq!(readings.show(&read, 1), None);
        assert_eq!((needed(&readings, &edit), needed(&readings, &read)), (vec![1], vec![1]));
        readings.change(&edit);
        assert_eq!((needed(&readings, &edit), needed(&readings, &read)), (vec![1], vec![]));
        assert_eq!(readings.show(&read, 3), Some(1));
        assert_eq!((needed(&readings, &edit), needed(&readings, &read)), (vec![3], vec![3]));
    }

    #[test]
    fn a_listing_is_current_until_anything_may_have_changed() {
        let (list, read) = (of("bash", r#"{"command":"git status"}"#), of("read", r#"{"path":"a.rs"}"#));
        let mut readings = Readings::default();
        readings.show(&list, 1);
        readings.show(&read, 2);
        readings.change(&list);
        assert_eq!((needed(&readings, &list), needed(&readings, &read)), (vec![1], vec![2]));
        readings.change(&of("bash", r#"{"command":"npm run fix"}"#));
        assert_eq!((needed(&readings, &list), needed(&readings, &read)), (vec![], vec![2]));
    }
}
