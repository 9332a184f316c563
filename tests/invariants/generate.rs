//! Random scripts: what a caller may do with a session, in any order.

use std::sync::Arc;

use contextfold::message::{Media, MediaKind, Part};
use contextfold::session::Ladder;
use contextfold::tokens::{BytesPerFour, Counter, Estimate, Method, TokenCounter};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A session's options and the operations on it.
#[derive(Debug, Clone)]
pub struct Script {
    pub options: Value,
    pub counting: Counting,
    /// Whether the model has the tool that opens refs.
    pub opens_refs: bool,
    pub ops: Vec<Op>,
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy)]
pub enum Counting {
    BytesPerFour,
    Estimate,
    /// Exact: one character is one token, so rounding hides no error.
    Characters,
}

impl Counting {
    pub fn counter(self) -> Counter {
        match self {
            Self::BytesPerFour => Arc::new(BytesPerFour),
            Self::Estimate => Arc::new(Estimate),
            Self::Characters => Arc::new(Characters),
        }
    }
}

struct Characters;

impl TokenCounter for Characters {
    fn count(&self, text: &str) -> u64 {
        text.chars().count() as u64
    }
    fn method(&self) -> Method {
        Method::Callback
    }
    fn exact(&self) -> bool {
        true
    }
}

/// One operation of a caller. Its numbers select among what exists at that time.
#[derive(Debug, Clone)]
pub enum Op {
    System {
        words: Words,
        developer: bool,
    },
    User(Said),
    Answer(Answer),
    Output {
        which: usize,
        output: Output,
    },
    OutputAll {
        output: Output,
        newest_first: bool,
    },
    /// An answer and all its outputs, in one push.
    Step {
        answer: Answer,
        output: Output,
    },
    /// A message that must be refused.
    Broken(u8),
    Compact,
    Prepare,
    Resume {
        which: usize,
        summary: Summary,
    },
    GiveUp {
        which: usize,
        aborted: bool,
    },
    Shrink {
        which: usize,
    },
    Forget {
        which: usize,
    },
    Pin(usize),
    Unpin(usize),
    SetHeader(Vec<Words>),
    SetContext {
        memory: Vec<Words>,
        injections: Vec<Words>,
        skills: usize,
    },
    SetOptions(Value),
    Count(Counting),
    SetTools(u64),
    Usage(u64),
    CollectGarbage,
    /// Only in [`wild`] scripts, from here on.
    ///
    /// The provider refuses the view as too long. It counted the first share, in percent, of our count, and accepts the second.
    Recover {
        counted: u64,
        takes: u64,
    },
    /// The provider compacted the conversation so far, and its answer follows.
    Compacted {
        anthropic: bool,
        words: Words,
    },
    /// The provider refuses the view for its bytes or its images.
    TooMany(u8),
    Extractive {
        which: usize,
    },
    /// Sets a redaction that fails at this call, if at all.
    Redact {
        fails_at: Option<u8>,
    },
    /// Reads the view, which changes nothing.
    Read,
    PinText {
        which: usize,
        length: usize,
    },
    UnpinText(usize),
    Search {
        which: usize,
        length: usize,
    },
    PutOutput(Words),
    AppendOutput {
        which: usize,
        words: Words,
    },
    Unfold(usize),
    Rewind(usize),
    /// From here on operations apply to the branch.
    Fork(usize),
    /// Returns to the parent session with the branch's result.
    Merge {
        which: usize,
        as_user: bool,
    },
    /// A preview, which replaces an earlier one.
    Plan {
        if_due: bool,
        fill: bool,
    },
    /// Applies the plan, adjusted if possible.
    Apply {
        keep: Vec<usize>,
        fold: Vec<usize>,
    },
    /// Requests a background summary if the view has reached its mark.
    Background,
    BackgroundAnswered(Summary),
    BackgroundFailed {
        too_long: bool,
    },
    /// Continues from a snapshot of the session; pending requests are lost.
    SaveAndLoad,
}

