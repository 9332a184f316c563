use std::cell::OnceCell;

use super::literals::Literals;
use super::sights::{Seen, Sights};
use super::stays::Stays;
use crate::facts::{LiteralKind, Names, Needles};

/// The place of a fact that is not to be chosen.
const NONE: u32 = u32::MAX;

/// A literal fact that may stand in the ledger.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'a> {
    pub text: &'a str,
    pub seen: &'a Seen,
}

/// Which facts come first, whatever they cost: what somebody spoke of or acted on, then what only stood in an output; of these a
/// name without a folder last, for a listing is full of them, and what is named from some file's folder, as imports do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Used,
    Seen,
    Last,
}

impl Choice<'_> {
    fn rank(&self) -> Rank {
        match self.seen.kind {
            LiteralKind::Path if self.text.starts_with("../") => Rank::Last,
            _ if self.seen.used => Rank::Used,
            LiteralKind::Path if !self.text.contains(['/', '\\']) || self.text.starts_with("./") => {
                Rank::Last
            }
            _ => Rank::Seen,
        }
    }
}

/// Literal facts that may stand in the ledger, by what each is worth for its price. A fact that stands inside another one (a
/// folder in the path of a file in it) comes with that one for nothing.
pub(super) struct Choices<'a> {
    /// Sorted by text.
    all: Vec<Choice<'a>>,
    needles: Needles<'a>,
    /// Those that stand inside each, one's behind the other's.
    within: Vec<u32>,
    /// Where in `within` those of each end.
    ends: Vec<u32>,
    /// Those that stand inside others.
    inner: Vec<bool>,
    prices: Vec<u32>,
    /// Best first; asked for only where there is no room for all.
    order: OnceCell<Vec<u32>>,
}

/// So often or more, and seen again is worth nothing more.
const OFTEN: usize = 21;

impl<'a> Choices<'a> {
    /// Those of the facts that are not said in what stays.
    pub fn missing(literals: &'a Literals, stays: &Stays<'_>) -> Self {
        let all: Vec<Choice<'a>> = literals.iter().map(|(text, seen)| Choice { text, seen }).collect();
        let known = stays.names().and_then(|names| Some((names, numbers(&all, names)?)));
        if let Some((names, numbers)) = known {
            return Self::of(all, numbers, names, stays);
        }
        // Facts of messages that are otherwise now, or redacted: they are numbered here.
        let mut names = stays.names().cloned().unwrap_or_default();
        for choice in &all {
            names.number(choice.text, choice.seen.kind);
        }
        names.settle();
        let numbers = numbers(&all, &names).unwrap_or_default();
        Self::of(all, numbers, &names, stays)
    }

    /// The same of facts that were only seen; `stays` has their numbers.
    pub fn seen(sights: &'a Sights<'_>, stays: &Stays<'_>) -> Self {
        let most = sights.names().len();
        let (mut all, mut numbers) = (Vec::with_capacity(most), Vec::with_capacity(most));
        for (number, text, seen) in sights.iter() {
            all.push(Choice { text, seen });
            numbers.push(number);
        }
        Self::of(all, numbers, sights.names(), stays)
    }

