//! Numbers: what is counted, what is requested, what the prompt cache keeps.

use std::sync::{Arc, LazyLock};

use contextfold::message::{Message, Role};
use contextfold::session::{Fit, Reason, Session, SessionConfig};
use contextfold::tokens::{Encoding, Estimate, Method, ReportedUsage, TokenCounter, count_tools};
use serde_json::json;

use super::support::*;

/// The tokens of the common beginning of two views.
fn in_common(before: &[Message], now: &[Message]) -> usize {
    before.iter().zip(now).take_while(|(a, b)| a == b).map(|(m, _)| m.plain_text().len() / 4).sum()
}

#[test]
fn f18_the_prompt_cache_is_broken_only_if_it_pays() {
    let mut s = session(&json!({ "contextWindow": 2_000, "safetyMargin": 0 }));
    s.push(vec![Message::text(Role::System, filler(20))]).unwrap();
    let (mut all, mut before) = (Vec::new(), view(&s));
    let mut naive_before: Vec<Message> = Vec::new();
    let (mut broken, mut naive_broken, calls) = (0, 0, 60);
    for n in 0..calls {
        let id = format!("c{n}");
        let step =
            [super::support::calls(&[&id]), Message::tool(&*id, format!("output {n}: {}", filler(30)))];
        let turn = [vec![user(&format!("question {n}"))], step.to_vec(), vec![said(&format!("answer {n}"))]]
            .concat();
        s.push(turn.clone()).unwrap();
        all.extend(turn);
        let fit = s.prepare().unwrap();
        let (_, report) = run(&mut s, fit, "<summary>s</summary>");
        let now = view(&s);
        let whole: usize = before.iter().map(|m| m.plain_text().len() / 4).sum();
        let same = in_common(&before, &now);
        broken += usize::from(same < whole);
        if same < whole {
            let gained = report.tokens_before - report.tokens_after;
            assert!(gained * 4 > report.tokens_before, "call {n}: cut for {gained} tokens");
        }
        // A sliding window: the newest messages that fit, at every call.
        let naive = all[all.len().saturating_sub(12)..].to_vec();
        naive_broken += usize::from(in_common(&naive_before, &naive) == 0 && n > 0);
        (before, naive_before) = (now, naive);
    }
    assert!(naive_broken * 2 > calls, "a sliding window breaks it nearly every time: {naive_broken}");
    assert!(broken > 0 && broken * 5 < calls, "broken {broken} times in {calls} calls");
}

const CHINESE: &str = "昨天晚上服务器突然无法访问，运维同事检查日志后发现磁盘空间已经用完。我们先清理了旧的备份文件，再重新启动数据库，\
    大约半小时以后网站恢复正常。为了避免同样的问题，今天上午大家讨论了监控方案：每个节点每分钟上报一次剩余容量，低于百分之十就发送警告。\
    另外，产品经理希望下周发布新版本，其中包括用户注册流程的改进、支付页面的错误提示，以及移动端的性能优化。测试团队需要在星期五之前完成回归测试，\
    请各位开发人员及时修复自己负责的缺陷，并且在合并代码以前请另一位同事审查。如果遇到困难，可以随时在群里提问。";

/// A common way to count tokens.
struct Characters;

impl TokenCounter for Characters {
    fn count(&self, text: &str) -> u64 {
        text.chars().count() as u64 / 4
    }
    fn method(&self) -> Method {
        Method::Callback
    }
    fn exact(&self) -> bool {
        false
    }
}

static O200K: LazyLock<Arc<Encoding>> =
    LazyLock::new(|| Arc::new(Encoding::new("o200k_base", vocabulary::pack("o200k_base")).unwrap()));

fn base64(bytes: usize) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(letters[(state % 64) as usize])
    };
    (0..bytes).map(|_| next()).collect()
}

