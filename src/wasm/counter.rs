//! A JavaScript function as token counter (TOK-8).

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use js_sys::{Function, Reflect, Symbol};
use wasm_bindgen::{JsCast, JsValue};

use super::error::context_error;
use super::tokens::counter_of;
use crate::error::Error;
use crate::message::Message;
use crate::tokens::{BytesPerFour, Counter, Estimate, Method, Rules, Template, TokenCounter, count_message};

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
                return Ok(Self::asking(CallbackCounter::new(
                    value.clone().unchecked_into(),
                    Method::Callback,
                )));
            }
            _ => match (counter_of(value), counted_by(value)) {
                (Some(counter), _) => counter,
                (None, Some(callback)) => return Ok(Self::asking(callback)),
                (None, None) => {
                    return Err(
                        "expected \"estimate\", \"bytes/4\", what `loadEncoding` or `loadTokenizer` gives, or a function from text to a number",
                    );
                }
            },
        };
        Ok(Self { counter, callback: None })
    }

    fn asking(callback: CallbackCounter) -> Self {
        let callback = Rc::new(callback);
        #[allow(clippy::arc_with_non_send_sync, reason = "a page has one thread")]
        let counter = Arc::new(SharedCallback(callback.clone()));
        Self { counter, callback: Some(callback) }
    }
}

/// The property by which what `loadTokenizer` gives is known: a function that counts.
const BRAND: &str = "contextfold.tokenizer";

/// The counter behind what `loadTokenizer` gave; `None` for any other value.
fn counted_by(value: &JsValue) -> Option<CallbackCounter> {
    if !value.is_object() {
        return None;
    }
    let count = Reflect::get(value, &Symbol::for_(BRAND)).ok()?;
    let name = Reflect::get(value, &JsValue::from_str("name")).ok()?.as_string()?;
    let template = Reflect::get(value, &JsValue::from_str("template")).ok();
    count.is_function().then(|| {
        let counter = CallbackCounter::new(count.unchecked_into(), Method::Tokenizer(kept(&name)));
        CallbackCounter { template: template.and_then(|template| template_of(&template)), ..counter }
    })
}

/// What `loadTokenizer` knows of the model's chat template.
fn template_of(value: &JsValue) -> Option<Template> {
    if !value.is_object() {
        return None;
    }
    let get = |key: &str| Reflect::get(value, &JsValue::from_str(key)).ok();
    let tokens = |key: &str| get(key)?.as_f64().filter(|n| (0.0..=1e6).contains(n)).map(|n| n as u64);
    Some(Template {
        source: kept(&get("source")?.as_string()?),
        system: tokens("system")?,
        user: tokens("user")?,
        assistant: tokens("assistant")?,
        call: tokens("call")?,
        output: tokens("output")?,
        tools: tokens("tools")?,
        tool: tokens("tool")?,
    })
}

/// A name that stays: reports name their counter by it. There are as many as tokenizers have names.
fn kept(name: &str) -> &'static str {
    thread_local! {
        static NAMES: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
    }
    NAMES.with_borrow_mut(|names| {
        if let Some(known) = names.iter().find(|known| **known == name) {
            return *known;
        }
        let kept: &'static str = Box::leak(name.into());
        names.push(kept);
        kept
    })
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
    fn exact(&self) -> bool {
        self.0.exact()
    }
    fn rules(&self) -> Rules {
        self.0.rules()
    }
}

/// Counts with a callback. What is pushed is counted *before* the session is touched ([`CallbackCounter::rehearse`]), so
/// that a callback that throws leaves everything as it was, and one that calls back into the session finds it free.
pub struct CallbackCounter {
    callback: Function,
    method: Method,
    template: Option<Template>,
    /// Counts of the rehearsal, until the push has used them.
    rehearsed: RefCell<HashMap<String, u64>>,
    failure: RefCell<Option<JsValue>>,
    rehearsing: Cell<bool>,
}

impl CallbackCounter {
    /// Counts with `callback`, which is known as `method`.
    pub fn new(callback: Function, method: Method) -> Self {
        Self {
            callback,
            method,
            template: None,
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
        self.method
    }

    /// Text is counted exactly; all of a message where what stands around the text is known, too.
    fn exact(&self) -> bool {
        self.template.is_some()
    }

    fn rules(&self) -> Rules {
        self.template.map(Rules::of_template).unwrap_or_default()
    }
}
