use super::rule_words::{
    BOUNDS, CJK_EXPLICIT, CJK_REVOKING, CJK_RULES, CJK_WISHES, FORBIDDING, KNOWN, NEGATIONS, NOT_REVOKING,
    REVOKING, RULES, SUBJECTS, WANTING, WISHES, tells, tells_any,
};
use super::sentences::{LONGEST_WRAPPED, Sentence, begins_anew, goes_on, is_entry, is_fence, sentences};
use super::tongues::{self, ruled};
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

/// A sentence of a user message that tells the agent what it must or must not do, or takes that back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constraint<'a> {
    /// The sentence, word for word: with the list that it ends in, and with the sentence before it where it only points back.
    pub text: &'a str,
    /// How surely it is one.
    pub strength: Strength,
    /// It holds one of the defining words (never, always, must, don't, only and their kin in the other languages), or
    /// takes back what one said.
    pub explicit: bool,
    /// It stands inside a code fence: more likely pasted than said.
    pub fenced: bool,
}

/// The constraints in a user message, in order.
pub fn constraints(text: &str) -> Vec<Constraint<'_>> {
    let mut out: Vec<Constraint<'_>> = Vec::new();
    if !tells_any(text) {
        return out;
    }
    let all = sentences(text);
    // Where the newest of them begins and ends.
    let mut newest = (0, 0);
    for (i, sentence) in all.iter().enumerate() {
        if sentence.at < newest.1 {
            continue; // it stands in the list of the one before
        }
        let Some(found) = constraint(*sentence) else { continue };
        let before = i.checked_sub(1).map(|before| all[before]).filter(|b| !b.fenced && !sentence.fenced);
        let end = sentence.at + sentence.text.len();
        let end = if sentence.fenced { end } else { with_list(text, sentence.at, end) };
        let own = Constraint { text: &text[sentence.at..end], ..found };
        let pointed =
            before.filter(|before| points_back(sentence.text) && end - before.at <= LONGEST_WRAPPED);
        match pointed {
            Some(pointed) if pointed.at < newest.1 => {
                // What it points at is a rule itself: the two are one, if that is not too long.
                let last = out.pop().filter(|_| end - newest.0 <= LONGEST_WRAPPED);
                let Some(last) = last else { continue };
                newest.1 = end;
                out.push(Constraint {
                    text: &text[newest.0..end],
                    strength: last.strength.max(own.strength),
                    explicit: last.explicit || own.explicit,
                    fenced: false,
                });
            }
            Some(pointed) => {
                newest = (pointed.at, end);
                out.push(Constraint { text: &text[pointed.at..end], ..own });
            }
            None => {
                newest = (sentence.at, end);
                out.push(own);
            }
        }
    }
    out
}

/// Where a sentence ends with the list under it: of one that ends in a colon, or that a list stands right below.
fn with_list(text: &str, start: usize, end: usize) -> usize {
    let rest = text[end..].trim_start_matches([' ', '\t', '*', '_', '\r']);
    let announced = text[start..end].trim_end_matches(['*', '_']).ends_with([':', '\u{FF1A}']);
    let finished = text[start..end].ends_with(['.', '!', '?', '。', '\u{FF01}', '\u{FF1F}']);
    if !rest.starts_with('\n') || (finished && !announced) {
        return end;
    }
    let own = &text[text[..start].rfind('\n').map_or(0, |at| at + 1)..start];
    let depth = own.len() - own.trim_start().len();
    let of_a_list = is_entry(&format!("{}x", own.trim_start()));
    let mut taken = end;
    let mut at = text.len() - rest.len() + 1;
    // The entry that the last line is part of.
    let mut entry_at = end;
    // Lines without marks, right below a colon.
    let mut plain = announced && !of_a_list;
    for whole in text[at..].split_inclusive('\n') {
        let line = whole.trim();
        let entry = is_entry(line) && (!of_a_list || whole.len() - whole.trim_start().len() > depth);
        plain &= !begins_anew(line) && !line.is_empty();
        let below = entry || plain || (taken > end && goes_on(text[entry_at..taken].trim_start(), line));
        at += whole.len();
        if line.is_empty() && announced && taken == end {
            continue;
        }
        let line_end = at - (whole.len() - whole.trim_end().len());
        if line.is_empty() || is_fence(line) || !below || line_end - start > LONGEST_WRAPPED {
            break;
        }
        if entry || plain {
            entry_at = taken;
        }
        taken = line_end;
    }
    taken
}

