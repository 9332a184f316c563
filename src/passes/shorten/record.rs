//! Cuts a record line by line, so that what matters most stays: names and remarks go first, then the summary, and the user's rules last. The
//! newest of a list go first, because a ledger lists the best first.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::notice::{notice, opener};
use super::texts::{restored, texts, texts_mut};
use crate::compaction::ledger::names_of_line;
use crate::context::{Context, Form, LedgerLeftOut, NodeIndex, Slot, Tally};
use crate::error::Result;
use crate::even_cut::uncut;
use crate::facts::{CONSTRAINTS_HEADING, RECORD_ENDS, RULES_TITLE, constraints, literals, without_ledger};
use crate::hashing::HashSet;
use crate::message::Message;

/// Cuts the record at `at` so that its message takes at most `goal` tokens, or little more than its rules' beginning. Returns the ref of the
/// full text; empty if the message is no record or did not become smaller.
pub(super) fn cut(context: &mut Context, at: usize, goal: u64) -> Result<Vec<Option<String>>> {
    let tokens = context.view.body()[at].tokens();
    cut_anew(context, at, goal, |now| now < tokens)
}

/// Gives the record at `at` as much of its text back as `goal` tokens have room for.
pub(super) fn give_back(context: &mut Context, at: usize, goal: u64) -> Result<()> {
    let tokens = context.view.body()[at].tokens();
    match uncut(context, &context.view.body()[at]).filter(|whole| whole.tokens() <= goal) {
        Some(whole) => context.view.replace(at, whole.message, whole.tally, whole.form),
        None => drop(cut_anew(context, at, goal, |now| tokens < now && now <= goal)?),
    }
    Ok(())
}

fn cut_anew(
    context: &mut Context,
    at: usize,
    goal: u64,
    is_better: impl Fn(u64) -> bool,
) -> Result<Vec<Option<String>>> {
    let slot = context.view.body()[at].clone();
    let whole = restored(context, &slot)?;
    let found = texts(&whole)
        .enumerate()
        .find_map(|(n, text)| Some((n, text.clone(), inside(context, slot.node, text)?)));
    let Some((n, full, inside)) = found else { return Ok(Vec::new()) };
    let ref_id = opener(context, &slot, &full)?;
    let counter = context.counter.clone();
    let with = |kept: String| {
        let left_out = full[inside.clone()].chars().count().saturating_sub(kept.chars().count());
        let notice = notice(left_out, ref_id.as_deref());
        let mut message = Message::clone(&whole);
        if let Some(text) = texts_mut(&mut message).nth(n) {
            *text = format!("{}{kept}{notice}{}", &full[..inside.start], &full[inside.end..]).into();
        }
        let tally = Tally::of(&message, &*counter);
        (message, tally)
    };
    let record = &full[inside.clone()];
    let keeps_rules = || {
        let pieces = pieces(record);
        let rules = pieces.iter().filter(|piece| piece.kind == Kind::Rule).count();
        with(kept(&pieces, rules)).1.total() <= goal
    };
    let record = if keeps_rules() { record.into() } else { Cow::Owned(rules_alone(record)) };
    let pieces = pieces(&record);
    let cut_to = |most: usize| with(kept(&pieces, most));
    let (mut least, mut most) = (0, pieces.len());
    while least < most {
        let middle = (least + most).div_ceil(2);
        if cut_to(middle).1.total() <= goal { least = middle } else { most = middle - 1 }
    }
    let (message, tally) = cut_to(least);
    if !is_better(tally.total()) {
        return Ok(Vec::new());
    }
    context.view.replace(at, Arc::new(message), tally, Form::Shortened);
    Ok(vec![ref_id])
}

/// What a record in the view lost because it was cut.
pub fn left_out_of_record(context: &Context, slot: &Slot) -> LedgerLeftOut {
    let mut lost = LedgerLeftOut::default();
    if slot.form != Form::Shortened {
        return lost;
    }
    let cut = slot.message.plain_text();
    let full = context.history.node(slot.node).message.clone();
    for text in texts(&full) {
        let Some(inside) = inside(context, slot.node, text) else { continue };
        let said = pieces(&text[inside.clone()]).into_iter().filter(|piece| piece.kind == Kind::Rule);
        let rules = said.flat_map(|piece| constraints(piece.text));
        lost.rules += rules.filter(|rule| !cut.contains(rule.text)).count() as u64;
        let mut names: HashSet<&str> = literals(&text[inside]).into_iter().map(|name| name.text).collect();
        names.retain(|name| !cut.contains(name));
        lost.facts += names.len() as u64;
    }
    lost
}

