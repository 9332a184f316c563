//! The last entry that a list had may come back with more behind it: an SDK adds a reminder, or the output of another call, to the user's
//! last message. It is compared as two entries, what is known and what is new. The line then has it as one.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::line::{CommonPart, Line};
use super::value::{get, is_list, json_of, set};
use crate::error::ErrorCode;
use crate::message::Format;
use crate::provider::parts_read;
use crate::session::Session;

/// A list in which such an entry is two.
pub struct Extended {
    pub list: Vec<JsValue>,
    /// The entry as it came.
    pub whole: JsValue,
}

/// How much of a list equals what was pushed, and the list as two entries say it if the last known one was extended.
pub fn common(
    line: &Line,
    format: Format,
    list: &[JsValue],
    core: &Session,
) -> Result<(CommonPart, Option<Extended>), JsValue> {
    let common = line.common(format, list, core)?;
    let at = common.entries;
    if common.diverged_at == Some(at)
        && common.stretches + 1 == line.0.len()
        && let Some(whole) = list.get(at)
        && let Some(halves) = halves(format, line.parts_of_last(format, &core.context().history)?, whole)?
    {
        let list = [&list[..at], &halves, &list[at + 1..]].concat();
        let common = line.common(format, &list, core)?;
        if common.diverged_at.is_none() {
            return Ok((common, Some(Extended { list, whole: whole.clone() })));
        }
    }
    Ok((common, None))
}

/// An entry of the user as two: its first `known` parts that a model reads, and the rest; `None` if there is no rest.
pub fn halves(format: Format, known: usize, entry: &JsValue) -> Result<Option<[JsValue; 2]>, JsValue> {
    let role = get(entry, "role")?.and_then(|role| role.as_string());
    // One output may not be two; several in an entry may.
    if !matches!(role.as_deref(), Some("user" | "tool" | "function")) || get(entry, "tool_call_id")?.is_some()
    {
        return Ok(None);
    }
    let key = if format == Format::Gemini { "parts" } else { "content" };
    let Some(content) = get(entry, key)?.filter(is_list) else { return Ok(None) };
    let content: Array = content.unchecked_into();
    let read = parts_read(&json_of(format, entry, ErrorCode::InvalidMessage)?);
    let Some(at) = read.get(known).filter(|_| known > 0) else { return Ok(None) };
    let at = *at as u32;
    let part = |from: u32, to: u32| -> Result<JsValue, JsValue> {
        let half: JsValue = Object::assign(&Object::new(), entry.unchecked_ref::<Object>()).into();
        set(&half, key, &content.slice(from, to))?;
        Ok(half)
    };
    let rest = part(at, content.length())?;
    Reflect::delete_property(rest.unchecked_ref::<Object>(), &"id".into())?; // it belongs to the message that is known
    Ok(Some([part(0, at)?, rest]))
}
