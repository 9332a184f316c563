//! What every provider must do. A new provider adds its fixture to `fixtures`.

use contextfold::ErrorCode;
use contextfold::message::{Format, Message, Part, Role, open_calls};
use contextfold::provider::{
    Calls, CheckOptions, Provider, Severity, check, convert, detect, provider, repair,
};
use serde_json::{Value, json};

struct Fixture {
    format: Format,
    /// A list that the provider accepts, with as many kinds of entries and parts as possible, including unknown ones.
    everything: Value,
    /// Entries that cannot be read.
    malformed: Vec<Value>,
}

fn fixtures() -> Vec<Fixture> {
    vec![
        Fixture {
            format: Format::OpenaiResponses,
            everything: super::responses::every_kind(),
            malformed: vec![
                json!({ "type": "function_call" }),
                json!({ "role": "narrator", "content": "x" }),
            ],
        },
        Fixture {
            format: Format::OpenaiChat,
            everything: chat(),
            malformed: vec![json!({ "role": "tool", "content": "x" })],
        },
        Fixture {
            format: Format::Anthropic,
            everything: anthropic(),
            malformed: vec![
                json!({ "role": "tool", "content": "x" }),
                json!({ "role": "user", "content": 1 }),
            ],
        },
        Fixture {
            format: Format::AiSdk,
            everything: ai_sdk(),
            malformed: vec![
                json!({ "role": "tool", "content": "x" }),
                json!({ "role": "tool", "content": [{ "type": "tool-result" }] }),
            ],
        },
        Fixture {
            format: Format::Gemini,
            everything: gemini(),
            malformed: vec![
                json!({ "role": "narrator", "parts": [{ "text": "x" }] }),
                json!({ "role": "user", "parts": 1 }),
                json!({}),
            ],
        },
        Fixture {
            format: Format::BedrockConverse,
            everything: bedrock(),
            malformed: vec![
                json!({ "role": "tool", "content": [{ "text": "x" }] }),
                json!({ "role": "user", "content": "x" }),
            ],
        },
        Fixture {
            format: Format::Messages,
            everything: messages(),
            malformed: vec![json!({ "role": "tool", "content": "x" }), json!({ "content": "x" })],
        },
    ]
}

fn chat() -> Value {
    json!([
        { "role": "system", "content": [{ "type": "text", "text": "rules", "cache_control": { "type": "ephemeral" } }], "name": "n" },
        { "role": "developer", "content": "more rules" },
        { "content": [
            { "type": "text", "text": "look" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA", "detail": "low" } },
            { "image_url": { "url": "https://example.com/a.png" }, "type": "image_url" },
            { "type": "input_audio", "input_audio": { "data": "AAAA", "format": "wav" } },
            { "type": "file", "file": { "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA" } },
            { "type": "file", "file": { "file_id": "file_1", "more": true } },
            { "type": "document_url", "document_url": "https://example.com/a.pdf" }
        ], "role": "user", "unknown": { "kept": [1, 2.5, null] } },
        { "role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "f", "arguments": "{\"x\": 1}" },
              "extra_content": { "google": { "thought_signature": "sig" } } },
            { "index": 1, "id": "b", "function": { "arguments": "", "name": "g" }, "type": "function" },
            { "id": "c", "type": "custom", "custom": { "name": "h", "input": "free text" } },
            { "id": "d", "function": { "name": "f", "arguments": "{}" } }
        ] },
        { "role": "tool", "tool_call_id": "a", "content": "1", "name": "f" },
        { "role": "tool", "tool_call_id": "b", "content": [{ "type": "text", "text": "2" }] },
        { "role": "tool", "tool_call_id": "c", "content": "" },
        { "role": "tool", "tool_call_id": "d", "content": "4" },
        { "role": "system", "content": "a rule that comes later" },
        { "role": "assistant", "content": "", "refusal": "no", "reasoning": "hm", "annotations": [] },
        { "role": "assistant", "content": [
            { "signature": "sig", "type": "thinking", "thinking": "hm" }, { "type": "redacted_thinking", "data": "AAAA", "index": 1 },
            { "type": "thinking", "thinking": [{ "type": "text", "text": "another provider's" }] },
            { "type": "text", "text": "one" }, { "type": "refusal", "refusal": "two" }
        ] },
        { "role": "assistant", "content": null, "function_call": { "name": "old", "arguments": "{}" } },
        { "role": "function", "name": "old", "content": "5" },
        { "role": "assistant", "content": "<think>kept</think> done", "audio": { "id": "audio_1" } },
        { "role": "user", "content": "thanks", "tool_calls": null }
    ])
}

