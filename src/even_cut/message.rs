//! Cuts the long texts of a message.

use std::cell::RefCell;
use std::sync::Arc;

use super::Level;
use super::difference::{SHORT, difference};
use super::names::Names;
use super::sizes;
use super::steps::in_full;
use super::text::{Pieces, pieces, pieces_around};
use crate::context::{Context, Form, Slot, Tally};
use crate::facts::{OPENS, is_in_ref, marked};
use crate::message::{Message, Part, Role, Text, ToolCall};
use crate::provider::{empty_reasoning, has_reasoning_field};
use crate::tokens::TokenCounter;
use crate::tool_output::{Json, outline};

/// The message of a whole slot with its long texts cut to a level; `None` if none is long enough. Arguments that were JSON
/// remain JSON with all their keys. Reasoning that nothing depends on is removed; only its field is kept, empty, if a
/// provider may refuse calls without it. `names` supplies the names that marks list, `opener` what comes before them. `pushed`: the
/// message's tokens when it was pushed, if only what the view shows of it is in memory.
fn cut_message(
    whole: &Slot,
    pushed: Option<u64>,
    level: Level,
    opens_turn: bool,
    names: &mut Names<'_>,
    opener: &str,
    counter: &dyn TokenCounter,
) -> Option<Message> {
    let (message, tally) = (&whole.message, &whole.tally);
    if Level::LEAST.keeps_whole(tally.total()) {
        names.record_as_shown(whole);
        return None;
    }
    let text_level = level.times(sizes::times(message.role));
    let texts = sizes::of_texts(message, tally, counter);
    let inputs = sizes::of_inputs(message, tally, counter);
    let is_removed = |part: &Part| sizes::is_removed(part, opens_turn);
    let thinks = message.role == Role::Assistant
        && message.parts.iter().any(is_removed)
        && !message.parts.iter().all(is_removed);
    let is_long =
        texts.iter().any(|t| !text_level.keeps_whole(*t)) || inputs.iter().any(|t| !level.keeps_whole(*t));
    if !is_long && !thinks {
        names.record_as_shown(whole);
        return None;
    }
    let rules = names.new_rules(whole.node);
    let mut list_names = |kept: Pieces<'_>| [opener, &names.list_for_mark(whole.node, &rules, kept)].concat();
    let mut cut = Message::clone(message);
    let mut changed = false;
    for (text, tokens) in sizes::texts_mut(&mut cut).zip(texts) {
        let pushed = pushed.map(|pushed| (pushed + tokens).saturating_sub(tally.total()));
        let shorter = match pushed.zip(marked(text)) {
            Some((pushed, marked)) => cut_again(text, tokens, pushed, marked, text_level, &mut list_names),
            None => cut_text(text, tokens, text_level, &mut list_names),
        };
        if let Some(shorter) = shorter {
            *text = shorter.into();
            changed = true;
        }
    }
    let calls = cut.parts.iter_mut().filter_map(|part| match part {
        Part::ToolCall(call) => Some(call),
        _ => None,
    });
    for (call, tokens) in calls.zip(inputs) {
        changed |= cut_input(call, tokens, level, &mut list_names);
    }
    if thinks {
        let before = cut.parts.len();
        let calls = cut.tool_calls().next().is_some();
        let mut emptied = false;
        cut.parts.retain_mut(|part| {
            if calls && has_reasoning_field(part) {
                emptied |= empty_reasoning(part);
                return true;
            }
            !is_removed(part)
        });
        changed |= emptied || cut.parts.len() < before;
    }
    if !changed {
        names.record_as_shown(whole);
        return None;
    }
    Some(cut)
}

/// Like `cut_message`, but returns a slot; `None` also if the cut message is not smaller than the whole one. An output that
/// was cut as it entered the view is cut again from its full text, if that is in memory. `opens_turn`: its step opens the running turn.
pub fn cut_slot(
    context: &Context,
    whole: &Slot,
    level: Level,
    opens_turn: bool,
    names: &mut Names<'_>,
) -> Option<Slot> {
    let full = in_full(context, whole);
    if full.as_ref().is_some_and(|full| sizes::at_level(full, level, &*context.counter) >= whole.tokens()) {
        names.record_as_shown(whole);
        return None; // known without cutting
    }
    let full = full.as_ref().unwrap_or(whole);
    let history = &context.history;
    let pushed = history.is_away(whole.node).then(|| history.tally_as_pushed(whole.node).total());
    let message =
        cut_message(full, pushed, level, opens_turn, names, &opener(context, full), &*context.counter)?;
    let tally = Tally::of(&message, &*context.counter);
    let is_smaller = tally.total() < whole.tokens();
    is_smaller.then(|| Slot { message: Arc::new(message), tally, form: Form::Shortened, ..whole.clone() })
}

