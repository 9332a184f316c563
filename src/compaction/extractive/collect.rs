//! Reads a conversation into a draft of its summary.

use super::actions::{
    DONE_LABEL, TODO_LABEL, add_action, command_line, mark_boxes_of_user, mark_resolved_errors,
};
use super::answers::{
    add_answer, add_former, add_on_the_way, add_reply, add_result, add_thought, last_answer, strongest,
};
use super::draft::{Draft, Section, key_of};
use super::earlier;
use super::options::ExtractiveOptions;
use super::places::Places;
use super::references::{FOLDER_LABEL, REF_LABEL, output_refs, references};
use crate::compaction::ledger;
use crate::facts::shorten;
use crate::facts::{
    Action, Sentence, actions, call_line, changes_service, constraints, final_question, intentions,
    only_leads_on, records_rules, sentences, unwrapped, without_directory,
};
use crate::message::{Message, Part, Role, without_inserted};

/// Keys of the two requests that are always part of the summary.
pub(super) const FIRST: &str = "first request";
pub(super) const LATEST: &str = "latest request";

pub(super) const FIRST_LABEL: &str = "First request: ";
const LATEST_LABEL: &str = "Last request in this record: ";
pub(super) const EARLIER_LABEL: &str = "Earlier request: ";
pub(super) const ANSWER_LABEL: &str = "Last answer in this record: ";
const REQUEST_LABEL: &str = "Not answered in this record: ";
const DOING_LABEL: &str = "In the middle of: ";
const NEXT_LABEL: &str = "Next: ";
pub(super) const SO_FAR: &str = "So far: ";

/// So many calls of one message are looked at.
const MOST_AT_ONCE: usize = 16;

pub(super) fn collect(messages: &[Message], options: ExtractiveOptions) -> Draft {
    let mut draft = Draft::default();
    let texts: Vec<String> = messages.iter().map(Message::plain_text).collect();
    let summaries: Vec<bool> = messages.iter().zip(&texts).map(|(m, t)| earlier::is_summary(m, t)).collect();
    let earlier = messages.iter().zip(&texts).zip(&summaries).filter(|(_, is_summary)| **is_summary);
    let earlier = earlier.map(|((message, text), _)| earlier::items(text, records_rules(message)));
    let earlier: Vec<Vec<earlier::Item>> = earlier.collect();
    let actions = actions(messages);
    let folder = earlier.iter().flatten().find_map(|item| item.text.strip_prefix(FOLDER_LABEL));
    let places = Places::of(&actions, folder.map(str::to_owned));
    for items in &earlier {
        merge(&mut draft, items, options, &places);
    }
    draft.end_earlier();
    let dialogue: Vec<(usize, &Message, &str)> = messages
        .iter()
        .zip(&texts)
        .enumerate()
        .filter(|(i, (m, t))| !summaries[*i] && !t.trim().is_empty() && !m.role.is_instruction())
        .map(|(i, (m, t))| (i, m, t.as_str()))
        .collect();
    let was_answered = earlier
        .iter()
        .rfind(|items| !items.is_empty())
        .is_some_and(|items| items.iter().any(|item| item.text.starts_with(ANSWER_LABEL)));
    let settled = settled_at(was_answered, messages, &dialogue);
    drop_taken_up_since(&mut draft, &dialogue, settled.is_some());
    let mut next_action = 0;
    let mut request = String::new();
    // Only a message behind the last earlier summary replies to what that one tells last.
    let last_summary = summaries.iter().rposition(|is| *is);
    let mut asked_by_summary = draft.asking.take();
    for (at, message, text) in
        dialogue.iter().copied().chain([(messages.len(), &Message::new(Role::Tool, vec![]), "")])
    {
        while let Some(action) = actions.get(next_action).filter(|a| a.at < at) {
            let output = action.answered_at.map_or("", |i| texts[i].as_str());
            if !(options.beside_ledger && changes_service(action)) {
                add_action(&mut draft, action, output, &places);
            }
            next_action += 1;
        }
        if Some(at) > last_summary {
            draft.asking = asked_by_summary.take().or(draft.asking.take());
        }
        match message.role {
            Role::User if is_request(message, text) => {
                request = without_attachments(message);
                add_reply(&mut draft, &request);
                add_request(&mut draft, &request);
            }
            Role::Assistant if closes_turn(messages, at) => add_answer(&mut draft, text, &request),
            Role::Assistant
                if has_changed(messages, &actions[..next_action], at) && add_result(&mut draft, text) => {}
            Role::Assistant if settled.is_none_or(|settled| at > settled) => {
                add_on_the_way(&mut draft, text);
            }
            _ => {}
        }
    }
    // What was thought before an answer or before the user's last message, those have settled.
    let open_turn = dialogue
        .iter()
        .rev()
        .take_while(|(at, message, _)| message.role == Role::Assistant && !closes_turn(messages, *at));
    add_thought(&mut draft, open_turn.map(|(_, _, text)| *text));
    add_open_at_end(&mut draft, messages, &dialogue, &actions, &places);
    references(&mut draft, messages, &texts, &summaries, &places);
    if options.refs {
        output_refs(&mut draft, messages);
    }
    draft
}

