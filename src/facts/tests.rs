//! What each reader of facts finds in a text: `found.tsv`.

use super::asked_user::user_answers;
use super::id_field::each_literal_in;
use super::says::says;
use super::*;
use crate::corpus::{agrees, sections};
use crate::message::{Message, Part, Role, ToolCall};

fn list<T: AsRef<str>>(finds: impl IntoIterator<Item = T>) -> String {
    let finds: Vec<T> = finds.into_iter().collect();
    if finds.is_empty() {
        return "-".to_owned();
    }
    finds.iter().map(T::as_ref).collect::<Vec<_>>().join(" | ")
}

fn yes(is_so: bool) -> String {
    list(is_so.then_some("yes"))
}

fn boxed(done: bool, text: &str) -> String {
    format!("[{}] {text}", if done { "x" } else { " " })
}

fn found(reader: &str, text: &str) -> String {
    match reader {
        "literals" => list(literals(text).iter().map(|l| format!("{:?} {}", l.kind, l.text))),
        "fields of a call" => {
            let call = Part::from(ToolCall::function("c", "tool", text));
            fields(&Message::new(Role::Assistant, vec![call]))
        }
        "fields of an output" => fields(&Message::tool("c", text)),
        "fields of a record" => fields(&Message::text(Role::User, text)),
        "sentences" => list(sentences(text).iter().map(|s| {
            let label = if s.cut { "cut: " } else { "" };
            format!("{label}{}{}", if s.fenced { "code: " } else { "" }, s.text)
        })),
        "unwrapped" => unwrapped(text).into_owned(),
        "rules" => list(constraints(text).iter().map(|c| c.text)),
        "remark" => yes(matches!(says(text, &sentences(text)), Says::Something | Says::OfOneThing)),
        "statement" => list(statement(text).map(|s| if s.is_done { "Done" } else { "Found" })),
        "all done" => yes(says_all_done(text)),
        "checkboxes" => list(checkboxes(text).iter().map(|c| boxed(c.done, c.text))),
        "remaining work" => list(intentions(text)),
        "final question" => list(final_question(text)),
        "asking tool" => yes(is_ask_user_tool(text)),
        "user answers" => list(user_answers(text)),
        "plan" => plan_of(text),
        "created task" => list(created_id(text)),
        "action" => action_of(text),
        "files of a command" => list(
            effects(text)
                .iter()
                .map(|e| format!("{} {}", if e.changes { "changes" } else { "reads" }, e.path)),
        ),
        "minor change" => yes(is_minor_change(text)),
        "only reads" => yes(only_reads(text)),
        "directory" => list(directory(text)),
        "without directory" => without_directory(text).to_owned(),
        "commit message" => list(commit_message(text)),
        "outcome" => outcome_of(text),
        _ => panic!("there is no reader `{reader}`"),
    }
}

fn fields(message: &Message) -> String {
    let mut found = Vec::new();
    each_literal_in(message, &mut |literal, field| {
        found.push(format!(
            "{}{}",
            field.map_or_else(String::new, |field| format!("{field}: ")),
            literal.text
        ));
    });
    list(found)
}

fn plan_of(call: &str) -> String {
    let (tool, args) = call.split_once(' ').expect("a tool and its arguments");
    let Some(plan) = plan(tool, &serde_json::from_str(args).expect("JSON")) else { return list([""; 0]) };
    let id = |entry: &todo::Todo| entry.id.as_deref().map_or_else(String::new, |id| format!("#{id} "));
    let entries = plan.entries.iter().map(|entry| boxed(entry.done, &format!("{}{}", id(entry), entry.text)));
    let entries = entries.collect::<Vec<_>>().join(" | ");
    format!("{}: {entries}", if plan.whole { "the whole plan" } else { "entries" }).trim_end().to_owned()
}

fn action_of(call: &str) -> String {
    let (tool, args) = call.split_once(' ').expect("a tool and its arguments");
    let call = ToolCall::function("c", tool, args);
    let action = actions::action(&call, 0);
    let on = action.command.unwrap_or_else(|| action.paths.join(", "));
    if on.is_empty() { format!("{:?}", action.kind) } else { format!("{:?}: {on}", action.kind) }
}

fn outcome_of(output: &str) -> String {
    let Outcome { status, exit_code, tests, error, .. } = outcome(output, false, true);
    let code = exit_code.map_or_else(String::new, |code| format!(", exit code {code}"));
    let tests =
        tests.map_or_else(String::new, |(passed, failed)| format!(", {passed} passed, {failed} failed"));
    let error = error.map_or_else(String::new, |error| format!(": {error}"));
    format!("{status:?}{code}{tests}{error}")
}

#[test]
fn each_reader_finds_what_the_list_says() {
    for (reader, rows) in sections(include_str!("found.tsv")) {
        agrees(rows, |text| found(reader, text).replace('\n', "⏎"));
    }
}
