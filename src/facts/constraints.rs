use super::sentences::{Sentence, sentences};
use super::word::is_cjk;
use crate::saved::saved;

/// How surely a sentence lays down a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// It holds one of the words, though hardly as a rule ("I don't know", "is this only for tests?").
    Mention,
    /// A wish: "make sure", "prefer", "avoid", "only".
    Wish,
    /// A rule: "never", "always", "must", "do not".
    Rule,
}

saved!(
    enum Strength {
        Mention,
        Wish,
        Rule,
    }
);

/// A sentence of a user message that tells the agent what it must or must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constraint<'a> {
    /// The sentence, word for word.
    pub text: &'a str,
    /// How surely it is one.
    pub strength: Strength,
    /// It holds one of the defining words (never, always, must, don't, only and their Chinese and Japanese kin).
    pub explicit: bool,
    /// It stands inside a code fence: more likely pasted than said.
    pub fenced: bool,
}

const RULES: [&str; 4] = ["never", "always", "must", "mustn't"];
const NEGATIONS: [&str; 3] = ["don't", "dont", "do not"];
/// Rules without any of these words.
const FORBIDDING: &[&str] = &[
    "under no circumstances",
    "on no account",
    "at no time",
    "in no case",
    "you may not",
    "you can't",
    "you cannot",
    "you can not",
    "shall not",
    "is forbidden",
    "are forbidden",
    "it's forbidden",
    "strictly forbidden",
    "forbidden to",
    "is prohibited",
    "are prohibited",
    "prohibited from",
    "strictly prohibited",
    "is not allowed",
    "are not allowed",
    "not allowed to",
    "isn't allowed",
    "aren't allowed",
    "is not permitted",
    "are not permitted",
    "not permitted to",
    "off limits",
    "is mandatory",
    "are mandatory",
    "refrain from",
    "stay away from",
    "keep away from",
    "hands off",
    "you're required to",
    "you are required to",
];
const WISHES: &[&str] = &[
    "make sure",
    "be sure to",
    "ensure",
    "avoid",
    "prefer",
    "preferably",
    "at most",
    "at least",
    "no more than",
    "keep",
    "stick to",
    "should not",
    "shouldn't",
    "you should",
    "not to",
    "take care",
    "careful not",
    "remember to",
    "may not be",
];
const CJK_RULES: &[&str] = &[
    "必须",
    "必須",
    "不要",
    "禁止",
    "严禁",
    "嚴禁",
    "厳禁",
    "不得",
    "不能",
    "不可",
    "不准",
    "不许",
    "不許",
    "不允许",
    "不允許",
    "务必",
    "務必",
    "一定要",
    "一律",
    "请勿",
    "請勿",
    "切勿",
    "千万别",
    "千萬別",
    "绝不",
    "絕不",
    "决不",
    "總是",
    "总是",
    "しないで",
    "ないでください",
    "ないで下さい",
    "ないでね",
    "ないでほしい",
    "触らないで",
    "必ず",
    "てはいけ",
    "ではいけ",
    "てはなら",
    "ではなら",
    "てはだめ",
    "てはダメ",
    "ちゃだめ",
    "ちゃダメ",
    "ちゃいけ",
    "なければなら",
    "なければいけ",
    "ねばなら",
    "するな",
    "厳守",
    "絶対に",
    "반드시",
    "하지 마",
    "하지마",
    "지 마세요",
    "지 말",
    "면 안",
    "금지",
    "절대",
];
const CJK_WISHES: &[&str] = &[
    "始终",
    "始終",
    "常に",
    "ないこと",
    "ようにして",
    "控えて",
    "やめて",
    "只",
    "仅",
    "僅",
    "のみ",
    "だけ",
    "別",
    "别",
    "尽量",
    "儘量",
    "确保",
    "確保",
    "记得",
    "記得",
    "至少",
    "最多",
    "不超过",
    "不超過",
    "不应",
    "不應",
    "できるだけ",
    "避けて",
    "항상",
];
const CJK_EXPLICIT: [&str; 8] = ["必须", "必須", "不要", "只", "禁止", "しないで", "必ず", "のみ"];

/// Words before "don't" that make it a statement about someone.
const SUBJECTS: [&str; 11] = ["i", "we", "they", "it", "that", "which", "who", "if", "why", "things", "you"];
/// Verbs that make "I don't …" a wish after all.
const WANTING: [&str; 4] = ["want", "need", "like", "wanna"];

/// The constraints in a user message, in order.
pub fn constraints(text: &str) -> Vec<Constraint<'_>> {
    if may_rule(text) { sentences(text).into_iter().filter_map(constraint).collect() } else { Vec::new() }
}

