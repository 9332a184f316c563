//! The draft made to fit: which lines stand in the summary.

use std::fmt::Write as _;

use super::collect::{ANSWER_LABEL, FIRST, LATEST};
use super::draft::{Draft, Entry, Section};
use crate::facts::shorten;
use crate::sorting::{sort_by, sort_by_key};
use crate::tokens::TokenCounter;

const OPEN: &str = "<summary>\n";
const CLOSE: &str = "</summary>";

/// So many lines of a section are looked at; no budget holds more.
const CANDIDATES: usize = 400;

struct Candidate {
    section: Section,
    entry: Entry,
    line: String,
    /// Higher goes in first.
    worth: u64,
}

/// The summary of at most `budget` tokens; empty where not even one line fits.
pub(super) fn fit(mut draft: Draft, counter: &dyn TokenCounter, budget: u64) -> String {
    let newest = draft.newest().max(1);
    let mut candidates: Vec<Candidate> = Vec::new();
    for section in Section::ALL {
        let entries = draft.take(section).into_iter().filter(|e| !e.text.is_empty()).collect();
        candidates.extend(ranked(section, entries, newest, budget));
    }
    sort_by(&mut candidates, |a, b| b.worth.cmp(&a.worth).then(a.section.cmp(&b.section)));
    let mut room = budget.saturating_sub(counter.count(OPEN) + counter.count(CLOSE));
    let mut headed: Vec<Section> = Vec::new();
    let mut taken: Vec<Candidate> = Vec::new();
    let mut misses = 0;
    for candidate in candidates {
        let new = !headed.contains(&candidate.section);
        let heading = if new { counter.count(&heading(candidate.section)) } else { 0 };
        let cost = heading + counter.count(&candidate.line);
        if cost > room {
            misses += 1;
            if misses > 32 {
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
    // The whole may count a little more than its lines: the least worthy go until it fits.
    loop {
        if taken.is_empty() {
            return String::new();
        }
        let text = rendered(&taken);
        if counter.count(&text) <= budget {
            return text;
        }
        let keep = taken.len() - (taken.len() / 16 + 1);
        taken.truncate(keep);
    }
}

/// The best lines of a section with what each is worth, among all sections.
fn ranked(section: Section, mut entries: Vec<Entry>, newest: u64, budget: u64) -> Vec<Candidate> {
    let score = |e: &Entry| e.seq * 100 / newest + 20 * e.count.min(5) + 10 * e.weight;
    sort_by(&mut entries, |a, b| score(b).cmp(&score(a)).then(b.seq.cmp(&a.seq)));
    entries.truncate(CANDIDATES);
    let (base, slowness) = section.worth();
    let limit = line_limit(section, budget);
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

/// Bytes of one line, so that no line takes the others' room.
fn line_limit(section: Section, budget: u64) -> usize {
    let (share, most) = match section {
        Section::Task => (5, 2400),
        Section::Constraints => (12, 600),
        Section::Open | Section::Earlier => (14, 500),
        _ => (16, 400),
    };
    // Three bytes a token: few scripts have less.
    ((budget * 3 / share) as usize).clamp(40, most)
}

fn heading(section: Section) -> String {
    format!("\n## {}\n", section.heading())
}

fn line(section: Section, entry: &Entry, limit: usize) -> String {
    let mut out = String::from("- ");
    let limit = match entry.key.as_str() {
        FIRST | LATEST => limit,
        // The last word of a turn is often what the user came for.
        ANSWER_LABEL => limit * 2,
        _ if section == Section::Task => limit.min(300),
        _ => limit,
    };
    let text = match section {
        Section::Changed | Section::Read => entry.text.clone(),
        Section::Task | Section::Constraints => shorten::lines(&entry.text, limit),
        _ => shorten::line(&entry.text, limit),
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

fn rendered(taken: &[Candidate]) -> String {
    let mut out = String::from(OPEN);
    for section in Section::ALL {
        let mut lines: Vec<&Candidate> = taken.iter().filter(|c| c.section == section).collect();
        if lines.is_empty() {
            continue;
        }
        // What happened stands in the order in which it did; files stand best first.
        if !matches!(section, Section::Changed | Section::Read) {
            sort_by_key(&mut lines, |c| (c.entry.key == LATEST, c.entry.key != FIRST, c.entry.seq));
        }
        let heading = heading(section);
        out.push_str(if out == OPEN { heading.trim_start() } else { &heading });
        for candidate in lines {
            out.push_str(&candidate.line);
        }
    }
    out.push_str(CLOSE);
    out
}
