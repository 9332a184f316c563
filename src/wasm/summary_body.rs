//! The request for a summary as a body that a provider's SDK takes.

use std::rc::Rc;
use std::sync::Arc;

use js_sys::{Array, Object, Reflect};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::arguments::get_string;
use super::inner::Inner;
use super::value::{copy_of, get, of_format_to_js, set, to_js};
use super::view::{entries_until, marked_view_of};
use crate::compaction::{RequestScope, SummaryRequest};
use crate::context::Snapshot;
use crate::message::{Format, Message, Role};
use crate::provider::{list_keys, provider, tools_called};
use crate::session::Session;

/// The request as a body that continues from the view: its entries as they were sent, the tools, and the instruction after them. If the
/// request covers only the view's beginning, or the view has changed since, it is written from the request's own messages.
pub fn continued(
    inner: &Rc<Inner>,
    request: &SummaryRequest,
    seen: Option<&Snapshot>,
    format: Format,
) -> Result<JsValue, JsValue> {
    let is_seen = inner.read(|core| seen.is_some_and(|seen| core.context().view.is_current(seen)))?;
    let of_view = match request.scope {
        RequestScope::Whole if is_seen => of_view(inner, request, format)?,
        _ => None,
    };
    let body = match of_view {
        Some(body) => body,
        None if is_seen => with_head_of_view(inner, body(request, format)?, format)?,
        None => body(request, format)?,
    };
    let tools: Vec<Value> =
        inner.read(Session::tools)?.into_iter().filter(|tool| is_tool_of(tool, format)).collect();
    if !tools.is_empty() {
        let tools = if format == Format::Gemini { declared(tools) } else { tools };
        set(&body, "tools", &to_js(&tools)?)?;
        // Anthropic drops cached messages if the tool choice changes. So it is not set there: if the answer is a tool call, it is
        // refused and asked for again.
        match format {
            Format::OpenaiChat | Format::OpenaiResponses => set(&body, "tool_choice", &"none".into())?,
            Format::Gemini => {
                let none = json!({ "functionCallingConfig": { "mode": "NONE" } });
                set(&body, "toolConfig", &to_js(&none)?)?;
            }
            _ => {}
        }
    }
    Ok(body)
}

/// Gemini's tools: all functions are declared in one tool.
fn declared(tools: Vec<Value>) -> Vec<Value> {
    let (functions, mut tools): (Vec<Value>, Vec<Value>) =
        tools.into_iter().partition(|tool| tool.get("name").is_some());
    if !functions.is_empty() {
        tools.push(json!({ "functionDeclarations": functions }));
    }
    tools
}

/// The first `messages` messages of the view, with cache marks like in the view that was sent last.
fn view_as_sent(inner: &Rc<Inner>, format: Format, messages: Option<usize>) -> Result<JsValue, JsValue> {
    let has_marks = matches!(format, Format::Anthropic | Format::BedrockConverse);
    let marks = if has_marks { inner.marks.borrow().max_marks } else { 0 };
    Ok(marked_view_of(inner, format, None, marks, messages)?.0)
}

/// The view's own entries up to the end of the request, then the instruction. `None` if an entry extends beyond that end.
fn of_view(inner: &Rc<Inner>, request: &SummaryRequest, format: Format) -> Result<Option<JsValue>, JsValue> {
    let view = view_as_sent(inner, format, Some(request.view_messages))?;
    let Some(entries) = entries_until(inner, format, request.view_messages)? else { return Ok(None) };
    let (body, list) = if let Some(list) = view.dyn_ref::<Array>() {
        let body = Object::new();
        let mut list = list.slice(0, entries);
        if format == Format::AiSdk
            && let Some(system) = &request.system
        {
            // The AI SDK takes instructions separately from the messages.
            let leading = list.iter().take_while(is_system).count();
            list = list.slice(leading as u32, list.length());
            set(&body, "system", &system.into())?;
        }
        set(&body, "messages", &list)?;
        (body.into(), list)
    } else {
        let list = get(&view, list_key(format))?.map(JsCast::unchecked_into::<Array>).unwrap_or_default();
        let list = list.slice(0, entries);
        set(&view, list_key(format), &list)?;
        (view, list)
    };
    let instruction: Vec<Arc<Message>> = request.messages().pop().into_iter().collect();
    for entry in written(&instruction, format)?.1 {
        if !(format == Format::BedrockConverse && join(&list, &entry)?) {
            list.push(&entry);
        }
    }
    set_terms(&body, request, format)?;
    define_called_tools(&body, request, format)?;
    Ok(Some(body))
}

