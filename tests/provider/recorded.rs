//! Accepted histories are written as they were read.

use contextfold::message::{Format, Message};
use contextfold::provider::provider;
use serde_json::Value;

use super::data::recorded;

/// Reads and writes every recorded list; key for key, in the same order.
fn comes_out_as_it_went_in(suffix: &str, format: Format) {
    let mut lists = 0;
    for list in recorded(suffix) {
        let whole = Value::Array(list.items.clone());
        let messages = provider(format).read(&whole).unwrap_or_else(|e| panic!("{}: {e}", list.name));
        let refs: Vec<&Message> = messages.iter().collect();
        let written = provider(format).write(&refs);
        assert_eq!(written.notes, [], "{}", list.name);
        assert_eq!(written.items.len(), list.items.len(), "{}", list.name);
        for (i, (out, item)) in written.items.iter().zip(&list.items).enumerate() {
            assert_eq!(out.to_string(), item.to_string(), "{} at {i}", list.name);
        }

        // and through the package's own messages as JSON
        let own = Value::Array(provider(Format::Messages).write(&refs).items);
        let again = provider(Format::Messages).read(&own).unwrap_or_else(|e| panic!("{}: {e}", list.name));
        let refs: Vec<&Message> = again.iter().collect();
        assert_eq!(provider(format).write(&refs).items, list.items, "{}", list.name);
        let own_again = Value::Array(provider(Format::Messages).write(&refs).items);
        assert_eq!(own_again.to_string(), own.to_string(), "{}", list.name);
        assert_eq!(again, messages, "{}", list.name);
        lists += 1;
    }
    println!("{suffix}: {lists} lists");
}

#[test]
fn responses() {
    comes_out_as_it_went_in(".responses.jsonl", Format::OpenaiResponses);
}

#[test]
fn anthropic() {
    comes_out_as_it_went_in(".anthropic.jsonl", Format::Anthropic);
}

#[test]
fn anthropic_long_sessions() {
    comes_out_as_it_went_in(".anthropic.json", Format::Anthropic);
}

#[test]
fn chat() {
    comes_out_as_it_went_in(".chat.jsonl", Format::OpenaiChat);
}

#[test]
fn chat_dialogs() {
    comes_out_as_it_went_in(".chat.json", Format::OpenaiChat);
}