/// Whether an output right before this message answers a call that changed something in another service.
fn has_changed(messages: &[Message], actions: &[Action<'_>], at: usize) -> bool {
    let outputs = messages[..at].iter().rev().take_while(|message| message.role == Role::Tool).count();
    let is_answered =
        |action: &&Action<'_>| action.answered_at.is_some_and(|answered| answered + outputs >= at);
    actions.iter().rev().take(MOST_AT_ONCE).filter(is_answered).any(changes_service)
}

/// Adds the lines of an earlier summary as the draft's oldest entries.
fn merge(draft: &mut Draft, items: &[earlier::Item], options: ExtractiveOptions, places: &Places) {
    // If there are several summaries, the conversation went on after each of them.
    let user_spoke =
        items.iter().any(|i| i.section == Section::Task || i.is_carried && i.section != Section::Commands);
    drop_taken_up(draft, user_spoke, !items.is_empty());
    for item in items.iter().filter(|item| !(options.beside_ledger && item.is_carried)) {
        let text = item.text.as_str();
        if let Some(lines) = earlier::parse_more(text) {
            draft.add_missing(item.section, lines);
            continue;
        }
        match item.section {
            Section::Task if text.starts_with(FIRST_LABEL) => {
                let request = text.trim_start_matches(FIRST_LABEL);
                if draft.get(Section::Task, FIRST).is_none() {
                    draft.put(Section::Task, FIRST, text, 0);
                } else if asks_for_something(request) {
                    draft.put(Section::Task, &key_of(request), &format!("{EARLIER_LABEL}{request}"), 0);
                }
            }
            Section::Task if text.starts_with(LATEST_LABEL) => draft.put(Section::Task, LATEST, text, 0),
            Section::Task if text.starts_with(EARLIER_LABEL) => {
                let is_first = draft.get(Section::Task, FIRST).is_none();
                let key = key_of(text.trim_start_matches(EARLIER_LABEL));
                draft.put(Section::Task, if is_first { FIRST } else { &key }, text, 0);
            }
            Section::Task if draft.get(Section::Task, FIRST).is_none() => {
                draft.put(Section::Task, FIRST, &format!("{FIRST_LABEL}{text}"), 0);
            }
            Section::Commands | Section::Errors => {
                let key = text.split_once("` → ").map_or(text, |(command, _)| command).trim_matches('`');
                let key = match item.section {
                    Section::Errors => key_of(text),
                    _ if key.ends_with(')') => text.to_owned(), // a call
                    _ => key.to_owned(),
                };
                draft.put_counted(item.section, &key, text, 0, item.count);
            }
            Section::Changed | Section::Read => {
                draft.put_counted(item.section, &places.relative(text, None), text, 0, item.count);
            }
            Section::References if text.starts_with(FOLDER_LABEL) => {}
            Section::References if !options.refs && text.starts_with(REF_LABEL) => {}
            Section::References => draft.put(Section::References, text, text, 2),
            Section::Constraints => {
                draft.put_counted(Section::Constraints, &key_of(text), text, 20, item.count);
            }
            Section::Open => {
                let todo = text.trim_start_matches(TODO_LABEL);
                draft.put(Section::Open, &key_of(todo), text, 2);
            }
            Section::Progress if text.starts_with(ANSWER_LABEL) => {
                draft.put(Section::Progress, ANSWER_LABEL, text, 15);
            }
            section => {
                // What was important stays so.
                let weight = strongest(text).map_or(3, |found| found.weight.max(3));
                let key = key_of(text.trim_start_matches(SO_FAR).trim_start_matches(DONE_LABEL));
                draft.put_counted(section, &key, text, weight.into(), item.count);
            }
        }
    }
}

/// The position of the last request that the user made after an answer: whatever the assistant had thought on the way, the answer said what of
/// it holds. A turn that was interrupted has no answer. `was_answered`: whether earlier summaries ended with one.
fn settled_at(
    was_answered: bool,
    messages: &[Message],
    dialogue: &[(usize, &Message, &str)],
) -> Option<usize> {
    let mut answered = was_answered;
    let mut settled = None;
    for (at, message, text) in dialogue {
        if message.role == Role::Assistant {
            answered = closes_turn(messages, *at);
        } else if message.role == Role::User && is_request(message, text) {
            settled = if answered { Some(*at) } else { settled };
            answered = false;
        }
    }
    settled
}

/// Removes what earlier summaries say of their end, as far as the user or the assistant has gone on since.
fn drop_taken_up_since(draft: &mut Draft, dialogue: &[(usize, &Message, &str)], settled: bool) {
    draft.remove_where(Section::Progress, |entry| settled && entry.text.starts_with(SO_FAR));
    let user_spoke = dialogue.iter().any(|(_, m, _)| m.role == Role::User);
    let assistant_spoke = dialogue.iter().any(|(_, m, _)| m.role == Role::Assistant);
    drop_taken_up(draft, user_spoke, assistant_spoke);
}

fn drop_taken_up(draft: &mut Draft, user_spoke: bool, assistant_spoke: bool) {
    let mut asked = None;
    draft.remove_where(Section::Open, |entry| {
        let starts = |labels: &[&str]| labels.iter().any(|label| entry.text.starts_with(label));
        let question = entry.text.strip_prefix(ledger::ASKED_USER).filter(|_| user_spoke);
        asked = question.map(str::to_owned).or(asked.take());
        question.is_some()
            || (user_spoke && starts(&[ledger::ANSWERED]))
            || (assistant_spoke && starts(&[REQUEST_LABEL, DOING_LABEL, NEXT_LABEL, ledger::USER_ASKED]))
    });
    if assistant_spoke && let Some(answer) = draft.get(Section::Progress, ANSWER_LABEL) {
        let answer = answer.text.trim_start_matches(ANSWER_LABEL).to_owned();
        draft.remove(Section::Progress, ANSWER_LABEL);
        add_former(draft, &answer, asked);
    }
}

/// Whether a user message is the user's own and not one that an application inserted.
fn is_request(message: &Message, text: &str) -> bool {
    let trimmed = text.trim();
    message.opens_turn() && !(trimmed.starts_with('<') && trimmed.ends_with('>'))
}

/// The user's text, without the long texts that an application attached (files that were mentioned).
fn without_attachments(message: &Message) -> String {
    const ATTACHMENT: usize = 1500;
    let texts = message.parts.iter().filter_map(Part::as_text);
    let kept: Vec<_> = texts
        .enumerate()
        .filter(|(i, t)| *i == 0 || t.len() < ATTACHMENT)
        .map(|(_, t)| without_inserted(t))
        .collect();
    kept.join("\n")
}

/// Whether a turn ends with this message of the assistant: it has no calls and a user message or nothing follows.
fn closes_turn(messages: &[Message], at: usize) -> bool {
    let calls = |m: &Message| m.tool_calls().next().is_some();
    messages.get(at).is_some_and(|m| !calls(m)) && messages.get(at + 1).is_none_or(|m| m.role == Role::User)
}

fn add_request(draft: &mut Draft, text: &str) {
    let request = shorten::lines(text, 4000);
    if draft.get(Section::Task, FIRST).is_none() {
        draft.put(Section::Task, FIRST, &format!("{FIRST_LABEL}{request}"), 0);
    } else if asks_for_something(&request) {
        if let Some(before) = draft.get(Section::Task, LATEST) {
            let before = before.text.trim_start_matches(LATEST_LABEL).to_owned();
            let weight = (before.len() as u64 / 40).min(4);
            draft.put(Section::Task, &key_of(&before), &format!("{EARLIER_LABEL}{before}"), weight);
        }
        draft.put(Section::Task, LATEST, &format!("{LATEST_LABEL}{request}"), 0);
    }
    for constraint in constraints(text) {
        let weight = if constraint.fenced { 0 } else { 20 };
        draft.put(Section::Constraints, &key_of(constraint.text), &unwrapped(constraint.text), weight);
    }
    mark_boxes_of_user(draft, text);
}

/// Whether a text asks for more than "ok" or "go on" does.
fn asks_for_something(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphanumeric()).map(|c| if c.is_ascii() { 1 } else { 3 }).sum::<usize>()
        >= 12
}

