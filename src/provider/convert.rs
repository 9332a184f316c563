//! From one format to another, with ids and pairing kept.

use serde_json::Value;

use super::{CheckOptions, Note, Repaired, Severity, check, provider, repair};
use crate::error::{Error, Result};
use crate::message::{Format, Message};

/// Whoever answers: what only some providers refuse is left as it is.
const ANY_PROVIDER: &str = "other";

const BROKEN: &str =
    "the history breaks its own format's rules (see `check`), and so may this one: `repair` mends it";

/// A history in another format.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion {
    /// The list; or a body (`{ system, messages }`, `{ instructions, input }`) where the format keeps something apart.
    pub output: Value,
    /// What the format could not say as it was, by the index of the message in what was handed in; what was set
    /// right for the new format's rules comes last, by the index of the entry in the output.
    pub notes: Vec<Note>,
}

/// Converts a list, a request body or a response. Calls and outputs keep their ids and stay paired; what the other
/// format cannot say is left out or said otherwise, and each such thing has a note.
///
/// # Errors
/// `INVALID_MESSAGE` and `INVALID_ARGUMENT` for input that is not in the format; `INVALID_ARGUMENT` where nothing of
/// it can be said in the other format.
pub fn convert(from: Format, to: Format, input: &Value) -> Result<Conversion> {
    let messages = provider(from).read(input)?;
    if from == to {
        return Ok(Conversion { output: input.clone(), notes: Vec::new() });
    }
    let refs: Vec<&Message> = messages.iter().collect();
    let written = provider(to).write(&refs);
    if written.items.is_empty() && written.head.is_none() && !messages.is_empty() {
        let why = format!("nothing of this history can be said in `{}`", to.as_str());
        return Err(Error::argument(why));
    }
    let mut notes = written.notes.clone();
    let output =
        if written.head.is_some() { provider(to).body(written) } else { Value::Array(written.items) };
    // Each format has its own order; what was whole in one may have to be moved in the other. A call that is still
    // being executed stays open. What was broken before is not for a conversion to mend.
    let options = CheckOptions { pending: true, provider: Some(ANY_PROVIDER), ..CheckOptions::default() };
    if check(from, input, &options)?.iter().any(|v| v.severity == Severity::Error) {
        notes.push(Note { index: 0, what: BROKEN.to_owned() });
        return Ok(Conversion { output, notes });
    }
    let Repaired { output, changes } = repair(to, &output, &options)?;
    notes.extend(
        changes.into_iter().map(|c| Note { index: c.index, what: format!("{}: {}", c.rule, c.what) }),
    );
    Ok(Conversion { output, notes })
}
