use serde_json::Value;

use super::replay::replay;
use super::retention::facts;
use super::run::Simulation;
use crate::error::{Error, Result};
use crate::message::Message;
use crate::passes::Ladder;
use crate::session::{Session, SessionConfig};
use crate::tokens::Counter;

/// What is replayed.
#[derive(Debug, Clone, Copy)]
pub struct Transcript<'a> {
    /// The messages, the header first.
    pub messages: &'a [Message],
    /// The tools that the model is given: they count with every call.
    pub tools: &'a [Value],
}

/// Replays a transcript under each of these ladders (presets' names, or lists of passes) and the session's other options.
/// Where these name neither a model nor a window, the window is half of the transcript's tokens.
///
/// # Errors
/// `INVALID_CONFIG` and `UNKNOWN_MODEL` as [`SessionConfig::from_value`]; `INVALID_MESSAGE` with the index of a message that
/// cannot be taken in.
pub fn simulate(
    transcript: Transcript<'_>,
    options: &Value,
    ladders: &[Value],
    counter: &Counter,
) -> Result<Simulation> {
    let mut options = options.clone();
    let Value::Object(keys) = &mut options else {
        return Err(Error::config("options", "expected an object"));
    };
    let whole = whole_tokens(transcript, keys.get("model"), counter)?;
    if !keys.contains_key("model") && !keys.contains_key("contextWindow") {
        keys.insert("contextWindow".to_owned(), (whole / 2).max(1).into());
    }
    let known = facts(transcript.messages);
    let configs = ladders.iter().map(|ladder| {
        let mut options = options.clone();
        options["ladder"] = ladder.clone();
        SessionConfig::from_value(&options)
    });
    let configs: Vec<SessionConfig> = configs.collect::<Result<_>>()?; // a wrong one shows before any has run
    let runs = configs.into_iter().map(|config| {
        let name = name_of(&config.ladder);
        let mut session = Session::new(config, counter.clone());
        session.set_tools(transcript.tools, |_| true);
        replay(session, name, transcript.messages, &known)
    });
    Ok(Simulation { transcript_tokens: whole, runs: runs.collect::<Result<_>>()? })
}

/// Tokens of all of it, nothing trimmed; and the proof that a session takes it in.
fn whole_tokens(transcript: Transcript<'_>, model: Option<&Value>, counter: &Counter) -> Result<u64> {
    let mut options = serde_json::json!({ "toolOutputCache": { "enabled": false } });
    if let Some(Value::String(name)) = model {
        options["model"] = name.clone().into(); // for its rules of counting
        options["models"] = serde_json::json!({ name: { "max_input_tokens": u32::MAX } });
    }
    let mut session = Session::new(SessionConfig::from_value(&options)?, counter.clone());
    session.set_tools(transcript.tools, |_| true);
    session.push(transcript.messages.to_vec())?;
    Ok(session.tokens())
}

fn name_of(ladder: &Ladder) -> String {
    let passes = || ladder.passes().iter().map(|p| p.name()).collect::<Vec<_>>().join(" + ");
    ladder.name.map_or_else(passes, str::to_owned)
}
