//! Recall (COMP-24): finds anything in the history again, whether folded, trimmed or shown.

mod found;
mod words;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use self::found::Found;
use self::words::{Words, WordsAt};
use super::state::Session;
use crate::config::Keys;
use crate::context::{NodeIndex, NodeKind};
use crate::error::{Error, Result};
use crate::facts::{texts_of_call, texts_with};
use crate::hashing::HashSet;
use crate::message::{Message, Role};
use crate::pattern::{Options, Pattern, Searchable};
use crate::sorting::sort_by_key;
use crate::tool_output::{Output, SEARCH_TOOL, is_own_tool, prefix_bytes, suffix_bytes};

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
/// If the text of a query is in fewer messages, its words are searched for.
const FEW_HITS: usize = 3;
const DEFAULT_HITS: u64 = 20;
const MAX_HITS: u64 = 1_000;

/// What to search for, and how many hits to return.
#[derive(Debug, Clone)]
pub struct Search {
    pattern: Arc<Pattern>,
    /// The words of a text.
    words: Option<Arc<Words>>,
    max_hits: usize,
}

/// A match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Hit {
    /// The message's id; for a stored output that belongs to no message, its ref.
    pub id: String,
    /// The fold that replaces the message in the view, if any: pass it to `unfold`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<String>,
    /// If the message is a stored tool output, the ref that opens the whole of it.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub output_ref: Option<String>,
    /// The message's role.
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(type = "\"system\" | \"developer\" | \"user\" | \"assistant\" | \"tool\"")
    )]
    pub role: Role,
    /// The matched text, with about 100 bytes on either side; for several matches in a message, the first three.
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

impl Hit {
    fn new(id: String, role: Role, excerpt: String) -> Self {
        Self { id, fold: None, output_ref: None, role, excerpt, unseen: false, refs: Vec::new() }
    }
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
        let pattern = Arc::new(pattern.map_err(Error::argument)?);
        let words = if regex { None } else { Words::of(queries, ignore_case).map(Arc::new) };
        Ok(Self { pattern, words, max_hits: max_hits.unwrap_or(DEFAULT_HITS) as usize })
    }
}

impl Session {
    /// Searches the whole history, including folded and trimmed parts, and every stored output, in time linear in their length.
    /// Newest hits come first, one per message. If there are too many, what was said is preferred to arguments of calls and to outputs.
    /// If a text is found in fewer than three messages, its words are searched for, too, and those that have the most of them follow.
    /// Calls of `search_history` and of the cache's tools are skipped, with their outputs: they repeat what is searched, and would be
    /// found before it. A search that takes too many steps stops, and a last entry says so.
    pub fn search(&self, search: &Search) -> Vec<Hit> {
        let mut in_progress = self.begin_search(search.clone());
        self.continue_search(&mut in_progress, MAX_STEPS);
        self.hits(in_progress)
    }

    /// Begins a search that runs in slices: see [`Session::continue_search`].
    pub fn begin_search(&self, search: Search) -> SearchInProgress {
        let context = self.context();
        let outputs: Vec<_> = context.outputs.refs().into_iter().map(|output| output.id).collect();
        let places = outputs.len() + context.history.len();
        SearchInProgress {
            search,
            hits: Vec::new(),
            with_words: None,
            opened: HashSet::default(),
            own_tool_outputs: self.own_tool_outputs(),
            outputs,
            places,
            left: places,
            found: Found::default(),
        }
    }

    /// Continues a search for about this many steps. Returns whether it is done. Messages pushed since it began are not searched.
    pub fn continue_search(&self, in_progress: &mut SearchInProgress, mut steps: u64) -> bool {
        loop {
            while in_progress.left > 0 && !in_progress.is_full() {
                if !self.look_at(in_progress, in_progress.left - 1, &mut steps) {
                    return false;
                }
                in_progress.left -= 1;
                steps = steps.saturating_sub(STEPS_PER_MESSAGE);
            }
            if !in_progress.begin_words() {
                return true;
            }
        }
    }

