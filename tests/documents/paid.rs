//! An edit before the newest step must pay for itself (PASS-10), unless the view is too large or a document demands the edit.

use std::sync::Arc;

use contextfold::session::{Decision, Report, Session};
use contextfold::tokens::Estimate;
use serde_json::{Value, json};

use super::support::{calls, done, output, said, session, user};

/// The reports of `count` exchanges of 1,012 tokens. Each has a call with a tool output, and a call for its answer.
fn exchanges(options: Value, count: usize) -> (Session, Vec<Report>) {
    let mut s = session(options);
    let mut reports = Vec::new();
    for n in 0..count {
        let id = format!("c{n}");
        s.push(vec![user("look at ", 100)]).unwrap();
        reports.push(done(s.prepare().unwrap()));
        s.push(vec![calls("", &[&id]), output(&id, 500)]).unwrap();
        reports.push(done(s.prepare().unwrap()));
        s.push(vec![said("it says ", 400)]).unwrap();
    }
    (s, reports)
}

fn decisions(reports: &[Report]) -> Vec<&Decision> {
    reports.iter().flat_map(|report| &report.decisions).collect()
}

#[test]
fn an_optional_edit_waits_until_it_pays_for_itself() {
    let list = json!([{ "pass": "drop_old_tool_results", "keepSteps": 3 }, { "pass": "summarize" }]);
    let (_, reports) = exchanges(json!({ "contextWindow": 1_000_000, "ladder": list }), 30);
    let paid = decisions(&reports);
    let ran = paid.len();
    assert!((2..=15).contains(&ran), "{ran} of 27 exchanges that could be reduced");
    for decision in &paid {
        let cache = decision.cache.unwrap();
        assert!(cache.is_paid() && cache.reread_tokens > 0, "{decision:?}");
        assert_eq!(cache.saved_per_call, decision.tokens_before - decision.tokens_after);
        assert_eq!(cache.cost, (cache.reread_tokens as f64 * 1.15).round() as u64);
        assert_eq!(
            cache.saves,
            (cache.saved_per_call as f64 * cache.expected_calls as f64 * 0.1).round() as u64
        );
    }
    assert!(paid.iter().any(|d| d.items.len() > 4), "several exchanges at once");
}

#[test]
fn a_document_that_fixes_what_is_dropped_edits_without_waiting() {
    let (_, reports) = exchanges(json!({ "contextWindow": 200_000, "ladder": "steps-design" }), 30);
    let all = decisions(&reports);
    assert_eq!(all.len(), 27, "one for each exchange that becomes too old");
    assert!(all.iter().any(|d| !d.cache.unwrap().is_paid()), "though some are not paid");
}

#[test]
fn without_a_discount_for_cached_input_every_saved_token_pays() {
    let list = json!([{ "pass": "drop_old_tool_results", "keepSteps": 3 }, { "pass": "summarize" }]);
    let prices = json!({ "input": 1, "output": 4 });
    let (s, reports) = exchanges(json!({ "contextWindow": 1_000_000, "ladder": list, "prices": prices }), 30);
    assert_eq!(decisions(&reports).len(), 27);
    let kept = s.config().cache_prices;
    let restored = Session::restore(&s.snapshot(&[]), None, |_| Ok(Arc::new(Estimate))).unwrap();
    assert_eq!(
        restored.session.config().cache_prices,
        kept,
        "the table is not saved, what the cache costs is"
    );
}

#[test]
fn a_view_over_its_threshold_is_cut_at_any_cost() {
    let list = json!([{ "pass": "drop_old_tool_results", "keepSteps": 3 }, { "pass": "even_cut" }]);
    let (_, reports) = exchanges(json!({ "contextWindow": 6_000, "ladder": list }), 12);
    let unpaid = decisions(&reports).into_iter().filter(|d| d.cache.is_some_and(|c| !c.is_paid())).count();
    assert!(unpaid > 0);
    assert!(reports.iter().all(|report| report.tokens_after <= 6_000));
}

#[test]
fn a_trim_reports_the_tokens_read_again_and_the_calls_it_shortens() {
    let options = json!({ "contextWindow": 100_000, "ladder": "spec", "toolOutputCache": { "contextBudgetTokens": 2_400 } });
    let (_, reports) = exchanges(options, 8);
    let trims = decisions(&reports);
    // The third and the fifth output exceed the budget: two, then three outputs become placeholders.
    let first = trims[0].cache.unwrap();
    assert_eq!(trims[0].pass, "trim_tool_outputs");
    assert!(first.reread_tokens > 2_000 && first.reread_tokens < 4_500, "{first:?}");
    assert_eq!(first.saved_per_call, trims[0].tokens_before - trims[0].tokens_after);
    assert!(first.expected_calls >= 5 && first.expected_calls <= 10, "no more than there were: {first:?}");
}