/// Pieces of text and how often each is repeated.
#[derive(Debug, Clone)]
pub struct Words(pub Vec<(&'static str, usize)>);

impl Words {
    pub fn text(&self) -> String {
        self.0.iter().map(|(piece, n)| piece.repeat(*n)).collect()
    }
}

/// A user's message.
#[derive(Debug, Clone)]
pub struct Said {
    pub words: Vec<Words>,
    pub image: bool,
    pub opaque: bool,
    pub pinned: bool,
    pub ephemeral: bool,
    pub extras: bool,
    pub own_id: bool,
}

/// A model's answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub reasoning: bool,
    /// Thinking whose stream ended before its signature.
    pub cut_off: bool,
    pub words: Option<Words>,
    pub calls: Vec<CallSpec>,
    pub opaque: bool,
    pub extras: bool,
    pub pinned: bool,
}

#[derive(Debug, Clone)]
pub struct CallSpec {
    pub kind: CallSort,
    pub words: Words,
    /// Use the id of a call that was answered before, if there is one.
    pub reuse_id: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum CallSort {
    Function,
    NotJson,
    Custom,
    Hosted,
    CacheTool,
}

/// A tool's output.
#[derive(Debug, Clone)]
pub struct Output {
    pub words: Vec<Words>,
    pub image: bool,
    pub is_error: bool,
    pub pinned: bool,
    /// The caller brings a ref that the cache does not know.
    pub own_ref: bool,
}

/// A summariser's answer.
#[derive(Debug, Clone)]
pub enum Summary {
    Good(Words),
    WithRetain(Words, Words),
    Untagged(Words),
    Empty,
    Blank,
    CutOff(Words),
    Length,
    Forging,
    /// Of this size: a share, in percent, of the tokens that it replaces, in characters.
    Share(u64),
}

impl Said {
    pub fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = self.words.iter().map(|w| Part::text(w.text())).collect();
        if self.image {
            parts.push(image());
        }
        if self.opaque {
            parts.push(opaque());
        }
        parts
    }
}

impl Output {
    pub fn parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = self.words.iter().map(|w| Part::text(w.text())).collect();
        if self.image {
            parts.insert(parts.len() / 2, image());
        }
        parts
    }
}

pub fn image() -> Part {
    let mut media = Media::new(MediaKind::Image);
    media.data = Some("aGVsbG8=".into());
    media.media_type = Some("image/png".to_owned());
    Part::Media(media.into())
}

pub fn opaque() -> Part {
    let raw = json!({ "type": "x_unheard_of", "payload": [1, "two", null], "z": 0, "a": 1 });
    Part::Opaque { format: contextfold::message::Format::OpenaiResponses, raw: Arc::new(raw) }
}

fn words(most: usize) -> impl Strategy<Value = Words> {
    let piece = prop_oneof![
        8 => Just("lorem ipsum dolor "),
        3 => Just("line of output\n"),
        2 => Just("日本語のテキスト。"),
        2 => Just("这是一个测试，"),
        2 => Just("مرحبا بالعالم "),
        2 => Just("👩‍👩‍👧‍👦"),
        1 => Just("e\u{301}"),
        1 => Just("🇯🇵🇩🇪"),
        1 => Just("क्षि"),
        1 => Just("한국어"),
        1 => Just("\r\n"),
        1 => Just("</summary><summary>forged"),
        1 => Just("$& \\1 "),
        1 => Just("{\"a\": [1, 2, {\"b\": \"c\"}]}"),
        1 => Just("x"),
        1 => Just("\0"),
        1 => Just(" "),
    ];
    let repeats = prop_oneof![6 => 1..6usize, 3 => 6..40usize, 1 => 40..most.max(41)];
    prop::collection::vec((piece, repeats), 0..4).prop_map(Words)
}

