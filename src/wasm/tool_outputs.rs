//! `ToolOutputCache`: the mirror of [`crate::tool_output`].

use std::rc::Rc;

use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

use super::inner::Inner;
use super::value::{flat_to_js, get, get_string, json, known_keys, settle, text, to_js};
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message, Part, Role};
use crate::provider::provider;
use crate::tool_output::{self, GrepArgs, ReadArgs};

/// The full tool outputs of a session, by ref.
///
/// The view holds what fits; a model, or you, read the rest from here by line, or search it. `toolDefinitions(format)`
/// gives the two tools to hand to the model.
#[wasm_bindgen]
pub struct ToolOutputCache {
    inner: Rc<Inner>,
}

impl ToolOutputCache {
    pub(super) fn new(inner: Rc<Inner>) -> Self {
        Self { inner }
    }
}

#[wasm_bindgen]
impl ToolOutputCache {
    /// Stores an output whole and gives its ref. Bytes are read as UTF-8; what is none of it becomes U+FFFD.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` where `options.id` names another content already.
    #[wasm_bindgen(unchecked_return_type = "ToolOutputRef")]
    pub fn put(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | Uint8Array | Part[]")] content: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ id?: string }")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        known_keys(&options, &["id"])?;
        let id = get_string(&options, "id")?;
        let parts = match text_of(&content) {
            Some(text) => vec![Part::text(text)],
            None => read_parts(&content)?,
        };
        flat_to_js(&self.inner.write(|core| core.context_mut().outputs.put(parts, id))?)
    }

    /// Appends a chunk to a stored output's text. Bytes are read as UTF-8; a character that a chunk cuts off waits for the
    /// next chunk.
    ///
    /// @throws {ContextError} `UNKNOWN_REF`.
    #[wasm_bindgen(unchecked_return_type = "ToolOutputRef")]
    pub fn append(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] ref_id: JsValue,
        #[wasm_bindgen(unchecked_param_type = "string | Uint8Array")] chunk: JsValue,
    ) -> Result<JsValue, JsValue> {
        let ref_id = text(&ref_id, "ref_id")?;
        let waiting = self.inner.split_characters.borrow().get(&ref_id).cloned().unwrap_or_default();
        let (text, cut_off) = match (chunk.as_string(), bytes_of(&chunk)) {
            (Some(text), _) => (String::from_utf8_lossy(&waiting).into_owned() + &text, Vec::new()),
            (None, Some(bytes)) => decode([waiting, bytes].concat()),
            (None, None) => return Err(Error::argument("`chunk`: expected a string or a Uint8Array").into()),
        };
        let output_ref = self.inner.write(|core| core.context_mut().outputs.append(&ref_id, &text))?;
        let mut split = self.inner.split_characters.borrow_mut();
        if cut_off.is_empty() {
            split.remove(&ref_id);
        } else {
            split.insert(ref_id, cut_off);
        }
        drop(split);
        to_js(&output_ref)
    }

    /// Lines of a stored output, numbered from 1. `offset` lines are skipped (0), at most `limit` (2000) are read, and never
    /// more than `maxMessageBytes`. What `tool_output_cache` answers a model.
    ///
    /// @throws {ContextError} `UNKNOWN_REF`, `INVALID_ARGUMENT`.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn read(
        &self,
        #[wasm_bindgen(unchecked_param_type = "{ ref_id: string; offset?: number; limit?: number }")]
        args: JsValue,
    ) -> Promise {
        settled(self.answer(&args, |core, args| {
            let context = core.context();
            tool_output::read(&context.outputs, &ReadArgs::from_value(args)?, &context.output_config)
        }))
    }

    /// Lines of a stored output that match a regular expression (Rust `regex` syntax; linear time), with line numbers,
    /// `context` lines around each, at most `max_matches` (100). What `tool_output_cache_grep` answers a model.
    ///
    /// @throws {ContextError} `UNKNOWN_REF`; `INVALID_ARGUMENT` for a pattern that does not parse.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn grep(
        &self,
        #[wasm_bindgen(
            unchecked_param_type = "{ ref_id: string; pattern: string; context?: number; max_matches?: number; ignore_case?: boolean }"
        )]
        args: JsValue,
    ) -> Promise {
        settled(self.answer(&args, |core, args| {
            let context = core.context();
            tool_output::grep(&context.outputs, &GrepArgs::from_value(args)?, &context.output_config)
        }))
    }

    /// A stored output, whole: its text, or its parts where it has others.
    ///
    /// @throws {ContextError} `UNKNOWN_REF`.
    #[wasm_bindgen(unchecked_return_type = "Promise<string | Part[]>")]
    pub fn get(&self, #[wasm_bindgen(unchecked_param_type = "string")] ref_id: JsValue) -> Promise {
        settled(self.whole(&ref_id))
    }

    /// The refs of all stored outputs, oldest first.
    #[wasm_bindgen(unchecked_return_type = "ToolOutputRef[]")]
    pub fn refs(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(|core| core.context().outputs.refs())?)
    }

    /// Removes outputs that neither the history nor a fold mentions, and gives their refs. `dryRun` only lists them.
    #[wasm_bindgen(js_name = collectGarbage, unchecked_return_type = "ToolOutputRef[]")]
    pub fn collect_garbage(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ dryRun?: boolean }")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        known_keys(&options, &["dryRun"])?;
        let wrong = || Error::argument("`dryRun`: expected true or false");
        let dry_run =
            get(&options, "dryRun")?.map(|d| d.as_bool().ok_or_else(wrong)).transpose()?.unwrap_or(false);
        let collected = self.inner.write(|core| Ok(core.context_mut().collect_garbage(dry_run)))?;
        if !dry_run {
            let mut split = self.inner.split_characters.borrow_mut();
            split.retain(|id, _| collected.iter().all(|gone| gone.id != *id));
        }
        to_js(&collected)
    }
}