/// What the mark of an output says of its ref; empty if the model cannot open it.
fn opener(context: &Context, slot: &Slot) -> String {
    let mut outputs = slot.message.tool_outputs();
    let output = outputs.next().filter(|_| outputs.next().is_none());
    let id = output.and_then(|output| output.output_ref.as_ref()).map(|it| &*it.id);
    let id = id.filter(|id| context.outputs.contains(id) && id.chars().all(is_in_ref));
    id.filter(|_| context.wording.has_tool()).map(|id| [OPENS, id].concat()).unwrap_or_default()
}

/// A text of `tokens` tokens cut to its head and its tail with a mark between them; for JSON, its outline followed by a
/// mark.
fn cut_text(
    text: &Text,
    tokens: u64,
    level: Level,
    list_names: &mut dyn FnMut(Pieces<'_>) -> String,
) -> Option<String> {
    if level.keeps_whole(tokens) {
        return None;
    }
    let bytes = bytes_of(text, tokens, level);
    // A caller may pass on the outline that an earlier cut left, with its mark: one mark stands for all that is missing.
    let (json, marks) = match marked(text) {
        Some((begins, ends)) if ends == text.len() => text.split_at(begins),
        _ => (&**text, ""),
    };
    let outline = outline(json, bytes);
    let is_whole = outline.as_ref().is_some_and(|outline| outline.is_whole);
    if is_whole && !marks.is_empty() {
        return None;
    }
    let kept = match &outline {
        Some(outline) => Pieces { head: &outline.text, left_out: if is_whole { "" } else { text }, tail: "" },
        None => pieces(text, bytes),
    };
    let (all, missing) = if outline.is_some() { (json, left_out_before(marks)) } else { (&**text, 0) };
    let tokens_of = |bytes: usize| sizes::share(tokens, bytes, text.len());
    let left_out = tokens_of(all.len()).saturating_sub(tokens_of(kept.head.len() + kept.tail.len()));
    let mark = mark(left_out + missing, &list_names(kept));
    let out = match &outline {
        Some(_) if is_whole => kept.head.to_owned(),
        Some(_) => [kept.head, "\n", &mark].concat(),
        None => kept.around(&mark),
    };
    (out.len() < text.len()).then_some(out)
}

/// The tokens that these marks say are missing.
fn left_out_before(marks: &str) -> u64 {
    let numbers = marks.split(MARK).skip(1).filter_map(|mark| mark.split(' ').next()?.parse::<u64>().ok());
    numbers.fold(0, u64::saturating_add)
}

/// A text with marks cut further, so that one mark stands for all that is missing. `pushed`: its tokens when it was whole.
fn cut_again(
    text: &Text,
    tokens: u64,
    pushed: u64,
    marked: (usize, usize),
    level: Level,
    list_names: &mut dyn FnMut(Pieces<'_>) -> String,
) -> Option<String> {
    if level.keeps_whole(tokens) {
        return None;
    }
    let bytes = bytes_of(text, tokens, level);
    let outline = if marked.1 == text.len() { outline(&text[..marked.0], bytes) } else { None };
    let kept = match &outline {
        Some(outline) => Pieces { head: &outline.text, left_out: text, tail: "" },
        None => pieces_around(text, marked, bytes),
    };
    let left_out = pushed.saturating_sub(sizes::share(tokens, kept.head.len() + kept.tail.len(), text.len()));
    let mark = mark(left_out, &list_names(kept));
    let out = if outline.is_some() { [kept.head, "\n", &mark].concat() } else { kept.around(&mark) };
    (out.len() < text.len()).then_some(out)
}

/// The beginning of a mark.
const MARK: &str = "[… ";

/// What stands where text was left out.
fn mark(tokens: u64, listed: &str) -> String {
    format!("{MARK}{tokens} tokens left out{listed} …]")
}

/// How many bytes of a text of `tokens` tokens a level keeps.
fn bytes_of(text: &str, tokens: u64, level: Level) -> usize {
    (text.len() as u128 * u128::from(level.tokens()) / u128::from(tokens.max(1))) as usize
}

/// Cuts the arguments of a call: the long strings in them if they are JSON. False if nothing is long enough.
fn cut_input(
    call: &mut ToolCall,
    tokens: u64,
    level: Level,
    list_names: &mut dyn FnMut(Pieces<'_>) -> String,
) -> bool {
    if level.keeps_whole(tokens) || !sizes::can_be_cut(call) {
        return false;
    }
    let all = call.input.len();
    let tokens_of = |text: &str| sizes::share(tokens, text.len(), all);
    let is_long = |text: &str| !level.keeps_whole(tokens_of(text));
    let list_names = RefCell::new(list_names);
    let shorter = |string: &str, others: &[String]| {
        if !is_long(string) {
            return None;
        }
        let bytes = bytes_of(string, tokens_of(string), level);
        let kept = pieces(string, bytes);
        let looks_alike =
            |other: &&String| **other != string && other.starts_with(kept.head) && other.ends_with(kept.tail);
        let out = if let Some(other) = others.iter().find(looks_alike) {
            let Pieces { head, left_out: differs, tail } = difference(string, other, bytes);
            let fits = differs.len() <= bytes + 2 * SHORT;
            let shown =
                if fits { Pieces { head: differs, left_out: "", tail: "" } } else { pieces(differs, bytes) };
            let mut listed =
                list_names.borrow_mut()(Pieces { head: shown.head, left_out: string, tail: shown.tail });
            // The last mark lists the names.
            let mut with_mark = |pieces: Pieces<'_>| match pieces.left_out {
                "" => [pieces.head, pieces.tail].concat(),
                text => pieces.around(&mark(tokens_of(text).max(1), &std::mem::take(&mut listed))),
            };
            let marked_end = with_mark(Pieces { head: "", left_out: tail, tail: "" });
            let inside = with_mark(shown);
            let begin = with_mark(Pieces { head: "", left_out: head, tail: &inside });
            Pieces { head: &begin, left_out: tail, tail: "" }.around(&marked_end)
        } else {
            let left_out = tokens_of(string).saturating_sub(tokens_of(&[kept.head, kept.tail].concat()));
            kept.around(&mark(left_out, &list_names.borrow_mut()(kept)))
        };
        (out.len() < string.len()).then_some(out)
    };
    let input = match Json::parse(&call.input) {
        Some(json) => {
            let long: Vec<String> = json.strings().filter(|string| is_long(string)).collect();
            json.with_strings(|string| shorter(string, &long))
        }
        None => shorter(&call.input, &[]).unwrap_or_default(),
    };
    let is_shorter = !input.is_empty() && input.len() < call.input.len();
    if is_shorter {
        call.input = input.into();
    }
    is_shorter
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::NodeIndex;
    use crate::tokens::BytesPerFour;
    use crate::tool_output::ToolOutputCacheConfig;

    /// A context that ends with a command and its output.
    fn with_output(output: &str) -> Context {
        let mut context = Context::new(Arc::new(BytesPerFour), ToolOutputCacheConfig::default(), None);
        let call = Message::new(Role::Assistant, vec![ToolCall::function("c", "bash", "{}").into()]);
        context.push(vec![Message::text(Role::User, "Go on."), call, Message::tool("c", output)]).unwrap();
        context
    }

    /// The output as the view shows it first, and cut to a level.
    fn on_entry_and_cut(output: &str, level: u64) -> (Slot, Option<Slot>) {
        let context = with_output(output);
        let facts = context.facts();
        let on_entry = context.slot_on_entry(NodeIndex(2));
        let cut = cut_slot(&context, &on_entry, Level::of(level), false, &mut Names::new(&facts, 40));
        (on_entry, cut)
    }

    #[test]
    fn an_output_that_was_cut_on_entry_is_cut_from_its_full_text() {
        let rows: Vec<_> = (0..900).map(|n| serde_json::json!({ "id": n, "ok": true })).collect();
        let (on_entry, cut) =
            on_entry_and_cut(&serde_json::json!({ "total": 900, "rows": rows }).to_string(), 24);
        assert_eq!(on_entry.form, Form::Cut);
        assert_eq!(
            cut.unwrap().message.plain_text(),
            "{\"total\":900,\"rows\":[{\"id\":0,\"ok\":true},{\"id\":1,\"ok\":true},{\"id\":2,\"ok\":true},{…},…]}\n\
             [… 4681 tokens left out …]"
        );
        let lines =
            (0..99).map(|n| format!("line {n} {}end\n", "word ".repeat(450))).collect::<Vec<_>>().concat();
        let (on_entry, cut) = on_entry_and_cut(&lines, 24);
        assert_eq!(on_entry.form, Form::Cut);
        let shown = cut.unwrap().message.plain_text();
        assert!(shown.starts_with("line 0 word") && shown.ends_with("word end\n"), "{shown}");
        assert!(shown.contains("word\n[… 55959 tokens left out …]\nword"), "{shown}");
    }

    #[test]
    fn a_cut_output_is_never_larger_than_on_entry() {
        let line = format!("{}\n", "word ".repeat(1_000));
        for output in [line.repeat(2), line.repeat(90), "short line\n".repeat(9_000)] {
            for level in (24..1_600).step_by(50).chain([12_000, 14_000, 40_000]) {
                let (on_entry, cut) = on_entry_and_cut(&output, level);
                assert_eq!(on_entry.form, Form::Cut);
                let is_due = level + 400 < on_entry.tokens();
                assert!(cut.map_or(!is_due, |cut| cut.tokens() < on_entry.tokens()), "{level}");
            }
        }
    }
}