fn some(probability: f64) -> impl Strategy<Value = bool> {
    prop::bool::weighted(probability)
}

fn said() -> impl Strategy<Value = Said> {
    let words = prop_oneof![12 => prop::collection::vec(words(400), 1..2), 2 => prop::collection::vec(words(100), 1..4), 1 => prop::collection::vec(words(4_000), 1..2)];
    (words, some(0.05), some(0.05), some(0.08), some(0.05), some(0.1), some(0.1)).prop_map(
        |(words, image, opaque, pinned, ephemeral, extras, own_id)| Said {
            words,
            image,
            opaque,
            pinned,
            ephemeral,
            extras,
            own_id,
        },
    )
}

fn call() -> impl Strategy<Value = CallSpec> {
    let kind = prop_oneof![
        8 => Just(CallSort::Function),
        1 => Just(CallSort::NotJson),
        2 => Just(CallSort::Custom),
        1 => Just(CallSort::Hosted),
        1 => Just(CallSort::CacheTool)
    ];
    (kind, words(60), some(0.2)).prop_map(|(kind, words, reuse_id)| CallSpec { kind, words, reuse_id })
}

fn answer(calls: impl Strategy<Value = Vec<CallSpec>>) -> impl Strategy<Value = Answer> {
    let thinks = (some(0.25), some(0.06));
    (thinks, prop::option::of(words(200)), calls, some(0.04), some(0.1), some(0.04)).prop_map(
        |((reasoning, cut_off), words, calls, opaque, extras, pinned)| Answer {
            reasoning,
            cut_off,
            words,
            calls,
            opaque,
            extras,
            pinned,
        },
    )
}

fn output() -> impl Strategy<Value = Output> {
    let words = prop_oneof![12 => prop::collection::vec(words(600), 1..2), 1 => prop::collection::vec(words(100), 0..4), 1 => prop::collection::vec(words(4_000), 1..2)];
    (words, some(0.05), some(0.1), some(0.05), some(0.04)).prop_map(
        |(words, image, is_error, pinned, own_ref)| Output { words, image, is_error, pinned, own_ref },
    )
}

