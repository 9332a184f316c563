use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::detect::{is_gemini, of_part};
use super::super::fields::{Fields, foreign};
use super::super::format::object;
use super::super::opaque::opaque_call;
use super::{CALL_KEYS, CALL_POSITIONS, MESSAGE_KEYS, OUTPUT_EXTRAS, PART_KEYS};
use crate::error::{Error, Result};
use crate::message::{
    Extras, Format, ItemType, Media, MediaKind, Message, Meta, Part, Reasoning, Role, Text, ToolCall,
    ToolOutput, ToolOutputRef,
};

/// Reads the entry at `index`.
pub fn message_of_json(entry: &Value, index: usize) -> Result<Message> {
    let mut fields = Fields::new(object(entry, index)?);
    if fields.get("parts").is_some() && is_gemini(std::slice::from_ref(entry)) {
        return Err(Error::message_at(index, foreign("parts", Format::Gemini)));
    }
    let Some(name) = fields.take_string("role") else {
        return Err(fields.no_role(index));
    };
    let Some(role) = Role::parse(&name) else {
        return Err(Error::message_at(index, format!("unknown role `{name}`")));
    };
    let meta = meta(&mut fields, index)?;
    let (mut content, shape) = content(&mut fields, role, index)?;
    let mut given = extras(&mut fields, index)?;
    let content_len = content.len();
    let parts = match role {
        Role::Tool => vec![Part::from(tool_output(&mut fields, content, &mut given, index)?)],
        Role::Assistant => {
            let says = |value: &Value| !matches!(value, Value::Null) && value.as_str() != Some("");
            if let Some(key) = OF_CHAT.into_iter().find(|key| fields.get(key).is_some_and(says)) {
                return Err(Error::message_at(index, foreign(key, Format::OpenaiChat)));
            }
            let calls = tool_calls(&mut fields, index)?;
            place(&mut content, calls, given.call_positions.as_deref(), index)?;
            content
        }
        Role::System | Role::Developer | Role::User => {
            if shape == Shape::Missing {
                return Err(Error::message_at(index, format!("a {name} message needs `content`")));
            }
            content
        }
    };
    given.restore_extras(
        &mut fields,
        given.call_positions.as_ref().is_some_and(|at| at.first().is_some_and(|&n| n < content_len)),
    );
    // A message with calls but no content usually has `content: null`. If the key is missing, the template records
    // that.
    let calls = role == Role::Assistant && parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
    let is_usual = match shape {
        Shape::Missing if calls => fields.take_null("content"),
        shape => shape != Shape::Other,
    };
    let plain = is_usual && fields.is_plain(&MESSAGE_KEYS);
    let mut extras =
        if plain { Extras::default() } else { Extras::new(Format::Messages, fields.into_template()) };
    for (format, map) in given.of {
        extras = extras.with(format, map);
    }
    Ok(Message { role, parts, meta: meta.into(), extras })
}

/// What an answer of Chat Completions may say outside `content`, which a message of ours has no field for.
const OF_CHAT: [&str; 4] = ["refusal", "reasoning_content", "reasoning", "function_call"];

/// Reads a message from its texts, as `pkg/pack.js` writes them. `None` if they were not written by it.
pub fn message_of_texts(packed: &str) -> Option<Message> {
    let (role, rest) = packed.split_at_checked(1)?;
    let role = match role {
        "s" => Role::System,
        "d" => Role::Developer,
        "u" => Role::User,
        "a" => Role::Assistant,
        "t" => return rest.split_once('\0').map(|(call_id, content)| Message::tool(call_id, content)),
        "c" => return message_of_calls(rest),
        _ => return None,
    };
    Some(Message::text(role, rest))
}

