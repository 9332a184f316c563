use super::sentences::{sentences, unmarked};
use super::statements::{StatementKind, statement};

/// An entry of a Markdown checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkbox<'a> {
    /// What is to be done.
    pub text: &'a str,
    /// The box is ticked.
    pub done: bool,
}

/// The checklist entries in a text, in order.
pub fn checkboxes(text: &str) -> Vec<Checkbox<'_>> {
    if !text.contains('[') {
        return Vec::new();
    }
    text.lines().filter_map(|line| checkbox(line.trim())).collect()
}

fn checkbox(line: &str) -> Option<Checkbox<'_>> {
    let rest = line.strip_prefix(['-', '*', '+'])?.trim_start();
    let (mark, text) = rest.strip_prefix('[')?.split_once(']')?;
    let done = match mark {
        " " | "" => false,
        "x" | "X" | "✓" | "✔" => true,
        _ => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then_some(Checkbox { text, done })
}

/// The question with which a text ends: what its speaker waits for.
pub fn asks(text: &str) -> Option<&str> {
    if !text.contains(['?', '\u{FF1F}']) {
        return None;
    }
    let all = sentences(text);
    let tail = all.iter().rev().take(3).filter(|s| !s.fenced);
    tail.map(|s| s.text)
        .find(|s| s.trim_end_matches(['"', ')', '*', '」', '\u{FF09}']).ends_with(['?', '\u{FF1F}']))
}

const HEADS: [&str; 14] = [
    "next step",
    "next:",
    "next up",
    "remaining",
    "todo",
    "to do",
    "to-do",
    "still to do",
    "left to do",
    "待办",
    "下一步",
    "次のステップ",
    "残り",
    "未完了",
];
const WORDS: [&str; 19] = [
    "still need",
    "still to be",
    "remains to",
    "remaining",
    "todo",
    "not yet",
    "left to do",
    "next step",
    "next, i",
    "next i",
    "follow-up",
    "待办",
    "还需要",
    "还没",
    "接下来",
    "下一步",
    "次に",
    "まだ",
    "残って",
];

/// What a text says is still to be done: sentences that say so, and the list under a heading that does.
pub fn intentions(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut listing = false;
    let mut fenced = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            fenced = !fenced;
        }
        if fenced || trimmed.is_empty() {
            continue;
        }
        let body = unmarked(trimmed);
        let marked = body.len() < trimmed.len() && !trimmed.starts_with(['#', '>']);
        let plain = body.trim_matches(['*', '_', ' ']);
        if checkbox(trimmed).is_some() {
            continue;
        }
        if listing && marked {
            out.push(body);
            continue;
        }
        let lower = plain.to_lowercase();
        let heads = HEADS.iter().any(|h| lower.starts_with(h));
        listing = heads && (trimmed.starts_with(['#', '*']) || plain.ends_with([':', '\u{FF1A}']) || marked);
        let alone = listing && plain.chars().count() < 40 && plain.ends_with([':', '\u{FF1A}']);
        if !(alone || (listing && trimmed.starts_with('#'))) {
            out.extend(sentences(trimmed).into_iter().map(|s| s.text).filter(|s| says_open(s)));
        }
    }
    out
}

fn says_open(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let finished = statement(sentence).is_some_and(|s| s.kind == StatementKind::Done);
    !finished && WORDS.iter().any(|w| lower.contains(w)) && !lower.ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes() {
        let found = checkboxes("- [ ] write docs\n* [x] fix it\n  - [X] ship\n- [a] no\n[ ] no");
        assert_eq!(
            found.iter().map(|c| (c.text, c.done)).collect::<Vec<_>>(),
            [("write docs", false), ("fix it", true), ("ship", true)]
        );
    }

    #[test]
    fn the_question_at_the_end() {
        assert_eq!(asks("Why? Because. All is done.\n\nShall I push it?"), Some("Shall I push it?"));
        assert_eq!(asks("可以删除吗\u{FF1F}"), Some("可以删除吗\u{FF1F}"));
        assert_eq!(asks("What now? A. B. C. D."), None);
    }

    #[test]
    fn what_is_left() {
        assert_eq!(
            intentions(
                "Done so far.\n\n## Next steps\n1. Delete `a.ts`\n2. Rename b\n\nText.\nWe still need tests."
            ),
            ["Delete `a.ts`", "Rename b", "We still need tests."]
        );
        assert_eq!(intentions("**Remaining:**\n- [x] no\n- docs"), ["docs"]);
        assert_eq!(intentions("接下来要写测试。完了。"), ["接下来要写测试。"]);
        assert_eq!(intentions("```\n// TODO: x\n```\nFixed the remaining errors."), Vec::<&str>::new());
    }
}
