use std::cell::OnceCell;

use super::already_shown::AlreadyShown;
use super::literals::Literals;
use super::sightings::{Sighting, Sightings};
use crate::facts::{LiteralKind, Names, TextSet};
use crate::hashing::HashSet;
use crate::tokens::{Estimate, TokenCounter};

/// The index of a fact that is not a choice.
const NONE: u32 = u32::MAX;

/// A literal fact that may be listed in the ledger.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'a> {
    pub text: &'a str,
    /// The name of the field that held it, if it is an id.
    pub field: Option<&'a str>,
    pub sighting: &'a Sighting,
}

/// The order of facts, whatever they cost: first facts that somebody mentioned or acted on, then those that only occur in outputs. Last are
/// names without a folder, because listings are full of them, and paths relative to some file's folder, as in imports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Used,
    OnlyInOutputs,
    Last,
}

impl Choice<'_> {
    fn rank(&self) -> Rank {
        match self.sighting.kind {
            LiteralKind::Path if self.text.starts_with("../") => Rank::Last,
            _ if self.sighting.uses > 0 => Rank::Used,
            LiteralKind::Path if !self.text.contains(['/', '\\']) => Rank::Last,
            _ => Rank::OnlyInOutputs,
        }
    }
}

/// The literal facts that may be listed in the ledger, ranked by worth per cost. A fact that is contained in another (a folder in a path of
/// its file) comes with it for free.
pub(super) struct Choices<'a> {
    /// Sorted by text.
    all: Vec<Choice<'a>>,
    needles: TextSet<&'a str>,
    /// For each fact, the indices of the facts that it contains, concatenated.
    within: Vec<u32>,
    /// The end of each fact's part of `within`.
    ends: Vec<u32>,
    /// Whether a fact is contained in another.
    inner: Vec<bool>,
    prices: Vec<u32>,
    /// Best first; computed only if there is no room for all.
    order: OnceCell<Vec<u32>>,
}

/// Used this often, a fact gains nothing from being used again.
const OFTEN: usize = 21;

impl<'a> Choices<'a> {
    /// The facts that the rest of the view does not contain.
    pub fn missing(literals: &'a Literals, shown: &AlreadyShown<'_>) -> Self {
        let choice = |(text, sighting, field)| Choice { text, field, sighting };
        let all: Vec<Choice<'a>> = literals.iter().map(choice).collect();
        let known = shown.names().and_then(|names| Some((names, numbers(&all, names)?)));
        if let Some((names, numbers)) = known {
            return Self::of(all, numbers, names, shown);
        }
        // Facts of messages that have changed or are redacted are numbered here.
        let mut names = shown.names().cloned().unwrap_or_default();
        for choice in &all {
            names.number(choice.text, choice.sighting.kind);
        }
        names.index();
        let numbers = numbers(&all, &names).unwrap_or_default();
        Self::of(all, numbers, &names, shown)
    }

    /// Like `missing`, for facts that were only collected; `shown` has their numbers.
    pub fn of_sightings(sightings: &'a Sightings<'_>, shown: &AlreadyShown<'_>) -> Self {
        let most = sightings.names().len();
        let (mut all, mut numbers) = (Vec::with_capacity(most), Vec::with_capacity(most));
        for (number, text, sighting) in sightings.iter() {
            all.push(Choice { text, field: sightings.field(number), sighting });
            numbers.push(number);
        }
        Self::of(all, numbers, sightings.names(), shown)
    }

