//! What is still in the view after a compaction with a meaningless summary (COMP-11, LAB-2).
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)] // tests read files and fail by panicking

#[path = "provider/data.rs"]
mod data;

use std::sync::Arc;

use contextfold::lab::{Facts, Retention, facts, retention};
use contextfold::message::{Format, Message, Part, Role};
use contextfold::provider::provider;
use contextfold::session::{Answer, Fit, Reason, Session, SessionConfig};
use contextfold::tokens::{Estimate, TokenCounter, count_message};
use serde_json::{Value, json};

const USELESS: &str = "<summary>\nSome work was done.\nMore remains.\n</summary>";

/// A transcript and the facts in it.
struct Transcript {
    name: String,
    messages: Vec<Message>,
    tokens: u64,
    facts: Facts,
}

impl Transcript {
    fn of(name: String, messages: Vec<Message>) -> Self {
        let tokens = messages.iter().map(|m| count_message(m, &Estimate)).sum();
        let facts = facts(&messages);
        Self { name, messages, tokens, facts }
    }

    /// Whether the transcript is worth measuring: long enough, with enough to forget.
    fn counts(&self) -> bool {
        self.messages.len() >= 12 && self.tokens >= 3_000 && self.facts.literals.len() >= 8
    }

    /// The tokens of what must stay whatever the budget: the header and the newest request.
    fn untouchable(&self) -> u64 {
        let header = self.messages.iter().take_while(|m| m.role.is_instruction());
        let newest = self.messages.iter().rev().find(|m| m.opens_turn());
        header.chain(newest).map(|m| count_message(m, &Estimate)).sum()
    }

    /// The tokens of the largest request: each was the newest one once.
    fn largest_request(&self) -> u64 {
        let requests = self.messages.iter().filter(|m| m.opens_turn());
        requests.map(|m| count_message(m, &Estimate)).max().unwrap_or(0)
    }

    /// The tokens of a plain list of all its facts.
    fn cost(&self) -> u64 {
        Estimate.count(&self.facts.literals.join("\n")) + Estimate.count(&self.facts.constraints.join("\n"))
    }
}

/// A transcript cut to a share of its tokens.
struct Cut {
    kept: Retention,
    tokens: u64,
    ledger: u64,
}

/// `None` if what may not be cut (header, newest request) exceeds the budget.
fn cut(transcript: &Transcript, share: f64, compaction: &Value) -> Option<Cut> {
    let window = (transcript.tokens as f64 * share) as u64;
    let mut options = json!({ "contextWindow": window, "safetyMargin": 0, "toolOutputCache": { "contextBudgetTokens": 1_000_000 }, "compaction": compaction });
    if compaction["ledgerTokens"] == 0 {
        options["ladder"] = json!([{ "pass": "summarize" }]); // an even cut's marks also list facts
    }
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    session.push(transcript.messages.clone()).unwrap();
    let mut fit = session.prepare_filling().ok()?;
    let answer = Answer { text: USELESS.to_owned(), ..Answer::default() };
    loop {
        match fit {
            Fit::NeedsSummary(pending) => fit = session.resume(*pending, &answer).ok()?,
            Fit::Done(report) => {
                assert!(report.tokens_after <= window, "{}", transcript.name);
                let kept = kept(transcript, &session);
                let ledger = report.summary.as_ref().map_or(0, |s| s.ledger_tokens);
                return Some(Cut { kept, tokens: report.tokens_after, ledger });
            }
        }
    }
}

/// Like `cut`, for a session that goes on: each step is pushed and the view prepared before the next call, so that there are
/// many folds, each including the ones before it. Measures what the last view keeps of everything that was said.
fn run_through(transcript: &Transcript, share: f64, compaction: &Value) -> Option<Cut> {
    let window = (transcript.tokens as f64 * share) as u64;
    let options = json!({ "contextWindow": window, "safetyMargin": 0, "compaction": compaction });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    let answer = Answer { text: USELESS.to_owned(), ..Answer::default() };
    let mut ledger = 0;
    for step in contextfold::message::steps(transcript.messages.iter()) {
        session.push(transcript.messages[step.range].to_vec()).unwrap();
        let mut fit = session.prepare();
        let report = loop {
            match fit {
                Ok(Fit::NeedsSummary(pending)) => fit = session.resume(*pending, &answer),
                Ok(Fit::Done(report)) => break report,
                Err(error) => {
                    println!("{}: {error}", transcript.name);
                    return None;
                }
            }
        };
        assert!(report.tokens_after <= window, "{}", transcript.name);
        ledger = report.summary.as_ref().map_or(ledger, |summary| summary.ledger_tokens);
    }
    Some(Cut { kept: kept(transcript, &session), tokens: session.tokens(), ledger })
}

