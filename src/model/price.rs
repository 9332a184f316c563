use serde::Serialize;
use serde_json::{Map, Value};

use crate::config::describe;
use crate::error::{Error, Result};
use crate::tokens::TokenUsage;

/// The shortest prefix that is cached, in tokens, for `OpenAI` and most models of Anthropic. Some models need a longer one.
pub const MIN_CACHED_PREFIX_TOKENS: u64 = 1024;

/// Models.dev writes prices per million tokens.
const MILLION: f64 = 1e6;

/// What a model's tokens cost, in US dollars per token.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Rates {
    /// Input not served from the cache.
    pub input_cost_per_token: f64,
    /// Output.
    pub output_cost_per_token: f64,
    /// Input served from the prompt cache. Absent if there is no discount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_input_token_cost: Option<f64>,
    /// Input written to the cache, if that costs extra (Anthropic).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_creation_input_token_cost: Option<f64>,
}

impl Rates {
    /// Rates from prices in dollars per million tokens. For the cache prices, 0 means that there is no such rate.
    pub const fn per_million(input: f64, output: f64, cache_read: f64, cache_write: f64) -> Self {
        const fn some(rate: f64) -> Option<f64> {
            if rate > 0.0 { Some(rate / MILLION) } else { None }
        }
        Self {
            input_cost_per_token: input / MILLION,
            output_cost_per_token: output / MILLION,
            cache_read_input_token_cost: some(cache_read),
            cache_creation_input_token_cost: some(cache_write),
        }
    }
}

/// What input costs with a prompt cache, as fractions of the input's list price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CachePrices {
    /// Input served from the cache.
    pub read: f64,
    /// Input not served from the cache, and written to it.
    pub write: f64,
}

impl CachePrices {
    /// Assumed for models with unknown prices.
    pub const NEUTRAL: Self = Self { read: 0.1, write: 1.25 };
}

impl Default for CachePrices {
    fn default() -> Self {
        Self::NEUTRAL
    }
}

/// The price of a model. It may be higher for long prompts.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    rates: Rates,
    /// The rates for more than this many input tokens, ascending.
    above: Vec<(u64, Rates)>,
}

/// A cost by kind, in US dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Costs {
    /// Input not served from the cache, at the price of writing to the cache if there is one.
    pub input: f64,
    /// Input served from the prompt cache.
    pub cached: f64,
    /// Output.
    pub output: f64,
}

impl Costs {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.input + self.cached + self.output
    }
}

impl std::ops::AddAssign for Costs {
    fn add_assign(&mut self, other: Self) {
        self.input += other.input;
        self.cached += other.cached;
        self.output += other.output;
    }
}

impl Price {
    /// A price that does not depend on the prompt's length.
    pub fn of(rates: Rates) -> Self {
        Self { rates, above: Vec::new() }
    }

    /// The rates for a prompt of this many tokens.
    pub fn rates(&self, input: u64) -> &Rates {
        self.above.iter().rev().find(|(from, _)| input > *from).map_or(&self.rates, |(_, rates)| rates)
    }

    /// The cache prices for a short prompt. Without a discount, cached input costs as much as other input.
    pub fn cache(&self) -> CachePrices {
        let Rates { input_cost_per_token: input, .. } = self.rates;
        if input <= 0.0 {
            return CachePrices::NEUTRAL;
        }
        let share = |rate: Option<f64>| rate.map_or(1.0, |rate| rate / input);
        CachePrices {
            read: share(self.rates.cache_read_input_token_cost),
            write: share(self.rates.cache_creation_input_token_cost),
        }
    }

    /// What a request with this many input tokens costs if its first `cached` tokens equal the beginning of the previous
    /// request.
    pub fn request(&self, input: u64, cached: u64, output: u64) -> Costs {
        let rates = self.rates(input);
        let served = rates.cache_read_input_token_cost.filter(|_| cached >= MIN_CACHED_PREFIX_TOKENS);
        let (cached, read) = served.map_or((0, 0.0), |rate| (cached.min(input), rate));
        let fresh = rates.cache_creation_input_token_cost.unwrap_or(rates.input_cost_per_token);
        Costs {
            input: (input - cached) as f64 * fresh,
            cached: cached as f64 * read,
            output: output as f64 * rates.output_cost_per_token,
        }
    }

    /// What a call with this reported usage costs. `prompt`: the length of its prompt in tokens, which selects the rates.
    pub fn reported(&self, usage: &TokenUsage, prompt: u64) -> f64 {
        let rates = self.rates(prompt);
        let input = rates.input_cost_per_token;
        usage.input_tokens as f64 * input
            + usage.cache_read_tokens as f64 * rates.cache_read_input_token_cost.unwrap_or(input)
            + usage.cache_creation_tokens as f64 * rates.cache_creation_input_token_cost.unwrap_or(input)
            + usage.output_tokens as f64 * rates.output_cost_per_token
    }

