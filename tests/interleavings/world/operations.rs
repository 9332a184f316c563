//! Operations that may happen while a run waits.

use std::sync::Arc;

use contextfold::Error;
use contextfold::message::{Message, Role};
use contextfold::session::{ContextChange, MergeAs, NodeKind, PlanOptions, Reason, Session};
use contextfold::tokens::{BytesPerFour, ReportedUsage};
use serde_json::json;

use super::messages::{calls, says, user, words};
use super::{Waits, World};
use crate::fingerprint::fingerprint;

pub const OPERATIONS: [&str; 24] = [
    "push user", "push step", "push output", "push batch", "put output", "append output", "set header",
    "pin", "unpin", "pin text", "record usage", "ask again", "rewrite", "set options", "set context", "fork",
    "merge", "unfold", "rewind", "save", "plan", "apply", "recover", "background",
];

impl World {
    pub fn operate(&mut self, operation: usize) {
        self.log.push(OPERATIONS[operation].to_owned());
        self.n += 1;
        let n = self.n;
        match operation {
            0 => self.push(vec![user(&format!("meanwhile {n}"))]),
            1 => {
                let id = format!("m{n}");
                self.push(vec![calls(&[&id]), Message::tool(&*id, format!("meanwhile output {n}"))]);
            }
            // The output of the running call. A second output for it is refused.
            2 => {
                let before = fingerprint(&self.session);
                let output = Message::tool("y", format!("late output {n}"));
                if self.session.push(vec![output.clone()]).is_ok() {
                    self.pushed.push(output.plain_text());
                } else {
                    assert_eq!(fingerprint(&self.session), before);
                }
            }
            3 => {
                let ids = [format!("a{n}"), format!("b{n}")];
                self.push(vec![calls(&[&ids[0], &ids[1]]), Message::tool(&*ids[1], format!("batch {n}"))]);
            }
            4 => drop(self.session.context_mut().outputs.put_text(words(3), None).unwrap()),
            5 => drop(self.session.context_mut().outputs.append(&self.output, "more\n").unwrap()),
            6 => {
                self.header = format!("You are terse, {n}.");
                self.session.set_header(vec![Message::text(Role::System, &*self.header)]).unwrap();
            }
            7 => {
                let id = format!("q{}", n % 2);
                if self.session.set_pinned(&id, true).is_ok() {
                    self.pins.push(id);
                }
            }
            8 => {
                if let Some(id) = self.pins.pop() {
                    self.session.set_pinned(&id, false).unwrap();
                    self.pins.retain(|p| *p != id);
                }
            }
            9 => self.pinned_text = self.session.set_text_pinned("q0", "never touch", true).is_ok(),
            10 => {
                let usage = json!({ "input_tokens": 5_000 * n, "output_tokens": 10 });
                self.session.record_usage(&ReportedUsage::from_value(&usage).unwrap());
            }
            11 => {
                let fit = if n.is_multiple_of(2) {
                    self.session.prepare().map(Some)
                } else {
                    self.session.compact(Reason::Manual, None)
                };
                self.came(fit.and_then(|f| f.ok_or_else(|| Error::argument("nothing"))));
            }
            12 => self.rewrite(n),
            13 => {
                let changes = json!({ "contextWindow": 330 + n, "compaction": { "maxAttempts": n } });
                let config = self.session.config().with(&changes).unwrap();
                self.session.set_options(config, None);
            }
            14 => {
                let parts = json!({ "memory": [format!("remembered {n}")], "skills": [{ "name": "count" }] });
                self.session.set_context(&ContextChange::from_value(&parts).unwrap());
            }
            15 => {
                let before = fingerprint(&self.session).text;
                let (mut branch, _) = self.session.fork("q1", None).unwrap();
                assert_eq!(
                    fingerprint(&self.session).text,
                    before,
                    "a fork changes nothing but that it is known"
                );
                branch.push(vec![user("look"), says(&format!("meanwhile in the branch {n}"))]).unwrap();
                self.branch = Some(branch);
            }
            16 => {
                if let Some(branch) = self.branch.take() {
                    let node = self.session.merge(&branch, &MergeAs::User).unwrap();
                    let result = Message::clone(&self.session.context().history.node(node).message);
                    self.note(&[result]);
                }
            }
            17 => {
                if let Some(fold) = self.session.context().fold_infos().iter().find(|f| f.in_view) {
                    self.session.unfold(&fold.id, false).unwrap();
                }
            }
            18 => self.rewind(),
            19 => {
                let bytes = self.session.snapshot(b"");
                let restored = Session::restore(&bytes, None, |_| Ok(Arc::new(BytesPerFour))).unwrap();
                assert!(restored.session.snapshot(b"") == bytes, "the same session, other bytes");
                assert_eq!(fingerprint(&restored.session), fingerprint(&self.session));
            }
            20 => self.make_plan(),
            21 => self.apply(),
            22 => self.recover(),
            _ => self.begin_in_background(),
        }
    }

    pub(super) fn begin_in_background(&mut self) {
        self.waiting.extend(self.session.begin_in_background().map(Waits::Background));
    }

    fn recover(&mut self) {
        let fit = self.session.recover("prompt is too long: 420 tokens > 330 maximum");
        self.came(fit.map(|fit| fit.unwrap()));
    }

    pub(super) fn make_plan(&mut self) {
        let before = fingerprint(&self.session);
        self.plan = self.session.plan(PlanOptions::default()).ok();
        assert_eq!(fingerprint(&self.session), before, "a plan changes nothing");
    }

    /// Applies the plan, but keeps the first message that was to be folded.
    pub fn apply(&mut self) {
        let Some(plan) = self.plan.take() else { return };
        let before = fingerprint(&self.session);
        let keep: Vec<String> =
            plan.folded.first().filter(|_| self.n % 2 == 1).cloned().into_iter().collect();
        let fit = self.session.apply(&plan, &keep, &[]);
        if fit.is_err() {
            assert_eq!(fingerprint(&self.session), before, "a plan that is refused changes nothing");
        }
        self.came(fit);
    }

    /// Rewinds to the newest user message of the initial history, unless it was removed already.
    fn rewind(&mut self) {
        let before = fingerprint(&self.session);
        if self.session.rewind(Some("now")).is_ok() {
            self.rewritten = true;
            "and now?".clone_into(&mut self.newest_user);
        } else {
            assert_eq!(fingerprint(&self.session), before);
        }
    }

    /// The caller's list ends before the newest user message and then continues differently.
    fn rewrite(&mut self, n: usize) {
        let history = &self.session.context().history;
        let from = history.find("now").unwrap();
        let gone: Vec<_> = history
            .nodes()
            .iter()
            .enumerate()
            .skip(from.get())
            .filter(|(_, node)| node.kind == NodeKind::Message)
            .map(|(at, _)| at)
            .collect();
        let stands: Vec<_> = self.session.context().view.slots().map(|s| s.node).collect();
        let header = self.session.context().view.header().len();
        let gone: Vec<_> =
            stands.into_iter().skip(header).filter(|node| gone.contains(&node.get())).collect();
        if gone.is_empty() || self.rewritten {
            return;
        }
        let message = user(&format!("on second thoughts {n}"));
        self.note(std::slice::from_ref(&message));
        self.session.rewrite(&gone, vec![message]).unwrap();
        self.rewritten = true;
    }
}
