//! `OpenAIHistoryAdapter`: the mirror of [`crate::provider::OpenAiHistory`].

use std::cell::RefCell;

use js_sys::Array;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::arrays::{append, picked};
use super::value::{elements, entries_to_js, json};
use super::view::handed_out;
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message};
use crate::provider::{OpenAiHistory, Rebuilt, provider};

/// The `inputItems` of the Responses API for those who keep them by hand.
///
/// Between compactions the list only grows. After one, `rebuild` makes it anew from the compacted messages: items whose
/// messages are untouched stay the very objects they were, what the model put out and no longer fits is discarded.
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
    items: Array,
}

#[wasm_bindgen(js_class = OpenAIHistoryAdapter)]
impl OpenAIHistoryAdapter {
    /// A history of these items.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of the item.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "object[]")] input_items: JsValue,
    ) -> Result<OpenAIHistoryAdapter, JsValue> {
        let adapter = Self { core: RefCell::default(), items: Array::new() };
        if !input_items.is_undefined() && !input_items.is_null() {
            adapter.append(input_items)?;
        }
        Ok(adapter)
    }

    /// The items, as the Responses API takes them: one live array, changed in place.
    #[wasm_bindgen(getter, js_name = inputItems, unchecked_return_type = "EntryOf<\"openai-responses\">[]")]
    pub fn input_items(&self) -> Array {
        self.items.clone()
    }

    /// Appends items: what the caller adds, or what a response brought in its `output`.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of the item; nothing is appended then.
    pub fn append(
        &self,
        #[wasm_bindgen(unchecked_param_type = "object | object[]")] items: JsValue,
    ) -> Result<(), JsValue> {
        let objects = elements(&items)?;
        let values =
            objects.iter().map(|o| json(o, ErrorCode::InvalidMessage)).collect::<Result<Vec<_>, _>>()?;
        self.core.try_borrow_mut().map_err(|_| busy())?.append(&values)?;
        for object in &objects {
            self.items.push(object);
        }
        Ok(())
    }

    /// Makes the items anew from compacted messages, in place, and gives the list.
    ///
    /// An array that a session gave (`prepare`, `lower`, `view("messages")`) is known as long as it holds what it held and is that
    /// session's view: it does not cross again, and an object of it that was changed meanwhile counts as it was pushed. Any other
    /// list, a copy of the array too, is read as it stands.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of the message; nothing has changed then.
    #[wasm_bindgen(unchecked_return_type = "object[]")]
    pub fn rebuild(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Message[]")] compacted: JsValue,
    ) -> Result<Array, JsValue> {
        let rebuilt = if let Some(messages) = handed_out(&compacted) {
            self.rebuild_from(messages.iter().map(|message| &**message))?
        } else {
            let list = json(&compacted, ErrorCode::InvalidMessage)?;
            self.rebuild_from(&provider(Format::Messages).read(&list)?)?
        };
        self.put(&rebuilt)?;
        Ok(self.items.clone())
    }
}

impl OpenAIHistoryAdapter {
    fn rebuild_from<'a>(
        &self,
        messages: impl IntoIterator<Item = &'a Message>,
    ) -> Result<Vec<Rebuilt>, JsValue> {
        Ok(self.core.try_borrow_mut().map_err(|_| busy())?.rebuild(messages)?)
    }

    /// Puts what was rebuilt in the place of the items. What stays mostly stands at the end, in one piece.
    fn put<'r>(&self, rebuilt: &'r [Rebuilt]) -> Result<(), JsValue> {
        let is_next = |pair: &&[Rebuilt]| matches!(pair, [Rebuilt::Kept(a), Rebuilt::Kept(b)] if a + 1 == *b);
        let end = rebuilt.windows(2).rev().take_while(is_next).count();
        let (edited, end) = rebuilt.split_at(rebuilt.len() - end);
        let new = |item: &'r Rebuilt| if let Rebuilt::New(value) = item { Some(&**value) } else { None };
        let new: Vec<&Value> = edited.iter().filter_map(new).collect();
        let mut behind = self.items.length()..;
        let place = |item: &Rebuilt| match item {
            Rebuilt::Kept(at) => Some(*at as u32),
            Rebuilt::New(_) => behind.next(),
        };
        let places: Vec<u32> = edited.iter().filter_map(place).collect();
        let mut all = picked(&self.items.concat(&entries_to_js(&new)?), &places)?;
        if let [Rebuilt::Kept(first), ..] = end {
            let first = *first as u32;
            all = all.concat(&self.items.slice(first, first + end.len() as u32));
        }
        self.items.set_length(0);
        append(&self.items, &all)
    }
}

/// A getter of an item called back in here.
fn busy() -> JsValue {
    Error::argument("an item's own getter cannot use the adapter that reads it").into()
}
