use serde_json::Value;

use super::price::Price;
use super::table::{Table, known_names, object};
use super::{built_in, names};
use crate::error::{Error, ErrorCode, Result};

/// What models cost: the caller's table, then the small built-in one.
#[derive(Debug, Clone, Default)]
pub struct Prices {
    table: Table<Price>,
    /// One price for every model.
    any: Option<Price>,
}

/// A price, and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Priced {
    /// The price.
    pub price: Price,
    /// Whether it is from the built-in table.
    pub built_in: bool,
}

impl Prices {
    /// `prices` first, then the built-in table. `prices` has one of these shapes, which may be mixed:
    /// - `LiteLLM`'s table: `{ [model]: { input_cost_per_token, output_cost_per_token, cache_read_input_token_cost?,
    ///   cache_creation_input_token_cost?, input_cost_per_token_above_200k_tokens?, … } }`
    /// - models.dev's: `{ [provider]: { models: { [model]: { cost: { input, output, cache_read?, cache_write? } } } } }`, in
    ///   dollars per million, or the inner `{ [model]: { cost } }` alone
    /// - a single row of either, for every model
    ///
    /// Rows without prices are ignored.
    ///
    /// # Errors
    /// `INVALID_CONFIG`: `prices` or a row is not an object, or a price is not a number.
    pub fn with(prices: &Value) -> Result<Self> {
        let rows = object("prices", prices)?;
        if let Some(any) = Price::read("prices", rows)? {
            return Ok(Self { any: Some(any), ..Self::default() });
        }
        let table = Table::read("prices", rows, Price::read, |_, _| false)?;
        Ok(Self { table, any: None })
    }

    /// The price of `model`. Names are looked up as in [`Registry`](super::Registry).
    ///
    /// # Errors
    /// `UNKNOWN_MODEL`: the model is in no table.
    pub fn resolve(&self, model: &str) -> Result<Priced> {
        if let Some(price) = &self.any {
            return Ok(Priced { price: price.clone(), built_in: false });
        }
        let names = names::candidates(model);
        if let Some(price) = self.table.get(&names) {
            return Ok(Priced { price: price.clone(), built_in: false });
        }
        let known = names.iter().find_map(|name| built_in::price(name));
        known.map(|price| Priced { price, built_in: true }).ok_or_else(|| self.unknown(model))
    }

    /// The single price for every model, if one was given.
    pub fn for_any(&self) -> Option<Priced> {
        self.any.clone().map(|price| Priced { price, built_in: false })
    }