/// Words of which each phrase that makes a rule or a wish holds one; the shorter the list, the faster a text without.
const TELLING: &[&str] = &[
    "never",
    "always",
    "must",
    "mustn't",
    "don't",
    "dont",
    "not",
    "no",
    "only",
    "circumstances",
    "account",
    "can't",
    "cannot",
    "forbidden",
    "prohibited",
    "allowed",
    "permitted",
    "limits",
    "mandatory",
    "refrain",
    "away",
    "hands",
    "required",
    "make",
    "sure",
    "ensure",
    "avoid",
    "prefer",
    "preferably",
    "most",
    "least",
    "keep",
    "stick",
    "should",
    "shouldn't",
    "care",
    "careful",
    "remember",
    "leave",
    "stop",
];

/// False where no word of a text can be part of a rule: a look at the beginning of each word, most often.
fn may_rule(text: &str) -> bool {
    const FIRST: [u8; 14] = *b"acdefhklmnoprs";
    if !text.is_ascii() {
        return true;
    }
    let in_word = |b: u8| b.is_ascii_alphanumeric() || b == b'\'';
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !in_word(bytes[at]) {
            at += 1;
            continue;
        }
        let len = bytes[at..].iter().position(|b| !in_word(*b)).unwrap_or(bytes.len() - at);
        let word = &text[at..at + len];
        let first = bytes[at].to_ascii_lowercase();
        if FIRST.contains(&first) && len <= 13 && TELLING.iter().any(|w| word.eq_ignore_ascii_case(w)) {
            return true;
        }
        at += len;
    }
    false
}

fn constraint(sentence: Sentence<'_>) -> Option<Constraint<'_>> {
    let Sentence { text, fenced } = sentence;
    if !may_rule(text) {
        return None;
    }
    let cjk = text.chars().any(is_cjk);
    let cjk_explicit = cjk && CJK_EXPLICIT.iter().any(|w| text.contains(w));
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|w| !w.is_empty()).collect();
    let has = |list: &[&str]| list.iter().any(|phrase| holds(&words, phrase));
    let explicit = cjk_explicit || has(&RULES) || has(&NEGATIONS) || has(&["only"]);
    let question = text.ends_with(['?', '\u{FF1F}']);
    let guess = words.windows(2).any(|w| w == ["there", "must"]);
    let ruled = (has(&RULES) && !guess) || orders_not(&words) || has(FORBIDDING);
    let strength = if ruled || (cjk && CJK_RULES.iter().any(|w| text.contains(w))) {
        Strength::Rule
    } else if has(WISHES)
        || has(&["only"])
        || leaves_alone(&words)
        || stops_or_bars(text, &words)
        || (cjk && (CJK_WISHES.iter().any(|w| text.contains(w)) || ends_in_an_order_not_to(text)))
    {
        Strength::Wish
    } else if explicit {
        Strength::Mention
    } else {
        return None;
    };
    let strength = if question { strength.min(Strength::Wish) } else { strength };
    let strength = if question && !cjk && strength == Strength::Wish { Strength::Mention } else { strength };
    (explicit || strength == Strength::Wish || strength == Strength::Rule).then_some(Constraint {
        text,
        strength,
        explicit,
        fenced,
    })
}

/// "don't" as an order rather than a statement about someone.
fn orders_not(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(i, word)| {
        let after = match *word {
            "don't" | "dont" => words.get(i + 1),
            "do" if words.get(i + 1) == Some(&"not") => words.get(i + 2),
            _ => return false,
        };
        let stated = i > 0 && SUBJECTS.contains(&words[i - 1]);
        !stated || after.is_some_and(|verb| WANTING.contains(verb) && words[i - 1] != "you")
    })
}

/// "Leave the tests as they are", and the like.
fn leaves_alone(words: &[&str]) -> bool {
    let Some(at) = words.iter().position(|w| *w == "leave") else { return false };
    let behind = &words[at + 1..];
    ["alone", "untouched", "unchanged", "as is", "as it is", "as they are", "out"]
        .iter()
        .any(|p| holds(behind, p))
}

/// "Stop adding comments", "No new dependencies": how people begin a short sentence that rules something out.
fn stops_or_bars(text: &str, words: &[&str]) -> bool {
    const SMALL_TALK: [&str; 14] = [
        "problem", "problems", "worries", "idea", "need", "thanks", "rush", "one", "longer", "way", "doubt",
        "wait", "i", "it",
    ];
    match words {
        ["stop", doing, ..] => doing.ends_with("ing"),
        ["no", what, ..] => {
            words.len() <= 8
                && text.as_bytes().get(2) == Some(&b' ')
                && !SMALL_TALK.contains(what)
                && !SUBJECTS.contains(what)
        }
        _ => false,
    }
}

/// 「触るな」: a verb and な at the end of a Japanese sentence.
fn ends_in_an_order_not_to(text: &str) -> bool {
    let said = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    ["るな", "すな", "くな", "むな", "つな", "ぶな", "ぐな", "使うな", "言うな"]
        .iter()
        .any(|end| said.ends_with(end))
}

