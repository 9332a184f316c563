use std::collections::VecDeque;

use crate::pattern::{Options, Pattern, Progress, Scan};
use serde_json::Value;

use super::line::{cut_line, cut_line_around};
use super::long_text::Line;
use super::{GREP_TOOL, ToolOutputCacheConfig, ToolOutputs};
use crate::config::Keys;
use crate::error::{Error, Result};

const DEFAULT_MATCHES: u64 = 100;

/// More context than this is better read with `tool_output_cache`.
const MAX_CONTEXT: u64 = 1000;

/// The steps that a search may take if it is not done in slices.
const MAX_STEPS: u64 = 500_000_000;

/// The steps that a line costs in addition to the search in it.
const STEPS_PER_LINE: u64 = 16;

/// The arguments of `tool_output_cache_grep`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepArgs {
    /// The ref of the output.
    pub ref_id: String,
    /// The regular expression, in the syntax of Rust's `regex`.
    pub pattern: String,
    /// Lines to show before and after each match. Default 0, at most 1000.
    pub context: u64,
    /// The maximum number of matching lines to show. Default 100.
    pub max_matches: u64,
    /// Whether to ignore case. Default `false`.
    pub ignore_case: bool,
}

impl GrepArgs {
    /// A search with the defaults.
    pub fn new(ref_id: impl Into<String>, pattern: impl Into<String>) -> Self {
        Self {
            ref_id: ref_id.into(),
            pattern: pattern.into(),
            context: 0,
            max_matches: DEFAULT_MATCHES,
            ignore_case: false,
        }
    }

    /// Reads the arguments that a model or a caller wrote.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an unknown key, a wrong type, a number out of range, or a missing `ref_id` or `pattern`.
    pub fn from_value(value: &Value) -> Result<Self> {
        let mut keys = Keys::called(GREP_TOOL, value)?;
        let ref_id = keys.string("ref_id")?.ok_or_else(|| keys.error("ref_id", "the ref is missing"))?;
        let pattern =
            keys.string("pattern")?.ok_or_else(|| keys.error("pattern", "the pattern is missing"))?;
        let default = Self::new(ref_id, pattern);
        let args = Self {
            context: keys.u64_or_null("context", 0..=MAX_CONTEXT)?.flatten().unwrap_or(default.context),
            max_matches: keys.u64_or_null("max_matches", 1..)?.flatten().unwrap_or(default.max_matches),
            ignore_case: keys.or_null("ignore_case", Keys::bool)?.flatten().unwrap_or(default.ignore_case),
            ..default
        };
        keys.finish()?;
        Ok(args)
    }

    fn compiled(&self) -> Result<Pattern> {
        let options = Options { ignore_case: self.ignore_case, ..Options::default() };
        Pattern::new(&self.pattern, options)
            .map_err(|e| Error::argument(format!("`{GREP_TOOL}.pattern`: {e}")))
    }
}

/// Searches a stored output line by line, in time linear in its length.
///
/// The answer looks like ripgrep's: `12:` before a matching line, `11-` before a line of context, `--` between groups;
/// the last line says how many of the matching lines are shown. Of a line longer than `max_line_length`, the part
/// around its first match is shown. The answer never exceeds `max_message_bytes`. A search that takes too many steps
/// stops and says where.
///
/// # Errors
/// `UNKNOWN_REF`; `INVALID_ARGUMENT` for a pattern that cannot be compiled or is too large.
pub fn grep(outputs: &ToolOutputs, args: &GrepArgs, config: &ToolOutputCacheConfig) -> Result<String> {
    let mut grep = Grep::new(outputs, args, config)?;
    grep.resume(outputs, MAX_STEPS)?;
    Ok(grep.finish())
}

/// A search in progress, for callers that do other work between two slices of it.
pub struct Grep {
    ref_id: String,
    pattern: Pattern,
    answer: Answer,
    /// Lines that have been searched.
    done: u64,
    /// The number of lines at the start of the search. The output may grow meanwhile.
    total: u64,
    scan: Scan,
}

