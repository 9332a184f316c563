use std::cmp::Reverse;
use std::fmt::Write as _;

use super::carried::{CommandLine, StoredOutput};
use super::choose::Choice;
use super::missing::{LedgerRule, Missing};
use super::open::Open;
use super::requests::Requests;
use super::user_list::UserList;
use crate::compaction::tags;
use crate::facts::{IDS_TITLE, LEDGER_HEADING as HEADING, LiteralKind, MORE, RULES_TITLE, inside_record};
use crate::hashing::HashMap;
use crate::sorted::SortedMap;
use crate::sorting::{sort, sort_by_key};
use crate::tokens::{Estimate, TokenCounter};

/// The heading of open work.
pub const OPEN_TITLE: &str = "Still open";

/// The heading of commands with their outcomes.
pub const COMMANDS_TITLE: &str = "Commands and what came of them";

/// The heading of commands that were run often.
pub const OFTEN_TITLE: &str = "Commands run often";

/// What stands before the folder of the latest commands.
pub const FOLDER_LABEL: &str = "The latest commands were run in: ";

/// Open work and commands have this fraction (1/6) of the room, however many literal facts there are.
const WORK_SHARE: u64 = 6;

/// Calls that changed something in another service may take this fraction (1/2) of the room that names have which nobody used: who does not
/// know of such a call makes it again, while a name can be looked up.
const CALLS_SHARE: u64 = 2;

/// Constraints from pasted text may take this fraction (1/4) of the facts' room.
const PASTED_SHARE: u64 = 4;

/// The user's requests may take this fraction (1/2) of the room: the user's own words are nowhere else, while a path can be listed again.
const TASK_SHARE: u64 = 2;

/// Of that, this fraction (1/4) of the room is theirs whatever the ids in use need.
const LEAST_TASK_SHARE: u64 = 4;

/// Requests have this room, in tokens, beside the ids in use, even if no facts find any: without its task, an agent cannot go on, nor
/// without the ids that its next call needs.
const LEAST_TASK: u64 = 64;

/// What else the user said has a quarter of the room before the facts get any, and may take up to three quarters of the shared room if the
/// facts leave that much.
const WORDS_SHARE: u64 = 4;
const WORDS_MAX_SHARE: (u64, u64) = (3, 4);

/// The number of newest outputs that are named if they are large, besides those that contain facts without room.
const NEWEST_REFS: usize = 12;
const LARGE: u64 = 2_000;

/// How many tokens a ledger may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The whole ledger.
    pub all: u64,
    /// For the user's constraints, which come first, if this is more than `all`.
    pub rules: u64,
    /// For everything except the constraints.
    pub facts: u64,
    /// The part of `facts` that paths, URLs, ids and error codes may take.
    pub names: u64,
    /// The part of `facts` of which pasted constraints and the user's other remarks get their shares.
    pub shared: u64,
}

/// How many missing facts found no room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OmittedFacts {
    /// The user's constraints.
    pub rules: u64,
    /// Paths, URLs, ids and error codes.
    pub facts: u64,
}

/// One attempt at a ledger.
pub(super) struct Draft {
    pub text: String,
    /// The estimated tokens of its parts, close to those of the whole.
    pub cost: u64,
    /// It contains everything that is missing.
    pub complete: bool,
    /// The estimated tokens of the user's own constraints.
    pub rules: u64,
    pub omitted: OmittedFacts,
    /// Some of the missed rules are the user's own.
    pub omits_own_rules: bool,
}

