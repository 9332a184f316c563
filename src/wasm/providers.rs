//! Providers' formats, for those who keep their own list: `convert`, `check`, `repair`.

use js_sys::{Function, Object};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::entries::entries;
use super::summarize::parse_format;
use super::value::{
    entries_json, get, has_lone_surrogate, json, known_keys, mended_entries_json, of_format_to_js, set, to_js,
};
use crate::config::Keys;
use crate::error::{Error, ErrorCode};
use crate::message::Format;
use crate::provider::{self, Change, CheckOptions, Severity, Violation};

/// Says a history in another format: a list, one entry, a request body or a response, as the provider's SDK gives it.
///
/// Calls and outputs keep their ids and stay paired. What the other format cannot say is left out or said otherwise, and
/// each such thing is told to `onNote`. What was whole in one format is whole in the other: where its rules ask for another
/// order, entries are moved, and a note says so. A history that breaks its own format's rules is converted as it is.
///
/// The output is a list; `{ system, messages }` or `{ instructions, input }` where the format keeps something apart from it.
/// To the same format, it is the input itself.
///
/// ```js
/// import { convert } from "contextfold";
///
/// const notes = [];
/// const body = convert("openai-chat", "anthropic", messages, { onNote: (note) => notes.push(note) });
/// // { system: [{ type: "text", text: "You are …" }], messages: [{ role: "user", content: "Why does the build fail?" }] }
/// ```
/// @throws {ContextError} `INVALID_MESSAGE` with the index of an entry that is malformed; `INVALID_ARGUMENT` for a format that
/// there is not, and for a history of which the other format can say nothing.
#[wasm_bindgen(skip_typescript)]
pub fn convert(from: JsValue, to: JsValue, input: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    let (from, to) = (parse_format(&from)?, parse_format(&to)?);
    known_keys(&options, &["onNote"])?;
    let on_note = on_note(&options)?;
    let converted = provider::convert(from, to, &entries_json(from, &input)?)?;
    if let Some(on_note) = on_note {
        for note in &converted.notes {
            on_note.call1(&JsValue::UNDEFINED, &to_js(note)?)?;
        }
    }
    if from == to { Ok(input) } else { of_format_to_js(&converted.output, to) }
}

/// Who hears of what a format cannot say.
pub fn on_note(options: &JsValue) -> Result<Option<Function>, JsValue> {
    let wrong = |_| Error::argument("`onNote`: expected a function").into();
    get(options, "onNote")?.map(|f| f.dyn_into::<Function>().map_err(wrong)).transpose()
}

/// Whether a provider would take a history: every rule that it breaks, in the order of the list where the rule allows. Empty:
/// nothing is wrong with it.
///
/// Rules are named after the API that has them: `R-…` Responses, `C-…` Chat Completions, `A-…` Anthropic Messages, `S-…` AI SDK,
/// `M-…` the package's own messages; `schema`: an entry that is not shaped as the format says. An `error` is answered with 400;
/// a `warn` only by some models or gateways. A request body says itself whether it leans on a stored conversation, whether it
/// stores items and whether thinking is on; the calls of a response are taken as about to run (`pending`).
///
/// ```js
/// import { check } from "contextfold";
///
/// check("openai-chat", [{ role: "tool", tool_call_id: "call_1", content: "42" }]);
/// // [{ severity: "error", rule: "C-orphan-tool", index: 0, message: "tool message call_1 follows no assistant message …" }]
/// ```
/// @throws {ContextError} `INVALID_ARGUMENT` where the input is neither a list nor holds one, and for an option that there is not.
#[wasm_bindgen(unchecked_return_type = "Violation[]")]
pub fn check(
    #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
    #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "CheckOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let format = parse_format(&format)?;
    let given = Given::read(format, &options)?;
    let (value, mended) = mended_entries_json(format, &input)?;
    let mut found = provider::check(format, &value, &given.options(&options)?)?;
    if mended {
        found.extend(broken_entries(format, &input)?.into_iter().map(|index| Violation {
            severity: Severity::Error,
            rule: LONE_SURROGATE,
            index,
            message: "a text holds half a surrogate pair: it was cut through a character".to_owned(),
        }));
        found.sort_by_key(|violation| violation.index);
    }
    to_js(&found)
}

