//! Tools with which an agent asks its user. Their output is what the user said.

mod json;
mod plain_text;

use serde_json::Value;

use super::actions::own_name;

use crate::message::without_inserted;

/// The names of such tools, in lower case and without punctuation. A server's name before `__`, `.`, `/` or `:` is ignored.
const TOOLS: [&str; 12] = [
    "askuser", "askuserquestion", "askuserquestions", "askuserinput", "askhuman", "askfollowupquestion",
    "askclarifyingquestion", "askquestions", "requestuserinput", "getuserinput", "userinput", "humaninput",
];

/// Whether a tool of this name asks the user: `ask_user`, `AskUserQuestion`, `mcp__human__ask_human`.
pub fn is_ask_user_tool(tool: &str) -> bool {
    let plain: String = own_name(tool).chars().filter(char::is_ascii_alphanumeric).collect();
    TOOLS.iter().any(|name| plain.eq_ignore_ascii_case(name))
}

/// The user's answers in the output of such a tool. From JSON: its texts, without the questions and options. From a text of
/// `"question"="answer"` pairs: the answers. Errors, notes that nobody answered, and reminders are from the tool and are left out.
pub fn user_answers(output: &str) -> Vec<String> {
    if let Ok(value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) = serde_json::from_str(output)
    {
        return json::user_answers(value);
    }
    let text = without_inserted(plain_text::without_element(output));
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
    fn answers_are_told_from_messages_of_the_tool() {
        agrees(include_str!("outputs.tsv"), |output| match &user_answers(output)[..] {
            [] => "tool",
            [said] if said == output => "user",
            _ => "something else",
        });
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