fn message_of_calls(packed: &str) -> Option<Message> {
    let (count, mut rest) = packed.split_once('\0')?;
    let mut calls = Vec::new();
    for _ in 0..count.parse::<usize>().ok()? {
        let mut texts = rest.splitn(4, '\0');
        let (id, name, input) = (texts.next()?, texts.next()?, texts.next()?);
        calls.push(Part::from(ToolCall::function(id, name, input)));
        rest = texts.next()?;
    }
    let mut message = Message::text(Role::Assistant, rest);
    message.parts.append(&mut calls);
    Some(message)
}

/// The form of `content`: missing, the form in which it is written without a template, or another.
#[derive(PartialEq, Clone, Copy)]
enum Shape {
    Missing,
    Usual,
    Other,
}

fn content(fields: &mut Fields, role: Role, index: usize) -> Result<(Vec<Part>, Shape)> {
    match fields.take("content") {
        None => Ok((Vec::new(), Shape::Missing)),
        Some(Value::String(text)) => Ok((vec![Part::text(text)], Shape::Usual)),
        Some(Value::Array(list)) => {
            let parts =
                list.iter().enumerate().map(|(n, p)| part(p, index, n)).collect::<Result<Vec<_>>>()?;
            let usual = match parts.as_slice() {
                [] => role != Role::Assistant,
                [Part::Text { extras, .. }] => !extras.is_empty(),
                _ => true,
            };
            Ok((parts, if usual { Shape::Usual } else { Shape::Other }))
        }
        Some(_) => Err(Error::message_at(index, "`content` is neither a string nor a list of parts")),
    }
}

fn meta(fields: &mut Fields, index: usize) -> Result<Meta> {
    let wrong = |what: &str| Error::message_at(index, what);
    let mut meta = Meta { id: fields.take_string("id"), ..Meta::default() };
    if meta.id.is_none() && fields.get("id").is_some_and(|v| !v.is_null()) {
        return Err(wrong("`id` is not a string"));
    }
    if let Some(value) = fields.take("item_type") {
        let item_type: ItemType =
            serde_json::from_value(value).map_err(|_| wrong("`item_type` is not a known item type"))?;
        meta.item_type = Some(item_type);
    }
    if let Some(value) = fields.take("priority") {
        meta.priority = Some(value.as_i64().ok_or_else(|| wrong("`priority` is not a whole number"))?);
    }
    match fields.get("ephemeral") {
        None | Some(Value::Null | Value::Bool(false)) => {}
        Some(Value::Bool(true)) => meta.ephemeral = Some(1), // stays in the template, which records that it was `true` and not 1
        Some(_) => {
            let n = fields.take("ephemeral").and_then(|v| v.as_u64()).and_then(|n| u32::try_from(n).ok());
            meta.ephemeral = Some(n.ok_or_else(|| wrong("`ephemeral` is neither a boolean nor a count"))?);
        }
    }
    meta.pinned = fields.take_flag("pinned").ok_or_else(|| wrong("`pinned` is not a boolean"))?;
    Ok(meta)
}

/// The contents of `extras`: fields of other formats, and our own.
#[derive(Default)]
struct GivenExtras {
    of: Vec<(Format, Map<String, Value>)>,
    call_positions: Option<Vec<usize>>,
    /// The template of `extras`, unless it would be the same without one.
    rest: Option<Map<String, Value>>,
    usual: bool,
}

impl GivenExtras {
    /// Puts `extras` back into the template if it would be written differently without one. `needed`: the calls are not
    /// at the end.
    fn restore_extras(&mut self, fields: &mut Fields, needed: bool) {
        let usual = self.usual && (self.call_positions.is_none() || needed);
        if let Some(rest) = self.rest.take().filter(|_| !usual) {
            fields.restore("extras", Value::Object(rest));
        }
    }
}

