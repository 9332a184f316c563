//! The user's requests: told whole, or as far as there is room.

use std::cmp::Reverse;

use super::asked::AskedRequest;
use super::draft::cost;
use super::missing::Missing;
use super::said::SaidLine;
use crate::facts::shorten::whole_line;
use crate::facts::{is_courtesy, sentences};
use crate::sorting::sort_by_key;

/// Requests besides the first and the latest are told if there is room for this many tokens of each.
const LEAST_OF_REQUEST: u64 = 40;

/// The requests that a ledger tells.
#[derive(Default)]
pub(super) struct Requests {
    pub lines: Vec<SaidLine>,
    /// The rules that these lines say.
    pub says: Vec<usize>,
    /// The tokens of the lines beyond those of the rules in them.
    pub tokens: u64,
    pub omits_any: bool,
}

impl Requests {
    /// The requests, shortened to the room. What matters most finds room first, and what a short one leaves of its part, the longer ones
    /// share. `rules` have room of their own, so a request that says some needs less.
    pub fn of(missing: &Missing<'_>, rules: &[usize], room: u64) -> Self {
        let mut asked: Vec<usize> = (0..missing.asked.len()).collect();
        let which = |at: usize| missing.asked[at].which;
        sort_by_key(&mut asked, |at| (which(*at), Reverse(*at)));
        let needed = asked.iter().filter(|at| which(**at).is_needed()).count();
        let most = needed.max((room / LEAST_OF_REQUEST) as usize);
        let mut told = Self { omits_any: asked.len() > most, ..Self::default() };
        asked.truncate(most);
        let whole = asked.iter().map(|at| {
            let request = missing.asked[*at];
            let line = request.whole().map(|text| SaidLine { at: request.at, text });
            let price = line.as_ref().map_or(u64::MAX, |line| told_price(missing, rules, line).0);
            (request, line, price)
        });
        let mut whole: Vec<_> = whole.collect();
        sort_by_key(&mut whole, |(request, _, price)| (*price, request.at));
        let listed: Vec<&str> = rules.iter().map(|rule| missing.rules[*rule].text).collect();
        let mut left = room;
        let requests = whole.len();
        for (place, (request, line, price)) in whole.into_iter().enumerate() {
            let part = left / (requests - place) as u64;
            let line = line.filter(|_| price <= part).or_else(|| {
                told.omits_any = true;
                Some(SaidLine { at: request.at, text: shortened(request, &listed, part)? })
            });
            let Some(line) = line else { continue };
            let (price, says) = told_price(missing, rules, &line);
            left = left.saturating_sub(price);
            told.says.extend(says);
            told.lines.push(line);
        }
        told.tokens = room - left;
        told
    }

    /// The lines as one text.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [&*line.text, "\n"]).collect()
    }
}

/// What a line costs beyond the rules that it says, and which of these are listed.
fn told_price(missing: &Missing<'_>, rules: &[usize], line: &SaidLine) -> (u64, Vec<usize>) {
    let mut says = missing.rules_in(line);
    says.retain(|rule| rules.contains(rule));
    let of_rules: u64 = says.iter().map(|rule| cost(missing.rules[*rule].text) + 2).sum();
    ((cost(&line.text) + 2).saturating_sub(of_rules), says)
}

/// The line of a request of at most this many tokens, without the listed rules; `None` if nothing is left.
fn shortened(request: &AskedRequest, listed: &[&str], tokens: u64) -> Option<String> {
    let part = tokens.saturating_sub(2);
    let words = without_rules(request, listed)?;
    let mut line = request.line(&words, usize::MAX);
    let mut most = line.len();
    while cost(&line) > part {
        most = (most as u64 * part / cost(&line)) as usize * 31 / 32;
        if most == 0 {
            return None;
        }
        line = request.line(&words, most);
    }
    Some(line)
}

/// A request without its sentences that are rules and listed by themselves, and without what only leads on to them; `None` if nothing else
/// is left.
fn without_rules(asked: &AskedRequest, listed: &[&str]) -> Option<String> {
    // The parts of a specification may refer to one another, by numbers or by their order.
    if asked.is_specification() {
        return Some(asked.text.clone());
    }
    let listed: Vec<String> = listed.iter().map(|rule| whole_line(rule)).collect();
    let said: Vec<String> =
        sentences(&asked.lines).iter().map(|sentence| whole_line(sentence.text)).collect();
    let is_listed = |said: &String| listed.iter().any(|rule| rule.contains(said.as_str()));
    let are_listed: Vec<bool> = said.iter().map(is_listed).collect();
    if !are_listed.contains(&true) {
        return Some(asked.text.clone());
    }
    let leads_on = |at: usize| said[at].ends_with([':', '\u{FF1A}']) && are_listed.get(at + 1) == Some(&true);
    let rest = (0..said.len()).filter(|at| !are_listed[*at] && !leads_on(*at));
    let rest = rest.map(|at| said[at].as_str()).collect::<Vec<_>>().join(" ");
    Some(rest).filter(|words| !words.is_empty() && !is_courtesy(words))
}