impl Draft {
    /// The ledger that fits the room, by the estimate; `None` if nothing fits.
    pub fn of(missing: &Missing<'_>, room: Room) -> Option<Self> {
        let text = format!("{HEADING}\n");
        let omitted = OmittedFacts::default();
        let mut draft = Self { text, cost: 0, complete: true, rules: 0, omitted, omits_own_rules: false };
        let (chosen, mut left) = draft.rules(&missing.rules, room);
        let beside_ids = left.saturating_sub(missing.literals.price_of_ids_in_use());
        let for_task = (left.min(room.shared) / TASK_SHARE).min(beside_ids.max(left / LEAST_TASK_SHARE));
        let for_task = for_task.max(beside_ids.min(LEAST_TASK));
        let requests = Requests::of(missing, &chosen, for_task);
        draft.complete &= !requests.omits_any;
        if chosen.is_empty() && !requests.lines.is_empty() {
            draft.cost += cost(RULES_TITLE) + 1;
        }
        left -= requests.tokens;
        let asked = requests.text();
        let for_work = left / WORK_SHARE;
        let open: Vec<&String> =
            missing.open.iter().filter(|line| !Open::is_question_in(line, &asked)).collect();
        let of_open = draft.list(OPEN_TITLE, &open, for_work, |line| line.as_str(), |_| ());
        let of_folder = draft.folder(missing.folder.as_deref(), for_work - of_open);
        let mut commands = missing.commands.clone();
        let often: Vec<(String, Option<&CommandLine>)> = missing
            .often
            .iter()
            .map(|habit| {
                let latest = commands.iter().copied().find(|command| habit.is_latest_run(command));
                (habit.line(latest), latest)
            })
            .collect();
        let for_often = (for_work - of_open - of_folder) / 2;
        let of_often = draft.list(OFTEN_TITLE, &often, for_often, |(line, _)| line, |_| ());
        let told =
            often.iter().filter(|(line, _)| draft.text.contains(line)).filter_map(|(_, latest)| *latest);
        let told: Vec<&CommandLine> = told.collect();
        commands.retain(|command| !told.contains(command));
        newest_of_each_tool(&mut commands);
        let for_commands = for_work - of_open - of_folder - of_often;
        let of_work = of_open + of_folder + of_often;
        left -= of_work;
        let commands = (&*commands, for_commands);
        let (of_rest, words) = draft.rest(missing, &chosen, &requests, commands, left, room);
        let further = words.said.iter().filter(|rule| !chosen.contains(rule)).count();
        draft.omitted.rules -= further as u64;
        draft.cost += requests.tokens + of_work + of_rest;
        draft.text.insert_str(HEADING.len() + 1, &words.text);

        draft.text.truncate(draft.text.trim_end().len());
        draft.text = inside_record(tags::neutralize(&draft.text).into_owned());
        (draft.text.len() > HEADING.len()).then_some(draft)
    }

