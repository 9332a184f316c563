//! A JavaScript function as token counter (TOK-8).

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use js_sys::Function;
use wasm_bindgen::{JsCast, JsValue};

use super::error::context_error;
use super::tokens::counter_of;
use crate::error::Error;
use crate::message::Message;
use crate::tokens::{BytesPerFour, Counter, Estimate, Method, TokenCounter, count_message};

/// What the caller gave to count with.
pub struct Tokenizer {
    pub counter: Counter,
    /// The same, where it is a JavaScript function.
    pub callback: Option<Rc<CallbackCounter>>,
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self { counter: Arc::new(Estimate), callback: None }
    }
}

impl Tokenizer {
    /// Of an argument or option; the error says what was expected.
    pub fn of(value: &JsValue) -> Result<Self, &'static str> {
        let counter: Counter = match value.as_string().as_deref() {
            None if value.is_undefined() => Arc::new(Estimate),
            Some("estimate") => Arc::new(Estimate),
            Some("bytes/4") => Arc::new(BytesPerFour),
            None if value.is_function() => {
                let callback = Rc::new(CallbackCounter::new(value.clone().unchecked_into()));
                #[allow(clippy::arc_with_non_send_sync, reason = "a page has one thread")]
                let counter = Arc::new(SharedCallback(callback.clone()));
                return Ok(Self { counter, callback: Some(callback) });
            }
            _ => counter_of(value).ok_or(
                "expected \"estimate\", \"bytes/4\", what `loadEncoding` gives, or a function from text to a number",
            )?,
        };
        Ok(Self { counter, callback: None })
    }
}

/// The callback counter as the core holds it, shared with the shell that rehearses it.
struct SharedCallback(Rc<CallbackCounter>);

impl TokenCounter for SharedCallback {
    fn count(&self, text: &str) -> u64 {
        self.0.count(text)
    }
    fn method(&self) -> Method {
        self.0.method()
    }
}

/// Counts with a callback. What is pushed is counted *before* the session is touched ([`CallbackCounter::rehearse`]), so
/// that a callback that throws leaves everything as it was, and one that calls back into the session finds it free.
pub struct CallbackCounter {
    callback: Function,
    /// Counts of the rehearsal, until the push has used them.
    rehearsed: RefCell<HashMap<String, u64>>,
    failure: RefCell<Option<JsValue>>,
    rehearsing: Cell<bool>,
}

impl CallbackCounter {
    /// Counts with `callback`.
    pub fn new(callback: Function) -> Self {
        Self {
            callback,
            rehearsed: RefCell::default(),
            failure: RefCell::default(),
            rehearsing: Cell::new(false),
        }
    }

    /// Counts what is about to be pushed; the error of a callback that throws or answers with no number.
    pub fn rehearse<'a>(&self, messages: impl IntoIterator<Item = &'a Message>) -> Result<(), JsValue> {
        self.rehearsed.borrow_mut().clear();
        self.ask_for(|counter| {
            for message in messages {
                count_message(message, counter);
            }
        })
    }

    /// What `count` counts; the error of a callback that throws or answers with no number.
    pub fn ask_for<T>(&self, count: impl FnOnce(&Self) -> T) -> Result<T, JsValue> {
        self.failure.take();
        self.rehearsing.set(true);
        let counted = count(self);
        self.rehearsing.set(false);
        self.failure.take().map_or(Ok(counted), Err)
    }

    fn ask(&self, text: &str) -> Result<u64, JsValue> {
        let answer = self.callback.call1(&JsValue::UNDEFINED, &JsValue::from_str(text)).map_err(|cause| {
            context_error(
                &Error::argument("the tokenizer callback threw; nothing was changed"),
                Some(&cause),
                None,
            )
        })?;
        match answer.as_f64() {
            Some(n) if n.is_finite() && n >= 0.0 => Ok(n.ceil() as u64),
            _ => Err(Error::argument(
                "the tokenizer callback must answer with a number of at least 0; nothing was changed",
            )
            .into()),
        }
    }
}

impl TokenCounter for CallbackCounter {
    fn count(&self, text: &str) -> u64 {
        if text.is_empty() {
            return 0;
        }
        if !self.rehearsing.get()
            && let Some(known) = self.rehearsed.borrow().get(text)
        {
            return *known;
        }
        match self.ask(text) {
            Ok(n) => {
                if self.rehearsing.get() {
                    self.rehearsed.borrow_mut().insert(text.to_owned(), n);
                }
                n
            }
            // While the session is at work there is nobody to tell: what it makes itself (a placeholder, a shortened text)
            // counts by the estimate then. What came from the caller was rehearsed.
            Err(error) => {
                if self.rehearsing.get() {
                    self.failure.borrow_mut().get_or_insert(error);
                }
                Estimate.count(text)
            }
        }
    }

    fn method(&self) -> Method {
        Method::Callback
    }
}
