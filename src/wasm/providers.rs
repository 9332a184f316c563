//! Functions on providers' formats, for callers who keep their own list: `convert`, `check`, `repair`.

use js_sys::{Function, Object};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::arguments::{known_keys, options_json, parse_format};
use super::entries::entries;
use super::value::{
    entries_json, get, has_lone_surrogate, of_format_to_js, repaired_entries_json, set, to_js,
};
use crate::config::Keys;
use crate::error::{Error, ErrorCode};
use crate::message::Format;
use crate::provider::{self, Change, CheckOptions, Note, Severity, Violation};

/// Converts a history to another format. The input is a list, one entry, a request body or a response, as the provider's SDK has it.
///
/// Calls and outputs keep their ids and stay paired. What the other format cannot express is left out or expressed differently, and
/// `onNote` is called for each such case. A valid history stays valid: if the other format's rules need another order, entries are
/// moved, and a note says so. A history that breaks the rules of its own format is converted as it is.
///
/// The output is a list; or `{ system, messages }` (`anthropic`, `bedrock-converse`), `{ instructions, input }`
/// (`openai-responses`) or `{ systemInstruction, contents }` (`gemini`) if there is something outside the list. If both
/// formats are the same, the output is the input itself.
///
/// ```js
/// import { convert } from "contextfold";
///
/// const notes = [];
/// const body = convert("openai-chat", "anthropic", messages, { onNote: (note) => notes.push(note) });
/// // { system: [{ type: "text", text: "You are …" }], messages: [{ role: "user", content: "Why does the build fail?" }] }
/// ```
/// @throws {ContextError} `INVALID_MESSAGE` with the index of a malformed entry; `INVALID_ARGUMENT` for an unknown format, and if
/// the other format cannot express any of the history.
#[wasm_bindgen(skip_typescript)]
pub fn convert(from: JsValue, to: JsValue, input: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    let (from, to) = (parse_format(&from)?, parse_format(&to)?);
    known_keys(&options, &["onNote"])?;
    let on_note = on_note(&options)?;
    let converted = provider::convert(from, to, &entries_json(from, &input)?)?;
    tell(on_note, &converted.notes)?;
    if from == to { Ok(input) } else { of_format_to_js(&converted.output, to) }
}

/// Calls `onNote`, if there is one, for each note.
pub fn tell(on_note: Option<Function>, notes: &[Note]) -> Result<(), JsValue> {
    let Some(on_note) = on_note else { return Ok(()) };
    notes.iter().try_for_each(|note| on_note.call1(&JsValue::UNDEFINED, &to_js(note)?).map(drop))
}

/// The `onNote` function in a call's options.
pub fn on_note(options: &JsValue) -> Result<Option<Function>, JsValue> {
    let wrong = |_| Error::argument("`onNote`: expected a function").into();
    get(options, "onNote")?.map(|f| f.dyn_into::<Function>().map_err(wrong)).transpose()
}

/// Checks whether a provider would accept a history. Returns every rule that the history breaks, in the order of the list if the rule
/// has a position; an empty list means that nothing is wrong.
///
/// Rules are named after their API (see `Violation.rule`); `schema`: an entry does not have the format's shape. The provider
/// answers an `error` with 400; a `warn` is refused only by some models or gateways. A request body shows whether it uses a
/// stored conversation, whether it stores items and whether thinking is on; the calls of a response are treated as about to
/// run (`pending`).
///
/// ```js
/// import { check } from "contextfold";
///
/// check("openai-chat", [{ role: "tool", tool_call_id: "call_1", content: "42" }]);
/// // [{ severity: "error", rule: "C-orphan-tool", index: 0, message: "tool message call_1 follows no assistant message …" }]
/// ```
/// @throws {ContextError} `INVALID_ARGUMENT` if the input is not a list and contains none, and for an unknown option.
#[wasm_bindgen(unchecked_return_type = "Violation[]")]
pub fn check(
    #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
    #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "CheckOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let format = parse_format(&format)?;
    let given = Given::read(format, &options)?;
    let (value, was_repaired) = repaired_entries_json(format, &input)?;
    let mut found = provider::check(format, &value, &given.options(&options)?)?;
    if was_repaired {
        found.extend(broken_entries(format, &input)?.into_iter().map(|index| Violation {
            severity: Severity::Error,
            rule: LONE_SURROGATE,
            index,
            message:
                "a text contains half a surrogate pair: it was cut in the middle of a character".to_owned(),
        }));
        found.sort_by_key(|violation| violation.index);
    }
    to_js(&found)
}

/// Repairs a history that its provider would refuse, and reports what was done: outputs without a call are removed, calls without an
/// output get a placeholder that says so, duplicates are removed, and entries in the wrong position are moved.
///
/// `output` has the shape of the input: a list, or the body with its list repaired. If the input is a response that holds a single
/// message, `output` is the repaired list. A history without errors is returned as the very same object, with no changes.
///
/// ```js
/// import { repair } from "contextfold";
///
/// const { output, changes } = repair("anthropic", messages);
/// for (const { index, rule, what } of changes) console.warn(`message ${index}: ${what} (${rule})`);
/// ```
/// @param options As for `check`. `pending`: the last calls are still being executed and stay open.
/// @throws {ContextError} `INVALID_ARGUMENT` if the input is not a list and contains none, and for an unknown option.
#[wasm_bindgen(skip_typescript)]
pub fn repair(format: JsValue, input: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    let format = parse_format(&format)?;
    let given = Given::read(format, &options)?;
    let (value, was_repaired) = repaired_entries_json(format, &input)?;
    let mut repaired = provider::repair(format, &value, &given.options(&options)?)?;
    if was_repaired {
        repaired.changes.extend(broken_entries(format, &input)?.into_iter().map(|index| Change {
            index,
            rule: LONE_SURROGATE,
            what: "half a surrogate pair was replaced with U+FFFD".to_owned(),
        }));
        repaired.changes.sort_by_key(|change| change.index);
    }
    let object = Object::new();
    let untouched = repaired.changes.is_empty();
    set(&object, "output", &if untouched { input } else { of_format_to_js(&repaired.output, format)? })?;
    set(&object, "changes", &to_js(&repaired.changes)?)?;
    Ok(object.into())
}

/// A rule that no provider documents but all of them have: a request must be valid Unicode.
const LONE_SURROGATE: &str = "lone-surrogate";

/// The entries that contain a lone surrogate. The first one if it is outside the list, or if the input is a single entry.
fn broken_entries(format: Format, input: &JsValue) -> Result<Vec<usize>, JsValue> {
    let entries = entries(format, input)?.unwrap_or_default();
    let broken: Vec<usize> =
        (0..entries.len()).filter(|at| has_lone_surrogate(&entries[*at], format)).collect();
    Ok(if broken.is_empty() { vec![0] } else { broken })
}

/// The options of `check`, owned by us.
struct Given {
    json: Value,
    original: Option<Value>,
}

impl Given {
    fn read(format: Format, options: &JsValue) -> Result<Self, JsValue> {
        let original = get(options, "original")?.map(|o| entries_json(format, &o)).transpose()?;
        Ok(Self { json: options_json(options, ErrorCode::InvalidArgument)?, original })
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
