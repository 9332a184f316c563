//! `sync`: for SDKs that hand over the whole list each time.

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

use super::entries::{Incoming, entries, read};
use super::inner::Inner;
use super::line::{Line, says_same};
use super::value::{copy_of, get, is_list, json, set};
use super::view::brought_up;
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message};
use crate::provider::{list_keys, provider};

/// Takes in what is new in a list. `{ added, diverged_at }`.
pub fn sync(inner: &Inner, format: Format, input: &JsValue) -> Result<JsValue, JsValue> {
    let list = whole_list(format, input)?.ok_or_else(|| {
        Error::argument("sync takes the whole list: an array, or a body whose `input` or `messages` is one; what is new alone goes to `pushFrom`")
    })?;
    let writes = inner.writes();
    let line = inner.line.borrow();
    let mut common = inner.read(|core| line.common(format, &list, core))??;
    let mut view = None;
    if common.diverged_at.is_some() {
        view = handed_back(inner, format, &list)?;
        if let Some(view) = &view {
            common = inner.read(|core| view.common(format, &list, core))??;
        }
    }
    let known = view.as_ref().unwrap_or(&line);
    let mut gone = known.said_from(common.stretches);
    if !gone.is_empty() {
        gone.extend(inner.read(|core| known.unsaid_behind(common.stretches, core.context()))?);
    }
    let before = known.before(common.stretches).cloned();
    drop(line);
    let new: Array = list[common.entries..].iter().collect();
    let before = before.map(|b| json(&b, ErrorCode::InvalidMessage)).transpose()?;
    let Incoming { messages, groups } = read(format, &new, before.as_ref())?;
    let header = header_of(format, input)?;
    inner.rehearse(&[messages.as_slice(), header.as_slice()].concat())?;
    if inner.writes() != writes {
        return Err(Error::argument(
            "the session was used while `sync` read its list: by a getter, `toJSON` or the tokenizer",
        )
        .into());
    }
    let nodes = inner.write_quietly(|core| {
        let nodes = core.rewrite(&gone, messages)?;
        if !header.is_empty() {
            core.set_header(header)?;
        }
        Ok(nodes)
    })?;
    if let Some(view) = view {
        *inner.line.borrow_mut() = view;
    }
    inner.line.borrow_mut().cut(common.stretches);
    let adopted = inner.line.borrow_mut().adopt(common.stretches, &list);
    if let Ok(mut handles) = inner.handles.try_borrow_mut() {
        for (nodes, objects) in adopted {
            handles.adopt(format, &nodes, objects);
        }
    }
    inner.keep(format, &nodes, groups);
    inner.deliver_events();
    let result = Object::new();
    set(&result, "added", &JsValue::from(new.length()))?;
    set(&result, "diverged_at", &common.diverged_at.map_or(JsValue::NULL, |at| JsValue::from(at as u32)))?;
    Ok(result.into())
}

/// The entries of a list or a body. One entry, or a response, is not the whole list: taken for it, it would put an end to all
/// that was said before.
fn whole_list(format: Format, input: &JsValue) -> Result<Option<Vec<JsValue>>, JsValue> {
    let has = |key: &str| get(input, key).ok().flatten().is_some_and(|list| is_list(&list));
    let is_body = || list_keys(format).iter().any(|key| *key != "output" && has(key));
    let is_entry = || get(input, "type").ok().flatten().is_some_and(|kind| kind.is_string());
    if is_list(input) || (is_body() && !is_entry()) { entries(format, input) } else { Ok(None) }
}

/// The view as it is now, as the caller's list, where what he hands over begins with it: he goes on from what he was given.
fn handed_back(inner: &Inner, format: Format, list: &[JsValue]) -> Result<Option<Line>, JsValue> {
    let mut handles = inner.handles()?;
    inner.read(|core| -> Result<Option<Line>, JsValue> {
        let context = core.context();
        let shown = brought_up(&mut handles, context, format)?;
        let entries = shown.entries.to_vec();
        let begins = !entries.is_empty()
            && entries.len() <= list.len()
            && entries.iter().zip(list).all(|(shown, given)| says_same(shown, given));
        let line = begins.then(|| shown.line(context));
        handles.lists.insert(format, shown);
        Ok(line)
    })?
}

/// The header that a body keeps apart from its list.
fn header_of(format: Format, input: &JsValue) -> Result<Vec<Message>, JsValue> {
    if is_list(input) {
        return Ok(Vec::new());
    }
    let beside = copy_of(input)?;
    for key in list_keys(format) {
        if get(&beside, key)?.is_some_and(|list| is_list(&list)) {
            set(&beside, key, &Array::new())?;
        }
    }
    Ok(provider(format).read_head(&json(&beside, ErrorCode::InvalidMessage)?).into_iter().collect())
}
