use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    AutoCompact, BringBack, CompressJson, Custom, DedupeReads, DropMemoryResults, DropOldToolResults,
    Ephemeral, EvenCut, Options, Pass, PruneToolOutputs, RecentWindow, RollingSummary, Selective,
    ShrinkTurns, Summarize, TrimFirst, TrimMedia, TrimToolOutputs, TruncateHeadTail,
};
use crate::compaction::{Layout, Profile};
use crate::config::Keys;
use crate::error::{Error, Result};
use crate::nearest::nearest;

/// An ordered list of passes. They run until the view fits.
#[derive(Debug, Clone)]
pub struct Ladder {
    /// The preset's name, if it is a preset.
    pub name: Option<&'static str>,
    passes: Arc<[Box<dyn Pass>]>,
}

/// Which options the caller set elsewhere. They override a preset's own figures, but not those in a list of the caller's
/// own.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ExplicitOptions {
    /// `compaction.retainLastTurns`.
    pub retain_last_turns: Option<u64>,
    /// `compaction.thresholdRatio` was given.
    pub threshold_ratio: bool,
    /// `compaction.onFailure` was given.
    pub on_failure: bool,
    /// `toolOutputCache.contextBudgetTokens` was given.
    pub output_budget: bool,
}

/// How many passes come before every list.
pub(super) const BEFORE: usize = 2;