impl Grep {
    /// Begins a search.
    ///
    /// # Errors
    /// See [`grep`].
    pub fn new(outputs: &ToolOutputs, args: &GrepArgs, config: &ToolOutputCacheConfig) -> Result<Self> {
        let total = outputs.get(&args.ref_id)?.line_count();
        let (pattern, answer) = (args.compiled()?, Answer::new(args, config, total));
        Ok(Self { ref_id: args.ref_id.clone(), pattern, answer, done: 0, total, scan: Scan::default() })
    }

    /// Continues the search for about `steps` steps. Returns whether it is done.
    ///
    /// # Errors
    /// `UNKNOWN_REF` if the output is gone.
    pub fn resume(&mut self, outputs: &ToolOutputs, mut steps: u64) -> Result<bool> {
        let lines = (self.total - self.done) as usize;
        for line in outputs.get(&self.ref_id)?.lines_from(self.done).take(lines) {
            let number = self.done + 1;
            let row = match self.scan.resume(&self.pattern, &line, &mut steps) {
                Progress::Paused => return Ok(false),
                Progress::Found(found) => self.answer.add_match(number, &line, found.start),
                Progress::NotFound => self.answer.add_context_line(number, &line),
            };
            self.done = number;
            self.scan = Scan::default();
            steps = steps.saturating_sub(STEPS_PER_LINE + row as u64);
        }
        Ok(true)
    }

    /// The answer so far.
    pub fn finish(self) -> String {
        self.answer.finish(self.done)
    }
}

struct Answer {
    text: String,
    /// `most`: the maximum bytes of the answer; `room`: the maximum before its last line.
    max_bytes: usize,
    rows_max_bytes: usize,
    max_line: usize,
    max_matches: u64,
    context: u64,
    total_lines: u64,
    /// Lines before the next match that may become its context.
    before: VecDeque<(u64, String)>,
    /// The last line in the text.
    last_shown: u64,
    /// The last line that belongs to the context after a match.
    context_until: u64,
    matches: u64,
    shown: u64,
    full: bool,
}

impl Answer {
    fn new(args: &GrepArgs, config: &ToolOutputCacheConfig, total_lines: u64) -> Self {
        Self {
            text: String::new(),
            max_bytes: config.max_bytes(),
            rows_max_bytes: config.max_bytes().saturating_sub(closing_line(total_lines, total_lines).len()),
            max_line: config.max_line(),
            max_matches: args.max_matches,
            context: args.context,
            total_lines,
            before: VecDeque::new(),
            last_shown: 0,
            context_until: 0,
            matches: 0,
            shown: 0,
            full: false,
        }
    }

    /// Adds a matching line. Returns the number of bytes that were written.
    fn add_match(&mut self, number: u64, line: &Line<'_>, at: usize) -> usize {
        self.matches += 1;
        if self.shown == self.max_matches || self.full {
            self.full = true;
            return 0;
        }
        let prefix = format!("{number}:");
        let most = if self.shown == 0 {
            self.rows_max_bytes.saturating_sub(prefix.len() + 1)
        } else {
            self.max_row_bytes()
        };
        let row = format!("{prefix}{}\n", cut_line_around(line, at, self.max_line, most));

        let mut lead = String::new();
        let first = self.before.front().map_or(number, |(n, _)| *n);
        if self.context > 0 && self.last_shown > 0 && first > self.last_shown + 1 {
            lead.push_str("--\n");
        }
        lead.extend(self.before.drain(..).map(|(_, row)| row));
        if self.text.len() + lead.len() + row.len() > self.rows_max_bytes {
            lead.clear(); // a match without its context is better than no match
        }
        if self.text.len() + lead.len() + row.len() > self.rows_max_bytes {
            self.full = true;
            return row.len();
        }
        self.text.push_str(&lead);
        self.text.push_str(&row);
        self.shown += 1;
        self.last_shown = number;
        self.context_until = number + self.context;
        lead.len() + row.len()
    }

