//! A search that can be paused: follows the states of a pattern through a text byte by byte, and counts every step.
//!
//! It uses no clock. The caller says how many steps may be taken, and calls again.

use std::borrow::Cow;
use std::ops::Range;

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::primitives::StateID;

use super::Pattern;

/// A text that is searched piece by piece. It need not be contiguous in memory.
pub trait Searchable {
    /// The length in UTF-8 bytes.
    fn bytes(&self) -> usize;
    /// The start of the character that contains this byte.
    fn floor(&self, at: usize) -> usize;
    /// The text in a range of bytes, both ends of which must be at the start of a character.
    fn piece(&self, range: Range<usize>) -> Cow<'_, str>;
}

impl Searchable for &str {
    fn bytes(&self) -> usize {
        self.len()
    }

    fn floor(&self, at: usize) -> usize {
        self.floor_char_boundary(at)
    }

    fn piece(&self, range: Range<usize>) -> Cow<'_, str> {
        Cow::Borrowed(&self[range])
    }
}

/// The number of bytes read at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// The bytes around a position that `^`, `$` and `\b` look at: one character on either side.
const CONTEXT_BYTES: usize = 4;

/// This many skipped bytes, at which no match can begin, count as one step.
const SKIPPED_BYTES_PER_STEP: usize = 8;

/// The progress of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Not finished; there is more to read.
    Paused,
    /// The first match was found.
    Found(Range<usize>),
    /// The whole text was searched without a match.
    NotFound,
}

/// A search under way in one text.
#[derive(Debug, Default)]
pub struct Scan {
    /// The next byte to read.
    at: usize,
    /// The current states of the pattern in order of preference, each with the position where its match began.
    current: StateSet,
    next: StateSet,
    stack: Vec<StateID>,
    found: Option<Range<usize>>,
}

/// A set of states in the order in which they were reached.
#[derive(Debug, Default)]
struct StateSet {
    order: Vec<(StateID, usize)>,
    /// For each state, its index in `order` if it is in the set.
    slots: Vec<u32>,
}

impl StateSet {
    /// Adds a state; `false` if it was already reached by a preferred choice.
    fn add(&mut self, state: StateID, begun: usize) -> bool {
        if self.slots.len() <= state.as_usize() {
            self.slots.resize(state.as_usize() + 1, 0);
        }
        let slot = &mut self.slots[state.as_usize()];
        if self.order.get(*slot as usize).is_some_and(|(known, _)| *known == state) {
            return false;
        }
        *slot = self.order.len() as u32;
        self.order.push((state, begun));
        true
    }
}

impl Scan {
    /// Goes on with the first match that begins at `from` or later. The text before `from` still counts for `^` and `\b`.
    pub fn restart(&mut self, from: usize) {
        self.at = from;
        self.current.order.clear();
    }

    /// Continues for about `steps` steps, and subtracts the steps taken.
    pub fn resume<S: Searchable + ?Sized>(
        &mut self,
        pattern: &Pattern,
        text: &S,
        steps: &mut u64,
    ) -> Progress {
        let nfa = pattern.engine.get_nfa();
        let length = text.bytes();
        loop {
            if *steps == 0 {
                return Progress::Paused;
            }
            let start = text.floor(self.at.saturating_sub(CONTEXT_BYTES));
            let end = text.floor(self.at.saturating_add(PIECE_BYTES).min(length));
            let with_more = text.floor(end.saturating_add(2 * CONTEXT_BYTES).min(length));
            let piece = text.piece(start..with_more);
            let end = if with_more >= length { piece.len() } else { end - start };
            let reading = TextPiece { nfa, pattern, piece: piece.as_bytes(), start };
            if self.read(&reading, end, with_more >= length, steps) {
                return self.found.take().map_or(Progress::NotFound, Progress::Found);
            }
        }
    }