#[test]
fn f20_counts_are_exact_or_their_error_is_reported_and_learnt() {
    let chinese = CHINESE.repeat(4);
    let tools: Vec<_> = (0..20)
        .map(|n| json!({ "type": "function", "function": { "name": format!("read_file_{n}"), "description": "Reads a file, whole or by lines.",
            "parameters": { "type": "object", "properties": { "path": { "type": "string" }, "offset": { "type": "integer", "minimum": 0 } }, "required": ["path"] } } }))
        .collect();
    let off = |counted: u64, truth: u64| (counted as f64 / truth as f64 - 1.0).abs();
    for (name, text) in [("Chinese", chinese.clone()), ("base64", base64(6_000))] {
        let truth = O200K.count(&text);
        let naive = text.chars().count() as u64 / 4;
        assert!(off(naive, truth) > 0.25, "{name}: characters / 4 gives {naive} of {truth}");
        assert!(off(Estimate.count(&text), truth) <= 0.15, "{name}: {} of {truth}", Estimate.count(&text));
    }
    // Exact, including tools, and reported as exact.
    let config = SessionConfig::from_value(&json!({ "contextWindow": 100_000 })).unwrap();
    let mut s = Session::new(config, O200K.clone());
    s.push(vec![user(&chinese)]).unwrap();
    let naive_without_tools = s.tokens();
    s.set_tools(&tools);
    assert_eq!(s.tokens() - naive_without_tools, count_tools(&tools, &**O200K));
    assert!(s.tokens() > naive_without_tools + 500, "a naive count knows no tools");
    let report = s.unchanged_report(None);
    assert!(report.counter.exact && report.counter.margin <= 0.0);
    // A wrong estimate is corrected by the provider's usage, and the report shows both.
    let mut s = Session::new(
        SessionConfig::from_value(&json!({ "contextWindow": 100_000 })).unwrap(),
        Arc::new(Characters),
    );
    for n in 0..4 {
        s.push(vec![user(&chinese.repeat(4))]).unwrap();
        s.prepare().unwrap();
        let truth: u64 = view(&s).iter().map(|m| O200K.count(&m.plain_text()) + 4).sum();
        s.record_usage(
            &ReportedUsage::from_value(&json!({ "input_tokens": truth, "output_tokens": 1 })).unwrap(),
        );
        s.push(vec![said("好。")]).unwrap();
        let report = s.unchanged_report(None);
        assert!(off(report.tokens_after, truth) > 0.25, "a naive count stays wrong: {}", report.tokens_after);
        assert!(
            off(report.counter.corrected_tokens, truth) < 0.05,
            "call {n}: {:?} of {truth}",
            report.counter
        );
    }
}

#[test]
fn f31_a_request_never_asks_for_more_output_than_the_model_allows() {
    let turns = || (0..12).flat_map(turn).collect::<Vec<_>>();
    let models = json!({
        "small": { "max_input_tokens": 200_000, "max_output_tokens": 1_000 },
        "large": { "max_input_tokens": 200_000, "max_output_tokens": 64_000 }
    });
    let asked_by = |session: &str, summarizer: Option<&str>| {
        let options = json!({
            "model": session, "models": models, "ladder": "steps-design", "safetyMargin": 0, "compaction": { "model": summarizer }
        });
        let mut s = super::support::session(&options);
        s.push(turns()).unwrap();
        let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
        let most = pending.request.max_tokens;
        let said = "<compact_summary>{\"current_state\": \"done\"}</compact_summary>";
        let Fit::Done(report) = s.resume(pending, &answer(said)).unwrap() else { panic!("it asks again") };
        (most, report.summary.clone().unwrap().fallback.unwrap_or_default())
    };
    let naive = Some(4_000);
    assert_eq!(asked_by("large", None), (naive, String::new()), "as its document says");
    for (session, summarizer) in [("small", None), ("large", Some("small"))] {
        let (most, said) = asked_by(session, summarizer);
        assert_eq!(most, Some(1_000), "a naive request asks for {naive:?}");
        assert!(said.contains("lowered from 4000 to 1000"), "{said}");
    }
    assert_eq!(asked_by("small", Some("large")).0, naive, "it is the summariser's limit that counts");
    assert_eq!(asked_by("large", Some("in-no-table")).0, naive, "of a model in no table nothing is known");
}
