use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::recorded::Recorded;
use super::replay::{Replay, ReplayTerms};
use super::run::{Simulation, SimulationPrices};
use super::transcript::Transcript;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::model::{PRICES_AS_OF, PRICES_SOURCE, Priced, Prices};
use crate::passes::{Ladder, Pass};
use crate::session::SessionConfig;
use crate::tokens::{Counter, Method};

/// A recorded transcript, read once, that can be replayed under any number of options.
pub struct Recording {
    transcript: Rc<Transcript>,
    /// The figures as recorded, for the last counter and model used.
    recorded: RefCell<Option<(CountedBy, Rc<Recorded>)>>,
}

/// What token counts depend on: the counting method, and the model whose rules apply.
type CountedBy = (String, Option<String>);

impl Recording {
    /// `messages`: all messages, beginning with the header. `tools`: the tools given to the model; they count in every call.
    ///
    /// A message without an id gets one by its position (`m1` is the first), so that it has the same id in every replay.
    pub fn new(messages: Vec<Message>, tools: Vec<Value>) -> Self {
        Self { transcript: Rc::new(Transcript::new(messages, tools)), recorded: RefCell::default() }
    }

    /// The number of model calls.
    pub fn calls(&self) -> usize {
        self.transcript.answers.iter().filter(|answer| answer.begin > 0).count()
    }

    /// Replays it under each of these ladders (names of presets, or lists of passes) with the session's other options. If
    /// the options have neither a model nor a window, the window is half of the transcript's tokens. Further options:
    /// `prices` (see [`Prices::with`]); `priceAs`, the model whose price is used (default: `model`); `pins`, ids of messages
    /// to pin as soon as they are pushed.
    ///
    /// # Errors
    /// `INVALID_CONFIG` and `UNKNOWN_MODEL` as for [`SessionConfig::from_value`] and [`Prices`]; `INVALID_MESSAGE` with the
    /// index of the message that is refused.
    pub fn simulate(&self, options: &Value, ladders: &[Value], counter: &Counter) -> Result<Simulation> {
        let replays = ladders.iter().map(|ladder| {
            let mut options = object(options)?.clone();
            options.insert("ladder".to_owned(), ladder.clone());
            self.replay(&Value::Object(options), counter)
        });
        let replays: Vec<Replay> = replays.collect::<Result<_>>()?; // an invalid ladder is reported before any replay runs
        let mut options = object(options)?.clone();
        let prices = take_prices(&mut options)?;
        take_pins(&mut options)?;
        let recorded = self.with_default_window(&mut options, counter)?;
        let runs = replays.into_iter().map(Replay::into_run).collect::<Result<_>>()?;
        let (transcript_tokens, recorded) =
            (recorded.tokens, recorded.at(prices.as_ref().map(|(_, p)| &p.price)));
        let prices = prices.map(|(model, priced)| shown(model, &priced));
        Ok(Simulation { transcript_tokens, prices, recorded, runs })
    }

    /// A replay that the caller advances, under the same options as for [`simulate`](Self::simulate) plus `ladder`.
    ///
    /// # Errors
    /// Those of [`simulate`](Self::simulate).
    pub fn replay(&self, options: &Value, counter: &Counter) -> Result<Replay> {
        let mut options = object(options)?.clone();
        let price = take_prices(&mut options)?.map(|(_, priced)| priced.price);
        let pins = take_pins(&mut options)?;
        let recorded = self.with_default_window(&mut options, counter)?;
        let config = SessionConfig::from_value(&Value::Object(options))?;
        let terms = ReplayTerms { preset: name_of(&config.ladder), recorded, price, pins };
        Ok(Replay::new(self.transcript.session(config, counter), self.transcript.clone(), terms))
    }

    /// Adds a window to the options if they have none, and returns the figures as recorded.
    fn with_default_window(
        &self,
        options: &mut Map<String, Value>,
        counter: &Counter,
    ) -> Result<Rc<Recorded>> {
        let recorded = self.recorded(options.get("model"), counter)?;
        if !options.contains_key("model") && options.get("contextWindow").is_none_or(Value::is_null) {
            options.insert("contextWindow".to_owned(), (recorded.tokens / 2).max(1).into());
        }
        Ok(recorded)
    }

    fn recorded(&self, model: Option<&Value>, counter: &Counter) -> Result<Rc<Recorded>> {
        let method = counter.method().as_str();
        let counted_by = (method.to_owned(), model.and_then(Value::as_str).map(str::to_owned));
        if let Some((by, known)) = &*self.recorded.borrow()
            && *by == counted_by
            && !matches!(counter.method(), Method::Callback | Method::Tokenizer(_))
        {
            return Ok(known.clone());
        }
        let mut options = serde_json::json!({ "toolOutputCache": { "enabled": false } });
        if let Some(name) = &counted_by.1 {
            options["model"] = name.clone().into(); // for its counting rules
            options["models"] = serde_json::json!({ name: { "max_input_tokens": u32::MAX } });
        }
        let config = SessionConfig::from_value(&options)?;
        let session = || self.transcript.session(config.clone(), counter);
        let recorded = Recorded::of(session(), &self.transcript.messages);
        if recorded.is_err() {
            // Push all at once, so that the error has the index in the whole transcript.
            session().push(self.transcript.messages.clone())?;
        }
        let recorded = Rc::new(recorded?);
        *self.recorded.borrow_mut() = Some((counted_by, recorded.clone()));
        Ok(recorded)
    }
}

fn object(options: &Value) -> Result<&Map<String, Value>> {
    options.as_object().ok_or_else(|| Error::config("options", "expected an object"))
}

/// Removes the options about prices. A model without a known price is an error only if prices were asked for.
fn take_prices(options: &mut Map<String, Value>) -> Result<Option<(Option<String>, Priced)>> {
    let table = options.remove("prices").filter(|t| !t.is_null());
    let named = match options.remove("priceAs") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name),
        Some(_) => return Err(Error::config("priceAs", "expected a model's name")),
    };
    let prices = table.as_ref().map_or_else(|| Ok(Prices::default()), Prices::with)?;
    if let Some(priced) = prices.for_any() {
        return Ok(Some((named, priced)));
    }
    let insists = named.is_some();
    let model = named.or_else(|| options.get("model").and_then(Value::as_str).map(str::to_owned));
    let Some(model) = model else { return Ok(None) };
    match prices.resolve(&model) {
        Ok(found) => Ok(Some((Some(model), found))),
        Err(error) if insists || table.is_some() => Err(error),
        Err(_) => Ok(None),
    }
}

/// Removes the ids of the messages to pin from the options.
fn take_pins(options: &mut Map<String, Value>) -> Result<Vec<String>> {
    let wrong = || Error::config("pins", "expected a list of ids");
    match options.remove("pins") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(ids)) => {
            ids.iter().map(|id| id.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
        }
        Some(_) => Err(wrong()),
    }
}

fn shown(model: Option<String>, priced: &Priced) -> SimulationPrices {
    SimulationPrices {
        model,
        as_of: priced.built_in.then_some(PRICES_AS_OF),
        source: if priced.built_in { PRICES_SOURCE } else { "prices" },
        rates: *priced.price.rates(0),
    }
}

fn name_of(ladder: &Ladder) -> String {
    let passes = || ladder.named_passes().map(Pass::name).collect::<Vec<_>>().join(" + ");
    ladder.name.map_or_else(passes, str::to_owned)
}
