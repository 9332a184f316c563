//! JSON values in binary, because text does not preserve every number bit for bit.

use serde_json::{Map, Number, Value};

use super::{Reader, Saved, Writer};
use crate::error::Result;

impl Saved for Value {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        match self {
            Self::Null => out.byte(0),
            Self::Bool(value) => out.byte(1 + u8::from(*value)),
            Self::Number(number) => save_number(number, out),
            Self::String(text) => {
                out.byte(6);
                out.string(text);
            }
            Self::Array(list) => {
                out.byte(7);
                list.save(out);
            }
            Self::Object(map) => {
                out.byte(8);
                map.save(out);
            }
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        from.nested(load_value)
    }
}

impl Saved for Map<String, Value> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.count(self.len());
        for (key, value) in self {
            out.string(key);
            value.save(out);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let n = from.count()?;
        let mut map = Self::new();
        for _ in 0..n {
            let key = from.string()?.to_owned();
            map.insert(key, Value::load(from)?);
        }
        Ok(map)
    }
}

fn save_number(number: &Number, out: &mut Writer<'_>) {
    if let Some(n) = number.as_u64() {
        out.byte(3);
        out.number(n);
    } else if let Some(n) = number.as_i64() {
        out.byte(4);
        out.number(n.unsigned_abs());
    } else {
        out.byte(5);
        out.float(number.as_f64().unwrap_or_default());
    }
}

fn load_value(from: &mut Reader<'_>) -> Result<Value> {
    Ok(match from.byte()? {
        0 => Value::Null,
        1 => Value::Bool(false),
        2 => Value::Bool(true),
        3 => Value::from(from.number()?),
        4 => {
            let n = from.number()?;
            let negative = 0_i64.checked_sub_unsigned(n).filter(|n| *n < 0);
            Value::from(negative.ok_or_else(|| from.invalid("a number is out of range"))?)
        }
        5 => {
            let n = Number::from_f64(f64::load(from)?);
            Value::Number(n.ok_or_else(|| from.invalid("a number is invalid"))?)
        }
        6 => Value::String(from.string()?.to_owned()),
        7 => Value::Array(Saved::load(from)?),
        8 => Value::Object(Saved::load(from)?),
        _ => return Err(from.invalid("a value is of an unknown kind")),
    })
}