impl ToolOutputCache {
    fn answer(
        &self,
        args: &JsValue,
        answer: impl FnOnce(&crate::session::Session, &serde_json::Value) -> crate::Result<String>,
    ) -> Result<JsValue, JsValue> {
        let args = json(args, ErrorCode::InvalidArgument)?;
        let text = self.inner.read(|core| answer(core, &args))??;
        Ok(JsValue::from_str(&text))
    }

    fn whole(&self, ref_id: &JsValue) -> Result<JsValue, JsValue> {
        let ref_id = text(ref_id, "ref_id")?;
        let parts =
            self.inner.read(|core| core.context().outputs.get(&ref_id).map(tool_output::Output::parts))??;
        if let [Part::Text { text, .. }] = parts.as_slice() {
            return Ok(JsValue::from_str(text));
        }
        let message = Message::new(Role::User, parts);
        let written = provider(Format::Messages).write(&[&message]);
        to_js(&written.items.first().and_then(|m| m.get("content")))
    }
}

/// The text of a string or of bytes.
fn text_of(value: &JsValue) -> Option<String> {
    value.as_string().or_else(|| bytes_of(value).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The bytes of a `Uint8Array`, also of one of another realm.
fn bytes_of(value: &JsValue) -> Option<Vec<u8>> {
    let tag = || Reflect::get(value, &js_sys::Symbol::to_string_tag()).ok()?.as_string();
    let is_bytes = value.is_object() && tag().as_deref() == Some("Uint8Array");
    is_bytes.then(|| Uint8Array::new(value).to_vec())
}

/// The text of bytes, and those of a last character that is not complete.
fn decode(mut bytes: Vec<u8>) -> (String, Vec<u8>) {
    let cut_off = match std::str::from_utf8(&bytes) {
        Ok(_) => 0,
        Err(_) => bytes.utf8_chunks().last().map_or(0, |chunk| match std::str::from_utf8(chunk.invalid()) {
            Err(error) if error.error_len().is_none() => chunk.invalid().len(),
            _ => 0,
        }),
    };
    let cut_off = bytes.split_off(bytes.len() - cut_off);
    (String::from_utf8_lossy(&bytes).into_owned(), cut_off)
}

/// Parts, as the content of a message.
fn read_parts(content: &JsValue) -> Result<Vec<Part>, JsValue> {
    let message =
        serde_json::json!([{ "role": "user", "content": json(content, ErrorCode::InvalidArgument)? }]);
    let read = provider(Format::Messages).read(&message).map_err(|e| Error::argument(e.message()))?;
    Ok(read.into_iter().flat_map(|m| m.parts).collect())
}

fn settled(result: Result<JsValue, JsValue>) -> Promise {
    settle(result.map(|value| Promise::resolve(&value)))
}
