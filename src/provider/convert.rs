//! Converts a history from one format to another and keeps ids and pairing.

use serde_json::Value;

use super::{CheckOptions, Note, Repaired, Severity, check, provider, repair};
use crate::error::{Error, Result};
use crate::message::{Format, Message};

/// The provider is unknown, so what only some providers refuse is kept.
const ANY_PROVIDER: &str = "other";

const BROKEN: &str = "the history breaks the rules of its own format (see `check`), so the result may be invalid too: use `repair` first";

/// A history in another format.
#[derive(Debug, Clone, PartialEq)]
pub struct Conversion {
    /// The list, or a body (`{ system, messages }`, `{ instructions, input }`) if there is something that the format
    /// keeps outside of the list.
    pub output: Value,
    /// What the format could not express unchanged, with the index of the message in the input. Corrections for the
    /// rules of the new format come last, with the index of the entry in the output.
    pub notes: Vec<Note>,
}

/// Converts a list, a request body or a response. Calls and outputs keep their ids and stay paired. What the other
/// format cannot express is left out or expressed differently, with a note for each change.
///
/// # Errors
/// `INVALID_MESSAGE` and `INVALID_ARGUMENT` for input that is not in the format; `INVALID_ARGUMENT` if the other format
/// can express nothing of it.
pub fn convert(from: Format, to: Format, input: &Value) -> Result<Conversion> {
    let messages = provider(from).read(input)?;
    if from == to {
        return Ok(Conversion { output: input.clone(), notes: Vec::new() });
    }
    let refs: Vec<&Message> = messages.iter().collect();
    let written = provider(to).write(&refs);
    if written.items.is_empty() && written.head.is_none() && !messages.is_empty() {
        let why = format!("nothing in this history can be written in `{}`", to.as_str());
        return Err(Error::argument(why));
    }
    let mut notes = written.notes.clone();
    let output =
        if written.head.is_some() { provider(to).body(written) } else { Value::Array(written.items) };
    // Each format has its own order: a history that is valid in one may have to be reordered for the other. A call
    // without an output stays open, because it may still be running. A history that was invalid before is not repaired
    // here.
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
