//! Custom passes: the caller's functions in the option `ladder`.

use std::rc::Rc;

use js_sys::{Array, Function, Object, Reflect};
use serde_json::json;
use wasm_bindgen::prelude::*;

use super::arguments::{plain_object, take};
use super::thrown::message_in_parentheses;
use super::value::{get, is_list, keys_of, list_in, to_js};
use crate::context::{CustomItem, CustomRuns, Verdict};
use crate::error::{Error, ErrorCode, Result};

/// Takes the functions out of `ladder`, which is replaced by a list without them; `None` if no ladder is given.
pub fn read_customs(plain: &Object) -> std::result::Result<Option<CustomRuns>, JsValue> {
    let ladder = Reflect::get(plain, &"ladder".into())?;
    if ladder.is_undefined() {
        return Ok(None);
    }
    let mut customs = CustomRuns::new();
    if !is_list(&ladder) {
        return Ok(Some(customs));
    }
    let list = Array::new();
    for (at, entry) in list_in(&ladder)?.unwrap_or_default().into_iter().enumerate() {
        let place = format!("ladder[{at}].run");
        let no_function = || Error::config(&place, "expected a function of `{ items, overBy }`");
        if entry == JsValue::from_str("custom") {
            return Err(no_function().into());
        }
        let is_custom =
            entry.is_object() && get(&entry, "pass")?.is_some_and(|pass| pass == JsValue::from_str("custom"));
        if !is_custom {
            list.push(&entry);
            continue;
        }
        let own = plain_object(&entry)?;
        let run = take(&own, "run")?.and_then(|run| run.dyn_into::<Function>().ok());
        let run = run.ok_or_else(no_function)?;
        customs
            .insert(at, Rc::new(move |items: &[CustomItem], over_by| call_custom_pass(&run, items, over_by)));
        list.push(&own);
    }
    Reflect::set(plain, &"ladder".into(), &list)?;
    Ok(Some(customs))
}

/// Calls a custom pass's function. Fails if it throws or returns something else than a decision.
fn call_custom_pass(run: &Function, items: &[CustomItem], over_by: u64) -> Result<Verdict> {
    let failed = |why: String| Error::new(ErrorCode::InvalidArgument, why);
    let given = to_js(&json!({ "items": items, "overBy": over_by }))
        .map_err(|_| failed("it could not be called".to_owned()))?;
    let answer = run
        .call1(&JsValue::UNDEFINED, &given)
        .map_err(|thrown| failed(format!("it threw{}", message_in_parentheses(&thrown))))?;
    if answer.is_undefined() || answer.is_null() {
        return Ok(Verdict::default());
    }
    let expected = || failed("it must return { drop?: ids, trim?: ids } synchronously".to_owned());
    if !answer.is_object() || is_list(&answer) || answer.has_type::<js_sys::Promise>() {
        return Err(expected());
    }
    let keys = keys_of(&answer).map_err(|_| expected())?;
    for key in keys.iter().filter_map(|key| key.as_string()) {
        if !["drop", "trim"].contains(&key.as_str()) {
            return Err(failed(format!(
                "its result has the unknown key `{key}`; only `drop` and `trim`, lists of ids, are allowed"
            )));
        }
    }
    let ids = |key: &str| -> Result<Vec<String>> {
        let Some(list) = get(&answer, key).map_err(|_| expected())? else { return Ok(Vec::new()) };
        let list = list_in(&list).ok().flatten().ok_or_else(expected)?;
        list.iter().map(|id| id.as_string().ok_or_else(expected)).collect()
    };
    Ok(Verdict { drop: ids("drop")?, trim: ids("trim")? })
}
