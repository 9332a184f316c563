//! Tools by which an agent asks its user: what comes back is the user's own word.

use serde_json::{Map, Value};

/// Such tools' names, in lower case and without marks; what stands before `__`, `.`, `/` or `:` (a server's name) does not count.
const TOOLS: [&str; 12] = [
    "askuser",
    "askuserquestion",
    "askuserquestions",
    "askuserinput",
    "askhuman",
    "askfollowupquestion",
    "askclarifyingquestion",
    "askquestions",
    "requestuserinput",
    "getuserinput",
    "userinput",
    "humaninput",
];

/// Whether a tool of this name asks the user: `ask_user`, `AskUserQuestion`, `mcp__human__ask_human`.
pub fn is_put_to_the_user(tool: &str) -> bool {
    let own = tool.rsplit(['.', '/', ':']).next().unwrap_or(tool);
    let own = own.rsplit("__").next().unwrap_or(own);
    let plain: String = own.chars().filter(char::is_ascii_alphanumeric).collect();
    TOOLS.iter().any(|name| plain.eq_ignore_ascii_case(name))
}

/// What an answer stands under, where the question stands beside it.
const ANSWERS: [&str; 4] = ["answer", "answers", "response", "responses"];
/// What the agent asked and offered, which nobody said.
const ASKED: [&str; 9] =
    ["question", "questions", "options", "choices", "header", "label", "description", "prompt", "title"];

/// What the user said, in the output of such a tool. Of JSON the texts in it, without what was asked and offered; of a text
/// with `"question"="answer"` the answers. An error is the tool's own word.
pub fn spoken(output: &str) -> Vec<String> {
    match serde_json::from_str(output) {
        Ok(value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => {
            let (mut out, mut next) = (Vec::new(), vec![value]);
            while let Some(value) = next.pop() {
                match value {
                    Value::String(text) => out.push(text),
                    Value::Array(values) => next.extend(values.into_iter().rev()),
                    Value::Object(fields) => next.extend(answers(fields).into_iter().rev()),
                    _ => {}
                }
            }
            out
        }
        _ if output.trim_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case("error")) => {
            Vec::new()
        }
        _ if output.contains("\"=\"") => {
            let answers = output.split("\"=\"").skip(1).filter_map(|rest| rest.split('"').next());
            answers.map(str::to_owned).collect()
        }
        _ => vec![output.to_owned()],
    }
}

fn answers(fields: Map<String, Value>) -> Vec<Value> {
    let names_them = fields.keys().any(|key| ANSWERS.contains(&key.as_str()));
    let says = |key: &str| if names_them { ANSWERS.contains(&key) } else { !ASKED.contains(&key) };
    fields.into_iter().filter(|(key, _)| says(key)).map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_that_ask_and_others() {
        for tool in [
            "ask_user",
            "askUser",
            "AskUserQuestion",
            "request_user_input",
            "mcp__human__ask_human",
            "x.ask_user",
        ] {
            assert!(is_put_to_the_user(tool), "{tool}");
        }
        for tool in ["ask", "bash", "ask_user_service_status", "get_user", "search", "ask_model"] {
            assert!(!is_put_to_the_user(tool), "{tool}");
        }
    }

    #[test]
    fn what_was_said_in_json() {
        assert_eq!(spoken("Never.\nEver."), ["Never.\nEver."]);
        assert_eq!(spoken(r#"{"answers":{"a":"Use pnpm.","b":["x",3]}}"#), ["Use pnpm.", "x"]);
        assert_eq!(spoken("17"), ["17"]);
        let offered = r#"{"questions":[{"question":"Which?","options":[{"label":"A","description":"Never use npm."}]}],"answers":{"Which?":"B"}}"#;
        assert_eq!(spoken(offered), ["B"]);
        assert_eq!(
            spoken(r#"[{"question":"Must it?","choices":["Never."],"chosen":"Always."}]"#),
            ["Always."]
        );
        let told = r#"User has answered your questions: "Never use npm?"="No", "And yarn?"="Always". You can now go on."#;
        assert_eq!(spoken(told), ["No", "Always"]);
        assert_eq!(spoken("Error: never call this without a terminal."), [""; 0]);
    }
}
