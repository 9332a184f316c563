//! The list of the user's words: requests, other messages that are told whole, and of the rest the rules, in the order in which they were said.

use std::fmt::Write as _;

use super::draft::cost;
use super::missing::Missing;
use super::requests::Requests;
use super::said::{Place, SaidLine};
use super::user_words::UserRemark;
use crate::facts::RULES_TITLE;
use crate::sorting::{sort, sort_by_key};

/// After this many messages without room, no further one is tried.
const MISSES: usize = 64;

/// The list, with its title.
pub(super) struct UserList {
    pub text: String,
    /// How many remarks it tells, and the rules that those say.
    pub told: usize,
    pub said: Vec<usize>,
}

impl UserList {
    /// The list of these rules and requests, and of as many of these remarks as there is room for. A rule that one of them says is not
    /// listed, too, so the room that it has goes to that remark.
    pub fn of(
        missing: &Missing<'_>,
        rules: &[usize],
        requests: &Requests,
        remarks: &[usize],
        room: &mut u64,
    ) -> Self {
        let mut listed = vec![false; missing.rules.len()];
        for rule in rules {
            listed[*rule] = true;
        }
        for rule in &requests.says {
            listed[*rule] = false;
        }
        let mut said_rules = requests.says.clone();
        let is_empty = rules.is_empty() && requests.lines.is_empty();
        let mut for_title = if is_empty { cost(RULES_TITLE) + 1 } else { 0 };
        let mut told: Vec<&UserRemark> = Vec::new();
        let mut misleading: Vec<Place> = Vec::new();
        for (tried, remark) in remarks.iter().enumerate() {
            let (said, says) = (&missing.said[*remark], &missing.rules_of[*remark]);
            if said.lines.iter().any(|line| misleading.contains(&line.at)) {
                misleading.extend(said.after);
                continue;
            }
            let of_rules: u64 = says
                .iter()
                .filter(|rule| listed[**rule])
                .map(|rule| cost(missing.rules[*rule].text) + 2)
                .sum();
            let price =
                said.lines.iter().map(|line| cost(&line.text) + 2).sum::<u64>().saturating_sub(of_rules);
            let price = price + for_title;
            if price <= *room {
                *room -= price;
                for_title = 0;
                for rule in says {
                    listed[*rule] = false;
                }
                said_rules.extend(says);
                told.push(said);
                continue;
            }
            misleading.extend(said.after);
            if tried - told.len() > MISSES {
                break;
            }
        }
        let alone = (0..listed.len()).filter(|rule| listed[*rule]).map(|rule| &missing.rules[rule]);
        let mut lines: Vec<_> = alone.map(|rule| (rule.at, rule.last, rule.text)).collect();
        let said = told.iter().flat_map(|remark| &remark.lines).chain(&requests.lines);
        lines.extend(said.map(|SaidLine { at, text }| (Some(*at), 0, text.as_str())));
        sort_by_key(&mut lines, |(at, last, _)| (*at, *last));
        let mut text = String::new();
        for (_, _, line) in &lines {
            if text.is_empty() {
                let _ = writeln!(text, "{RULES_TITLE}:");
            }
            let _ = writeln!(text, "- {line}");
        }
        sort(&mut said_rules);
        said_rules.dedup();
        Self { text, told: told.len(), said: said_rules }
    }
}
