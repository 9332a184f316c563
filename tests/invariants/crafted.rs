//! API-3: altered bytes with a valid checksum (which anybody can compute) are either refused, or give a session that survives any
//! operation.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use contextfold::ErrorCode;
use contextfold::message::{Message, Role};
use contextfold::provider::GraphMessages;
use contextfold::session::{Fit, MergeAs, NodeKind, PlanOptions, Reason, SESSION, Search, Session};
use contextfold::tokens::ReportedUsage;
use contextfold::tool_output::{GrepArgs, ReadArgs, grep, read};
use proptest::strategy::{Strategy, ValueTree};
use serde_json::json;

use super::fuzz::{number, quietly, runner};
use super::generate::{Script, wild};
use super::world;

/// Alterations per session.
const TRIES: u64 = 400;

/// Alterations per session in `cargo test`.
const FEW: u64 = 60;

/// No operation on a small session takes this long, so it must be an endless loop.
const ENDLESS: Duration = Duration::from_mins(1);

/// Random numbers from a seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut n = self.0;
        n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        n ^ (n >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Alters a few bytes, mostly so that a small number changes.
fn altered(bytes: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(bytes.len());
        let Some(byte) = bytes.get_mut(at) else { continue };
        match numbers.below(8) {
            0 | 1 => *byte = byte.wrapping_add(1),
            2 => *byte = byte.wrapping_sub(1),
            3 | 4 => *byte = numbers.below(16) as u8,
            5 => *byte = numbers.next() as u8,
            6 => bytes.splice(at..=at, [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]).for_each(drop),
            _ => drop(bytes.remove(at)),
        }
    }
    bytes
}

fn run_to_its_end(session: &mut Session, mut fit: contextfold::Result<Fit>) {
    for _ in 0..20 {
        match fit {
            Ok(Fit::NeedsSummary(pending)) => fit = session.resume_extractive(*pending),
            _ => return,
        }
    }
}

/// Calls every reading function.
fn read_all(session: &mut Session) {
    session.context().items();
    session.context().fold_infos();
    session.context().summary_state(false);
    session.context().view_messages();
    let _ = session.report().map(|report| report.left_out.len());
    let ids: Vec<String> = match session.graph() {
        Err(_) => Vec::new(),
        Ok(graph) => {
            graph.edges();
            graph.nodes().iter().map(|node| graph.id(node.place).to_string()).collect()
        }
    };
    for id in ids.iter().rev().take(3) {
        let _ = session.graph().map(|graph| graph.context_for_full(id, None).map(|view| view.nodes.len()));
        let _ = session.graph().map(|graph| graph.context_for_full(id, Some(2)).map(|view| view.nodes.len()));
    }
    let _ = session.graph().map(|graph| graph.snapshot(&GraphMessages));
    let _ = session.search(&Search::spellings(&["a"], &json!({})).unwrap());
    let context = session.context();
    for stored in context.outputs.refs() {
        let _ = read(&context.outputs, &ReadArgs::new(stored.id.as_str()), &context.output_config);
        let _ = grep(&context.outputs, &GrepArgs::new(stored.id, "a"), &context.output_config);
    }
}

type Deed = fn(&mut Session, &str);