/// Takes the fields of known formats from `extras`; everything else stays in the template.
fn extras(fields: &mut Fields, index: usize) -> Result<GivenExtras> {
    let mut given = GivenExtras::default();
    match fields.get("extras") {
        None | Some(Value::Null) => return Ok(given),
        Some(Value::Object(_)) => {}
        Some(_) => return Err(Error::message_at(index, "`extras` is not an object")),
    }
    let Some(Value::Object(mut all)) = fields.take("extras") else { return Ok(given) };
    let mut rest = Map::new();
    given.usual = !all.is_empty();
    for (name, value) in &mut all {
        given.usual &= given.call_positions.is_none(); // our own field is written last
        match (Format::parse(name), value.take()) {
            (Some(Format::Messages), Value::Object(mut own)) => {
                if let Some(Value::Array(positions)) = own.get_mut(CALL_POSITIONS).map(Value::take) {
                    let read =
                        positions.iter().map(|p| p.as_u64().map(|p| p as usize)).collect::<Option<_>>();
                    let bad = || Error::message_at(index, format!("`extras.messages.{CALL_POSITIONS}`"));
                    given.call_positions = Some(read.ok_or_else(bad)?);
                    own.insert(CALL_POSITIONS.to_owned(), Value::Array(Vec::new()));
                }
                given.usual &= own.len() == 1 && given.call_positions.is_some();
                rest.insert(name.clone(), Value::Object(own));
            }
            (Some(format), Value::Object(map)) => {
                given.of.push((format, map));
                rest.insert(name.clone(), Value::Object(Map::new()));
            }
            (_, other) => {
                given.usual = false;
                rest.insert(name.clone(), other);
            }
        }
    }
    given.rest = Some(rest);
    Ok(given)
}

fn tool_output(
    fields: &mut Fields,
    content: Vec<Part>,
    given: &mut GivenExtras,
    index: usize,
) -> Result<ToolOutput> {
    let Some(call_id) = fields.take_string("tool_call_id") else {
        return Err(Error::message_at(index, "a tool message needs `tool_call_id`"));
    };
    let mut out = ToolOutput { content, ..ToolOutput::text(call_id, "") };
    let is_error = fields.take_flag("is_error");
    out.is_error = is_error.ok_or_else(|| Error::message_at(index, "`is_error` is not a boolean"))?;
    if let Some(value) = fields.get("output_ref").filter(|v| !v.is_null()) {
        let bad = |_| Error::message_at(index, "`output_ref` is not `{ id, byte_size?, line_count? }`");
        let read: ToolOutputRef = serde_json::from_value(value.clone()).map_err(bad)?;
        if serde_json::to_value(&read).is_ok_and(|written| Some(&written) == fields.get("output_ref")) {
            fields.take("output_ref"); // otherwise it has more than we can represent, and stays
        }
        out.output_ref = Some(Box::new(read));
    }
    for (format, map) in &mut given.of {
        if let Some(Value::Object(own)) = map.shift_remove(OUTPUT_EXTRAS) {
            out.extras = out.extras.with(*format, own);
        }
    }
    given.of.retain(|(format, map)| !map.is_empty() || !out.extras.came_in(*format));
    Ok(out)
}

fn tool_calls(fields: &mut Fields, index: usize) -> Result<Vec<Part>> {
    match fields.take("tool_calls") {
        None => Ok(Vec::new()),
        Some(Value::Array(list)) if list.is_empty() => {
            fields.restore("tool_calls", Value::Array(list)); // without a template, an empty list would not be written
            Ok(Vec::new())
        }
        Some(Value::Array(list)) => {
            list.iter().enumerate().map(|(n, c)| tool_call(c, index, n).map(Part::from)).collect()
        }
        Some(_) => Err(Error::message_at(index, "`tool_calls` is not a list")),
    }
}

