use super::message_facts::NotedCall;
use crate::facts::{Notes, Plan, continues, created_id, ticks};
use crate::message::{ItemType, Message, Role};
use crate::saved::saved;
use crate::sorted::SortedMap;
use crate::sorting::sort_by_key;

/// After this many further user messages, the next steps named in an answer are outdated.
const OLD: u64 = 4;
/// At most this many unanswered questions of the user are kept.
const MAX_ASKED: usize = 4;

/// The work that a conversation leaves open, according to its to-do lists, checkboxes and last questions: what was written down as open and
/// not ticked since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Open {
    /// The open entries of the plan.
    plan: Vec<String>,
    /// Unticked checkboxes, and the numbers of their messages.
    boxes: SortedMap<String, u64>,
    /// The assistant's last question, until the user speaks again.
    question: Option<String>,
    /// The ids of the plan's entries, in the same order; empty for entries without an id.
    ids: Vec<String>,
    /// The user's questions since the last answer.
    asked: Vec<String>,
    /// The next steps named by the last answer that named any.
    next: Vec<String>,
    /// The number of user messages since then.
    spoken: u64,
    /// The assistant's question that the first message behind the folded ones answers.
    answered: Option<String>,
}

/// Label of the assistant's question.
pub const ASKED_USER: &str = "Asked the user: ";
/// Label of the assistant's question if the user's answer stays in the view.
pub const ANSWERED: &str = "Asked the user, who answers below: ";
/// Label of a user's question that was not answered.
pub const USER_ASKED: &str = "The user asked, not answered yet: ";

saved!(struct Open { plan, boxes, question, ids, asked, next, spoken } fresh { answered: None });

impl Open {
    /// Reads a message. What is open in a message that is `shown` whole can be read there, so only what it closes is noted.
    pub fn apply_message(&mut self, message: &Message, notes: Option<&Notes>, at: u64, shown: bool) {
        let asked = notes.is_some_and(|notes| notes.question.is_some());
        let question = notes.and_then(|notes| notes.question.clone()).filter(|_| !shown);
        match message.role {
            Role::User if message.item_type() == ItemType::UserMessage => {
                self.question = None;
                self.asked.extend(question.filter(|_| self.asked.len() < MAX_ASKED));
                self.spoken += 1;
                if self.spoken >= OLD {
                    self.next.clear();
                }
            }
            Role::Assistant => {
                let ends_turn = message.tool_calls().next().is_none();
                if ends_turn || asked {
                    self.question = question;
                }
                if ends_turn || !message.plain_text().trim().is_empty() {
                    self.asked.clear();
                }
            }
            _ => {}
        }
        let Some(notes) = notes else { return };
        if notes.all_done {
            self.boxes.clear();
            self.next.clear();
        }
        if !notes.next.is_empty() {
            self.next = if shown { Vec::new() } else { notes.next.clone() };
            self.spoken = 0;
        }
        self.tick(&notes.boxes, at, shown);
    }

    /// Reads a call that changes the plan, unless it failed.
    pub fn apply_call(&mut self, call: &NotedCall<'_>) {
        let Some(plan) = &call.note.plan else { return };
        let output = call.output.map_or_else(Default::default, |(_, message)| message.plain_text());
        let refused = call.output.is_some_and(|(output, _)| output.is_error)
            || output.get(..5).is_some_and(|begin| begin.eq_ignore_ascii_case("error"));
        if !refused {
            self.apply_plan(plan, &output);
        }
    }

