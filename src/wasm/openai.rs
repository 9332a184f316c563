//! `OpenAIHistoryAdapter`: the JavaScript class over [`crate::provider::OpenAiHistory`].

use std::cell::RefCell;

use js_sys::{Array, Object};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::arguments::known_keys;
use super::maker::{append, picked};
use super::providers::{on_note, tell};
use super::value::{elements, entries_to_js, json};
use super::view::handed_out;
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message};
use crate::provider::{Note, OpenAiHistory, Rebuilt, provider};

/// Manages the `inputItems` of the Responses API for callers who keep them by hand.
///
/// Between compactions the list only grows. After a compaction, `rebuild` makes it anew from the compacted messages: items whose
/// messages are unchanged stay the very same objects; output of the model that no longer fits is discarded.
///
/// ```js
/// const history = new OpenAIHistoryAdapter([{ role: "user", content: "Go" }]);
/// history.append(response.output);
/// history.rebuild((await session.prepare()).messages);
/// await client.responses.create({ model, input: history.inputItems });
/// ```
#[wasm_bindgen(js_name = OpenAIHistoryAdapter)]
pub struct OpenAIHistoryAdapter {
    core: RefCell<OpenAiHistory>,
    /// The objects of the items as they were passed in. `items` is the caller's list: changes of it do not affect this one.
    known: RefCell<Array>,
    items: Array,
}

#[wasm_bindgen(js_class = OpenAIHistoryAdapter)]
impl OpenAIHistoryAdapter {
    /// Creates a history of these items.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of the item.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "object[]")] input_items: JsValue,
    ) -> Result<OpenAIHistoryAdapter, JsValue> {
        let adapter = Self { core: RefCell::default(), known: RefCell::default(), items: Array::new() };
        if !input_items.is_undefined() && !input_items.is_null() {
            adapter.append(input_items)?;
        }
        Ok(adapter)
    }

    /// The items, as the Responses API takes them: one live array, changed in place. Use `append` to add to it; any other change of
    /// the array is lost at the next `rebuild`.
    #[wasm_bindgen(getter, js_name = inputItems, unchecked_return_type = "EntryOf<\"openai-responses\">[]")]
    pub fn input_items(&self) -> Array {
        self.items.clone()
    }

    /// Appends items: your own, or those in the `output` of a response.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of the item, `INVALID_ARGUMENT` if `inputItems` was frozen. Then nothing
    /// is appended.
    pub fn append(
        &self,
        #[wasm_bindgen(unchecked_param_type = "object | object[]")] items: JsValue,
    ) -> Result<(), JsValue> {
        let objects = elements(&items)?;
        let values =
            objects.iter().map(|o| json(o, ErrorCode::InvalidMessage)).collect::<Result<Vec<_>, _>>()?;
        self.can_change()?;
        self.core.try_borrow_mut().map_err(|_| busy())?.append(&values)?;
        let objects: Array = objects.iter().collect();
        append(&self.known.borrow(), &objects)?;
        append(&self.items, &objects)
    }

    /// Rebuilds the items from compacted messages, in place, and returns the list.
    ///
    /// An array from a session (`prepare`, `lower`, `view("messages")`) is not read again while it is that session's view:
    /// later changes to its objects are ignored. Any other list, even a copy, is read.
    ///
    /// A tool output without its call is left out, as is what an item cannot express: `onNote` is called for each, with the index of
    /// the message.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of the message, `INVALID_ARGUMENT` if `inputItems` was frozen.
    /// Then nothing has changed.
    #[wasm_bindgen(unchecked_return_type = "object[]")]
    pub fn rebuild(
        &self,
        #[wasm_bindgen(unchecked_param_type = "readonly Message[]")] compacted: JsValue,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ onNote?: ((note: ConversionNote) => void) | undefined }"
        )]
        options: JsValue,
    ) -> Result<Array, JsValue> {
        known_keys(&options, &["onNote"])?;
        let on_note = on_note(&options)?;
        let notes = if let Some(messages) = handed_out(&compacted) {
            self.rebuild_from(messages.iter().map(|message| &**message))?
        } else {
            let list = json(&compacted, ErrorCode::InvalidMessage)?;
            self.rebuild_from(&provider(Format::Messages).read(&list)?)?
        };
        tell(on_note, &notes)?;
        Ok(self.items.clone())
    }
}

impl OpenAIHistoryAdapter {
    /// Does what can fail first, so that a failure changes nothing.
    fn rebuild_from<'a>(
        &self,
        messages: impl IntoIterator<Item = &'a Message>,
    ) -> Result<Vec<Note>, JsValue> {
        self.can_change()?;
        let mut core = self.core.try_borrow_mut().map_err(|_| busy())?;
        let mut plan = core.plan(messages);
        let notes = std::mem::take(&mut plan.notes);
        let known = self.objects(&plan.items)?;
        self.items.set_length(0);
        append(&self.items, &known)?;
        self.known.replace(known);
        core.apply(plan);
        Ok(notes)
    }

    /// The objects of the rebuilt items. Kept items are mostly neighbours, so they are copied in a few runs.
    fn objects(&self, rebuilt: &[Rebuilt]) -> Result<Array, JsValue> {
        let known = self.known.borrow();
        let new: Vec<&Value> = rebuilt.iter().filter_map(Rebuilt::new_item).collect();
        let mut behind = known.length()..;
        let mut runs: Vec<u32> = Vec::new();
        let place = |item: &Rebuilt| match item {
            Rebuilt::Kept(at) => Some(*at as u32),
            Rebuilt::New(_) => behind.next(),
        };
        for at in rebuilt.iter().filter_map(place) {
            match runs.last_mut() {
                Some(end) if *end == at => *end += 1,
                _ => runs.extend([at, at + 1]),
            }
        }
        picked(&known, &entries_to_js(&new, Format::OpenaiResponses)?, &runs)
    }

    /// Refuses to change a list that the caller has frozen.
    fn can_change(&self) -> Result<(), JsValue> {
        let frozen = || {
            Error::argument("`inputItems` is a live list that cannot be frozen: freeze a copy of it").into()
        };
        Object::is_extensible(&self.items).then_some(()).ok_or_else(frozen)
    }
}

/// The error if a getter of an item uses the adapter while it reads that item.
fn busy() -> JsValue {
    Error::argument("a getter of an item cannot use the adapter that is reading it").into()
}
