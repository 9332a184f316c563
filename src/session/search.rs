//! Recall (COMP-24): finds anything in the history again, whether folded, trimmed or shown.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::state::Session;
use crate::config::Keys;
use crate::context::{NodeIndex, NodeKind};
use crate::error::{Error, Result};
use crate::facts::texts_with;
use crate::hashing::HashSet;
use crate::message::Role;
use crate::pattern::{Options, Pattern, Progress, Scan, Searchable};
use crate::tool_output::{Output, SEARCH_TOOL, is_own_tool, prefix_bytes, suffix_bytes};

/// Matches that are shown per message.
const MAX_PER_MESSAGE: usize = 3;
/// Bytes that an excerpt shows on either side of a match.
const CONTEXT_BYTES: usize = 100;
/// Bytes of a match that an excerpt shows.
const MAX_MATCH_BYTES: usize = 300;
/// At most this many outputs that could not be searched are named.
const MAX_NAMED_REFS: usize = 20;
/// Steps that a search may take if it is not run in slices: about ten seconds.
const MAX_STEPS: u64 = 500_000_000;
/// Steps that each message costs in addition to the search in it.
const STEPS_PER_MESSAGE: u64 = 50;
const DEFAULT_HITS: u64 = 20;
const MAX_HITS: u64 = 1_000;

/// What to search for, and how many hits to return.
#[derive(Debug, Clone)]
pub struct Search {
    pattern: Arc<Pattern>,
    max_hits: usize,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Hit {
    /// The message's id; for a stored output that belongs to no message, its ref.
    pub id: String,
    /// The fold that replaces the message in the view, if any: pass it to `unfold`.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<String>,
    /// If the message is a stored tool output, the ref that opens the whole of it.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub output_ref: Option<String>,
    /// The message's role.
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "\"system\" | \"developer\" | \"user\" | \"assistant\" | \"tool\"")
    )]
    pub role: Role,
    /// The matched text, with about 100 bytes on either side.
    pub excerpt: String,
    /// True for a last entry that is no match: it says what was not searched. These are tool outputs that are only in the store, or
    /// everything older than where the search stopped because it took too long.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// On such an entry, the refs of the outputs in the store, oldest first. `toolOutputs.grep` searches one of them; `runTool` of
    /// `contextfold/tools` searches all.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
}

impl Search {
    /// Searches for a literal text in several spellings (an accented letter as one character or as two). The first is the one that the
    /// caller gave. `options`: the arguments of the tool `search_history`, as a model writes them; `query` is not read.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an empty query, an unknown key, a wrong type, a number out of range.
    pub fn spellings(queries: &[&str], options: &Value) -> Result<Self> {
        Self::of(queries, None, options)
    }

    /// Searches by a JavaScript `RegExp`, given its source and flags, in the syntax that JavaScript and Rust share. `options` as above.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for what Rust's `regex` does not support: look-around and backreferences.
    pub fn js_regex(source: &str, flags: &str, options: &Value) -> Result<Self> {
        Self::of(&[&from_js(source)], Some(flags), options)
    }

    fn of(queries: &[&str], js_flags: Option<&str>, options: &Value) -> Result<Self> {
        let mut keys = Keys::called(SEARCH_TOOL, options)?;
        keys.value("query"); // callers may pass all of the model's arguments as options
        let regex = keys.or_null("regex", Keys::bool)?.flatten().unwrap_or(js_flags.is_some());
        let ignore_case = keys.or_null("ignore_case", Keys::bool)?.flatten();
        let max_hits = keys.u64_or_null("max_hits", 1..=MAX_HITS)?.flatten();
        keys.finish()?;
        let query = queries.first().copied().unwrap_or_default();
        if query.is_empty() {
            return Err(Error::argument("the query is empty; pass a text or a regular expression"));
        }
        let flag = |f: char| js_flags.is_some_and(|flags| flags.contains(f));
        let ignore_case = ignore_case.unwrap_or(js_flags.is_none() || flag('i'));
        let pattern = if regex {
            let options = Options { ignore_case, multi_line: flag('m'), dot_matches_new_line: flag('s') };
            Pattern::new(query, options)
                .map_err(|e| format!("the query is not a valid regular expression: {e}"))
        } else {
            Pattern::of_texts(queries, ignore_case).map_err(|e| format!("the query: {e}"))
        };
        let pattern = pattern.map_err(Error::argument)?;
        Ok(Self { pattern: Arc::new(pattern), max_hits: max_hits.unwrap_or(DEFAULT_HITS) as usize })
    }
}

