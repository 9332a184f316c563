//! What the assistant says in its answers, and what it thinks on the way to one.

use super::actions::mark_boxes;
use super::collect::SO_FAR;
use super::draft::{Draft, Section, key_of};
use crate::facts::shorten;
use crate::facts::{
    Content, Sentence, Statement, final_question, first_sentence, is_courtesy, narrates, only_leads_on,
    sentences, statement, unwrapped,
};

/// The most bytes of an answer's beginning.
const LONGEST_BEGINNING: usize = 200;

/// The most bytes of the request that an answer is told with.
const LONGEST_REQUEST: usize = 100;

/// An answer that says less is a part of a sentence whose other part is the request: "Yes, on 10 July".
const ALONE: usize = 14;

/// The most bytes of an answer that is told whole, because its sentences lean on each other.
const WHOLE: usize = 240;

/// Between a short answer and its request.
const ASKED: &str = " (asked: ";

/// The least that is told at all, of an answer and of what was thought on the way.
const LEAST: usize = 4;
const LEAST_ON_THE_WAY: usize = 6;

/// Between what an answer states and what the user said to its question, which stands between them if the answer's line does not have it.
const THEN: &str = " (the user then: ";
const THEN_ASKED: &str = " (then asked: ";
const THEN_SAID: &str = " The user then: ";

/// Adds what an answer states. `request`: what it answers.
pub(super) fn add_answer(draft: &mut Draft, text: &str, request: &str) {
    let before = draft.newest();
    if is_short(text) {
        if let Some(line) = with_request(text, request) {
            add_line(draft, &line);
        }
    } else if !add_statements(draft, text, true) {
        add_beginning(draft, text);
    }
    let stated = draft.key_since(Section::Progress, before);
    draft.asking = stated.zip(final_question(text).map(str::to_owned));
    mark_boxes(draft, text);
}

/// Adds what the user said to the question of an answer: alone, what it proposed would be taken for decided. The question is told, too: it
/// may be about something else.
pub(super) fn add_reply(draft: &mut Draft, reply: &str) {
    let Some((key, question)) = draft.asking.take() else { return };
    let Some(stated) = draft.get(Section::Progress, &key) else { return };
    let (reply, question) = (shorten::beginning(reply, LONGEST_REQUEST), unwrapped(&question));
    let told = if Content::of(&question).size() < 2 || stated.text.contains(&*question) {
        format!("{THEN}{reply})")
    } else {
        format!("{THEN_ASKED}{}{THEN_SAID}{reply})", shorten::line(&question, LONGEST_REQUEST))
    };
    draft.append(Section::Progress, &key, &told);
}

/// A line of about `limit` bytes that tells an answer. What the user said to it stays: without that, it says something else.
pub(super) fn shortened(line: &str, limit: usize, cut: impl Fn(&str, usize) -> String) -> String {
    let at = [THEN, THEN_ASKED].iter().filter_map(|label| line.find(label)).min().unwrap_or(line.len());
    let (told, reply) = line.split_at(at);
    let without_question = reply.split_once(THEN_SAID).filter(|_| reply.len() > limit);
    let reply = without_question.map_or_else(|| reply.to_owned(), |(_, said)| [THEN, said].concat());
    cut(told, limit.saturating_sub(reply.len()).max(limit / 2)) + &reply
}

/// Whether an answer is told whole.
fn is_short(text: &str) -> bool {
    let text = text.trim();
    text.len() <= WHOLE && !text.contains('\n')
}

/// Adds what the assistant states on the way to an answer. It is told only until that is settled, see `settled_at`.
pub(super) fn add_on_the_way(draft: &mut Draft, text: &str) {
    add_statements(draft, text, false);
    mark_boxes(draft, text);
}

/// Adds what the assistant says right behind a call that changed something: what came of it stays true, whatever it does next. Whether that
/// says something.
pub(super) fn add_result(draft: &mut Draft, text: &str) -> bool {
    let is_result = |sentence: &Sentence<'_>| {
        is_told(sentence) && !narrates(sentence.text) && says_something(sentence.text)
    };
    let Some(result) = sentences(text).into_iter().find(is_result) else { return false };
    let weight = strongest(result.text).map_or(0, |found| found.weight);
    let line = unwrapped(result.text);
    draft.put(Section::Progress, &key_of(result.text), &line, (weight + 3).into());
    true
}

/// Adds the newest thought of these texts, the newest first, even if no word marks it as a statement: the calls and outputs behind do not
/// tell what the assistant takes to be the cause, or what it means to do.
pub(super) fn add_thought<'a>(draft: &mut Draft, mut newest_first: impl Iterator<Item = &'a str>) {
    let is_thought = |sentence: &Sentence<'_>| {
        is_told(sentence) && !narrates(sentence.text) && Content::of(sentence.text).size() >= LEAST_ON_THE_WAY
    };
    let Some(thought) = newest_first.find_map(|text| sentences(text).into_iter().rfind(is_thought)) else {
        return;
    };
    let key = key_of(thought.text);
    if draft.get(Section::Progress, &key).is_none() {
        draft.put(Section::Progress, &key, &format!("{SO_FAR}{}", unwrapped(thought.text)), 3);
    }
}

/// Whether an answer says something by itself or together with its request.
fn says_something(text: &str) -> bool {
    let content = Content::of(text);
    content.size() >= LEAST || content.figures > 0 || content.names
}