fn anthropic() -> Value {
    json!([
        { "role": "user", "content": "hi" },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "sig" },
            { "type": "redacted_thinking", "data": "AAAA" },
            { "type": "text", "text": "I will", "citations": null },
            { "id": "a", "type": "tool_use", "name": "f", "input": { "x": 1.5, "y": 1.0, "z": [] } },
            { "type": "tool_use", "id": "b", "name": "g", "input": {}, "cache_control": { "type": "ephemeral" } },
            { "type": "tool_use", "id": "c", "name": "g", "input": { "k": "v" } }
        ] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "a", "content": "1", "is_error": true },
            { "type": "tool_result", "tool_use_id": "b", "content": [
                { "type": "text", "text": "2" },
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } },
                { "type": "tool_reference", "tool_name": "f" }
            ], "cache_control": { "type": "ephemeral" } },
            { "type": "tool_result", "tool_use_id": "c", "is_error": false },
            { "type": "text", "text": "go on" },
            { "type": "image", "source": { "type": "url", "url": "https://example.com/a.png" }, "transformations": [] },
            { "type": "document", "title": "a", "source": { "type": "file", "file_id": "file_1" }, "citations": { "enabled": true } },
            { "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": "x" } },
            { "type": "search_result", "source": "s", "title": "t", "content": [] },
            { "type": "hologram" }
        ] },
        { "role": "system", "content": [{ "type": "text", "text": "a rule that comes later" }] },
        { "content": [
            { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": { "query": "q" } },
            { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [] },
            { "type": "compaction", "content": "summary" },
            { "type": "text", "text": "found" }
        ], "role": "assistant" },
        { "role": "user", "content": [{ "type": "text", "text": "thanks" }] },
        { "role": "user", "content": "and" },
        { "role": "assistant", "content": "done" },
        { "role": "assistant", "content": [{ "type": "text", "text": "really" }] }
    ])
}

fn ai_sdk() -> Value {
    json!([
        { "role": "system", "content": "rules", "providerOptions": { "anthropic": { "cacheControl": { "type": "ephemeral" } } } },
        { "role": "user", "content": "hi" },
        { "role": "user", "content": [
            { "type": "text", "text": "look", "providerOptions": {} },
            { "type": "image", "image": "https://example.com/a.png" },
            { "type": "image", "image": "AAAA", "mediaType": "image/png" },
            { "type": "image", "image": "data:image/png;base64,AAAA" },
            { "type": "file", "data": "data:application/pdf;base64,AAAA", "mediaType": "application/pdf", "filename": "a.pdf" },
            { "type": "file", "mediaType": "audio/wav", "data": { "type": "data", "data": "AAAA" } },
            { "type": "file", "mediaType": "image", "data": "AAAA" },
            { "type": "file", "mediaType": "image/*", "data": "data:image/png;base64,AAAA" },
            { "type": "file", "mediaType": "text/plain", "data": { "type": "text", "text": "x" } },
            { "type": "file", "mediaType": "image/png", "data": { "type": "url", "url": "https://example.com/a.png" } },
            { "type": "image", "image": { "openai": "file_1" } },
            { "type": "hologram" }
        ] },
        { "role": "assistant", "content": [
            { "type": "reasoning", "text": "hm", "providerOptions": { "anthropic": { "signature": "sig" } } },
            { "type": "reasoning", "text": "", "providerOptions": { "openai": { "itemId": "rs_1", "reasoningEncryptedContent": "gA" } } },
            { "type": "text", "text": "I will" },
            { "type": "tool-call", "toolCallId": "a", "toolName": "f", "input": { "x": 1.5 } },
            { "type": "tool-call", "toolName": "g", "toolCallId": "b", "input": "text", "providerOptions": {} },
            { "type": "tool-call", "toolCallId": "c", "toolName": "g", "input": {} },
            { "type": "tool-call", "toolCallId": "d", "toolName": "g", "input": {} },
            { "type": "tool-call", "toolCallId": "e", "toolName": "g", "input": {} },
            { "type": "tool-call", "toolCallId": "p", "toolName": "web", "input": { "q": 1 }, "providerExecuted": true },
            { "type": "tool-result", "toolCallId": "p", "toolName": "web", "output": { "type": "json", "value": [] } },
            { "type": "tool-approval-request", "approvalId": "ap", "toolCallId": "e" },
            { "type": "custom", "kind": "openai.compaction" },
            { "type": "file", "data": "AAAA", "mediaType": "image/png" }
        ] },
        { "role": "tool", "content": [
            { "type": "tool-result", "toolCallId": "a", "toolName": "f", "output": { "type": "text", "value": "1" } },
            { "type": "tool-result", "toolCallId": "b", "toolName": "g", "output": { "type": "json", "value": { "n": 1.0, "m": [1] } } },
            { "type": "tool-result", "toolCallId": "c", "toolName": "g", "output": { "type": "error-json", "value": { "n": 1 } } },
            { "type": "tool-result", "toolCallId": "d", "toolName": "g", "output": { "type": "content", "value": [
                { "type": "text", "text": "x" },
                { "type": "media", "data": "AAAA", "mediaType": "image/png" },
                { "type": "file-url", "url": "https://example.com/a.pdf" },
                { "type": "custom" }
            ] } },
            { "type": "tool-approval-response", "approvalId": "ap", "approved": true }
        ], "providerOptions": {} },
        { "role": "tool", "content": [
            { "type": "tool-result", "toolCallId": "e", "toolName": "g", "output": { "type": "execution-denied", "reason": "no" } }
        ] },
        { "role": "assistant", "content": "done" }
    ])
}