impl Session {
    /// Searches the whole history, including folded and trimmed parts, and every stored output, in time linear in their length.
    /// Newest hits come first, at most three per message. Calls of `search_history` and of the cache's tools are skipped, with their
    /// outputs: they repeat what is searched, and would be found before it. A search that takes too many steps stops, and a last entry
    /// says so.
    pub fn search(&self, search: &Search) -> Vec<Hit> {
        let mut in_progress = self.begin_search(search.clone());
        self.continue_search(&mut in_progress, MAX_STEPS);
        self.hits(in_progress)
    }

    /// Begins a search that runs in slices: see [`Session::continue_search`].
    pub fn begin_search(&self, search: Search) -> SearchInProgress {
        let context = self.context();
        SearchInProgress {
            search,
            hits: Vec::new(),
            opened: HashSet::default(),
            own_tool_outputs: self.own_tool_outputs(),
            nodes: context.history.len(),
            outputs: context.outputs.refs().into_iter().map(|output| output.id).collect(),
            progress: MatchProgress::default(),
        }
    }

    /// Continues a search for about this many steps. Returns whether it is done. Messages pushed since it began are not searched.
    pub fn continue_search(&self, in_progress: &mut SearchInProgress, mut steps: u64) -> bool {
        let context = self.context();
        while in_progress.nodes > 0 && !in_progress.is_full() {
            let at = in_progress.nodes - 1;
            let node = context.history.node(NodeIndex(at as u32));
            // Skip what the engine wrote: it summarises messages that are searched themselves.
            if node.kind == NodeKind::Message {
                let output_ref = node.message.output_ref();
                let stored = output_ref.and_then(|r| context.outputs.loaded(&r.id));
                let is_own = in_progress.own_tool_outputs.contains(&at);
                let done = match stored {
                    _ if is_own => true,
                    // The cache holds the message's output and what was appended to it since.
                    Some(output) if !in_progress.opened.contains(output.id()) => {
                        in_progress.progress.in_output(&in_progress.search.pattern, output, &mut steps)
                    }
                    Some(_) => true,
                    None => {
                        let texts = texts_with(&node.message, |call| !is_own_tool(&call.name));
                        in_progress.progress.in_texts(&in_progress.search.pattern, &texts, &mut steps)
                    }
                };
                if !done {
                    return false;
                }
                in_progress.opened.extend(stored.map(|output| output.id().to_owned()));
                let output_ref = output_ref.map(|r| r.id.clone());
                let fold = context.history.folds_around(NodeIndex(at as u32)).last();
                let fold = fold.map(|summary| &*context.history.node(summary).id);
                in_progress.add_hits(&node.id, fold, output_ref.as_deref(), node.message.role);
            }
            in_progress.nodes = at;
            steps = steps.saturating_sub(STEPS_PER_MESSAGE);
        }
        while !in_progress.is_full()
            && let Some(id) = in_progress.outputs.last()
        {
            if let Some(output) = context.outputs.loaded(id)
                && !in_progress.opened.contains(id)
                && !in_progress.progress.in_output(&in_progress.search.pattern, output, &mut steps)
            {
                return false;
            }
            if let Some(id) = in_progress.outputs.pop() {
                in_progress.add_hits(&id, None, Some(&id), Role::Tool);
            }
        }
        true
    }

    /// The hits of a search, as far as it has come.
    pub fn hits(&self, in_progress: SearchInProgress) -> Vec<Hit> {
        let history = &self.context().history;
        let stopped = (!in_progress.is_full())
            .then(|| match in_progress.nodes.checked_sub(1) {
                Some(at) => Some(history.node(NodeIndex(at as u32)).id.to_string()),
                None => in_progress.outputs.last().cloned(),
            })
            .flatten();
        let mut hits = in_progress.hits;
        hits.truncate(in_progress.search.max_hits);
        hits.extend(stopped.map(|id| Hit {
            excerpt: format!("[stopped: the search took too long; `{id}` and what is older were not searched: look for a plain text, or for less that repeats]"),
            unseen: true,
            ..Hit::of(&id, None, None, Role::Tool)
        }));
        hits.extend(self.not_searched());
        hits
    }