/// "Do not touch it.": what is not to be touched stands in the sentence before.
fn points_back(sentence: &str) -> bool {
    const MANY: usize = 12;
    const BARE: [&str; 4] = ["it", "them", "they", "its"];
    const POINTING: [&str; 4] = ["this", "that", "these", "those"];
    /// What stands behind "this" where it is no noun's.
    const BEHIND: [&str; 22] = [
        "again", "anymore", "ever", "yet", "now", "here", "please", "in", "on", "at", "to", "for", "from",
        "by", "with", "without", "if", "when", "unless", "until", "or", "and",
    ];
    const CJK: [&str; 9] = ["它", "牠", "这样", "這樣", "那样", "那樣", "それ", "これ", "그것"];
    if sentence.len() > 160 {
        return false;
    }
    if sentence.contains(is_cjk) && CJK.iter().any(|w| sentence.contains(w)) {
        return true;
    }
    if tongues::points_back(sentence, tells(sentence)) {
        return true;
    }
    let lower = sentence.to_lowercase().replace('’', "'");
    let words: Vec<&str> = words_of(&lower).collect();
    words.len() <= MANY
        && words.iter().enumerate().any(|(at, word)| {
            BARE.contains(word)
                || (at > 0
                    && POINTING.contains(word)
                    && words.get(at + 1).is_none_or(|next| BEHIND.contains(next)))
        })
}

fn words_of(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|w| !w.is_empty())
}