    /// Chooses the user's constraints. Returns their numbers, and the tokens left. The oldest get room first.
    fn rules(&mut self, all: &[LedgerRule<'_>], room: Room) -> (Vec<usize>, u64) {
        let mut left = room.all.max(room.rules).saturating_sub(cost(&self.text) + cost(RULES_TITLE) + 8);
        let (own, pasted): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(|rule| all[*rule].own);
        let price = |rule: &usize| cost(all[*rule].text) + 2;
        let before = left;
        let mut taken: Vec<usize> = fitting(&own, &mut left, price).into_iter().copied().collect();
        self.omits_own_rules = own.len() > taken.len();
        let of_own = before - left;
        let for_pasted = left.min(room.shared / PASTED_SHARE);
        let mut left_of_it = for_pasted;
        taken.extend(fitting(&pasted, &mut left_of_it, price));
        let of_pasted = for_pasted - left_of_it;
        self.omitted.rules = (own.len() + pasted.len() - taken.len()) as u64;
        self.complete &= self.omitted.rules == 0;
        let title = if taken.is_empty() { 0 } else { cost(RULES_TITLE) + 1 };
        self.rules = cost(&self.text) + title + of_own;
        self.cost = self.rules + of_pasted;
        (taken, left.min(room.all.saturating_sub(self.cost)).min(room.facts - of_pasted))
    }

    /// Writes the folder of the latest commands. Returns its tokens.
    fn folder(&mut self, line: Option<&str>, room: u64) -> u64 {
        let Some(line) = line.filter(|line| cost(line) < room) else { return 0 };
        let _ = writeln!(self.text, "{line}");
        cost(line) + 1
    }

    /// Writes literal facts, and refs of outputs with facts that found no room. Returns their tokens, with those of what else the user said,
    /// and the list of these words and of the user's rules.
    fn rest(
        &mut self,
        missing: &Missing<'_>,
        rules: &[usize],
        requests: &Requests,
        (commands, for_commands): (&[&CommandLine], u64),
        room: u64,
        of: Room,
    ) -> (u64, UserList) {
        let all = room;
        let (told, of_commands) = Self::fitting_commands(commands, for_commands);
        let misses_some = commands.len() > told.len();
        let told = told.iter().map(|command| &*command.line).collect::<Vec<_>>().join("\n");
        let room = room - of_commands;
        let max_for_words = of.shared.min(of.names) / WORDS_MAX_SHARE.1 * WORDS_MAX_SHARE.0;
        let before = format!("{}{}\n{told}", self.text, requests.text());
        let new = missing.remarks_not_in(&before);
        let reserve = room / 16;
        let beside_ids = room.saturating_sub(reserve + missing.literals.price_of_ids_in_use());
        let for_words = if new.is_empty() { 0 } else { (room / WORDS_SHARE).min(beside_ids) };
        let for_names = room - reserve - for_words;
        let beyond = for_names.saturating_sub(of.names); // left to the steps
        let for_names = for_names - beyond;
        let mut left = for_names;
        let (mut chosen, mut left_out) = missing.literals.choose(&before, &mut left);

        let of_names = for_names - left;
        left += for_words;
        let is_cut = max_for_words < left;
        let mut for_words = left.min(max_for_words);
        left -= for_words;
        let words = UserList::of(missing, rules, requests, &new, &mut for_words);
        left += for_words;
        let beside_ids = (left + of_names).saturating_sub(missing.literals.price_of_ids_in_use());
        let has_calls = commands.iter().any(|command| command.calls > 0);
        let for_calls = if has_calls && misses_some { beside_ids / CALLS_SHARE } else { 0 };
        let spent = self
            .commands(commands, missing.carried.calls_left_out, of_commands + for_calls)
            .saturating_sub(of_commands);
        if words.told > 0 || spent > 0 {
            // A name that stands in the user's words is not listed, too.
            let written = format!("{}\n{}", self.text, words.text);
            left = (left + of_names).saturating_sub(spent);
            let for_names = for_names.min(left);
            left -= for_names;
            let mut unused = for_names;
            (chosen, left_out) = missing.literals.choose(&written, &mut unused);
            left += unused;
        }
        self.omitted.facts = left_out.len() as u64;
        let complete = self.complete && left_out.is_empty();
        // A list that is limited by its own share would not be longer in a larger ledger. And what is withheld from names must not be
        // filled by a larger ledger.
        self.complete = beyond > 0 || complete && (words.told == new.len() || is_cut);
        self.cost += groups(&mut self.text, &chosen);
        left += reserve;
        let of_refs = self.refs(missing, &left_out, left);
        (all - beyond - left + of_refs, words)
    }

    /// The commands that fit, and their tokens.
    fn fitting_commands<'c>(commands: &'c [&CommandLine], room: u64) -> (Vec<&'c &'c CommandLine>, u64) {
        let mut left = room;
        let told = fitting(commands, &mut left, |command| cost(&command.line) + 2);
        (told, room - left)
    }

    /// Writes commands and calls of services, and how many calls found no room: who does not know of them might make them again. `before`:
    /// how many an earlier record had no room for. Returns the tokens.
    fn commands(&mut self, commands: &[&CommandLine], before: u64, room: u64) -> u64 {
        let (told, _) = Self::fitting_commands(commands, room);
        let told_calls = told.iter().map(|command| command.calls).fold(0, u64::saturating_add);
        let calls = commands.iter().map(|command| command.calls).fold(before, u64::saturating_add);
        let left_out = calls - told_calls;
        let of_commands =
            self.list(COMMANDS_TITLE, commands, room, |c| c.line.as_str(), |c| (c.last, c.place));
        let title = if told.is_empty() { format!("{COMMANDS_TITLE}:\n") } else { String::new() };
        let line = format!("{title}- {MORE}{left_out} more");
        if left_out == 0 || told.is_empty() && cost(&line) >= room {
            return of_commands;
        }
        let _ = writeln!(self.text, "{line}");
        of_commands + cost(&line) + 1
    }

