use serde_json::{Map, Value, json};

use super::media;
use crate::compaction::{CompactionConfig, Layout, OnFailure, SummaryRole};
use crate::config::Keys;
use crate::context::{LOW_RATIO, MediaBudget, OutputBudget};
use crate::error::{Error, Result};
use crate::model::{self, CachePrices, ModelLimits, Price, Prices, Registry};
use crate::passes::{ExplicitOptions, Ladder};
use crate::provider::binds_thinking;
use crate::tool_output::ToolOutputCacheConfig;

/// How long a prompt cache keeps an unused entry: Anthropic's five minutes, and the least of `OpenAI`'s.
const CACHE_LIFE_MS: u64 = 5 * 60 * 1000;

/// A session's options, checked. Functions (tokenizer, summarize) are kept by the host.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "an options flag is invalid")]
pub struct SessionConfig {
    /// The model's name, as given.
    pub model: Option<String>,
    /// The context window in tokens.
    pub window: Option<u64>,
    /// The model's window according to the model table.
    pub known_window: Option<u64>,
    /// Tokens that a view may take at most.
    pub limit: Option<u64>,
    /// The share of the limit that passes leave free, if the caller sets it.
    pub safety_margin: Option<f64>,
    /// Counts are not corrected by reported usage.
    pub uncalibrated: bool,
    /// The largest input of the model that writes summaries, if that is another model and its limits are known.
    pub summarizer_input: Option<u64>,
    /// The largest output of the model that writes summaries, if known.
    pub summarizer_output: Option<u64>,
    /// When and how to compact.
    pub compaction: CompactionConfig,
    /// How tool outputs are kept.
    pub tool_output_cache: ToolOutputCacheConfig,
    /// How many media a request may hold.
    pub media: MediaBudget,
    /// What writing to and reading from the provider's prompt cache costs.
    pub cache_prices: CachePrices,
    /// What the model's tokens cost, if known.
    pub price: Option<Price>,
    /// What tokens of the model that writes summaries cost, if known.
    pub summarizer_price: Option<Price>,
    /// How long the provider's prompt cache keeps an unused entry, in milliseconds.
    pub cache_life_ms: u64,
    /// The options as they were given. Snapshots save them, and a change of some options is merged into them.
    pub given: Value,
    /// The passes that make a view smaller.
    pub ladder: Ladder,
    /// Compaction is due at the limit: the ladder says so, and the caller set no threshold.
    pub acts_at_limit: bool,
    /// Thinking after an edit is left out, because the provider binds it to what came before it.
    pub drops_bound_thinking: bool,
    /// The host freezes objects that are pushed.
    pub freeze_inputs: bool,
    /// Bytes of tool outputs that are held in memory; older outputs are kept only in the host's store.
    pub memory_bytes: Option<u64>,
    /// Milliseconds that a search by the model may take. The host enforces it, because it has the clock.
    pub search_ms: Option<u64>,
    /// The most messages and summaries that the history may have.
    pub max_nodes: Option<usize>,
}

