//! `sync`: for SDKs that pass the whole list each time.

use std::ops::Range;

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

use super::calls_of::CallsOf;
use super::entries::{Before, Group, Incoming, entries, read};
use super::extended::{self, Extended, halves};
use super::inner::Inner;
use super::line::{CommonPart, Line, behind_instructions, reads_same};
use super::value::{copy_of, get, is_list, json_of, set};
use super::view::take_updated_list;
use crate::context::{NodeIndex, NodeKind};
use crate::error::{Error, ErrorCode};
use crate::hashing::HashMap;
use crate::message::{Format, Message, Part};
use crate::provider::{PendingRenames, join, list_keys, parts_read, provider};

/// Appends what is new in a list. Returns `{ added, diverged_at }`.
pub fn sync(inner: &Inner, format: Format, input: &JsValue) -> Result<JsValue, JsValue> {
    let list = whole_list(format, input)?.ok_or_else(|| {
        Error::argument("sync expects the whole list: an array, or a body with an array as `input` or `messages`; to add only new entries, use `pushFrom`")
    })?;
    let writes = inner.writes();
    let beside = header_beside(inner, format, input)?;
    let line = inner.line.borrow();
    let (view, common, extended) = compared(inner, &line, format, &list, beside.as_deref())?;
    let list = extended.as_ref().map_or(&list, |extended| &extended.list);
    let known = view.as_ref().unwrap_or(&line);
    let mut gone = known.messages_from(common.stretches);
    if !gone.is_empty() {
        gone.extend(inner.read(|core| known.dropped_after(common.stretches, core.context()))?);
    }
    let continues = |entry: &JsValue| {
        let entry = json_of(format, entry, ErrorCode::InvalidMessage);
        entry.is_ok_and(|entry| provider(format).continues(&[entry]))
    };
    // Asked before the list is read, which may call the caller's getters: then nothing of the session may be borrowed.
    let all = format == Format::Gemini && list[common.entries..].iter().any(continues);
    let before = inner.read(|core| known.before(common.stretches, all, format, &core.context().history))?;
    let renewed = rewritten_entries(inner, known, &common, format, list)?;
    let own_head = known.nodes_of(common.head.stretches);
    // A list that has one of our summaries in it goes on from there.
    let is_cut_back = !gone.is_empty()
        && !inner.read(|core| {
            let is_fold = |node: NodeIndex| core.context().history.node(node).is_fold();
            known.nodes_of(common.stretches).into_iter().any(is_fold)
        })?;
    drop(line);
    let new: Array = list[common.entries..].iter().collect();
    let Incoming { mut messages, mut groups } = read(format, &new, |_| Ok(before))?;
    if let Some(first) = messages.first_mut().filter(|_| extended.is_some()) {
        join(format, first);
    }
    let messages = with_known_ids(&common, messages)?;
    let head = if common.head.is_other { Some(&list[..common.head.entries]) } else { None };
    let head = head
        .map(|head| read(format, &head.iter().collect::<Array>(), |_| Ok(Before::Entry(None))))
        .transpose()?;
    let headers = head.iter().flat_map(|head| &head.messages).chain(beside.iter().flatten());
    inner.precount(&messages.iter().chain(headers).cloned().collect::<Vec<_>>())?;
    if inner.writes() != writes {
        return Err(Error::argument(
            "the session was used while `sync` was reading its list: a getter, `toJSON` or the tokenizer must not use it",
        )
        .into());
    }
    let leaves = gone.iter().copied().collect();
    inner.read(|core| core.context().history.check_renamed(&common.renamed, &leaves))??;
    let mut head_nodes = Vec::new();
    let nodes = inner.write_quietly(|core| {
        let own = core.context().own_header();
        let (of_list, of_body): (Vec<_>, Vec<_>) = own.into_iter().partition(|node| own_head.contains(node));
        if let Some(head) = &head {
            core.check_header(&of_list, &head.messages)?;
        }
        if let Some(beside) = &beside {
            core.check_header(&of_body, beside)?;
        }
        let nodes = core.rewrite(&gone, messages)?;
        if is_cut_back {
            core.show_unanswered_user();
        }
        if let Some(head) = &head {
            head_nodes = core.replace_in_header(&of_list, head.messages.clone(), usize::MAX)?;
        }
        if let Some(beside) = beside {
            inner.header_beside.set(!beside.is_empty());
            core.replace_in_header(&of_body, beside, 0)?;
        }
        core.context_mut().renew(&renewed.messages);
        core.rename_calls(&common.renamed);
        Ok(nodes)
    })?;
    if let Some(view) = view {
        *inner.line.borrow_mut() = view;
    }
    inner.line.borrow_mut().cut(common.stretches);
    renewed.apply(inner, format, list)?;
    let adopted = inner.line.borrow_mut().adopt(format, &common, list);
    if let Ok(mut handles) = inner.handles.try_borrow_mut() {
        for (nodes, objects) in adopted {
            handles.adopt(format, &nodes, objects);
        }
    }
    let mut added = new.length();
    if let Some(head) = head {
        added += common.head.entries as u32;
        let behind = inner.line.borrow_mut().0.split_off(common.head.stretches);
        inner.line.borrow_mut().cut(0);
        inner.keep(format, &head_nodes, head.groups);
        inner.line.borrow_mut().extend(behind);
    }
    if let Some(extended) = extended {
        extend_last(inner, format, extended.whole, &nodes, &mut groups)?;
    }
    inner.keep(format, &nodes, groups);
    inner.deliver_events();
    let result = Object::new();
    set(&result, "added", &JsValue::from(added))?;
    set(&result, "diverged_at", &common.diverged_at.map_or(JsValue::NULL, |at| JsValue::from(at as u32)))?;
    Ok(result.into())
}

