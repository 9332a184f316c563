use super::already_shown::AlreadyShown;
use super::asked::AskedRequest;
use super::carried::{CarriedFacts, CommandLine, Rule};
use super::choose::Choices;
use super::draft::FOLDER_LABEL;
use super::habits::Habit;
use super::open::Open;
use super::said::{Place, SaidLine};
use super::user_words::UserRemark;
use crate::facts::shorten::{one_line, whole_line};
use crate::facts::{TextSet, agrees};
use crate::sorting::{sort, sort_by_key};

/// The facts that the rest of the view does not contain.
pub(super) struct Missing<'a> {
    pub carried: &'a CarriedFacts,
    /// The oldest first.
    pub rules: Vec<LedgerRule<'a>>,
    pub open: Vec<String>,
    pub commands: Vec<&'a CommandLine>,
    /// Commands that were run often, the most frequent first.
    pub often: Vec<Habit<'a>>,
    /// The line that names the folder of the latest commands.
    pub folder: Option<String>,
    pub asked: Vec<&'a AskedRequest>,
    /// Best first, including those that the view contains.
    pub said: &'a [UserRemark],
    /// Which of `rules` each of these says.
    pub rules_of: Vec<Vec<usize>>,
    sought_rules: TextSet<String>,
    /// Their lines, and which of these the view contains.
    sought_lines: TextSet<String>,
    shown_lines: Vec<bool>,
    pub literals: Choices<'a>,
    /// Refs of outputs, in the outputs' order.
    pub refs: TextSet<&'a str>,
    pub shown: &'a AlreadyShown<'a>,
    /// Which refs the view already contains.
    pub shown_refs: Vec<bool>,
}

/// A constraint.
pub(super) struct LedgerRule<'a> {
    pub text: &'a str,
    /// The last of the user's messages that says it, if it is among those that a ledger may tell.
    pub at: Option<Place>,
    /// When it was last said.
    pub last: u64,
    /// Said by the user directly, not in pasted text, whose lines have no room reserved.
    pub own: bool,
}

impl<'a> Missing<'a> {
    /// The facts of `carried`, with these literal facts, that `already_shown` does not contain.
    pub fn of(carried: &'a CarriedFacts, literals: Choices<'a>, already_shown: &'a AlreadyShown<'a>) -> Self {
        let mut said_at = carried.said.rules.iter().copied();
        let mut rules: Vec<(&String, &Rule, Option<Place>)> =
            carried.rules.iter().map(|(text, rule)| (text, rule, said_at.next().flatten())).collect();
        let commands = carried.commands.values().filter(|command| !carried.is_old(command));
        sort_by_key(&mut rules, |(_, rule, _)| rule.first);
        let ledger_rule = |(text, rule, at): (&'a String, &Rule, Option<Place>)| LedgerRule {
            text,
            at,
            last: rule.last,
            own: rule.own,
        };
        // "Yes, always." is told with its question.
        let rules = rules.into_iter().map(ledger_rule).filter(|rule| !agrees(rule.text)).collect();
        let rules = not_found(rules, |rules, found| {
            already_shown.find_rules(&rules.iter().map(|rule| rule.text).collect::<Vec<_>>(), found);
        });
        let rules = in_order(rules);
        let sought_rules = TextSet::new(rules.iter().map(|rule| one_line(rule.text)));
        let said_in = |line: &SaidLine| rules_said(&rules, &sought_rules, line);
        let remarks = carried.said.remarks.iter();
        let rules_of = remarks.map(|remark| remark.lines.iter().flat_map(said_in).collect()).collect();
        let folder = carried.habits.folder().into_iter().map(|folder| format!("{FOLDER_LABEL}{folder}"));
        let said = || carried.said.remarks.iter().flat_map(|remark| &remark.lines);
        let words = |text: &str| whole_line(text.trim_end_matches(['.', '。']));
        let sought_lines = TextSet::new(said().map(|line| words(&line.text)));
        let refs = TextSet::new(carried.outputs.iter().map(|o| o.ref_id.as_str()));
        Self {
            carried,
            rules_of,
            sought_rules,
            open: untold(already_shown, carried.open.lines(), |line| Open::without_label(line).to_owned()),
            commands: {
                // An earlier record may tell of an earlier call what is true of this one, too.
                let (calls, commands): (Vec<_>, Vec<_>) = commands.partition(|command| command.calls > 0);
                let mut untold = untold(already_shown, commands, |command| command.without_ref().to_owned());
                untold.extend(calls);
                untold
            },
            often: untold(already_shown, carried.habits.often(), Habit::code),
            folder: untold(already_shown, folder.collect(), String::clone).pop(),
            asked: not_found(carried.asked.iter().collect(), |asked, found| {
                already_shown.find_words(&TextSet::new(asked.iter().map(|one| words(&one.text))), found);
            }),
            said: &carried.said.remarks,
            shown_lines: which_found(said().count(), |found| {
                already_shown.find_words(&sought_lines, found);
            }),
            sought_lines,
            literals,
            shown_refs: which_found(carried.outputs.len(), |found| {
                already_shown.find_in_searched(&refs, found);
            }),
            refs,
            shown: already_shown,
            rules,
        }
    }
}

