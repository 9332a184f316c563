use super::carried::Seen;
use super::cost;
use crate::compaction::facts::Needles;
use crate::sorting::sort_by;

/// A literal fact that may stand in the ledger.
#[derive(Debug, Clone, Copy)]
pub(super) struct Choice<'a> {
    pub text: &'a str,
    pub seen: &'a Seen,
}

/// Chooses what stands in the ledger, and what found no room. A fact that stands inside another one (a folder in the
/// path of a file in it) comes with that one for nothing; `written` may hold some already. Sorted by text.
pub(super) fn choose<'a>(
    choices: &[Choice<'a>],
    written: &str,
    left: &mut u64,
) -> (Vec<Choice<'a>>, Vec<Choice<'a>>) {
    let needles = Needles::new(choices.iter().map(|c| c.text));
    let mut there = vec![false; choices.len()];
    needles.find(written, |i| there[i] = true);
    let mut within: Vec<Vec<usize>> = vec![Vec::new(); choices.len()];
    let mut inner = vec![false; choices.len()];
    for (i, choice) in choices.iter().enumerate() {
        needles.find(choice.text, |found| {
            if found != i {
                within[i].push(found);
                inner[found] = true;
            }
        });
    }
    let mut order: Vec<(f64, u64, usize)> = (0..choices.len())
        .map(|i| {
            let price = cost(choices[i].text) + 1;
            (worth(choices, &within[i], i) / price as f64, price, i)
        })
        .collect();
    sort_by(&mut order, |a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
    let mut chosen = vec![false; choices.len()];
    // First the longest of each kin, then what came in with none of them.
    for inside in [false, true] {
        for (_, price, i) in &order {
            if there[*i] || inner[*i] != inside || *price > *left {
                continue;
            }
            *left -= price;
            (chosen[*i], there[*i]) = (true, true);
            for found in &within[*i] {
                there[*found] = true;
            }
        }
    }
    let pick = |flags: &[bool]| -> Vec<Choice<'a>> {
        choices.iter().zip(flags).filter(|(_, flag)| **flag).map(|(c, _)| *c).collect()
    };
    let missing: Vec<bool> = there.iter().map(|t| !t).collect();
    (pick(&chosen), pick(&missing))
}

/// What a fact is worth: what was spoken of or acted on more than what only stood in an output, and what came up again
/// and again more than what came up once; with it, what stands inside it.
fn worth(choices: &[Choice<'_>], within: &[usize], own: usize) -> f64 {
    let of = |i: usize| {
        let seen = choices[i].seen;
        (1.0 + f64::from(seen.count).ln().min(3.0) / 2.0) * if seen.used { 3.0 } else { 1.0 }
    };
    of(own) + within.iter().map(|i| of(*i)).sum::<f64>()
}
