//! The public message shape: it round-trips, and it is strict.

use contextfold::ErrorCode;
use contextfold::message::{Format, Message, Part, Role};
use contextfold::provider::provider;
use serde_json::{Value, json};

fn read(list: &Value) -> Vec<Message> {
    provider(Format::Messages).read(list).unwrap()
}

fn written(messages: &[Message]) -> Value {
    Value::Array(provider(Format::Messages).write(&messages.iter().collect::<Vec<_>>()).items)
}

#[test]
fn every_field_is_written_as_it_was_read() {
    let list = json!([
        { "role": "system", "content": "be brief", "id": "s", "pinned": true },
        { "content": [{ "type": "text", "text": "keys in another order" }], "role": "developer" },
        { "role": "user", "content": [], "priority": -3, "ephemeral": true, "pinned": false },
        { "role": "user", "content": [
            { "type": "text", "text": "look", "cache": { "ttl": 5 } },
            { "type": "image", "url": "https://example.com/a.png", "detail": "low", "width": 12, "height": 34 },
            { "type": "document", "data": "AAAA", "media_type": "application/pdf", "filename": "a.pdf" },
            { "type": "audio", "data": "AAAA", "media_type": "audio/wav" },
            { "type": "hologram", "depth": 3 },
            { "type": "opaque", "format": "anthropic", "raw": { "type": "search_result" } },
            { "type": "opaque", "format": "anthropic", "raw": 1, "note": "more than the shape has" }
        ], "ephemeral": 2, "item_type": "MEMORY", "unknown": [1, 2.5, null] },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } },
            { "type": "custom", "custom": { "input": "x", "name": "g", "more": 1 }, "id": "b", "index": 0 },
            { "id": "c", "type": "opaque", "format": "openai-responses", "raw": { "type": "shell_call", "call_id": "c" } },
            { "id": "d", "type": "function", "function": { "name": "f", "arguments": "" }, "hosted": true }
        ] },
        { "role": "tool", "tool_call_id": "a", "content": "out",
          "output_ref": { "id": "r1", "byte_size": 3 }, "is_error": true },
        { "role": "tool", "tool_call_id": "b", "content": [{ "type": "text", "text": "out" }], "is_error": false,
          "extras": { "openai-responses": { "status": null, "tool_output": { "id": "o_1", "type": "" } } } },
        { "role": "tool", "tool_call_id": "c", "content": [], "output_ref": { "id": "r2", "kept": "too" } },
        { "role": "assistant", "tool_calls": [], "content": "" },
        { "role": "assistant", "content": [
            { "type": "reasoning", "text": "hm", "summary": ["s"], "signature": "sig", "id": "rs_1", "redacted": true },
            { "type": "reasoning", "encrypted": "gAAA", "summary": [] , "redacted": false },
            { "type": "refusal", "refusal": "no" },
            { "type": "text", "text": "after", "extras": { "elsewhere": 1, "openai-responses": { "item": { "id": "msg_1" } } } }
        ], "tool_calls": [
            { "id": "e", "type": "function", "function": { "name": "f", "arguments": "{}" },
              "extras": { "openai-responses": { "id": "fc_1" } } }
        ], "extras": { "messages": { "call_positions": [2], "kept": true }, "openai-chat": { "name": "n" } } },
        { "role": "assistant" },
        { "role": "assistant", "content": "x", "id": null, "extras": {} }
    ]);
    let messages = read(&list);
    for (out, entry) in written(&messages).as_array().unwrap().iter().zip(list.as_array().unwrap()) {
        assert_eq!(out.to_string(), entry.to_string());
    }
    assert_eq!(messages[3].meta.ephemeral, Some(2));
    assert!(messages[5].tool_outputs().next().unwrap().is_error);
    assert!(matches!(messages[9].parts[2], Part::ToolCall(_)), "the call stands where it stood");
}