/// Joins an entry with the last one of a list (in a copy of it) if both have the same role, because roles have to alternate.
fn join(list: &Array, entry: &JsValue) -> Result<bool, JsValue> {
    let Some(at) = list.length().checked_sub(1) else { return Ok(false) };
    let before = list.get(at);
    let content = |of: &JsValue| Ok::<_, JsValue>(get(of, "content")?.map(JsCast::unchecked_into::<Array>));
    let (Some(previous), Some(more)) = (content(&before)?, content(entry)?) else { return Ok(false) };
    if get_string(&before, "role")? != get_string(entry, "role")? {
        return Ok(false);
    }
    let joined = copy_of(&before)?;
    set(&joined, "content", &previous.concat(&more))?;
    list.set(at, joined.into());
    Ok(true)
}

/// Replaces the body's header by the view's, with its marks and in the same entries.
fn with_head_of_view(inner: &Rc<Inner>, body: JsValue, format: Format) -> Result<JsValue, JsValue> {
    let view = view_as_sent(inner, format, None)?;
    if let Some(key) = head_key(format) {
        if let Some(head) = get(&view, key)? {
            set(&body, key, &head)?;
        }
        return Ok(body);
    }
    // The AI SDK's view has the header in its list.
    let system: Array = view.unchecked_into::<Array>().iter().take_while(is_system).collect();
    if let Some(list) = get(&body, list_key(format))? {
        let list: Array = list.unchecked_into();
        let own = list.iter().take_while(is_system).count();
        set(&body, list_key(format), &system.concat(&list.slice(own as u32, list.length())))?;
    }
    Ok(body)
}

fn is_system(entry: &JsValue) -> bool {
    get_string(entry, "role").is_ok_and(|role| role.as_deref() == Some("system"))
}

/// Whether a tool's definition has the format's shape. Tools are passed on as they were given, not translated.
fn is_tool_of(tool: &Value, format: Format) -> bool {
    let has = |key: &str| tool.get(key).is_some();
    match format {
        Format::OpenaiChat => has("function") || has("custom"),
        Format::OpenaiResponses => has("type") && !has("function") && !has("custom") && !has("input_schema"),
        Format::Anthropic => has("name") && !has("parameters"),
        Format::Gemini => has("functionDeclarations") || has("name") && !has("input_schema"),
        Format::BedrockConverse => has("toolSpec") || has("cachePoint"),
        Format::Messages | Format::AiSdk => false,
    }
}

/// The request as a body for the format's API.
pub fn body(request: &SummaryRequest, format: Format) -> Result<JsValue, JsValue> {
    let (head, items) = written(&request.messages(), format)?;
    let body = Object::new();
    if let Some(model) = &request.model {
        let key = if format == Format::BedrockConverse { "modelId" } else { "model" };
        set(&body, key, &model.into())?;
    }
    let head = match request.system.as_deref() {
        Some(text) => head_of_text(text, format)?,
        None => head,
    };
    match (head, head_key(format)) {
        (Some(head), Some(key)) => set(&body, key, &head)?,
        (Some(head), None) => {
            let message = Object::new();
            set(&message, "role", &"system".into())?;
            set(&message, "content", &head)?;
            items.unshift(&message);
        }
        (None, _) => {}
    }
    set(&body, list_key(format), &items)?;
    set_terms(&body, request, format)?;
    define_called_tools(&body, request, format)?;
    Ok(body.into())
}