fn constraint(sentence: Sentence<'_>) -> Option<Constraint<'_>> {
    let tongues = tells(sentence.text);
    if tongues == 0 {
        return None;
    }
    let known = if tongues & KNOWN == 0 { None } else { known_words(sentence) };
    let ruled = if tongues == KNOWN { None } else { ruled(sentence.text) };
    let Some(ruled) = ruled else { return known };
    let Sentence { text, fenced, .. } = sentence;
    let strength = known.map_or(ruled.strength, |known| known.strength.max(ruled.strength));
    let explicit = ruled.explicit || known.is_some_and(|known| known.explicit);
    Some(Constraint { text, strength, explicit, fenced })
}

/// What a sentence is by the words of English, Chinese, Japanese and Korean.
fn known_words(sentence: Sentence<'_>) -> Option<Constraint<'_>> {
    let Sentence { text, fenced, .. } = sentence;
    let cjk = text.chars().any(is_cjk);
    let cjk_explicit = cjk && CJK_EXPLICIT.iter().any(|w| text.contains(w));
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> = words_of(&lower).collect();
    let has = |list: &[&str]| list.iter().any(|phrase| holds(&words, phrase));
    let revokes =
        (has(REVOKING) && !has(NOT_REVOKING)) || (cjk && CJK_REVOKING.iter().any(|w| text.contains(w)));
    let explicit = revokes || cjk_explicit || has(&RULES) || has(&NEGATIONS) || has(&["only"]);
    let question = text.ends_with(['?', '\u{FF1F}']);
    let guess = words.windows(2).any(|w| w == ["there", "must"]);
    let ruled = (has(&RULES) && !guess) || orders_not(&words) || has(FORBIDDING);
    let strength = if ruled || revokes || (cjk && CJK_RULES.iter().any(|w| text.contains(w))) {
        Strength::Rule
    } else if has(WISHES)
        || has(&["only"])
        || leaves_alone(&words)
        || stops_or_bars(text, &words)
        || chooses_or_bounds(&lower, &words)
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
    const SMALL_TALK: [&str; 29] = [
        "problem", "problems", "worries", "idea", "need", "thanks", "rush", "one", "longer", "way", "doubt",
        "wait", "i", "it", // and what is said in Spanish of how things are:
        "funciona", "hay", "se", "me", "es", "está", "entiendo", "puedo", "hace", "usa", "sé", "veo",
        "tengo", "quiero", "importa",
    ];
    match words {
        ["stop", doing, ..] => doing.ends_with("ing"),
        ["no", what, rest @ ..] => {
            words.len() <= 8
                && !reports(what, rest)
                && text.as_bytes().get(2) == Some(&b' ')
                && !SMALL_TALK.contains(what)
                && !SUBJECTS.contains(what)
        }
        _ => false,
    }
}

/// "No tests failed", "No errors now": what is told of things, and rules nothing out.
fn reports(what: &str, behind: &[&str]) -> bool {
    const TOLD: [&str; 20] = [
        "are", "broke", "changed", "did", "exist", "exists", "fail", "failed", "fails", "found", "had",
        "happened", "has", "have", "is", "occurred", "passed", "was", "were", "left",
    ];
    const TROUBLE: [&str; 12] = [
        "bugs", "conflicts", "crashes", "error", "errors", "failure", "failures", "issues", "regressions",
        "warning", "warnings", "luck",
    ];
    const BY_NOW: [&str; 6] = ["now", "anymore", "here", "yet", "so", "this"];
    let of_it = |word: &&&str| matches!(**word, "that" | "which" | "who");
    let verb = behind.iter().position(|word| TOLD.contains(word)).filter(|at| *at < 3);
    verb.is_some_and(|at| behind[..at].iter().find(of_it).is_none())
        || (TROUBLE.contains(&what) && behind.first().is_some_and(|next| BY_NOW.contains(next)))
}

/// "Use tabs, not blanks", "Budget: 200 EUR".
fn chooses_or_bounds(lower: &str, words: &[&str]) -> bool {
    let bare: &[&str] = match words {
        ["the" | "my" | "our" | "please", rest @ ..] => rest,
        all => all,
    };
    match bare {
        ["use", rest @ ..] => rest.iter().any(|w| matches!(*w, "not" | "instead" | "rather")),
        [first, rest @ ..] if BOUNDS.contains(first) => {
            let behind = lower.split_once(first).map_or("", |(_, behind)| behind).trim_start();
            let told = behind.strip_prefix([':', '\u{FF1A}']).is_some_and(|told| !told.trim().is_empty());
            told || matches!(rest.first(), Some(&("is" | "are")))
        }
        _ => false,
    }
}

/// 「触るな」, 「増やさないで」, 「しないように」: the end of a Japanese sentence that says what not to do.
fn ends_in_an_order_not_to(text: &str) -> bool {
    let said = text.trim_end_matches(|c: char| !c.is_alphanumeric()).trim_end_matches(['ね', 'よ']);
    [
        "ないで", "ないように", "ないようお願いします", "すんな", "るな", "すな", "くな", "むな", "つな",
        "ぶな", "ぐな", "使うな", "言うな",
    ]
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
            ["Never push to main!", "Please don’t touch tests. It MUST build.", "I don't want mocks."]
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
    fn a_rule_is_whole() {
        for whole in [
            "You must never run database migrations against the shared\n  staging cluster without asking in\n  #infra.",
            "绝对不要提交\n任何密钥文件。",
            "Please never commit anything that\ntouches the generated\nfolder gen/out.",
            "Never rename \nthe table users_v2.",
            "You must not touch:\n- src/a.ts\n- the CI config\n- Bob's branch",
            "Never do any of the following:\n\n- push to the release branch\n- run migrations\n  on prod",
            "Never touch these files\n- a.ts\n- b.ts",
            "You must not touch:\nsrc/a.ts\nsrc/b.ts",
            "禁止修改以下文件\u{FF1A}\n- a.ts\n- b.ts",
            "The file config/prod.yaml is sacred. Do not touch it.",
            "The file config/prod.yaml is off limits.\nDo not touch it.",
            "生产库很重要。不要动它。",
            "Last week the build broke on Friday night. Never do that again.",
        ] {
            let found: Vec<&str> = constraints(whole).iter().map(|c| c.text).collect();
            assert_eq!(found, [whole]);
            let among = format!("Hello there, this is the task\n\n{whole}\n\nThanks");
            assert_eq!(constraints(&among).iter().map(|c| c.text).collect::<Vec<_>>(), [whole]);
        }
        assert_eq!(
            rules("- Never push\n- Always ask\n- You must not touch:\n  - a.ts\n- Never sleep"),
            ["Never push", "Always ask", "You must not touch:\n  - a.ts", "Never sleep"]
        );
        assert_eq!(rules("Never touch this file. Thanks."), ["Never touch this file."]);
        let long = format!("You must do this:\n{}", "- one of so many steps\n".repeat(100));
        assert!(constraints(&long)[0].text.len() <= LONGEST_WRAPPED);
    }

    #[test]
    fn what_takes_a_rule_back_is_one() {
        for text in [
            "OK, you may push to main from now on.",
            "You can ignore that rule.",
            "Forget what I said about tabs.",
            "You don't have to run the tests.",
            "以后可以直接推送到 main。",
            "テストはもう書かなくていいです。",
        ] {
            let found: Vec<_> = constraints(text).iter().map(|c| (c.text, c.strength, c.explicit)).collect();
            assert_eq!(found, [(text, Strength::Rule, true)]);
        }
        assert_eq!(constraints("You may want to look at src/a.rs."), []);
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
            "No tests failed",
            "No errors now, go on",
            "No merge conflicts were found.",
            "The new policy module fails.",
            "クラッシュしないように直して。",
            "この画面のような",
        ] {
            assert_eq!(rules(text), [""; 0], "{text}");
        }
        for text in [
            "It says 403 Forbidden.", "405 Method Not Allowed", "No problem.", "No, that is wrong.",
            "No tests failed", "No errors now, go on", "No merge conflicts were found.",
        ] {
            assert_eq!(constraints(text), [], "{text}");
        }
    }

    #[test]
    fn every_phrase_passes_the_first_look() {
        for phrase in
            RULES.iter().chain(&NEGATIONS).chain(FORBIDDING).chain(WISHES).chain(REVOKING).chain(BOUNDS)
        {
            assert!(tells_any(phrase), "{phrase}");
        }
        for text in ["leave it alone", "stop adding comments", "no comments", "use a, not b"] {
            assert!(tells_any(text), "{text}");
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
            "No force pushes, please.",
            "No commits that have secrets.",
            "No warnings in the build.",
            "You should use pnpm.",
            "You shouldn't commit directly.",
            "Answer in French.",
            "Budget: 200 EUR",
            "The deadline is Friday 17:00.",
            "Use tabs, not spaces.",
            "依存関係は増やさないで。",
            "勝手にコミットしないように。",
            "请用中文回答。",
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
