//! Recorded sessions that are folded along the way, then unfolded, rewound and forked.

use std::sync::Arc;

use contextfold::message::{Format, Message};
use contextfold::provider::provider;
use contextfold::session::{Fit, NodeKind, Session, SessionConfig};
use contextfold::tokens::{BytesPerFour, count_message};
use serde_json::{Value, json};

use super::{data, oracle};

fn valid(session: &Session, format: Format, recorded: &[Value], name: &str) {
    let view = session.context().view_messages();
    let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
    let without_index = |v: String| v.split_once(": ").map_or(v.clone(), |(_, what)| what.to_owned());
    let known: Vec<String> =
        oracle::violations(format, recorded, true).into_iter().map(without_index).collect();
    let mut bad = oracle::violations(format, &provider(format).write(&view).items, true);
    bad.retain(|v| !known.contains(&without_index(v.clone())));
    assert_eq!(bad, [""; 0], "{name}");
}

/// Pushes the messages step by step into a window that is too small for them.
fn folded(messages: &[Message], window: u64, ladder: &str) -> Option<Session> {
    let options = json!({
        "contextWindow": window, "safetyMargin": 0, "ladder": ladder,
        "toolOutputCache": { "contextBudgetTokens": window / 4 },
    });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(BytesPerFour));
    for chunk in messages.chunks((messages.len() / 40).max(1)) {
        session.push(chunk.to_vec()).ok()?;
        let mut fit = session.prepare();
        while let Ok(Fit::NeedsSummary(pending)) = fit {
            fit = session.resume_extractive(*pending);
        }
    }
    Some(session)
}

#[test]
fn long_sessions_give_valid_views_after_unfold_rewind_and_fork() {
    let (mut unfolded, mut rewound, mut branched) = (0, 0, 0);
    let format = Format::Anthropic;
    for list in data::recorded("-clean.anthropic.json") {
        let messages = provider(format).read(&Value::Array(list.items.clone())).unwrap();
        let tokens: u64 = messages.iter().map(|m| count_message(m, &BytesPerFour)).sum();
        let name = &list.name;
        for (window, ladder) in [(tokens / 4, "contextfold"), (tokens / 3, "selective")] {
            let Some(mut s) = folded(&messages, window, ladder) else { continue };
            let ids: Vec<String> = {
                let nodes = s.context().history.nodes().iter().filter(|n| n.kind == NodeKind::Message);
                nodes.map(|n| n.id.to_string()).collect()
            };
            for at in [ids.len() - 2, ids.len() / 2, ids.len() / 3] {
                let (mut child, _) = s.fork(&ids[at], None).unwrap();
                valid(&child, format, &list.items, name);
                assert_eq!(
                    child.context().history.nodes().iter().filter(|n| n.kind == NodeKind::Message).count(),
                    at + 1
                );
                child.rewind(Some(&ids[at / 2])).unwrap();
                valid(&child, format, &list.items, name);
                branched += 1;
            }
            while let Some(fold) = s.context().fold_infos().into_iter().rev().find(|f| f.in_view) {
                s.unfold(&fold.id, false).unwrap();
                valid(&s, format, &list.items, name);
                unfolded += 1;
            }
            let stands: Vec<u32> = s
                .context()
                .view
                .placed_slots()
                .filter(|st| st.slot.message.tool_outputs().next().is_none())
                .map(|st| st.slot.node.0)
                .collect();
            assert!(stands.is_sorted(), "{name}: in the order in which they came");
            let graph = s.graph().unwrap();
            assert_eq!(graph.len(), ids.len());
            assert_eq!(graph.context_for_full(ids.last().unwrap(), None).unwrap().nodes.len(), ids.len());
            for at in [ids.len() * 3 / 4, ids.len() / 2, ids.len() / 5, 0] {
                s.rewind(Some(&ids[at])).unwrap();
                valid(&s, format, &list.items, name);
                rewound += 1;
            }
        }
    }
    println!("{unfolded} folds undone, {rewound} rewinds, {branched} branches");
    if data::folder().is_some() {
        assert!(unfolded > 4 && rewound > 8, "nothing was put to the test");
    }
}
