//! `ToolOutputCache`: the JavaScript class over [`crate::tool_output`].

use std::rc::Rc;

use js_sys::Promise;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::arguments::{get_flag, get_string, known_keys, text};
use super::away::{move_due_outputs, read_output, store_key};
use super::engine::Engine;
use super::host::{Host, host};
use super::inner::Inner;
use super::sliced::SlicedSearch;
use super::text_pieces::TextPieces;
use super::value::{flat_to_js, json, to_js};
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message, Part, Role};
use crate::provider::provider;
use crate::tool_output::{self, GrepArgs, LongText, ReadArgs};

#[wasm_bindgen]
extern "C" {
    /// Reads lines of an output that is in the store.
    #[wasm_bindgen(method, js_name = readOutput)]
    fn read_output(this: &Host, read: OutputRead) -> Promise;
    /// The whole output, brought back into memory.
    #[wasm_bindgen(method, js_name = bringBack)]
    fn bring_back(this: &Host, engine: Engine, id: &str, cache: ToolOutputCache) -> Promise;
}

/// The full tool outputs of a session, by ref.
///
/// The view holds only what fits. A model, or you, can read the rest from here by line, or search it.
/// `toolDefinitions(format)` returns the tools for the model.
#[wasm_bindgen]
pub struct ToolOutputCache {
    inner: Rc<Inner>,
}

impl ToolOutputCache {
    pub(super) fn new(inner: Rc<Inner>) -> Self {
        Self { inner }
    }

    /// Keeps the first bytes of a character that is cut off at the end of an output's text, for the next chunk.
    fn keep_split_character(&self, ref_id: String, bytes: Vec<u8>) {
        let mut split = self.inner.split_characters.borrow_mut();
        if bytes.is_empty() {
            split.remove(&ref_id);
        } else {
            split.insert(ref_id, bytes);
        }
    }
}

