//! JSON objects in few bytes. Every message keeps the fields of its format that our own types have no field for, and
//! they are rarely read. As a map, an id and three empty fields would take 500 bytes; encoded they take 70.

use serde_json::{Map, Number, Value};

use super::Format;
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

/// A list of formats with the object that each one carries; the order of its fields is kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EncodedFields(Box<[u8]>);

/// Keys that are encoded as their index in this list. The list may change: it is used in memory only, and saved data
/// has the names.
const KEYS: [&str; 30] = [
    "type", "role", "content", "text", "id", "status", "annotations", "logprobs", "item", "call_id", "name",
    "arguments", "output", "summary", "encrypted_content", "phase", "providerOptions", "toolCallId",
    "toolName", "input", "value", "openai", "itemId", "anthropic", "cache_control", "tool_calls", "function",
    "refusal", "signature", "extras",
];

impl EncodedFields {
    pub fn of(carried: &[(Format, Map<String, Value>)]) -> Self {
        let mut out = vec![carried.len() as u8];
        for (format, fields) in carried {
            let mut bytes = Vec::new();
            put_fields(&mut bytes, fields);
            out.push(format_index(*format));
            put_number(&mut out, bytes.len() as u64);
            out.append(&mut bytes);
        }
        Self(out.into())
    }

    pub fn by_format(&self) -> impl Iterator<Item = (Format, Fields<'_>)> {
        let mut at = Cursor(&self.0);
        (0..at.byte()).map(move |_| {
            let format = at.format();
            let bytes = at.number() as usize;
            (format, Fields(at.take(bytes)))
        })
    }
}

/// A format's index in [`Format::ALL`], which is also how it is saved.
fn format_index(format: Format) -> u8 {
    Format::ALL.iter().position(|f| *f == format).unwrap_or_default() as u8
}

/// The fields of one object.
#[derive(Clone, Copy)]
pub(super) struct Fields<'b>(&'b [u8]);

impl<'b> Fields<'b> {
    pub fn to_map(self) -> Map<String, Value> {
        Cursor(self.0).fields()
    }

    pub fn has(self, key: &str) -> bool {
        self.find(key).is_some()
    }

    pub fn get(self, key: &str) -> Option<Value> {
        self.find(key).map(|mut at| at.value())
    }

    fn find(self, key: &str) -> Option<Cursor<'b>> {
        let mut at = Cursor(self.0);
        (0..at.number()).find_map(|_| {
            let is_it = at.key() == key;
            let value = at;
            at.skip();
            is_it.then_some(value)
        })
    }
}

/// Saved like a list of formats and maps.
impl Saved for EncodedFields {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.number(self.by_format().count() as u64);
        for (format, Fields(bytes)) in self.by_format() {
            out.byte(format_index(format));
            Cursor(bytes).save_fields(out);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Vec::load(from).map(|carried| Self::of(&carried))
    }
}

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const POSITIVE: u8 = 3;
const NEGATIVE: u8 = 4;
const FLOAT: u8 = 5;
const TEXT: u8 = 6;
const LIST: u8 = 7;
const OBJECT: u8 = 8;

fn put_fields(out: &mut Vec<u8>, fields: &Map<String, Value>) {
    put_number(out, fields.len() as u64);
    for (key, value) in fields {
        if let Some(place) = KEYS.iter().position(|known| known == key) {
            put_number(out, place as u64);
        } else {
            put_number(out, (KEYS.len() + key.len()) as u64);
            out.extend_from_slice(key.as_bytes());
        }
        put(out, value);
    }
}

