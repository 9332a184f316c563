//! Splitting what people write into sentences, in Latin and CJK scripts.

/// A sentence, without its list mark and the blanks around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// The sentence.
    pub text: &'a str,
    /// It stands inside a code fence.
    pub fenced: bool,
}

/// Words whose full stop ends no sentence.
const ABBREVIATIONS: [&str; 8] = ["e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "resp."];

/// The sentences of `text`, in order. A line break ends one; inside a code fence each line is one.
pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut out = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fenced = !fenced;
        } else if fenced {
            push(&mut out, trimmed, true);
        } else {
            split_line(unmarked(trimmed), &mut out);
        }
    }
    out
}

/// A line without its heading, quote and list marks.
pub(super) fn unmarked(line: &str) -> &str {
    let line = line.trim_start_matches(['#', '>', ' ', '\t']);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=3).contains(&digits).then(|| &line[digits..]);
    if let Some(rest) = numbered.and_then(|r| r.strip_prefix(". ").or_else(|| r.strip_prefix(") "))) {
        return rest.trim_start();
    }
    for mark in ["- ", "* ", "+ ", "• ", "・", "– "] {
        if let Some(rest) = line.strip_prefix(mark) {
            return rest.trim_start();
        }
    }
    line
}

fn split_line<'a>(line: &'a str, out: &mut Vec<Sentence<'a>>) {
    let mut start = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let wide = matches!(c, '。' | '．' | '\u{FF01}' | '\u{FF1F}');
        let narrow = matches!(c, '.' | '!' | '?');
        if !wide && !narrow {
            continue;
        }
        let mut end = end;
        while let Some((i, close)) = chars.peek().copied() {
            if !is_closing(close) {
                break;
            }
            end = i + close.len_utf8();
            chars.next();
        }
        let at_blank = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if wide || (at_blank && !ends_in_abbreviation(&line[start..end])) {
            push(out, &line[start..end], false);
            start = end;
        }
    }
    push(out, &line[start..], false);
}

/// Closing marks, and further ends (`?!`), belong to the sentence before them.
fn is_closing(c: char) -> bool {
    matches!(
        c,
        '"' | '\''
            | ')'
            | ']'
            | '”'
            | '’'
            | '»'
            | '」'
            | '』'
            | '】'
            | '\u{FF09}'
            | '!'
            | '?'
            | '\u{FF01}'
            | '\u{FF1F}'
            | '。'
            | '.'
    )
}

fn ends_in_abbreviation(text: &str) -> bool {
    let last = text.rsplit(char::is_whitespace).next().unwrap_or("");
    let last = last.trim_start_matches(['(', '"', '\'']);
    ABBREVIATIONS.iter().any(|a| last.eq_ignore_ascii_case(a))
}

fn push<'a>(out: &mut Vec<Sentence<'a>>, text: &'a str, fenced: bool) {
    let text = text.trim();
    if text.chars().any(char::is_alphanumeric) {
        out.push(Sentence { text, fenced });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|s| s.text).collect()
    }

    #[test]
    fn latin() {
        assert_eq!(
            of("Fix src/a.rs (v1.2). Don't touch, e.g. the lock file! Really?!  \"Yes.\" Then go"),
            ["Fix src/a.rs (v1.2).", "Don't touch, e.g. the lock file!", "Really?!", "\"Yes.\"", "Then go"]
        );
        assert_eq!(of("Wait... what? omfg ..."), ["Wait...", "what?", "omfg ..."]);
    }

    #[test]
    fn chinese_and_japanese() {
        assert_eq!(
            of("请修复 main.rs。不要改测试\u{FF01}「好吗\u{FF1F}」谢谢"),
            ["请修复 main.rs。", "不要改测试\u{FF01}", "「好吗\u{FF1F}」", "谢谢"]
        );
        assert_eq!(
            of("必ずテストを書く。mainには触らないで。"),
            ["必ずテストを書く。", "mainには触らないで。"]
        );
    }

    #[test]
    fn marks_and_fences() {
        assert_eq!(
            of("## Plan\n1. First\n- [ ] box\n> quoted\n---\n"),
            ["Plan", "First", "[ ] box", "quoted"]
        );
        let code = sentences("Run:\n```sh\nnpm test. Now\n```\nDone.");
        assert_eq!(
            code.iter().map(|s| (s.text, s.fenced)).collect::<Vec<_>>(),
            [("Run:", false), ("npm test. Now", true), ("Done.", false)]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_splits(text in "\\PC{0,80}|[a.!?。」 \n`-]{0,40}") {
            for s in sentences(&text) {
                proptest::prop_assert!(text.contains(s.text) && !s.text.is_empty());
            }
        }
    }
}