    /// Returns whether the place is done.
    fn look_at(&self, in_progress: &mut SearchInProgress, at: usize, steps: &mut u64) -> bool {
        let (node, id) = self.place(in_progress, at);
        let Some(texts) = self.texts_at(in_progress, at) else { return true };
        let stored = id.filter(|_| matches!(texts, Texts::Stored(_))).map(str::to_owned);
        let is_own = node.is_some_and(|node| in_progress.own_tool_outputs.contains(&node.get()));
        let is_known = stored.as_ref().is_some_and(|id| in_progress.opened.contains(id))
            || in_progress.with_words.is_some() && in_progress.hits.iter().any(|(place, ..)| *place == at);
        if !is_own && !is_known {
            let words = in_progress.search.words.as_ref().filter(|_| in_progress.with_words.is_some());
            let is_done = match words {
                Some(words) => {
                    texts.all(&mut in_progress.found, &mut |found, text| found.find_words(words, text, steps))
                }
                None if texts.said() == 0 && in_progress.has_enough_outputs() => true,
                None => texts.all(&mut in_progress.found, &mut |found, text| {
                    found.find(&in_progress.search.pattern, text, steps)
                }),
            };
            if !is_done {
                return false;
            }
            let found = std::mem::take(&mut in_progress.found);
            let is_said = found.places.iter().any(|(text, _)| *text < texts.said());
            if let Some(all) = in_progress.with_words.as_mut() {
                all.extend(found.words_at(at, is_said));
            } else if !found.places.is_empty() {
                let hit = self.hit(in_progress, at, texts.excerpt(&found.places));
                in_progress.hits.push((at, is_said, hit));
            }
        }
        in_progress.opened.extend(stored);
        true
    }

    /// The history entry at a place, and the id of its output; the outputs come before the history.
    fn place<'a>(&'a self, of: &'a SearchInProgress, at: usize) -> (Option<NodeIndex>, Option<&'a str>) {
        if let Some(id) = of.outputs.get(at) {
            return (None, Some(id));
        }
        let node = NodeIndex((at - of.outputs.len()) as u32);
        let output = self.context().history.node(node).message.output_ref();
        (Some(node), output.map(|output| &*output.id))
    }

    fn texts_at(&self, of: &SearchInProgress, at: usize) -> Option<Texts<'_>> {
        let context = self.context();
        let (node, id) = self.place(of, at);
        // The cache holds the message's output and what was appended to it since.
        if let Some(output) = id.and_then(|id| context.outputs.loaded(id)) {
            return Some(Texts::Stored(output));
        }
        let node = context.history.node(node?);
        // Skip what the engine wrote: it summarises messages that are searched themselves.
        (node.kind == NodeKind::Message).then(|| Texts::of(&node.message))
    }

    fn hit(&self, of: &SearchInProgress, at: usize, excerpt: String) -> Hit {
        let history = &self.context().history;
        let (node, id) = self.place(of, at);
        let fold = node.and_then(|node| history.folds_around(node).last());
        let fold = fold.map(|summary| history.node(summary).id.to_string());
        let output_ref = id.map(str::to_owned);
        let node = node.map(|node| history.node(node));
        let (id, role) = match node {
            Some(node) => (node.id.to_string(), node.message.role),
            None => (output_ref.clone().unwrap_or_default(), Role::Tool),
        };
        Hit { fold, output_ref, ..Hit::new(id, role, excerpt) }
    }

    /// The hits of a search, as far as it has come.
    pub fn hits(&self, mut in_progress: SearchInProgress) -> Vec<Hit> {
        let max_hits = in_progress.search.max_hits;
        let by_words = in_progress.with_words.is_some();
        let stopped_at = in_progress.left.checked_sub(1).filter(|_| !in_progress.is_full());
        let mut found = std::mem::take(&mut in_progress.hits);
        sort_by_key(&mut found, |(_, is_said, _)| !is_said);
        found.truncate(max_hits);
        sort_by_key(&mut found, |(at, ..)| Reverse(*at));
        let mut hits: Vec<Hit> = found.into_iter().map(|(.., hit)| hit).collect();
        if let (Some(all), Some(words)) = (in_progress.with_words.take(), &in_progress.search.words) {
            for WordsAt { at, text, span, .. } in words.ranked(all, hits.len(), max_hits) {
                let texts = self.texts_at(&in_progress, at);
                hits.extend(texts.map(|t| self.hit(&in_progress, at, t.excerpt(&[(text, span)]))));
            }
        }
        if let Some(at) = stopped_at {
            let Hit { id, .. } = self.hit(&in_progress, at, String::new());
            let what = if by_words { " for its single words" } else { "" };
            let excerpt = format!(
                "[stopped: the search took too long; `{id}` and what is older were not searched{what}: look for a plain text, or for less that repeats]"
            );
            hits.push(Hit { unseen: true, ..Hit::new(id, Role::Tool, excerpt) });
        }
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
        let excerpt = format!(
            "[not searched: {count} tool outputs that live in the store; grep them by ref: {named}{etc}]"
        );
        let hit = Hit::new(first.clone(), Role::Tool, excerpt);
        Some(Hit { output_ref: Some(first), unseen: true, refs, ..hit })
    }
}

