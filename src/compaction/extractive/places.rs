use crate::facts::{Action, directory};
use crate::sorted::SortedMap;

/// The working directory, so that paths can be written relative to it.
#[derive(Debug, Default)]
pub(super) struct Places {
    root: Option<String>,
}

impl Places {
    /// The folder of an earlier summary, or else the one that most commands change into.
    pub fn of(actions: &[Action<'_>], earlier: Option<String>) -> Self {
        let mut votes: SortedMap<&str, usize> = SortedMap::new();
        for dir in actions.iter().filter_map(|a| directory(a.command.as_deref()?)) {
            if dir.len() > 1 && dir.starts_with('/') {
                *votes.or_default(dir.trim_end_matches('/')) += 1;
            }
        }
        let most = votes
            .iter()
            .max_by_key(|(dir, n)| (**n, std::cmp::Reverse(dir.len())))
            .map(|(dir, _)| (*dir).to_owned());
        Self { root: earlier.or(most) }
    }

    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// A command whose paths are written relative to the root.
    pub fn shorten(&self, command: &str) -> String {
        self.root
            .as_deref()
            .map_or_else(|| command.to_owned(), |root| command.replace(&format!("{root}/"), ""))
    }

    /// `path` relative to the root. `from` is the folder that the command changed into.
    pub fn relative(&self, path: &str, from: Option<&str>) -> String {
        let whole = whole(path, from);
        match self.root.as_deref().and_then(|root| whole.strip_prefix(root)?.strip_prefix('/')) {
            Some(inner) if !inner.is_empty() => inner.to_owned(),
            _ => whole,
        }
    }
}

/// `path` as far as it is known from the top. `from` is the folder that the command changed into.
pub(super) fn whole(path: &str, from: Option<&str>) -> String {
    let path = path.trim_start_matches('@');
    match from {
        Some(dir) if !path.starts_with(['/', '~']) && !path.contains(":\\") => {
            normalized(&format!("{}/{path}", dir.trim_end_matches('/')))
        }
        _ => normalized(path),
    }
}

/// The path without `.` and resolvable `..`.
fn normalized(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !out.is_empty() => {}
            ".." if out.last().is_some_and(|last| !last.is_empty() && *last != ".." && *last != "~") => {
                out.pop();
            }
            _ => out.push(part),
        }
    }
    out.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_relative_to_the_root() {
        let places = Places { root: Some("/w/app".into()) };
        assert_eq!(places.relative("/w/app/src/a.rs", None), "src/a.rs");
        assert_eq!(places.relative("./src/../b.rs", Some("/w/app/x")), "x/b.rs");
        assert_eq!(places.relative("/etc/hosts", Some("/w/app")), "/etc/hosts");
        assert_eq!(places.relative("../c.rs", None), "../c.rs");
    }
}
