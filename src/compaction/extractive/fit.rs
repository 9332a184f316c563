//! Chooses which lines of the draft fit into the summary.

use std::cmp::Reverse;
use std::fmt::Write as _;

use super::answers::{answer_in, shortened};
use super::collect::{ANSWER_LABEL, FIRST, LATEST};
use super::draft::{Draft, Entry, Section};
use super::earlier;
use crate::compaction::frame::EMPTY_SUMMARY;
use crate::facts::{COMMITTED, Content, shorten};
use crate::sorting::{sort_by, sort_by_key};
use crate::tokens::TokenCounter;

const OPEN: &str = "<summary>\n";
const CLOSE: &str = "</summary>";

/// The most lines per section that are considered; no budget holds more.
const CANDIDATES: usize = 400;

/// At most this many of the assistant's own statements are told, the best of the newest: later messages refute or undo many of the older
/// ones, and what came of the work stands in the lists of files and commands.
const STATEMENTS: usize = 10;
const NEWEST: usize = 2 * STATEMENTS;

/// Approximate tokens of a line, to estimate how many lines to remove at once from a summary that is too long.
const LINE: u64 = 24;

/// The numbers of a section's lines.
struct List {
    section: Section,
    /// The number of lines in the draft.
    lines: u64,
    /// The number of further lines that earlier summaries had no room for.
    missing: u64,
}

struct Candidate {
    section: Section,
    entry: Entry,
    line: String,
    /// Lines with a higher worth are added first.
    worth: u64,
}

/// Below this budget, in tokens, lines are not shortened.
const ROOM_TO_CUT: u64 = 48;

/// The least line limit, in bytes: cut shorter, a line would say next to nothing. A statement without room for that is cut to less.
const WHOLE_LINE: usize = 200;
const SHORT_LINE: usize = 100;

/// Writes a summary of at most `budget` tokens. If not even one line fits, it says that something was left out; if that does not fit
/// either, it is empty.
pub(super) fn fit(mut draft: Draft, counter: &dyn TokenCounter, budget: u64) -> String {
    let newest = draft.newest().max(1);
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut lists: Vec<List> = Vec::new();
    // What the last answer tells is not told twice.
    let answer = draft.get(Section::Progress, ANSWER_LABEL);
    let answer = answer.map(|entry| line(Section::Progress, entry, line_limit(Section::Progress, budget)));
    for section in Section::ALL {
        let is_answer =
            |entry: &Entry| answer.as_ref().is_some_and(|told| told.contains(answer_in(&entry.text)));
        let is_new =
            |entry: &Entry| !are_statements(section) || entry.key == ANSWER_LABEL || !is_answer(entry);
        let entries = draft.take(section).into_iter().filter(|entry| !entry.text.is_empty() && is_new(entry));
        let entries: Vec<Entry> = entries.collect();
        lists.push(List { section, lines: entries.len() as u64, missing: draft.missing(section) });
        candidates.extend(ranked(section, entries, newest, budget));
    }
    sort_by(&mut candidates, |a, b| b.worth.cmp(&a.worth).then(a.section.cmp(&b.section)));
    let mut room = budget.saturating_sub(counter.count(OPEN) + counter.count(CLOSE));
    let mut headed: Vec<Section> = Vec::new();
    let mut taken: Vec<Candidate> = Vec::new();
    let mut skipped = 0;
    // A statement may take back or replace any earlier one, so none is told without those after it. A commit takes nothing back.
    let mut no_older_statements = false;
    for mut candidate in candidates {
        let is_statement = are_statements(candidate.section);
        if is_statement && no_older_statements {
            continue;
        }
        let new = !headed.contains(&candidate.section);
        let heading = if new { counter.count(&heading(candidate.section)) } else { 0 };
        let mut cost = heading + counter.count(&candidate.line);
        for limit in shorter_limits(&candidate, budget) {
            if cost > room {
                candidate.line = shortened(candidate.line.trim_end(), limit, shorten::within) + "\n";
                cost = heading + counter.count(&candidate.line);
            }
        }
        if cost > room {
            no_older_statements |= is_statement && !candidate.entry.text.starts_with(COMMITTED);
            skipped += 1;
            if skipped > 32 {
                break;
            }
            continue;
        }
        room -= cost;
        if new {
            headed.push(candidate.section);
        }
        taken.push(candidate);
    }
    // The whole summary has more tokens than its lines, because lists state what they left out. Remove the least worthy lines until it
    // fits.
    loop {
        if taken.is_empty() {
            let least = empty_summary();
            return if counter.count(&least) <= budget { least } else { String::new() };
        }
        let text = rendered(&taken, &lists);
        let over = counter.count(&text).saturating_sub(budget);
        if over == 0 {
            return text;
        }
        let surplus = usize::try_from(over / LINE).unwrap_or(usize::MAX).saturating_add(1);
        taken.truncate(taken.len().saturating_sub(surplus));
    }
}

/// A summary that says only that messages were left out.
pub fn empty_summary() -> String {
    format!("{OPEN}{EMPTY_SUMMARY}\n{CLOSE}")
}