impl Missing<'_> {
    /// The rules that a line says. A rule that was said again later is told at that place.
    pub fn rules_in(&self, line: &SaidLine) -> Vec<usize> {
        rules_said(&self.rules, &self.sought_rules, line)
    }

    /// The remarks that neither the view nor this text contains whole.
    pub fn remarks_not_in(&self, text: &str) -> Vec<usize> {
        let mut shown = self.shown_lines.clone();
        self.sought_lines.find(text, |line| shown[line] = true);
        let mut shown = shown.into_iter();
        let is_shown =
            |remark: &UserRemark| shown.by_ref().take(remark.lines.len()).filter(|is| !is).count() == 0;
        let are_shown: Vec<bool> = self.said.iter().map(is_shown).collect();
        (0..are_shown.len()).filter(|remark| !are_shown[*remark]).collect()
    }
}

fn rules_said(rules: &[LedgerRule<'_>], sought: &TextSet<String>, line: &SaidLine) -> Vec<usize> {
    let mut said = Vec::new();
    sought.find(&one_line(&line.text), |rule| said.push(rule));
    said.retain(|rule| rules[*rule].at.is_none_or(|at| at <= line.at));
    sort(&mut said);
    said.dedup();
    said
}

/// Gives the rules that no message is known for the place of the one before them.
fn in_order(mut rules: Vec<LedgerRule<'_>>) -> Vec<LedgerRule<'_>> {
    let mut by_age: Vec<usize> = (0..rules.len()).collect();
    sort_by_key(&mut by_age, |rule| rules[*rule].last);
    let mut before = None;
    for rule in by_age {
        before = before.max(rules[rule].at);
        rules[rule].at = rules[rule].at.or(before);
    }
    rules
}

/// For each of `len` indices, whether it is found.
fn which_found(len: usize, find: impl FnOnce(&mut dyn FnMut(usize))) -> Vec<bool> {
    let mut shown = vec![false; len];
    find(&mut |i| shown[i] = true);
    shown
}

/// The items of a list whose text occurs in nothing but outputs.
fn untold<T>(already_shown: &AlreadyShown<'_>, list: Vec<T>, text: impl Fn(&T) -> String) -> Vec<T> {
    not_found(list, |list, found| {
        already_shown.find_outside_outputs(&TextSet::new(list.iter().map(&text)), found);
    })
}

/// The items of a list that are not found.
fn not_found<T>(list: Vec<T>, find: impl FnOnce(&[T], &mut dyn FnMut(usize))) -> Vec<T> {
    let shown = which_found(list.len(), |found| find(&list, found));
    list.into_iter().zip(shown).filter(|(_, shown)| !shown).map(|(one, _)| one).collect()
}
