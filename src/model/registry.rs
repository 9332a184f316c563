use serde_json::{Map, Value};

use super::table::{Table, known_names, object};
use super::{ModelLimits, built_in, names};
use crate::config::{describe, whole};
use crate::error::{Error, ErrorCode, Result};

/// The limits of models: the caller's table, then the small built-in one.
#[derive(Debug, Clone, Default)]
pub struct Registry {
    table: Table<RowLimits>,
}

/// What a row says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum RowLimits {
    Limits(ModelLimits),
    /// The only figure is `max_tokens`, and it limits the output.
    OutputCapOnly,
}

impl RowLimits {
    /// The smaller limit is safe for both.
    fn is_smaller(&self, than: &Self) -> bool {
        match (self, than) {
            (Self::Limits(new), Self::Limits(old)) => new.limit(0) < old.limit(0),
            (Self::Limits(_), Self::OutputCapOnly) => true,
            (Self::OutputCapOnly, _) => false,
        }
    }
}

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
        let table = Table::read("models", object("models", models)?, read_row, RowLimits::is_smaller)?;
        Ok(Self { table })
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
        match self.table.get(&names).copied() {
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
                format!("`models` has no input limit for `{model}`: its `max_tokens` only limits the output"),
            )
            .with_advice("; add `max_input_tokens`, or leave `model` out and set `contextWindow`")),
            None => names
                .iter()
                .find_map(|name| built_in::limits(name))
                .ok_or_else(|| self.unknown(model, &names)),
        }
    }

    fn unknown(&self, model: &str, names: &[String]) -> Error {
        let known = self.table.names().chain(built_in::names());
        let shortest = names.iter().min_by_key(|n| n.len()).map_or(model, String::as_str);
        let relative = names.iter().rev().find_map(|name| nearest_relative(name, known.clone()));
        let near = known_names(shortest, known);
        let shown: String = model.chars().take(80).collect();
        let assume = relative.map_or_else(String::new, |relative| {
            format!("name a known model with the same limits, as `assumeModel: {relative:?}`, ")
        });
        let why = format!(
            "the limits of `{shown}` are unknown{near}; the built-in table is from {}",
            built_in::BUILT_IN_AS_OF
        );
        Error::new(ErrorCode::UnknownModel, why).with_advice(&format!(
            "; {assume}add a row to `models`, as `models: {{ {shown:?}: {{ max_input_tokens: 128_000 }} }}`, or leave `model` out and set `contextWindow`"
        ))
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
