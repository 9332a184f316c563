//! Limits on a request's images and bytes: media above them become placeholders, and no token limit is learnt.

use contextfold::message::Format;
use contextfold::session::{Fit, MediaSums, Session};
use serde_json::{Value, json};

use super::{broken, prepare, push, restored, sent, session};

const BY_BYTES: &str = r#"413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#;

fn shot(i: usize, bytes: usize) -> Value {
    let data = format!("iVBORw0KGgo{}", "A".repeat(bytes));
    json!([
        { "role": "user", "content": [{ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": data } }, { "type": "text", "text": format!("shot {i}") }] },
        { "role": "assistant", "content": "Seen." }
    ])
}

fn with_shots(options: &Value, shots: usize) -> (Session, Vec<String>) {
    let mut s = session(options);
    s.context_mut().wording.open_refs();
    let mut ids = Vec::new();
    for i in 0..shots {
        ids.extend(push(&mut s, Format::Anthropic, &shot(i, 1_000)));
    }
    ids.extend(push(&mut s, Format::Anthropic, &json!([{ "role": "user", "content": "And now?" }])));
    (s, ids)
}

fn images(s: &Session) -> u64 {
    s.context().view.media().images
}

fn recover(s: &mut Session, said: &str) -> Option<String> {
    match s.recover(said) {
        Ok(fit) => {
            assert!(fit.is_some(), "{said}");
            None
        }
        Err(error) => Some(error.message().to_owned()),
    }
}

#[test]
fn a_refusal_by_bytes_teaches_no_token_limit() {
    let (mut s, _) = with_shots(&json!({ "contextWindow": 1_000_000 }), 60);
    prepare(&mut s);
    let limit = s.config().limit;
    for left in [45, 33, 24] {
        assert_eq!(recover(&mut s, BY_BYTES), None);
        assert!(images(&s) <= left && images(&s) > 0, "{}", images(&s));
        assert_eq!((s.config().limit, s.config().window), (limit, Some(1_000_000)));
    }
    assert_eq!(broken(&s, Format::Anthropic), [""; 0]);
}

#[test]
fn a_limit_named_in_an_error_applies_from_then_on() {
    let (mut s, ids) = with_shots(&json!({ "contextWindow": 1_000_000 }), 52);
    assert_eq!(
        recover(&mut s, "request contains 52 images, exceeding the maximum of 50 allowed per request"),
        None
    );
    assert_eq!(s.config().media.max_images, Some(50));
    assert_eq!(images(&s), 38, "with room beneath the limit, so that not every new image changes the view");
    let report = s.report().unwrap();
    let decision = report.decisions.iter().find(|d| d.pass == "trim_media").unwrap();
    assert!(decision.why.contains("50 images") && decision.tokens_after < decision.tokens_before);
    assert_eq!(decision.items.len(), 14);
    let told = report.left_out.iter().find(|l| l.id == *ids[0]).unwrap();
    assert!(told.why.contains("placeholder"), "{}", told.why);
    let mut s = restored(&s.snapshot(&[]));
    for i in 0..20 {
        push(&mut s, Format::Anthropic, &shot(i, 1_000));
        assert!(images(&s) <= 50);
    }
}

#[test]
fn one_image_that_is_too_large_is_removed_alone() {
    let (mut s, _) = with_shots(&json!({ "contextWindow": 1_000_000 }), 3);
    push(&mut s, Format::Anthropic, &shot(9, 6_000_000));
    push(&mut s, Format::Anthropic, &json!([{ "role": "user", "content": "And?" }]));
    let said =
        "messages.6.content.0.image.source.base64: image exceeds 5 MB maximum: 6000011 bytes > 5242880 bytes";
    assert_eq!(recover(&mut s, said), None);
    assert_eq!(images(&s), 3);
    assert_eq!(s.config().media.max_image_bytes, Some(5_242_880));
}

#[test]
fn too_wide_images_of_unknown_size_are_reduced_in_number() {
    let (mut s, _) = with_shots(&json!({ "contextWindow": 1_000_000 }), 30);
    let said =
        "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels";
    assert_eq!(recover(&mut s, said), None);
    assert_eq!(s.config().media.max_image_side, Some(2000));
    assert!(images(&s) <= 20 && images(&s) > 0);
}

#[test]
fn a_placeholder_has_a_ref_and_a_larger_budget_restores_the_image() {
    let options = json!({ "contextWindow": 1_000_000, "media": { "maxImages": 4, "keepNewest": 2 } });
    let (mut s, ids) = with_shots(&options, 5);
    assert_eq!(images(&s), 2);
    let text = Value::Array(sent(&s, Format::Anthropic).items).to_string();
    let at = text.find("ref=").unwrap();
    let id: String = text[at + 4..].chars().take_while(|c| *c != ']').collect();
    assert!(s.context().outputs.get(&id).unwrap().parts().len() == 1, "{id}");
    s.set_pinned(&ids[0], true).unwrap();
    assert_eq!(images(&s), 3, "a pin brings it back");
    s.set_pinned(&ids[0], false).unwrap();
    let config = s.config().with(&json!({ "media": { "maxImages": null } })).unwrap();
    s.set_options(config, None);
    let fit = s.prepare().unwrap();
    assert!(matches!(fit, Fit::Done(report) if report.decisions.iter().any(|d| d.pass == "bring_back")));
    assert_eq!(images(&s), 5);
    let (plain, _) = with_shots(&json!({ "contextWindow": 1_000_000 }), 5);
    assert_eq!(sent(&s, Format::Anthropic).items, sent(&plain, Format::Anthropic).items);
}

#[test]
fn pinned_and_current_images_stay_and_the_error_says_so() {
    let mut s = session(&json!({ "contextWindow": 1_000_000 }));
    let ids = push(&mut s, Format::Anthropic, &shot(0, 1_000));
    s.set_pinned(&ids[0], true).unwrap();
    push(&mut s, Format::Anthropic, &json!([shot(1, 1_000)[0]]));
    let why = recover(&mut s, BY_BYTES).unwrap();
    assert!(why.contains("pinned"), "{why}");
    assert_eq!(images(&s), 2);
}

#[test]
fn the_models_published_limits_are_the_defaults() {
    let budget = |options: Value| session(&options).config().media;
    assert_eq!(budget(json!({ "model": "claude-sonnet-4-5" })).max_images, Some(100));
    assert_eq!(
        budget(json!({ "model": "anthropic/claude-sonnet-4.5", "media": { "maxImages": null } })).max_images,
        None
    );
    assert_eq!(budget(json!({ "model": "gpt-5" })).max_bytes, Some(50_000_000));
    assert_eq!(budget(json!({ "contextWindow": 9_000 })).max_images, None);
}

#[test]
fn a_media_refusal_of_a_view_without_images_teaches_no_limit() {
    let mut s = session(&json!({ "contextWindow": 1_000_000 }));
    push(&mut s, Format::Anthropic, &json!([{ "role": "user", "content": "Hello." }]));
    assert!(s.recover("Too many images").unwrap().is_none(), "another error");
    assert_eq!(s.config().media.max_images, None);
}

/// The history before the pass, and the view after it.
#[test]
fn layout_of_trim_media() {
    let options = json!({ "contextWindow": 1_000_000, "ladder": [{ "pass": "trim_media", "maxImages": 2, "keepNewest": 1 }] });
    let mut s = session(&options);
    s.context_mut().wording.open_refs();
    push(&mut s, Format::Anthropic, &shot(0, 1_000));
    let tool = json!([
        { "role": "user", "content": "Look." },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "c1", "name": "see", "input": {} }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c1", "content": [{ "type": "text", "text": "here" }, shot(1, 1_000)[0]["content"][0]] }] },
        { "role": "assistant", "content": "I see." }
    ]);
    push(&mut s, Format::Anthropic, &tool);
    push(&mut s, Format::Anthropic, &shot(2, 1_000));
    push(&mut s, Format::Anthropic, &json!([{ "role": "user", "content": "So?" }]));
    let before = images(&s);
    let report = prepare(&mut s);
    let layout = |s: &Session| {
        let lines = s.context().view.body().iter().map(|slot| {
            let MediaSums { images, .. } = MediaSums::of(&slot.message);
            let text = slot.message.plain_text().replace('\n', " | ");
            format!("{} {} {images} {text}", slot.message.role.as_str(), slot.form.as_str())
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(before, 3);
    let why: Vec<String> = report.decisions.iter().map(|d| format!("{}: {}", d.pass, d.why)).collect();
    insta::assert_snapshot!(format!("{}\n\n{}", layout(&s), why.join("\n")));
}
