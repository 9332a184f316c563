//! What a tool call works on, so that a later call on the same thing is recognised.

use super::actions::{ActionKind, action, named};
use super::{Effect, effects, only_reads, without_directory};
use crate::message::ToolCall;

/// Tools that search or list. What they show depends on all of their arguments, not on a file alone.
const SEARCHES: [&str; 7] = ["grep", "glob", "find", "search", "list", "ls", "query"];

/// What a call works on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subject {
    /// The call in one line, if it only shows something. The same call again shows the same, unless something has changed.
    pub showing: Option<String>,
    /// The files that it reads.
    pub reads: Vec<String>,
    /// The files that it changes.
    pub changes: Vec<String>,
}

impl Subject {
    /// What a call works on, as far as its name and arguments say.
    pub fn of(call: &ToolCall) -> Self {
        let action = action(call, 0);
        let paths = || action.paths.iter().map(|path| plain(path)).collect();
        let showing = || Some(format!("{} {}", call.name, action.args));
        match (action.kind, &action.command) {
            (ActionKind::Run, Some(command)) => {
                let (changed, read): (Vec<_>, Vec<_>) =
                    effects(command).into_iter().partition(|effect| effect.changes);
                let paths = |effects: Vec<Effect>| effects.iter().map(|effect| plain(&effect.path)).collect();
                let shows = only_reads(command);
                Self {
                    showing: shows.then(|| without_directory(command).to_owned()),
                    reads: paths(read),
                    changes: paths(changed),
                }
            }
            (ActionKind::Change, _) => Self { changes: paths(), ..Self::default() },
            (ActionKind::Read, _) if !named(&call.name, &SEARCHES) => {
                Self { showing: showing(), reads: paths(), ..Self::default() }
            }
            _ => Self { showing: showing(), ..Self::default() },
        }
    }
}

fn plain(path: &str) -> String {
    path.trim_start_matches("./").to_owned()
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
        assert_eq!((read.reads.as_slice(), read.changes.len()), (["src/a.rs".to_owned()].as_slice(), 0));
        assert_ne!(read.showing, of("read_file", r#"{"path":"src/a.rs"}"#).showing, "another part of it");
        let edit = of("edit", r#"{"path":"src/a.rs","oldText":"a","newText":"b"}"#);
        assert_eq!((edit.changes.as_slice(), edit.showing), (["src/a.rs".to_owned()].as_slice(), None));
    }

    #[test]
    fn a_command_that_only_shows_is_known_again_without_its_folder() {
        let shown = of("bash", r#"{"command":"cd /repo && cat src/a.rs"}"#);
        assert_eq!(shown.showing.as_deref(), Some("cat src/a.rs"));
        assert_eq!(shown.reads, ["src/a.rs"]);
        assert_eq!(of("bash", r#"{"command":"npm test"}"#), Subject::default());
        assert_eq!(of("bash", r#"{"command":"rm src/a.rs"}"#).changes, ["src/a.rs"]);
    }

    #[test]
    fn a_search_is_its_arguments() {
        let search = of("grep", r#"{"pattern":"x","path":"src"}"#);
        assert!(
            search.reads.is_empty()
                && search.showing != of("grep", r#"{"pattern":"y","path":"src"}"#).showing
        );
        assert!(of("get_order", r#"{"id":"W1"}"#).showing.is_some());
    }
}