#[test]
fn engine_messages_are_written_without_extra_fields() {
    let mut summary = Message::text(Role::User, "summary");
    summary.meta.item_type = Some(contextfold::message::ItemType::CompactionSummary);
    assert_eq!(
        written(&[summary, Message::tool("a", "out")]),
        json!([
            { "role": "user", "content": "summary", "item_type": "COMPACTION_SUMMARY" },
            { "role": "tool", "tool_call_id": "a", "content": "out" }
        ])
    );
}

#[test]
fn changing_a_text_changes_nothing_else() {
    let list = json!([{ "id": "m", "role": "tool", "content": [{ "type": "text", "text": "long" }], "tool_call_id": "a", "x": 1 }]);
    let mut messages = read(&list);
    if let Part::ToolOutput(output) = &mut messages[0].parts[0] {
        output.content = vec![Part::text("short")];
    }
    assert_eq!(
        written(&messages).to_string(),
        json!([{ "id": "m", "role": "tool", "content": [{ "type": "text", "text": "short" }], "tool_call_id": "a", "x": 1 }])
            .to_string()
    );
}

#[test]
fn malformed_messages_are_refused_with_their_index() {
    let good = json!({ "role": "user", "content": "hi" });
    for (bad, says) in [
        (json!("text"), "an object"),
        (json!({ "content": "hi" }), "`role`"),
        (json!({ "role": 1, "content": "hi" }), "`role`"),
        (json!({ "role": "narrator", "content": "hi" }), "narrator"),
        (json!({ "role": "user" }), "`content`"),
        (json!({ "role": "user", "content": 1 }), "`content`"),
        (json!({ "role": "user", "content": ["hi"] }), "content[0]"),
        (json!({ "role": "user", "content": [{ "text": "hi" }] }), "content[0]"),
        (json!({ "role": "user", "content": [{ "type": "text", "text": 1 }] }), "content[0]"),
        (json!({ "role": "user", "content": [{ "type": "image", "url": 1 }] }), "`content[0].url`"),
        (json!({ "role": "user", "content": [{ "type": "image", "width": -1 }] }), "`content[0].width`"),
        (json!({ "role": "user", "content": [{ "type": "opaque", "raw": 1 }] }), "`format`"),
        (json!({ "role": "user", "content": "hi", "id": 1 }), "`id`"),
        (json!({ "role": "user", "content": "hi", "priority": "high" }), "`priority`"),
        (json!({ "role": "user", "content": "hi", "ephemeral": "yes" }), "`ephemeral`"),
        (json!({ "role": "user", "content": "hi", "ephemeral": -1 }), "`ephemeral`"),
        (json!({ "role": "user", "content": "hi", "pinned": 1 }), "`pinned`"),
        (json!({ "role": "user", "content": "hi", "item_type": "X" }), "`item_type`"),
        (json!({ "role": "user", "content": "hi", "extras": [] }), "`extras`"),
        (json!({ "role": "tool", "content": "hi" }), "`tool_call_id`"),
        (json!({ "role": "tool", "tool_call_id": "a", "content": "", "is_error": 1 }), "`is_error`"),
        (json!({ "role": "tool", "tool_call_id": "a", "content": "", "output_ref": "r" }), "`output_ref`"),
        (json!({ "role": "assistant", "tool_calls": {} }), "`tool_calls`"),
        (json!({ "role": "assistant", "tool_calls": [{ "type": "function" }] }), "tool_calls[0]"),
        (
            json!({ "role": "assistant", "tool_calls": [{ "id": "a", "type": "function" }] }),
            "`tool_calls[0]`",
        ),
        (json!({ "role": "assistant", "tool_calls": [{ "id": "a", "type": "other" }] }), "other"),
        (
            json!({ "role": "assistant", "content": "x", "extras": { "messages": { "call_positions": [0] } } }),
            "call_positions",
        ),
    ] {
        let e = provider(Format::Messages).read(&json!([good, bad])).unwrap_err();
        assert_eq!(e.code(), ErrorCode::InvalidMessage, "{bad}");
        assert!(e.message().starts_with("message 1:") && e.message().contains(says), "{bad}: {e}");
    }
    assert_eq!(provider(Format::Messages).read(&json!(1)).unwrap_err().code(), ErrorCode::InvalidArgument);
}
