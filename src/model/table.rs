//! A caller's table of models: the rows by the names of their models.

use serde_json::{Map, Value};

use crate::config::describe;
use crate::error::{Error, Result};
use crate::hashing::HashMap;
use crate::nearest::nearest;

/// The providers that make models which others also serve, under the names that models.dev and `LiteLLM` use. For a name
/// without a provider, their rows take precedence.
const MAKERS: [&str; 14] = [
    "alibaba", "anthropic", "cohere", "dashscope", "deepseek", "gemini", "google", "meta", "mistral",
    "moonshot", "moonshotai", "openai", "xai", "zai",
];

/// What a table says about each name.
#[derive(Debug, Clone)]
pub(super) struct Table<R> {
    /// The row, and its rank. 0: the name is a key of the table. Higher: the name was derived from a key, which is less certain.
    rows: HashMap<String, (R, u8)>,
}

impl<R> Default for Table<R> {
    fn default() -> Self {
        Self { rows: HashMap::default() }
    }
}

impl<R: Clone> Table<R> {
    /// Reads the option with this name: rows by model, or by provider and model (`{ [provider]: { models: { [model]: row } } }`).
    /// `read` gets a row and its path; `None` if the row says nothing. `is_better`: whether a row replaces another of the same rank.
    ///
    /// # Errors
    /// `INVALID_CONFIG`: a row is not an object; and the errors of `read`.
    pub fn read(
        option: &str,
        table: &Map<String, Value>,
        read: impl Fn(&str, &Map<String, Value>) -> Result<Option<R>>,
        is_better: impl Fn(&R, &R) -> bool,
    ) -> Result<Self> {
        let mut rows: HashMap<String, (R, u8)> = HashMap::default();
        let mut add = |path: &str, key: &str, provider: &str, row: &Map<String, Value>| {
            let Some(row) = read(path, row)? else { return Ok(()) };
            let key = key.to_lowercase();
            let derived = if is_maker(&key, provider) { 1 } else { 2 };
            for name in key_forms(&key) {
                let rank = if name == key { 0 } else { derived };
                let stays = |(there, known): &(R, u8)| {
                    if rank == *known { !is_better(&row, there) } else { *known < rank }
                };
                if !rows.get(&name).is_some_and(stays) {
                    rows.insert(name, (row.clone(), rank));
                }
            }
            Ok(())
        };
        for (key, value) in table {
            let path = format!("{option}.{key}");
            let row = object(&path, value)?;
            let Some(Value::Object(models)) = row.get("models") else {
                add(&path, key, "", row)?;
                continue;
            };
            for (name, value) in models {
                let path = format!("{path}.models.{name}");
                add(&path, &format!("{key}/{name}"), key, object(&path, value)?)?;
            }
        }
        Ok(Self { rows })
    }

    /// The row of the first of these names among the rows with the lowest rank. So a key of the table under a less specific name
    /// wins over a row derived from another provider's key (for `openai/gpt-5`: `gpt-5` before `gmi/openai/gpt-5`).
    pub fn get(&self, names: &[String]) -> Option<&R> {
        let found = names.iter().filter_map(|name| self.rows.get(name));
        found.min_by_key(|(_, rank)| *rank).map(|(row, _)| row)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.rows.keys().map(String::as_str)
    }
}

/// The value as an object.
///
/// # Errors
/// `INVALID_CONFIG`, with the path.
pub(super) fn object<'a>(path: &str, value: &'a Value) -> Result<&'a Map<String, Value>> {
    let wrong = || Error::config(path, format!("expected an object, got {}", describe(value)));
    value.as_object().ok_or_else(wrong)
}

/// For an error: the known names that are closest to this one.
pub(super) fn known_names<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> String {
    let near = nearest(name, known, 4);
    if near.is_empty() { String::new() } else { format!(" (known: {})", near.join(", ")) }
}

/// Whether a key is the maker's own row rather than that of a provider that only serves the model.
fn is_maker(key: &str, provider: &str) -> bool {
    provider.is_empty() && !key.contains('/')
        || MAKERS.iter().any(|m| *m == provider || key.strip_prefix(m).is_some_and(|k| k.starts_with('/')))
}

/// A key of a table, and the key without each part of its path: `azure/gpt-5` also stands for `gpt-5`. Dates are kept: a
/// dated row is not used for the undated name.
fn key_forms(key: &str) -> Vec<String> {
    let mut forms = vec![key.to_owned()];
    let mut rest = key;
    while let Some((_, tail)) = rest.split_once('/') {
        if !tail.is_empty() {
            forms.push(tail.to_owned());
        }
        rest = tail;
    }
    forms
}
