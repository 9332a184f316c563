use serde_json::{Map, Value};

use super::{ModelLimits, built_in, names};
use crate::config::{describe, whole};
use crate::error::{Error, ErrorCode, Result};
use crate::hashing::HashMap;
use crate::nearest::nearest;

/// The limits of models: the caller's table, then the small built-in one.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    rows: HashMap<String, Row>,
}

/// What the caller's table says about one name.
#[derive(Debug, Clone, Copy)]
struct Row {
    limits: RowLimits,
    /// 0: the name is a key of the table. Higher: the name was derived from a key, which is less certain.
    rank: u8,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum RowLimits {
    Limits(ModelLimits),
    /// The only figure is `max_tokens`, and it limits the output.
    OutputCapOnly,
}

/// The providers that make models which others also serve, under the names that models.dev and `LiteLLM` use. For a name
/// without a provider, their rows take precedence.
const MAKERS: [&str; 14] = [
    "alibaba", "anthropic", "cohere", "dashscope", "deepseek", "gemini", "google", "meta", "mistral",
    "moonshot", "moonshotai", "openai", "xai", "zai",
];

pub(super) const DERIVED: u8 = 1;
pub(super) const DERIVED_FROM_OTHERS: u8 = 2;

impl Registry {
    /// The built-in table only.
    pub fn new() -> Self {
        Self::default()
    }

    /// `models` first, then the built-in table. `models` has one of these shapes, which may be mixed:
    /// - `LiteLLM`'s table: `{ [model]: { max_input_tokens, max_output_tokens, max_tokens, litellm_provider, … } }`
    /// - models.dev's: `{ [provider]: { models: { [model]: { limit: { context, input?, output } } } } }`, or the inner
    ///   `{ [model]: { limit } }` alone
    /// - your own: `{ [model]: { max_input_tokens?, max_output_tokens?, max_tokens?, context_window? } }`
    ///
    /// Rows without limits are ignored.
    ///
    /// # Errors
    /// `INVALID_CONFIG`: `models` or a row is not an object, or a limit is not a whole number (ignored in `LiteLLM`'s rows,
    /// some of which are documentation).
    pub fn with(models: &Value) -> Result<Self> {
        let Value::Object(table) = models else {
            return Err(Error::config("models", format!("expected an object, got {}", describe(models))));
        };
        let mut registry = Self::new();
        for (key, value) in table {
            let Value::Object(row) = value else {
                let path = format!("models.{key}");
                return Err(Error::config(&path, format!("expected an object, got {}", describe(value))));
            };
            match row.get("models") {
                Some(Value::Object(models)) => registry.add_provider(key, models)?,
                _ => registry.add(key, read_row(&format!("models.{key}"), row)?, ""),
            }
        }
        Ok(registry)
    }

    /// The limits of `model`. Its name may have a provider's prefix, a region, a version or a date; the most specific known
    /// form of it is used, and the caller's table comes before the built-in one. A name that is only similar is not the same
    /// model.
    ///
    /// # Errors
    /// `UNKNOWN_MODEL`: the model is in no table, or its row has no `max_input_tokens` and its `max_tokens` only limits the
    /// output.
    pub fn resolve(&self, model: &str) -> Result<ModelLimits> {
        let names = names::candidates(model);
        let row = best_row(&names, |name| self.rows.get(name), |row| row.rank);
        match row.map(|r| r.limits) {
            // If the row has no window, use the built-in one, so that the reserved output is not taken off the input
            // (MOD-3).
            Some(RowLimits::Limits(limits)) => Ok(ModelLimits {
                context_window: limits
                    .context_window
                    .or_else(|| built_in_window(&names, limits.max_input_tokens)),
                ..limits
            }),
            Some(RowLimits::OutputCapOnly) => Err(Error::new(
                ErrorCode::UnknownModel,
                format!(
                    "`models` has no input limit for `{model}`: its `max_tokens` only limits the output; add `max_input_tokens`, or leave `model` out and set `contextWindow`"
                ),
            )),
            None => names
                .iter()
                .find_map(|name| built_in::limits(name))
                .ok_or_else(|| self.unknown(model, &names)),
        }
    }

    fn add_provider(&mut self, provider: &str, models: &Map<String, Value>) -> Result<()> {
        for (name, value) in models {
            let path = format!("models.{provider}.models.{name}");
            let Value::Object(row) = value else {
                return Err(Error::config(&path, format!("expected an object, got {}", describe(value))));
            };
            let says = read_row(&path, row)?;
            self.add(&format!("{provider}/{name}"), says, provider);
        }
        Ok(())
    }

    fn add(&mut self, key: &str, limits: Option<RowLimits>, provider: &str) {
        let Some(says) = limits else { return };
        let key = key.to_lowercase();
        let derived = if is_maker(&key, provider) { DERIVED } else { DERIVED_FROM_OTHERS };
        for name in key_forms(&key) {
            let rank = if name == key { 0 } else { derived };
            self.insert(name, Row { limits: says, rank });
        }
    }