/// In the shapes of `@google/genai`'s types and of its API's answers: calls with and without ids, in both spellings.
fn gemini() -> Value {
    json!([
        { "parts": [
            { "text": "look" },
            { "inlineData": { "mimeType": "image/png", "data": "AAAA", "displayName": "a.png" }, "mediaResolution": { "level": "MEDIA_RESOLUTION_LOW" } },
            { "inline_data": { "mime_type": "audio/wav", "data": "AAAA" } },
            { "fileData": { "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/abc", "mimeType": "application/pdf" } },
            { "fileData": { "fileUri": "https://youtu.be/x" }, "videoMetadata": { "fps": 1.5 } },
            { "inlineData": { "data": "AAAA", "mimeType": "video/mp4" } },
            { "hologram": {} }
        ] },
        { "parts": [
            { "text": "I think", "thought": true },
            { "text": "I will", "thoughtSignature": "sig0" },
            { "thoughtSignature": "sig1", "functionCall": { "name": "f", "args": { "x": 1.5, "y": 1.0, "z": [] }, "id": "a" } },
            { "functionCall": { "id": "b", "name": "g", "args": {} } },
            { "functionCall": { "id": "c", "name": "g" } }
        ], "role": "model" },
        { "role": "user", "parts": [
            { "functionResponse": { "id": "a", "name": "f", "response": { "output": "1" } } },
            { "functionResponse": { "name": "g", "response": { "error": "no" } } },
            { "functionResponse": { "id": "c", "name": "g", "response": { "n": 1.0, "m": [1] }, "parts": [
                { "inlineData": { "mimeType": "image/png", "data": "AAAA" } }, { "later": 1 }
            ], "willContinue": false }, "partMetadata": { "k": 1 } },
            { "text": "go on" }
        ] },
        { "role": "model", "parts": [
            { "functionCall": { "name": "read", "args": { "path": "a" } } },
            { "functionCall": { "args": { "path": "b" }, "name": "read" } },
            { "function_call": { "name": "list" }, "thought_signature": "sig2" }
        ] },
        { "role": "function", "parts": [
            { "functionResponse": { "name": "list", "response": {} } },
            { "functionResponse": { "name": "read", "response": { "result": "A", "exit": 0 } } },
            { "function_response": { "name": "read", "response": { "content": "" } } }
        ] },
        { "role": "model", "parts": [
            { "executableCode": { "language": "PYTHON", "code": "1+1" } },
            { "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "2" } },
            { "toolCall": { "id": "t", "toolType": "GOOGLE_SEARCH_WEB", "args": {} }, "thoughtSignature": "sig3" },
            { "toolResponse": { "id": "t", "toolType": "GOOGLE_SEARCH_WEB", "response": {} } },
            { "inlineData": { "mimeType": "image/png", "data": "AAAA" }, "thoughtSignature": "sig4" },
            { "text": "", "thoughtSignature": "sig5" }
        ] },
        { "role": "model", "parts": [{ "text": "and more" }], "unknown": [1, 2.5, null] },
        { "role": "user", "parts": [{ "text": "thanks" }] },
        { "role": "user", "parts": [{ "text": "and" }, { "text": "one more" }] },
        { "role": "model", "parts": [{ "text": "done" }] }
    ])
}

/// In the shape of Amazon's API reference and the types of its SDK (`@aws-sdk/client-bedrock-runtime` 3).
fn bedrock() -> Value {
    json!([
        { "role": "user", "content": [{ "text": "hi" }] },
        { "role": "assistant", "content": [
            { "reasoningContent": { "reasoningText": { "text": "hm", "signature": "sig" } } },
            { "reasoningContent": { "redactedContent": "AAAA" } },
            { "reasoningContent": { "redactedContent": { "$bytes": "AAAA" } } },
            { "reasoningContent": { "reasoningText": { "text": "of another model" } } },
            { "text": "I will" },
            { "toolUse": { "toolUseId": "a", "name": "f", "input": { "x": 1.5, "y": 1.0, "z": [] } } },
            { "toolUse": { "name": "g", "toolUseId": "b", "input": {} } },
            { "cachePoint": { "type": "default" } },
            { "toolUse": { "toolUseId": "c", "name": "g", "input": { "k": "v" } } },
            { "toolUse": { "toolUseId": "d", "name": "g", "input": {}, "type": null } },
            { "toolUse": { "toolUseId": "srv", "name": "nova_grounding", "input": { "q": 1 }, "type": "server_tool_use" } },
            { "toolResult": { "toolUseId": "srv", "content": [{ "text": "found" }], "type": "nova_grounding_result" } }
        ] },
        { "role": "user", "content": [
            { "toolResult": { "toolUseId": "a", "content": [{ "text": "1" }], "status": "error" } },
            { "toolResult": { "content": [
                { "text": "2" },
                { "json": { "n": 1.0, "m": [1] } },
                { "image": { "format": "png", "source": { "bytes": "AAAA" } } },
                { "document": { "format": "pdf", "name": "in a result", "source": { "bytes": "AAAA" } } },
                { "video": { "format": "mp4", "source": { "bytes": "AAAA" } } },
                { "searchResult": { "source": "s", "title": "t", "content": [{ "text": "x" }] } }
            ], "toolUseId": "b", "status": "success" } },
            { "toolResult": { "toolUseId": "c", "content": [] } },
            { "cachePoint": { "type": "default", "ttl": "1h" } },
            { "toolResult": { "toolUseId": "d", "content": [{ "json": { "ok": true } }] } },
            { "text": "go on" },
            { "image": { "source": { "bytes": "AAAA" }, "format": "jpeg" } },
            { "image": { "format": "webp", "source": { "bytes": { "$bytes": "AAAA" } } } },
            { "image": { "format": "gif", "source": { "s3Location": { "uri": "s3://b/a.gif", "bucketOwner": "1" } } } },
            { "document": { "name": "a", "format": "docx", "source": { "bytes": "AAAA" }, "context": "c", "citations": { "enabled": true } } },
            { "document": { "format": "md", "name": "b", "source": { "s3Location": { "uri": "s3://b/b.md" } } } },
            { "document": { "format": "txt", "name": "c", "source": { "text": "x" } } },
            { "document": { "name": "d", "source": { "content": [{ "text": "x" }] } } },
            { "audio": { "format": "mp3", "source": { "bytes": "AAAA" } } },
            { "audio": { "format": "x-aac", "source": { "bytes": "AAAA" } } },
            { "video": { "format": "three_gp", "source": { "s3Location": { "uri": "s3://b/c" } } } },
            { "guardContent": { "text": { "text": "guarded", "qualifiers": ["query"] } } },
            { "guardContent": { "image": { "format": "png", "source": { "bytes": "AAAA" } } } },
            { "hologram": {} },
            { "cachePoint": { "type": "default" } }
        ] },
        { "content": [
            { "citationsContent": { "content": [{ "text": "found" }], "citations": [{ "title": "a" }] } },
            { "citationsContent": { "content": [{ "text": "one" }, { "text": "two" }] } },
            { "text": "done" }
        ], "role": "assistant" },
        { "role": "user", "content": [{ "text": "thanks" }], "unknown": { "kept": [1, 2.5, null] } },
        { "role": "assistant", "content": [{ "text": "really" }, { "text": "done" }] },
        { "role": "user", "content": [{ "text": "on" }] }
    ])
}

fn messages() -> Value {
    json!([
        { "role": "system", "content": "rules", "pinned": true },
        { "role": "user", "content": [{ "type": "text", "text": "look" }, { "type": "image", "url": "https://example.com/a.png" }] },
        { "role": "assistant", "content": "ok", "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } },
            { "id": "b", "type": "custom", "custom": { "name": "g", "input": "x" } }
        ] },
        { "role": "tool", "tool_call_id": "a", "content": "1", "unknown": true },
        { "role": "tool", "tool_call_id": "b", "content": "2", "is_error": true },
        { "role": "user", "content": "later", "item_type": "INJECTION", "ephemeral": 1, "priority": 2 }
    ])
}