    /// Adds a line without a match, if it is context. Returns the number of bytes that were written.
    fn add_context_line(&mut self, number: u64, line: &Line<'_>) -> usize {
        if self.context == 0 || self.full {
            return 0;
        }
        let row = format!("{number}-{}\n", cut_line(line, self.max_line, self.max_row_bytes()));
        let written = row.len();
        if number <= self.context_until {
            if self.text.len() + row.len() <= self.rows_max_bytes {
                self.text.push_str(&row);
                self.last_shown = number;
            } else {
                self.context_until = 0;
            }
            return written;
        }
        if self.before.len() as u64 == self.context {
            self.before.pop_front();
        }
        self.before.push_back((number, row));
        written
    }

    /// A row that does not fit is not shown, so it need not be written in full.
    fn max_row_bytes(&self) -> usize {
        self.rows_max_bytes.saturating_mul(2)
    }

    fn finish(mut self, searched: u64) -> String {
        if searched < self.total_lines {
            let long = format!(
                "[stopped after {searched} of {} lines: the pattern takes too long]",
                self.total_lines
            );
            let note = if long.len() <= self.max_bytes { &long } else { "[stopped: too slow]" };
            while !self.text.is_empty() && self.text.len() + note.len() > self.max_bytes {
                let last = self.text.trim_end_matches('\n').rfind('\n').map_or(0, |at| at + 1);
                self.text.truncate(last);
            }
            self.text.push_str(note);
            return self.text;
        }
        if self.matches == 0 {
            return format!("[none of {} lines matches]", self.total_lines);
        }
        self.text.push_str(&closing_line(self.shown, self.matches));
        self.text
    }
}

fn closing_line(shown: u64, matches: u64) -> String {
    format!("[{shown} of {matches} matching lines shown]")
}

#[cfg(test)]
mod tests {
    use super::super::store::stored;
    use super::*;
    use crate::error::ErrorCode;
    use proptest::prelude::*;
    use serde_json::json;

    fn search(text: &str, args: &GrepArgs) -> String {
        grep(&stored(text), args, &ToolOutputCacheConfig::default()).unwrap()
    }

    const LOG: &str = "start\nok 1\nok 2\nERROR disk\nok 3\nok 4\nok 5\nok 6\nerror net\nerror dns\nend\n";