/// Defines the tools that were called, for APIs that refuse calls without definitions. The session's own tools replace them where they are
/// sent, too.
fn define_called_tools(body: &JsValue, request: &SummaryRequest, format: Format) -> Result<(), JsValue> {
    let messages = request.messages();
    let calls = messages.iter().flat_map(|message| message.tool_calls()).filter(|call| !call.hosted);
    let names: Vec<&str> = calls.map(|call| call.name.as_str()).collect();
    let tools = tools_called(&names, format);
    if tools.is_empty() {
        return Ok(());
    }
    if format == Format::Anthropic && request.continues.is_none() {
        set(body, "tool_choice", &to_js(&json!({ "type": "none" }))?)?;
    }
    set(body, "tools", &to_js(&tools)?)
}

/// The key of the list in a format's body.
fn list_key(format: Format) -> &'static str {
    list_keys(format)[0]
}

/// The key of the instructions in a format's body, if they are outside the list.
fn head_key(format: Format) -> Option<&'static str> {
    match format {
        Format::OpenaiResponses => Some("instructions"),
        Format::Anthropic | Format::AiSdk | Format::BedrockConverse => Some("system"),
        Format::Gemini => Some("systemInstruction"),
        Format::Messages | Format::OpenaiChat => None,
    }
}

/// Instructions in the form that a format's body has.
fn head_of_text(text: &str, format: Format) -> Result<Option<JsValue>, JsValue> {
    if !matches!(format, Format::Gemini | Format::BedrockConverse) {
        return Ok(Some(JsValue::from_str(text)));
    }
    let system = Message::text(Role::System, text);
    provider(format).write_head(&[&system], &mut Vec::new()).as_ref().map(to_js).transpose()
}

/// The body in the shape that the provider's SDK takes: `@google/genai` has everything but model and contents under `config`; Bedrock's
/// client groups the inference settings and the tools.
pub fn as_the_sdk_takes_it(body: JsValue, format: Format) -> Result<JsValue, JsValue> {
    let groups: &[(&str, &[&str])] = match format {
        Format::Gemini => {
            &[("config", &["systemInstruction", "maxOutputTokens", "temperature", "tools", "toolConfig"])]
        }
        Format::BedrockConverse => {
            &[("inferenceConfig", &["maxTokens", "temperature"]), ("toolConfig", &["tools"])]
        }
        _ => return Ok(body),
    };
    for (group, keys) in groups {
        let within = Object::new();
        for key in *keys {
            if let Some(value) = get(&body, key)? {
                set(&within, key, &value)?;
                Reflect::delete_property(body.unchecked_ref::<Object>(), &(*key).into())?;
            }
        }
        if Object::keys(&within).length() > 0 {
            set(&body, group, &within)?;
        }
    }
    Ok(body)
}

/// The output limit and the temperature, if the request has them.
pub fn output_terms(request: &SummaryRequest) -> impl Iterator<Item = (&'static str, f64)> {
    let max_tokens = request.max_tokens.map(|n| ("max_tokens", n as f64));
    max_tokens.into_iter().chain(request.profile.temperature().map(|t| ("temperature", t)))
}

/// Sets the output limit and temperature, under the names that the format has for them.
fn set_terms(body: &JsValue, request: &SummaryRequest, format: Format) -> Result<(), JsValue> {
    for (key, value) in output_terms(request) {
        let key = match (key, format) {
            ("max_tokens", Format::OpenaiChat) => "max_completion_tokens",
            ("max_tokens", Format::OpenaiResponses) => "max_output_tokens",
            ("max_tokens", Format::AiSdk | Format::Gemini) => "maxOutputTokens",
            ("max_tokens", Format::BedrockConverse) => "maxTokens",
            (key, _) => key,
        };
        set(body, key, &value.into())?;
    }
    Ok(())
}

/// The head and the items of messages, written in a format.
pub fn written(messages: &[Arc<Message>], format: Format) -> Result<(Option<JsValue>, Array), JsValue> {
    let messages: Vec<&Message> = messages.iter().map(|m| &**m).collect();
    let written = provider(format).write(&messages);
    let to_js = |value: &Value| of_format_to_js(value, format);
    let head = written.head.as_ref().map(to_js).transpose()?;
    Ok((head, to_js(&Value::Array(written.items))?.unchecked_into()))
}