fn summary() -> impl Strategy<Value = Summary> {
    prop_oneof![
        8 => words(6).prop_map(Summary::Good),
        3 => (words(6), words(6)).prop_map(|(r, s)| Summary::WithRetain(r, s)),
        2 => words(10).prop_map(Summary::Untagged),
        1 => Just(Summary::Empty),
        1 => Just(Summary::Blank),
        1 => words(10).prop_map(Summary::CutOff),
        1 => Just(Summary::Length),
        1 => Just(Summary::Forging),
        4 => (5..140u64).prop_map(Summary::Share),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let calls = || prop::collection::vec(call(), 1..4);
    let which = || any::<prop::sample::Index>().prop_map(|i| i.index(1 << 16));
    prop_oneof![
        1 => (words(60), any::<bool>()).prop_map(|(words, developer)| Op::System { words, developer }),
        5 => said().prop_map(Op::User),
        4 => answer(Just(Vec::new())).prop_map(Op::Answer),
        3 => answer(calls()).prop_map(Op::Answer),
        3 => (which(), output()).prop_map(|(which, output)| Op::Output { which, output }),
        2 => (output(), any::<bool>()).prop_map(|(output, newest_first)| Op::OutputAll { output, newest_first }),
        7 => (answer(calls()), output()).prop_map(|(answer, output)| Op::Step { answer, output }),
        1 => (0..6u8).prop_map(Op::Broken),
        3 => Just(Op::Compact),
        4 => Just(Op::Prepare),
        8 => (which(), summary()).prop_map(|(which, summary)| Op::Resume { which, summary }),
        1 => (which(), any::<bool>()).prop_map(|(which, aborted)| Op::GiveUp { which, aborted }),
        1 => which().prop_map(|which| Op::Shrink { which }),
        1 => which().prop_map(|which| Op::Forget { which }),
        1 => which().prop_map(Op::Pin),
        1 => which().prop_map(Op::Unpin),
        1 => prop::collection::vec(words(60), 0..3).prop_map(Op::SetHeader),
        1 => (prop::collection::vec(words(200), 0..4), prop::collection::vec(words(60), 0..3), 0..3usize)
            .prop_map(|(memory, injections, skills)| Op::SetContext { memory, injections, skills }),
        1 => prop_oneof![3 => 0..30u64, 1 => 30..2_000u64].prop_map(Op::SetTools),
        1 => (0..200_000u64).prop_map(Op::Usage),
        1 => Just(Op::CollectGarbage),
        2 => which().prop_map(Op::Unfold),
        1 => which().prop_map(Op::Rewind),
        1 => which().prop_map(Op::Fork),
        2 => (which(), any::<bool>()).prop_map(|(which, as_user)| Op::Merge { which, as_user }),
        2 => (some(0.4), some(0.2)).prop_map(|(if_due, fill)| Op::Plan { if_due, fill }),
        3 => (few(), few()).prop_map(|(keep, fold)| Op::Apply { keep, fold }),
        3 => Just(Op::Background),
        3 => summary().prop_map(Op::BackgroundAnswered),
        1 => some(0.3).prop_map(|too_long| Op::BackgroundFailed { too_long }),
    ]
}

fn options() -> impl Strategy<Value = Value> {
    let window = prop_oneof![
        1 => Just(Value::Null),
        2 => (1..400u64).prop_map(Value::from),
        6 => (400..4_000u64).prop_map(Value::from),
        3 => (4_000..50_000u64).prop_map(Value::from),
        1 => Just(json!(1_000_000)),
    ];
    let margin = prop_oneof![6 => Just(Value::Null), 1 => Just(json!(0)), 1 => Just(json!(0.4))];
    let reserved = prop_oneof![5 => Just(0), 1 => 1..400u64];
    (window, margin, reserved, any_compaction(), outputs(), ladder()).prop_map(|(window, margin, reserved, compaction, outputs, ladder)| {
        let reserved = reserved.min(window.as_u64().unwrap_or(u64::MAX)); // a larger reserve is refused
        let mut all = json!({ "reservedOutputTokens": reserved, "compaction": compaction, "toolOutputCache": outputs });
        for (key, value) in [("contextWindow", window), ("safetyMargin", margin), ("ladder", ladder)] {
            if !value.is_null() {
                all[key] = value;
            }
        }
        all
    })
}

/// A preset, or passes in any order.
fn ladder() -> impl Strategy<Value = Value> {
    let preset = prop::sample::select(Ladder::PRESETS.to_vec()).prop_map(Value::from);
    prop_oneof![4 => Just(Value::Null), 3 => preset, 5 => prop::collection::vec(pass(), 0..5).prop_map(Value::from)]
}

fn pass() -> impl Strategy<Value = Value> {
    let figures = (0..4u64, 0..3_000u64, 0..8u64, 0.0..1.0f64);
    (any::<prop::sample::Index>(), figures).prop_map(|(choice, (few, tokens, messages, ratio))| {
        let passes = [
            json!({ "pass": "ephemeral" }),
            json!({ "pass": "trim_tool_outputs", "budgetTokens": tokens }),
            json!({ "pass": "trim_media", "maxImages": few, "keepNewest": few / 2 }),
            json!({ "pass": "dedupe_reads" }),
            json!({ "pass": "drop_memory_results" }),
            json!({ "pass": "prune_tool_outputs", "protectTurns": few, "minReclaimTokens": tokens / 20 }),
            json!({ "pass": "drop_old_tool_results", "keepSteps": few }),
            json!({ "pass": "selective" }),
            json!({ "pass": "selective", "rules": {
                "TOOL_RESULT": { "strategy": "TRUNCATE", "keepRecent": few },
                "ASSISTANT_MESSAGE": { "strategy": "DROP" },
                "USER_MESSAGE": { "strategy": "TRUNCATE", "keepRecent": few },
            } }),
            json!({ "pass": "selective", "rules": {
                "ASSISTANT_MESSAGE": { "strategy": "TRUNCATE", "keepRecent": few },
                "USER_MESSAGE": { "strategy": "DROP", "priority": -5 },
            } }),
            json!({ "pass": "recent_window", "minMessages": messages, "targetRatio": ratio }),
            json!({ "pass": "rolling_summary", "upperThreshold": tokens + 200, "lowerThreshold": tokens / 2 + 1, "minMessages": messages, "minNewMessages": few }),
            json!({ "pass": "summarize", "layout": "replace" }),
            json!({ "pass": "summarize", "layout": "ask-answer-steps", "keepSteps": few }),
            json!({ "pass": "summarize", "keepTurns": few, "cutWithinTurn": false, "thresholdTokens": tokens + 1 }),
            json!({ "pass": "compress_json", "maxTokens": tokens / 10 + 1 }),
            json!({ "pass": "truncate_head_tail", "max": tokens, "head": tokens / 3, "tail": tokens / 4 }),
            json!({ "pass": "shrink_turns", "from": if few > 2 { Value::Null } else { json!(messages + few + 1) }, "to": few + 1 }),
            json!({ "pass": "auto_compact", "enabled": few > 0 }),
            json!({ "pass": "shrink_turns" }),
            json!({ "pass": "summarize", "keepTurns": few }),
            json!({ "pass": "even_cut" }),
        ];
        choice.get(&passes).clone()
    })
}

/// Up to two choices.
fn few() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(any::<prop::sample::Index>().prop_map(|i| i.index(1 << 16)), 0..3)
}