fn kept(transcript: &Transcript, session: &Session) -> Retention {
    let view = session.context().view_messages();
    let opens = |id: &str| {
        let output = session.context().outputs.get(id).ok()?;
        Some(output.lines_from(0).map(|l| l.text().into_owned()).collect::<Vec<_>>().join("\n"))
    };
    retention(&transcript.facts, view.iter().map(|m| &**m), opens)
}

/// The ledger's tokens after each of this many compactions, with the same number of steps pushed before each.
fn growth(transcript: &Transcript, rounds: usize, options: &Value) -> Vec<u64> {
    let mut session = Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(Estimate));
    let answer = Answer { text: USELESS.to_owned(), ..Answer::default() };
    let steps = contextfold::message::steps(transcript.messages.iter());
    let round = |part: &[contextfold::message::Step]| {
        let range = part[0].range.start..part[part.len() - 1].range.end;
        session.push(transcript.messages[range].to_vec()).unwrap();
        let mut fit = session.compact(Reason::Manual, None).unwrap();
        while let Some(Fit::NeedsSummary(pending)) = fit {
            fit = Some(session.resume(*pending, &answer).unwrap());
        }
        session.report().and_then(|r| r.summary.as_ref()).map_or(0, |s| s.ledger_tokens)
    };
    steps.chunks(steps.len().div_ceil(rounds)).map(round).collect()
}

fn recorded() -> Vec<Transcript> {
    let kinds = [
        (".chat.json", Format::OpenaiChat),
        (".messages.anthropic.json", Format::Anthropic),
        ("-clean.anthropic.json", Format::Anthropic),
    ];
    let mut out = Vec::new();
    for (suffix, format) in kinds {
        for list in data::recorded(suffix) {
            let messages = provider(format).read(&Value::Array(list.items)).unwrap();
            out.push(Transcript::of(list.name, messages));
        }
    }
    out.retain(Transcript::counts);
    out
}

fn sample() -> Transcript {
    let items = serde_json::from_str(include_str!("../examples/transcript.responses.json")).unwrap();
    Transcript::of("the sample".to_owned(), provider(Format::OpenaiResponses).read(&items).unwrap())
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len().max(1) as f64
}

fn median(of: &[f64]) -> f64 {
    let mut sorted = of.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(1.0)
}

/// The tokens of a view beside its header and newest request that are for steps before any are for facts (`docs/how-it-decides.md`).
const FOR_STEPS: u64 = 300;

/// The retention of every transcript. Transcripts whose facts alone exceed the budget, or whose header and newest request leave no room for
/// facts, are named and left out.
fn measure(
    transcripts: &[Transcript],
    share: f64,
    cut: impl Fn(&Transcript, f64) -> Option<Cut>,
) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for transcript in transcripts {
        let budget = (transcript.tokens as f64 * share) as u64;
        let label = format!(
            "{:>3.0} %: {} ({} tokens, {} facts of {} tokens, {} rules)",
            share * 100.0,
            transcript.name,
            transcript.tokens,
            transcript.facts.literals.len(),
            transcript.cost(),
            transcript.facts.constraints.len()
        );
        let Some(cut) = cut(transcript, share) else {
            let fixed = transcript.untouchable().max(transcript.largest_request());
            assert!(fixed >= budget / 2, "{label}: no view at all");
            println!("{label}: apart: what may not be cut exceeds the budget");
            continue;
        };
        let apart = transcript.cost() >= budget || transcript.untouchable() + FOR_STEPS >= budget;
        println!(
            "{}{label}: literal {:.3}, with refs {:.3}, rules {:.3}; {} of {budget}, ledger {}",
            if apart { "apart: " } else { "" },
            cut.kept.literal,
            cut.kept.with_refs,
            cut.kept.constraints,
            cut.tokens,
            cut.ledger
        );
        if !apart {
            cuts.push(cut);
        }
    }
    cuts
}

fn once(compaction: &Value) -> impl Fn(&Transcript, f64) -> Option<Cut> {
    move |transcript, share| cut(transcript, share, compaction)
}

fn summary(cuts: &[Cut], share: f64) -> [f64; 5] {
    let of = |f: fn(&Cut) -> f64| cuts.iter().map(f).collect::<Vec<_>>();
    let (literal, with_refs, rules) =
        (of(|c| c.kept.literal), of(|c| c.kept.with_refs), of(|c| c.kept.constraints));
    let figures = [mean(&literal), median(&literal), mean(&with_refs), median(&with_refs), mean(&rules)];
    println!(
        "{:.0} % over {} transcripts: literal mean {:.3} median {:.3}; with refs mean {:.3} median {:.3}; rules {:.3}",
        share * 100.0,
        cuts.len(),
        figures[0],
        figures[1],
        figures[2],
        figures[3],
        figures[4]
    );
    figures
}

