//! The steps document: what the summaries of its two agents are asked for, and which are accepted.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use contextfold::ErrorCode;
use contextfold::session::{Instructions, Profile};
use serde_json::{Value, json};

const STEPS: [Profile; 2] = [Profile::Design, Profile::Execution];

fn init_agent_summary() -> Value {
    json!({
        "current_design_summary": {
            "unified_scenario_design": "场景设计的核心要点摘要",
            "business_rules_key_points": ["关键业务规则1", "关键业务规则2"],
            "format_specifications": "格式规范摘要"
        },
        "execute_feedback_summary": {
            "execution_output_dir": "scenarios/.../execution_outputs/iteration_12",
            "total_failure_samples": 15,
            "layer1_problems_summary": ["问题类型1：描述"]
        },
        "analysis_conclusions": ["已分析的样本ID和主要发现"],
        "pending_actions": ["需要人工审核的决策点"],
        "key_paths": { "execution_output_dir": "...", "layer1_problems_report": "..." }
    })
}

fn execute_agent_summary() -> Value {
    json!({
        "generated_components": { "tools": ["tool1.py"], "checkers": ["checker1.py"], "samples": "已生成15个样本" },
        "evaluation_progress": { "current_iteration": 5, "success_rate": "12/15 (80%)", "layer_status": "Layer 4进行中" },
        "identified_issues": { "layer2_problems": [], "layer3_problems": [], "fix_attempts": ["已修复Tool A，待验证"] },
        "pending_work": ["继续修复Checker B"],
        "key_paths": { "execution_output_dir": "scenarios/.../execution_outputs/iteration_5" }
    })
}

/// The JSON shape in a prompt.
fn shape(profile: Profile) -> Value {
    let prompt = profile.prompt();
    serde_json::from_str(&prompt[prompt.find("\n{").unwrap()..]).unwrap()
}

/// The paths of all keys, in order.
fn keys(value: &Value, at: &str) -> Vec<String> {
    let members = value.as_object().into_iter().flatten();
    members
        .flat_map(|(key, value)| {
            let path = format!("{at}/{key}");
            std::iter::once(path.clone()).chain(keys(value, &path))
        })
        .collect()
}

#[test]
fn the_prompts_ask_for_exactly_the_documents_keys() {
    assert_eq!(keys(&shape(Profile::Design), ""), keys(&init_agent_summary(), ""));
    assert_eq!(keys(&shape(Profile::Execution), ""), keys(&execute_agent_summary(), ""));
}

#[test]
fn the_prompts_ask_for_what_must_be_kept() {
    for profile in STEPS {
        let prompt = profile.prompt();
        for asked in [
            "design|generated", "problem", "still to do", "execution_output_dir", "waits for a person",
            "JSON", "earlier summary",
        ] {
            assert!(asked.split('|').any(|a| prompt.contains(a)), "{asked}: {prompt}");
        }
        assert_eq!(Instructions { profile, ..Instructions::default() }.compose(), prompt);
    }
}

#[test]
fn max_tokens_are_4000_and_the_temperature_is_0() {
    for profile in STEPS {
        assert_eq!((profile.max_tokens(), profile.temperature()), (Some(4000), Some(0.0)));
    }
    assert_eq!((Profile::Default.max_tokens(), Profile::Default.temperature()), (None, None));
}

#[test]
fn both_example_summaries_are_accepted_inside_the_documents_answer() {
    for (profile, summary) in
        [(Profile::Design, init_agent_summary()), (Profile::Execution, execute_agent_summary())]
    {
        let answer = format!(
            "基于Execute Agent的反馈，我完成了以下分析...\n<compact_summary>{summary}</compact_summary>"
        );
        assert_eq!(profile.accept(&answer).unwrap(), answer);
    }
}

#[test]
fn any_one_of_the_four_words_is_enough() {
    for profile in STEPS {
        let of = |key: &str| profile.accept(&format!("<compact_summary>{{\"{key}\": 1}}</compact_summary>"));
        for word in
            ["current", "progress", "pending", "execution_output_dir", "CURRENT_DESIGN", "in_Progress"]
        {
            assert!(of(word).is_ok(), "{word}");
        }
        for word in ["summary", "done", "output_dir"] {
            assert_eq!(of(word).unwrap_err().code(), ErrorCode::SummaryInvalid, "{word}");
        }
    }
}
