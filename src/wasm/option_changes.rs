//! `setOptions`: changes the options of a session, and counts anew what has to be.

use std::sync::Arc;

use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::arguments::{plain_object, take};
use super::context_parts::refuse_if_used;
use super::counter::CallbackCounter;
use super::inner::Inner;
use super::options::{Options, read_options, require_price};
use crate::error::Error;
use crate::message::Message;
use crate::session::Session;
use crate::tokens::{Rules, TokenCounter, count_tools_by};

/// Changes the options of a session: all that are given, or none.
pub fn set_options(inner: &Inner, options: &JsValue) -> Result<(), JsValue> {
    let writes = inner.writes();
    let given = plain_object(options)?;
    if take(&given, "store")?.is_some() {
        let why = "cannot be changed, because tool outputs may already be in it; pass it to `new Session` or `Session.load`";
        return Err(Error::config("store", why).into());
    }
    let Options { plain, tokenizer, summarize, now, on_cost, redact, describe, customs, store: _ } =
        read_options(&given)?;
    let config = inner.read(|core| core.config().with(&plain))??;
    let callback = match &tokenizer {
        Some(tokenizer) => tokenizer.callback.clone(),
        None => inner.callback_counter.borrow().clone(),
    };
    if let Some(callback) = &callback {
        let (messages, tools) = inner.read(counted)?;
        precount_all(callback, &messages, &tools, config.model.as_deref())?;
    }
    refuse_if_used(inner, writes, "setOptions")?;
    if on_cost.is_function() || (!on_cost.is_set() && inner.on_cost.borrow().is_some()) {
        require_price(&config)?;
    }
    inner.write_quietly(|core| {
        if describe.is_set() {
            core.context_mut().placeholder_writer = describe.into_function();
        }
        if let Some(customs) = customs {
            core.context_mut().customs = customs;
        }
        core.set_options(config, tokenizer.as_ref().map(|tokenizer| tokenizer.counter.clone()));
        if redact.is_set() {
            core.set_redact(redact.into_function());
        }
        if summarize.is_some() {
            core.set_summarizer(true);
        }
        Ok(())
    })?;
    if tokenizer.is_some() {
        *inner.callback_counter.borrow_mut() = callback;
    }
    if summarize.is_some() {
        *inner.summarize.borrow_mut() = summarize;
    }
    if on_cost.is_set() {
        *inner.on_cost.borrow_mut() = on_cost.into_function();
    }
    if now.is_some() {
        *inner.now.borrow_mut() = now;
    }
    inner.deliver_events();
    Ok(())
}

/// The messages and tools that are counted again if options change.
fn counted(core: &Session) -> (Vec<Arc<Message>>, Vec<Value>) {
    (core.context().counted_messages(), core.tools())
}

/// Lets a callback count everything in a session, by a model's rules.
pub fn precount_session(
    callback: &CallbackCounter,
    core: &Session,
    model: Option<&str>,
) -> Result<(), JsValue> {
    let (messages, tools) = counted(core);
    precount_all(callback, &messages, &tools, model)
}

fn precount_all(
    callback: &CallbackCounter,
    messages: &[Arc<Message>],
    tools: &[Value],
    model: Option<&str>,
) -> Result<(), JsValue> {
    callback.precount(messages.iter().map(|message| &**message))?;
    let rules = model.map_or_else(|| callback.rules(), |model| Rules::of(model, callback));
    callback.count_all(|counter| count_tools_by(rules.tools, tools, counter)).map(|_| ())
}
