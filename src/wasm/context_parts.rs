//! `setContext` and `setTools`: the parts of a prompt beside the conversation.

use js_sys::Function;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::arguments::known_keys;
use super::error::context_error;
use super::inner::Inner;
use super::value::json;
use crate::config::describe;
use crate::error::{Error, ErrorCode};
use crate::session::{ContextChange, tool_name};
use crate::tokens::count_tools_by;

const KEYS: [&str; 5] = ["memory", "memoryLimit", "injections", "skills", "toolFilter"];

/// Sets the parts that are given; `null` clears all of them.
pub fn set_context(inner: &Inner, parts: &JsValue) -> Result<(), JsValue> {
    let writes = inner.writes();
    let (change, filter) = if parts.is_null() {
        (ContextChange::clear(), FilterChange::Cleared)
    } else {
        if parts.is_undefined() {
            return Err(Error::argument("expected an object with parts of the context, or null").into());
        }
        known_keys(parts, &KEYS)?;
        let change = ContextChange::from_value(&json(parts, ErrorCode::InvalidArgument)?)?;
        (change, read_filter(parts)?)
    };
    inner.precount(&inner.read(|core| core.context_messages(&change))?)?;
    let filter = match filter {
        FilterChange::Unchanged => None,
        FilterChange::Cleared => Some((None, all_tools(inner, None)?)),
        FilterChange::Set(filter) => {
            let tools = all_tools(inner, Some(&filter))?;
            Some((Some(filter), tools))
        }
    };
    refuse_if_used(inner, writes, "setContext")?;
    inner.write_quietly(|core| {
        core.set_context(&change);
        if let Some((_, (tools, allowed))) = &filter {
            core.set_tools_where(tools, |at| allowed[at]);
        }
        Ok(())
    })?;
    if let Some((filter, _)) = filter {
        *inner.tool_filter.borrow_mut() = filter;
    }
    inner.deliver_events();
    Ok(())
}

/// Sets the tools' definitions, filtered if there is a filter.
pub fn set_tools(inner: &Inner, tools: &JsValue) -> Result<(), JsValue> {
    let writes = inner.writes();
    let tools = json(tools, ErrorCode::InvalidArgument)?;
    let Value::Array(tools) = tools else {
        return Err(Error::argument("tools: expected a list of tool definitions").into());
    };
    if let Some(at) = tools.iter().position(|tool| !tool.is_object()) {
        let why = format!("tools: expected a list of tool definitions, got {} at {at}", describe(&tools[at]));
        return Err(Error::argument(why).into());
    }
    let filter = inner.tool_filter.borrow().clone();
    let (tools, allowed) = filtered(inner, filter.as_ref(), tools)?;
    refuse_if_used(inner, writes, "setTools")?;
    inner.write(|core| {
        core.set_tools_where(&tools, |at| allowed[at]);
        Ok(())
    })
}

/// What `setContext` says about the tool filter.
enum FilterChange {
    /// Nothing: it stays.
    Unchanged,
    /// It is removed.
    Cleared,
    /// It is replaced.
    Set(Function),
}

fn read_filter(parts: &JsValue) -> Result<FilterChange, JsValue> {
    let filter = js_sys::Reflect::get(parts, &"toolFilter".into())?;
    match filter {
        filter if filter.is_undefined() => Ok(FilterChange::Unchanged),
        filter if filter.is_null() => Ok(FilterChange::Cleared),
        filter if filter.is_function() => Ok(FilterChange::Set(filter.unchecked_into())),
        _ => {
            Err(Error::argument("`toolFilter`: expected a function from a tool's name to true or false")
                .into())
        }
    }
}

/// All known tools, with the result of this filter for each.
fn all_tools(inner: &Inner, filter: Option<&Function>) -> Result<(Vec<Value>, Vec<bool>), JsValue> {
    filtered(inner, filter, inner.read(|core| core.all_tools().to_vec())?)
}

/// The tools, with whether the filter allows each. A callback tokenizer counts them beforehand. The session is not borrowed
/// while the callbacks run.
fn filtered(
    inner: &Inner,
    filter: Option<&Function>,
    tools: Vec<Value>,
) -> Result<(Vec<Value>, Vec<bool>), JsValue> {
    let allows = |tool: &Value| -> Result<bool, JsValue> {
        let Some(filter) = filter else { return Ok(true) };
        let name = tool_name(tool);
        let wrong = |why: &str, cause: Option<&JsValue>| {
            let why = format!("`toolFilter` {why} for the tool `{name}`; nothing was changed");
            context_error(&Error::argument(why), cause, None)
        };
        let answer = filter
            .call1(&JsValue::UNDEFINED, &JsValue::from_str(name))
            .map_err(|cause| wrong("threw", Some(&cause)))?;
        answer.as_bool().ok_or_else(|| wrong("must return true or false", Some(&answer)))
    };
    let allowed = tools.iter().map(allows).collect::<Result<Vec<bool>, JsValue>>()?;
    let callback = inner.callback_counter.borrow().clone();
    if let Some(callback) = callback {
        let rules = inner.read(|core| core.context().counter.rules())?;
        let given = tools.iter().zip(&allowed).filter(|(_, allowed)| **allowed).map(|(tool, _)| tool.clone());
        let given: Vec<Value> = given.collect();
        callback.count_all(|counter| count_tools_by(rules.tools, &given, counter))?;
    }
    Ok((tools, allowed))
}

/// Fails if the caller's own code has changed the session, since earlier results may no longer hold.
pub fn refuse_if_used(inner: &Inner, writes: u64, at: &str) -> Result<(), JsValue> {
    if inner.writes() == writes {
        return Ok(());
    }
    let why = format!(
        "the session was used while `{at}` was reading its arguments: a getter, a filter or the tokenizer must not use it"
    );
    Err(Error::argument(why).into())
}
