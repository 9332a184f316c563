//! Searching: all ways of matching go through the text side by side, the preferred ones first.

use super::class::folded;
use super::program::{Program, Step};

const NONE: usize = usize::MAX;

/// What a search works in.
#[derive(Default)]
pub(crate) struct Threads {
    now: List,
    next: List,
    slots: Vec<usize>,
    stack: Vec<Frame>,
}

/// Steps that wait for a character, the preferred ones first, each with its slots.
#[derive(Default)]
struct List {
    order: Vec<u32>,
    /// Where in `order` a step stands, if it does.
    place: Vec<u32>,
    slots: Vec<usize>,
}

enum Frame {
    Step(u32),
    Restore(usize, usize),
}

impl List {
    fn prepare(&mut self, steps: usize, slots: usize) {
        self.order.clear();
        self.place.resize(steps, 0);
        self.slots.resize(steps * slots, NONE);
    }

    /// Notes a step; `false` if it is there.
    fn add(&mut self, step: u32) -> bool {
        let place = self.place[step as usize] as usize;
        if self.order.get(place) == Some(&step) {
            return false;
        }
        self.place[step as usize] = self.order.len() as u32;
        self.order.push(step);
        true
    }
}

impl Threads {
    /// The slots of the first match from `from` on: two a group, `usize::MAX` where it takes no part. With no slots asked for,
    /// any match will do.
    pub fn search(&mut self, program: &Program, text: &str, from: usize, slots: usize) -> Option<Vec<usize>> {
        self.now.prepare(program.steps.len(), slots);
        self.next.prepare(program.steps.len(), slots);
        let mut at = from;
        let mut found = None;
        loop {
            if found.is_none() && (at == 0 || !program.anchored) {
                if self.now.order.is_empty() {
                    at = program.skip(text, at)?;
                }
                self.slots.clear();
                self.slots.resize(slots, NONE);
                follow(program, text, at, 0, &mut self.now, &mut self.slots, &mut self.stack);
            } else if self.now.order.is_empty() {
                return found;
            }
            let c = text[at..].chars().next();
            let after = at + c.map_or(0, char::len_utf8);
            self.next.order.clear();
            for i in 0..self.now.order.len() {
                let step = self.now.order[i];
                let own = step as usize * slots..(step as usize + 1) * slots;
                let goes_on = match (&program.steps[step as usize], c) {
                    (Step::Match, _) => {
                        let mut own = self.now.slots[own].to_vec();
                        if slots == 0 {
                            return Some(own);
                        }
                        own[1] = at;
                        found = Some(own);
                        break; // what is left is less preferred
                    }
                    (Step::Char(wanted), Some(c)) => *wanted == c,
                    (Step::Like(wanted), Some(c)) => *wanted == folded(c),
                    (Step::Class(class), Some(c)) => program.classes[*class as usize].has(c),
                    _ => false,
                };
                if goes_on {
                    self.slots.clear();
                    self.slots.extend_from_slice(&self.now.slots[own]);
                    follow(program, text, after, step + 1, &mut self.next, &mut self.slots, &mut self.stack);
                }
            }
            if c.is_none() {
                return found;
            }
            std::mem::swap(&mut self.now, &mut self.next);
            at = after;
        }
    }
}

/// Notes every step that waits for a character and can be reached from `step` without one.
fn follow(
    program: &Program,
    text: &str,
    at: usize,
    step: u32,
    list: &mut List,
    slots: &mut [usize],
    stack: &mut Vec<Frame>,
) {
    if step == 0 && !slots.is_empty() {
        slots[0] = at;
    }
    stack.push(Frame::Step(step));
    while let Some(frame) = stack.pop() {
        let mut step = match frame {
            Frame::Restore(slot, old) => {
                slots[slot] = old;
                continue;
            }
            Frame::Step(step) => step,
        };
        while list.add(step) {
            match &program.steps[step as usize] {
                Step::Char(_) | Step::Like(_) | Step::Class(_) | Step::Match => {
                    let own = step as usize * slots.len();
                    list.slots[own..own + slots.len()].copy_from_slice(slots);
                    break;
                }
                Step::Jump(to) => step = *to,
                Step::Split(first, second) => {
                    stack.push(Frame::Step(*second));
                    step = *first;
                }
                Step::Save(slot) => {
                    if let Some(kept) = slots.get_mut(*slot) {
                        stack.push(Frame::Restore(*slot, *kept));
                        *kept = at;
                    }
                    step += 1;
                }
                Step::Look(look) => {
                    if !look.holds(text, at) {
                        break;
                    }
                    step += 1;
                }
            }
        }
    }
}
