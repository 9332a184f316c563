//! Marks that tell the prompt cache of Anthropic, or of Bedrock's Converse, which parts of a view to keep: those that stay the same from
//! call to call.
//!
//! The end of a view gets a mark even though the next call may edit it: without one, each step would be paid as plain input first,
//! and again when it is written to the cache. The mark before the newest step is needed for steps with more blocks than the API looks
//! back. A summary request that continues from the whole view has as many marks as the view had: without marks, Anthropic
//! does not look into its cache.

use js_sys::{Array, Object, Reflect};
use serde::Serialize;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::arguments::count;
use super::list::List;
use super::value::{elements, get, is_list, set, to_js};
use crate::context::{NodeKind, Slot};
use crate::error::Error;
use crate::message::{Format, Role};
use crate::model::MIN_CACHED_PREFIX_TOKENS;
use crate::provider::{CACHE_POINT, mark_key};
use crate::session::Session;
use crate::sorting::sort_by_key;

/// The most marks that the API takes in a request.
const MAX_MARKS: usize = 4;

/// The marks of the newest view that was requested with `cacheMarks`.
#[derive(Debug, Default)]
pub struct Marks {
    /// The number that was requested.
    pub max_marks: usize,
    pub placed: Vec<CacheMark>,
}

/// A mark of a view.
#[derive(Debug, Clone, Serialize)]
pub struct CacheMark {
    part: &'static str,
    tokens: u64,
}

/// The end of a part that stays the same.
struct End {
    part: &'static str,
    /// The last entry of the part; `None` for the system prompt.
    entry: Option<u32>,
    /// Tokens from the beginning of the view to this end.
    tokens: u64,
}

/// Reads the option `cacheMarks` of a view in this format, if it is given.
pub fn cache_marks(options: &JsValue, format: Format) -> Result<Option<usize>, JsValue> {
    let Some(given) = get(options, "cacheMarks")? else { return Ok(None) };
    if !matches!(format, Format::Anthropic | Format::BedrockConverse) {
        let why = "`cacheMarks`: only the formats \"anthropic\" and \"bedrock-converse\" have cache marks; others cache automatically";
        return Err(Error::argument(why).into());
    }
    let most = count(&given, "cacheMarks")?;
    if most > MAX_MARKS {
        return Err(
            Error::argument(format!("`cacheMarks`: the API allows at most {MAX_MARKS}, got {most}")).into()
        );
    }
    Ok(Some(most))
}

/// Sets up to `most` marks in a body whose lists belong to the caller, in copies of the entries; fewer if the body has marks already. No
/// mark is set after the first `until` messages.
pub fn mark(
    body: &JsValue,
    list: &List,
    core: &Session,
    format: Format,
    (most, until): (usize, Option<usize>),
) -> Result<Vec<CacheMark>, JsValue> {
    let kind = mark_key(format);
    let Some(messages) = get(body, "messages")? else { return Ok(Vec::new()) };
    let messages: Array = messages.unchecked_into();
    let system = get(body, "system")?;
    let own = own_marks(&messages, system.as_ref(), &core.tools(), kind)?;
    let mut room = MAX_MARKS.saturating_sub(own).min(most);
    let mut marks = Vec::new();
    for End { part, entry, tokens } in stable_ends(list, core, until.unwrap_or(usize::MAX)) {
        if room == 0 {
            break;
        }
        let (holder, key) = match entry {
            Some(at) => (copy(&messages.get(at)), "content"),
            None => (body.clone(), "system"),
        };
        let Some(content) = get(&holder, key)? else { continue };
        let marked = if format == Format::Anthropic { marked(&content)? } else { with_point(&content)? };
        let Some(marked) = marked else { continue };
        set(&holder, key, &marked)?;
        if let Some(at) = entry {
            messages.set(at, holder);
        }
        marks.push(CacheMark { part, tokens });
        room -= 1;
    }
    sort_by_key(&mut marks, |mark: &CacheMark| mark.tokens);
    Ok(marks)
}

