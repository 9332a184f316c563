//! Tools by which an agent asks its user: what comes back is the user's own word.

use serde_json::Value;

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

/// What the user said, in the output of such a tool: the texts in it, where it is JSON.
pub fn spoken(output: &str) -> Vec<String> {
    match serde_json::from_str(output) {
        Ok(value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => {
            let (mut out, mut next) = (Vec::new(), vec![value]);
            while let Some(value) = next.pop() {
                match value {
                    Value::String(text) => out.push(text),
                    Value::Array(values) => next.extend(values.into_iter().rev()),
                    Value::Object(fields) => {
                        let values: Vec<Value> = fields.into_iter().map(|(_, value)| value).collect();
                        next.extend(values.into_iter().rev());
                    }
                    _ => {}
                }
            }
            out
        }
        _ => vec![output.to_owned()],
    }
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
    }
}