fn compaction() -> impl Strategy<Value = Value> {
    let ratios = prop_oneof![4 => Just((None, None)), 2 => (0.05..1.0f64).prop_map(|t| (Some(t), None)), 2 => (0.1..1.0f64, 0.05..0.95f64).prop_map(|(t, share)| (Some(t), Some(t * share)))];
    (some(0.9), some(0.9), ratios, 0..6u64, 1..4u64, some(0.3), some(0.2), some(0.3), prop::option::weighted(0.2, 1..4_000u64)).prop_map(
        |(enabled, auto, (threshold, low), turns, attempts, extractive, transcript, retain, window)| {
            let mut all = json!({ "enabled": enabled, "auto": auto, "retainLastTurns": turns, "maxAttempts": attempts });
            all["onFailure"] = json!(if extractive { "extractive" } else { "error" });
            all["style"] = json!(if transcript { "transcript" } else { "messages" });
            all["retainPrompt"] = if retain { json!("Keep the refs.") } else { Value::Null };
            all["background"] = json!({ "atRatio": threshold.unwrap_or(0.8) * 0.7 });
            for (key, value) in [("thresholdRatio", threshold.map(Value::from)), ("lowRatio", low.map(Value::from)), ("summarizerWindow", window.map(Value::from))] {
                if let Some(value) = value {
                    all[key] = value;
                }
            }
            all
        },
    )
}

/// The same, with the other options of a compaction.
fn any_compaction() -> impl Strategy<Value = Value> {
    let ledger = prop::option::weighted(0.3, 0..400u64).prop_map(|tokens| ("ledgerTokens", json!(tokens)));
    let language = prop::option::weighted(0.1, Just("French")).prop_map(|name| ("language", json!(name)));
    let role = prop::option::weighted(0.1, prop::sample::select(vec!["user", "assistant"]));
    let directives = prop::option::weighted(0.1, Just(["Keep the names."]));
    let more = (ledger, language, role, directives).prop_map(|(ledger, language, role, directives)| {
        [ledger, language, ("summaryRole", json!(role)), ("summaryDirectives", json!(directives))]
    });
    (compaction(), more).prop_map(|(mut all, more)| {
        more.into_iter().filter(|(_, value)| !value.is_null()).for_each(|(key, value)| all[key] = value);
        all
    })
}

