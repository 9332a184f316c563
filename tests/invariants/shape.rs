//! INV-1 and INV-2: every view and request has a shape that its provider accepts, with the header and the newest user message.

use contextfold::message::{Format, Message, Role};
use contextfold::provider::provider;
use serde_json::Value;

use super::oracle;
use super::world::{Came, Happened, World};

/// The formats that can be written.
pub const FORMATS: [Format; 7] = Format::ALL;

fn written(format: Format, messages: &[&Message]) -> Vec<Value> {
    provider(format).write(messages).items
}

/// What the formats' providers would refuse.
fn refusals(messages: &[&Message], live: bool) -> Vec<String> {
    let mut refused = Vec::new();
    for format in &FORMATS {
        let bad = oracle::violations(*format, &written(*format, messages), live);
        refused.extend(bad.into_iter().map(|b| format!("{}: {b}", format.as_str())));
    }
    refused
}

pub fn views_are_valid(world: &mut World, _: &Happened) {
    let view = world.session.context().view_messages();
    let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
    assert_eq!(refusals(&view, true), [""; 0]);
    let context = world.session.context();
    let user_began = world
        .going_on()
        .find(|p| !p.message.role.is_instruction() && !p.message.is_empty())
        .is_some_and(|p| p.message.role == Role::User);
    let folded = context
        .view
        .body()
        .first()
        .is_some_and(|s| context.history.node(s.node).is_fold() && s.message.role == Role::User);
    let first = context.view.body().iter().find(|s| !s.message.role.is_instruction());
    // The provider ignores everything before its own compaction, so an open call may be all that it reads.
    let compacted = context.view.body().iter().any(|s| s.message.provider_compaction().is_some());
    if let Some(first) = first.filter(|_| !compacted && (user_began || folded)) {
        assert_eq!(first.message.role, Role::User, "a view of what a user began begins with a user message");
    }
}

pub fn requests_are_valid(world: &mut World, happened: &Happened) {
    if !matches!(happened.came, Came::Asked) {
        return;
    }
    for request in world.requests() {
        let messages = request.messages();
        let messages: Vec<&Message> = messages.iter().map(|m| &**m).collect();
        assert_eq!(messages.last().map(|m| m.role), Some(Role::User));
        assert_eq!(refusals(&messages, false), [""; 0]);
        assert!(!request.folded().is_empty());
    }
}

pub fn header_and_newest_user_are_there(world: &mut World, _: &Happened) {
    let context = world.session.context();
    let items = context.items();
    let merges = world.session.config().ladder.builds_from_turns();
    let header: Vec<&str> = items.iter().take(context.view.header().len()).map(|i| i.id.as_str()).collect();
    if merges {
        // Later instructions are part of the header, as the document says; the header's own messages come first, in order.
        let own: Vec<&str> =
            header.iter().copied().filter(|id| world.header.iter().any(|h| h == id)).collect();
        assert_eq!(own, world.header);
        for (slot, id) in context.view.header().iter().zip(&world.header) {
            let text = world.find(id).map(Message::plain_text).unwrap_or_default();
            assert!(slot.message.plain_text().starts_with(&text), "{id}");
        }
    } else {
        assert_eq!(header, world.header);
        for (slot, id) in context.view.header().iter().zip(&world.header) {
            assert_eq!(Some(&*slot.message), world.find(id));
        }
    }
    if let Some(newest) = world.newest_user() {
        assert_eq!(
            items.iter().filter(|i| i.id == newest.id).count(),
            1,
            "the newest user message {}",
            newest.id
        );
    }
    let mut ids: Vec<&str> = items.iter().map(|i| i.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), items.len(), "no message stands twice");
}

#[test]
fn inv_1_every_view_has_a_valid_shape() {
    super::always(views_are_valid);
}

#[test]
fn inv_1_every_request_has_a_valid_shape() {
    super::always(requests_are_valid);
}

#[test]
fn inv_2_header_and_newest_user_message_stay() {
    super::always(header_and_newest_user_are_there);
}