    /// The history entries that are outputs of our own tools.
    fn own_tool_outputs(&self) -> HashSet<usize> {
        let mut answers = HashSet::default();
        let mut asked: HashSet<&str> = HashSet::default();
        for (at, node) in self.context().history.nodes().iter().enumerate() {
            for call in node.message.tool_calls() {
                if is_own_tool(&call.name) {
                    asked.insert(&call.id);
                } else if !asked.is_empty() {
                    asked.remove(&*call.id); // a provider may reuse call ids in later answers
                }
            }
            if node.message.tool_outputs().any(|output| asked.contains(&*output.call_id)) {
                answers.insert(at);
            }
        }
        answers
    }

    /// An entry that names the outputs in the host's store, which cannot be searched from here.
    fn not_searched(&self) -> Option<Hit> {
        let away = self.context().outputs.iter().filter(|o| o.store_key().is_some());
        let refs: Vec<String> = away.map(|output| output.id().to_owned()).collect();
        let first = refs.first()?.clone();
        let named = refs[..refs.len().min(MAX_NAMED_REFS)].join(", ");
        let (count, etc) = (refs.len(), if refs.len() > MAX_NAMED_REFS { ", …" } else { "" });
        Some(Hit {
            id: first.clone(),
            fold: None,
            output_ref: Some(first),
            role: Role::Tool,
            excerpt: format!(
                "[not searched: {count} tool outputs that live in the store; grep them by ref: {named}{etc}]"
            ),
            unseen: true,
            refs,
        })
    }
}

/// A search in progress, for callers that do other work between slices.
#[derive(Debug)]
pub struct SearchInProgress {
    search: Search,
    hits: Vec<Hit>,
    /// Outputs that were searched together with their message.
    opened: HashSet<String>,
    own_tool_outputs: HashSet<usize>,
    /// The number of history entries that are left to search.
    nodes: usize,
    /// Outputs that are left to search; the next one is the last.
    outputs: Vec<String>,
    progress: MatchProgress,
}

impl SearchInProgress {
    fn is_full(&self) -> bool {
        self.hits.len() >= self.search.max_hits
    }

    fn add_hits(&mut self, id: &str, fold: Option<&str>, output_ref: Option<&str>, role: Role) {
        let places = std::mem::take(&mut self.progress);
        let hit = |excerpt| Hit { excerpt, ..Hit::of(id, fold, output_ref, role) };
        self.hits.extend(places.excerpts.into_iter().map(hit));
    }
}

impl Hit {
    fn of(id: &str, fold: Option<&str>, output_ref: Option<&str>, role: Role) -> Self {
        Self {
            id: id.to_owned(),
            fold: fold.map(str::to_owned),
            output_ref: output_ref.map(str::to_owned),
            role,
            excerpt: String::new(),
            unseen: false,
            refs: Vec::new(),
        }
    }
}

/// The matches in one message so far, and the state of the search in it.
#[derive(Debug, Default)]
struct MatchProgress {
    excerpts: Vec<String>,
    /// The number of its texts that are done.
    texts: usize,
    scan: Scan,
}

