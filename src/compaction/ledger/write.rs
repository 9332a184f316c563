use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::asked::LATEST;
use super::carried::{Carried, Rule};
use super::choose::{Choice, Choices};
use super::cost;
use super::open::Open;
use super::said::Said;
use super::sentence;
use super::stays::Stays;
use crate::compaction::tags;
use crate::context::LEDGER_HEADING as HEADING;
use crate::facts::{LiteralKind, Needles, Strength};
use crate::sorting::sort_by_key;
use crate::tokens::TokenCounter;

/// How often the writing is tried.
const TRIES: u32 = 4;

/// The share of the room that open work and commands have, however many literal facts there are.
const TOLD: u64 = 8;

/// The share of the facts' room that the constraints of a paste may take.
const PASTED: u64 = 4;

/// The share of the room that what the user asked for has.
const TASK: u64 = 4;

/// The share of the room that what else the user said has before facts, and of the facts' room that it may take of what they
/// leave.
const SAID: u64 = 16;
const SAID_AT_MOST: u64 = 4;

/// Refs named beyond those that hold what found no room: the newest of the large outputs.
const NEWEST_REFS: usize = 12;
const LARGE: u64 = 2_000;

/// How many tokens a ledger may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// All of it.
    pub all: u64,
    /// The user's constraints, which come before all else, where that is more.
    pub rules: u64,
    /// All but the constraints.
    pub facts: u64,
}

/// What is missing and found no room.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Missed {
    /// Constraints of the user's.
    pub rules: u64,
    /// Paths, URLs, ids and error codes.
    pub facts: u64,
}

/// What of `carried` is not shown beside it, best first, and its tokens (`None` where nothing is missing or nothing fits);
/// and what had to be left out.
pub fn write(
    carried: &Carried,
    stays: &Stays<'_>,
    room: Room,
    counter: &dyn TokenCounter,
) -> (Option<(String, u64)>, Missed) {
    of(carried, Choices::missing(&carried.literals, stays), stays, room, counter)
}

/// The same with these literal facts instead of those of `carried`.
pub(super) fn of(
    carried: &Carried,
    literals: Choices<'_>,
    stays: &Stays<'_>,
    room: Room,
    counter: &dyn TokenCounter,
) -> (Option<(String, u64)>, Missed) {
    let missing = Missing::of(carried, literals, stays);
    let most = room.all.max(room.rules);
    let mut aim = room;
    let mut best: Option<(Draft, u64)> = None;
    let mut over = None;
    // The parts are counted one by one, by the estimate: the whole may count less or more. The next try aims by that.
    for _ in 0..TRIES {
        let Some(text) = missing.text(aim) else { break };
        let tokens = counter.count(&text.text);
        // The constraints may take what they need; the rest does not get what they leave.
        let aimed = if text.missed_own { most } else { most.min(text.rules.saturating_add(room.facts)) };
        let is_most = tokens.saturating_mul(20) >= aimed.saturating_mul(19);
        let done = tokens <= aimed && (text.complete || is_most);
        if tokens <= aimed {
            if best.as_ref().is_none_or(|(_, before)| tokens > *before) {
                best = Some((text, tokens));
            }
        } else if tokens <= most {
            over = Some((text, tokens));
        }
        if done {
            break;
        }
        // A caller's counter may say anything, 0 included.
        let scaled = |room: u64| {
            let by_aim = (u128::from(room) * u128::from(aimed)).saturating_mul(39);
            u64::try_from(by_aim / (u128::from(tokens.max(1)) * 40)).unwrap_or(u64::MAX)
        };
        aim = Room { all: scaled(aim.all), rules: scaled(aim.rules), facts: scaled(aim.facts) };
    }
    match best.or(over) {
        Some((text, tokens)) => (Some((text.text, tokens)), text.missed),
        None => (None, missing.all()),
    }
}

/// A ledger as it was tried.
struct Draft {
    text: String,
    /// It is all that is missing.
    complete: bool,
    /// What the user's own constraints take, by the estimate.
    rules: u64,
    missed: Missed,
    /// Some of them are the user's own.
    missed_own: bool,
}

/// A constraint.
struct Ruled<'a> {
    text: &'a str,
    /// When it was said last.
    last: u64,
    /// By the user: not in a paste, whose lines have no room of their own.
    own: bool,
}

/// What the rest of the view does not say.
struct Missing<'a> {
    carried: &'a Carried,
    /// Best first.
    rules: Vec<Ruled<'a>>,
    open: Vec<String>,
    asked: Vec<&'a str>,
    said: Vec<&'a Said>,
    literals: Choices<'a>,
    refs: Needles<'a>,
    /// Refs that the view shows already.
    shown_refs: Vec<bool>,
}