    /// Reads the piece up to `end`, as far as the steps allow. Returns whether the search is finished.
    fn read(&mut self, reading: &TextPiece<'_>, end: usize, is_last: bool, steps: &mut u64) -> bool {
        let TextPiece { nfa, pattern, piece, start } = *reading;
        while *steps > 0 {
            let at = self.at.saturating_sub(start);
            if self.current.order.is_empty() {
                if self.found.is_some() || (at + start > 0 && nfa.is_always_start_anchored()) {
                    return true;
                }
                if let Some(begins) = &pattern.first_bytes {
                    let rest = piece.get(at..end).unwrap_or_default();
                    let hop = rest.iter().position(|byte| begins[usize::from(*byte)]).unwrap_or(rest.len());
                    spend(steps, hop / SKIPPED_BYTES_PER_STEP);
                    if hop > 0 {
                        self.at += hop;
                        continue;
                    }
                }
            }
            if at >= end && !is_last {
                return false;
            }
            let byte = piece.get(at).copied();
            let begins_here = byte.is_none_or(|byte| byte & 0xC0 != 0x80);
            if self.found.is_none() && begins_here {
                let begun = start + at;
                add_reachable(
                    &mut self.current,
                    &mut self.stack,
                    reading,
                    (nfa.start_anchored(), begun),
                    at,
                    steps,
                );
            }
            self.next.order.clear();
            spend(steps, 1 + self.current.order.len());
            for &(state, begun) in &self.current.order {
                let to = match (nfa.state(state), byte) {
                    (State::Match { .. }, _) => {
                        self.found = Some(begun..start + at);
                        break; // the states after this one are less preferred
                    }
                    (State::ByteRange { trans }, Some(byte)) if trans.matches_byte(byte) => Some(trans.next),
                    (State::Sparse(sparse), Some(byte)) => sparse.matches_byte(byte),
                    (State::Dense(dense), Some(byte)) => dense.matches_byte(byte),
                    _ => None,
                };
                if let Some(to) = to {
                    add_reachable(&mut self.next, &mut self.stack, reading, (to, begun), at + 1, steps);
                }
            }
            if byte.is_none() {
                return true;
            }
            std::mem::swap(&mut self.current, &mut self.next);
            self.at += 1;
        }
        false
    }
}

/// A piece of a text, and its position in the text.
#[derive(Clone, Copy)]
struct TextPiece<'a> {
    nfa: &'a NFA,
    pattern: &'a Pattern,
    piece: &'a [u8],
    start: usize,
}

/// Adds a state and all states reachable from it without reading a byte, in order of preference.
fn add_reachable(
    places: &mut StateSet,
    stack: &mut Vec<StateID>,
    reading: &TextPiece<'_>,
    (state, begun): (StateID, usize),
    at: usize,
    steps: &mut u64,
) {
    let nfa = reading.nfa;
    stack.push(state);
    while let Some(mut state) = stack.pop() {
        while places.add(state, begun) {
            spend(steps, 1);
            state = match nfa.state(state) {
                State::Capture { next, .. } => *next,
                State::Look { look, next } if nfa.look_matcher().matches(*look, reading.piece, at) => *next,
                State::BinaryUnion { alt1, alt2 } => {
                    stack.push(*alt2);
                    *alt1
                }
                State::Union { alternates } => match alternates.split_first() {
                    Some((first, others)) => {
                        stack.extend(others.iter().rev());
                        *first
                    }
                    None => break,
                },
                _ => break,
            };
        }
    }
}

fn spend(steps: &mut u64, taken: usize) {
    *steps = steps.saturating_sub(taken as u64);
}

