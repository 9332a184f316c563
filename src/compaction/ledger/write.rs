use super::already_shown::AlreadyShown;
use super::carried::CarriedFacts;
use super::choose::Choices;
use super::draft::{Draft, OmittedFacts, Room};
use super::missing::Missing;
use crate::tokens::{Estimate, TokenCounter};

/// The number of attempts.
const TRIES: u32 = 4;

/// Writes the facts of `carried` that `shown` does not contain, best first. Returns the text with its tokens (`None` if nothing is missing
/// or nothing fits), and what was left out.
pub fn write(
    carried: &CarriedFacts,
    shown: &AlreadyShown<'_>,
    room: Room,
    counter: &dyn TokenCounter,
) -> (Option<(String, u64)>, OmittedFacts) {
    of(&Missing::of(carried, Choices::missing(&carried.literals, shown), shown), room, counter)
}

/// The estimated tokens of what [`of`] writes. If everything fits, the parts' estimates are enough.
pub(super) fn tokens_of(missing: &Missing<'_>, room: Room) -> u64 {
    match Draft::of(missing, room) {
        Some(draft) if draft.complete => draft.cost,
        Some(_) => of(missing, room, &Estimate).0.map_or(0, |(_, tokens)| tokens),
        None => 0,
    }
}

fn of(
    missing: &Missing<'_>,
    room: Room,
    counter: &dyn TokenCounter,
) -> (Option<(String, u64)>, OmittedFacts) {
    let limit = room.all.max(room.rules);
    let mut tried_room = room;
    let mut best: Option<(Draft, u64)> = None;
    let mut over = None;
    // Each part is counted separately, by an estimate, and the whole may have fewer or more tokens. The next attempt corrects for that.
    for _ in 0..TRIES {
        let Some(draft) = Draft::of(missing, tried_room) else { break };
        let tokens = counter.count(&draft.text);
        // The constraints may take what they need, but the rest does not get what they leave.
        let target =
            if draft.omits_own_rules { limit } else { limit.min(draft.rules.saturating_add(room.facts)) };
        let is_full = tokens.saturating_mul(20) >= target.saturating_mul(19);
        let done = tokens <= target && (draft.complete || is_full);
        // Less room than the draft left unused would give the same draft again.
        let bound = if tokens > target { draft.cost } else { u64::MAX };
        if tokens <= target {
            if best.as_ref().is_none_or(|(_, before)| tokens > *before) {
                best = Some((draft, tokens));
            }
        } else if tokens <= limit {
            over = Some((draft, tokens));
        }
        if done {
            break;
        }
        // A caller's counter may return anything, including 0.
        let scaled = |room: u64| {
            let by_target = (u128::from(room) * u128::from(target)).saturating_mul(39);
            u64::try_from(by_target / (u128::from(tokens.max(1)) * 40)).unwrap_or(u64::MAX)
        };
        tried_room = Room {
            all: scaled(tried_room.all.min(bound)),
            rules: scaled(tried_room.rules.min(bound)),
            facts: scaled(tried_room.facts.min(bound)),
            names: scaled(tried_room.names).min(room.names.saturating_mul(2)),
            shared: scaled(tried_room.shared).min(room.shared.saturating_mul(2)),
        };
    }
    let Some((draft, tokens)) = best.or(over) else {
        let (rules, facts) = (missing.rules.len() as u64, missing.literals.len() as u64);
        return (None, OmittedFacts { rules, facts });
    };
    (Some((draft.text, tokens)), draft.omitted)
}
