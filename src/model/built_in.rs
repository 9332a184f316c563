//! The models that are known without the caller's tables: `models.tsv`.
//!
//! A row has the name, the context window, the largest input and the largest output in tokens; then dollars per million tokens of
//! input, output, input read from the cache and input written to it. What is missing is not known; there is no such cache rate. Rows are
//! sorted by name, and a name without a date or `-latest` stands for the dated ones.
//!
//! The limits are those of the maker's own row in `LiteLLM`'s table (1.110.2), or else of models.dev, with the smallest window if its
//! providers differ. The prices are the makers' list prices; prompts of any length are charged at the price for short ones.

use std::sync::OnceLock;

use super::ModelLimits;
use super::price::{Price, Rates};

/// When the built-in limits were looked up, as `YYYY-MM`. Pass newer models in `models`.
pub const BUILT_IN_AS_OF: &str = "2026-11";

/// When the built-in prices were looked up, as `YYYY-MM`. Prices change; the caller's own table takes precedence.
pub const PRICES_AS_OF: &str = "2026-11";

/// The source of the built-in prices.
pub const PRICES_SOURCE: &str = "models.dev and LiteLLM's price table";

/// Each model's name, and the rest of its row.
type Rows = Vec<(&'static str, &'static str)>;

fn rows() -> &'static Rows {
    static ROWS: OnceLock<Rows> = OnceLock::new();
    ROWS.get_or_init(|| {
        let lines = include_str!("models.tsv").lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(|line| line.split_once('\t')).collect()
    })
}

/// The figures of a model of this exact name.
fn figures(name: &str) -> Option<impl Iterator<Item = &'static str>> {
    let at = rows().binary_search_by_key(&name, |row| row.0).ok()?;
    Some(rows().get(at)?.1.split('\t'))
}

/// The limits of a model of this exact name.
pub(super) fn limits(name: &str) -> Option<ModelLimits> {
    let mut tokens = figures(name)?.map(str::parse);
    let mut next = || tokens.next()?.ok();
    let context_window = next();
    Some(ModelLimits { max_input_tokens: next()?, context_window, max_output_tokens: next() })
}

/// The price of a model of this exact name.
pub(super) fn price(name: &str) -> Option<Price> {
    let mut dollars = figures(name)?.skip(3).map(str::parse);
    let mut next = || dollars.next()?.ok();
    let (input, output) = (next()?, next()?);
    let mut rate = || next().unwrap_or_default();
    Some(Price::of(Rates::per_million(input, output, rate(), rate())))
}

/// The names of the models with known limits.
pub(super) fn names<'a>() -> impl Iterator<Item = &'a str> + Clone {
    rows().iter().map(|row| row.0)
}

/// The names of the models with a known price.
pub(super) fn priced<'a>() -> impl Iterator<Item = &'a str> {
    names().filter(|name| price(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_plausible() {
        assert!(names().is_sorted_by(|a, b| a < b));
        for name in names() {
            let limits = limits(name).unwrap();
            let (window, output) = (limits.context_window.unwrap(), limits.max_output_tokens.unwrap());
            assert!(limits.max_input_tokens <= window && output <= window && output > 0, "{name}");
            assert!((3..=7).contains(&figures(name).unwrap().count()), "{name}");
            assert!(figures(name).unwrap().all(|n| n.is_empty() || n.parse::<f64>().is_ok()), "{name}");
        }
        for name in priced() {
            let rates = *price(name).unwrap().rates(1);
            let (input, output) = (rates.input_cost_per_token, rates.output_cost_per_token);
            assert!(input > 0.0 && output > input, "{name}");
            assert!(rates.cache_read_input_token_cost.is_none_or(|read| read < input), "{name}");
            assert!(rates.cache_creation_input_token_cost.is_none_or(|write| write >= input), "{name}");
        }
        assert!(price("gpt-5").is_some() && price("gpt-6").is_none() && price("gpt-4").is_none());
    }
}