/// The ends, longest part first. The whole view is the beginning of the next one. The API compares at most 20 blocks before a mark, and
/// the newest step may have more, so the step before it gets a mark, too.
fn stable_ends(list: &List, core: &Session, messages: usize) -> Vec<End> {
    let (view, history) = (&core.context().view, &core.context().history);
    let slot = |at: usize| view.slot(at);
    let is_answer = |at: usize| slot(at).is_some_and(|slot| slot.role() == Role::Assistant);
    let before_newest = list.end_before_last(is_answer).filter(|(_, slots)| *slots <= messages);
    let until = before_newest.map_or(0, |(_, slots)| slots);
    let is_summary = |slot: &Slot| history.node(slot.node).kind == NodeKind::Summary;
    let summary = (0..until).rev().find(|at| slot(*at).is_some_and(is_summary));
    let summary = summary.and_then(|at| list.end_of(at)).filter(|(_, slots)| *slots <= until);
    let tokens = |slots: usize| view.tools_tokens() + view.slots().take(slots).map(Slot::tokens).sum::<u64>();
    let head = list.head.iter().filter_map(|at| slot(*at)).map(Slot::tokens).sum::<u64>();
    let of_entry = |part, end: Option<(u32, usize)>| {
        end.map(|(entry, slots)| End { part, entry: Some(entry), tokens: tokens(slots) })
    };
    let whole = messages.min(view.len()).checked_sub(1).and_then(|last| list.end_of(last));
    let system = End { part: "system", entry: None, tokens: view.tools_tokens() + head };
    let ends =
        [of_entry("end", whole), of_entry("step", before_newest), of_entry("summary", summary), Some(system)];
    ends.into_iter().flatten().filter(|end| end.tokens >= MIN_CACHED_PREFIX_TOKENS).collect()
}

/// The number of marks in the caller's own entries, system prompt and tools.
fn own_marks(
    messages: &Array,
    system: Option<&JsValue>,
    tools: &[Value],
    kind: &str,
) -> Result<usize, JsValue> {
    let mut marks = tools.iter().filter(|tool| tool.get(kind).is_some()).count();
    for entry in messages.iter() {
        marks += get(&entry, "content")?.map_or(Ok(0), |content| marks_in(&content, kind))?;
    }
    Ok(marks + system.map_or(Ok(0), |system| marks_in(system, kind))?)
}

/// The number of marks in blocks, including those inside tool results.
fn marks_in(content: &JsValue, kind: &str) -> Result<usize, JsValue> {
    let mut marks = 0;
    if is_list(content) {
        for block in elements(content)?.iter().filter(|block| block.is_object()) {
            marks += usize::from(get(block, kind)?.is_some());
            marks += get(block, "content")?.map_or(Ok(0), |inner| marks_in(&inner, kind))?;
        }
    }
    Ok(marks)
}

/// The content with a mark on the last block that can have one; `None` if that block has one already, or no block can have one.
fn marked(content: &JsValue) -> Result<Option<JsValue>, JsValue> {
    const KEY: &str = mark_key(Format::Anthropic);
    let key = JsValue::from_str(KEY);
    let mark = to_js(&json!({ "type": "ephemeral" }))?;
    if let Some(text) = content.as_string() {
        let block = json!({ "type": "text", "text": text, KEY: { "type": "ephemeral" } });
        return if text.is_empty() { Ok(None) } else { to_js(&json!([block])).map(Some) };
    }
    if !is_list(content) {
        return Ok(None);
    }
    let blocks: Array = elements(content)?.into_iter().collect();
    for at in (0..blocks.length()).rev() {
        let block = blocks.get(at);
        let kind = get(&block, "type")?.and_then(|kind| kind.as_string()).unwrap_or_default();
        if matches!(&*kind, "thinking" | "redacted_thinking") {
            continue;
        }
        if get(&block, KEY)?.is_some() {
            return Ok(None);
        }
        let copied = copy(&block);
        Reflect::set(&copied, &key, &mark)?;
        blocks.set(at, copied);
        return Ok(Some(blocks.into()));
    }
    Ok(None)
}

/// The content with a cache point after the last block that can have one; `None` if there is one already, or no block can have one. Models
/// refuse a cache point after reasoning, and some after a document.
fn with_point(content: &JsValue) -> Result<Option<JsValue>, JsValue> {
    let blocks = if is_list(content) { elements(content)? } else { Vec::new() };
    for (at, block) in blocks.iter().enumerate().rev() {
        let is = |key: &str| get(block, key).map(|body| body.is_some());
        if is(CACHE_POINT)? {
            return Ok(None);
        }
        if !is("reasoningContent")? && !is("document")? {
            let point = to_js(&json!({ CACHE_POINT: { "type": "default" } }))?;
            let marked: Array = blocks.iter().take(at + 1).cloned().collect();
            marked.push(&point);
            for rest in &blocks[at + 1..] {
                marked.push(rest);
            }
            return Ok(Some(marked.into()));
        }
    }
    Ok(None)
}

fn copy(object: &JsValue) -> JsValue {
    Object::assign(&Object::new(), object.unchecked_ref::<Object>()).into()
}
