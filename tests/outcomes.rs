//! The status that is reported for a call, on outputs of real tools. `tests/corpus/outcomes` has each with how the call really ended.
//!
//! `ran.json` was written by running the tools, `written.json` by hand, in their formats. "neither": only the exit code shows the outcome.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_types, reason = "tests are not in the module")]

use std::collections::BTreeSet;

use contextfold::lab::{Status, actions};
use contextfold::message::{Message, Part, Role, ToolCall};
use serde_json::{Value, json};

#[derive(serde::Deserialize)]
struct Case {
    tool: String,
    command: String,
    truth: String,
    code: i64,
    output: String,
}

impl Case {
    /// A third of the tools are held back: no closing line was added to the rules because of their outputs.
    fn is_held_back(&self) -> bool {
        self.tool.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % 3 == 0
    }

    fn told(&self, output: &str) -> Status {
        let arguments = json!({ "command": self.command }).to_string();
        let call = Part::from(ToolCall::function("c", "bash", arguments));
        let list = [Message::new(Role::Assistant, vec![call]), Message::tool("c", output)];
        actions(&list)[0].outcome.as_ref().map(|outcome| outcome.status).unwrap()
    }

    /// Whether the reported status is wrong: the opposite of the truth, or something that nobody can know.
    fn is_false(&self, told: Status) -> bool {
        match told {
            Status::Ok => self.truth != "succeeded",
            Status::Failed => self.truth != "failed",
            Status::Unknown => false,
        }
    }
}

fn corpus() -> Vec<Case> {
    let files = [include_str!("corpus/outcomes/ran.json"), include_str!("corpus/outcomes/written.json")];
    files.into_iter().flat_map(|file| serde_json::from_str::<Vec<Case>>(file).unwrap()).collect()
}

#[test]
fn no_reported_outcome_is_wrong() {
    let all = corpus();
    let tools: BTreeSet<&str> = all.iter().map(|case| case.tool.as_str()).collect();
    assert!(tools.len() >= 40, "{} tools", tools.len());
    let mut wrong = Vec::new();
    for (title, held_back) in [("looked at", false), ("held back", true)] {
        let part: Vec<&Case> = all.iter().filter(|case| case.is_held_back() == held_back).collect();
        for truth in ["succeeded", "failed", "neither"] {
            let cases = part.iter().filter(|case| case.truth == truth);
            let told: Vec<(&Case, Status)> = cases.map(|case| (*case, case.told(&case.output))).collect();
            let known = told.iter().filter(|(_, told)| *told != Status::Unknown).count();
            assert!(
                truth == "neither" || known * 3 >= told.len(),
                "{title}, {truth}: {known} of {}",
                told.len()
            );
            println!("{title}, {truth}: {known} of {} told", told.len());
            for (case, told) in &told {
                if case.is_false(*told) {
                    wrong.push(format!(
                        "{title}: `{}` {truth}, told {told:?}:\n{}",
                        case.command, case.output
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} are false:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn an_exit_code_given_beside_the_output_is_used() {
    for case in corpus().iter().filter(|case| case.truth != "neither") {
        let Case { code, output, .. } = case;
        let json = json!({ "output": output, "metadata": { "exit_code": code } });
        for with_code in [
            format!("{output}\n\nCommand exited with code {code}"),
            format!("Exit code: {code}\nWall time: 0.1 seconds\nOutput:\n{output}"),
            format!("{output}\n[exit code: {code}]"),
            format!("<returncode>{code}</returncode>\n<output>\n{output}</output>"),
            Value::to_string(&json),
        ] {
            let told = case.told(&with_code);
            assert!(!case.is_false(told), "`{}` {}, told {told:?}:\n{with_code}", case.command, case.truth);
            let is_plain = (*code == 0) == (case.truth == "succeeded");
            assert!(told != Status::Unknown || !is_plain, "`{}`, told nothing:\n{with_code}", case.command);
        }
    }
}