    /// Keeps the row with the lower rank. If two rows of equal rank differ, keeps the smaller limit, which is safe for both.
    fn insert(&mut self, name: String, row: Row) {
        let better = match self.rows.get(&name) {
            None => true,
            Some(there) if there.rank != row.rank => row.rank < there.rank,
            Some(there) => match (row.limits, there.limits) {
                (RowLimits::Limits(new), RowLimits::Limits(old)) => new.limit(0) < old.limit(0),
                (RowLimits::Limits(_), RowLimits::OutputCapOnly) => true,
                (RowLimits::OutputCapOnly, _) => false,
            },
        };
        if better {
            self.rows.insert(name, row);
        }
    }

    fn unknown(&self, model: &str, names: &[String]) -> Error {
        let known = self.rows.keys().map(String::as_str).chain(built_in::names());
        let shortest = names.iter().min_by_key(|n| n.len()).map_or(model, String::as_str);
        let relative = names.iter().rev().find_map(|name| nearest_relative(name, known.clone()));
        let near = nearest(shortest, known, 4);
        let near = if near.is_empty() { String::new() } else { format!(" (known: {})", near.join(", ")) };
        let shown: String = model.chars().take(80).collect();
        let assume = relative.map_or_else(String::new, |relative| {
            format!("name a known model with the same limits, as `assumeModel: {relative:?}`, ")
        });
        Error::new(
            ErrorCode::UnknownModel,
            format!(
                "the limits of `{shown}` are unknown{near}; the built-in table is from {}; {assume}add a row to `models`, as `models: {{ {shown:?}: {{ max_input_tokens: 128_000 }} }}`, or leave `model` out and set `contextWindow`",
                built_in::BUILT_IN_AS_OF
            ),
        )
    }
}

/// The newest known model that shares the longest beginning with this name, at least the family: `claude-opus-5-5` for
/// `claude-opus-6`.
fn nearest_relative<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let family = name.find(|c: char| !c.is_ascii_alphabetic())?;
    let shared = |known: &str| {
        let same = name.bytes().zip(known.bytes()).take_while(|(a, b)| a == b).count();
        let digit = |text: &str| text.as_bytes().get(same).is_some_and(u8::is_ascii_digit);
        // A differing number means another model of the same line: `gpt-7` is closer to `gpt-6-sol` than to `gpt-oss-20b`.
        // For a variant, the model itself is closest.
        let is_of = name.strip_prefix(known).is_some_and(|rest| rest.starts_with(['-', '.', ':']));
        let near = same + if is_of { 2 } else { 0 };
        (same > family && !known.contains('/')).then_some((near, digit(name) && digit(known)))
    };
    known.filter_map(|known| Some((shared(known)?, known))).max().map(|(_, known)| known)
}

/// The row of the first of these names among the rows with the lowest rank. So a key of the table under a less specific name
/// wins over a row derived from another provider's key (for `openai/gpt-5`: `gpt-5` before `gmi/openai/gpt-5`).
pub(super) fn best_row<'r, Row>(
    names: &[String],
    row: impl Fn(&str) -> Option<&'r Row>,
    rank: impl Fn(&Row) -> u8,
) -> Option<&'r Row> {
    names.iter().filter_map(|name| row(name)).min_by_key(|row| rank(row))
}

/// Whether a key is the maker's own row rather than that of a provider that only serves the model.
pub(super) fn is_maker(key: &str, provider: &str) -> bool {
    provider.is_empty() && !key.contains('/')
        || MAKERS.iter().any(|m| *m == provider || key.strip_prefix(m).is_some_and(|k| k.starts_with('/')))
}

/// A key of a table, and the key without each part of its path: `azure/gpt-5` also stands for `gpt-5`. Dates are kept: a
/// dated row is not used for the undated name.
pub(super) fn key_forms(key: &str) -> Vec<String> {
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

/// The limits in a row; `None` if it has none.
fn read_row(path: &str, row: &Map<String, Value>) -> Result<Option<RowLimits>> {
    let limit = row.get("limit").and_then(Value::as_object);
    let lenient = row.contains_key("litellm_provider");
    let number = |map: &Map<String, Value>, key: &str| match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match whole(value).or_else(|| value.as_str()?.parse().ok()) {
            Some(n) => Ok((n > 0).then_some(n)),
            None if lenient => Ok(None),
            None => {
                let expected = format!("expected a whole number of tokens, got {}", describe(value));
                let inside = if limit.is_some() { "limit." } else { "" };
                Err(Error::config(&format!("{path}.{inside}{key}"), expected))
            }
        },
    };
    let (max_input, window, max_output, max_tokens) = match limit {
        Some(limit) => (number(limit, "input")?, number(limit, "context")?, number(limit, "output")?, None),
        None => (
            number(row, "max_input_tokens")?,
            number(row, "context_window")?,
            number(row, "max_output_tokens")?,
            number(row, "max_tokens")?,
        ),
    };
    let output_cap = max_tokens.is_some() && max_tokens == max_output;
    let Some(max_input_tokens) = max_input.or(window).or(max_tokens.filter(|_| !output_cap)) else {
        return Ok(output_cap.then_some(RowLimits::OutputCapOnly));
    };
    Ok(Some(RowLimits::Limits(ModelLimits {
        max_input_tokens,
        context_window: window,
        max_output_tokens: max_output,
    })))
}

/// The built-in window of a model, if it is not smaller than the caller's largest input.
fn built_in_window(names: &[String], max_input: u64) -> Option<u64> {
    let limits = names.iter().find_map(|name| built_in::limits(name))?;
    limits.context_window.filter(|window| *window >= max_input)
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