fn read(p: &dyn Provider, list: &Value) -> Vec<Message> {
    p.read(list).unwrap_or_else(|e| panic!("{}: {e}", p.format().as_str()))
}

fn refs(messages: &[Message]) -> Vec<&Message> {
    messages.iter().collect()
}

fn errors(format: Format, list: &Value) -> Vec<String> {
    let found = check(format, list, &CheckOptions::default()).unwrap();
    found
        .iter()
        .filter(|v| v.severity == Severity::Error)
        .map(|v| format!("{} at {}: {}", v.rule, v.index, v.message))
        .collect()
}

#[test]
fn every_kind_of_entry_is_written_as_it_was_read() {
    for f in fixtures() {
        let p = provider(f.format);
        let read = read(p, &f.everything);
        let written = p.write(&refs(&read));
        assert_eq!(written.notes, [], "{}", f.format.as_str());
        for (out, entry) in written.items.iter().zip(f.everything.as_array().unwrap()) {
            assert_eq!(out.to_string(), entry.to_string(), "{}", f.format.as_str());
        }
        assert_eq!(written.items.len(), f.everything.as_array().unwrap().len());

        let own = Value::Array(provider(Format::Messages).write(&refs(&read)).items);
        let again = self::read(provider(Format::Messages), &own);
        for (again, message) in again.iter().zip(&read) {
            assert_eq!(again, message, "{} through messages", f.format.as_str());
        }
        assert_eq!(Value::Array(p.write(&refs(&again)).items).to_string(), f.everything.to_string());
    }
}