impl SessionConfig {
    /// Reads the plain-data part of `SessionOptions`. Unknown keys, wrong types and numbers out of range are refused
    /// with `INVALID_CONFIG` naming the key; a model that no registry knows with `UNKNOWN_MODEL`.
    pub fn from_value(value: &Value) -> Result<Self> {
        let mut keys = Keys::of("", value)?;
        let model = keys.name("model")?;
        let assumed = keys.name("assumeModel")?;
        let given_window = keys.u64_or_null("contextWindow", 1..)?.flatten();
        let reserved = keys.u64_in("reservedOutputTokens", ..)?.unwrap_or(0);
        let models = keys.value("models");
        let prices = price_table(keys.value("prices"))?;
        let price = price_of(&prices, model.as_deref());
        let calibrate = keys.bool("calibrate")?.unwrap_or(true);
        let safety_margin = keys.number_in("safetyMargin", 0.0..1.0)?;
        let compaction = keys.value("compaction").map(CompactionConfig::from_value).transpose()?;
        let (mut tool_output_cache, mut memory_bytes, mut search_ms) =
            (ToolOutputCacheConfig::default(), None, None);
        if let Some(mut outputs) = keys.object("toolOutputCache")? {
            memory_bytes = outputs.u64_or_null("memoryBytes", ..)?.flatten();
            search_ms = outputs.u64_in("searchMs", 1..)?;
            tool_output_cache = ToolOutputCacheConfig::from_keys(&mut outputs)?;
            outputs.finish()?;
        }
        let media = media::read(&mut keys, model.as_deref())?;
        let given = given(value);
        let ladder = match keys.value("ladder") {
            Some(ladder) => Some(Ladder::from_value(ladder, given)?),
            None => Ladder::preset("contextfold", given),
        };
        let mut compaction = compaction.unwrap_or_default();
        let ladder = ladder.unwrap_or_default();
        // The documents' ladders know no summariser but the model. Ours falls back to the built-in one if the model is down.
        if ladder.name == Some("contextfold") && !given.on_failure {
            compaction.on_failure = OnFailure::Extractive;
        }
        refuse_system_summary(&compaction, &ladder)?;
        let drops_bound_thinking = match keys.one_of("boundThinking", &["auto", "drop", "keep"])? {
            Some("drop") => true,
            Some("keep") => false,
            _ => model.as_deref().is_some_and(binds_thinking),
        };
        let max_nodes = keys.u64_in("maxNodes", 1..=u64::from(u32::MAX / 2))?.map(|n| n as usize);
        let freeze_inputs = keys.bool("freezeInputs")?.unwrap_or(false);
        let mut cache_life_ms = CACHE_LIFE_MS;
        if let Some(mut cache) = keys.object("promptCache")? {
            cache_life_ms = cache.u64_in("lifeMs", ..)?.unwrap_or(CACHE_LIFE_MS);
            cache.finish()?;
        }
        for functions in ["summarize", "tokenizer", "now", "store", "onCost"] {
            keys.value(functions); // read by the host; listed here so that `finish` accepts them and suggests them for misspelt keys
        }
        keys.finish()?;
        let registry = models.map_or_else(|| Ok(Registry::new()), Registry::with)?;
        let limits = limits_of(&registry, model.as_deref(), assumed.as_deref())?;
        let summarizer = match &compaction.model {
            // Only the callback has to know this model; the model table need not.
            Some(name) => registry.resolve(name).ok(),
            None => limits,
        };
        // `None` if the session's own model writes summaries: then the session's window applies.
        let summarizer_input = summarizer.filter(|_| compaction.model.is_some()).map(|l| l.limit(0));
        let summarizer_output = summarizer.and_then(|l| l.max_output_tokens);
        let window = given_window.or(limits.map(|l| l.window()));
        // If the table's largest input is just its window, a window given by the caller replaces it.
        let max_input = limits
            .map(|l| (l.max_input_tokens, l.window()))
            .filter(|(most, table)| given_window.is_none() || most < table)
            .map(|(most, _)| most);
        let limit = window.map(|w| model::limit(max_input, w, reserved));
        Ok(Self {
            acts_at_limit: ladder.acts_at_limit() && !given.threshold_ratio,
            summarizer_price: price_of(&prices, compaction.model.as_deref().or(model.as_deref())),
            model,
            window,
            known_window: limits.map(|l| l.window()),
            limit,
            safety_margin,
            uncalibrated: !calibrate,
            summarizer_input,
            summarizer_output,
            tool_output_cache,
            media,
            ladder,
            drops_bound_thinking,
            freeze_inputs,
            memory_bytes,
            search_ms,
            max_nodes,
            cache_prices: price.as_ref().map_or(CachePrices::NEUTRAL, Price::cache),
            price,
            compaction,
            cache_life_ms,
            given: value.clone(),
        })
    }

    /// These options with some changed. `compaction`, `media`, `promptCache` and `toolOutputCache` are merged key by key;
    /// `contextWindow: null` removes an explicit window. A limit learnt from a refusal stays, unless the change affects the limit.
    ///
    /// # Errors
    /// As [`SessionConfig::from_value`].
    pub fn with(&self, changes: &Value) -> Result<Self> {
        let Value::Object(changes) = changes else {
            return Err(Error::config("options", "expected an object"));
        };
        let given = match &self.given {
            Value::Object(given) => given.clone(),
            _ => Map::new(),
        };
        let before = Self::from_value(&Value::Object(given.clone()))?;
        let mut all = given;
        for (key, value) in changes {
            match (all.get_mut(key), value) {
                (_, Value::Null) if key == "contextWindow" => drop(all.remove(key)),
                (Some(Value::Object(known)), Value::Object(value)) if NESTED.contains(&key.as_str()) => {
                    known.extend(value.clone());
                }
                _ => {
                    all.insert(key.clone(), value.clone());
                }
            }
        }
        let mut config = Self::from_value(&Value::Object(all))?;
        if (config.window, config.limit) == (before.window, before.limit) {
            (config.window, config.limit) = (self.window, self.limit);
        }
        Ok(config)
    }
}

/// The limits of the model according to the table, or of the model to assume in its place.
fn limits_of(registry: &Registry, model: Option<&str>, assumed: Option<&str>) -> Result<Option<ModelLimits>> {
    match (model, assumed) {
        (Some(model), None) => registry.resolve(model).map(Some),
        (Some(model), Some(assumed)) => {
            registry.resolve(model).or_else(|_| registry.resolve(assumed)).map(Some)
        }
        (None, Some(_)) => {
            let why = "only works together with `model`: set `model` to the unknown model whose limits it should supply";
            Err(Error::config("assumeModel", why))
        }
        (None, None) => Ok(None),
    }
}

