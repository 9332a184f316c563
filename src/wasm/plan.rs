//! The object that `session.plan()` returns.

use std::rc::Rc;

use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::*;

use super::arguments::{get_flag, get_string, known_keys};
use super::inner::Inner;
use super::run::{self, Goal};
use super::session_handle::SessionHandle;
use super::signal::AbortSignal;
use super::summarize::request_object;
use super::value::{get, json, set, to_js};
use crate::error::{Error, ErrorCode};
use crate::session::PlanOptions;

/// `{ folded, kept, trimmed, request, tokens_before, tokens_after_estimate, apply }`.
pub fn plan(inner: &Rc<Inner>, options: &JsValue) -> Result<JsValue, JsValue> {
    known_keys(options, &["ifDue", "fill", "instructions"])?;
    let options = PlanOptions {
        if_due: get_flag(options, "ifDue")?,
        fill: get_flag(options, "fill")?,
        instructions: get_string(options, "instructions")?,
    };
    let plan = inner.read(|core| core.plan(options))??;
    let object = Object::new();
    for (key, ids) in [("folded", &plan.folded), ("kept", &plan.kept), ("trimmed", &plan.trimmed)] {
        set(&object, key, &to_js(ids)?)?;
    }
    // Without a callback, no request would be made.
    let request = plan.request.as_ref().filter(|_| inner.summarize.borrow().is_some());
    set(&object, "request", &request.map_or(Ok(JsValue::NULL), |request| request_object(inner, request))?)?;
    set(&object, "tokens_before", &(plan.tokens_before as f64).into())?;
    set(&object, "tokens_after_estimate", &(plan.tokens_after_estimate as f64).into())?;
    let plan = SessionHandle::of(&inner.lent_handles, Rc::new(plan));
    let inner = inner.clone();
    let apply: Closure<dyn Fn(JsValue) -> Promise> = Closure::new(move |options: JsValue| {
        let applied = known_keys(&options, &["signal", "keep", "fold"]).and_then(|()| {
            let signal = AbortSignal::of(&options)?;
            let goal =
                Goal::Apply { plan: plan.get()?, keep: ids(&options, "keep")?, fold: ids(&options, "fold")? };
            run::start(&inner, goal, signal)
        });
        applied.unwrap_or_else(|error| Promise::reject(&error))
    });
    // `apply` is not enumerable, so that two plans of the same session compare as equal.
    let property = Object::new();
    set(&property, "value", &apply.into_js_value())?;
    Reflect::define_property(&object, &"apply".into(), &property)?;
    Ok(object.into())
}

fn ids(options: &JsValue, key: &str) -> Result<Vec<String>, JsValue> {
    let Some(list) = get(options, key)? else { return Ok(Vec::new()) };
    let wrong = || JsValue::from(Error::argument(format!("`{key}`: expected a list of ids")));
    serde_json::from_value(json(&list, ErrorCode::InvalidArgument)?).map_err(|_| wrong())
}
