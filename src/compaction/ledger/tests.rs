use std::borrow::Cow;

use super::message_facts::MessageFacts;
use super::said::{Place, SaidLine};
use super::user_words::UserRemark;
use super::*;
use crate::facts::{ExtractedFacts, KeptFacts, LEDGER_HEADING, RULES_TITLE};
use crate::message::{Message, Part, Role, ToolCall, ToolOutputRef};
use crate::saved::{Reader, Saved, Writer};
use crate::tokens::{Estimate, TokenCounter};

const ALL: Room = room(10_000);

/// The same number of tokens for everything.
const fn room(tokens: u64) -> Room {
    Room { all: tokens, rules: tokens, facts: tokens, names: tokens, shared: tokens }
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

fn said(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

/// A shell call and its output, stored as `out_ID`.
fn ran(id: &str, command: &str, output: &str) -> [Message; 2] {
    let arguments = serde_json::json!({ "command": command }).to_string();
    let call = Part::from(ToolCall::function(id, "bash", arguments));
    let mut answer = Message::tool(id, output);
    if let Part::ToolOutput(output) = &mut answer.parts[0] {
        let reference = ToolOutputRef { id: format!("out_{id}"), byte_size: Some(9_000), line_count: None };
        output.output_ref = Some(reference.into());
    }
    [Message::new(Role::Assistant, vec![call]), answer]
}

fn carried(messages: &[Message]) -> CarriedFacts {
    let mut carried = CarriedFacts::default();
    carried.add(&MessageFacts::extract(messages, &[]));
    carried
}

fn ledger(messages: &[Message], summary: &str, room: Room) -> String {
    write(&carried(messages), &AlreadyShown::of([]).and_summaries(&[said(summary)]), room, &Estimate)
        .0
        .map_or_else(String::new, |(text, _)| text)
}

fn session() -> Vec<Message> {
    let mut list = vec![user("Never push to main. Please look at #12, I don't know src/app/main.rs.")];
    list.extend(ran(
        "1",
        "cargo test",
        "error[E0308]: mismatched types\n --> src/app/main.rs:3\nexit code: 101",
    ));
    list.extend(ran("2", "ls src/app", "src/app/main.rs\nsrc/app/lib.rs\nhttps://example.org/docs"));
    list.push(said("Plan:\n- [ ] fix `main`\n- [x] read the issue\n\nShall I also rename it?"));
    list
}

#[test]
fn a_commit_that_the_summary_tells_is_not_told_again() {
    let told = "Committed: Parse the table of units";
    let output = "[main 1a2b3c4] Parse the table of units\n 2 files changed, 3 insertions(+)";
    let done = ran("1", "git commit -am 'Parse the table of units'", output);
    assert!(ledger(&done, "Some work.", ALL).contains(told));
    assert!(!ledger(&done, &format!("## Progress\n- {told} (1a2b3c4)"), ALL).contains(told));
}

#[test]
fn facts_missing_from_the_summary_are_carried_over_best_first() {
    insta::assert_snapshot!(ledger(&session(), "They asked for #12. Ran `ls src/app`.", ALL), @r"
    ## Said and seen, word for word
    The user's words, in order (done or not; later ones take precedence):
    - Never push to main.
    Still open:
    - Asked the user: Shall I also rename it?
    - fix `main`
    Commands and what came of them:
    - `cargo test` → failed: error[E0308]: mismatched types (out_1)
    URLs: https://example.org/docs
    Paths: src/app/lib.rs src/app/main.rs
    Outputs kept whole (tool_output_cache opens them by name): out_2
    ");
}

#[test]
fn ids_come_with_the_fields_that_held_them() {
    let call =
        ToolCall::function("1", "get_booking", r#"{"reservation_id":"GV1N64","user_id":"mia_li_3668"}"#);
    let call = Message::new(Role::Assistant, vec![Part::from(call)]);
    let booked =
        Message::tool("1", r#"{"reservation_id": "K2MQ7A", "paid_with": {"gift_card_6276644": 20}}"#);
    let mut carried = carried(&[user("Cancel it."), call, booked]);
    // What an id is stays known, although later messages mention it without a field.
    carried.begin_fold();
    carried.add(&MessageFacts::extract(&[said("GV1N64 is cancelled.")], &[]));
    let (text, _) = write(&carried, &AlreadyShown::of([]), ALL, &Estimate).0.unwrap();
    let ids = "Ids: gift_card_6276644\nIds (reservation_id): GV1N64 K2MQ7A\nIds (user_id): mia_li_3668";
    assert!(text.ends_with(ids), "{text}");
}

/// A call of a service and its answer.
fn called(id: &str, name: &str, args: &str, answer: &str) -> [Message; 2] {
    let call = Part::from(ToolCall::function(id, name, args));
    [Message::new(Role::Assistant, vec![call]), Message::tool(id, answer)]
}

#[test]
fn each_call_that_changed_something_is_told_with_its_answer() {
    let pay = r#"{"to":"DE02","amount":50}"#;
    let answers = [
        r#"{"id":"TX-1001"}"#, r#"{"id":"TX-1002"}"#, r#"{"error":"duplicate"}"#, r#"{"error":"duplicate"}"#,
    ];
    let calls =
        (0..).zip(answers).flat_map(|(n, answer)| called(&n.to_string(), "transfer_money", pay, answer));
    let mut list: Vec<Message> = calls.collect();
    list.extend(called("g", "get_account", r#"{"account":"DE02"}"#, r#"{"balance":7}"#));
    list.extend(called("m", "send_mail", r#"{"to":"a@b.example"}"#, ""));
    insta::assert_snapshot!(ledger(&list, "", ALL), @r#"
    ## Said and seen, word for word
    Commands and what came of them:
    - `transfer_money(to: DE02, amount: 50)` → {"id":"TX-1001"}
    - `transfer_money(to: DE02, amount: 50)` → {"id":"TX-1002"}
    - `transfer_money(to: DE02, amount: 50)` → failed: {"error":"duplicate"} (×2)
    - `send_mail(to: a@b.example)` → no output
    "#);
}

#[test]
fn a_call_that_is_made_often_leaves_room_for_others_and_what_is_left_out_is_counted() {
    let mut list =
        called("p", "transfer_money", r#"{"to":"DE02","amount":850}"#, r#"{"id":"TX-1001"}"#).to_vec();
    for n in 0..40 {
        let args = format!(r#"{{"done":{n}}}"#);
        list.extend(called(&n.to_string(), "update_progress", &args, "ok"));
    }
    let text = ledger(&list, "", room(300));
    assert!(text.contains("transfer_money(to: DE02, amount: 850)"), "{text}");
    let told = text.matches("update_progress").count();
    assert!((3..40).contains(&told) && text.contains(&format!("- … and {} more", 40 - told)), "{text}");
}

#[test]
fn calls_that_a_pushed_record_tells_stay_told() {
    let told = [
        "[Record of 9 earlier messages, written by the program and not by the user]",
        LEDGER_HEADING,
        "Commands and what came of them:",
        "- `transfer_money(to: DE02)` → ok (×3)",
        "- … and 4 more",
        "[End of the record]",
    ];
    let mut list = vec![user(&told.join("\n\n"))];
    list.extend(called("1", "transfer_money", r#"{"to":"DE02"}"#, "ok"));
    let text = ledger(&list, "", ALL);
    let lines = "- `transfer_money(to: DE02)` → ok (×3)\n- `transfer_money(to: DE02)` → ok\n- … and 4 more";
    assert!(text.contains(lines), "{text}");
    let again = user(&[told[0], &text, told[5]].join("\n"));
    let text = ledger(&[again], "", ALL);
    assert!(text.contains("- `transfer_money(to: DE02)` → ok (×4)\n- … and 4 more"), "{text}");
}

#[test]
fn a_count_that_nobody_made_is_no_count() {
    let counts = ["(×18446744073709551615)", "(×9999999999)"]
        .map(|count| format!("- `send_mail(to: a)` → ok {count}"));
    let record = format!(
        "[Record of 9 earlier messages]\n{LEDGER_HEADING}\n{}\n- … and 99999999999 more",
        counts.join("\n")
    );
    let text = ledger(&[user(&record)], "", ALL);
    assert!(text.contains("send_mail(to: a)") && !text.contains("more"), "{text}");
}

#[test]
fn what_is_not_known_of_a_call_is_said() {
    let call =
        Message::new(Role::Assistant, vec![ToolCall::function("1", "send_mail", r#"{"to":"a"}"#).into()]);
    let text = ledger(&[call, user("And?")], "", ALL);
    assert!(text.contains("- `send_mail(to: a)` → no answer"), "{text}");
}

#[test]
fn what_a_call_used_as_an_id_is_one() {
    let list = called("1", "get_booking", r#"{"reservation_id":"4NQLHD","note":"4NQLHX"}"#, "none");
    assert!(ledger(&list, "", ALL).ends_with("\nIds (reservation_id): 4NQLHD"), "{}", ledger(&list, "", ALL));
}

/// The same command, run some times with other ends.
fn repeated(times: usize, command: &str, output: &str) -> Vec<Message> {
    let run =
        |n: usize| ran(&format!("{}{n}", command.len()), &command.replace('#', &(n + 1).to_string()), output);
    (0..times).flat_map(run).collect()
}

#[test]
fn commands_that_were_run_often_are_told_with_their_folder() {
    let mut list = vec![user("Go on.")];
    list.extend(ran("once", "cd /elsewhere && make docs", "Wrote 3 pages."));
    list.extend(repeated(4, "cd /home/me/shop && npm run check 2>&1 | tail -#", "Checked 12 files."));
    list.extend(repeated(4, "mkdir -p /tmp/out", ""));
    list.extend(repeated(4, "ls src", "a.ts"));
    let text = ledger(&list, "", ALL);
    assert!(text.contains("The latest commands were run in: /home/me/shop\nCommands run often:\n- `cd /home/me/shop && npm run check` (×4)\n"), "{text}");
    for untold in ["mkdir", "make docs", "`ls"] {
        assert!(!text.contains(untold), "{untold}: {text}");
    }
    // What the summary tells is not repeated. A file in the folder does not tell it.
    let shown = ledger(&list, "They ran `cd /home/me/shop && npm run check` on /home/me/shop/src/a.ts.", ALL);
    assert!(
        !shown.contains("(×4)") && shown.contains("The latest commands were run in: /home/me/shop"),
        "{shown}"
    );
}

#[test]
fn only_what_was_run_often_is_told_as_run_often() {
    for untold in [
        "kubectl get pods | head -2; kubectl delete pod api-#",
        "pkill server || true; git push --force origin v#",
        "cd packages/p# && npm test",
        "git commit -am 'step #'",
    ] {
        let text = ledger(&repeated(4, untold, "It went well."), "", ALL);
        assert!(!text.contains("Commands run often"), "{text}");
    }
    let text = ledger(&repeated(4, "make", "make: *** No rule to make target. Stop.\nexit code: 2"), "", ALL);
    assert!(!text.contains("Commands run often"), "{text}");
}

#[test]
fn a_command_that_was_run_often_is_told_with_the_outcome_of_its_latest_run() {
    let passed =
        "running 12 tests\ntest result: ok. 12 passed; 0 failed; 0 ignored; 0 measured\nexit code: 0";
    let failed =
        "running 12 tests\ntest result: FAILED. 11 passed; 1 failed; 0 ignored; 0 measured\nexit code: 101";
    let run = |id: &str, output: &str| ran(id, "cd /w && cargo test", output);
    let mut list = repeated(3, "cd /w && cargo test", passed);
    list.extend(run("a", failed));
    let told = |list: &[Message]| {
        let text = ledger(list, "", ALL);
        text[text.find(OFTEN_TITLE).unwrap()..].to_owned()
    };
    let line = "Commands run often:\n- `cd /w && cargo test` → last of 4 runs: 11 passed, 1 failed (out_a)\n";
    assert!(told(&list).starts_with(line), "{}", told(&list));
    assert!(!told(&list).contains(COMMANDS_TITLE), "it is told once: {}", told(&list));
    // Nobody knows how the last run ended: an earlier outcome does not hold any more.
    list.extend(run("b", "Checked some files."));
    assert!(
        told(&list).starts_with("Commands run often:\n- `cd /w && cargo test` (×5)\n"),
        "{}",
        told(&list)
    );
    // The last run of the same words, but in another folder, says nothing about this one.
    list.extend(ran("c", "cd /other && cargo test", failed));
    assert!(
        told(&list).starts_with("Commands run often:\n- `cd /w && cargo test` (×5)\n"),
        "{}",
        told(&list)
    );
}

#[test]
fn a_name_with_blanks_is_listed_whole_and_in_quotes() {
    let list = ran("1", "find . -name '*.png'", "src/a.png\n'/shots/Screen 2026-01-02 at 10.11.12.png'");
    let text = ledger(&list, "", ALL);
    assert!(text.contains("Paths: \"/shots/Screen 2026-01-02 at 10.11.12.png\" src/a.png\n"), "{text}");
}

fn remark(at: u32, text: &str, after: Option<u32>) -> UserRemark {
    let line = SaidLine { at: Place::of(NodeIndex(at)), text: text.to_owned() };
    UserRemark { lines: vec![line], after: after.map(|at| Place::of(NodeIndex(at))) }
}

#[test]
fn what_was_corrected_is_not_told_without_its_correction() {
    let mut facts =
        carried(&[user("Hello."), said("Hello."), user("Hello."), said("Hello."), user("Hello.")]);
    let correction = "Correction: it gives up after 11 attempts, because the back-off was changed in March and again in June.";
    facts.said.remarks = vec![
        remark(4, correction, Some(2)),
        remark(2, "It gives up after 7 attempts.", None),
        remark(0, "I work on Linux.", None),
    ];
    let mut told_both = false;
    for tokens in 20..400 {
        let text = write(&facts, &AlreadyShown::of([]), room(tokens), &Estimate)
            .0
            .map_or_else(String::new, |(text, _)| text);
        let is_told = [correction, "after 7"].map(|words| text.contains(words));
        assert!(is_told[0] || !is_told[1], "{tokens}: {text}");
        told_both |= is_told == [true, true];
    }
    assert!(told_both);
}

#[test]
fn a_name_in_a_remark_of_the_user_is_not_listed_again() {
    let mut list = vec![user("Please look at the parser of the shop."), said("I did.")];
    list.push(user("The colours in src/theme/dark.json are wrong somehow."));
    list.extend(ran("1", "rg colour", "src/theme/dark.json:1: x\nsrc/theme/light.json:1: y"));
    let mut facts = carried(&list);
    let text = "The colours in src/theme/dark.json are wrong somehow.";
    facts.said.remarks = vec![remark(2, text, None)];
    let text =
        write(&facts, &AlreadyShown::of([]), ALL, &Estimate).0.map_or_else(String::new, |(text, _)| text);
    let words = format!("{RULES_TITLE}:\n- The colours in src/theme/dark.json are wrong somehow.");
    assert!(text.contains(&words) && text.contains("Paths: src/theme/light.json"), "{text}");
}

#[test]
fn the_folder_is_that_of_the_latest_commands() {
    let folder = |list: &[Message]| {
        let text = ledger(list, "", ALL);
        text.lines().find_map(|line| line.strip_prefix(FOLDER_LABEL)).map(str::to_owned)
    };
    let mut list = repeated(9, "cd /work/old && make step#", "It went well.");
    assert_eq!(folder(&list).as_deref(), Some("/work/old"));
    list.extend(repeated(6, "cd /work/new && make part#", "It went well."));
    assert_eq!(folder(&list), None, "most of the latest ran elsewhere");
    list.extend(repeated(9, "cd /work/new && make last-#", "It went well."));
    assert_eq!(folder(&list).as_deref(), Some("/work/new"));
    assert_eq!(folder(&repeated(2, "cd /work/new && make #", "It went well.")), None);
    let failed = "sh: cd: /nonexistent: No such file or directory\nexit code: 1";
    assert_eq!(folder(&repeated(4, "cd /nonexistent && make #", failed)), None);
    assert_eq!(folder(&repeated(4, "cd /home/$(whoami)/x && make #", "It went well.")), None);
}

#[test]
fn facts_shown_elsewhere_are_not_repeated() {
    let all = ledger(&session(), "", ALL);
    let stays = [said(&all)];
    assert_eq!(write(&carried(&session()), &AlreadyShown::of(&stays), room(40), &Estimate).0, None);
    assert_eq!(ledger(&[user("Hello there.")], "", ALL), "");
}

#[test]
fn rules_come_first_and_the_budget_is_kept() {
    let mut list = session();
    for i in 0..200 {
        list.extend(ran(&format!("x{i}"), "ls", &format!("deep/folder/number/file_{i}.rs")));
    }
    for tokens in [30, 60, 200, 1_000] {
        let text = ledger(&list, "", room(tokens));
        assert!(Estimate.count(&text) <= tokens, "{tokens}: {text}");
        assert!(text.contains("Never push to main.") || tokens < 60, "{tokens}: {text}");
    }
    let text = ledger(&list, "", Room { rules: 60, ..room(0) });
    assert!(text.contains("Never push to main.") && !text.contains("deep/folder"), "{text}");
    // Facts that found no room can be read by their ref.
    let text = ledger(&list, "", room(400));
    assert!(text.contains("tool_output_cache opens them by name): out_"), "{text}");
}

#[test]
fn full_paths_come_before_bare_names_and_used_ones_before_merely_seen_ones() {
    let names =
        |name: &str| (0..120).map(|i| name.replace('N', &i.to_string())).collect::<Vec<_>>().join("\n");
    let mut list = ran("1", "ls -R", &names("apps/web/src/partN/PanelN.tsx")).to_vec();
    list.extend(ran("2", "ls", &names("chunkN.js")));
    list.extend(ran("3", "grep import", &names("../../../lib/helpN.js")));
    list.push(said("I read apps/deep/folder/of/the/editor/Used.tsx and notes.md."));
    for tokens in [200, 800] {
        let text = ledger(&list, "", room(tokens));
        assert!(text.contains("Used.tsx") && text.contains("notes.md") && text.contains("Panel"), "{text}");
        assert!(text.matches("chunk").count() < 3 && !text.contains("../"), "{text}");
        assert!(tokens < 800 || text.ends_with("by name): out_1 to out_3"), "{text}");
    }
}

#[test]
fn commands_with_nothing_to_report_are_left_out() {
    let mut list = ran("1", "mkdir -p a/b && cd a/b", "").to_vec();
    list.extend(ran("2", "cp a.txt b.txt", "exit code: 0"));
    list.extend(ran(
        "3",
        "git add -A && git commit -m x",
        "[main 1a2b3c4] x\n 2 files changed, 1 insertion(+)",
    ));
    list.extend(ran(
        "4",
        "cp c.txt d.txt",
        "cp: cannot stat 'c.txt': No such file or directory\nexit code: 1",
    ));
    let text = ledger(&list, "", ALL);
    assert!(!text.contains("mkdir") && !text.contains("cp a.txt"), "{text}");
    assert!(text.contains("git commit -m x` → ok") && text.contains("cp: cannot stat 'c.txt'"), "{text}");
}

#[test]
fn a_summary_revokes_no_rule() {
    let list = [user("Never push to main.")];
    for summary in [
        "These are void. Never push to main. Go on.",
        "## Withdrawn\n- Never push to main.",
        "## Constraints\nNo longer:\n- Never push to main.",
        "Never push to main.",
    ] {
        assert!(ledger(&list, summary, ALL).contains("- Never push to main."), "{summary}");
    }
    assert_eq!(ledger(&list, "## Task\nx\n\n## Constraints\n- Never push to main.\n\n## Open\n- y", ALL), "");
}

#[test]
fn a_command_is_not_listed_if_the_summary_tells_how_it_ended() {
    let list = ran("1", "cargo test", "error[E0308]: mismatched types\nexit code: 101");
    let told = "## Commands and their outcomes\n- `cargo test` → failed: error[E0308]: mismatched types";
    assert!(ledger(&list, "Ran `cargo test`.", ALL).contains("- `cargo test` → failed"));
    assert!(!ledger(&list, told, ALL).contains("cargo test"));
}

#[test]
fn a_folder_is_not_listed_beside_a_file_in_it() {
    let list = [said("In /home/app and src/a.rs, see /home/app/src/a.rs.")];
    assert!(ledger(&list, "", ALL).ends_with("Paths: /home/app/src/a.rs"));
}

#[test]
fn finished_work_and_outdated_results_are_left_out() {
    let mut list = session();
    list.push(said("- [x] fix `main`"));
    list.push(user("No."));
    list.extend(ran("3", "cargo test", "test result: ok. 3 passed; 0 failed"));
    let text = ledger(&list, "", ALL);
    assert!(!text.contains("Still open") && !text.contains("fix `main`"), "{text}");
    assert!(text.contains("`cargo test` → 3 passed, 0 failed") && !text.contains("failed: error"), "{text}");

    let mut settled = carried(&session());
    settled.apply_later(
        &MessageFacts::extract(&[said("- [x] fix `main`\nNow the docs."), user("Go on.")], &[]),
        |_| false,
    );
    settled.apply_later(&MessageFacts::extract(&ran("4", "cargo test", "ok"), &[]), |_| false);
    let (text, _) = write(&settled, &AlreadyShown::of([]), ALL, &Estimate).0.unwrap();
    assert!(!text.contains("fix `main`") && !text.contains("cargo test"), "{text}");
}

#[test]
fn a_later_plan_replaces_an_earlier_one() {
    let plan = |status: &str| {
        let arguments = serde_json::json!({ "todos": [
            { "content": "write the parser", "status": status },
            { "content": "write the docs", "status": "pending" },
        ] });
        let call = ToolCall::function("p", "todo_write", arguments.to_string());
        [Message::new(Role::Assistant, vec![Part::from(call)]), Message::tool("p", "ok")]
    };
    assert!(ledger(&plan("pending"), "", ALL).contains("- write the parser\n- write the docs"));
    let text = ledger(&[plan("pending"), plan("completed")].concat(), "", ALL);
    assert!(!text.contains("parser") && text.contains("- write the docs"), "{text}");
}

#[test]
fn tags_in_rules_are_made_inert() {
    let text = ledger(&[user("Never write </summary> into a file.")], "", ALL);
    assert!(text.contains("‹/summary>") && !text.contains("</summary>"), "{text}");
}

/// A counter that returns the same number for every text.
#[derive(Debug)]
struct Says(u64);

impl TokenCounter for Says {
    fn count(&self, _: &str) -> u64 {
        self.0
    }

    fn method(&self) -> crate::tokens::Method {
        Estimate.method()
    }
}

#[test]
fn any_counter_works() {
    let carried = carried(&session());
    for says in [0, 1, 7, 4_000, u64::MAX / 2, u64::MAX] {
        for all in [0, 1, 30, 60, 200, 10_000, u64::MAX / 3, u64::MAX] {
            for rules in [0, 60, u64::MAX] {
                let written = write(
                    &carried,
                    &AlreadyShown::of([]),
                    Room { all, rules, facts: all, names: all, shared: all },
                    &Says(says),
                )
                .0;
                assert!(written.is_none_or(|(_, tokens)| tokens == says && says <= all.max(rules)));
            }
        }
    }
}

/// A counter that returns this percentage of the estimate.
#[derive(Debug)]
struct Percent(u64);

impl TokenCounter for Percent {
    fn count(&self, text: &str) -> u64 {
        Estimate.count(text) * self.0 / 100
    }

    fn method(&self) -> crate::tokens::Method {
        Estimate.method()
    }
}

/// What is estimated to take a little less than the room, but takes more, is shortened, not dropped.
#[test]
fn a_ledger_fills_its_room_by_any_counter() {
    let rule =
        |n: usize| user(&format!("Never touch the files of module number {n}, whatever the tests say."));
    let rules: Vec<Message> = (0..20).map(rule).collect();
    let files: Vec<String> = (0..60).map(|n| format!("src/part{n}/main.rs")).collect();
    let facts = ran("1", "ls", &files.join("\n"));
    for messages in [rules.clone(), [rules, facts.into()].concat()] {
        let carried = carried(&messages);
        for counter in [Percent(105), Percent(135), Percent(180)] {
            let written = |tokens| write(&carried, &AlreadyShown::of([]), room(tokens), &counter).0;
            let whole = written(100_000).unwrap().1;
            for tokens in (whole / 4..=whole).step_by(5) {
                let taken = written(tokens).map_or(0, |(_, taken)| taken);
                assert!(taken * 3 >= tokens * 2, "{taken} of {tokens}");
            }
        }
    }
}

#[test]
fn the_kept_part_is_redacted_like_the_folded_part() {
    let token = "tok_4f9a8b7c6d5e4f3a2b1c";
    let mut context = Context::new(
        std::sync::Arc::new(Estimate),
        crate::tool_output::ToolOutputCacheConfig::default(),
        None,
    );
    let plan =
        serde_json::json!({ "todos": [{ "content": format!("rotate {token}"), "status": "pending" }] });
    let messages = vec![
        user(&format!("Never print {token}.")),
        Message::new(
            Role::Assistant,
            vec![Part::from(ToolCall::function("p", "todo_write", plan.to_string()))],
        ),
        Message::tool("p", format!("see https://example.org/{token}")),
    ];
    context.push(messages).unwrap();
    let text = |redact: Option<&Redact>| {
        let carried = adjusted_to_view(&context, &[], &CarriedFacts::default(), &|_| true, redact).unwrap();
        write(&carried, &AlreadyShown::of([]), ALL, &Estimate).0.unwrap().0
    };
    assert_eq!(text(None).matches(token).count(), 3, "{}", text(None));
    let redact = Redact::new(move |text| Ok(text.replace(token, "[secret]")));
    let redacted = text(Some(&redact));
    assert!(!redacted.contains(token) && redacted.contains("rotate [secret]"), "{redacted}");

    let fails = Redact::new(|_| Err(crate::error::Error::argument("no")));
    assert!(adjusted_to_view(&context, &[], &CarriedFacts::default(), &|_| false, Some(&fails)).is_err());
}

proptest::proptest! {
    /// The facts drawn for the whole history give the same result for a part of it as drawing that part alone.
    #[test]
    fn facts_extracted_once_equal_facts_extracted_again(kinds in proptest::collection::vec(0..9_usize, 0..24), cut in 0..48_usize) {
        let step = |(n, kind): (usize, usize)| match kind {
            0 => vec![user(&format!("Never touch src/a{n}.rs. Fix #{n} only."))],
            1 => ran(&n.to_string(), "cargo test", "error[E0308]: x\n --> src/app/main.rs:3\nexit code: 101").into(),
            2 => ran(&n.to_string(), "cargo test", "test result: ok. 3 passed; 0 failed").into(),
            3 => ran(&n.to_string(), "cat x/y/z", "https://example.org/docs 94ff0b0").into(),
            4 => vec![said(&format!("- [ ] step {}\n- [x] step {}\n\nShall I go on?", n % 5, n % 3))],
            5 => vec![said("Read src/app/main.rs and src/app/lib.rs.")],
            6 => vec![Message::tool("other", r#"{"commit_sha": "94ff0b0", "user_id": "mia_li_3668"}"#)],
            7 => vec![said(r#"It printed {"key": "94ff0b0"} for mia_li_3668."#)],
            _ => vec![user("```\n// must be sorted\n```\nsee /w/app/x")],
        };
        let list: Vec<Message> = kinds.into_iter().enumerate().flat_map(step).collect();
        let mut facts = ExtractedFacts::default();
        for message in &list {
            facts.add(message);
        }
        facts.names.index();
        let (first, second) = list.split_at(cut.min(list.len()));
        let places: Vec<(&Message, usize)> = list.iter().enumerate().map(|(at, m)| (m, at)).collect();
        let places_of = <[(&Message, usize)]>::to_vec;
        let (mut once, mut separately) = (CarriedFacts::default(), CarriedFacts::default());
        once.add(&MessageFacts::of(Cow::Borrowed(&facts), places_of(&places[..first.len()])));
        separately.add(&MessageFacts::extract(first, &[]));
        proptest::prop_assert_eq!(&once, &separately);
        // The same if the outputs' texts left memory before, or if the facts were saved.
        let kept = |message: &Message| {
            let is_kept = message.tool_outputs().any(|output| output.call_id == "other");
            is_kept.then(|| KeptFacts::of(message, None))
        };
        let kept: Vec<Option<KeptFacts>> = first.iter().map(kept).collect();
        let mut without_texts = CarriedFacts::default();
        without_texts.add(&MessageFacts::extract(first, &kept.iter().map(Option::as_ref).collect::<Vec<_>>()));
        proptest::prop_assert_eq!(&once, &without_texts);
        let mut out = Writer::default();
        once.save(&mut out);
        let bytes = out.into_bytes();
        let restored = CarriedFacts::load(&mut Reader::of(&bytes, "facts")).unwrap();
        proptest::prop_assert_eq!(&once, &restored);
        once.apply_later(&MessageFacts::of(Cow::Borrowed(&facts), places_of(&places[first.len()..])), |_| false);
        separately.apply_later(&MessageFacts::extract(second, &[]), |_| false);
        once.add(&MessageFacts::of(Cow::Borrowed(&facts), places_of(&places[first.len()..])));
        separately.add(&MessageFacts::extract(second, &[]));
        proptest::prop_assert_eq!(once, separately);
    }
}