#[wasm_bindgen]
impl ToolOutputCache {
    /// Stores an output and returns its ref. Bytes are decoded as UTF-8; invalid ones become U+FFFD, and a character that is cut off at the
    /// end waits for `append` to complete it.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` if `options.id` already names another content.
    #[wasm_bindgen(unchecked_return_type = "ToolOutputRef")]
    pub fn put(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | Uint8Array | Part[]")] content: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ id?: string | undefined }")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        known_keys(&options, &["id"])?;
        let id = get_string(&options, "id")?;
        let Some(mut pieces) = TextPieces::of(&content, Vec::new()) else {
            let parts = read_parts(&content)?;
            let put = self.inner.write(|core| core.context_mut().outputs.put(parts, id))?;
            move_due_outputs(&self.inner);
            return flat_to_js(&put);
        };
        let mut text = LongText::default();
        pieces.by_ref().for_each(|piece| text.push_str(&piece));
        let known =
            id.as_deref().map(|id| self.inner.read(|core| core.context().outputs.loaded(id).is_some()));
        let put = self.inner.write(|core| core.context_mut().outputs.put_long(text, id))?;
        if !known.transpose()?.unwrap_or(false) {
            self.keep_split_character(put.id.clone(), pieces.into_cut_off());
        }
        move_due_outputs(&self.inner);
        flat_to_js(&put)
    }

    /// Appends a chunk to the text of a stored output. Bytes are decoded as UTF-8; a character that is cut off at the end of a chunk is
    /// completed by the next chunk.
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
        let Some(mut pieces) = TextPieces::of(&chunk, waiting) else {
            return Err(Error::argument("`chunk`: expected a string or a Uint8Array").into());
        };
        let output_ref = self.inner.write(|core| {
            let outputs = &mut core.context_mut().outputs;
            let mut output_ref = outputs.get(&ref_id)?.reference();
            for piece in pieces.by_ref() {
                output_ref = outputs.append(&ref_id, &piece)?;
            }
            Ok(output_ref)
        })?;
        self.keep_split_character(ref_id, pieces.into_cut_off());
        move_due_outputs(&self.inner);
        to_js(&output_ref)
    }

    /// Lines of a stored output, numbered from 1. Skips `offset` (0) lines and returns at most `limit` (2000) lines, and never more than
    /// `maxMessageBytes`. This is what the tool `tool_output_cache` answers a model.
    ///
    /// @throws {ContextError} `UNKNOWN_REF`, `INVALID_ARGUMENT`.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn read(
        &self,
        #[wasm_bindgen(
            unchecked_param_type = "{ ref_id: string; offset?: number | undefined; limit?: number | undefined }"
        )]
        args: JsValue,
    ) -> Result<Promise, JsValue> {
        let args = json(&args, ErrorCode::InvalidArgument)?;
        if let Some(id) = args.get("ref_id").and_then(Value::as_str).filter(|id| self.is_in_store(id)) {
            let read = OutputRead { inner: self.inner.clone(), id: id.to_owned(), args };
            return host(|host| host.read_output(read));
        }
        let lines = self.inner.read(|core| {
            let context = core.context();
            tool_output::read(&context.outputs, &ReadArgs::from_value(&args)?, &context.output_config)
        });
        Ok(Promise::resolve(&JsValue::from_str(&lines??)))
    }

    /// Lines of a stored output that match a regular expression (Rust's `regex` syntax without `\p{…}`; linear time), with line numbers,
    /// `context` lines around each, at most `max_matches` (100). This is what the tool `tool_output_cache_grep` answers a model.
    ///
    /// It runs in slices of some 10 ms, with the event loop free in between. After `toolOutputCache.searchMs` (2000) of work it returns
    /// what it has found, and says at which line it stopped.
    ///
    /// @throws {ContextError} `UNKNOWN_REF`; `INVALID_ARGUMENT` for a pattern that does not parse, or has more than 2000 bytes.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn grep(
        &self,
        #[wasm_bindgen(
            unchecked_param_type = "{ ref_id: string; pattern: string; context?: number | undefined; max_matches?: number | undefined; ignore_case?: boolean | undefined }"
        )]
        args: JsValue,
    ) -> Result<Promise, JsValue> {
        let args = GrepArgs::from_value(&json(&args, ErrorCode::InvalidArgument)?)?;
        let search = SlicedSearch::grep(&self.inner, args);
        host(|host| host.in_slices(search))
    }

    /// A whole stored output: its text, or its parts if it has others than text.
    ///
    /// @throws {ContextError} `UNKNOWN_REF`.
    #[wasm_bindgen(unchecked_return_type = "Promise<string | Part[]>")]
    pub fn get(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] ref_id: JsValue,
    ) -> Result<Promise, JsValue> {
        let Some(id) = ref_id.as_string().filter(|id| self.is_in_store(id)) else {
            return Ok(Promise::resolve(&self.whole(ref_id)?));
        };
        let cache = Self::new(self.inner.clone());
        host(|host| host.bring_back(Engine::new(&self.inner), &id, cache))
    }

    /// Like `get`, for an output in memory.
    #[wasm_bindgen(js_name = __whole, skip_typescript)]
    pub fn whole(&self, ref_id: JsValue) -> Result<JsValue, JsValue> {
        let ref_id = text(&ref_id, "ref_id")?;
        let parts = self.inner.read(|core| {
            let output = core.context().outputs.get(&ref_id)?;
            Ok::<_, Error>(match output.as_text() {
                // Joined in JavaScript: joined here, the text would be in WebAssembly memory twice.
                Some(text) => Err(text.chunks().map(JsValue::from_str).collect::<js_sys::Array>()),
                None => Ok(output.parts()),
            })
        })??;
        let parts = match parts {
            Ok(parts) => parts,
            Err(chunks) => return Ok(chunks.join("").into()),
        };
        let message = Message::new(Role::User, parts);
        let written = provider(Format::Messages).write(&[&message]);
        to_js(&written.items.first().and_then(|m| m.get("content")))
    }

    /// The refs of all stored outputs, oldest first.
    #[wasm_bindgen(unchecked_return_type = "ToolOutputRef[]")]
    pub fn refs(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(|core| core.context().outputs.refs())?)
    }

    /// Removes outputs that neither the history nor a fold mentions, and returns their refs. With `dryRun`, it only lists them.
    #[wasm_bindgen(js_name = collectGarbage, unchecked_return_type = "ToolOutputRef[]")]
    pub fn collect_garbage(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ dryRun?: boolean | undefined }")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        known_keys(&options, &["dryRun"])?;
        let dry_run = get_flag(&options, "dryRun")?;
        let collected = self.inner.write(|core| Ok(core.context_mut().collect_garbage(dry_run)))?;
        if !dry_run {
            let mut split = self.inner.split_characters.borrow_mut();
            split.retain(|id, _| collected.iter().all(|gone| gone.id != *id));
        }
        to_js(&collected)
    }
}

impl ToolOutputCache {
    fn is_in_store(&self, id: &str) -> bool {
        store_key(&self.inner, id).is_some()
    }
}

/// A read of an output that is in the store.
#[wasm_bindgen(skip_typescript)]
pub struct OutputRead {
    inner: Rc<Inner>,
    id: String,
    args: Value,
}

#[wasm_bindgen]
impl OutputRead {
    /// The session.
    #[wasm_bindgen(getter)]
    pub fn engine(&self) -> Engine {
        Engine::new(&self.inner)
    }

    /// The output's ref.
    #[wasm_bindgen(getter)]
    pub fn id(&self) -> JsValue {
        JsValue::from_str(&self.id)
    }

    /// The lines, once the output was fetched.
    pub fn answer(&self) -> Result<JsValue, JsValue> {
        let config = self.inner.read(|core| core.context().output_config.clone())?;
        let lines = read_output(&self.inner, &self.id, |outputs| {
            tool_output::read(outputs, &ReadArgs::from_value(&self.args)?, &config)
        })?;
        Ok(JsValue::from_str(&lines))
    }
}

/// Reads parts, given as the content of a message.
fn read_parts(content: &JsValue) -> Result<Vec<Part>, JsValue> {
    let message =
        serde_json::json!([{ "role": "user", "content": json(content, ErrorCode::InvalidArgument)? }]);
    let read = provider(Format::Messages).read(&message).map_err(|e| Error::argument(e.message()))?;
    Ok(read.into_iter().flat_map(|m| m.parts).collect())
}