type Read = fn(&mut Keys<'_>) -> Result<Box<dyn Pass>>;

/// Every pass by name.
const PASSES: [(&str, Read); 17] = [
    ("ephemeral", Ephemeral::read),
    ("trim_tool_outputs", TrimToolOutputs::read),
    ("trim_media", TrimMedia::read),
    ("dedupe_reads", DedupeReads::read),
    ("compress_json", CompressJson::read),
    ("truncate_head_tail", TruncateHeadTail::read),
    ("drop_memory_results", DropMemoryResults::read),
    ("prune_tool_outputs", PruneToolOutputs::read),
    ("drop_old_tool_results", DropOldToolResults::read),
    ("selective", Selective::read),
    ("recent_window", RecentWindow::read),
    ("rolling_summary", RollingSummary::read),
    ("shrink_turns", ShrinkTurns::read),
    ("auto_compact", AutoCompact::read),
    ("summarize", Summarize::read),
    ("even_cut", EvenCut::read),
    ("custom", Custom::read),
];

impl Ladder {
    /// The default preset.
    pub const DEFAULT: &'static str = "contextfold";

    /// The names of the presets.
    pub const PRESETS: [&'static str; 7] =
        ["contextfold", "spec", "rolling", "steps-design", "steps-execution", "selective", "ladder"];

    /// The preset with this name. All but the default one follow a document's list of passes.
    pub fn preset(name: &str, given: ExplicitOptions) -> Option<Self> {
        let name = Self::PRESETS.into_iter().find(|n| *n == name)?;
        let turns = given.retain_last_turns;
        let trim = Box::new(TrimToolOutputs { waits_for_fold: name != "spec", ..TrimToolOutputs::default() });
        let window = RecentWindow::default();
        let summarize = Box::new(Summarize { keep_turns: turns, ..Summarize::default() });
        let passes: Vec<Box<dyn Pass>> = match name {
            "spec" => vec![trim, summarize],
            "rolling" => vec![
                Box::new(CompressJson { min_messages: window.min_messages, ..CompressJson::default() }),
                Box::new(RollingSummary::default()),
                Box::new(window),
            ],
            "steps-design" => {
                steps(Profile::Design, turns.unwrap_or(3), (!given.threshold_ratio).then_some(150_000))
            }
            "steps-execution" => {
                steps(Profile::Execution, turns.unwrap_or(5), (!given.threshold_ratio).then_some(700_000))
            }
            "selective" => vec![
                Box::new(Ephemeral),
                Box::new(Selective::default()),
                Box::new(Summarize { layout: Layout::Replace, ..Summarize::default() }),
            ],
            "ladder" => vec![
                Box::new(DropMemoryResults),
                Box::new(PruneToolOutputs::default()),
                Box::new(ShrinkTurns::default()),
                Box::new(AutoCompact::default()),
                Box::new(PruneToolOutputs::default()),
            ],
            _ if given.output_budget => vec![Box::new(Ephemeral), trim, summarize, Box::new(EvenCut)],
            _ => vec![Box::new(Ephemeral), summarize, Box::new(EvenCut)],
        };
        Some(Self { name: Some(name), passes: with_neighbours(passes) })
    }

    /// Reads the `ladder` option: a preset's name, or a list of `{ pass, …options }`.
    pub fn from_value(value: &Value, given: ExplicitOptions) -> Result<Self> {
        if let Value::String(name) = value {
            return Self::preset(name, given).ok_or_else(|| {
                unknown("ladder", &format!("there is no preset `{name}`"), name, &Self::PRESETS)
            });
        }
        let Value::Array(list) = value else {
            return Err(Error::config("ladder", "expected the name of a preset or a list of passes"));
        };
        let passes =
            list.iter().enumerate().map(|(i, pass)| read_pass(i, pass)).collect::<Result<Vec<_>>>()?;
        Ok(Self { name: None, passes: with_neighbours(passes) })
    }

    /// As plain data: a list for the `ladder` option with every option written out.
    pub fn to_value(&self) -> Value {
        Value::Array(self.named_passes().map(entry).collect())
    }

    /// The passes of the list, without those that every ladder begins with.
    pub fn named_passes(&self) -> impl Iterator<Item = &dyn Pass> {
        self.passes.iter().skip(BEFORE).map(|pass| &**pass)
    }

    /// All passes in order. Every ladder begins with two passes that are not in its list: one brings back what has room
    /// again, the other removes tool outputs that are configured to go first.
    pub fn passes(&self) -> &Arc<[Box<dyn Pass>]> {
        &self.passes
    }

    /// Whether it is one of the documented lists of passes, given by the preset's name or written out.
    pub fn is_documented(&self) -> bool {
        let same = |name: &&str| {
            let preset = Self::preset(name, ExplicitOptions::default());
            preset.is_some_and(|preset| {
                preset.named_passes().map(Pass::name).eq(self.named_passes().map(Pass::name))
            })
        };
        Self::PRESETS.iter().filter(|name| **name != Self::DEFAULT).any(same)
    }

    /// Whether a pass limits the view to the last turns. Later instructions are then merged into the base prompt, and a view
    /// that is still too large in the end is an error.
    pub fn builds_from_turns(&self) -> bool {
        self.passes.iter().any(|p| p.builds_from_turns())
    }

    /// Whether it acts at the limit itself, not at a share of it: true for the ladder document's passes if no other pass
    /// folds.
    pub fn acts_at_limit(&self) -> bool {
        let of_the_document = |p: &dyn Pass| p.layout().is_none_or(|layout| layout == Layout::SystemSummary);
        self.builds_from_turns() && self.passes.iter().all(|p| of_the_document(&**p))
    }

    /// The pass that keeps tool outputs within a budget, if there is one. It then also applies to outputs as they enter the
    /// view.
    pub fn trims(&self) -> Option<TrimToolOutputs> {
        self.passes.iter().find_map(|p| p.as_a().copied())
    }

    /// The position of the pass that cuts what a fold leaves.
    pub fn even_cut(&self) -> Option<usize> {
        self.passes.iter().position(|p| p.cuts_evenly())
    }

    /// The lowest threshold of its passes, in tokens.
    pub fn threshold(&self) -> Option<u64> {
        self.passes.iter().filter_map(|p| p.threshold()).min()
    }
}

impl Default for Ladder {
    /// The default preset, `contextfold`.
    fn default() -> Self {
        Self::preset(Self::DEFAULT, ExplicitOptions::default())
            .unwrap_or(Self { name: None, passes: Arc::new([]) })
    }
}

/// The passes of the steps document.
fn steps(profile: Profile, keep: u64, threshold_tokens: Option<u64>) -> Vec<Box<dyn Pass>> {
    let layout = Layout::AskAnswerSteps;
    vec![
        Box::new(DropOldToolResults { keep_steps: keep }),
        Box::new(Summarize {
            keep_turns: Some(keep),
            layout,
            profile,
            threshold_tokens,
            ..Summarize::default()
        }),
        Box::new(TruncateHeadTail::default()),
    ]
}

impl PartialEq for Ladder {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.to_value() == other.to_value()
    }
}

/// Builds the full list and tells each pass what is before and behind it.
fn with_neighbours(list: Vec<Box<dyn Pass>>) -> Arc<[Box<dyn Pass>]> {
    let mut passes: Vec<Box<dyn Pass>> = vec![Box::new(BringBack::default()), Box::new(TrimFirst)];
    passes.extend(list);
    for at in 0..passes.len() {
        let (before, rest) = passes.split_at_mut(at);
        if let Some((pass, behind)) = rest.split_first_mut() {
            pass.set_neighbours(before, behind);
        }
    }
    passes.into()
}

/// A pass as plain data.
fn entry(pass: &dyn Pass) -> Value {
    let mut entry = json!({ "pass": pass.name() });
    if let (Value::Object(entry), Value::Object(options)) = (&mut entry, pass.options()) {
        entry.extend(options);
    }
    entry
}

fn read_pass(at: usize, value: &Value) -> Result<Box<dyn Pass>> {
    let place = format!("ladder[{at}]");
    let named = value.as_str().map(|name| json!({ "pass": name })); // with all its defaults
    let mut keys = Keys::of(&place, named.as_ref().unwrap_or(value))?;
    let Some(name) = keys.name("pass")? else {
        return Err(keys.error("pass", "expected the name of a pass"));
    };
    let Some((_, read)) = PASSES.into_iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = PASSES.iter().map(|(known, _)| *known).collect();
        return Err(unknown(&format!("{place}.pass"), &format!("there is no pass `{name}`"), &name, &known));
    };
    let pass = read(&mut keys)?;
    keys.finish()?;
    Ok(pass)
}

fn unknown(key: &str, what: &str, name: &str, known: &[&str]) -> Error {
    let hint = match nearest(name, known.iter().copied(), 1).first() {
        Some(meant) => format!("{what}; did you mean `{meant}`?"),
        None => format!(
            "{what}; known names are {}",
            known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")
        ),
    };
    Error::config(key, hint)
}
