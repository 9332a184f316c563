//! Tools with which an agent asks its user. Their output is what the user said.

mod json;
mod plain_text;

use serde_json::Value;

/// The names of such tools, in lower case and without punctuation. A server's name before `__`, `.`, `/` or `:` is ignored.
const TOOLS: [&str; 12] = [
    "askuser", "askuserquestion", "askuserquestions", "askuserinput", "askhuman", "askfollowupquestion",
    "askclarifyingquestion", "askquestions", "requestuserinput", "getuserinput", "userinput", "humaninput",
];

/// Whether a tool of this name asks the user: `ask_user`, `AskUserQuestion`, `mcp__human__ask_human`.
pub fn is_ask_user_tool(tool: &str) -> bool {
    let own = tool.rsplit(['.', '/', ':']).next().unwrap_or(tool);
    let own = own.rsplit("__").next().unwrap_or(own);
    let plain: String = own.chars().filter(char::is_ascii_alphanumeric).collect();
    TOOLS.iter().any(|name| plain.eq_ignore_ascii_case(name))
}

/// The user's answers in the output of such a tool. From JSON: its texts, without the questions and options. From a text of
/// `"question"="answer"` pairs: the answers. Errors, notes that nobody answered, and reminders are from the tool and are left out.
pub fn user_answers(output: &str) -> Vec<String> {
    if let Ok(value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) = serde_json::from_str(output)
    {
        return json::user_answers(value);
    }
    let text = plain_text::without_reminders(plain_text::without_element(output));
    if plain_text::is_from_tool(&text) {
        return Vec::new();
    }
    plain_text::answers(&text).unwrap_or_else(|| vec![text.into_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::agrees;

    #[test]
    fn asking_tools_are_distinguished_from_others() {
        for tool in [
            "ask_user", "askUser", "AskUserQuestion", "request_user_input", "mcp__human__ask_human",
            "x.ask_user",
        ] {
            assert!(is_ask_user_tool(tool), "{tool}");
        }
        for tool in ["ask", "bash", "ask_user_service_status", "get_user", "search", "ask_model"] {
            assert!(!is_ask_user_tool(tool), "{tool}");
        }
    }

    #[test]
    fn answers_are_told_from_messages_of_the_tool() {
        agrees(include_str!("outputs.tsv"), |output| match &user_answers(output)[..] {
            [] => "tool",
            [said] if said == output => "user",
            _ => "something else",
        });
    }

    #[test]
    fn answers_in_question_and_answer_pairs() {
        let told = r#"User has answered your questions: "Never use npm?"="No", "And yarn?"="Always". You can now go on."#;
        assert_eq!(user_answers(told), ["No", "Always"]);
        let quoted = r#"User has answered your questions: "Rule?"="Never push "wip", "fix" commits to main", "Which "db"?"="B". You can now continue."#;
        assert_eq!(user_answers(quoted), ["Never push \"wip\", \"fix\" commits to main", "B"]);
        assert_eq!(
            user_answers(r#""Rule?"="Never push "wip" commits to main""#),
            ["Never push \"wip\" commits to main"]
        );
        let noted = "User has answered your questions: \"Which?\"=\"B\" selected preview:\nnever this user notes: Never touch the CI files, \"And?\"=\"C\" user notes: Always lint. You can now continue with the user's answers in mind.";
        assert_eq!(user_answers(noted), ["B", "Never touch the CI files", "C", "Always lint"]);
    }

    #[test]
    fn answers_in_json() {
        let table: &[(&str, &[&str])] = &[
            (r#"{"answers":{"a":"Use pnpm.","b":["x",3]}}"#, &["Use pnpm.", "x"]),
            (
                r#"{"questions":[{"question":"Which?","options":[{"label":"A","description":"Never use npm."}]}],"answers":{"Which?":"B"}}"#,
                &["B"],
            ),
            (r#"[{"question":"Must it?","choices":["Never."],"chosen":"Always."}]"#, &["Always."]),
            (
                r#"{"answers":{"Which?":"B"},"annotations":{"Which?":{"notes":"Never touch the CI files.","preview":"Never."}}}"#,
                &["B", "Never touch the CI files."],
            ),
            (r#"{"answer":"Other","comment":"Never use npm here."}"#, &["Other", "Never use npm here."]),
            (r#"{"answers":["A"],"other":"Always run make check."}"#, &["A", "Always run make check."]),
            (r#"{"answers":{"title":"Always use sentence case."}}"#, &["Always use sentence case."]),
            (
                r#"{"answers":{"q1":{"question":"Never?","answers":["Yes","user_note: never touch prod"]}}}"#,
                &["Yes", "user_note: never touch prod"],
            ),
            (r#"{"answers":{"question":"Must it?","answer":"B"}}"#, &["B"]),
            (r#"{"answers":[{"id":"must","label":"Never.","answer":"Always."}]}"#, &["Always."]),
            (r#"{"action":"accept","content":{"title":"Always."}}"#, &["Always."]),
            (
                r#"{"user_response":"Never use npm.","instructions":"You must now go on."}"#,
                &["Never use npm."],
            ),
            (r#"{"error":null,"answer":"Never."}"#, &["Never."]),
            (
                r#"{"status":"answered","answer":"Errors must never be swallowed."}"#,
                &["Errors must never be swallowed."],
            ),
            (r#"{"answer":"Error: never log it."}"#, &["Error: never log it."]),
            (
                r#"{"cancelled":true,"comment":"Never do this.","message":"Do not proceed."}"#,
                &["Never do this."],
            ),
            (r#"[{"type":"text","text":"Never use npm."}]"#, &["Never use npm."]),
            (r#"[{"type":"text","text":"{\"answer\":\"Never.\",\"title\":\"Always.\"}"}]"#, &["Never."]),
            (r#""Never.""#, &["Never."]),
        ];
        for (output, said) in table {
            assert_eq!(&user_answers(output), said, "{output}");
        }
    }

    #[test]
    fn a_reminder_is_not_the_users_words() {
        let reminded =
            "Never use npm.\n<system-reminder>You must always use the todo tool.</system-reminder>";
        assert_eq!(user_answers(reminded), ["Never use npm."]);
        let inside =
            r#"{"answer":"Never use npm. <system-reminder>You must now.</system-reminder> Always lint."}"#;
        assert_eq!(user_answers(inside), ["Never use npm.  Always lint."]);
        assert_eq!(user_answers("Never use <b>npm</b>."), ["Never use <b>npm</b>."]);
        assert_eq!(user_answers("<answer>\nNever use npm.\n</answer>"), ["Never use npm."]);
        assert_eq!(user_answers("<rule>Never use npm.</rule>"), ["<rule>Never use npm.</rule>"]);
    }

    proptest::proptest! {
        #[test]
        fn any_output_is_read(output in "\\PC{0,60}|[\"=, .:a{}\\[\\]<>/\n]{0,40}|(Error|User|No response|<system-reminder>|\"=\"|\", \"|: \"| ){0,12}") {
            for said in user_answers(&output) {
                proptest::prop_assert!(said.len() <= output.len());
            }
        }
    }
}