impl MatchProgress {
    /// Returns whether the texts are done.
    fn in_texts(&mut self, pattern: &Pattern, texts: &[Cow<'_, str>], steps: &mut u64) -> bool {
        texts.iter().enumerate().skip(self.texts).all(|(_, text)| self.find(pattern, &**text, steps))
    }

    fn in_output(&mut self, pattern: &Pattern, output: &Output, steps: &mut u64) -> bool {
        output.texts().skip(self.texts).all(|text| self.find(pattern, &text.as_line(), steps))
    }

    /// Returns whether the text is done.
    fn find<S: Searchable + ?Sized>(&mut self, pattern: &Pattern, text: &S, steps: &mut u64) -> bool {
        while self.excerpts.len() < MAX_PER_MESSAGE {
            let found = match self.scan.resume(pattern, text, steps) {
                Progress::Paused => return false,
                Progress::NotFound => break,
                Progress::Found(found) => found,
            };
            let (excerpt, until) = excerpt(text, &found);
            self.excerpts.push(excerpt);
            if until >= text.bytes() {
                break;
            }
            self.scan = Scan::new(until);
        }
        self.scan = Scan::default();
        self.texts += 1;
        true
    }
}

/// A match with the text around it, and the position where the excerpt ends.
fn excerpt<S: Searchable + ?Sized>(text: &S, found: &Range<usize>) -> (String, usize) {
    let piece = |from: usize, to: usize| text.piece(text.floor(from)..text.floor(to.min(text.bytes())));
    // Take a little more than is shown, so that the cut can be between grapheme clusters.
    let matched = piece(found.start, found.end.min(found.start + 2 * MAX_MATCH_BYTES));
    let matched = prefix_bytes(&matched, MAX_MATCH_BYTES);
    let end = found.start + matched.len();
    let before = piece(found.start.saturating_sub(2 * CONTEXT_BYTES), found.start);
    let after = piece(end, end + 2 * CONTEXT_BYTES);
    let (before, after) = (suffix_bytes(&before, CONTEXT_BYTES), prefix_bytes(&after, CONTEXT_BYTES));
    let cut = |cut: bool| if cut { "…" } else { "" };
    let excerpt = format!(
        "{}{before}{matched}{after}{}",
        cut(before.len() < found.start),
        cut(end + after.len() < text.bytes())
    );
    (excerpt, end + after.len())
}

/// Translates a JavaScript pattern into Rust's syntax where the same feature is written differently: within a character class,
/// `[`, `&&`, `--` and `~~` are literal and `\b` is a backspace; `[^]` is any character and `[]` none.
fn from_js(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 8);
    let mut chars = source.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('b') if in_class => out.push_str("\\x08"),
                Some('/') => out.push('/'),
                Some('0') => out.push_str("\\x00"),
                Some(next) => out.extend(['\\', next]),
                None => out.push('\\'),
            },
            '[' if in_class => out.push_str("\\["),
            '[' => {
                let negated = chars.next_if_eq(&'^').is_some();
                match chars.next_if_eq(&']') {
                    Some(_) if negated => out.push_str("(?s:.)"),
                    Some(_) => out.push_str("[^\\x00-\\x{10FFFF}]"),
                    None => {
                        in_class = true;
                        out.push_str(if negated { "[^" } else { "[" });
                    }
                }
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '&' | '~' if in_class => out.extend(['\\', c]),
            '-' if in_class && chars.peek() == Some(&'-') => out.push_str("\\-"),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javascript_patterns_are_translated() {
        let found = |source: &str, text: &str| {
            let search = Search::js_regex(source, "", &serde_json::json!({})).unwrap();
            search.pattern.find(text).map(|m| text[m].to_owned())
        };
        assert_eq!(found(r"src\/\w+\.rs", "see src/main.rs"), Some("src/main.rs".into()));
        assert_eq!(found(r"[[&&]+", "a[&["), Some("[&[".into()));
        assert_eq!(found(r"a[^]b", "a\nb"), Some("a\nb".into()));
        assert_eq!(found("[]", "x"), None);
        assert_eq!(found(r"(?<n>\d+)-\u0041", "12-A"), Some("12-A".into()));
        assert_eq!(found("A", "a"), None);
    }

    #[test]
    fn unsupported_patterns_are_reported() {
        for source in ["(?=a)", "(?<!a)b", r"(a)\1", "("] {
            let error = Search::js_regex(source, "g", &serde_json::json!({})).unwrap_err();
            assert!(error.message().contains("no look-around"), "{error}");
        }
        let no = |query, options| Search::spellings(&[query], &options).unwrap_err().to_string();
        assert!(no("", serde_json::json!({ "query": "" })).contains("empty"));
        assert!(no("a", serde_json::json!({ "query": "a", "max_hits": 0 })).contains("max_hits"));
        assert!(no("a", serde_json::json!({ "query": "a", "max": 1 })).contains("unknown key"));
    }
}
