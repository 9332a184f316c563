//! What models can take in and what they cost: the registry of their limits, the limit of a view, and prices.

mod built_in;
mod limits;
mod names;
mod price;
mod prices;
mod registry;
mod table;

pub use built_in::{PRICES_AS_OF, PRICES_SOURCE};
pub use limits::{ModelLimits, limit};
pub use price::{CachePrices, Costs, MIN_CACHED_PREFIX_TOKENS, Price, Rates};
pub use prices::{Priced, Prices};
pub use registry::Registry;