fn holds(words: &[&str], phrase: &str) -> bool {
    let first = phrase.split(' ').next();
    let stands_at = |at: usize| {
        let mut behind = words[at..].iter();
        phrase.split(' ').all(|wanted| behind.next() == Some(&wanted))
    };
    words.iter().enumerate().any(|(at, word)| Some(*word) == first && stands_at(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&str> {
        constraints(text).into_iter().filter(|c| c.strength == Strength::Rule).map(|c| c.text).collect()
    }

    #[test]
    fn rules_in_three_languages() {
        assert_eq!(
            rules("Hello. Never push to main! Please don’t touch tests. It MUST build. I don't want mocks."),
            ["Never push to main!", "Please don’t touch tests.", "It MUST build.", "I don't want mocks."]
        );
        assert_eq!(
            rules("你好。必须用 pnpm。不要改 package.json。"),
            ["必须用 pnpm。", "不要改 package.json。"]
        );
        assert_eq!(
            rules("mainには push しないで。必ずテストを書く。"),
            ["mainには push しないで。", "必ずテストを書く。"]
        );
        assert_eq!(
            rules("切勿删除日志。コメントを残さなければならない。"),
            ["切勿删除日志。", "コメントを残さなければならない。"]
        );
    }

    #[test]
    fn rules_without_the_defining_words() {
        for text in [
            "You may not use eval.",
            "You can’t push to main.",
            "You cannot touch `src/core.rs`.",
            "It is forbidden to delete logs.",
            "Changing tests is not allowed.",
            "Force pushes are prohibited.",
            "Under no circumstances delete the database.",
            "The config folder is off-limits.",
            "Please refrain from adding dependencies.",
            "请勿修改配置文件。",
            "严禁提交密钥。",
            "不准动主分支。",
            "一定要先跑测试。",
            "このファイルを触ってはいけない。",
            "設定を変更しないでください。",
            "ログを読んではならない。",
            "テストを消しちゃだめ。",
            "main への push は厳禁。",
            "毎回リントを実行しなければいけない。",
            "설정을 바꾸지 마세요.",
            "main에 push하면 안 돼.",
        ] {
            assert_eq!(rules(text), [text]);
        }
    }

    #[test]
    fn errors_and_small_talk_are_no_rules() {
        for text in [
            "It says 403 Forbidden.",
            "405 Method Not Allowed",
            "cp: Operation not permitted",
            "I can't see the file.",
            "No problem.",
            "No, that is wrong.",
            "この画面のような",
        ] {
            assert_eq!(rules(text), [""; 0], "{text}");
        }
        for text in ["It says 403 Forbidden.", "405 Method Not Allowed", "No problem.", "No, that is wrong."]
        {
            assert_eq!(constraints(text), [], "{text}");
        }
    }

    #[test]
    fn every_phrase_passes_the_first_look() {
        for phrase in RULES.iter().chain(&NEGATIONS).chain(FORBIDDING).chain(WISHES) {
            assert!(may_rule(phrase), "{phrase}");
        }
        for text in ["leave it alone", "stop adding comments", "no comments"] {
            assert!(may_rule(text), "{text}");
        }
    }

    #[test]
    fn what_may_be_a_statement_as_well_is_a_wish() {
        for text in [
            "请始终先运行测试。",
            "常に日本語で答えてください。",
            "eval は使わないこと。",
            "确保测试通过。",
            "本番には触るな！",
            "Be sure to run the tests.",
            "Leave the tests as they are.",
            "Stop adding comments.",
            "No new dependencies.",
            "You should use pnpm.",
        ] {
            let found: Vec<Strength> = constraints(text).iter().map(|c| c.strength).collect();
            assert_eq!(found, [Strength::Wish], "{text}");
        }
    }

    #[test]
    fn statements_with_the_same_words_are_mentions() {
        let of = |text| constraints(text).first().map(|c| (c.strength, c.explicit));
        assert_eq!(of("I don't know."), Some((Strength::Mention, true)));
        assert_eq!(of("Why must it be global?"), Some((Strength::Mention, true)));
        assert_eq!(of("There must be a way."), Some((Strength::Mention, true)));
        assert_eq!(of("Only the header."), Some((Strength::Wish, true)));
        assert_eq!(of("Make sure it builds."), Some((Strength::Wish, false)));
        assert_eq!(of("只改文档。"), Some((Strength::Wish, true)));
        assert_eq!(of("The mustard is nevertheless good."), None);
    }

    #[test]
    fn code_is_marked() {
        let found = constraints("```\n// must be sorted\n```\nAlways sort.");
        assert_eq!(found.iter().map(|c| c.fenced).collect::<Vec<_>>(), [true, false]);
    }
}