    /// `numbers`: those of the choices.
    fn of(mut all: Vec<Choice<'a>>, mut numbers: Vec<u32>, names: &Names, stays: &Stays<'_>) -> Self {
        let mut there = vec![false; names.len()];
        stays.mark_whole(names, &mut there);
        stays.find_written(&needles(&all), |i| there[numbers[i] as usize] = true);
        let is_missing = |number: &u32| !there[*number as usize];
        let mut missing = numbers.iter().map(is_missing);
        all.retain(|_| missing.next().unwrap_or(false));
        drop(missing);
        numbers.retain(is_missing);

        let mut places = vec![NONE; names.len()];
        for (number, place) in numbers.iter().zip(0..) {
            places[*number as usize] = place;
        }
        let (mut within, mut ends) = (Vec::new(), Vec::with_capacity(all.len()));
        let mut inner = vec![false; all.len()];
        for number in &numbers {
            let here = names.within(*number).iter().map(|found| places[*found as usize]);
            within.extend(here.filter(|place| *place != NONE));
            ends.push(within.len() as u32);
        }
        for place in &within {
            inner[*place as usize] = true;
        }
        let prices = numbers.iter().map(|number| names.cost(*number) + 1).collect();
        Self { needles: needles(&all), all, within, ends, inner, prices, order: OnceCell::new() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Best first: by rank, then by what each is worth for its price.
    fn by_worth(&self) -> Vec<u32> {
        let again: [f64; OFTEN + 1] = std::array::from_fn(|count| 1.0 + (count as f64).ln().min(3.0) / 2.0);
        let newest = self.all.iter().map(|choice| choice.seen.last).max().unwrap_or_default().max(1);
        // What came up again and again is worth more than what came up once, and the newest twice as much as the oldest.
        let own = |choice: &Choice<'_>| {
            let age = f64::from(choice.seen.last) / f64::from(newest);
            again[OFTEN.min(choice.seen.count as usize)] * (1.0 + age)
        };
        let own_worth: Vec<f64> = self.all.iter().map(own).collect();
        // With a fact comes what stands inside it.
        let worth = |i: usize| {
            own_worth[i] + self.within(i).iter().map(|inner| own_worth[*inner as usize]).sum::<f64>()
        };
        // Numbers above zero are in the order of their bits.
        let key = |(i, price): (usize, &u32)| {
            (self.all[i].rank(), u64::MAX - (worth(i) / f64::from(*price)).to_bits())
        };
        let keys = self.prices.iter().enumerate().map(key);
        let mut order: Vec<((Rank, u64), u32)> = keys.zip(0..).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, i)| i).collect()
    }

    /// Those that stand inside a choice, once for every place.
    fn within(&self, i: usize) -> &[u32] {
        let start = i.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.within[start..self.ends[i] as usize]
    }

    /// Chooses what stands in the ledger, and what found no room; `written` may hold some already. Sorted by text.
    pub fn choose(&self, written: &str, left: &mut u64) -> (Vec<Choice<'a>>, Vec<Choice<'a>>) {
        let mut there = vec![false; self.all.len()];
        self.needles.find(written, |i| there[i] = true);
        let mut chosen = vec![false; self.all.len()];
        let room = *left;
        let mut choose = |i: usize, there: &mut [bool]| {
            let price = u64::from(self.prices[i]);
            if there[i] || price > *left {
                return;
            }
            *left -= price;
            (chosen[i], there[i]) = (true, true);
            for found in self.within(i) {
                there[*found as usize] = true;
            }
        };
        // First the longest of each kin, then what came in with none of them.
        let is_outer = |i: &usize| !self.inner[*i];
        let mut all = 0..self.all.len();
        if all.clone().filter(is_outer).map(|i| u64::from(self.prices[i])).sum::<u64>() <= room {
            all.clone().filter(is_outer).for_each(|i| choose(i, &mut there));
        }
        if !all.all(|i| there[i]) {
            let order = self.order.get_or_init(|| self.by_worth()).iter().map(|i| *i as usize);
            order.clone().filter(is_outer).for_each(|i| choose(i, &mut there));
            order.filter(|i| self.inner[*i]).for_each(|i| choose(i, &mut there));
        }
        let pick = |flags: &[bool], flag: bool| -> Vec<Choice<'a>> {
            let mut picked = Vec::with_capacity(flags.iter().filter(|f| **f == flag).count());
            picked.extend(self.all.iter().zip(flags).filter(|(_, f)| **f == flag).map(|(c, _)| *c));
            picked
        };
        (pick(&chosen, true), pick(&there, false))
    }
}

/// Facts that are sorted by text, to be looked for.
fn needles<'a>(all: &[Choice<'a>]) -> Needles<'a> {
    Needles::of_sorted(all.iter().map(|choice| choice.text).zip(0..).collect())
}

/// The numbers of facts; `None` where one of them has none.
fn numbers(choices: &[Choice<'_>], names: &Names) -> Option<Vec<u32>> {
    choices.iter().map(|choice| names.find(choice.text)).collect()
}
