//! `OpenAIHistoryAdapter`: the mirror of [`crate::provider::OpenAiHistory`].

use std::cell::RefCell;

use js_sys::{Array, Object};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::maker::{append, picked};
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
    /// What the items came as. The caller has a list of his own: what he does to that moves nothing in here.
    known: RefCell<Array>,
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
        let adapter = Self { core: RefCell::default(), known: RefCell::default(), items: Array::new() };
        if !input_items.is_undefined() && !input_items.is_null() {
            adapter.append(input_items)?;
        }
        Ok(adapter)
    }

    /// The items, as the Responses API takes them: one live array, changed in place. Add to it by `append`: what else is done to
    /// the array lasts until the next `rebuild`.
    #[wasm_bindgen(getter, js_name = inputItems, unchecked_return_type = "EntryOf<\"openai-responses\">[]")]
    pub fn input_items(&self) -> Array {
        self.items.clone()
    }

    /// Appends items: what the caller adds, or what a response brought in its `output`.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of the item, `INVALID_ARGUMENT` where `inputItems` was frozen; nothing
    /// is appended then.
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

    /// Makes the items anew from compacted messages, in place, and gives the list.
    ///
    /// An array that a session gave (`prepare`, `lower`, `view("messages")`) is known as long as it holds what it held and is that
    /// session's view: it does not cross again, and an object of it that was changed meanwhile counts as it was pushed. Any other
    /// list, a copy of the array too, is read as it stands.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of the message, `INVALID_ARGUMENT` where `inputItems` was frozen;
    /// nothing has changed then.
    #[wasm_bindgen(unchecked_return_type = "object[]")]
    pub fn rebuild(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Message[]")] compacted: JsValue,
    ) -> Result<Array, JsValue> {
        if let Some(messages) = handed_out(&compacted) {
            self.rebuild_from(messages.iter().map(|message| &**message))?;
        } else {
            let list = json(&compacted, ErrorCode::InvalidMessage)?;
            self.rebuild_from(&provider(Format::Messages).read(&list)?)?;
        }
        Ok(self.items.clone())
    }
}

impl OpenAIHistoryAdapter {
    /// Nothing has changed where it fails: what can fail comes first.
    fn rebuild_from<'a>(&self, messages: impl IntoIterator<Item = &'a Message>) -> Result<(), JsValue> {
        self.can_change()?;
        let mut core = self.core.try_borrow_mut().map_err(|_| busy())?;
        let plan = core.plan(messages);
        let known = self.objects(&plan.items)?;
        self.items.set_length(0);
        append(&self.items, &known)?;
        self.known.replace(known);
        core.put_in(plan);
        Ok(())
    }

    /// The objects of what was rebuilt. What stays mostly stands in few runs of neighbours.
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

    /// Refuses a list that the caller has frozen.
    fn can_change(&self) -> Result<(), JsValue> {
        let frozen = || {
            Error::argument("`inputItems` is one live list: freeze a copy of it, not the list itself").into()
        };
        Object::is_extensible(&self.items).then_some(()).ok_or_else(frozen)
    }
}

/// A getter of an item called back in here.
fn busy() -> JsValue {
    Error::argument("an item's own getter cannot use the adapter that reads it").into()
}