#[test]
fn a_useless_summary_costs_few_facts() {
    let transcripts = recorded();
    if transcripts.is_empty() {
        return;
    }
    for (share, least) in [(0.3, 0.95), (0.1, 0.85)] {
        let figures = summary(&measure(&transcripts, share, once(&json!({}))), share);
        assert!(figures[0] >= least && figures[1] >= least, "{figures:?}");
        assert!(figures[4] >= 1.0, "a constraint was lost");
    }
}

/// By LAB-2's score: facts that are literally in the view, or in an output that a ref in the view opens.
#[test]
fn a_long_session_keeps_its_facts_through_many_useless_summaries() {
    let mut transcripts = recorded();
    if transcripts.is_empty() {
        return; // the sample alone is full of checksums and not representative
    }
    transcripts.push(sample());
    for (share, least) in [(0.3, 0.95), (0.1, 0.85)] {
        let through = |transcript: &Transcript, share| run_through(transcript, share, &json!({}));
        let figures = summary(&measure(&transcripts, share, through), share);
        assert!(figures[2] >= least && figures[3] >= least, "{figures:?}");
        assert!(figures[4] >= 1.0, "a constraint was lost");
    }
}

#[test]
fn the_sample_keeps_its_facts_only_with_a_ledger() {
    for (share, least) in [(0.3, 0.95), (0.1, 0.85)] {
        let with = summary(&measure(&[sample()], share, once(&json!({}))), share);
        assert!(with[0] >= least && with[4] >= 1.0, "{with:?}");
        let without = summary(&measure(&[sample()], share, once(&json!({ "ledgerTokens": 0 }))), share);
        assert!(without[0] < least, "the summary says nothing: {without:?}");
    }
}

/// The view after a compaction with a meaningless summary, each run of white space as one blank.
fn after_compaction(said: &[&str]) -> String {
    let options = json!({ "contextWindow": 16_000 });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    for text in said {
        let parts: Vec<Part> = text.split('\u{1F}').map(Part::text).collect();
        let answer = Message::text(Role::Assistant, "lorem ipsum ".repeat(200));
        session.push(vec![Message::new(Role::User, parts), answer]).unwrap();
    }
    session.push(vec![Message::text(Role::User, "And now?")]).unwrap();
    let answer = Answer { text: USELESS.to_owned(), ..Answer::default() };
    let mut fit = session.compact(Reason::Manual, None).unwrap();
    while let Some(Fit::NeedsSummary(pending)) = fit {
        fit = Some(session.resume(*pending, &answer).unwrap());
    }
    let texts: Vec<String> = session.context().view_messages().iter().map(|m| m.plain_text()).collect();
    let view = texts.join("\n").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!view.contains("lorem"), "nothing was folded");
    view
}

/// Rules as people write them, and what must be in the view for each, written by hand: this test does not rely on what the ledger
/// considers a sentence or a rule. `\u{1F}` separates two text parts of a message.
#[rustfmt::skip]
const RULES: &[(&str, &[&str])] = &[
    (
        "Guidelines:\n\n- You must never run database migrations against the shared\n  staging cluster without first asking in #infra and waiting\n  for a thumbs-up.\n- Always write commit messages in the imperative mood, no longer\n  than 72 characters.\n- Only the release captain may\n  tag versions.\n",
        &[
            "You must never run database migrations against the shared staging cluster without first asking in #infra and waiting for a thumbs-up.",
            "Always write commit messages in the imperative mood, no longer than 72 characters.",
            "Only the release captain may tag versions.",
        ],
    ),
    // Whether the second line continues the first is ambiguous, so both are kept, in order.
    ("绝对不要提交\n任何密钥文件。", &["绝对不要提交 任何密钥文件。"]),
    (
        "You must not touch:\n- src/core\n- the CI config\n- Bob's branch\n\nThanks a lot",
        &["You must not touch: - src/core - the CI config - Bob's branch"],
    ),
    (
        "Never do any of the following:\n- push to the release branch\n- edit the vendor folder",
        &["Never do any of the following: - push to the release branch - edit the vendor folder"],
    ),
    ("Never rename \u{1F}the table of users.", &["Never rename the table of users."]),
    ("Never deploy to \u{1F}Production EU.", &["Never deploy to Production EU."]),
    (
        "Hello. The file with the secrets is off limits. Do not touch it.",
        &["The file with the secrets is off limits. Do not touch it."],
    ),
    ("生产库归运维管。不要动它。", &["生产库归运维管。不要动它。"]),
    ("No new dependencies. Use tabs, not spaces.", &["No new dependencies.", "Use tabs, not spaces."]),
    ("You can't use eval. You shouldn't commit directly.", &["You can't use eval.", "You shouldn't commit directly."]),
    ("No force pushes, please. Answer in French.", &["No force pushes, please.", "Answer in French."]),
    ("Budget: 200 EUR", &["Budget: 200 EUR"]),
    (
        "不准提交到主分支。严禁打印密钥。一律使用 UTC 时间。請勿推送。",
        &["不准提交到主分支。", "严禁打印密钥。", "一律使用 UTC 时间。", "請勿推送。"],
    ),
    (
        "mainにpushしちゃダメ。依存関係は増やさないで。勝手にコミットしないように。",
        &["mainにpushしちゃダメ。", "依存関係は増やさないで。", "勝手にコミットしないように。"],
    ),
];