fn tool_call(value: &Value, index: usize, n: usize) -> Result<ToolCall> {
    let wrong = |what: &str| Error::message_at(index, inside(&format!("tool_calls[{n}]"), what));
    let Value::Object(map) = value else { return Err(wrong(" is not an object")) };
    let mut fields = Fields::new(map);
    let id = fields.take_string("id").ok_or_else(|| wrong(" has no `id`"))?;
    let kind = fields.take_string("type").ok_or_else(|| wrong(" has no `type`"))?;
    let mut body = |key: &str, text: &str| -> Result<(String, Text)> {
        let Some(Value::Object(inner)) = fields.get(key) else {
            return Err(wrong(&format!(" has no `{key}`")));
        };
        let mut inner = Fields::new(inner);
        let (Some(name), Some(input)) = (inner.take_string("name"), inner.take_text(text)) else {
            return Err(wrong(&format!("`.{key}` {}", inner.needed_of_call(text))));
        };
        fields.take(key);
        fields.nest(key, inner, &["name", text]);
        Ok((name, input))
    };
    let mut call = match kind.as_str() {
        "function" => {
            let (name, input) = body("function", "arguments")?;
            ToolCall::function(id, name, input)
        }
        "custom" => {
            let (name, input) = body("custom", "input")?;
            ToolCall::custom(id, name, input)
        }
        "opaque" => {
            let (format, raw) = opaque(&mut fields).ok_or_else(|| wrong(" needs `format` and `raw`"))?;
            opaque_call(id, format, raw)
        }
        _ => return Err(wrong(&format!(" is of the unknown type `{kind}`"))),
    };
    call.hosted = fields.take_flag("hosted").unwrap_or(false);
    let given = extras(&mut fields, index)?;
    call.extras = part_extras(fields, given, &CALL_KEYS);
    Ok(call)
}

fn opaque(fields: &mut Fields) -> Option<(Format, Arc<Value>)> {
    let format = Format::parse(fields.get("format")?.as_str()?)?;
    let raw = fields.take("raw")?;
    fields.take("format");
    Some((format, Arc::new(raw)))
}

/// Inserts the calls at their positions among the parts, or at the end if there are no positions.
fn place(parts: &mut Vec<Part>, calls: Vec<Part>, positions: Option<&[usize]>, index: usize) -> Result<()> {
    let Some(positions) = positions else {
        parts.extend(calls);
        return Ok(());
    };
    let bad =
        || Error::message_at(index, format!("`extras.messages.{CALL_POSITIONS}` does not fit the parts"));
    if positions.len() != calls.len() {
        return Err(bad());
    }
    for (call, &at) in calls.into_iter().zip(positions) {
        if at > parts.len() {
            return Err(bad());
        }
        parts.insert(at, call);
    }
    Ok(())
}

fn part_extras(mut fields: Fields, mut given: GivenExtras, order: &[&str]) -> Extras {
    given.restore_extras(&mut fields, false);
    let mut extras = fields.into_extras(Format::Messages, order);
    for (format, map) in given.of {
        extras = extras.with(format, map);
    }
    extras
}