    /// `numbers`: those of the choices, in the same order.
    fn of(mut all: Vec<Choice<'a>>, mut numbers: Vec<u32>, names: &Names, shown: &AlreadyShown<'_>) -> Self {
        let mut there = vec![false; names.len()];
        shown.mark_literals(names, &mut there);
        shown.find_in_searched(&needles(&all), |i| there[numbers[i] as usize] = true);
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

    /// The number of facts.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The price of the ids that somebody mentioned or acted on.
    pub fn price_of_ids_in_use(&self) -> u64 {
        let mut titles = HashSet::default();
        let ids = self
            .all
            .iter()
            .zip(&self.prices)
            .filter(|(choice, _)| choice.sighting.kind == LiteralKind::Id && choice.sighting.uses > 0);
        ids.map(|(choice, price)| u64::from(*price) + title_price(choice, titles.insert(choice.field))).sum()
    }

    /// Best first: by rank, then by worth per cost.
    fn by_worth(&self) -> Vec<u32> {
        let again: [f64; OFTEN + 1] = std::array::from_fn(|count| 1.0 + (count as f64).ln().min(3.0) / 2.0);
        let newest = self.all.iter().map(|choice| choice.sighting.last).max().unwrap_or_default().max(1);
        // What was used repeatedly is worth more than what was used once: in recorded sessions, an agent names a path that it named four
        // times again in one of four cases, one that it named once in one of eleven. A path of the last 150 messages is named again four
        // times as often as an older one.
        let own = |choice: &Choice<'_>| {
            let Sighting { uses, count, last, .. } = *choice.sighting;
            let times = if uses > 0 { uses } else { count };
            again[OFTEN.min(times as usize)] * (1.0 + 3.0 * f64::from(last) / f64::from(newest))
        };
        let own_worth: Vec<f64> = self.all.iter().map(own).collect();
        // A fact brings the facts inside it with it.
        let worth = |i: usize| {
            own_worth[i] + self.within(i).iter().map(|inner| own_worth[*inner as usize]).sum::<f64>()
        };
        // The bits of positive floats sort like the numbers.
        let key = |(i, price): (usize, &u32)| {
            (self.all[i].rank(), u64::MAX - (worth(i) / f64::from(*price)).to_bits())
        };
        let keys = self.prices.iter().enumerate().map(key);
        let mut order: Vec<((Rank, u64), u32)> = keys.zip(0..).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, i)| i).collect()
    }

    /// The facts that a fact contains, once per occurrence.
    fn within(&self, i: usize) -> &[u32] {
        let start = i.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.within[start..self.ends[i] as usize]
    }

    /// Returns the chosen facts and those that found no room, sorted by text. Facts that `written` already contains are skipped.
    pub fn choose(&self, written: &str, left: &mut u64) -> (Vec<Choice<'a>>, Vec<Choice<'a>>) {
        let mut there = vec![false; self.all.len()];
        self.needles.find(written, |i| there[i] = true);
        let mut chosen = vec![false; self.all.len()];
        let room = *left;
        let mut titles = HashSet::default();
        let mut choose = |i: usize, there: &mut [bool]| {
            let is_new = !titles.contains(&self.all[i].field);
            let price = u64::from(self.prices[i]) + title_price(&self.all[i], is_new);
            if there[i] || price > *left {
                return;
            }
            *left -= price;
            titles.insert(self.all[i].field);
            (chosen[i], there[i]) = (true, true);
            for found in self.within(i) {
                there[*found as usize] = true;
            }
        };
        // First the facts that no other contains, then those whose containing facts were not chosen.
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

/// What the first id of a field costs besides itself: `Ids (reservation_id):` stands before it.
fn title_price(choice: &Choice<'_>, is_first: bool) -> u64 {
    /// The tokens around the field's name.
    const AROUND: u64 = 4;
    choice.field.filter(|_| is_first).map_or(0, |field| Estimate.count(field) + AROUND)
}

/// Search patterns for facts that are sorted by text.
fn needles<'a>(all: &[Choice<'a>]) -> TextSet<&'a str> {
    TextSet::of_sorted(all.iter().map(|choice| choice.text).zip(0..).collect())
}

/// The numbers of facts; `None` if one of them has none.
fn numbers(choices: &[Choice<'_>], names: &Names) -> Option<Vec<u32>> {
    choices.iter().map(|choice| names.find(choice.text)).collect()
}