/// Compares the list with what was pushed, and if it says something else, with the view. Returns the line of the view if the list
/// continues it.
fn compared(
    inner: &Inner,
    line: &Line,
    format: Format,
    list: &[JsValue],
    beside: Option<&[Message]>,
) -> Result<(Option<Line>, CommonPart, Option<Extended>), JsValue> {
    let with = |line: &Line| inner.read(|core| extended::common(line, format, list, core))?;
    let (common, extended) = with(line)?;
    if common.diverged_at.is_some() || common.head.is_other {
        let any_header = common.diverged_at.is_some();
        if let Some(view) = returned_view_line(inner, format, list, beside, any_header)? {
            let (common, extended) = with(&view)?;
            return Ok((Some(view), common, extended));
        }
    }
    Ok((None, common, extended))
}

/// Adds the messages of the first group to the last entry, which they extended.
fn extend_last(
    inner: &Inner,
    format: Format,
    whole: JsValue,
    nodes: &[NodeIndex],
    groups: &mut Vec<Group>,
) -> Result<(), JsValue> {
    let behind = groups.split_off(groups.len().min(1));
    let Some(Group { messages, repaired, .. }) = groups.pop() else { return Ok(()) };
    *groups = behind;
    let new = nodes.get(messages).unwrap_or_default();
    let all = inner.line.borrow_mut().extend_last(format, whole.clone(), new);
    if let Some(all) = all.filter(|_| !repaired) {
        inner.handles()?.keep(format, all, vec![whole]);
    }
    Ok(())
}

/// Entries that say the same as before but are written differently now.
struct RewrittenEntries {
    /// Their messages, as they are written now.
    messages: Vec<(NodeIndex, Message)>,
    /// For each stretch: its index in the line, the range of its entries in the list, and its messages.
    stretches: Vec<(usize, Range<usize>, Vec<NodeIndex>)>,
}

/// Calls that got other ids in the list are renamed all together, later. Until then, this gives the outputs of such calls the ids
/// by which the session knows them.
fn with_known_ids(common: &CommonPart, mut messages: Vec<Message>) -> Result<Vec<Message>, JsValue> {
    let mut known: HashMap<&str, &str> =
        common.waiting.waiting().iter().map(|(known, now)| (now.as_str(), known.as_str())).collect();
    for (i, message) in messages.iter_mut().enumerate() {
        for part in &mut message.parts {
            match part {
                Part::ToolOutput(output) => {
                    if let Some(known) = known.remove(output.call_id.as_str()) {
                        known.clone_into(&mut output.call_id);
                    } else if known.values().any(|before| *before == output.call_id) {
                        let why = format!(
                            "the tool output for call `{}` follows no open tool call: that call has another id in this list",
                            output.call_id
                        );
                        return Err(Error::message_at(i, why).into());
                    }
                }
                Part::ToolCall(call) if known.contains_key(call.id.as_str()) => {
                    let why = format!(
                        "the tool call id `{}` belongs to another call that is still waiting for its output",
                        call.id
                    );
                    return Err(Error::message_at(i, why).into());
                }
                _ => {}
            }
        }
    }
    Ok(messages)
}

/// Collects the entries that are written differently now.
fn rewritten_entries(
    inner: &Inner,
    line: &Line,
    common: &CommonPart,
    format: Format,
    list: &[JsValue],
) -> Result<RewrittenEntries, JsValue> {
    let mut renewed = RewrittenEntries { messages: Vec::new(), stretches: Vec::new() };
    for (n, at) in &common.rewritten {
        let Some(stretch) = line.0.get(*n) else { continue };
        let entries = *at..*at + stretch.entries;
        let before = |all| inner.read(|core| line.before(*n, all, format, &core.context().history));
        let now: Array = list[entries.clone()].iter().collect();
        let Incoming { messages, .. } = read(format, &now, before)?;
        if stretch.stands_for.is_none() && messages.len() == stretch.nodes.len() {
            renewed.messages.extend(stretch.nodes.iter().copied().zip(messages));
        }
        renewed.stretches.push((*n, entries, stretch.nodes.clone()));
    }
    Ok(renewed)
}