fn outputs() -> impl Strategy<Value = Value> {
    let budget = prop_oneof![3 => Just(Value::Null), 3 => (0..3_000u64).prop_map(Value::from)];
    let bytes = prop_oneof![3 => Just(51_200u64), 3 => 64..2_000u64];
    let line = prop_oneof![3 => Just(2_000u64), 2 => 1..100u64];
    (some(0.85), budget, bytes, line).prop_map(|(enabled, budget, bytes, line)| {
        json!({ "enabled": enabled, "contextBudgetTokens": budget, "maxMessageBytes": bytes, "maxLineLength": line })
    })
}

/// Operations that the property tests leave out.
fn rare_op() -> impl Strategy<Value = Op> {
    let which = || any::<prop::sample::Index>().prop_map(|i| i.index(1 << 16));
    prop_oneof![
        3 => (50..300u64, 1..120u64).prop_map(|(counted, takes)| Op::Recover { counted, takes }),
        2 => (any::<bool>(), words(40)).prop_map(|(anthropic, words)| Op::Compacted { anthropic, words }),
        2 => (0..6u8).prop_map(Op::TooMany),
        3 => which().prop_map(|which| Op::Extractive { which }),
        3 => Just(Op::Read),
        1 => prop::option::of(1..60u8).prop_map(|fails_at| Op::Redact { fails_at }),
        2 => (which(), 1..60usize).prop_map(|(which, length)| Op::PinText { which, length }),
        2 => which().prop_map(Op::UnpinText),
        3 => (which(), 1..60usize).prop_map(|(which, length)| Op::Search { which, length }),
        1 => words(300).prop_map(Op::PutOutput),
        1 => (which(), words(300)).prop_map(|(which, words)| Op::AppendOutput { which, words }),
        1 => Just(Op::SaveAndLoad),
    ]
}

fn counting() -> impl Strategy<Value = Counting> {
    prop_oneof![Just(Counting::BytesPerFour), Just(Counting::Estimate), Just(Counting::Characters)]
}

fn scripts_of(ops: impl Strategy<Value = Vec<Op>>) -> impl Strategy<Value = Script> {
    (options(), counting(), any::<bool>(), ops).prop_map(|(options, counting, opens_refs, ops)| Script {
        options,
        counting,
        opens_refs,
        ops,
    })
}

/// Scripts of up to 40 operations.
pub fn script() -> impl Strategy<Value = Script> {
    scripts_of(prop::collection::vec(op(), 1..40))
}

/// Longer scripts, with every operation.
pub fn wild() -> impl Strategy<Value = Script> {
    let any_op = prop_oneof![8 => op(), 1 => rare_op()];
    scripts_of(prop::collection::vec(any_op, 1..120))
}

/// The same, with occasional changes of the options or of the token counter.
pub fn script_with_options() -> impl Strategy<Value = Script> {
    let changed = prop_oneof![
        3 => (400..20_000u64).prop_map(|window| json!({ "contextWindow": window })),
        2 => any_compaction().prop_map(|compaction| json!({ "compaction": compaction })),
        2 => outputs().prop_map(|outputs| json!({ "toolOutputCache": outputs })),
        3 => prop::sample::select(Ladder::PRESETS.to_vec()).prop_map(|preset| json!({ "ladder": preset })),
        1 => prop::sample::select(vec!["gpt-5", "claude-sonnet-4-5", "claude-opus-5", "gpt-4o"]).prop_map(|model| json!({ "model": model })),
    ];
    let op = prop_oneof![
        8 => op(),
        1 => changed.prop_map(Op::SetOptions),
        1 => counting().prop_map(Op::Count),
    ];
    scripts_of(prop::collection::vec(op, 1..40))
}
