//! Amazon Bedrock Converse: messages of content blocks, with `system` apart.

use std::ops::Range;

use serde_json::Value;

use super::{Calls, Note, Provider};
use crate::error::{Error, Result};
use crate::message::{Format, Message};

/// Format `"bedrock-converse"`.
pub(super) struct Bedrock;

impl Provider for Bedrock {
    fn format(&self) -> Format {
        Format::BedrockConverse
    }

    fn read_list(&self, _list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        Err(Error::argument("not written yet"))
    }

    fn write_run(&self, _run: &[&Message], _calls: &Calls<'_>, _notes: &mut Vec<Note>) -> Vec<Value> {
        Vec::new()
    }
}
