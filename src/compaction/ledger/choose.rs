use super::carried::Seen;
use super::cost;
use crate::facts::Needles;
use crate::sorting::sort_by;

/// A literal fact that may stand in the ledger.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'a> {
    pub text: &'a str,
    pub seen: &'a Seen,
}

/// Literal facts that may stand in the ledger, by what each is worth for its price. A fact that stands inside another one (a
/// folder in the path of a file in it) comes with that one for nothing.
pub(super) struct Choices<'a> {
    /// Sorted by text.
    all: Vec<Choice<'a>>,
    needles: Needles<'a>,
    /// For each, those that stand inside it.
    within: Vec<Vec<u32>>,
    /// Those that stand inside others.
    inner: Vec<bool>,
    /// Best first, with their prices.
    order: Vec<(u64, usize)>,
}

impl<'a> Choices<'a> {
    /// `choices` sorted by text.
    pub fn of(choices: Vec<Choice<'a>>) -> Self {
        let needles = Needles::new(choices.iter().map(|c| c.text));
        let mut within: Vec<Vec<u32>> = vec![Vec::new(); choices.len()];
        let mut inner = vec![false; choices.len()];
        needles.find_each_other(|outer, found| {
            within[outer].push(found as u32);
            inner[found] = true;
        });
        let by_worth = |i: usize| {
            let price = cost(choices[i].text) + 1;
            (worth(&choices, &within[i], i) / price as f64, price, i)
        };
        let mut order: Vec<(f64, u64, usize)> = (0..choices.len()).map(by_worth).collect();
        sort_by(&mut order, |a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
        let order = order.into_iter().map(|(_, price, i)| (price, i)).collect();
        Self { all: choices, needles, within, inner, order }
    }

    /// Chooses what stands in the ledger, and what found no room; `written` may hold some already. Sorted by text.
    pub fn choose(&self, written: &str, left: &mut u64) -> (Vec<Choice<'a>>, Vec<Choice<'a>>) {
        let mut there = vec![false; self.all.len()];
        self.needles.find(written, |i| there[i] = true);
        let mut chosen = vec![false; self.all.len()];
        // First the longest of each kin, then what came in with none of them.
        for inside in [false, true] {
            for (price, i) in &self.order {
                if there[*i] || self.inner[*i] != inside || *price > *left {
                    continue;
                }
                *left -= price;
                (chosen[*i], there[*i]) = (true, true);
                for found in &self.within[*i] {
                    there[*found as usize] = true;
                }
            }
        }
        let pick = |flags: &[bool], flag: bool| -> Vec<Choice<'a>> {
            self.all.iter().zip(flags).filter(|(_, f)| **f == flag).map(|(c, _)| *c).collect()
        };
        (pick(&chosen, true), pick(&there, false))
    }
}

/// What a fact is worth: what was spoken of or acted on more than what only stood in an output, and what came up again
/// and again more than what came up once; with it, what stands inside it.
fn worth(choices: &[Choice<'_>], within: &[u32], own: usize) -> f64 {
    let of = |i: usize| {
        let seen = choices[i].seen;
        (1.0 + f64::from(seen.count).ln().min(3.0) / 2.0) * if seen.used { 3.0 } else { 1.0 }
    };
    of(own) + within.iter().map(|i| of(*i as usize)).sum::<f64>()
}
