//! Puts every output after its call and gives every call exactly one output.

use super::reasoning;
use super::work::{Change, Entry, MISSING_OUTPUT, Work};
use crate::hashing::{HashMap, HashSet};
use crate::message::{CallKind, Extras, Format, Message, Part, Role, ToolCall};
use crate::provider::CheckOptions;
use crate::provider::check::Dialect;
use crate::provider::check::pending::last_step;
use crate::provider::fields::text;
use crate::provider::openai_responses::kinds;
use crate::sorting::sort_by_key;

/// Where an output must be.
#[derive(PartialEq, Clone, Copy)]
enum Place {
    /// Anywhere after its call.
    After,
    /// Directly after the assistant message with the call.
    Directly,
    /// Directly after the run of assistant messages with the call.
    AfterRun,
}

/// A call that needs an output.
struct OpenCall {
    id: String,
    /// The index of its entry.
    at: usize,
}

pub(super) fn repair(work: &mut Work, options: &CheckOptions<'_>) {
    let strict = options.provider.is_some_and(|p| Dialect::of(p).strict_adjacency);
    let place = match work.format {
        Format::OpenaiResponses if strict => Place::AfterRun,
        Format::OpenaiResponses | Format::Messages => Place::After,
        Format::OpenaiChat => Place::Directly,
        Format::Anthropic | Format::AiSdk | Format::Gemini | Format::BedrockConverse => Place::AfterRun,
    };
    drop_duplicate_calls(work, place);
    if work.format == Format::OpenaiResponses {
        reasoning::duplicate_ids(work);
        drop_hosted_orphans(work);
    }
    if strict {
        move_calls_last(work);
    }
    if work.format == Format::OpenaiChat
        && let Some(provider) = options.provider
    {
        reasoning::add_required(work, Dialect::of(provider));
    }
    let asked: Vec<OpenCall> = work
        .entries
        .iter()
        .enumerate()
        .flat_map(|(at, e)| wants_output(&e.message).map(move |c| OpenCall { id: c.id.clone(), at }))
        .collect();
    let answers = match_outputs(work, &asked);
    let (entries, moved) = place_outputs(work, &asked, &answers, place, options);
    rebuild(work, entries, moved, place);
}

/// The calls that the API requires an output for. A request for an approval is one: its placeholder denies it.
fn wants_output(message: &Message) -> impl Iterator<Item = &ToolCall> {
    message.tool_calls().filter(|call| !call.hosted)
}

/// Removes outputs of hosted tools, which are part of the model's own messages, if their call is not before them.
fn drop_hosted_orphans(work: &mut Work) {
    let mut called: HashSet<String> = HashSet::default();
    work.remove_parts(&mut |_, part| {
        if let Part::ToolCall(call) = part {
            called.insert(call.id.clone());
        }
        let Part::Opaque { raw, .. } = part else { return None };
        let id = text(raw, "call_id").filter(|id| !called.contains(*id))?;
        kinds::output_kind(text(raw, "type")?)?;
        Some(("R-orphan-output", format!("the output of {id} was removed: its call is not before it")))
    });
}

/// Moves what the model said after a call to before the call: some providers allow nothing between a call and its
/// output.
fn move_calls_last(work: &mut Work) {
    for entry in work.entries.iter_mut().filter(|e| e.message.role == Role::Assistant) {
        let parts = &mut entry.message.parts;
        let is_call = |p: &Part| matches!(p, Part::ToolCall(call) if !call.hosted);
        let Some(first) = parts.iter().position(is_call) else { continue };
        let stays = |p: &Part| is_call(p) || matches!(p, Part::Reasoning(_));
        if parts[first..].iter().all(stays) {
            continue;
        }
        let (after, said): (Vec<Part>, Vec<Part>) = parts.drain(first..).partition(stays);
        parts.extend(said);
        parts.extend(after);
        let what = "the items between a call and its output were moved before the call";
        work.changes.push(Change::new(entry.from.start, "R-interleaved", what));
    }
}

/// Removes calls with the id of another call that is still open.
fn drop_duplicate_calls(work: &mut Work, place: Place) {
    let rule = work.rule([
        "R-dup-call", "C-dup-call", "A-dup-use", "S-dup-call", "G-dup-use", "B-dup-use", "M-dup-call",
    ]);
    let mut open: HashSet<String> = HashSet::default();
    let mut previous = Role::User;
    for entry in &mut work.entries {
        for output in entry.message.tool_outputs() {
            open.remove(&output.call_id);
        }
        let new_run = entry.message.role != previous || place == Place::Directly;
        if place != Place::After && entry.message.role == Role::Assistant && new_run {
            open.clear(); // an unanswered call of an earlier answer does not count
        }
        if !entry.message.role.is_instruction() {
            previous = entry.message.role;
        }
        entry.message.parts.retain(|part| match part {
            Part::ToolCall(call) if !call.hosted && !open.insert(call.id.clone()) => {
                let what = format!("the second call {} was removed", call.id);
                work.changes.push(Change::new(entry.from.start, rule, what));
                false
            }
            _ => true,
        });
    }
}