impl<'a> Missing<'a> {
    fn of(carried: &'a Carried, literals: Choices<'a>, stays: &Stays<'_>) -> Self {
        let mut rules: Vec<_> = carried.rules.iter().collect();
        sort_by_key(&mut rules, |(_, r)| (Reverse((r.explicit, r.strength)), r.first));
        let as_told = |(text, r): (&'a String, &Rule)| {
            let own = r.explicit || r.strength > Strength::Mention;
            Ruled { text, last: r.last, own }
        };
        let mut rules: Vec<Ruled<'a>> = rules.into_iter().map(as_told).collect();
        let mut open = carried.open.lines();
        let mut absent = vec![true; rules.len()];
        stays.find_ruled(&rules.iter().map(|rule| rule.text).collect::<Vec<_>>(), |i| absent[i] = false);
        let mut absent = absent.into_iter();
        rules.retain(|_| absent.next().unwrap_or(true));
        let mut asked: Vec<&str> = carried.asked.iter().map(String::as_str).collect();
        let mut absent = vec![true; asked.len()];
        stays.find_ruled(&asked, |i| absent[i] = false);
        let mut absent = absent.into_iter();
        asked.retain(|_| absent.next().unwrap_or(true));
        let mut absent = vec![true; open.len()];
        stays.find_said(&Needles::new(open.iter().map(|line| Open::said(line))), |i| absent[i] = false);
        let mut absent = absent.into_iter();
        open.retain(|_| absent.next().unwrap_or(true));

        let mut said: Vec<&Said> = carried.said.iter().collect();
        let mut absent = vec![true; said.len()];
        stays.find_nearby(&Needles::new(said.iter().map(|said| said.text.as_str())), |i| absent[i] = false);
        let mut absent = absent.into_iter();
        said.retain(|_| absent.next().unwrap_or(true));

        let mut shown_refs = vec![false; carried.outputs.len()];
        let refs = Needles::new(carried.outputs.values().map(|o| o.ref_id.as_str()));
        stays.find_written(&refs, |i| shown_refs[i] = true);
        Self { carried, rules, open, asked, said, literals, refs, shown_refs }
    }

    /// All of it.
    fn all(&self) -> Missed {
        Missed { rules: self.rules.len() as u64, facts: self.literals.len() as u64 }
    }

    /// The ledger of at most so many tokens, by the estimate.
    fn text(&self, room: Room) -> Option<Draft> {
        let mut out = format!("{HEADING}\n");
        let mut left = room.all.max(room.rules).saturating_sub(cost(&out) + 8);
        // The oldest find room first, and stand in the order in which they were said: where two disagree, the later one holds.
        let (own, pasted): (Vec<&Ruled<'_>>, Vec<&Ruled<'_>>) = self.rules.iter().partition(|rule| rule.own);
        let mut taken = fitting(&own, &mut left, |rule| cost(rule.text) + 2);
        let missed_own = own.len() > taken.len();
        let for_pasted = left.min(room.facts / PASTED);
        let mut left_of_it = for_pasted;
        taken.extend(fitting(&pasted, &mut left_of_it, |rule| cost(rule.text) + 2));
        let of_pasted = for_pasted - left_of_it;
        sort_by_key(&mut taken, |rule| rule.last);
        let missed_rules = (self.rules.len() - taken.len()) as u64;
        let mut complete = missed_rules == 0;
        let told: Vec<&str> = taken.into_iter().map(|rule| rule.text).collect();
        list(&mut out, "Rules that hold", told.iter().copied());
        let all_rules = cost(&out);
        let rules = all_rules.saturating_sub(of_pasted);
        left = left.min(room.all.saturating_sub(all_rules)).min(room.facts - of_pasted);

        let new: Vec<String> = self.asked.iter().filter_map(|asked| without_rules(asked, &told)).collect();
        let mut for_task = left / TASK;
        let before = for_task;
        let taken = fitting(&new, &mut for_task, |line| cost(line) + 2);
        complete &= taken.len() == new.len();
        list(&mut out, "Task", taken.into_iter().map(String::as_str));
        left -= before - for_task;

        let mut told = left / TOLD;
        let before = told;
        let open = fitting(&self.open, &mut told, |line| cost(line) + 2);
        complete &= open.len() == self.open.len();
        list(&mut out, "Still open", open.into_iter().map(String::as_str));
        let mut commands: Vec<_> = self.carried.commands.values().collect();
        sort_by_key(&mut commands, |c| (Reverse(c.failed), Reverse(c.last)));
        let mut taken = fitting(&commands, &mut told, |c| cost(&c.line) + 2);
        complete &= taken.len() == commands.len();
        sort_by_key(&mut taken, |c| c.last);
        list(&mut out, "Commands and what came of them", taken.into_iter().map(|c| c.line.as_str()));
        left -= before - told;

        let mut told = vec![false; self.said.len()];
        Needles::new(self.said.iter().map(|said| said.text.as_str())).find(&out, |i| told[i] = true);
        let new: Vec<&Said> =
            self.said.iter().zip(told).filter(|(_, told)| !told).map(|(said, _)| *said).collect();
        let reserve = left / 16;
        let for_said = if new.is_empty() { 0 } else { left / SAID };
        let mut room_for_literals = left - reserve - for_said;
        let (chosen, left_out) = self.literals.choose(&out, &mut room_for_literals);
        groups(&mut out, &chosen);
        let all_for_said = for_said + room_for_literals;
        let most_for_said = all_for_said.min(room.facts / SAID_AT_MOST);
        let mut room_for_said = most_for_said;
        let mut taken = fitting(&new, &mut room_for_said, |said| cost(&said.text) + 2);
        complete &= taken.len() == new.len() || most_for_said < all_for_said;
        sort_by_key(&mut taken, |said| said.at);
        list(
            &mut out,
            "Also said by the user (done or not)",
            taken.into_iter().map(|said| said.text.as_str()),
        );
        self.refs(&mut out, &left_out, all_for_said - (most_for_said - room_for_said) + reserve);

        out.truncate(out.trim_end().len());
        let text = match tags::neutralize(&out) {
            Cow::Borrowed(_) => out,
            Cow::Owned(inert) => inert,
        };
        let missed = Missed { rules: missed_rules, facts: left_out.len() as u64 };
        let complete = complete && left_out.is_empty();
        (text.len() > HEADING.len()).then_some(Draft { text, complete, rules, missed, missed_own })
    }

