//! Reports the cost of a call to `onCost`.

use js_sys::{Function, Object};
use wasm_bindgen::prelude::*;

use super::events::report_thrown;
use super::inner::Inner;
use super::value::{flat_to_js, set};
use crate::tokens::{ReportedUsage, TokenUsage};

/// Reports the cost of a call by the agent.
pub fn report_call(inner: &Inner, reported: &ReportedUsage) {
    let prompt = reported.last_call.map_or(0, |call| call.all_input());
    report(inner, &reported.usage, prompt, false);
}

/// Reports the cost of a call for a summary, even a failed one, since it has to be paid for.
pub fn report_summary_call(inner: &Inner, usage: &TokenUsage) {
    report(inner, usage, usage.all_input(), true);
}

fn report(inner: &Inner, usage: &TokenUsage, prompt: u64, is_summary: bool) {
    let Some(listener) = inner.on_cost.borrow().clone() else { return };
    let priced = inner.read(|core| {
        let config = core.config();
        let (model, price) = match &config.compaction.model {
            Some(name) if is_summary => (Some(name), &config.summarizer_price),
            _ => (config.model.as_ref(), &config.price),
        };
        Some((model.cloned(), price.as_ref()?.reported(usage, prompt)))
    });
    if let Ok(Some((model, dollars))) = priced
        && let Err(thrown) = call(&listener, usage, model.as_deref(), dollars, is_summary)
    {
        report_thrown("contextfold: `onCost` threw", &thrown);
    }
}

fn call(
    listener: &Function,
    usage: &TokenUsage,
    model: Option<&str>,
    dollars: f64,
    is_summary: bool,
) -> Result<JsValue, JsValue> {
    let cost = Object::new();
    let input = usage.all_input();
    let cached = if input == 0 { 0.0 } else { usage.cache_read_tokens as f64 / input as f64 };
    set(&cost, "dollars", &dollars.into())?;
    set(&cost, "cached", &cached.into())?;
    set(&cost, "summary", &is_summary.into())?;
    set(&cost, "model", &model.map_or(JsValue::NULL, JsValue::from_str))?;
    set(&cost, "usage", &flat_to_js(usage)?)?;
    listener.call1(&JsValue::UNDEFINED, &cost)
}