/// Operations on a message of a session.
const DEEDS: [Deed; 10] = [
    |session, id| drop(session.set_pinned(id, true)),
    |session, id| drop(session.set_pinned(id, false)),
    |session, id| drop(session.unfold(id, false)),
    |session, id| drop(session.rewind(Some(id))),
    |session, id| {
        if let Ok((mut branch, _)) = session.fork(id, None) {
            let _ = branch.push(vec![Message::text(Role::User, "go on")]);
            let _ = branch.push(vec![Message::text(Role::Assistant, "done")]);
            let _ = session.merge(&branch, &MergeAs::User);
        }
    },
    |session, id| {
        // A list that differs from the conversation from this message on: everything after it is replaced.
        let history = &session.context().history;
        let behind = history.nodes().iter().skip_while(|node| *node.id != *id);
        let messages = behind.filter(|node| node.kind == NodeKind::Message);
        let found = messages.filter_map(|node| history.find(&node.id));
        let gone: Vec<_> = found.filter(|node| !history.is_superseded(*node)).collect();
        let _ = session.rewrite(&gone, vec![Message::text(Role::User, "anew")]);
    },
    |session, id| drop(session.fold_by_hand(&[id.to_owned()], "a summary")),
    |session, id| {
        let node = session.context().history.find(id);
        let calls: Vec<String> = node
            .map(|node| {
                session.context().history.node(node).message.tool_calls().map(|c| c.id.clone()).collect()
            })
            .unwrap_or_default();
        for call in calls {
            let _ = session.push(vec![Message::tool(call, "an output that came late")]);
        }
    },
    |session, id| {
        let text = session
            .context()
            .history
            .find(id)
            .map(|node| session.context().history.node(node).message.plain_text())
            .unwrap_or_default();
        let piece: String = text.chars().take(9).collect();
        let _ = session.set_text_pinned(id, &piece, true);
        let _ = session.set_text_pinned(id, &piece, false);
    },
    |session, id| {
        let _ = session.unfold(id, false);
        let _ = session.compact(Reason::Manual, None).map(|fit| {
            if let Some(fit) = fit {
                run_to_its_end(session, Ok(fit));
            }
        });
    },
];

/// Does everything to a session that can be done.
fn use_up(session: &mut Session, numbers: &mut Numbers) {
    read_all(session);
    let ids: Vec<String> = session.context().history.nodes().iter().map(|n| n.id.to_string()).collect();
    for _ in 0..6 {
        let Some(id) = ids.get(numbers.below(ids.len())) else { break };
        let mut other = session.clone();
        DEEDS[numbers.below(DEEDS.len())](&mut other, id);
        let fit = other.prepare();
        run_to_its_end(&mut other, fit);
        read_all(&mut other);
    }
    let mut other = session.clone();
    let _ = other.plan(PlanOptions::default());
    other.record_usage(
        &ReportedUsage::from_value(&json!({ "input_tokens": 100, "output_tokens": 1 })).unwrap(),
    );
    if let Ok(config) = other.config().with(&json!({ "contextWindow": 700 })) {
        other.set_options(config, None);
    }
    let _ = other.set_header(vec![Message::text(Role::System, "brief")]);
    let _ = other.push(vec![Message::text(Role::User, "go on"), Message::text(Role::Assistant, "yes")]);
    let fit = other.prepare();
    run_to_its_end(&mut other, fit);
    let fit = other.recover("prompt is too long: 900 tokens > 600 maximum");
    if let Ok(Some(fit)) = fit {
        run_to_its_end(&mut other, Ok(fit));
    }
    other.context_mut().collect_garbage(false);
    read_all(&mut other);
    for session in [session, &mut other] {
        session.snapshot(b"");
    }
}

/// When the current operation started, in milliseconds of the process, and its seed; 0 if none is running.
static SINCE: AtomicU64 = AtomicU64::new(0);
static SEED: AtomicU64 = AtomicU64::new(0);

/// Ends the process if an operation does not end, and prints its seed.
fn watch(began: Instant) {
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            let since = SINCE.load(Ordering::Relaxed);
            if since > 0 && began.elapsed() > Duration::from_millis(since) + ENDLESS {
                println!("crafted: seed {} has no end", SEED.load(Ordering::Relaxed));
                std::process::exit(1);
            }
        }
    });
}

fn script(seed: u64) -> Script {
    wild().new_tree(&mut runner(seed)).unwrap().current()
}

