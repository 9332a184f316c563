use std::sync::Arc;

use serde_json::{Value, json};

use super::*;
use crate::context::Tally;
use crate::message::{Format, Media, MediaKind, Message, Part, Reasoning, Text, ToolCall, ToolOutput};
use crate::tokens::BytesPerFour;
use crate::tool_output::Json;

fn aim(limit: u64) -> Aim {
    Aim {
        window: Some(limit),
        threshold: limit,
        target: limit / 2,
        target_after_fold: limit / 2,
        ledger: crate::compaction::ledger::Allowance::NONE,
        limit,
        min_new_tokens: 0,
        auto: true,
        no_auto_fold_below: 0,
        is_cold: false,
        fill: false,
        keep_turns: 1,
        min_summary_room: 0,
        summary_role: None,
        recent_ratio: 0.5,
        calibration: 1.0,
    }
}

fn context(messages: Vec<Message>) -> Context {
    let mut context =
        Context::new(Arc::new(BytesPerFour), crate::tool_output::ToolOutputCacheConfig::default(), None);
    context.push(messages).unwrap();
    context
}

fn run(context: &mut Context, limit: u64) -> Vec<String> {
    Shorten.run(context, &aim(limit)).unwrap();
    assert!(context.view.tokens() <= limit, "{} of {limit}", context.view.tokens());
    let refs: Vec<String> = context.left_out.drain(..).filter_map(|line| line.output_ref).collect();
    for id in &refs {
        assert!(context.outputs.contains(id), "{id}");
    }
    assert!(context.collect_garbage(true).is_empty(), "every ref is named in the view");
    refs
}

fn user(text: impl Into<String>) -> Message {
    Message::text(Role::User, text.into())
}

fn said(text: impl Into<String>) -> Message {
    Message::text(Role::Assistant, text.into())
}

fn calls(calls: Vec<ToolCall>) -> Vec<Message> {
    let outputs: Vec<Message> = calls.iter().map(|c| Message::tool(c.id.clone(), "done")).collect();
    let call = Message::new(Role::Assistant, calls.into_iter().map(Part::from).collect());
    [vec![user("go on"), call], outputs].concat()
}

fn inputs(context: &Context) -> Vec<Text> {
    context.view.body().iter().flat_map(|s| s.message.tool_calls()).map(|c| c.input.clone()).collect()
}

fn words(n: usize) -> String {
    (0..n).map(|i| format!("word{i} ")).collect::<Vec<_>>().concat()
}

#[test]
fn a_shortened_text_is_shortened_again_for_a_smaller_limit() {
    let answer = words(4_000);
    let mut context = context(vec![user("hi"), said(answer.clone()), user("ok?"), said("ok")]);
    let first = run(&mut context, 4_000);
    assert_eq!(first, run(&mut context, 1_000), "the first ref is kept");
    assert_eq!(first, run(&mut context, 300));
    assert_eq!(context.outputs.iter().count(), 1);
    let shown = &context.view.body()[1].message.plain_text();
    assert_eq!(shown.matches("characters left out").count(), 1, "{shown}");
    assert!(shown.starts_with("word0 ") && shown.ends_with("word3999 "));
    assert!(run(&mut context, 300).is_empty(), "what fits stays");
}

#[test]
fn a_message_that_lost_its_reasoning_is_shortened_again_from_its_full_text() {
    let thinks = Part::from(Reasoning { id: Some("rs_1".to_owned()), ..Reasoning::default() });
    let answer = Message::new(Role::Assistant, vec![thinks, Part::text(words(4_000))]);
    let mut context = context(vec![user("hi"), answer, user("ok?"), said("ok")]);
    let first = run(&mut context, 4_000);
    let mut bare = Message::clone(&context.view.body()[1].message);
    bare.parts.remove(0);
    let tally = Tally::of(&bare, &*context.counter);
    context.view.replace(1, Arc::new(bare), tally, Form::Shortened);
    assert_eq!(first, run(&mut context, 300), "the ref of the full text is kept");
    assert_eq!(context.outputs.iter().count(), 1);
}

#[test]
fn a_cut_output_is_cut_again_from_its_full_text() {
    let mut context = context(calls(vec![ToolCall::function("c", "bash", "{}")]));
    let at = context.view.body().len() - 1;
    let output = Message::tool("d", words(5_000));
    let call = Message::new(Role::Assistant, vec![Part::from(ToolCall::function("d", "bash", "{}"))]);
    context.push(vec![call, output]).unwrap();
    let first = run(&mut context, 2_000);
    assert_eq!(first, run(&mut context, 400));
    let shown = context.view.body()[at + 2].message.plain_text();
    assert_eq!(shown.matches("characters left out").count(), 1, "{shown}");
}

