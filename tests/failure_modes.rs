//! How compaction goes wrong in the wild (F1 … F33), each as a test that a naive implementation fails: the naive version
//! stands in the test, and the test shows that it fails.
//!
//! [`TABLE`] names the tests; [`REMAIN`] says what is not covered here, and why.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "failure_modes/facts.rs"]
mod facts;
#[path = "failure_modes/summaries.rs"]
mod summaries;
#[path = "failure_modes/support.rs"]
mod support;
#[path = "failure_modes/views.rs"]
mod views;

/// The failure modes whose absence is shown here.
const TABLE: [(u32, &str); 24] = [
    (1, "f1_a_cut_leaves_exact_pairs"),
    (2, "f2_parallel_calls_stay_together_and_running_ones_stay"),
    (3, "f3_compactions_do_not_loop"),
    (4, "f4_a_header_larger_than_the_limit_costs_no_call"),
    (5, "f5_usage_from_before_a_compaction_is_forgotten"),
    (6, "f6_it_fires_within_a_turn_and_an_unknown_model_is_an_error"),
    (7, "f7_reasoning_goes_with_what_it_led_to"),
    (10, "f10_a_summary_that_is_no_smaller_is_refused"),
    (11, "f11_a_message_of_five_windows_ends_in_a_valid_view"),
    (12, "f12_a_failing_summariser_changes_nothing"),
    (13, "f13_a_summary_that_was_cut_off_is_refused"),
    (14, "f14_what_leaves_the_view_has_a_line"),
    (15, "f15_tool_output_cannot_forge_the_summary"),
    (16, "f16_a_secret_is_not_carried_on"),
    (17, "f17_the_users_rules_survive_twenty_rounds"),
    (19, "f19_no_cut_splits_a_cluster"),
    (22, "f22_nothing_is_substituted_by_pattern"),
    (23, "f23_no_two_assistant_messages_and_no_empty_ones_meet"),
    (24, "f24_preparing_again_doubles_nothing"),
    (25, "f25_what_comes_meanwhile_is_neither_lost_nor_doubled"),
    (26, "f26_facts_stay_and_the_summary_does_not_swell"),
    (27, "f27_finished_work_is_not_open"),
    (29, "f29_without_a_summariser_the_extractive_one_stands_in"),
    (33, "f33_the_summary_is_asked_for_in_the_users_language"),
];

/// What is shown elsewhere, or not yet.
const REMAIN: [(u32, &str); 9] = [
    (8, "thinking signatures: the provider contract tests compare them byte for byte"),
    (9, "thought signatures stay on their part: the provider contract tests"),
    (18, "a stable prefix at every call, and cuts that pay: no pass weighs the prompt cache yet"),
    (20, "estimates by kind of text: the token tests; they do not learn from reported usage yet"),
    (21, "shortened arguments parse: inv_12 over random sessions"),
    (28, "a switch to a smaller model: options cannot change yet"),
    (30, "a deduplicated output points at a visible one: the tests of that pass"),
    (31, "an output limit for the request: none is set yet"),
    (32, "the newest user message is kept: inv_2 over random sessions"),
];

#[test]
fn every_failure_mode_has_its_test_or_its_reason() {
    let sources = [
        include_str!("failure_modes/facts.rs"),
        include_str!("failure_modes/summaries.rs"),
        include_str!("failure_modes/views.rs"),
    ]
    .concat();
    for (_, name) in TABLE {
        assert!(sources.contains(&format!("#[test]\nfn {name}(")), "{name}");
    }
    let mut all: Vec<u32> = TABLE.iter().map(|(n, _)| *n).chain(REMAIN.iter().map(|(n, _)| *n)).collect();
    all.sort_unstable();
    assert_eq!(all, (1..=33).collect::<Vec<u32>>());
}