    /// The models in the built-in table, by name.
    pub fn built_in() -> impl Iterator<Item = &'static str> {
        built_in::priced()
    }

    fn unknown(&self, model: &str) -> Error {
        let near = known_names(model, self.table.names().chain(built_in::priced()));
        let shown: String = model.chars().take(80).collect();
        let what = format!(
            "the price of `{shown}` is unknown{near}; add a row for it to `prices`, or name another model in `priceAs`"
        );
        Error::new(ErrorCode::UnknownModel, what)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn dollars(prices: &Value, model: &str, tokens: [u64; 3]) -> f64 {
        let price = Prices::with(prices).and_then(|p| p.resolve(model)).map(|p| p.price);
        let [input, cached, output] = tokens;
        price.map_or(f64::NAN, |p| p.request(input, cached, output).total())
    }

    fn assert_dollars(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
    }

    #[test]
    fn litellm_rows_are_read() {
        let table = json!({
            "sample_spec": { "input_cost_per_token": 0.0, "litellm_provider": "one of https://…", "output_cost_per_token": "text" },
            "claude-x": {
                "input_cost_per_token": 3e-6, "output_cost_per_token": 1.5e-5, "litellm_provider": "anthropic",
                "cache_read_input_token_cost": 3e-7, "cache_creation_input_token_cost": 3.75e-6,
                "input_cost_per_token_above_200k_tokens": 6e-6, "output_cost_per_token_above_200k_tokens": 2.25e-5,
                "cache_read_input_token_cost_above_200k_tokens": 6e-7, "cache_creation_input_token_cost_above_200k_tokens": 7.5e-6
            },
            "azure/gpt-x": { "input_cost_per_token": 9e-6, "output_cost_per_token": 9e-6 },
            "openai/gpt-x": { "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6 }
        });
        assert_dollars(
            dollars(&table, "claude-x", [10_000, 8_000, 100]),
            2_000.0 * 3.75e-6 + 8_000.0 * 3e-7 + 100.0 * 1.5e-5,
        );
        assert_dollars(dollars(&table, "claude-x", [300_000, 0, 1]), 300_000.0 * 7.5e-6 + 2.25e-5);
        assert_dollars(dollars(&table, "anthropic/claude-x-20990101", [10, 0, 0]), 10.0 * 3.75e-6);
        assert_dollars(dollars(&table, "gpt-x", [10_000, 5_000, 1]), 10_000.0 * 1e-6 + 2e-6);
    }

    #[test]
    fn a_resellers_price_is_not_used_for_the_original_provider() {
        let table = json!({
            "gpt-x": { "input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6 },
            "gmi/openai/gpt-x": { "input_cost_per_token": 7e-6, "output_cost_per_token": 9e-6 }
        });
        for model in ["gpt-x", "openai/gpt-x", "openrouter/openai/gpt-x"] {
            assert_dollars(dollars(&table, model, [1000, 0, 0]), 1e-3);
        }
        assert_dollars(dollars(&table, "gmi/openai/gpt-x", [1000, 0, 0]), 7e-3);
    }

    #[test]
    fn models_dev_rows_are_read() {
        let cost = json!({ "input": 2.0, "output": 12.0, "cache_read": 0.2, "context_over_200k": { "input": 4.0, "output": 18.0 } });
        let table =
            json!({ "google": { "id": "google", "models": { "gem-x": { "id": "gem-x", "cost": cost } } } });
        assert_dollars(dollars(&table, "gem-x", [100_000, 50_000, 1_000]), 0.1 + 0.01 + 0.012);
        assert_dollars(dollars(&table, "google/gem-x", [300_000, 0, 1_000]), 1.2 + 0.018);
        let tiers = json!({ "cost": { "input": 5, "output": 30, "cache_read": 0.5, "tiers": [{ "context": { "min": 272_000 }, "input": 10, "output": 45, "cache_read": 1 }] } });
        assert_dollars(dollars(&tiers, "whatever", [280_000, 280_000, 0]), 0.28);
        assert_dollars(
            dollars(&json!({ "input": 1, "output": 2 }), "whatever", [1_000_000, 0, 1_000_000]),
            3.0,
        );
    }

    #[test]
    fn a_prefix_too_short_to_cache_is_paid_in_full() {
        let table = json!({ "input": 1, "output": 1, "cache_read": 0.1 });
        assert_dollars(dollars(&table, "x", [1_500, 1_023, 0]), 0.0015);
        assert_dollars(dollars(&table, "x", [1_500, 1_024, 0]), 0.000_476 + 0.000_102_4);
    }

    #[test]
    fn the_built_in_table_is_the_fallback_and_unknown_models_are_errors() {
        let priced = Prices::default().resolve("openai/gpt-5-2025-08-07").unwrap();
        assert!(priced.built_in && priced.price.rates(1).input_cost_per_token > 1e-6);
        let error = Prices::default().resolve("gpt-55").unwrap_err();
        assert!(error.code() == ErrorCode::UnknownModel && error.message().contains("gpt-5"), "{error}");
        for wrong in [
            json!([]),
            json!({ "a": 1 }),
            json!({ "a": { "input_cost_per_token": "much" } }),
            json!({ "a": { "cost": { "input": -1 } } }),
        ] {
            assert_eq!(Prices::with(&wrong).unwrap_err().code(), ErrorCode::InvalidConfig, "{wrong}");
        }
    }
}