/// The bytes that a match can begin with; `None` if a match can be empty.
pub fn first_bytes(nfa: &NFA) -> Option<Box<[bool; 256]>> {
    let mut begins = Box::new([false; 256]);
    let mut seen = vec![false; nfa.states().len()];
    let mut waiting = vec![nfa.start_anchored()];
    while let Some(state) = waiting.pop() {
        if std::mem::replace(seen.get_mut(state.as_usize())?, true) {
            continue;
        }
        match nfa.state(state) {
            State::Match { .. } => return None,
            State::Fail => {}
            State::ByteRange { trans } => {
                begins[usize::from(trans.start)..=usize::from(trans.end)].fill(true);
            }
            State::Sparse(sparse) => {
                for trans in &sparse.transitions {
                    begins[usize::from(trans.start)..=usize::from(trans.end)].fill(true);
                }
            }
            State::Dense(dense) => {
                for byte in 0..=u8::MAX {
                    begins[usize::from(byte)] |= dense.matches_byte(byte).is_some();
                }
            }
            State::Look { next, .. } | State::Capture { next, .. } => waiting.push(*next),
            State::BinaryUnion { alt1, alt2 } => waiting.extend([*alt1, *alt2]),
            State::Union { alternates } => waiting.extend(alternates.iter()),
        }
    }
    Some(begins)
}

#[cfg(test)]
mod tests {
    use super::super::{Options, Pattern};
    use super::*;
    use proptest::prelude::*;

    /// Searches `text` with `at_once` steps per call; returns the match and the steps taken.
    fn found(pattern: &Pattern, text: &str, from: usize, at_once: u64) -> (Option<Range<usize>>, u64) {
        let mut scan = Scan::default();
        scan.restart(from);
        let mut taken = 0;
        loop {
            let mut steps = at_once;
            let came = scan.resume(pattern, &text, &mut steps);
            taken += at_once - steps;
            match came {
                Progress::Paused => {}
                Progress::Found(found) => return (Some(found), taken),
                Progress::NotFound => return (None, taken),
            }
        }
    }

    #[test]
    fn a_sliced_search_takes_at_most_its_steps_per_slice() {
        let pattern = Pattern::new(r"[\w\W]{60}c", Options::default()).unwrap();
        let text = "a".repeat(2_000);
        let mut scan = Scan::default();
        let mut slices = 0;
        loop {
            let mut steps = 5_000;
            slices += 1;
            match scan.resume(&pattern, &text.as_str(), &mut steps) {
                Progress::Paused => {}
                came => {
                    assert_eq!(came, Progress::NotFound);
                    break;
                }
            }
        }
        assert!(slices > 20, "{slices}");
    }

    #[test]
    fn text_that_cannot_begin_a_match_is_skipped() {
        let pattern = Pattern::new("needle", Options::default()).unwrap();
        let text = "a".repeat(800_000);
        assert!(found(&pattern, &text, 0, u64::MAX).1 < 200_000);
    }

    #[test]
    fn matches_across_pieces_and_at_edges_are_found() {
        let long = format!("{}日NEEDLE", "é".repeat(40_000));
        for (pattern, text, expected) in [
            ("日N.*E", long.as_str(), Some(80_000..long.len())),
            ("^é", &long, Some(0..2)),
            ("E$", &long, Some(long.len() - 1..long.len())),
            (r"\bNEEDLE", &long, None),
            ("^N", &long, None),
        ] {
            let pattern = Pattern::new(pattern, Options::default()).unwrap();
            assert_eq!(found(&pattern, text, 0, 10_000).0, expected);
        }
    }

    proptest! {
        #[test]
        fn it_finds_the_same_as_the_regex_engine(
            text in "[ab日é \n]{0,60}", at_once in 1u64..40, from in 0usize..30,
            pattern in prop::sample::select(vec![
                "a+b", "^a", "b$", r"\bb", "日a?日", "^日.*$", "b.*a", "aaab", "(a|日)b", "$", "", "a*", "(a|ab)(b|日)?", "[^a]+?b",
                r"\B", "(?m)^a", "(?s)a.b", r"a{2,4}b|b{2}", "(?i)A|É", r"\w\s", "a??b",
            ]),
        ) {
            let pattern = Pattern::new(pattern, Options::default()).unwrap();
            let from = text.floor_char_boundary(from);
            prop_assert_eq!(found(&pattern, &text, from, at_once).0, pattern.by_engine(&text, from));
        }
    }
}