    /// Writes refs of outputs with facts that found no room, those with most such facts first, then the newest large outputs. Returns their
    /// tokens.
    fn refs(&mut self, missing: &Missing<'_>, left_out: &[Choice<'_>], room: u64) -> u64 {
        let mut outputs: Vec<u32> = left_out.iter().filter_map(|c| c.sighting.output).collect();
        sort(&mut outputs);
        let counted = outputs.chunk_by(|a, b| a == b).map(|same| (u64::from(same[0]), same.len()));
        let opens: SortedMap<u64, usize> = counted.collect();
        let mut shown = missing.shown_refs.clone();
        missing.refs.find(&self.text, |i| shown[i] = true);
        let unnamed = missing.carried.outputs.iter().zip(&shown).filter(|(_, shown)| !**shown);
        let mut refs: Vec<(usize, u64, &str)> = unnamed
            .map(|(stored, _)| stored)
            .rev()
            .enumerate()
            .filter(|(age, stored)| {
                opens.contains_key(&stored.at) || (*age < NEWEST_REFS && stored.bytes >= LARGE)
            })
            .map(|(_, StoredOutput { at, ref_id, .. })| {
                (opens.get(at).copied().unwrap_or(0), *at, ref_id.as_str())
            })
            .collect();
        sort_by_key(&mut refs, |(opens, at, _)| (Reverse(*opens), Reverse(*at)));
        let label = "Outputs kept whole (tool_output_cache opens them by name): ";
        let mut left = room.saturating_sub(cost(label));
        // A bare name says nothing of what it opens, so half of the room is for the calls of the best.
        let (mut for_calls, mut named) = (left / 2, Vec::new());
        for (_, _, id) in &refs {
            let Some(text) = missing.shown.call_of(id).map(|call| format!("{id} ({call})")) else { break };
            let price = cost(&text) + 1;
            if price > for_calls {
                break;
            }
            for_calls -= price;
            left -= price;
            named.push(text);
        }
        let taken = fitting(&refs[named.len()..], &mut left, |(_, _, id)| cost(id) + 1);
        let others = ranges(taken.into_iter().map(|(_, _, id)| *id).collect());
        named.extend(Some(others).filter(|ids| !ids.is_empty()));
        if named.is_empty() {
            return 0;
        }
        let _ = writeln!(self.text, "{label}{}", named.join(", "));
        room - left
    }

    /// Writes a list of the items that fit, sorted by `order`. Returns its tokens.
    fn list<T, K: Ord>(
        &mut self,
        title: &str,
        items: &[T],
        room: u64,
        line: impl Fn(&T) -> &str,
        order: impl Fn(&T) -> K,
    ) -> u64 {
        let mut left = room;
        let mut taken = fitting(items, &mut left, |item| cost(line(item)) + 2);
        self.complete &= taken.len() == items.len();
        sort_by_key(&mut taken, |item| order(item));
        self.lines(title, taken.into_iter().map(line));
        room - left
    }

    fn lines<'l>(&mut self, title: &str, lines: impl Iterator<Item = &'l str>) {
        for (i, line) in lines.enumerate() {
            if i == 0 {
                let _ = writeln!(self.text, "{title}:");
                self.cost += cost(title) + 1;
            }
            let _ = writeln!(self.text, "- {line}");
        }
    }
}

/// Sorts commands for the choice: failed commands and a few calls of each tool first, the newest first; then other commands and a few more
/// calls; and so on. A call that is made often is mostly worth less than one that is made once.
fn newest_of_each_tool(commands: &mut Vec<&CommandLine>) {
    const FEW: usize = 3;
    sort_by_key(commands, |command| Reverse((command.last, command.place)));
    let mut seen: HashMap<&str, usize> = HashMap::default();
    let nth: Vec<usize> = commands
        .iter()
        .map(|command| {
            let Some(tool) = command.tool() else { return usize::from(!command.failed) };
            let nth = seen.entry(tool).or_default();
            *nth += 1;
            (*nth - 1) / FEW
        })
        .collect();
    let mut ranked: Vec<(usize, &CommandLine)> = nth.into_iter().zip(commands.drain(..)).collect();
    sort_by_key(&mut ranked, |(nth, _)| *nth);
    commands.extend(ranked.into_iter().map(|(_, command)| command));
}

