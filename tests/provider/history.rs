//! The core of `OpenAIHistoryAdapter`.

use contextfold::Result;
use contextfold::message::{Format, Message, Part, Role};
use contextfold::provider::{OpenAiHistory, Rebuilt, provider};
use serde_json::{Value, json};

fn items() -> Vec<Value> {
    let Value::Array(items) = json!([
        { "role": "developer", "content": "rules" },
        { "role": "user", "content": "first" },
        { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA" },
        { "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c1", "output": "long output" },
        { "type": "message", "id": "msg_1", "role": "assistant", "content": [{ "type": "output_text", "text": "done", "annotations": [] }] },
        { "role": "user", "content": "second" },
        { "type": "reasoning", "id": "rs_2", "summary": [] },
        { "type": "function_call", "id": "fc_2", "call_id": "c2", "name": "f", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c2", "output": "x" }
    ]) else {
        unreachable!()
    };
    items
}

/// A history with its items, as `OpenAIHistoryAdapter` has them.
#[derive(Default)]
struct History {
    core: OpenAiHistory,
    items: Vec<Value>,
}

impl History {
    fn append(&mut self, items: &[Value]) -> Result<()> {
        self.core.append(items)?;
        self.items.extend_from_slice(items);
        Ok(())
    }

    fn rebuild(&mut self, compacted: &[Message]) -> Vec<Rebuilt> {
        let plan = self.core.plan(compacted);
        let rebuilt = plan.items.clone();
        let item = |item: &Rebuilt| match item {
            Rebuilt::Kept(at) => self.items[*at].clone(),
            Rebuilt::New(item) => Value::clone(item),
        };
        self.items = rebuilt.iter().map(item).collect();
        self.core.apply(plan);
        rebuilt
    }

    fn messages(&self) -> Vec<Message> {
        provider(Format::OpenaiResponses).read(&Value::Array(self.items.clone())).unwrap()
    }
}

fn history() -> History {
    let mut history = History::default();
    let items = items();
    history.append(&items[..4]).unwrap();
    history.append(&items[4..]).unwrap();
    history
}

#[test]
fn remaining_items_are_returned_unchanged() {
    let mut history = history();
    let mut compacted = history.messages();
    compacted.splice(1..5, [Message::text(Role::User, "summary")]);
    let rebuilt = history.rebuild(&compacted);
    let mut expected =
        vec![Rebuilt::Kept(0), Rebuilt::New(json!({ "role": "user", "content": "summary" }).into())];
    expected.extend((6..10).map(Rebuilt::Kept));
    assert_eq!(rebuilt, expected);
    assert_eq!(history.items.len(), 6);
    assert_eq!(history.items[2..], items()[6..]);
    history.append(&[json!({ "role": "user", "content": "third" })]).unwrap();
    assert_eq!(history.items.len(), 7);
}

#[test]
fn messages_without_their_extras_are_still_matched() {
    let mut history = history();
    let plain = json!([
        { "role": "developer", "content": "rules" },
        { "role": "user", "content": "summary" },
        { "role": "user", "content": "second" },
        { "role": "assistant", "tool_calls": [{ "id": "c2", "type": "function", "function": { "name": "f", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "c2", "content": "x" }
    ]);
    let compacted = provider(Format::Messages).read(&plain).unwrap();
    history.rebuild(&compacted);
    assert_eq!(history.items[2..], items()[6..], "reasoning and ids are back");
}

#[test]
fn trimming_an_output_changes_nothing_else() {
    let mut history = history();
    let mut compacted = history.messages();
    compacted[3] = Message::tool("c1", "[trimmed]");
    let rebuilt = history.rebuild(&compacted);
    let new: Vec<_> = rebuilt.iter().filter(|r| matches!(r, Rebuilt::New(_))).collect();
    assert_eq!(
        new,
        [&Rebuilt::New(
            json!({ "type": "function_call_output", "call_id": "c1", "output": "[trimmed]" }).into()
        )]
    );
}

#[test]
fn orphans_are_discarded() {
    let mut history = history();
    let mut compacted = history.messages();
    compacted.pop();
    let last = compacted.last_mut().unwrap();
    last.parts.retain(|p| matches!(p, Part::Reasoning(_)));
    compacted.remove(2); // the first call: its output becomes an orphan
    let audio = json!([{ "role": "user", "content": [{ "type": "audio", "data": "AAAA" }, { "type": "text", "text": "on" }] }]);
    compacted.extend(provider(Format::Messages).read(&audio).unwrap());
    let plan = history.core.plan(&compacted);
    let told: Vec<(usize, &str)> = plan.notes.iter().map(|note| (note.index, note.what.as_str())).collect();
    assert_eq!(
        told,
        [
            (2, "the output of the call `c1` is left out: the call does not come before it"),
            (compacted.len() - 1, "audio is left out: Responses input has no audio")
        ]
    );
    history.rebuild(&compacted);
    let kinds: Vec<String> =
        history.items.iter().map(|i| i["type"].as_str().unwrap_or("message").to_owned()).collect();
    assert_eq!(kinds, ["message", "message", "message", "message", "message"]);
}

#[test]
fn each_lone_output_is_noted_with_its_own_index() {
    let lone = |n: usize| (0..n).map(|_| Message::tool("c9", "x")).collect::<Vec<Message>>();
    let notes = OpenAiHistory::default().plan(&lone(3)).notes;
    let indexes: Vec<usize> = notes.iter().map(|note| note.index).collect();
    assert_eq!(indexes, [0, 1, 2]);
    assert!(notes.iter().all(|note| note.what.contains("`c9` is left out")), "{notes:?}");
    // If each were compared with all others, this would take minutes.
    let many = 200_000;
    assert_eq!(OpenAiHistory::default().plan(&lone(many)).notes.len(), many);
}

#[test]
fn an_invalid_item_appends_nothing() {
    let mut history = history();
    let bad = [json!({ "role": "user", "content": "ok" }), json!({ "type": "function_call" })];
    assert!(history.append(&bad).unwrap_err().message().starts_with("message 1:"));
    let kept: Vec<Rebuilt> = (0..10).map(Rebuilt::Kept).collect();
    assert_eq!(history.rebuild(&history.messages()), kept);
}
