//! PASS-14: a one-shot fit fills its target, on recorded dialogues and long sessions.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use contextfold::message::{Message, Part, steps};
use contextfold::provider::{detect, provider};
use contextfold::session::extractive::{self, ExtractiveOptions};
use contextfold::session::{Answer, Fit, Session, SessionConfig};
use contextfold::tokens::{BytesPerFour, count_message};
use serde_json::{Value, json};

use crate::data::recorded;

/// Windows, as shares of the conversation's tokens.
const TARGETS: [f64; 8] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// The results for one target.
#[derive(Default)]
struct Fills {
    fits: u32,
    sum: f64,
    least: Option<f64>,
    over: u32,
}

/// The share of its target that a one-shot fit fills.
fn fill(messages: &[Message], limit: u64) -> Option<f64> {
    let options = json!({ "contextWindow": limit, "safetyMargin": 0, "toolOutputCache": { "enabled": false }, "compaction": { "onFailure": "extractive" } });
    let mut s = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(BytesPerFour));
    s.push(messages.to_vec()).ok()?;
    let mut fit = s.prepare_filling().ok()?;
    loop {
        match fit {
            Fit::NeedsSummary(pending) => {
                // A summary that fits its share: a quarter of the target, at most 2,000 tokens.
                let room =
                    ExtractiveOptions { max_tokens: (limit / 6).min(1_900), ..ExtractiveOptions::default() };
                let folded: Vec<Message> =
                    pending.request.folded().iter().map(|m| Message::clone(m)).collect();
                let text = extractive::summarize(&folded, &BytesPerFour, room);
                fit = s.resume(*pending, &Answer { text, ..Answer::default() }).ok()?;
            }
            Fit::Done(report) => return Some(report.tokens_after as f64 / report.target? as f64),
        }
    }
}

/// A conversation and the tokens of its largest step.
struct Dialogue {
    messages: Vec<Message>,
    tokens: u64,
    largest_step: u64,
}

impl Dialogue {
    fn of(messages: Vec<Message>) -> Self {
        let count = |messages: &[Message]| messages.iter().map(|m| count_message(m, &BytesPerFour)).sum();
        let largest_step = steps(&messages).into_iter().map(|s| count(&messages[s.range])).max().unwrap_or(0);
        Self { tokens: count(&messages), largest_step, messages }
    }
}

/// Every recorded dialogue and long session. Most dialogues are short, so those of each source are also joined.
fn dialogues() -> Vec<Dialogue> {
    let mut all = Vec::new();
    let mut by_source: BTreeMap<String, Vec<Message>> = BTreeMap::new();
    for (n, list) in recorded(".json").into_iter().enumerate() {
        let value = Value::Array(list.items);
        let Some(Ok(messages)) = detect(&value).map(|format| provider(format).read(&value)) else { continue };
        let source = Path::new(&list.name).parent().map(|p| p.display().to_string()).unwrap_or_default();
        if source.contains("dialogs") {
            let said = messages.iter().filter(|m| !m.role.is_instruction()).cloned();
            by_source.entry(source).or_default().extend(said.map(|m| of_dialogue(m, n)));
        }
        all.push(Dialogue::of(messages));
    }
    all.extend(by_source.into_values().map(Dialogue::of));
    all
}

/// The message with ids that are unique among all dialogues.
fn of_dialogue(mut message: Message, n: usize) -> Message {
    message.meta.id = None;
    for part in &mut message.parts {
        match part {
            Part::ToolCall(call) => call.id = format!("{n}.{}", call.id),
            Part::ToolOutput(output) => output.call_id = format!("{n}.{}", output.call_id),
            _ => {}
        }
    }
    message
}

#[test]
fn a_one_shot_fit_fills_90_to_100_percent_of_its_target_on_average() {
    let dialogues = dialogues();
    if dialogues.is_empty() {
        return;
    }
    let mut fills: Vec<Fills> = TARGETS.iter().map(|_| Fills::default()).collect();
    for dialogue in &dialogues {
        for (share, fills) in TARGETS.iter().zip(&mut fills) {
            let limit = (dialogue.tokens as f64 * share) as u64;
            if limit < 1_000 || dialogue.largest_step * 10 >= limit {
                continue;
            }
            let Some(fill) = fill(&dialogue.messages, limit) else { continue };
            fills.fits += 1;
            fills.sum += fill;
            fills.least = Some(fills.least.map_or(fill, |l| l.min(fill)));
            fills.over += u32::from(fill > 1.0);
        }
    }
    println!("target  fits   mean  least");
    for (share, f) in TARGETS.iter().zip(&fills) {
        let mean = f.sum / f64::from(f.fits.max(1));
        println!("{share:6.1} {:5} {:5.1} % {:5.1} %", f.fits, mean * 100.0, f.least.unwrap_or(0.0) * 100.0);
    }
    let fits: u32 = fills.iter().map(|f| f.fits).sum();
    assert!(fits >= 8, "{fits}");
    for (share, f) in TARGETS.iter().zip(&fills).filter(|(_, f)| f.fits > 0) {
        let mean = f.sum / f64::from(f.fits);
        assert!((0.9..=1.0).contains(&mean) && f.over == 0, "{share}: {mean}");
    }
}