    fn apply_plan(&mut self, plan: &Plan, output: &str) {
        if plan.whole {
            let open = || plan.entries.iter().filter(|entry| !entry.done);
            self.plan = open().map(|entry| entry.text.clone()).collect();
            self.ids = open().map(|entry| entry.id.clone().unwrap_or_default()).collect();
            return;
        }
        self.ids.resize(self.plan.len(), String::new());
        for entry in &plan.entries {
            let by_id = entry.id.as_ref().and_then(|id| self.ids.iter().position(|known| known == id));
            let found = by_id.or_else(|| self.plan.iter().position(|text| *text == entry.text));
            match found {
                Some(at) if entry.done => {
                    self.plan.remove(at);
                    self.ids.remove(at);
                }
                Some(at) if !entry.text.is_empty() => self.plan[at].clone_from(&entry.text),
                None if !entry.done && !entry.text.is_empty() => {
                    self.plan.push(entry.text.clone());
                    self.ids.push(entry.id.clone().or_else(|| created_id(output)).unwrap_or_default());
                }
                _ => {}
            }
        }
    }

    fn tick(&mut self, boxes: &[(String, bool)], at: u64, shown: bool) {
        for (line, done) in boxes {
            if *done {
                self.next.retain(|open| !ticks(line, open));
            }
            if self.boxes.remove(line).is_none() {
                let known = self.boxes.len();
                self.boxes.retain(|open, _| !ticks(line, open) || !(*done || ticks(open, line)));
                if *done && self.boxes.len() == known {
                    self.boxes.retain(|open, _| !continues(open, line) && !continues(line, open));
                }
            }
            if !done && !shown {
                self.boxes.insert(line.clone(), at);
            }
        }
    }

    /// The assistant's last question, until the user speaks again.
    pub fn question(&self) -> Option<&String> {
        self.question.as_ref()
    }

    /// The user answers this question of the assistant in the view.
    pub fn is_answered_in_view(&mut self, question: String) {
        self.answered = Some(question);
    }

