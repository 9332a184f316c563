//! The options of a session: functions, and plain data for the core.

use std::rc::Rc;

use js_sys::{Function, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::arguments::{plain_object, take, text};
use super::counter::{CallbackCounter, Tokenizer};
use super::custom::read_customs;
use super::store::Store;
use super::summarizer::Summarize;
use super::thrown::message_in_parentheses;
use super::value::{config_json, is_list};
use crate::compaction::Redact;
use crate::context::{CustomRuns, PlaceholderWriter};
use crate::error::{Error, ErrorCode};
use crate::message::ToolCall;
use crate::session::SessionConfig;
use crate::tokens::Counter;

/// The options of a session, after reading.
#[derive(Clone, Default)]
pub struct Options {
    /// The options that are plain data, for the core.
    pub plain: Value,
    pub tokenizer: Option<Tokenizer>,
    pub summarize: Option<Summarize>,
    pub now: Option<Function>,
    /// The `onCost` listener.
    pub on_cost: FunctionOption<Function>,
    pub redact: FunctionOption<Redact>,
    /// The caller's function that writes placeholders.
    pub describe: FunctionOption<PlaceholderWriter>,
    /// The functions of custom passes, if a ladder is given.
    pub customs: Option<CustomRuns>,
    pub store: Option<Store>,
}

impl Options {
    /// The plain options, as the core reads them.
    pub fn config(&self) -> Result<SessionConfig, Error> {
        let config = SessionConfig::from_value(&self.plain)?;
        if self.on_cost.is_function() {
            require_price(&config)?;
        }
        Ok(config)
    }

    /// The tokenizer, or else the estimate.
    pub fn counter(&self) -> Counter {
        self.tokenizer.clone().unwrap_or_default().counter
    }

    /// The tokenizer, if it is a JavaScript function.
    pub fn callback(&self) -> Option<&Rc<CallbackCounter>> {
        self.tokenizer.as_ref()?.callback.as_ref()
    }
}

/// A function option that `null` removes.
#[derive(Clone, Default)]
pub enum FunctionOption<T> {
    /// The key is missing.
    #[default]
    Unset,
    /// `null`.
    Null,
    Set(T),
}

impl<T> FunctionOption<T> {
    pub fn is_function(&self) -> bool {
        matches!(self, Self::Set(_))
    }

    pub fn is_set(&self) -> bool {
        !matches!(self, Self::Unset)
    }

    pub fn into_function(self) -> Option<T> {
        match self {
            Self::Set(given) => Some(given),
            Self::Unset | Self::Null => None,
        }
    }

    /// A function that is held, or `null`.
    pub fn held(function: Option<T>) -> Self {
        function.map_or(Self::Null, Self::Set)
    }

    fn map<U>(self, map: impl FnOnce(T) -> U) -> FunctionOption<U> {
        match self {
            Self::Set(given) => FunctionOption::Set(map(given)),
            Self::Null => FunctionOption::Null,
            Self::Unset => FunctionOption::Unset,
        }
    }
}

/// The lane that a fork gets, and its other options.
pub fn fork_options(options: &JsValue) -> Result<(Option<String>, js_sys::Object), JsValue> {
    let own = plain_object(options)?;
    let lane = take(&own, "lane")?.map(|lane| text(&lane, "lane")).transpose()?;
    Ok((lane, own))
}

/// Refuses `onCost` if a price is unknown.
pub fn require_price(config: &SessionConfig) -> Result<(), Error> {
    let unknown = |name: &Option<String>| match name {
        Some(name) => format!("the price of `{name}` is not known: add a row for it to `prices`"),
        None => "the token price is not known: set `model`, or pass a price row as `prices`".to_owned(),
    };
    match (&config.price, &config.summarizer_price) {
        (None, _) => Err(Error::config("onCost", unknown(&config.model))),
        (_, None) => Err(Error::config("onCost", unknown(&config.compaction.model))),
        _ => Ok(()),
    }
}

/// Reads the options: functions are taken out, and the rest is plain data.
pub fn read_options(options: &JsValue) -> Result<Options, JsValue> {
    let plain = plain_object(options)?;
    let function = |key: &str| match take(&plain, key)? {
        Some(f) if f.is_function() => Ok(Some(f.unchecked_into::<Function>())),
        Some(_) => Err(JsValue::from(Error::config(key, "expected a function"))),
        None => Ok(None),
    };
    let now = function("now")?;
    let on_cost = function_or_null(take(&plain, "onCost")?, "onCost")?;
    let summarize = function("summarize")?.map(JsCast::unchecked_into);
    let tokenizer = take(&plain, "tokenizer")?.map(|tokenizer| Tokenizer::of(&tokenizer));
    let tokenizer = tokenizer.transpose().map_err(|expected| Error::config("tokenizer", expected))?;
    let redact = function_in(&plain, "compaction", "redact")?.map(redact_of);
    let describe = function_in(&plain, "toolOutputCache", "placeholder")?.map(describe_of);
    let customs = read_customs(&plain)?;
    let store = take(&plain, "store")?.map(|store| Store::of(&store, "store")).transpose();
    let store = store.map_err(|error| Error::new(ErrorCode::InvalidConfig, error.message()))?;
    let plain = config_json(&plain)?;
    Ok(Options { plain, tokenizer, summarize, now, on_cost, redact, describe, customs, store })
}

/// The function of an option that `null` removes.
fn function_or_null(given: Option<JsValue>, key: &str) -> Result<FunctionOption<Function>, JsValue> {
    match given {
        Some(f) if f.is_function() => Ok(FunctionOption::Set(f.unchecked_into())),
        Some(none) if none.is_null() => Ok(FunctionOption::Null),
        Some(_) => Err(Error::config(key, "expected a function or null").into()),
        None => Ok(FunctionOption::Unset),
    }
}

/// Takes the function `key` out of the options `group`, which are replaced by a copy without it.
fn function_in(plain: &js_sys::Object, group: &str, key: &str) -> Result<FunctionOption<Function>, JsValue> {
    let options = Reflect::get(plain, &group.into())?;
    if !options.is_object() || is_list(&options) {
        return Ok(FunctionOption::Unset);
    }
    let options = plain_object(&options)?;
    let function = take(&options, key)?;
    if js_sys::Object::keys(&options).length() > 0 {
        Reflect::set(plain, &group.into(), &options)?;
    } else {
        Reflect::delete_property(plain, &group.into())?; // an empty group must not count as a changed option
    }
    function_or_null(function, &format!("{group}.{key}"))
}

fn describe_of(callback: Function) -> PlaceholderWriter {
    let failed = |what: String| {
        let why = format!("`toolOutputCache.placeholder` {what}: the default text is used instead");
        Error::new(ErrorCode::InvalidArgument, why)
    };
    PlaceholderWriter::new(move |trimmed| {
        let args = trimmed.call.map(arguments);
        let given = js_sys::Object::new();
        let fields = [
            ("ref", trimmed.output_ref.map_or(JsValue::NULL, JsValue::from_str)),
            ("name", JsValue::from_str(trimmed.call.map_or("", |call| &call.name))),
            ("args", args.unwrap_or_else(|| js_sys::Object::new().into())),
            ("tokens", JsValue::from_f64(trimmed.tokens as f64)),
        ];
        for (key, value) in fields {
            Reflect::set(&given, &key.into(), &value)
                .map_err(|_| failed("could not be called".to_owned()))?;
        }
        let text = callback
            .call1(&JsValue::UNDEFINED, &given)
            .map_err(|thrown| failed(format!("threw{}", message_in_parentheses(&thrown))))?;
        text.as_string().ok_or_else(|| failed("must return a string".to_owned()))
    })
}

/// The arguments of a call as an object. If they are not a JSON object, its `input` is their text.
fn arguments(call: &ToolCall) -> JsValue {
    let parsed = js_sys::JSON::parse(&call.input)
        .ok()
        .filter(|parsed| parsed.is_object() && !js_sys::Array::is_array(parsed));
    parsed.unwrap_or_else(|| {
        let text = js_sys::Object::new();
        let _ = Reflect::set(&text, &"input".into(), &JsValue::from_str(&call.input)); // setting a key of a new object cannot fail
        text.into()
    })
}

fn redact_of(callback: js_sys::Function) -> Redact {
    let failed = |what: &str| {
        let why = format!("the redact callback {what}; history and view are unchanged");
        Error::new(ErrorCode::SummaryFailed, why)
    };
    Redact::new(move |text| {
        let answer = callback
            .call1(&JsValue::UNDEFINED, &JsValue::from_str(text))
            .map_err(|thrown| failed(&format!("threw{}", message_in_parentheses(&thrown))))?;
        answer.as_string().ok_or_else(|| failed("must return a string"))
    })
}