    /// The price as a table row that [`Price::read`] reads; used in snapshots.
    pub fn to_value(&self) -> Value {
        let mut row = Map::new();
        for (tail, rates) in std::iter::once((String::new(), &self.rates))
            .chain(self.above.iter().map(|(from, rates)| (format!("_above_{}k_tokens", from / 1000), rates)))
        {
            let named = [
                ("input_cost_per_token", Some(rates.input_cost_per_token)),
                ("output_cost_per_token", Some(rates.output_cost_per_token)),
                ("cache_read_input_token_cost", rates.cache_read_input_token_cost),
                ("cache_creation_input_token_cost", rates.cache_creation_input_token_cost),
            ];
            row.extend(
                named.into_iter().filter_map(|(key, rate)| Some((format!("{key}{tail}"), rate?.into()))),
            );
        }
        Value::Object(row)
    }

    /// What a request costs that shares no prefix with the previous or the next one, such as a summary request.
    pub fn single_request(&self, input: u64, output: u64) -> f64 {
        let rates = self.rates(input);
        input as f64 * rates.input_cost_per_token + output as f64 * rates.output_cost_per_token
    }

    /// Reads a row of `LiteLLM`'s table (per token) or of models.dev (`cost`, per million); `None` if it has no prices.
    ///
    /// # Errors
    /// `INVALID_CONFIG`: a price is not a number of 0 or more (ignored in `LiteLLM`'s rows).
    pub(super) fn read(path: &str, row: &Map<String, Value>) -> Result<Option<Self>> {
        if let Some(Value::Object(cost)) = row.get("cost") {
            return Self::read_per_million(&format!("{path}.cost"), cost);
        }
        if row.contains_key("input_cost_per_token") {
            return Self::read_per_token(path, row);
        }
        let bare = row.get("input").is_some_and(Value::is_number) && row.contains_key("output");
        if bare { Self::read_per_million(path, row) } else { Ok(None) }
    }

    fn read_per_token(path: &str, row: &Map<String, Value>) -> Result<Option<Self>> {
        let read = |tail: &str, base: Option<&Rates>| -> Result<Rates> {
            let rate = |key: &str| number(path, row, &format!("{key}{tail}"));
            rates_of(
                rate,
                base,
                [
                    "input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost",
                    "cache_creation_input_token_cost",
                ],
            )
        };
        let mut price = Self::of(read("", None)?);
        for key in row.keys() {
            let tail = key.strip_prefix("input_cost_per_token");
            let from =
                tail.and_then(|t| t.strip_prefix("_above_")?.strip_suffix("k_tokens")?.parse::<u64>().ok());
            if let (Some(from), Some(tail)) = (from, tail) {
                let rates = read(tail, Some(&price.rates))?;
                price.above.push((from.saturating_mul(1000), rates));
            }
        }
        Ok(Some(price.sorted()))
    }

    fn read_per_million(path: &str, cost: &Map<String, Value>) -> Result<Option<Self>> {
        let read = |map: &Map<String, Value>, base: Option<&Rates>| {
            let rate = |key: &str| Ok(number(path, map, key)?.map(|n| n / MILLION));
            rates_of(rate, base, ["input", "output", "cache_read", "cache_write"])
        };
        let mut price = Self::of(read(cost, None)?);
        if let Some(Value::Object(over)) = cost.get("context_over_200k") {
            price.above.push((200_000, read(over, Some(&price.rates))?));
        }
        for tier in cost.get("tiers").and_then(Value::as_array).into_iter().flatten() {
            let from =
                tier.pointer("/context/min").or_else(|| tier.pointer("/tier/size")).and_then(Value::as_u64);
            if let (Some(from), Value::Object(map)) = (from, tier) {
                price.above.push((from, read(map, Some(&price.rates))?));
            }
        }
        Ok(Some(price.sorted()))
    }

    fn sorted(mut self) -> Self {
        crate::sorting::sort_by_key(&mut self.above, |(from, _)| *from);
        self.above.dedup_by_key(|(from, _)| *from);
        self
    }
}

/// Reads rates by their keys. A rate that a step for longer prompts does not name is taken from `base`.
fn rates_of(
    rate: impl Fn(&str) -> Result<Option<f64>>,
    base: Option<&Rates>,
    [input, output, read, write]: [&str; 4],
) -> Result<Rates> {
    Ok(Rates {
        input_cost_per_token: rate(input)?.or(base.map(|b| b.input_cost_per_token)).unwrap_or(0.0),
        output_cost_per_token: rate(output)?.or(base.map(|b| b.output_cost_per_token)).unwrap_or(0.0),
        cache_read_input_token_cost: rate(read)?.or(base.and_then(|b| b.cache_read_input_token_cost)),
        cache_creation_input_token_cost: rate(write)?
            .or(base.and_then(|b| b.cache_creation_input_token_cost)),
    })
}

fn number(path: &str, row: &Map<String, Value>, key: &str) -> Result<Option<f64>> {
    let wrong = |value: &Value| {
        Error::config(
            &format!("{path}.{key}"),
            format!("expected a price of 0 or more, got {}", describe(value)),
        )
    };
    match row.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64().or_else(|| value.as_str()?.parse().ok()) {
            Some(n) if n.is_finite() && n >= 0.0 => Ok(Some(n)),
            _ if row.contains_key("litellm_provider") => Ok(None), // its first row is documentation
            _ => Err(wrong(value)),
        },
    }
}
