use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::recorded::Recorded;
use super::replay::{Replay, Terms};
use super::run::{Simulation, SimulationPrices};
use super::transcript::Transcript;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::model::{PRICES_AS_OF, PRICES_SOURCE, Priced, Prices};
use crate::passes::{Ladder, Pass};
use crate::session::{Session, SessionConfig};
use crate::tokens::{Counter, Method};

/// A recorded transcript, read once, to be replayed under as many options as one likes.
pub struct Recording {
    transcript: Rc<Transcript>,
    /// As it was recorded, by the counter and the rules of this model.
    recorded: RefCell<Option<(CountedBy, Rc<Recorded>)>>,
}

/// What tokens depend on: the way of counting, and the model for its rules.
type CountedBy = (String, Option<String>);

impl Recording {
    /// `messages`: all of them, the header first. `tools`: the tools that the model is given; they count with every call.
    ///
    /// A message without an id gets one by its place (`m1` is the first), so that it has the same in every replay.
    pub fn new(messages: Vec<Message>, tools: Vec<Value>) -> Self {
        Self { transcript: Rc::new(Transcript::new(messages, tools)), recorded: RefCell::default() }
    }

    /// How many model calls it has.
    pub fn calls(&self) -> usize {
        self.transcript.answers.iter().filter(|answer| answer.begin > 0).count()
    }

    /// Replays it under each of these ladders (presets' names, or lists of passes) and the session's other options. Where these
    /// name neither a model nor a window, the window is half of the transcript's tokens. Beside the session's: `prices` (see
    /// [`Prices::with`]); `priceAs`, the model whose price is taken (default: `model`); `pins`, ids of messages that are pinned as
    /// soon as they are pushed.
    ///
    /// # Errors
    /// `INVALID_CONFIG` and `UNKNOWN_MODEL` as [`SessionConfig::from_value`] and [`Prices`]; `INVALID_MESSAGE` with the index of
    /// a message that cannot be taken in.
    pub fn simulate(&self, options: &Value, ladders: &[Value], counter: &Counter) -> Result<Simulation> {
        let replays = ladders.iter().map(|ladder| {
            let mut options = object(options)?.clone();
            options.insert("ladder".to_owned(), ladder.clone());
            self.replay(&Value::Object(options), counter)
        });
        let replays: Vec<Replay> = replays.collect::<Result<_>>()?; // a wrong one shows before any has run
        let mut options = object(options)?.clone();
        let prices = take_prices(&mut options)?;
        take_pins(&mut options)?;
        let recorded = self.complete(&mut options, counter)?;
        let runs = replays.into_iter().map(Replay::into_run).collect::<Result<_>>()?;
        let (transcript_tokens, recorded) =
            (recorded.tokens, recorded.at(prices.as_ref().map(|(_, p)| &p.price)));
        let prices = prices.map(|(model, priced)| shown(model, &priced));
        Ok(Simulation { transcript_tokens, prices, recorded, runs })
    }

    /// A replay that goes forward when it is told to: under these options as [`simulate`](Self::simulate) does it, with their
    /// `ladder`.
    ///
    /// # Errors
    /// As [`simulate`](Self::simulate).
    pub fn replay(&self, options: &Value, counter: &Counter) -> Result<Replay> {
        let mut options = object(options)?.clone();
        let price = take_prices(&mut options)?.map(|(_, priced)| priced.price);
        let pins = take_pins(&mut options)?;
        let recorded = self.complete(&mut options, counter)?;
        let config = SessionConfig::from_value(&Value::Object(options))?;
        let terms = Terms { preset: name_of(&config.ladder), recorded, price, pins };
        Ok(Replay::new(self.transcript.session(config, counter), self.transcript.clone(), terms))
    }

    /// The session as it is before the answer to call `at` (from 0; where there are fewer, with all that was said): replayed under these
    /// options as [`simulate`](Self::simulate) does it, with their `ladder`.
    ///
    /// # Errors
    /// As [`simulate`](Self::simulate).
    pub fn session_at(&self, at: usize, options: &Value, counter: &Counter) -> Result<Session> {
        self.replay(options, counter)?.session_at(at)
    }

    /// Gives the options a window where they have none; and what the transcript is as it was recorded.
    fn complete(&self, options: &mut Map<String, Value>, counter: &Counter) -> Result<Rc<Recorded>> {
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
            options["model"] = name.clone().into(); // for its rules of counting
            options["models"] = serde_json::json!({ name: { "max_input_tokens": u32::MAX } });
        }
        let config = SessionConfig::from_value(&options)?;
        let session = || self.transcript.session(config.clone(), counter);
        let recorded = Recorded::of(session(), &self.transcript.messages);
        if recorded.is_err() {
            // All at once, so that the error's index is that in the whole transcript.
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

/// Takes the keys about money out of the options. A model without a known price is an error only where a price was asked for.
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

/// Takes the ids of the messages to pin out of the options.
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
