use std::fmt::Write;

use serde_json::Value;

use super::line::cut_line;
use super::{CACHE_TOOL, ToolOutputCacheConfig, ToolOutputs};
use crate::config::Keys;
use crate::error::Result;

const DEFAULT_LIMIT: u64 = 2000;

/// Bytes of a line's number (of up to six digits) and the tab after it.
const NUMBER_BYTES: usize = 7;

/// The arguments of `tool_output_cache`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadArgs {
    /// The ref of the output.
    pub ref_id: String,
    /// The number of lines to skip. Default 0.
    pub offset: u64,
    /// The maximum number of lines to read. Default 2000.
    pub limit: u64,
}

impl ReadArgs {
    /// The first 2000 lines of an output.
    pub fn new(ref_id: impl Into<String>) -> Self {
        Self { ref_id: ref_id.into(), offset: 0, limit: DEFAULT_LIMIT }
    }

    /// Reads the arguments that a model or a caller wrote.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an unknown key, a wrong type, a number out of range or a missing `ref_id`.
    pub fn from_value(value: &Value) -> Result<Self> {
        let mut keys = Keys::called(CACHE_TOOL, value)?;
        let ref_id = keys.string("ref_id")?.ok_or_else(|| keys.error("ref_id", "the ref is missing"))?;
        let args = Self {
            ref_id,
            offset: keys.u64_or_null("offset", 0..)?.flatten().unwrap_or(0),
            limit: keys.u64_or_null("limit", 1..)?.flatten().unwrap_or(DEFAULT_LIMIT),
        };
        keys.finish()?;
        Ok(args)
    }
}

/// Reads lines of a stored output, numbered from 1, in the style of a file-read tool.
///
/// The answer never exceeds `max_message_bytes`; if there are more lines, a note at the end says how to read on. A line
/// longer than `max_line_length` is cut and marked, unless it is requested alone (`limit` 1): then only the bytes limit
/// it.
///
/// # Errors
/// `UNKNOWN_REF`.
pub fn read(outputs: &ToolOutputs, args: &ReadArgs, config: &ToolOutputCacheConfig) -> Result<String> {
    let output = outputs.get(&args.ref_id)?;
    let max_bytes = config.max_bytes();
    let max_line = if args.limit == 1 { usize::MAX } else { config.max_line() };
    let total = output.line_count();
    if total == 0 {
        return Ok("[the output is empty]".to_owned());
    }
    if args.offset >= total {
        return Ok(format!("[{total} lines in all; offset {} is past the end]", args.offset));
    }

    let long_note = note(total, total, total, true).len() < max_bytes / 2;
    let room = max_bytes.saturating_sub(note(total, total, total, long_note).len() + 1);
    let mut text = String::new();
    let mut shown = args.offset;
    let wanted = usize::try_from(args.limit).unwrap_or(usize::MAX);
    for line in output.lines_from(args.offset).take(wanted) {
        let first = text.is_empty();
        // A further row that does not fit is not shown, so it need not be written in full.
        let row_room = if first { room.saturating_sub(NUMBER_BYTES + 14) } else { room.saturating_mul(2) };
        let row = cut_line(&line, max_line, row_room);
        let before = text.len();
        if !first {
            text.push('\n');
        }
        let _ = write!(text, "{:>6}\t{row}", shown + 1); // writing to a String cannot fail
        if text.len() > room && !first {
            text.truncate(before);
            break;
        }
        shown += 1;
    }
    if shown < total {
        text.push('\n');
        text.push_str(&note(args.offset + 1, shown, total, long_note));
    }
    Ok(text)
}

fn note(from: u64, to: u64, total: u64, long: bool) -> String {
    if long {
        format!("[lines {from}-{to} of {total}; read on with offset {to}]")
    } else {
        format!("[read on: offset {to}]")
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::stored;
    use super::*;
    use crate::error::ErrorCode;
    use proptest::prelude::*;
    use serde_json::json;

    fn at(outputs: &ToolOutputs, offset: u64, limit: u64) -> String {
        let args = ReadArgs { offset, limit, ..ReadArgs::new("out_1") };
        read(outputs, &args, &ToolOutputCacheConfig::default()).unwrap()
    }

    #[test]
    fn lines_are_numbered_from_one() {
        let outputs = stored("a\r\n\nc\n");
        assert_eq!(at(&outputs, 0, 2000), "     1\ta\n     2\t\n     3\tc");
        assert_eq!(at(&outputs, 1, 1), "     2\t\n[lines 2-2 of 3; read on with offset 2]");
        assert_eq!(at(&outputs, 2, 9), "     3\tc");
        assert_eq!(at(&outputs, 3, 9), "[3 lines in all; offset 3 is past the end]");
        assert_eq!(at(&stored(""), 0, 9), "[the output is empty]");
    }

    #[test]
    fn a_long_line_is_cut_and_can_be_read_alone() {
        let outputs = stored(&format!("{}\nend", "x".repeat(3000)));
        let cut = at(&outputs, 0, 10);
        assert!(cut.contains("xxx… [+1000 characters]\n     2\tend"), "{cut}");
        assert!(at(&outputs, 0, 1).contains(&"x".repeat(3000)));
    }

    #[test]
    fn arguments_are_strict() {
        let ok = ReadArgs::from_value(&json!({ "ref_id": "out_1", "offset": 3.0, "limit": null })).unwrap();
        assert_eq!(ok, ReadArgs { offset: 3, ..ReadArgs::new("out_1") });
        for bad in [
            json!({}),
            json!({ "ref_id": 1 }),
            json!({ "ref_id": "a", "limit": 0 }),
            json!({ "ref_id": "a", "from": 1 }),
            json!("out_1"),
        ] {
            assert_eq!(ReadArgs::from_value(&bad).unwrap_err().code(), ErrorCode::InvalidArgument, "{bad}");
        }
        let unknown = read(&stored("x"), &ReadArgs::new("out_2"), &ToolOutputCacheConfig::default());
        assert_eq!(unknown.unwrap_err().code(), ErrorCode::UnknownRef);
    }

    proptest! {
        #[test]
        fn reading_on_returns_every_line_once_within_the_byte_limit(
            lines in prop::collection::vec("[a日👍🏽]{0,60}", 1..40), max_bytes in 64u64..600, max_line in 1u64..80, limit in 1u64..20,
        ) {
            let outputs = stored(&lines.join("\n"));
            let config = ToolOutputCacheConfig { max_message_bytes: max_bytes, max_line_length: max_line, ..Default::default() };
            let total = outputs.get("out_1").unwrap().line_count();
            let (mut offset, mut numbers) = (0, Vec::new());
            while offset < total {
                let text = read(&outputs, &ReadArgs { offset, limit, ..ReadArgs::new("out_1") }, &config).unwrap();
                prop_assert!(text.len() as u64 <= max_bytes, "{} > {max_bytes}: {text}", text.len());
                let rows: Vec<u64> = text.lines().filter_map(|l| l.split_once('\t')?.0.trim().parse().ok()).collect();
                prop_assert!(!rows.is_empty());
                offset += rows.len() as u64;
                prop_assert_eq!(text.lines().last().unwrap().starts_with('['), offset < total);
                numbers.extend(rows);
            }
            prop_assert_eq!(numbers, (1..=total).collect::<Vec<_>>());
        }
    }
}