#[test]
fn everything_is_valid_and_detected() {
    for f in fixtures() {
        assert_eq!(errors(f.format, &f.everything), Vec::<String>::new(), "{}", f.format.as_str());
        assert_eq!(detect(&f.everything), Some(f.format));
        let fixed = repair(f.format, &f.everything, &CheckOptions::default()).unwrap();
        assert_eq!((fixed.output, fixed.changes), (f.everything, Vec::new()));
    }
}

#[test]
fn a_body_is_recognised_by_provider_specific_tools() {
    let body = serde_json::json!({
        "messages": [{ "role": "user", "content": "hi" }],
        "tools": [{ "name": "f", "input_schema": { "type": "object" } }],
    });
    assert_eq!(detect(&body), Some(Format::Anthropic));
}

#[test]
fn calls_and_outputs_are_paired() {
    for f in fixtures() {
        let read = read(provider(f.format), &f.everything);
        assert_eq!(open_calls(&read), Vec::<&str>::new(), "{}", f.format.as_str());
        for message in read.iter().filter(|m| m.role == Role::Tool) {
            assert!(matches!(message.parts.as_slice(), [Part::ToolOutput(_)]), "{}", f.format.as_str());
        }
    }
}

#[test]
fn every_entry_is_accounted_for() {
    for f in fixtures() {
        let list = f.everything.as_array().unwrap();
        let read = provider(f.format).read_list(list).unwrap();
        let mut at = 0;
        for (_, range) in &read {
            assert!(range.start == at || range.start + 1 == at && range.len() == 1, "{}", f.format.as_str());
            at = range.end;
        }
        assert_eq!(at, list.len());
    }
}