/// The part of a record's text that may be cut: all but its frame. `None` if it has no ledger and no frame that is known.
fn inside(context: &Context, node: NodeIndex, text: &str) -> Option<Range<usize>> {
    if let Some(fold) = context.folds.iter().find(|fold| fold.summary == node) {
        let parts = [Some(fold.text.as_str()), without_ledger(&fold.text).1];
        let found = |part: &str| text.find(part).map(|at| at..at + part.len());
        return parts.into_iter().flatten().filter(|part| !part.is_empty()).find_map(found);
    }
    let begin = text.find("\n\n")?;
    let end = text.rfind(RECORD_ENDS)?;
    let inside = text.get(begin..end)?.trim();
    let begin = begin + text[begin..].find(inside)?;
    Some(begin..begin + inside.len())
}

/// A record in which the messages that say rules are cut to these.
fn rules_alone(record: &str) -> String {
    let alone = |piece: &Piece<'_>| match piece.kind {
        Kind::Rule => format!(
            "- {}\n",
            constraints(piece.text).iter().map(|rule| rule.text).collect::<Vec<_>>().join(" ")
        ),
        Kind::Summary | Kind::Fact => piece.text.to_owned(),
    };
    pieces(record).iter().flat_map(|piece| [piece.lead.to_owned(), alone(piece)]).collect()
}

/// A line of a record, or a name in it, with the headings before it.
struct Piece<'a> {
    lead: &'a str,
    text: &'a str,
    kind: Kind,
}

/// What a piece is, in the order in which pieces are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rule,
    Summary,
    Fact,
}

/// The pieces of a record.
fn pieces(record: &str) -> Vec<Piece<'_>> {
    let ledger = record.len() - without_ledger(record).1.map_or(0, str::len);
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let (mut at, mut lead, mut lists_rules) = (0, 0, false);
    for line in record.split_inclusive('\n') {
        let begins = at;
        at += line.len();
        let bare = line.trim_end();
        let is_entry = line.starts_with("- ");
        let continues = line.starts_with("  ") && lead == begins;
        if !is_entry && !continues && (bare.is_empty() || bare.starts_with('#') || bare.ends_with(':')) {
            lists_rules = bare.strip_suffix(':') == Some(RULES_TITLE) || bare == CONSTRAINTS_HEADING;
            continue;
        }
        if continues && let Some(entry) = pieces.last_mut() {
            entry.text = &record[begins - entry.text.len()..at];
        } else {
            lists_rules &= is_entry;
            let kind = match () {
                () if lists_rules => Kind::Rule,
                () if begins >= ledger => Kind::Fact,
                () => Kind::Summary,
            };
            let mut lead = &record[lead..begins];
            let names = if kind == Kind::Fact { names_of_line(line) } else { vec![line] };
            for text in names {
                pieces.push(Piece { lead: std::mem::take(&mut lead), text, kind });
            }
        }
        lead = at;
    }
    for piece in &mut pieces {
        if piece.kind == Kind::Rule && constraints(piece.text).is_empty() {
            piece.kind = Kind::Fact; // something else that the user said
        }
    }
    pieces
}

/// The `most` pieces that matter most, each in its place.
fn kept(pieces: &[Piece<'_>], most: usize) -> String {
    let of_kind = |kind: Kind| (0..pieces.len()).filter(move |at| pieces[*at].kind == kind);
    let mut keep = vec![false; pieces.len()];
    let order = [Kind::Rule, Kind::Summary, Kind::Fact].into_iter().flat_map(of_kind);
    order.take(most).for_each(|at| keep[at] = true);
    let kept = pieces.iter().zip(keep).filter(|(_, keep)| *keep);
    let mut kept = kept.fold(String::new(), |text, (piece, _)| text + piece.lead + piece.text);
    kept.truncate(kept.trim_end().len());
    if !kept.is_empty() {
        kept.push('\n');
    }
    kept
}