    /// One of these lines without the ledger's label.
    pub fn without_label(line: &str) -> &str {
        [USER_ASKED, ASKED_USER, ANSWERED].iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line)
    }

    /// Whether one of these lines is a question that `text` contains.
    pub fn is_question_in(line: &str, text: &str) -> bool {
        let question = Self::without_label(line);
        question.len() < line.len() && text.contains(question)
    }

    /// The open work, most urgent first.
    pub fn lines(&self) -> Vec<String> {
        let answered = self.answered.iter().map(|q| format!("{ANSWERED}{q}"));
        let question = self.question.iter().map(|q| format!("{ASKED_USER}{q}"));
        let asked = self.asked.iter().map(|q| format!("{USER_ASKED}{q}"));
        let mut boxes: Vec<(&String, &u64)> = self.boxes.iter().collect();
        sort_by_key(&mut boxes, |(_, at)| std::cmp::Reverse(**at));
        let boxes = boxes.into_iter().map(|(line, _)| line.clone());
        let urgent: Vec<String> =
            answered.chain(question).chain(asked).chain(self.plan.iter().cloned()).chain(boxes).collect();
        let next = self.next.iter().filter(|line| !urgent.contains(line)).cloned().collect::<Vec<_>>();
        urgent.into_iter().chain(next).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::message_facts::MessageFacts;
    use super::*;
    use crate::compaction::transcript_messages;
    use crate::corpus::agrees;
    use crate::message::{Part, ToolCall};

    fn open(messages: &[Message]) -> Vec<String> {
        let mut open = Open::default();
        let read = MessageFacts::extract(messages, &[]);
        for call in read.actions() {
            open.apply_call(&call);
        }
        for (message, notes) in read.messages() {
            open.apply_message(message, notes, 1, false);
        }
        open.lines()
    }

    fn call(id: &str, tool: &str, args: &Value, output: &str) -> [Message; 2] {
        let call = ToolCall::function(id, tool, args.to_string());
        [Message::new(Role::Assistant, vec![Part::from(call)]), Message::tool(id, output)]
    }

    fn said(text: &str) -> Message {
        Message::text(Role::Assistant, text)
    }

    fn user(text: &str) -> Message {
        Message::text(Role::User, text)
    }

    fn two(status: &str) -> Value {
        json!({ "todos": [
            { "id": "1", "content": "fix parser", "status": status },
            { "id": "2", "content": "write docs", "status": "pending" },
        ] })
    }

    #[test]
    fn a_failed_call_does_not_change_the_plan() {
        let mut list = call("a", "TodoWrite", &two("pending"), "ok").to_vec();
        let mut failed = call("b", "TodoWrite", &json!({ "todos": [] }), "todos not updated");
        if let Part::ToolOutput(output) = &mut failed[1].parts[0] {
            output.is_error = true;
        }
        list.extend(failed);
        list.extend(call("c", "TodoWrite", &json!({ "todos": [] }), "Error: invalid input"));
        assert_eq!(open(&list), ["fix parser", "write docs"]);
    }

    #[test]
    fn a_merge_update_changes_only_the_items_it_names() {
        for update in [
            json!({ "merge": true, "todos": [{ "id": "1", "content": "fix parser", "status": "completed" }] }),
            json!({ "merge": true, "todos": [{ "id": "1", "status": "completed" }] }),
            json!({ "todos": [{ "id": "1", "status": "completed" }] }),
        ] {
            let list =
                [call("a", "todo_write", &two("pending"), "ok"), call("b", "todo_write", &update, "ok")];
            assert_eq!(open(&list.concat()), ["write docs"], "{update}");
        }
    }

    #[test]
    fn tasks_are_created_and_completed_one_by_one() {
        let list = [
            call("a", "TaskCreate", &json!({ "subject": "Migrate users" }), "Task #1 created"),
            call("b", "TaskCreate", &json!({ "subject": "Write rollback" }), "Task #2 created"),
            call("c", "TaskUpdate", &json!({ "taskId": "1", "status": "completed" }), "ok"),
        ];
        assert_eq!(open(&list.concat()), ["Write rollback"]);
    }

    #[test]
    fn arguments_of_other_tools_are_not_plans() {
        let orders = json!({ "orders": [{ "title": "Order 1", "status": "open" }] });
        let template = json!({ "path": "T.md", "content": "- [ ] I have read the guide" });
        let list = [
            call("a", "TodoWrite", &two("completed"), "ok"),
            call("b", "send_orders", &orders, "ok"),
            call("c", "write_file", &template, "ok"),
        ];
        assert_eq!(open(&list.concat()), ["write docs"]);
    }

    #[test]
    fn what_a_conversation_leaves_open() {
        agrees(include_str!("open.tsv"), |transcript| match open(&transcript_messages(transcript)) {
            lines if lines.is_empty() => "-".to_owned(),
            lines => lines.join(" | "),
        });
    }

    #[test]
    fn a_message_that_is_shown_whole_only_closes_work() {
        let mut open = Open::default();
        let list = [said("- [ ] write docs\n- [ ] fix parser\n\nShall I drop it?")];
        let later = [
            user("No. Which licence does it have?"),
            said("- [x] write docs\n- [ ] ask Ann\n\nNext steps:\n- publish it"),
        ];
        for (messages, shown) in [(&list[..], false), (&later[..], true)] {
            for (message, notes) in MessageFacts::extract(messages, &[]).messages() {
                open.apply_message(message, notes, 1, shown);
            }
        }
        assert_eq!(open.lines(), ["fix parser"]);
    }

    #[test]
    fn questions_of_both_sides_are_open_until_answered() {
        let asking = |text: &str| {
            let call = Part::from(ToolCall::function("k", "look", "{}"));
            Message::new(Role::Assistant, vec![Part::text(text), call])
        };
        let list =
            [user("Which licence does it have?"), asking("Shall I drop the table?"), Message::tool("k", "x")];
        assert_eq!(
            open(&list),
            ["Asked the user: Shall I drop the table?"],
            "the assistant has spoken since the user's question"
        );
        let calls = Message::new(Role::Assistant, vec![Part::from(ToolCall::function("k", "look", "{}"))]);
        assert_eq!(
            open(&[list[0].clone(), calls]),
            ["The user asked, not answered yet: Which licence does it have?"]
        );
        assert_eq!(open(&[asking("Is it the cache?"), Message::tool("k", "x")]), [""; 0]);
    }
}