fn part(value: &Value, index: usize, n: usize) -> Result<Part> {
    let wrong = |what: &str| Error::message_at(index, inside(&format!("content[{n}]"), what));
    let Value::Object(map) = value else { return Err(wrong(" is not an object")) };
    let mut fields = Fields::new(map);
    let kind = fields.take_string("type").ok_or_else(|| match (of_part(value), map.keys().next()) {
        (Some(format), Some(key)) => wrong(&format!(": {}", foreign(key, format))),
        _ => wrong(" has no `type`"),
    })?;
    let given = extras(&mut fields, index)?;
    let finish = |fields: Fields| part_extras(fields, given, &PART_KEYS);
    let part = match kind.as_str() {
        "text" => {
            let text = fields.take_text("text").ok_or_else(|| wrong(" needs `text`, a string"))?;
            Part::Text { text, extras: finish(fields) }
        }
        "refusal" => {
            let text = fields.take_text("refusal").ok_or_else(|| wrong(" needs `refusal`, a string"))?;
            Part::Refusal { text, extras: finish(fields) }
        }
        "reasoning" => {
            let mut out = Reasoning {
                id: string(&mut fields, "id", &wrong)?,
                text: string(&mut fields, "text", &wrong)?.map(Into::into),
                signature: string(&mut fields, "signature", &wrong)?.map(Into::into),
                encrypted: string(&mut fields, "encrypted", &wrong)?.map(Into::into),
                redacted: fields.take_flag("redacted").unwrap_or(false),
                ..Reasoning::default()
            };
            out.summary = summary(&mut fields).ok_or_else(|| wrong("`.summary` is not a list of strings"))?;
            out.extras = finish(fields);
            Part::from(out)
        }
        "image" | "document" | "audio" => {
            let mut out = Media::new(match kind.as_str() {
                "image" => MediaKind::Image,
                "document" => MediaKind::Document,
                _ => MediaKind::Audio,
            });
            out.url = string(&mut fields, "url", &wrong)?;
            out.data = string(&mut fields, "data", &wrong)?.map(Into::into);
            out.file_id = string(&mut fields, "file_id", &wrong)?;
            out.filename = string(&mut fields, "filename", &wrong)?;
            out.media_type = string(&mut fields, "media_type", &wrong)?;
            out.detail = string(&mut fields, "detail", &wrong)?;
            out.width = pixels(&mut fields, "width", &wrong)?;
            out.height = pixels(&mut fields, "height", &wrong)?;
            out.extras = finish(fields);
            Part::Media(out.into())
        }
        "opaque" => {
            let (format, raw) = opaque(&mut fields).ok_or_else(|| wrong(" needs `format` and `raw`"))?;
            if fields.is_plain(&PART_KEYS) {
                Part::Opaque { format, raw }
            } else {
                Part::Opaque { format: Format::Messages, raw: Arc::new(value.clone()) }
            }
        }
        _ => Part::Opaque { format: Format::Messages, raw: Arc::new(value.clone()) },
    };
    // A part of another format would not appear in any view: this is a mistake of the caller, not a kind that is
    // unknown yet.
    let says_nothing = match &part {
        Part::Opaque { format: Format::Messages, .. } => kind != "opaque",
        Part::Media(media) => media.url.is_none() && media.data.is_none() && media.file_id.is_none(),
        _ => false,
    };
    match of_part(value).filter(|format| says_nothing && *format != Format::Messages) {
        Some(format) => Err(wrong(&format!(": {}", foreign(&kind, format)))),
        None => Ok(part),
    }
}

/// What is wrong at a path. If `what` begins with the rest of the path, they are one.
fn inside(path: &str, what: &str) -> String {
    match what.strip_prefix('`') {
        Some(rest) => format!("`{path}{rest}"),
        None => format!("`{path}`{what}"),
    }
}

/// The value under `key`, unless it is missing or `null`.
fn at<'a>(fields: &'a Fields, key: &str) -> Option<&'a Value> {
    fields.get(key).filter(|v| !v.is_null())
}

fn string(fields: &mut Fields, key: &str, wrong: &dyn Fn(&str) -> Error) -> Result<Option<String>> {
    match at(fields, key) {
        None => Ok(None),
        Some(Value::String(_)) => Ok(fields.take_string(key)),
        Some(_) => Err(wrong(&format!("`.{key}` is not a string"))),
    }
}

fn pixels(fields: &mut Fields, key: &str, wrong: &dyn Fn(&str) -> Error) -> Result<Option<u32>> {
    let Some(value) = at(fields, key) else { return Ok(None) };
    let Some(n) = value.as_u64().and_then(|n| u32::try_from(n).ok()) else {
        return Err(wrong(&format!("`.{key}` is not a count of pixels")));
    };
    fields.take(key);
    Ok(Some(n))
}

fn summary(fields: &mut Fields) -> Option<Vec<Text>> {
    let Some(value) = at(fields, "summary") else { return Some(Vec::new()) };
    let list: Vec<Text> =
        value.as_array()?.iter().map(|t| t.as_str().map(Text::from)).collect::<Option<_>>()?;
    if !list.is_empty() {
        fields.take("summary"); // without a template, an empty list would not be written
    }
    Some(list)
}