#[test]
fn the_strings_of_oversized_arguments_lose_their_middles() {
    let text = words(10_000);
    let arguments = json!({ "path": "src/a.rs", "lines": [1, 2.5], "edits": [{ "new": text.clone() }] });
    let mut context = context(calls(vec![
        ToolCall::function("c", "write_file", arguments.to_string()),
        ToolCall::function("d", "ls", r#"{ "path": "." }"#),
    ]));
    let refs = run(&mut context, 4_000);
    let shown: Value = serde_json::from_str(&inputs(&context)[0]).unwrap();
    assert_eq!((&shown["path"], &shown["lines"]), (&json!("src/a.rs"), &json!([1, 2.5])));
    let new = shown["edits"][0]["new"].as_str().unwrap();
    assert!(new.starts_with("word0 ") && new.ends_with("word9999 ") && new.contains(&refs[0]), "{new}");
    assert!(new.len() > 8_000, "no more is cut than must be: {}", new.len());
    assert_eq!(&*inputs(&context)[1], r#"{ "path": "." }"#);
    let full = context.outputs.get(&refs[0]).unwrap().parts();
    assert_eq!(full, [Part::text(arguments.to_string())]);

    assert_eq!(run(&mut context, 200), refs, "smaller yet, by the same ref");
    let smaller: Value = serde_json::from_str(&inputs(&context)[0]).unwrap();
    let new = smaller["edits"][0]["new"].as_str().unwrap();
    assert!(new.starts_with("word0 ") && new.matches("left out").count() == 1, "{new}");
}

#[test]
fn arguments_without_long_strings_are_replaced_whole_and_stay_json() {
    let numbers = json!({ "numbers": (0..9_000).collect::<Vec<_>>() }).to_string();
    let patch = words(4_000);
    let broken = format!("{{\"path\": \"{}", words(4_000));
    let mut context = context(calls(vec![
        ToolCall::function("n", "plot", numbers.clone()),
        ToolCall::custom("p", "apply_patch", patch.clone()),
        ToolCall::function("b", "write_file", broken.clone()),
    ]));
    let refs = run(&mut context, 1_000);
    let shown = inputs(&context);
    let parsed = serde_json::from_str::<Value>(&shown[0]).unwrap();
    assert!(parsed["left_out"].as_str().unwrap().contains(&refs[0]), "{parsed}");
    for (at, full) in [numbers, patch, broken].into_iter().enumerate() {
        assert!(shown[at].contains(&refs[at]) && shown[at].len() < 160, "{}", shown[at]);
        assert_eq!(context.outputs.get(&refs[at]).unwrap().parts(), [Part::text(full)]);
    }
}

#[test]
fn arguments_stay_valid_json_and_their_numbers_are_unchanged() {
    let long = words(4_000);
    let surrogates = format!("{{\"content\":\"{}\"}}", "x\\ud83d ".repeat(9_000));
    let deep = format!("{}\"{long}\"{}", "[".repeat(300), "]".repeat(300));
    let large = format!("{{\"n\": 1e400, \"m\": 12345678901234567890.12, \"b\":\"{long}\"}}");
    for input in [surrogates, deep, large] {
        let mut context = context(calls(vec![ToolCall::function("c", "f", input.clone())]));
        run(&mut context, 500);
        let shown = inputs(&context)[0].to_string();
        assert!(shown.len() < 4_000 && Json::parse(&shown).is_some(), "{shown}");
        assert_eq!(shown.contains("1e400"), input.contains("1e400"), "{shown}");
        assert_eq!(
            shown.contains("12345678901234567890.12"),
            input.contains("12345678901234567890.12"),
            "{shown}"
        );
    }
}

#[test]
fn an_oversized_document_is_replaced_and_the_texts_beside_it_stay() {
    let document = || {
        let mut document = Media::new(MediaKind::Document);
        document.data = Some("data ".repeat(100_000).into());
        Part::Media(document.into())
    };
    let raw = json!({ "type": "search_result", "content": [{ "type": "text", "text": words(10_000) }] });
    let result = Part::Opaque { format: Format::Anthropic, raw: raw.into() };
    for part in [document(), result] {
        let asked = Message::new(Role::User, vec![part.clone(), Part::text("sum up")]);
        let answered =
            ToolOutput { content: vec![part.clone(), Part::text("found")], ..ToolOutput::text("c", "") };
        let mut read = calls(vec![ToolCall::function("c", "read", "{}")]);
        read[2] = Message::new(Role::Tool, vec![Part::from(answered)]);
        for (list, kept) in [(vec![asked], "sum up"), (read, "found")] {
            let mut context = context(list);
            let refs = run(&mut context, 1_000);
            let shown = context.view.body().last().unwrap().message.plain_text();
            assert!(shown.contains(&refs[0]) && shown.ends_with(kept), "{shown}");
            let Part::Text { text, .. } = &context.outputs.get(&refs[0]).unwrap().parts()[0] else {
                panic!()
            };
            assert!(text.starts_with('[') && text.len() > 50_000);
        }
    }
}

#[test]
fn texts_are_shortened_before_finished_calls_and_pinned_ones_never() {
    let write = |id: &str| ToolCall::function(id, "write_file", json!({ "text": words(1_000) }).to_string());
    let mut pinned = calls(vec![write("pinned")]);
    for message in &mut pinned {
        message.meta.pinned = true;
    }
    let mut finished = calls(vec![write("finished")]);
    finished[1].parts.insert(0, Part::text(words(3_000)));
    let mut open = calls(vec![write("open")]);
    open.truncate(2);
    let mut context = context([pinned, finished, open].concat());
    let full = inputs(&context);
    let is_whole = |context: &Context| -> Vec<bool> {
        inputs(context).iter().zip(&full).map(|(now, came)| now == came).collect()
    };
    let one = full[0].len() as u64 / 4;
    run(&mut context, one * 3 + 400);
    assert_eq!(is_whole(&context), [true, true, true]);
    run(&mut context, one * 2 + 600);
    assert_eq!(is_whole(&context), [true, false, true]);
    run(&mut context, one + 700);
    assert_eq!(is_whole(&context), [true, false, false]);
    let text = context.view.body().iter().find(|s| s.message.plain_text().contains("word0")).unwrap();
    assert_eq!(text.form, Form::Shortened);
    assert!(matches!(
        Shorten.run(&mut context, &aim(one)).unwrap(),
        Outcome::Changed { .. } | Outcome::Unchanged
    ));
    assert!(is_whole(&context)[0]);
}

fn of_texts(role: Role, texts: impl IntoIterator<Item = String>) -> Message {
    Message::new(role, texts.into_iter().map(Part::text).collect())
}

fn shown(context: &Context, at: usize) -> Vec<String> {
    let parts = &context.view.body()[at].message.parts;
    parts.iter().filter_map(Part::as_text).map(ToString::to_string).collect()
}

#[test]
fn the_longest_of_several_texts_are_cut_to_equal_length() {
    for role in [Role::User, Role::Assistant] {
        let question = "What is wrong in these two files?".to_owned();
        let files = [words(9_000), words(5_000), words(200)];
        let mut context =
            context(vec![user("hi"), of_texts(role, [question.clone()].into_iter().chain(files.clone()))]);
        let refs = run(&mut context, 4_000);
        let stored: Vec<_> = refs.iter().map(|id| context.outputs.get(id).unwrap().parts()).collect();
        assert_eq!(stored, [[Part::text(files[0].clone())], [Part::text(files[1].clone())]]);
        let texts = shown(&context, 1);
        assert_eq!((&texts[0], &texts[3]), (&question, &files[2]), "what is short stays");
        assert!(texts[1].len().abs_diff(texts[2].len()) < 64, "{} and {}", texts[1].len(), texts[2].len());
        assert!(context.view.tokens() > 3_500, "no more than has to");
        assert_eq!(refs, run(&mut context, 2_000), "the refs are kept");
    }
}

#[test]
fn many_small_texts_are_joined_and_lose_the_middle() {
    let items: Vec<String> = (0..300).map(|i| format!("item {i}: {}", "lorem ipsum ".repeat(12))).collect();
    let all = items.join("\n");
    let mut context = context(vec![user("hi"), said("ok"), of_texts(Role::User, items.clone())]);
    let first = run(&mut context, 2_000);
    assert_eq!(context.outputs.get(&first[0]).unwrap().parts(), [Part::text(all.clone())]);
    assert_eq!(first, run(&mut context, 1_000), "from all of it again");
    let texts = shown(&context, 2);
    assert_eq!(texts.len(), 1);
    assert!(texts[0].starts_with("item 0: ") && all.ends_with(texts[0].rsplit('\n').next().unwrap()));
    assert_eq!(texts[0].matches("characters left out").count(), 1);

    let output =
        ToolOutput { content: items.into_iter().map(Part::text).collect(), ..ToolOutput::text("c", "") };
    let call = Message::new(Role::Assistant, vec![Part::from(ToolCall::function("c", "search", "{}"))]);
    let answer = Message::new(Role::Tool, vec![Part::from(output)]);
    let mut context = self::context(vec![user("hi"), call, answer]);
    run(&mut context, 1_500);
    run(&mut context, 1_000);
    assert!(context.view.body()[2].message.plain_text().starts_with("item 0: "));
}

#[test]
fn the_newest_user_message_is_shortened_only_as_a_last_resort() {
    let paste = words(3_000);
    let mut context = context(vec![said("ok"), user(paste.clone())]);
    let alone = context.view.body()[1].tokens();
    let mut leaves = context.clone();
    run(&mut leaves, alone);
    assert_eq!(leaves.view.body().len(), 1, "what cannot be shortened leaves the view first");
    assert_eq!(shown(&leaves, 0), std::slice::from_ref(&paste));
    let refs = run(&mut context, alone - 1);
    assert_eq!(refs.len(), 1);
    assert_eq!(context.outputs.get(&refs[0]).unwrap().parts(), [Part::text(paste)]);
    let mut fits = self::context(vec![said(words(3_000)), user(words(3_000))]);
    run(&mut fits, alone + 200);
    assert_eq!(shown(&fits, 1), [words(3_000)], "it stands as long as others can give way");
}

/// A context whose model cannot open refs.
fn without_refs(messages: Vec<Message>) -> Context {
    let mut context = context(messages);
    context.wording = crate::context::Wording::Descriptive { opens: false };
    context
}

#[test]
fn without_refs_a_second_cut_begins_from_the_original_too() {
    let items: Vec<String> = (0..300).map(|i| format!("item {i}: {}", "lorem ipsum ".repeat(12))).collect();
    let whole = items.join("\n") + "\n[image left out of this request]";
    let mut parts: Vec<Part> = items.into_iter().map(Part::text).collect();
    parts.push(Part::Media(Media::new(MediaKind::Image).into()));
    let mut context = without_refs(vec![user("hi"), said("ok"), Message::new(Role::User, parts)]);
    run(&mut context, 4_000);
    let none = crate::context::MediaBudget { max_images: Some(0), ..crate::context::MediaBudget::default() };
    context.push(vec![said("seen"), user("go on")]).unwrap();
    context.trim_media_to(&none, 4);
    for limit in [2_000, 1_500, 1_000] {
        Shorten.run(&mut context, &aim(limit)).unwrap();
        assert!(context.view.tokens() <= limit);
        let texts = shown(&context, 2).concat();
        let (head, rest) = texts.split_once("\n[… ").unwrap();
        let (left_out, tail) = rest.split_once(" characters left out …]\n").unwrap();
        assert!(whole.starts_with(head) && whole.ends_with(tail), "{texts}");
        assert_eq!(whole.len(), head.len() + left_out.parse::<usize>().unwrap() + tail.len(), "{texts}");
    }
}

#[test]
fn a_notice_names_no_ref_of_an_output_to_a_model_that_cannot_open_it() {
    let mut context = without_refs(calls(vec![ToolCall::function("c", "bash", "{}")]));
    let call = Message::new(Role::Assistant, vec![Part::from(ToolCall::function("d", "bash", "{}"))]);
    context.push(vec![call, Message::tool("d", words(2_000).replace("9 ", "9\n"))]).unwrap();
    let refs = run(&mut context, 1_000);
    assert_eq!(refs.len(), 1, "the report names it");
    let text = context.view.body().last().unwrap().message.plain_text();
    assert!(text.contains("characters left out …]") && !text.contains(&refs[0]), "{text}");
}

#[test]
fn many_short_messages_are_cut_further_before_the_run_fails() {
    let mut context = context(vec![user(words(40)), said(words(50)), user(words(45))]);
    let (limit, before) = (190, context.view.tokens());
    assert!(before > limit && context.view.body().iter().all(|slot| slot.tokens() <= LEAST[0]));
    let once = Aim { fill: true, ..aim(limit) };
    Shorten.run(&mut context, &once).unwrap();
    assert!(context.view.tokens() <= limit);
    assert_eq!(shown(&context, 2), [words(45)], "the newest request comes last");
}

#[test]
fn a_cut_takes_no_more_than_it_has_to_though_tokens_are_spread_unevenly() {
    struct Uneven;
    impl crate::tokens::TokenCounter for Uneven {
        fn count(&self, text: &str) -> u64 {
            text.chars().map(|c| if c == 'x' { 4 } else { 1 }).sum()
        }

        fn method(&self) -> crate::tokens::Method {
            crate::tokens::Method::Estimate
        }
    }
    let text = format!("{}{}{}", ". ".repeat(1_000), "x ".repeat(1_000), ". ".repeat(1_000));
    let config = crate::tool_output::ToolOutputCacheConfig::default();
    let mut context = Context::new(Arc::new(Uneven), config, None);
    context.push(vec![said(text), user("go on")]).unwrap();
    for limit in [8_000, 6_000, 5_000, 2_000] {
        run(&mut context, limit);
        assert!(context.view.tokens() > limit / 100 * 97, "{} of {limit}", context.view.tokens());
    }
}