    /// Refs that open what found no room, those that open most of it first; then the newest large outputs.
    fn refs(&self, out: &mut String, left_out: &[Choice<'_>], room: u64) {
        let mut missing: BTreeMap<u64, usize> = BTreeMap::new();
        for output in left_out.iter().filter_map(|c| c.seen.output) {
            *missing.entry(u64::from(output)).or_default() += 1;
        }
        let mut shown = self.shown_refs.clone();
        self.refs.find(out, |i| shown[i] = true);
        let unnamed = self.carried.outputs.iter().zip(&shown).filter(|(_, shown)| !**shown);
        let mut refs: Vec<(usize, u64, &str)> = unnamed
            .map(|((at, stored), _)| (at, stored))
            .rev()
            .enumerate()
            .filter(|(age, (at, stored))| {
                missing.contains_key(*at) || (*age < NEWEST_REFS && stored.bytes >= LARGE)
            })
            .map(|(_, (at, stored))| (missing.get(at).copied().unwrap_or(0), *at, stored.ref_id.as_str()))
            .collect();
        sort_by_key(&mut refs, |(opens, at, _)| (Reverse(*opens), Reverse(*at)));
        let label = "Stored outputs (tool_output_cache): ";
        let mut left = room.saturating_sub(cost(label));
        let taken = fitting(&refs, &mut left, |(_, _, id)| cost(id) + 1);
        let ids: Vec<&str> = taken.into_iter().map(|(_, _, id)| *id).collect();
        if !ids.is_empty() {
            let _ = writeln!(out, "{label}{}", ids.join(" "));
        }
    }
}

/// A request without the rules that were told just now, where they are sentences of it; `None` where it is no more than these.
fn without_rules(asked: &str, told: &[&str]) -> Option<String> {
    let mut rest = Cow::Borrowed(asked);
    for rule in told {
        if let Some(shorter) = sentence::without(&rest, &one_line(rule)) {
            rest = Cow::Owned(shorter);
        }
    }
    if let Cow::Borrowed(whole) = rest {
        return Some(whole.to_owned());
    }
    let words = one_line(&rest);
    let said = words.strip_prefix(LATEST.trim_end()).unwrap_or(&words);
    said.contains(char::is_alphanumeric).then_some(words)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Those that fit, in order; what is too large for what is left is passed over.
fn fitting<'a, T>(list: &'a [T], left: &mut u64, cost: impl Fn(&T) -> u64) -> Vec<&'a T> {
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

fn list<'a>(out: &mut String, title: &str, lines: impl Iterator<Item = &'a str>) {
    for (i, line) in lines.enumerate() {
        if i == 0 {
            let _ = writeln!(out, "{title}:");
        }
        let _ = writeln!(out, "- {line}");
    }
}

/// Literal facts by kind, sorted, each whole: what is shortened by a shared folder stands there no more.
fn groups(out: &mut String, chosen: &[Choice<'_>]) {
    out.reserve(chosen.iter().map(|c| c.text.len() + 1).sum());
    let kinds = [
        (LiteralKind::ErrorCode, "Error codes"),
        (LiteralKind::Id, "Ids"),
        (LiteralKind::Url, "URLs"),
        (LiteralKind::Path, "Paths"),
    ];
    for (kind, title) in kinds {
        let mut of_kind = chosen.iter().filter(|c| c.seen.kind == kind).map(|c| c.text).peekable();
        if of_kind.peek().is_some() {
            out.push_str(title);
            out.push(':');
            for text in of_kind {
                out.push(' ');
                out.push_str(text);
            }
            out.push('\n');
        }
    }
}