/// Somebody said this, and not to lead on to something else. No row of a table.
fn is_told(sentence: &Sentence<'_>) -> bool {
    sentence.is_said() && !sentence.text.starts_with('|') && !only_leads_on(sentence.text)
}

/// Adds a line that tells an answer.
fn add_line(draft: &mut Draft, line: &str) {
    let weight = strongest(line).map_or(0, |found| found.weight + 3);
    draft.put(Section::Progress, &key_of(line), line, weight.into());
}

/// The answer in a line that tells it, without its request and what the user said to it.
pub(super) fn answer_in(line: &str) -> &str {
    let end = [ASKED, THEN, THEN_ASKED].iter().filter_map(|label| line.find(label)).min();
    &line[..end.unwrap_or(line.len())]
}

/// The statement of most weight in a line that tells an answer.
pub(super) fn strongest(line: &str) -> Option<Statement> {
    sentences(answer_in(line)).iter().filter_map(|said| statement(said.text)).max_by_key(|found| found.weight)
}

/// Adds the last answer of an earlier summary, which is the last one no more, and the question that the summary tells apart.
pub(super) fn add_former(draft: &mut Draft, text: &str, question: Option<String>) {
    let (answer, request) = text.split_once(ASKED).unwrap_or((text, ""));
    let before = draft.newest();
    add_answer(draft, answer, request.trim_end_matches(')'));
    draft.asking = draft.asking.take().or_else(|| draft.key_since(Section::Progress, before).zip(question));
}

/// A short answer on one line, and what it answers if it needs that. `None` if it says nothing.
fn with_request(text: &str, request: &str) -> Option<String> {
    let told = sentences(text)
        .into_iter()
        .filter(|said| is_told(said) && (!is_courtesy(said.text) || Content::of(said.text).figures > 0));
    let told: Vec<&str> = told.map(|sentence| sentence.text).collect();
    let answer = shorten::one_line(&told.join(" "));
    let request = shorten::beginning(asked_in(request), LONGEST_REQUEST);
    let asked = if request.is_empty() || Content::of(&answer).size() >= ALONE {
        String::new()
    } else {
        format!("{ASKED}{request})")
    };
    says_something(&answer).then(|| answer + &asked)
}

/// The last answer as it is told. `None` if it says nothing.
pub(super) fn last_answer(text: &str, request: &str) -> Option<String> {
    if is_short(text) { with_request(text, request) } else { Some(text.trim().to_owned()) }
}

/// The part of a request that its answer answers: all of it if it is short, else its question, else its beginning.
fn asked_in(request: &str) -> &str {
    const MARKS: [char; 2] = ['?', '\u{FF1F}'];
    let request = request.trim();
    if request.len() <= LONGEST_REQUEST {
        return request;
    }
    let asks = |sentence: &Sentence<'_>| sentence.is_said() && sentence.text.ends_with(MARKS);
    let question = request.contains(MARKS).then(|| sentences(request).into_iter().rfind(asks)).flatten();
    question.or_else(|| first_sentence(request, Sentence::is_said)).map_or("", |sentence| sentence.text)
}

/// Adds the statements of a text; whether there are any.
fn add_statements(draft: &mut Draft, text: &str, closing: bool) -> bool {
    let is_table = |text: &str| text.starts_with('|');
    // A list right behind a question to the user has its choices.
    let mut are_choices = false;
    let mut states_something = false;
    let asks = final_question(text).is_some();
    let (mut line, mut read) = (0, 0);
    for sentence in sentences(text).into_iter().filter(|s| s.is_said() && !is_table(s.text)) {
        line = text[read..sentence.at].rfind('\n').map_or(line, |end| read + end + 1);
        read = sentence.at;
        let list_mark = text[line..read].trim();
        let asks_user =
            || only_leads_on(sentence.text) && sentence.text.contains(" you") && sentence.text.ends_with('?');
        are_choices = are_choices && !list_mark.is_empty() || list_mark.is_empty() && asks_user();
        let Some(found) = statement(sentence.text).filter(|_| !are_choices) else { continue };
        states_something = true;
        // An entry of a list with a figure may be one of many, or only offered.
        let is_fragment = !list_mark.is_empty() && found.weight <= 2 && !ends_as_sentence(sentence.text);
        if is_fragment && asks {
            continue; // one of the things to choose from
        }
        let label = if closing { "" } else { SO_FAR };
        let weight = if closing && !is_fragment { found.weight + 3 } else { found.weight };
        if closing || weight >= 3 {
            let text = format!("{label}{}", unwrapped(sentence.text));
            draft.put(Section::Progress, &key_of(sentence.text), &text, weight.into());
        }
    }
    states_something
}

fn ends_as_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '。', '\u{FF01}'])
}

/// Adds the first sentence of an answer in which no statement is recognised: in other languages, an answer says what was done in ways that
/// are not known here. It counts least.
fn add_beginning(draft: &mut Draft, text: &str) {
    let tells = |sentence: &Sentence<'_>| {
        // No heading, no question.
        is_told(sentence)
            && ends_as_sentence(sentence.text)
            && !is_courtesy(sentence.text)
            && says_something(sentence.text)
    };
    if let Some(first) = sentences(text).into_iter().find(tells) {
        let line = shorten::beginning(first.text, LONGEST_BEGINNING);
        draft.put(Section::Progress, &key_of(first.text), &line, 0);
    }
}
