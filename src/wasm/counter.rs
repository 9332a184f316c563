//! A JavaScript function as token counter (TOK-8).

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use js_sys::{Function, Reflect, Symbol};
use wasm_bindgen::{JsCast, JsValue};

use super::error::context_error;
use super::tokens::counter_of;
use crate::error::Error;
use crate::hashing::HashMap;
use crate::message::Message;
use crate::tokens::{BytesPerFour, Counter, Estimate, Method, Rules, Template, TokenCounter, count_message};

/// The tokenizer that the caller gave.
#[derive(Clone)]
pub struct Tokenizer {
    pub counter: Counter,
    /// The same counter, if it is a JavaScript function.
    pub callback: Option<Rc<CallbackCounter>>,
}

impl Default for Tokenizer {
    fn default() -> Self {
        Self { counter: Arc::new(Estimate), callback: None }
    }
}

impl Tokenizer {
    /// Reads an argument or option; the error says what was expected.
    pub fn of(value: &JsValue) -> Result<Self, &'static str> {
        let counter: Counter = match value.as_string().as_deref() {
            None if value.is_undefined() => Arc::new(Estimate),
            Some("estimate") => Arc::new(Estimate),
            Some("bytes/4") => Arc::new(BytesPerFour),
            None if value.is_function() => {
                return Ok(Self::of_callback(CallbackCounter::new(
                    value.clone().unchecked_into(),
                    Method::Callback,
                )));
            }
            _ => match (counter_of(value), counted_by(value)) {
                (Some(counter), _) => counter,
                (None, Some(callback)) => return Ok(Self::of_callback(callback)),
                (None, None) => {
                    return Err(
                        "expected \"estimate\", \"bytes/4\", the result of `loadEncoding` or `loadTokenizer`, or a function from text to a number",
                    );
                }
            },
        };
        Ok(Self { counter, callback: None })
    }

    fn of_callback(callback: CallbackCounter) -> Self {
        let callback = Rc::new(callback);
        #[allow(clippy::arc_with_non_send_sync, reason = "a page has one thread")]
        let counter = Arc::new(SharedCallback(callback.clone()));
        Self { counter, callback: Some(callback) }
    }
}

/// The property that marks the result of `loadTokenizer`; it holds a function that counts.
const BRAND: &str = "contextfold.tokenizer";

/// The counter behind the result of `loadTokenizer`; `None` for any other value.
fn counted_by(value: &JsValue) -> Option<CallbackCounter> {
    if !value.is_object() {
        return None;
    }
    let count = Reflect::get(value, &Symbol::for_(BRAND)).ok()?;
    let name = Reflect::get(value, &JsValue::from_str("name")).ok()?.as_string()?;
    let template = Reflect::get(value, &JsValue::from_str("template")).ok();
    count.is_function().then(|| {
        let counter = CallbackCounter::new(count.unchecked_into(), Method::Tokenizer(static_name(&name)));
        CallbackCounter { template: template.and_then(|template| template_of(&template)), ..counter }
    })
}

/// What `loadTokenizer` found out about the model's chat template.
fn template_of(value: &JsValue) -> Option<Template> {
    if !value.is_object() {
        return None;
    }
    let get = |key: &str| Reflect::get(value, &JsValue::from_str(key)).ok();
    let tokens = |key: &str| get(key)?.as_f64().filter(|n| (0.0..=1e6).contains(n)).map(|n| n as u64);
    Some(Template {
        source: static_name(&get("source")?.as_string()?),
        system: tokens("system")?,
        user: tokens("user")?,
        assistant: tokens("assistant")?,
        call: tokens("call")?,
        output: tokens("output")?,
        tools: tokens("tools")?,
        tool: tokens("tool")?,
    })
}

/// Makes a name `'static`, since reports refer to their counter by it. Leaks once per name of a tokenizer.
fn static_name(name: &str) -> &'static str {
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

/// The callback counter as the core holds it. The JavaScript side shares it, to count ahead with it.
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

/// Counts with a callback. What is pushed is counted *before* the session is changed ([`CallbackCounter::precount`]). So a
/// callback that throws leaves everything as it was, and one that calls into the session does not find it borrowed.
pub struct CallbackCounter {
    callback: Function,
    method: Method,
    template: Option<Template>,
    /// What was counted ahead, for the push that follows.
    counted_ahead: RefCell<HashMap<String, u64>>,
    failure: RefCell<Option<JsValue>>,
    is_precounting: Cell<bool>,
}

impl CallbackCounter {
    /// Counts with `callback`, reported as `method`.
    pub fn new(callback: Function, method: Method) -> Self {
        Self {
            callback,
            method,
            template: None,
            counted_ahead: RefCell::default(),
            failure: RefCell::default(),
            is_precounting: Cell::new(false),
        }
    }

    /// Counts what is about to be pushed. Fails if the callback throws or does not return a number.
    pub fn precount<'a>(&self, messages: impl IntoIterator<Item = &'a Message>) -> Result<(), JsValue> {
        self.counted_ahead.borrow_mut().clear();
        self.count_all(|counter| {
            for message in messages {
                count_message(message, counter);
            }
        })
    }

    /// Runs `count` with this counter. Fails if the callback throws or does not return a number.
    pub fn count_all<T>(&self, count: impl FnOnce(&Self) -> T) -> Result<T, JsValue> {
        self.failure.take();
        self.is_precounting.set(true);
        let counted = count(self);
        self.is_precounting.set(false);
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
                "the tokenizer callback must return a number of at least 0; nothing was changed",
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
        if !self.is_precounting.get()
            && let Some(known) = self.counted_ahead.borrow().get(text)
        {
            return *known;
        }
        match self.ask(text) {
            Ok(n) => {
                if self.is_precounting.get() {
                    self.counted_ahead.borrow_mut().insert(text.to_owned(), n);
                }
                n
            }
            // While the session is changing, an error cannot be reported: texts that the engine makes (a placeholder, a shortened
            // text) are then counted by the estimate. Texts of the caller were counted ahead.
            Err(error) => {
                if self.is_precounting.get() {
                    self.failure.borrow_mut().get_or_insert(error);
                }
                Estimate.count(text)
            }
        }
    }

    fn method(&self) -> Method {
        self.method
    }

    /// Text is counted exactly; a whole message only if the template around the text is known, too.
    fn exact(&self) -> bool {
        self.template.is_some()
    }

    fn rules(&self) -> Rules {
        self.template.map(Rules::of_template).unwrap_or_default()
    }
}
