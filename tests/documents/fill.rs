//! PASS-14: a one-shot fit fills its target, on recorded dialogues and long sessions.

use std::sync::Arc;

use contextfold::compaction::Answer;
use contextfold::message::{Message, steps};
use contextfold::provider::{detect, provider};
use contextfold::session::{Fit, Session, SessionConfig};
use contextfold::tokens::{BytesPerFour, count_message};
use serde_json::{Value, json};

use crate::data::recorded;

/// Shares of a conversation's tokens that the window has.
const TARGETS: [f64; 8] = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// What a target's fills were.
#[derive(Default)]
struct Fills {
    fits: u32,
    sum: f64,
    least: Option<f64>,
    over: u32,
}

/// The share of the target that a one-shot fit fills.
fn fill(messages: &[Message], limit: u64) -> Option<f64> {
    let options = json!({ "contextWindow": limit, "safetyMargin": 0, "toolOutputCache": { "enabled": false }, "compaction": { "onFailure": "extractive" } });
    let mut s = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(BytesPerFour));
    s.push(messages.to_vec()).ok()?;
    let mut fit = s.prepare_filling().ok()?;
    loop {
        match fit {
            Fit::NeedsSummary(pending) => {
                let text = s.extractive(&pending);
                fit = s.resume(*pending, &Answer { text, ..Answer::default() }).ok()?;
            }
            Fit::Done(report) => return Some(report.tokens_after as f64 / report.target? as f64),
        }
    }
}

#[test]
fn a_one_shot_fit_fills_90_to_100_percent_of_its_target_on_average() {
    let lists = recorded("");
    let mut fills: Vec<Fills> = TARGETS.iter().map(|_| Fills::default()).collect();
    let mut seen = 0;
    for list in &lists {
        let value = Value::Array(list.items.clone());
        if list.name.contains("recorded-requests") {
            continue;
        }
        let Some(Ok(messages)) = detect(&value).map(|format| provider(format).read(&value)) else { continue };
        let total: u64 = messages.iter().map(|m| count_message(m, &BytesPerFour)).sum();
        let largest = steps(&messages)
            .into_iter()
            .map(|s| messages[s.range].iter().map(|m| count_message(m, &BytesPerFour)).sum::<u64>())
            .max()
            .unwrap_or(0);
        for (share, fills) in TARGETS.iter().zip(&mut fills) {
            let limit = (total as f64 * share) as u64;
            if limit < 1_000 || largest * 10 >= limit {
                continue;
            }
            let Some(fill) = fill(&messages, limit) else { continue };
            seen += 1;
            fills.fits += 1;
            fills.sum += fill;
            fills.least = Some(fills.least.map_or(fill, |l| l.min(fill)));
            fills.over += u32::from(fill > 1.0);
        }
    }
    if lists.is_empty() {
        return;
    }
    println!("target  fits   mean  least");
    for (share, f) in TARGETS.iter().zip(&fills) {
        let mean = f.sum / f64::from(f.fits.max(1));
        println!("{share:6.1} {:5} {:5.1} % {:5.1} %", f.fits, mean * 100.0, f.least.unwrap_or(0.0) * 100.0);
    }
    assert!(seen >= 8, "{seen}");
    for (share, f) in TARGETS.iter().zip(&fills).filter(|(_, f)| f.fits > 0) {
        let mean = f.sum / f64::from(f.fits);
        assert!((0.9..=1.0).contains(&mean) && f.over == 0, "{share}: {mean}");
    }
}
