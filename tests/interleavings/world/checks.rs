//! What must hold at every step, and at the end.

use contextfold::ErrorCode;
use contextfold::message::{Format, Message};
use contextfold::provider::{CheckOptions, Severity, check, provider};
use contextfold::session::{Answer, Fit, NodeKind};
use serde_json::Value;

use super::World;

impl World {
    pub fn check(&mut self) {
        let context = self.session.context();
        // Nothing in the history is lost or duplicated.
        let kept: Vec<String> = context
            .history
            .nodes()
            .iter()
            .filter(|n| n.kind == NodeKind::Message && !n.message.role.is_instruction())
            .map(|n| n.message.plain_text())
            .collect();
        assert_eq!(kept, self.pushed);
        let view = context.view_messages();
        let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
        let texts: Vec<String> = view.iter().map(|m| m.plain_text()).collect();
        let times = |text: &str| texts.iter().filter(|t| *t == text).count();
        assert_eq!(
            (texts[0].as_str(), times(&texts[0])),
            (self.header.as_str(), 1),
            "the header stands once"
        );
        // Every message is in the view, in a fold, or was dropped by a pass.
        for node in context.history.nodes().iter().filter(|n| n.kind == NodeKind::Message) {
            let at = context.history.find(&node.id).unwrap();
            let stands = context.view.slots().filter(|s| s.node == at).count();
            assert!(stands <= 1, "{} stands twice", node.id);
            let folded = node.folded_by.is_some();
            assert!(!(stands == 1 && folded), "{} stands beside its fold", node.id);
            let gone = self.rewritten || node.message.role.is_instruction();
            assert!(
                stands == 1 || folded || gone || context.view.dropped(at).is_some(),
                "{} is nowhere",
                node.id
            );
        }
        assert_eq!(times(&self.newest_user), 1, "the newest user message stands once");
        for id in &self.pins {
            let node = context.history.node(context.history.find(id).unwrap());
            assert_eq!(times(&node.message.plain_text()), 1, "the pinned {id}");
        }
        if self.pinned_text {
            assert_eq!(times("[pinned text of message q0]\nnever touch"), 1);
        }
        for format in Format::ALL {
            let written = Value::Array(provider(format).write(&view).items);
            let options = CheckOptions { pending: true, ..CheckOptions::default() };
            let found = check(format, &written, &options).unwrap();
            let refused: Vec<_> = found.iter().filter(|v| v.severity == Severity::Error).collect();
            assert!(refused.is_empty(), "{}: {refused:?}", format.as_str());
        }
    }

    /// At the end the agent can continue: the view fits, or a typed error says why not.
    pub fn end(&mut self) {
        let mut fit = self.session.prepare();
        for _ in 0..20 {
            match fit {
                Ok(Fit::NeedsSummary(pending)) => {
                    let good = Answer { text: "<summary>the gist</summary>".to_owned(), ..Answer::default() };
                    fit = self.session.resume(*pending, &good);
                }
                Ok(Fit::Done(report)) => {
                    let most = report.limit.unwrap() as f64 * (1.0 - report.counter.margin);
                    assert!(
                        self.session.tokens() as f64 <= most.max(1.0) * report.counter.calibration.max(1.0)
                    );
                    return;
                }
                Err(error) => {
                    let known = [ErrorCode::BudgetImpossible, ErrorCode::ContextWindowExceeded];
                    assert!(known.contains(&error.code()), "{error}");
                    return;
                }
            }
        }
        panic!("it asks for ever");
    }
}
