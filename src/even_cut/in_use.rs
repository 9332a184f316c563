//! Which older steps are in use: newer calls go back to their outputs. They show the same thing again, or change a file that the
//! outputs show.

use std::cmp::Reverse;

use crate::context::{Context, Place, Unit};
use crate::facts::Readings;
use crate::sorting::sort_by_key;

/// What calls often went back to is likely to be needed again. Each time counts as if it had been used this many steps later.
const STEPS_PER_TIME: usize = 3;
const MOST_TIMES: usize = 8;

/// The units to whose outputs later ones go back, the most recently used first. An output that was shown again is not among them:
/// the newer one takes its place.
pub(super) fn in_use(context: &Context, units: &[Unit]) -> Vec<usize> {
    let facts = context.facts();
    let mut readings = Readings::default();
    let mut last_used: Vec<usize> = (0..units.len()).collect();
    let mut times = vec![0; units.len()];
    for (at, unit) in units.iter().enumerate().filter(|(_, unit)| unit.place != Place::Hidden) {
        let subjects = || unit.nodes.iter().flat_map(|node| facts.subjects(node.get()));
        for subject in subjects() {
            for needed in readings.needed_by(subject) {
                last_used[needed] = at;
                times[needed] += 1;
            }
            readings.change(subject);
        }
        for older in subjects().filter_map(|subject| readings.show(subject, at)).filter(|older| *older != at)
        {
            times[at] = times[at].max(times[older].max(1));
            (last_used[older], times[older]) = (older, 0);
        }
    }
    let counts_as = |at: usize| last_used[at] + STEPS_PER_TIME * times[at].min(MOST_TIMES);
    let mut in_use: Vec<usize> = (0..units.len()).filter(|at| counts_as(*at) > *at).collect();
    sort_by_key(&mut in_use, |at| Reverse((counts_as(*at), *at)));
    in_use
}