impl RewrittenEntries {
    /// Replaces the caller's objects by those in `list`. A view shows them if they can be reproduced from the messages; otherwise
    /// it writes the messages, as the view of a restored session does.
    fn apply(self, inner: &Inner, format: Format, list: &[JsValue]) -> Result<(), JsValue> {
        for (n, entries, nodes) in self.stretches {
            let objects = &list[entries];
            let mut line = inner.line.borrow_mut();
            line.renew(n, format, objects);
            let Some(stretch) = line.0.get(n) else { continue };
            let reproduces =
                inner.read(|core| stretch.reproduces_its_objects(&CallsOf::new(&core.context().history)))?;
            inner.handles()?.renew(format, &nodes, if reproduces { objects } else { &[] });
        }
        Ok(())
    }
}

/// The entries of a list or a body. A single entry or a response is not accepted: taken as the whole list, it would
/// discard everything said before.
fn whole_list(format: Format, input: &JsValue) -> Result<Option<Vec<JsValue>>, JsValue> {
    let has = |key: &str| get(input, key).ok().flatten().is_some_and(|list| is_list(&list));
    let is_body = || list_keys(format).iter().any(|key| *key != "output" && has(key));
    let is_entry = || get(input, "type").ok().flatten().is_some_and(|kind| kind.is_string());
    if is_list(input) || (is_body() && !is_entry()) { entries(format, input) } else { Ok(None) }
}

/// If the caller's list begins with the current view, that view as the known list: the caller goes on from what we returned. A summary
/// that the format keeps outside the list has to be in the header `beside` it; otherwise the list may be the caller's own, without its
/// beginning. `any_header`: the list may begin with other instructions than the view, or with none, unless the view's tell a summary.
fn returned_view_line(
    inner: &Inner,
    format: Format,
    list: &[JsValue],
    beside: Option<&[Message]>,
    any_header: bool,
) -> Result<Option<Line>, JsValue> {
    let mut handles = inner.handles()?;
    inner.read(|core| -> Result<Option<Line>, JsValue> {
        let context = core.context();
        let shown = take_updated_list(&mut handles, context, format)?;
        let entries = shown.entries.to_vec();
        let begins_with = |list: &[JsValue], shown: &[JsValue]| {
            let mut renamed = PendingRenames::default();
            let Some((end, before)) = shown.split_last() else { return false };
            let Some(given) = list.get(before.len()) else { return false };
            let mut same = |one: &JsValue, other: &JsValue| reads_same(format, one, other, &mut renamed);
            before.iter().zip(list).all(|(shown, given)| same(shown, given))
                && (same(end, given) || known_half(format, end, given).is_some_and(|half| same(end, &half)))
        };
        let is_summary = |at: NodeIndex| context.history.node(at).kind == NodeKind::Summary;
        let line = || shown.line(context, format);
        let begins = begins_with(list, &entries)
            || any_header
                && begins_with(behind_instructions(list), behind_instructions(&entries))
                && !line().instructions(core).iter().any(|at| is_summary(*at));
        let is_beside =
            |text: &str| beside.into_iter().flatten().any(|head| head.plain_text().contains(text));
        let outside = shown.head.iter().filter_map(|at| context.view.slot(*at));
        let mut summaries = outside.filter(|slot| is_summary(slot.node));
        let begins = begins && summaries.all(|slot| is_beside(&slot.message.plain_text()));
        let line = begins.then(line);
        handles.lists.insert(format, shown);
        Ok(line)
    })?
}

/// The first half of an entry that may extend `known`.
fn known_half(format: Format, known: &JsValue, entry: &JsValue) -> Option<JsValue> {
    let known = json_of(format, known, ErrorCode::InvalidMessage).ok()?;
    let [half, _] = halves(format, parts_read(&known).len(), entry).ok()??;
    Some(half)
}

/// The header that a body has outside its list, if it is to be set. It is empty if the body's is empty, or if the body no longer
/// has one.
fn header_beside(inner: &Inner, format: Format, input: &JsValue) -> Result<Option<Vec<Message>>, JsValue> {
    if is_list(input) {
        return Ok(None);
    }
    let beside = copy_of(input)?;
    for key in list_keys(format) {
        if get(&beside, key)?.is_some_and(|list| is_list(&list)) {
            set(&beside, key, &Array::new())?;
        }
    }
    let beside = json_of(format, &beside, ErrorCode::InvalidMessage)?;
    let header: Vec<Message> = provider(format).read_head(&beside).into_iter().collect();
    let is_said = match format {
        Format::Messages | Format::OpenaiChat => false,
        Format::OpenaiResponses => beside.get("instructions").is_some(),
        Format::Gemini => beside.get("systemInstruction").is_some(),
        Format::Anthropic | Format::AiSdk | Format::BedrockConverse => beside.get("system").is_some(),
    };
    Ok((is_said || !header.is_empty() || inner.header_beside.get()).then_some(header))
}