/// Alters a seed's session repeatedly. Returns how many alterations were accepted, of how many, or the failure.
fn run_seed(seed: u64, which: Range<u64>, began: Instant, until: Duration) -> Result<(u64, u64), String> {
    let script = script(seed);
    let Ok(bytes) = catch_unwind(AssertUnwindSafe(|| world::run(&script, |_, _| {}).session.snapshot(b"")))
    else {
        return Ok((0, 0)); // a failure for the other fuzzer to find
    };
    let body = &bytes[bytes.iter().position(|b| *b == b'\n').unwrap() + 1..];
    let (mut taken, mut tried) = (0, 0);
    SEED.store(seed, Ordering::Relaxed);
    for n in which {
        if began.elapsed() >= until {
            break;
        }
        let mut numbers = Numbers(seed.wrapping_mul(TRIES).wrapping_add(n));
        let crafted = SESSION.framed(&altered(body, &mut numbers));
        SINCE.store(began.elapsed().as_millis() as u64 + 1, Ordering::Relaxed);
        let run = || match Session::restore(&crafted, None, |_| Ok(script.counting.counter())) {
            Ok(mut restored) => {
                use_up(&mut restored.session, &mut numbers);
                true
            }
            Err(error) => {
                let refused = matches!(error.code(), ErrorCode::SnapshotInvalid | ErrorCode::UnknownModel);
                assert!(refused, "{error}");
                false
            }
        };
        let done = catch_unwind(AssertUnwindSafe(run));
        SINCE.store(0, Ordering::Relaxed);
        tried += 1;
        match done {
            Ok(is_session) => taken += u64::from(is_session),
            Err(thrown) => {
                let why = super::fuzz::said(&*thrown);
                return Err(format!("crafted: seed {seed}, alteration {n}: {why}"));
            }
        }
    }
    Ok((taken, tried))
}

/// Inconsistent ids, positions and members, each one byte away from a valid session.
#[test]
fn altered_bytes_are_refused_or_give_a_valid_session() {
    let began = Instant::now();
    let (taken, tried) = quietly(|| run_seed(7, 0..FEW, began, Duration::MAX)).unwrap();
    assert!(taken > 0 && taken < tried, "{taken} of {tried}");
}

/// Inconsistent counts, callers and open calls: they were once accepted, and an assertion of the engine failed later.
#[test]
fn alterations_that_once_caused_a_failure_no_longer_do() {
    let began = Instant::now();
    for (seed, alteration) in [(12, 227), (15, 196), (43, 200), (1_795_616_206, 26)] {
        quietly(|| run_seed(seed, alteration..alteration + 1, began, Duration::MAX)).unwrap();
    }
}

/// With `CONTEXTFOLD_FUZZ_SEED` only this seed; else seeds from `CONTEXTFOLD_FUZZ_FROM` on, for `CONTEXTFOLD_FUZZ_SECONDS`.
#[test]
#[ignore = "it runs for as long as it is told: npm run fuzz"]
fn fuzz() {
    let only = number("CONTEXTFOLD_FUZZ_SEED");
    let from = only.or_else(|| number("CONTEXTFOLD_FUZZ_FROM")).unwrap_or(1);
    let budget = Duration::from_secs(number("CONTEXTFOLD_FUZZ_SECONDS").unwrap_or(20));
    let began = Instant::now();
    watch(began);
    let (mut taken, mut tried, mut seeds, mut failures) = (0, 0, 0, Vec::new());
    quietly(|| {
        for seed in from.. {
            match run_seed(seed, 0..TRIES, began, budget) {
                Ok((now_taken, now_tried)) => (taken, tried) = (taken + now_taken, tried + now_tried),
                Err(failure) => {
                    println!("{failure}\n");
                    failures.push(failure);
                }
            }
            seeds += 1;
            if only.is_some() || began.elapsed() >= budget || failures.len() >= 5 {
                break;
            }
        }
    });
    println!(
        "crafted: {tried} altered snapshots of {seeds} sessions, {taken} taken for one, {:.0} s",
        began.elapsed().as_secs_f64()
    );
    assert!(failures.is_empty(), "{} seeds fail; again: npm run fuzz -- --crafted --seed N", failures.len());
}