    #[test]
    fn matches_are_shown_with_line_numbers_and_context() {
        let args = GrepArgs { context: 1, ignore_case: true, ..GrepArgs::new("out_1", "^error") };
        insta::assert_snapshot!(search(LOG, &args), @r"
        3-ok 2
        4:ERROR disk
        5-ok 3
        --
        8-ok 6
        9:error net
        10:error dns
        11-end
        [3 of 3 matching lines shown]
        ");
        insta::assert_snapshot!(search(LOG, &GrepArgs { max_matches: 2, ..GrepArgs::new("out_1", "ok") }), @r"
        2:ok 1
        3:ok 2
        [2 of 6 matching lines shown]
        ");
        assert_eq!(search(LOG, &GrepArgs::new("out_1", "nothing")), "[none of 11 lines matches]");
    }

    #[test]
    fn a_long_line_is_shown_around_its_match() {
        let line = format!("{}NEEDLE{}", "a".repeat(50_000), "b".repeat(50_000));
        let answer = search(&line, &GrepArgs::new("out_1", "NEEDLE"));
        assert!(answer.starts_with("1:…aaa") && answer.contains("aNEEDLEb"), "{answer}");
        assert!(answer.len() < 2_200);
    }

    #[test]
    fn an_invalid_or_too_large_pattern_is_refused_with_its_reason() {
        for (pattern, reason) in [("(", "unclosed group"), (r"(\w{500}){500}", "compiled form")] {
            let refused =
                grep(&stored("x"), &GrepArgs::new("out_1", pattern), &ToolOutputCacheConfig::default());
            let refused = refused.unwrap_err();
            assert_eq!(refused.code(), ErrorCode::InvalidArgument);
            assert!(refused.message().contains(reason), "{refused}");
        }
    }

    #[test]
    fn a_pattern_with_catastrophic_backtracking_runs_in_linear_time() {
        let args = GrepArgs::new("out_1", "(a+)+$");
        assert_eq!(search(&format!("{}!", "a".repeat(20_000)), &args), "[none of 1 lines matches]");
    }

    #[test]
    fn arguments_are_strict() {
        let ok = GrepArgs::from_value(
            &json!({ "ref_id": "o", "pattern": "p", "context": 2, "ignore_case": null }),
        );
        assert_eq!(ok.unwrap(), GrepArgs { context: 2, ..GrepArgs::new("o", "p") });
        for bad in [
            json!({ "ref_id": "o" }),
            json!({ "pattern": "p" }),
            json!({ "ref_id": "o", "pattern": "p", "max_matches": 0 }),
            json!({ "ref_id": "o", "pattern": "p", "ignorecase": true }),
        ] {
            assert_eq!(GrepArgs::from_value(&bad).unwrap_err().code(), ErrorCode::InvalidArgument, "{bad}");
        }
    }

    #[test]
    fn a_search_resumes_where_it_stopped_and_reports_an_early_end() {
        let outputs = stored(&format!("{}needle\n", "abcdefghi\n".repeat(2_000)));
        let (args, config) =
            (GrepArgs::new("out_1", "(?:[a-z]?){100}ne+dle"), ToolOutputCacheConfig::default());
        let mut slices = 0;
        let mut search = Grep::new(&outputs, &args, &config).unwrap();
        while !search.resume(&outputs, 50_000).unwrap() {
            slices += 1;
        }
        assert!(slices > 10, "{slices}");
        assert_eq!(search.finish(), "2001:needle\n[1 of 1 matching lines shown]");
        let mut search = Grep::new(&outputs, &args, &config).unwrap();
        assert!(!search.resume(&outputs, 50_000).unwrap());
        let stopped = search.finish();
        assert!(
            stopped.starts_with("[stopped after ")
                && stopped.ends_with(" of 2001 lines: the pattern takes too long]"),
            "{stopped}"
        );
    }

    #[test]
    fn an_error_shortens_a_long_pattern() {
        let refused = |pattern: &str| {
            grep(&stored("x"), &GrepArgs::new("out_1", pattern), &ToolOutputCacheConfig::default())
                .unwrap_err()
        };
        let error = refused(&format!("[{}", "x".repeat(900)));
        assert!(error.message().contains("unclosed character class, at character 1 (`[xxx"), "{error}");
        assert!(error.message().len() < 400, "{error}");
        let error = refused(&"x".repeat(100_000));
        assert!(error.message().contains("100000 bytes, but a pattern may have at most 2000"), "{error}");
    }

    proptest! {
        #[test]
        fn results_are_bounded_and_correct(
            lines in prop::collection::vec("[ab日]{0,40}", 0..40),
            max_bytes in 64u64..800, max_line in 1u64..60, context in 0u64..4, max_matches in 1u64..20,
        ) {
            let outputs = stored(&lines.join("\n"));
            let config = ToolOutputCacheConfig { max_message_bytes: max_bytes, max_line_length: max_line, ..Default::default() };
            let args = GrepArgs { context, max_matches, ..GrepArgs::new("out_1", "ab") };
            let answer = grep(&outputs, &args, &config).unwrap();
            prop_assert!(answer.len() as u64 <= max_bytes, "{} > {max_bytes}: {answer}", answer.len());
            let output = outputs.get("out_1").unwrap();
            let real: Vec<u64> = (1..).zip(output.lines_from(0)).filter(|(_, l)| l.text().contains("ab")).map(|(n, _)| n).collect();
            let shown_lines: Vec<u64> = answer.lines().filter_map(|l| l.split_once(':')?.0.parse().ok()).collect();
            prop_assert!(shown_lines.len() as u64 <= max_matches);
            prop_assert_eq!(&real[..shown_lines.len()], &shown_lines[..]);
            prop_assert_eq!(shown_lines.is_empty(), real.is_empty());
            if !real.is_empty() {
                let closing = closing_line(shown_lines.len() as u64, real.len() as u64);
                prop_assert!(answer.ends_with(&closing));
            }
        }
    }
}