#[test]
fn runs_written_one_by_one_equal_the_whole() {
    for f in fixtures() {
        let p = provider(f.format);
        let read = read(p, &f.everything);
        let mut out = Vec::new();
        let mut calls = Calls::default();
        let mut run: Vec<&Message> = Vec::new();
        for message in &read {
            if !run.is_empty() && !p.joins(&run, message) {
                out.extend(p.write_run(&run, &calls, &mut Vec::new()));
                run.clear();
            }
            calls.add(message);
            run.push(message);
        }
        out.extend(p.write_run(&run, &calls, &mut Vec::new()));
        assert_eq!(Value::Array(out), f.everything, "{}", f.format.as_str());
    }
}

#[test]
fn malformed_entries_are_refused_with_their_index() {
    for f in fixtures() {
        let good = f.everything[0].clone();
        for bad in f.malformed.iter().chain([&json!(null), &json!("text"), &json!([])]) {
            let e = provider(f.format).read(&json!([good, bad])).unwrap_err();
            assert_eq!(e.code(), ErrorCode::InvalidMessage, "{} {bad}", f.format.as_str());
            assert!(e.message().starts_with("message 1:"), "{} {bad}: {e}", f.format.as_str());
        }
        assert_eq!(provider(f.format).read(&json!(7)).unwrap_err().code(), ErrorCode::InvalidArgument);
        assert_eq!(provider(f.format).read(&json!([])).unwrap(), []);
        assert_eq!(provider(f.format).write(&[]).items, [] as [Value; 0]);
    }
}

#[test]
fn trimming_an_output_changes_nothing_else_and_stays_valid() {
    for f in fixtures() {
        let p = provider(f.format);
        let whole = read(p, &f.everything);
        for at in (0..whole.len()).filter(|&i| whole[i].role == Role::Tool) {
            let mut messages = whole.clone();
            if let Part::ToolOutput(output) = &mut messages[at].parts[0] {
                output.content = vec![Part::text("[trimmed]")];
            }
            let out = p.write(&refs(&messages));
            assert_eq!(errors(f.format, &Value::Array(out.items.clone())), Vec::<String>::new());
            let changed =
                out.items.iter().zip(f.everything.as_array().unwrap()).filter(|(a, b)| a != b).count();
            assert!(
                changed <= 1 && out.items.len() == f.everything.as_array().unwrap().len(),
                "{}",
                f.format.as_str()
            );
        }
    }
}

#[test]
fn every_cut_can_be_repaired() {
    for f in fixtures() {
        let list = f.everything.as_array().unwrap();
        for at in 1..list.len() {
            for part in [&list[at..], &list[..at]] {
                let fixed = repair(f.format, &Value::Array(part.to_vec()), &CheckOptions::default()).unwrap();
                assert_eq!(
                    errors(f.format, &fixed.output),
                    Vec::<String>::new(),
                    "{} at {at}",
                    f.format.as_str()
                );
            }
        }
    }
}

#[test]
fn every_format_converts_to_every_other_with_ids_and_pairing_kept() {
    for f in fixtures() {
        let calls = |format: Format, list: &Value| -> Vec<String> {
            let read = read(provider(format), list);
            read.iter().flat_map(Message::tool_calls).filter(|c| !c.hosted).map(|c| c.id.clone()).collect()
        };
        let outputs = |format: Format, list: &Value| -> usize {
            read(provider(format), list).iter().flat_map(Message::tool_outputs).count()
        };
        for to in Format::ALL {
            let converted = convert(f.format, to, &f.everything).unwrap();
            assert_eq!(
                errors(to, &converted.output),
                Vec::<String>::new(),
                "{} to {}",
                f.format.as_str(),
                to.as_str()
            );
            assert_eq!(
                calls(to, &converted.output),
                calls(f.format, &f.everything),
                "{} to {}",
                f.format.as_str(),
                to.as_str()
            );
            assert_eq!(outputs(to, &converted.output), outputs(f.format, &f.everything));
        }
    }
}