/// The price table: the caller's prices take precedence over the built-in ones.
fn price_table(prices: Option<&Value>) -> Result<Prices> {
    Ok(prices.filter(|prices| !prices.is_null()).map(Prices::with).transpose()?.unwrap_or_default())
}

/// What a model's tokens cost, if known.
fn price_of(table: &Prices, model: Option<&str>) -> Option<Price> {
    let known = model.and_then(|model| table.resolve(model).ok()).or_else(|| table.for_any());
    known.map(|known| known.price)
}

/// Options that are objects of options.
const NESTED: [&str; 4] = ["compaction", "media", "promptCache", "toolOutputCache"];

// A system message gives instructions, and a summary may repeat what a tool output said. So only ladders of documents that ask for
// it may use this role.
fn refuse_system_summary(compaction: &CompactionConfig, ladder: &Ladder) -> Result<()> {
    let mut layouts = ladder.passes().iter().filter_map(|p| p.layout()).peekable();
    let by_document = ladder.name == Some("ladder")
        || (layouts.peek().is_some()
            && layouts.all(|layout| matches!(layout, Layout::SystemNote | Layout::SystemSummary)));
    if compaction.summary_role == Some(SummaryRole::System) && !by_document {
        let why = "\"system\" is allowed only with the ladders \"rolling\" and \"ladder\": with others, text from a tool output could reach the model as instructions through the summary; use \"user\" or \"assistant\"";
        return Err(Error::config("compaction.summaryRole", why));
    }
    Ok(())
}

/// The options to save. Of the tables of models and prices, only the rows for the session's own models are kept.
pub(super) fn kept_options(options: &Value) -> Value {
    let mut kept: Map<String, Value> = options.as_object().cloned().unwrap_or_default();
    if let Some(table) = kept.remove("prices").and_then(|prices| price_table(Some(&prices)).ok()) {
        let own = kept.get("model").and_then(Value::as_str);
        let summarizer = kept.get("compaction").and_then(|c| c.get("model")).and_then(Value::as_str);
        let row = |name: &str| Some((name.to_owned(), table.resolve(name).ok()?.price.to_value()));
        let prices = match table.for_any() {
            Some(any) => any.price.to_value(),
            None => own.into_iter().chain(summarizer).filter_map(row).collect(),
        };
        kept.insert("prices".to_owned(), prices);
    }
    if let Some(models) = kept.remove("models")
        && let Some(name) = kept.get("model").and_then(Value::as_str)
        && let Ok(limits) = Registry::with(&models).and_then(|registry| registry.resolve(name))
    {
        let name = name.to_owned();
        let mut row = json!({ "max_input_tokens": limits.max_input_tokens });
        let more =
            [("context_window", limits.context_window), ("max_output_tokens", limits.max_output_tokens)];
        for (key, tokens) in more {
            if let Some(tokens) = tokens {
                row[key] = tokens.into();
            }
        }
        kept.insert("models".to_owned(), json!({ name: row }));
    }
    Value::Object(kept)
}

impl SessionConfig {
    /// Tokens that all tool outputs in the view may take together: as the caller says, or else by the cache's rule if the ladder
    /// trims them to a budget.
    pub fn output_budget(&self) -> OutputBudget {
        let (cache, trims) = (&self.tool_output_cache, self.ladder.trims());
        let low_ratio = trims.map_or(LOW_RATIO, |pass| pass.low_ratio);
        match (cache.context_budget_tokens, trims) {
            (Some(given), _) => OutputBudget::new(given, low_ratio),
            (None, None) => OutputBudget::NONE,
            (None, Some(_)) if self.ladder.name == Some("spec") => {
                OutputBudget::new(cache.budget(self.window), low_ratio) // as the document says
            }
            (None, Some(_)) => OutputBudget::new(cache.growing_budget(self.window), low_ratio),
        }
    }
}

/// Which options the caller set that a preset would set as well.
fn given(options: &Value) -> ExplicitOptions {
    let compaction = options.get("compaction");
    let of = |key: &str| compaction.and_then(|c| c.get(key));
    ExplicitOptions {
        retain_last_turns: of("retainLastTurns").and_then(Value::as_u64),
        threshold_ratio: of("thresholdRatio").is_some(),
        on_failure: of("onFailure").is_some(),
        output_budget: options.pointer("/toolOutputCache/contextBudgetTokens").is_some_and(Value::is_u64),
    }
}