/// Joins ids, with consecutive numbers as ranges: `out_3 to out_9`.
fn ranges(ids: Vec<&str>) -> String {
    /// This many consecutive ids become a range.
    const ROW: usize = 3;
    let mut all: Vec<(&str, Option<u64>, &str)> = ids.into_iter().map(numbered).collect();
    sort_by_key(&mut all, |(name, number, id)| (*name, *number, *id));
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some((name, number, first)) = all.get(at).copied() {
        let continues = |i: usize| {
            let next = number.and_then(|number| number.checked_add(i as u64));
            all.get(at + i)
                .is_some_and(|(other, count, _)| *other == name && *count == next && next.is_some())
        };
        let row = (1..=all.len()).find(|i| !continues(*i)).unwrap_or(1);
        let last = all.get(at + row - 1).map_or(first, |(_, _, id)| id);
        if row >= ROW {
            parts.push(format!("{first} to {last}"));
        } else {
            parts.extend(all.iter().skip(at).take(row).map(|(_, _, id)| (*id).to_owned()));
        }
        at += row;
    }
    parts.join(", ")
}

/// An id as the text before its trailing number, the number (`None` if it has leading zeros or is missing), and the whole id.
fn numbered(id: &str) -> (&str, Option<u64>, &str) {
    let name = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &id[name.len()..];
    (name, digits.parse().ok().filter(|_| !digits.starts_with('0')), id)
}

/// The items that fit, in order. Items too large for the remaining room are skipped.
pub(super) fn fitting<'a, T>(list: &'a [T], left: &mut u64, cost: impl Fn(&T) -> u64) -> Vec<&'a T> {
    let mut taken = Vec::new();
    let mut misses = 0;
    for item in list {
        let price = cost(item);
        if price <= *left {
            *left -= price;
            taken.push(item);
        } else {
            misses += 1;
            if misses > 64 {
                break;
            }
        }
    }
    taken
}

/// Writes literal facts by kind, sorted; ids by the fields that held them, too: `Ids (reservation_id): GV1N64`. Each is written whole,
/// because a path shortened by its folder can no longer be found in the text. Returns the tokens of the titles.
fn groups(out: &mut String, chosen: &[Choice<'_>]) -> u64 {
    out.reserve(chosen.iter().map(|c| c.text.len() + 1).sum());
    let mut sorted: Vec<&Choice<'_>> = chosen.iter().collect();
    sort_by_key(&mut sorted, |c| (Reverse(c.sighting.kind), c.field));
    let mut of_titles = 0;
    for line in
        sorted.chunk_by(|one, other| (one.sighting.kind, one.field) == (other.sighting.kind, other.field))
    {
        let title = title(line[0].sighting.kind);
        out.push_str(title);
        match line[0].field {
            // Its price was part of the first id's.
            Some(field) => {
                let _ = write!(out, " ({field})");
            }
            None => of_titles += cost(title) + 1,
        }
        out.push(':');
        for Choice { text, .. } in line {
            // Blanks stand between the names, too.
            let quote = if text.contains(' ') && !text.contains('\\') { "\"" } else { "" };
            let _ = write!(out, " {quote}{text}{quote}");
        }
        out.push('\n');
    }
    of_titles
}

/// The heading of a kind's list.
const fn title(kind: LiteralKind) -> &'static str {
    match kind {
        LiteralKind::ErrorCode => "Error codes",
        LiteralKind::Id => IDS_TITLE,
        LiteralKind::Url => "URLs",
        LiteralKind::Path => "Paths",
    }
}

/// The names that a ledger's line lists, the first one with the line's title; the whole line if it lists something else.
pub fn names_of_line(line: &str) -> Vec<&str> {
    let kinds = [LiteralKind::ErrorCode, LiteralKind::Id, LiteralKind::Url, LiteralKind::Path];
    let lists_names = kinds.iter().any(|kind| line.starts_with(title(*kind)));
    let Some(titled) = line.find(": ").filter(|_| lists_names) else { return vec![line] };
    let (mut names, mut begin, mut quoted) = (Vec::new(), 0, false);
    for (at, letter) in line.char_indices().skip_while(|(at, _)| *at < titled + 2) {
        quoted ^= letter == '"';
        if letter == ' ' && !quoted {
            names.push(&line[begin..at]);
            begin = at;
        }
    }
    names.push(&line[begin..]);
    names
}

/// Estimated tokens, which cost next to nothing to compute. The finished text is counted by the session's counter.
pub(super) fn cost(text: &str) -> u64 {
    Estimate.count(text)
}