#[test]
fn rules_are_carried_in_their_full_wording() {
    for (said, expected) in RULES {
        let view = after_compaction(&[said]);
        for whole in *expected {
            assert!(view.contains(whole), "{whole:?} is not in {view}");
        }
    }
    let all: Vec<&str> = RULES.iter().map(|(said, _)| *said).collect();
    let view = after_compaction(&all);
    let places: Vec<Option<usize>> =
        RULES.iter().flat_map(|(_, expected)| *expected).map(|whole| view.find(whole)).collect();
    assert!(places.iter().all(Option::is_some), "{view}");
    assert!(places.is_sorted(), "not in the order in which they were said: {view}");
}

#[test]
fn a_revocation_follows_the_rule_it_revokes() {
    for (rule, back) in [
        ("Never push to main.", "OK, you may push to main from now on."),
        ("Always use tabs.", "Forget what I said about tabs."),
        ("Never restart the server.", "You can ignore that rule."),
        ("Always use the old parser.", "I changed my mind: always use the new one."),
    ] {
        let view = after_compaction(&[rule, back]);
        let places = (view.find(rule), view.find(back));
        assert!(places.0.is_some() && places.0 < places.1, "{rule} {back}: {view}");
    }
}

/// The user's rules in the sample, as found by a reader.
const OF_THE_SAMPLE: &[&str] = &[
    "Never edit files under `pkg/` or `src/wasm/`: I change those myself.",
    "Always run `cargo test --lib error` before and after you change a file.",
    "Don't add dependencies: `Cargo.toml` and `Cargo.lock` must stay as they are.",
    "You must keep the public API compatible: add to it, never rename or remove.",
    "never add a wildcard arm to a match over `ErrorCode`, because a new code must force a decision.",
    "the library must stay free of file access",
];

#[test]
fn the_rules_of_the_sample_are_in_its_cut_view() {
    for share in [0.3, 0.1] {
        let (sample, answer) = (sample(), Answer { text: USELESS.to_owned(), ..Answer::default() });
        let options = json!({ "contextWindow": (sample.tokens as f64 * share) as u64, "safetyMargin": 0 });
        let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
        session.push(sample.messages).unwrap();
        let mut fit = session.prepare_filling().unwrap();
        while let Fit::NeedsSummary(pending) = fit {
            fit = session.resume(*pending, &answer).unwrap();
        }
        let texts: Vec<String> = session.context().view_messages().iter().map(|m| m.plain_text()).collect();
        for rule in OF_THE_SAMPLE {
            assert!(texts.iter().any(|text| text.contains(rule)), "{share}: {rule}");
        }
    }
}

#[test]
fn a_ledger_grows_more_slowly_than_its_conversation() {
    const ROUNDS: usize = 10;
    for transcript in recorded().into_iter().filter(|t| t.tokens > 100_000) {
        let of_a_quarter = json!({ "contextWindow": transcript.tokens / 4 });
        let unbounded =
            json!({ "contextWindow": 10 * transcript.tokens, "compaction": { "ledgerTokens": 1_000_000 } });
        for (name, options) in [("in a quarter of its tokens", of_a_quarter), ("without bounds", unbounded)] {
            let grown = growth(&transcript, ROUNDS, &options);
            println!("{} ({} tokens), {name}: {grown:?}", transcript.name, transcript.tokens);
            assert_eq!(grown.len(), ROUNDS);
            assert!(grown[0] > 0 && grown[ROUNDS - 1] * 4 < 3 * ROUNDS as u64 * grown[0], "{grown:?}");
        }
    }
}