/// The best lines of a section, with their worth compared to the lines of all sections.
fn ranked(section: Section, mut entries: Vec<Entry>, newest: u64, budget: u64) -> Vec<Candidate> {
    if are_statements(section) {
        entries = newest_of_each(entries);
    }
    let score = |e: &Entry| e.seq * 100 / newest + 20 * e.count.min(5) + 10 * e.weight;
    sort_by(&mut entries, |a, b| score(b).cmp(&score(a)).then(b.seq.cmp(&a.seq)));
    if are_statements(section) {
        best_of_newest(&mut entries);
    }
    entries.truncate(CANDIDATES);
    let (base, slowness) = section.worth();
    let limit = line_limit(section, budget);
    // Drop lines of which less than half would be shown, except requests and statements.
    let (longest, may_cut) = if budget < ROOM_TO_CUT { (limit, false) } else { (2 * limit, true) };
    let is_cut = |entry: &Entry| may_cut && (is_request(entry) || are_statements(section));
    entries.retain(|entry| entry.text.len() <= longest || is_cut(entry));
    let ranked = entries.into_iter().enumerate().map(|(rank, entry)| {
        let worth = match entry.key.as_str() {
            FIRST => 1_000_000,
            LATEST => 900_000,
            _ => base * 1000 / (rank as u64 + slowness),
        };
        Candidate { section, line: line(section, &entry, limit), entry, worth }
    });
    ranked.collect()
}

/// Whether a section quotes the assistant.
const fn are_statements(section: Section) -> bool {
    matches!(section, Section::Progress)
}

/// The newest statements, and of those about the same thing the newest one.
fn newest_of_each(mut entries: Vec<Entry>) -> Vec<Entry> {
    sort_by_key(&mut entries, |entry| Reverse(entry.seq));
    entries.truncate(NEWEST);
    let mut told: Vec<Content> = Vec::new();
    entries.retain(|entry| {
        if entry.key == ANSWER_LABEL {
            return true;
        }
        let content = Content::of(answer_in(&entry.text));
        let is_new = !told.iter().any(|newer| newer.replaces(&content));
        if is_new {
            told.push(content);
        }
        is_new
    });
    entries
}

/// The newest statement and the best others, the newest first. The best come first in `entries`.
fn best_of_newest(entries: &mut Vec<Entry>) {
    let newest = entries.iter().map(|entry| entry.seq).max();
    sort_by_key(entries, |entry| Some(entry.seq) != newest);
    entries.truncate(STATEMENTS);
    sort_by_key(entries, |entry| Reverse(entry.seq));
}

/// Whether an entry is the first or the latest request, or the last answer. These are cut as short as necessary.
fn is_request(entry: &Entry) -> bool {
    [FIRST, LATEST, ANSWER_LABEL].contains(&entry.key.as_str())
}

/// How short a line may become if it has no room, in bytes.
fn shorter_limits(Candidate { section, entry, .. }: &Candidate, budget: u64) -> Vec<usize> {
    let limit = line_limit(*section, budget);
    match (is_request(entry), are_statements(*section)) {
        // Only whole, the ledger sees that it is told.
        _ if entry.text.starts_with(COMMITTED) => vec![],
        (_, true) => vec![limit, SHORT_LINE],
        (true, false) => vec![limit],
        (false, false) => vec![],
    }
}

/// About how many bytes a line is shortened to, so that no line takes the room of the others.
fn line_limit(section: Section, budget: u64) -> usize {
    let (share, max) = match section {
        Section::Task => (5, 2400),
        Section::Constraints => (12, 600),
        Section::Open | Section::Earlier => (14, 500),
        _ => (16, 400),
    };
    // Three bytes per token: few scripts have fewer.
    ((budget * 3 / share) as usize).clamp(WHOLE_LINE, max)
}

fn heading(section: Section) -> String {
    format!("\n## {}\n", section.as_str())
}

fn line(section: Section, entry: &Entry, limit: usize) -> String {
    let mut out = String::from("- ");
    let limit = match entry.key.as_str() {
        FIRST | LATEST => limit,
        // The last message of a turn is often what the user wanted.
        ANSWER_LABEL => limit * 2,
        _ if section == Section::Task => limit.min(300),
        _ => limit,
    };
    let text = match section {
        Section::Changed | Section::Read => entry.text.clone(),
        // Whole, so that the ledger sees that it is told.
        _ if entry.text.starts_with(COMMITTED) => entry.text.clone(),
        Section::Task | Section::Constraints => shorten::lines(&entry.text, limit),
        _ => shortened(&entry.text, limit, shorten::line),
    };
    for (i, line) in text.lines().enumerate() {
        if i > 0 {
            out.push_str("\n  ");
        }
        out.push_str(line);
    }
    let counted = matches!(section, Section::Changed | Section::Commands | Section::Errors);
    if entry.count > 1 && counted {
        let _ = write!(out, " (×{})", entry.count);
    }
    out.push('\n');
    out
}

fn rendered(taken: &[Candidate], lists: &[List]) -> String {
    let mut out = String::from(OPEN);
    for List { section, lines: all, missing } in lists {
        let section = *section;
        let mut lines: Vec<&Candidate> = taken.iter().filter(|c| c.section == section).collect();
        if lines.is_empty() {
            continue;
        }
        // Lines are in chronological order, the newest last.
        sort_by_key(&mut lines, |c| (c.entry.key == LATEST, c.entry.key != FIRST, c.entry.seq));
        let left_out = all.saturating_sub(lines.len() as u64);
        let heading = heading(section);
        out.push_str(if out == OPEN { heading.trim_start() } else { &heading });
        for candidate in lines {
            out.push_str(&candidate.line);
        }
        if section.is_list() && left_out.saturating_add(*missing) > 0 {
            let _ = writeln!(out, "- {}", earlier::format_more(left_out, *missing));
        }
    }
    out.push_str(CLOSE);
    out
}