/// A search in progress, for callers that do other work between slices.
#[derive(Debug)]
pub struct SearchInProgress {
    search: Search,
    /// The hits, the newest first, each with its place and whether it was said.
    hits: Vec<(usize, bool, Hit)>,
    /// Where the words are; `None` while the whole text is searched for.
    with_words: Option<Vec<WordsAt>>,
    /// Outputs that were searched together with their message.
    opened: HashSet<String>,
    own_tool_outputs: HashSet<usize>,
    outputs: Vec<String>,
    /// The number of outputs and history entries; outputs count as older.
    places: usize,
    /// How many of them are left to search.
    left: usize,
    found: Found,
}

impl SearchInProgress {
    fn said(&self) -> usize {
        self.hits.iter().filter(|(_, is_said, _)| *is_said).count()
    }

    fn is_full(&self) -> bool {
        self.with_words.is_none() && self.said() >= self.search.max_hits
    }

    fn has_enough_outputs(&self) -> bool {
        self.hits.len() - self.said() >= self.search.max_hits
    }

    /// Goes on with the words of the query, if it was hardly found.
    fn begin_words(&mut self) -> bool {
        let Some(words) = &self.search.words else { return false };
        // A single word that is found is not looked for by its beginning, too.
        let few = if words.is_one { 1 } else { FEW_HITS.min(self.search.max_hits) };
        if self.hits.len() >= few || self.with_words.is_some() {
            return false;
        }
        self.with_words = Some(Vec::new());
        self.opened.clear();
        self.left = self.places;
        true
    }
}

/// The texts of a place.
enum Texts<'a> {
    /// Those of a message, the first of which (as many as the number says) were said.
    Message(Vec<Cow<'a, str>>, usize),
    Stored(&'a Output),
}

impl<'a> Texts<'a> {
    fn of(message: &'a Message) -> Self {
        let mut all = texts_with(message, |_| false);
        let said = if message.tool_outputs().next().is_some() { 0 } else { all.len() };
        let calls = message.tool_calls().filter(|call| !is_own_tool(&call.name));
        all.extend(calls.flat_map(texts_of_call));
        Self::Message(all, said)
    }

    fn said(&self) -> usize {
        if let Self::Message(_, said) = self { *said } else { 0 }
    }

    /// Goes on through the texts. Returns whether they are done.
    fn all(&self, found: &mut Found, look: &mut dyn FnMut(&mut Found, &dyn Searchable) -> bool) -> bool {
        let done = found.texts;
        match self {
            Self::Message(texts, _) => texts.iter().skip(done).all(|text| look(found, &&**text)),
            Self::Stored(output) => output.texts().skip(done).all(|text| look(found, &text.as_line())),
        }
    }

    /// The text at these places, and around them.
    fn excerpt(&self, places: &[(usize, Range<usize>)]) -> String {
        let mut out = String::new();
        let mut shown = (0, 0); // the text and the end of what is shown
        for (at, span) in places {
            let from = if shown.0 == *at { shown.1 } else { 0 };
            let mut add = |text: &dyn Searchable| shown = (*at, push_excerpt(&mut out, text, span, from));
            match self {
                Self::Message(texts, _) => {
                    if let Some(text) = texts.get(*at) {
                        add(&&**text);
                    }
                }
                Self::Stored(output) => {
                    if let Some(text) = output.texts().nth(*at) {
                        add(&text.as_line());
                    }
                }
            }
        }
        out
    }
}

/// Adds a match with the text around it, from `from` at most. Returns where it ends.
fn push_excerpt(out: &mut String, text: &dyn Searchable, span: &Range<usize>, from: usize) -> usize {
    let piece = |from: usize, to: usize| text.piece(text.floor(from)..text.floor(to.min(text.bytes())));
    // Take a little more than is shown, so that the cut can be between grapheme clusters.
    let matched = piece(span.start, span.end.min(span.start + 2 * MAX_MATCH_BYTES));
    let matched = prefix_bytes(&matched, MAX_MATCH_BYTES);
    let end = span.start + matched.len();
    let before = piece(span.start.saturating_sub(2 * CONTEXT_BYTES).max(from), span.start);
    let after = piece(end, end + 2 * CONTEXT_BYTES);
    let (before, after) = (suffix_bytes(&before, CONTEXT_BYTES), prefix_bytes(&after, CONTEXT_BYTES));
    let begins = span.start.saturating_sub(before.len());
    if from > 0 && begins <= from {
        out.truncate(out.trim_end_matches('…').len());
    } else {
        let cut = if begins > 0 { "…" } else { "" };
        *out += if out.is_empty() { "" } else { "\n" };
        *out += cut;
    }
    for piece in [before, matched, after] {
        *out += piece;
    }
    if end + after.len() < text.bytes() {
        *out += "…";
    }
    end + after.len()
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