/// Adds what is still open at the end of the messages.
fn add_open_at_end(
    draft: &mut Draft,
    messages: &[Message],
    dialogue: &[(usize, &Message, &str)],
    actions: &[Action<'_>],
    places: &Places,
) {
    mark_resolved_errors(draft);
    let last_request = dialogue.iter().rfind(|(_, m, t)| m.role == Role::User && is_request(m, t));
    let after = last_request.map_or(0, |(at, _, _)| *at);
    let last_word = dialogue.iter().rev().find(|(at, m, _)| m.role == Role::Assistant && *at > after);
    let closed = last_word.is_some_and(|(at, _, _)| closes_turn(messages, *at) && at + 1 == messages.len());
    let previous = dialogue
        .iter()
        .rev()
        .filter(|(at, m, _)| m.role == Role::Assistant && closes_turn(messages, *at))
        .nth(usize::from(closed));
    for (_, _, text) in [previous, last_word].into_iter().flatten() {
        for next in intentions(text) {
            draft.put(Section::Open, &key_of(next), &format!("{NEXT_LABEL}{}", unwrapped(next)), 0);
        }
    }
    if let Some((_, _, text)) = last_word.filter(|_| closed) {
        let request = last_request.map(|(_, message, _)| without_attachments(message)).unwrap_or_default();
        if let Some(answer) = last_answer(text, &request) {
            draft.put(Section::Progress, ANSWER_LABEL, &format!("{ANSWER_LABEL}{answer}"), 15);
        }
        if let Some(question) = final_question(text) {
            let line = format!("{}{}", ledger::ASKED_USER, unwrapped(question));
            draft.put(Section::Open, &key_of(question), &line, 30);
        }
        return;
    }
    if let Some((_, _, text)) = last_request {
        let request = shorten::beginning(text, 160);
        draft.put(Section::Open, "request", &format!("{REQUEST_LABEL}{request}"), 40);
    }
    if let Some((_, _, text)) = last_word {
        let doing = sentences(text).into_iter().rfind(Sentence::is_said).map(|s| s.text);
        // What it announces or asks, the messages behind show.
        if let Some(doing) = doing.filter(|doing| !only_leads_on(doing)) {
            draft.put(Section::Open, "doing", &format!("{DOING_LABEL}{}", unwrapped(doing)), 35);
        }
    }
    for action in actions.iter().filter(|a| a.outcome.is_none() && a.at > after && !a.call.hosted) {
        let what = action.command.as_deref().map_or_else(
            || action.paths.first().map_or_else(|| call_line(action), |p| places.relative(p, None)),
            |c| command_line(without_directory(c), places),
        );
        let line = format!("{DOING_LABEL}{} {what}, no output yet", action.call.name);
        draft.put(Section::Open, &format!("call {}", action.call.id), &line, 30);
    }
}