/// For each call the index of the entry with its output: the next one after the call, or else one before it.
fn match_outputs(work: &Work, asked: &[OpenCall]) -> Vec<Option<usize>> {
    let mut outputs: HashMap<&str, Vec<usize>> = HashMap::default();
    for (i, entry) in work.entries.iter().enumerate() {
        for output in entry.message.tool_outputs() {
            outputs.entry(&output.call_id).or_default().push(i);
        }
    }
    let mut next_same: HashMap<&str, usize> = HashMap::default();
    let mut until = vec![usize::MAX; asked.len()];
    for (n, call) in asked.iter().enumerate().rev() {
        until[n] = next_same.insert(&call.id, call.at).unwrap_or(usize::MAX);
    }
    let mut used: HashSet<usize> = HashSet::default();
    let mut answers: Vec<Option<usize>> = vec![None; asked.len()];
    for (n, call) in asked.iter().enumerate() {
        let list = outputs.get(call.id.as_str()).map_or(&[][..], Vec::as_slice);
        let behind = list.partition_point(|&i| i <= call.at);
        answers[n] = list[behind..].iter().copied().take_while(|&i| i < until[n]).find(|&i| used.insert(i));
    }
    let mut unused: HashMap<&str, usize> = HashMap::default();
    for (answer, call) in answers.iter_mut().zip(asked).filter(|(answer, _)| answer.is_none()) {
        let list = outputs.get(call.id.as_str()).map_or(&[][..], Vec::as_slice);
        let first = unused.entry(&call.id).or_default();
        *first += list[*first..].iter().take_while(|i| used.contains(*i)).count();
        *answer = list.get(*first).copied().filter(|&i| i < call.at && used.insert(i));
    }
    answers
}

/// The original position of an inserted output: after all others.
const PLACEHOLDER: usize = usize::MAX;

/// For each entry: the outputs that are moved behind it, with their original positions.
type Moved = HashMap<usize, Vec<(usize, Entry)>>;

/// Removes outputs without a call, and decides where the others go.
fn place_outputs(
    work: &mut Work,
    asked: &[OpenCall],
    answers: &[Option<usize>],
    place: Place,
    options: &CheckOptions<'_>,
) -> (Vec<Option<Entry>>, Moved) {
    let orphan = work.rule([
        "R-orphan-output", "C-orphan-tool", "A-orphan-result", "S-orphan-result", "G-orphan-result",
        "B-orphan-result", "M-orphan-output",
    ]);
    let twice = work.rule([
        "R-dup-output", "C-dup-tool", "A-dup-result", "S-dup-result", "G-dup-result", "B-dup-result",
        "M-dup-output",
    ]);
    let missing = work.rule([
        "R-unanswered", "C-unanswered", "A-unanswered", "S-unanswered", "G-unanswered", "B-unanswered",
        "M-unanswered",
    ]);
    let misplaced = work.rule([
        "R-order", "C-unanswered", "A-result-not-first", "S-unanswered", "G-result-place",
        "B-result-not-first", "M-orphan-output",
    ]);
    let claimed: HashSet<usize> = answers.iter().flatten().copied().collect();
    let ids: HashSet<&str> = asked.iter().map(|a| a.id.as_str()).collect();
    let roles: Vec<Role> = work.entries.iter().map(|e| e.message.role).collect();
    let mut taken: Vec<Option<Entry>> = std::mem::take(&mut work.entries).into_iter().map(Some).collect();
    let running = if work.pending { last_step(&roles) } else { roles.len() };
    let last_assistant = roles.iter().rposition(|role| *role == Role::Assistant);

    // Remove outputs without a call, unless the provider stores the earlier part of the conversation, or it is the
    // answer to an approval request.
    for (i, slot) in taken.iter_mut().enumerate() {
        let Some(output) = slot.as_ref().and_then(|e| e.message.tool_outputs().next()) else { continue };
        let approval = !output.decision().is_empty();
        if claimed.contains(&i) || approval || options.stateful && !ids.contains(output.call_id.as_str()) {
            continue;
        }
        let (rule, what) = if ids.contains(output.call_id.as_str()) {
            (twice, format!("the second output of {} was removed", output.call_id))
        } else {
            (orphan, format!("the output of {} was removed: its call is missing", output.call_id))
        };
        let from = slot.take().map_or(0, |e| e.from.start);
        work.note_change(from, rule, what);
    }

    let ends = run_ends(&roles, work.format);
    let barriers = barriers(&roles, place, work.format);
    let mut moved = Moved::default();
    for (n, call) in asked.iter().enumerate() {
        let target = match place {
            Place::After | Place::Directly => call.at,
            Place::AfterRun => ends[call.at],
        };
        let from = taken[call.at].as_ref().map_or(0..1, |e| e.from.clone());
        match answers[n] {
            None if call.at >= running && (place != Place::Directly || Some(call.at) == last_assistant) => {}
            None => {
                let what = format!("a placeholder was inserted as the output of {}", call.id);
                work.note_change(from.start, missing, what);
                let message = Message::tool(call.id.clone(), MISSING_OUTPUT);
                moved.entry(target).or_default().push((PLACEHOLDER, Entry { message, from }));
            }
            Some(i) if place == Place::After && i > call.at => {}
            Some(i) => {
                let Some(entry) = taken[i].take() else { continue };
                let stays = target < i && barriers[target + 1] == barriers[i];
                if i < call.at || !stays {
                    let what = format!("the output of {} was moved to its call", call.id);
                    work.note_change(entry.from.start, misplaced, what);
                }
                moved.entry(target).or_default().push((i, entry));
            }
        }
    }
    (taken, moved)
}

