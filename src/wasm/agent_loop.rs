//! `session.loop()`: the three hooks as one wrapper.

use std::rc::Rc;

use js_sys::{Function, Object, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::call_cost;
use super::drive::{self, Goal};
use super::inner::Inner;
use super::value::{get, json, set};
use crate::error::{Error, ErrorCode};
use crate::tokens::ReportedUsage;

/// `{ modelCall, toolExecution, finalAnswer }`.
pub fn hooks(inner: &Rc<Inner>) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (name, records_usage) in [("modelCall", true), ("toolExecution", false), ("finalAnswer", false)] {
        let inner = inner.clone();
        let hook: Closure<dyn Fn(JsValue) -> Promise> = Closure::new(move |run: JsValue| {
            let inner = inner.clone();
            future_to_promise(async move {
                let run: Function =
                    run.dyn_into().map_err(|_| Error::argument("expected a function to run"))?;
                let result = JsFuture::from(Promise::resolve(&run.call0(&JsValue::UNDEFINED)?)).await?;
                if records_usage {
                    record(&inner, &result);
                }
                // The function's result is returned even if the compaction fails: it is paid for. `session.report` and the event
                // `compaction_failed` report the failure, and the history is unchanged.
                let _ = JsFuture::from(drive::start(inner, Goal::KeepUp, None)).await;
                Ok(result)
            })
        });
        set(&object, name, &hook.into_js_value())?;
    }
    Ok(object.into())
}

/// Records the usage in a model's answer, if there is one that can be read.
fn record(inner: &Inner, answer: &JsValue) {
    let usage = get(answer, "usage").ok().flatten().and_then(|u| json(&u, ErrorCode::InvalidArgument).ok());
    if let Some(reported) = usage.and_then(|u| ReportedUsage::from_value(&u).ok()) {
        let _ = inner.write(|core| {
            core.record_usage(&reported);
            Ok(())
        });
        call_cost::report_call(inner, &reported);
    }
}