/// Mends a history that its provider would refuse, and says what was done: an output without its call goes, a call without an
/// output gets a placeholder that says so, duplicates go, what stands in the wrong place is moved.
///
/// `output` has the shape of the input: a list, or the body with its list mended (of a response whose message stands alone in
/// it: the list of what was mended). A history without errors comes back as
/// the very object that it is, with no changes.
///
/// ```js
/// import { repair } from "contextfold";
///
/// const { output, changes } = repair("anthropic", messages);
/// for (const { index, rule, what } of changes) console.warn(`message ${index}: ${what} (${rule})`);
/// ```
/// @param options As for `check`; `pending`: the last calls are still being executed, and stay open.
/// @throws {ContextError} `INVALID_ARGUMENT` where the input is neither a list nor holds one, and for an option that there is not.
#[wasm_bindgen(skip_typescript)]
pub fn repair(format: JsValue, input: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    let format = parse_format(&format)?;
    let given = Given::read(format, &options)?;
    let (value, mended) = mended_entries_json(format, &input)?;
    let mut repaired = provider::repair(format, &value, &given.options(&options)?)?;
    if mended {
        repaired.changes.extend(broken_entries(format, &input)?.into_iter().map(|index| Change {
            index,
            rule: LONE_SURROGATE,
            what: "half a surrogate pair became U+FFFD".to_owned(),
        }));
        repaired.changes.sort_by_key(|change| change.index);
    }
    let object = Object::new();
    let untouched = repaired.changes.is_empty();
    set(&object, "output", &if untouched { input } else { of_format_to_js(&repaired.output, format)? })?;
    set(&object, "changes", &to_js(&repaired.changes)?)?;
    Ok(object.into())
}

/// The rule that no provider's document names and all of them have: what is sent is Unicode.
const LONE_SURROGATE: &str = "lone-surrogate";

/// The entries in which there is a lone surrogate; the first where it stands beside the list, or the input is one entry.
fn broken_entries(format: Format, input: &JsValue) -> Result<Vec<usize>, JsValue> {
    let entries = entries(format, input)?.unwrap_or_default();
    let broken: Vec<usize> =
        (0..entries.len()).filter(|at| has_lone_surrogate(&entries[*at], format)).collect();
    Ok(if broken.is_empty() { vec![0] } else { broken })
}

/// The options of `check`, owned.
struct Given {
    json: Value,
    original: Option<Value>,
}

impl Given {
    fn read(format: Format, options: &JsValue) -> Result<Self, JsValue> {
        if options.is_undefined() {
            return Ok(Self { json: Value::Object(serde_json::Map::new()), original: None });
        }
        let original = get(options, "original")?.map(|o| entries_json(format, &o)).transpose()?;
        Ok(Self { json: json(options, ErrorCode::InvalidArgument)?, original })
    }

    fn options(&self, options: &JsValue) -> Result<CheckOptions<'_>, JsValue> {
        known_keys(options, &["original", "provider", "pending", "stateful", "store", "thinking", "bound"])?;
        let mut keys = Keys::arguments("", &self.json)?;
        keys.value("original");
        keys.name("provider")?;
        let thinking = keys.one_of("thinking", &["enabled", "adaptive", "disabled"])?;
        let read = CheckOptions {
            original: self.original.as_ref(),
            provider: self.json.get("provider").and_then(Value::as_str),
            pending: keys.bool("pending")?.unwrap_or(false),
            stateful: keys.bool("stateful")?.unwrap_or(false),
            store: keys.bool("store")?,
            thinking: thinking.filter(|mode| *mode != "disabled"),
            bound: keys.bool("bound")?.unwrap_or(false),
        };
        keys.finish()?;
        Ok(read)
    }
}