fn put(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => out.push(NULL),
        Value::Bool(value) => out.push(if *value { TRUE } else { FALSE }),
        Value::Number(number) => {
            if let Some(n) = number.as_u64() {
                out.push(POSITIVE);
                put_number(out, n);
            } else if let Some(n) = number.as_i64() {
                out.push(NEGATIVE);
                put_number(out, n.unsigned_abs());
            } else {
                out.push(FLOAT);
                out.extend_from_slice(&number.as_f64().unwrap_or_default().to_le_bytes());
            }
        }
        Value::String(text) => {
            out.push(TEXT);
            put_number(out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        Value::Array(list) => {
            out.push(LIST);
            put_number(out, list.len() as u64);
            for value in list {
                put(out, value);
            }
        }
        Value::Object(fields) => {
            out.push(OBJECT);
            put_fields(out, fields);
        }
    }
}

/// Variable length: seven bits per byte, the lowest first.
fn put_number(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Reads what [`put`] wrote. Past the end, it reads zeros.
#[derive(Clone, Copy)]
struct Cursor<'b>(&'b [u8]);

impl<'b> Cursor<'b> {
    fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *byte
    }

    fn format(&mut self) -> Format {
        Format::ALL.get(usize::from(self.byte())).copied().unwrap_or(Format::Messages)
    }

    fn number(&mut self) -> u64 {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte();
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        n
    }

    fn take(&mut self, n: usize) -> &'b [u8] {
        let (taken, rest) = self.0.split_at_checked(n).unwrap_or_default();
        self.0 = rest;
        taken
    }

    fn string(&mut self, bytes: usize) -> &'b str {
        str::from_utf8(self.take(bytes)).unwrap_or_default()
    }

    fn key(&mut self) -> &'b str {
        let n = self.number() as usize;
        match KEYS.get(n) {
            Some(key) => key,
            None => self.string(n - KEYS.len()),
        }
    }

    fn text(&mut self) -> &'b str {
        let bytes = self.number() as usize;
        self.string(bytes)
    }

    fn float(&mut self) -> f64 {
        f64::from_le_bytes(self.take(8).try_into().unwrap_or_default())
    }

    fn fields(&mut self) -> Map<String, Value> {
        (0..self.number()).map(|_| (self.key().to_owned(), self.value())).collect()
    }

    fn value(&mut self) -> Value {
        match self.byte() {
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            POSITIVE => self.number().into(),
            NEGATIVE => 0_i64.wrapping_sub_unsigned(self.number()).into(),
            FLOAT => Number::from_f64(self.float()).map_or(Value::Null, Value::Number),
            TEXT => self.text().into(),
            LIST => (0..self.number()).map(|_| self.value()).collect(),
            OBJECT => Value::Object(self.fields()),
            _ => Value::Null,
        }
    }

    fn skip(&mut self) {
        match self.byte() {
            POSITIVE | NEGATIVE => drop(self.number()),
            FLOAT => drop(self.take(8)),
            TEXT => {
                let bytes = self.number() as usize;
                self.take(bytes);
            }
            LIST => (0..self.number()).for_each(|_| self.skip()),
            OBJECT => (0..self.number()).for_each(|_| {
                self.key();
                self.skip();
            }),
            _ => {}
        }
    }

    /// Saves a map in the same way as `saved::json`.
    fn save_fields(&mut self, out: &mut Writer<'b>) {
        let n = self.number();
        out.number(n);
        for _ in 0..n {
            out.string(self.key());
            self.save(out);
        }
    }

    fn save(&mut self, out: &mut Writer<'b>) {
        let kind = self.byte();
        out.byte(kind);
        match kind {
            POSITIVE | NEGATIVE => out.number(self.number()),
            FLOAT => out.float(self.float()),
            TEXT => out.string(self.text()),
            LIST => {
                let n = self.number();
                out.number(n);
                (0..n).for_each(|_| self.save(out));
            }
            OBJECT => self.save_fields(out),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::saved::Kind;

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    fn saved(value: &impl Saved) -> Vec<u8> {
        let mut out = Writer::default();
        value.save(&mut out);
        out.into_bytes()
    }

    #[test]
    fn fields_are_decoded_in_order_and_bit_for_bit() {
        let long = "é".repeat(300);
        let fields = map(&json!({
            "z": null, "id": "msg_1", "": "", "type": "", "ключ": [true, false, [], {}, {"a": [1, {"b": null}]}],
            "numbers": [0, 127, 128, u64::MAX, -1, i64::MIN, 1.5, -0.0, 1e300, 5e-324], "text": long,
        }));
        let carried = vec![(Format::OpenaiResponses, fields.clone()), (Format::AiSdk, Map::new())];
        let lean = EncodedFields::of(&carried);
        let read: Vec<_> = lean.by_format().map(|(format, fields)| (format, fields.to_map())).collect();
        assert_eq!(read, carried);
        assert_eq!(serde_json::to_string(&read[0].1).unwrap(), serde_json::to_string(&fields).unwrap());
        let decoded = lean.by_format().next().unwrap().1;
        assert!(fields.keys().all(|key| decoded.has(key)));
        assert!(!decoded.has("status") && !decoded.has("a"));
    }

    #[test]
    fn it_is_saved_like_a_list_of_maps() {
        const KIND: Kind = Kind { name: "contextfold-test", version: 1, what: "a test" };
        for format in Format::ALL {
            let fields =
                map(&json!({ "id": "id", "list": [1, -1, 0.5, "id", { "id": true }], "none": null }));
            let carried = vec![(format, fields), (Format::Messages, Map::new())];
            let bytes = saved(&carried);
            assert_eq!(saved(&EncodedFields::of(&carried)), bytes);
            assert_eq!(
                EncodedFields::load(&mut KIND.unframed(&KIND.framed(&bytes)).unwrap()).unwrap(),
                EncodedFields::of(&carried)
            );
        }
    }
}