/// Whether such a message may be between a call and its output. The AI SDK allows no system message there; a developer
/// message there is a part of a tool message.
fn may_stand_between(role: Role, format: Format) -> bool {
    role.is_instruction() && (role != Role::System || format != Format::AiSdk)
}

/// For each entry: the index of the last entry of the run of assistant messages that begins with it or directly after
/// it.
fn run_ends(roles: &[Role], format: Format) -> Vec<usize> {
    let mut ends: Vec<usize> = (0..roles.len()).collect();
    let mut end: Option<usize> = None;
    for (i, role) in roles.iter().enumerate().rev() {
        ends[i] = end.unwrap_or(i);
        match role {
            Role::Assistant => end = Some(ends[i]),
            role if may_stand_between(*role, format) => {}
            _ => end = None,
        }
    }
    ends
}

/// For each position: the number of entries before it that separate outputs from calls. An output after such an entry
/// cannot answer a call before it.
fn barriers(roles: &[Role], place: Place, format: Format) -> Vec<usize> {
    let mut count = 0;
    let mut barriers = vec![0];
    for role in roles {
        let passes = *role == Role::Tool || place == Place::AfterRun && may_stand_between(*role, format);
        count += usize::from(!passes);
        barriers.push(count);
    }
    barriers
}

/// Rebuilds the list: outputs in their original order, placeholders last.
fn rebuild(work: &mut Work, entries: Vec<Option<Entry>>, mut moved: Moved, place: Place) {
    let mut inserted = HashSet::default();
    let is_left = |entry: &Entry| entry.message.role != Role::Tool || !entry.message.parts.is_empty();
    for (i, entry) in entries.into_iter().enumerate() {
        work.entries.extend(entry.filter(is_left));
        if let Some(mut outputs) = moved.remove(&i) {
            sort_by_key(&mut outputs, |(at, _)| *at);
            for (at, output) in outputs {
                if at == PLACEHOLDER {
                    inserted.insert(work.entries.len());
                }
                work.entries.push(output);
            }
        }
    }
    if work.format == Format::OpenaiResponses {
        fix_output_kinds(work, &inserted);
    }
    if place != Place::After {
        remove_join_marks(work);
    }
}

/// If an output is not of its call's kind, removes its template, so that it is written in the kind of its call.
/// `inserted`: the indexes of inserted outputs, whose kind was never wrong.
fn fix_output_kinds(work: &mut Work, inserted: &HashSet<usize>) {
    let mut kinds_of: HashMap<String, &'static str> = HashMap::default();
    for (at, entry) in work.entries.iter_mut().enumerate() {
        for call in entry.message.tool_calls() {
            let kind = match &call.kind {
                CallKind::Function => "function_call",
                CallKind::Custom => "custom_tool_call",
                CallKind::Other { raw, .. } => {
                    let name = raw.get("type").and_then(|t| t.as_str()).unwrap_or_default();
                    kinds::call_kind(name).map_or("", |k| k.call)
                }
            };
            kinds_of.insert(call.id.clone(), kind);
        }
        for output in entry.message.tool_outputs_mut() {
            let Some(call) = kinds_of.get(&output.call_id).and_then(|name| kinds::call_kind(name)) else {
                continue;
            };
            // A plain function output has no template.
            let given_kind = output.extras.field(Format::OpenaiResponses, "type");
            let given_kind =
                given_kind.as_ref().and_then(|kind| kind.as_str()).filter(|kind| !kind.is_empty());
            let given_kind = given_kind.unwrap_or("function_call_output");
            let takes_plain = kinds::TAKES_FUNCTION_OUTPUT.contains(&call.call);
            let fits = |kind: &str| kind == call.output || takes_plain && kind == "function_call_output";
            if !fits(given_kind) && !inserted.contains(&at) {
                output.extras = Extras::default();
                let what = format!("it was changed to a {}", call.output);
                work.changes.push(Change::new(entry.from.start, "R-kind", what));
            }
        }
    }
}

/// Removes marks that say "in the same entry as the message before" if the entry was split. The writer decides by these
/// marks, and then they are no longer true.
fn remove_join_marks(work: &mut Work) {
    let format = work.format;
    let mut previous: Option<std::ops::Range<usize>> = None;
    for entry in &mut work.entries {
        let torn = previous.as_ref().is_some_and(|p| *p != entry.from);
        if torn
            && entry.message.extras.has(format, "joins")
            && matches!(entry.message.role, Role::Tool | Role::User)
        {
            entry.message.extras = Extras::default();
        }
        previous = Some(entry.from.clone());
    }
}
