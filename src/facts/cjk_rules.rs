//! Rules in Chinese, Japanese and Korean. There are no blanks around words there, so phrases are found anywhere in a sentence.

use super::keywords::is_error;
use super::words::lowered;

const RULES: &[&str] = &[
    "必须", "必須", "不要", "禁止", "严禁", "嚴禁", "厳禁", "不得", "不能", "不可", "不准", "不许", "不許",
    "不允许", "不允許", "务必", "務必", "一定要", "一律", "请勿", "請勿", "切勿", "千万别", "千萬別", "绝不",
    "絕不", "决不", "總是", "总是", "しないで", "ないでください", "ないで下さい", "ないでね", "ないでほしい",
    "触らないで", "必ず", "てはいけ", "ではいけ", "てはなら", "ではなら", "てはだめ", "てはダメ", "ちゃだめ",
    "ちゃダメ", "ちゃいけ", "なければなら", "なければいけ", "ねばなら", "するな", "厳守", "絶対に", "반드시",
    "하지 마", "하지마", "从现在起", "從現在起", "从现在开始", "從現在開始", "以后都", "以後都", "今后",
    "今後", "지 마세요", "지 말", "면 안", "금지", "절대",
];
const WISHES: &[&str] = &[
    "始终", "始終", "常に", "ないこと", "ようにして", "控えて", "やめて", "只", "仅", "僅", "のみ", "だけ",
    "別", "别", "尽量", "儘量", "确保", "確保", "记得", "記得", "至少", "最多", "不超过", "不超過", "不应",
    "不應", "できるだけ", "避けて", "항상", "中文回", "文回答", "文回复", "文回覆", "語で答え", "語で話",
    "語で返", "語で回答", "語で書い", "预算", "預算", "予算", "先问我", "先問我", "先问一下我", "先跟我确认",
    "先和我确认", "先跟我商量", "先和我商量", "经我同意", "經我同意", "得到我的同意", "得到我的确认",
    "得到我的许可", "等我确认", "等我確認", "请用中文", "請用中文", "请用英文", "請用英文", "请用英语",
    "用中文写", "用中文寫", "用英文写", "用英文寫", "用英语写",
];
/// Phrases that revoke a rule.
const REVOKING: &[&str] = &[
    "不用再", "不必再", "不再需要", "现在可以", "現在可以", "以后可以", "以後可以", "作废", "作廢", "忘掉",
    "忽略之前", "忽略上面", "忽略那", "なくていい", "なくて良い", "なくてもいい", "してもいい", "して良い",
    "してよい", "撤回", "取り消", "忘れて", "안 해도", "해도 돼", "해도 됩",
];
/// Words about what somebody lacks, does not know, or has forgotten.
const LACKING: &[&str] = &[
    "我没有", "我沒有", "不知道", "不记得", "不記得", "忘了", "忘记", "忘記", "找不到", "わかりません",
    "分かりません", "覚えていません", "持っていません", "忘れました", "忘れてしま", "모르겠", "기억이 안",
    "잊어버",
];
/// Words that refer to something named in the sentence before.
const POINTING: &[&str] = &["它", "牠", "这样", "這樣", "那样", "那樣", "それ", "これ", "그것"];

fn has_any(text: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| text.contains(phrase))
}

/// Whether a sentence lays down a rule.
pub(super) fn sets_rule(text: &str) -> bool {
    has_any(text, RULES)
        || has_any(text, REVOKING) && !is_error(&lowered(text))
        || has_any(text, WISHES) && !has_any(text, &["我会", "我會"])
        || is_japanese_prohibition(text)
        || says_when_or_how(text)
}

/// Whether a sentence refers to something named in the sentence before.
pub(super) fn points_back(sentence: &str) -> bool {
    has_any(sentence, POINTING)
}

/// Whether a speaker says what they lack, do not know or have forgotten.
pub(super) fn says_what_is_lacking(sentence: &str) -> bool {
    has_any(sentence, LACKING)
}

/// 「触るな」, 「増やさないで」, 「しないように」: endings of Japanese sentences that say what not to do.
fn is_japanese_prohibition(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "ないで", "ないように", "ないようお願いします", "すんな", "るな", "すな", "くな", "むな", "つな",
        "ぶな", "ぐな", "使うな", "言うな",
    ];
    ends_with_any(without_marks(text).trim_end_matches(['ね', 'よ']), ENDINGS)
}

/// 「提交前先跑测试」, 「注释用英文」, 「デプロイ前に聞いて」, 「コミットメッセージは日本語で」: short sentences that say what must be done before
/// something else, or in which language.
fn says_when_or_how(text: &str) -> bool {
    const LONG: usize = 24;
    const REPORTING: &[&str] = &["了", "我", "报错", "報錯", "崩溃", "失败", "错误"];
    const POLITE: &[&str] = &["お願いします", "ください", "下さい", "ね"];
    const ASKING: &[&str] = &["聞いて", "確認して", "相談して", "知らせて", "テストして", "テストを実行して"];
    let sentence = without_marks(text);
    let is_report = has_any(text, REPORTING) && !text.contains("先问我");
    let is_order =
        text.chars().count() <= LONG && has_any(text, &["前先", "前请先", "前請先", "后先", "後先"]);
    let plain = POLITE.iter().find_map(|end| sentence.strip_suffix(end)).unwrap_or(sentence);
    ends_with_any(sentence, &["前问我", "前問我"])
        || (!is_report && (is_order || ends_with_any(sentence, &["用中文", "用英文", "用英语"])))
        || (text.contains("前に") && ends_with_any(plain, ASKING))
        || (text.contains('は') && plain.ends_with("語で"))
}

fn without_marks(text: &str) -> &str {
    text.trim_end_matches(|c: char| !c.is_alphanumeric())
}

fn ends_with_any(text: &str, endings: &[&str]) -> bool {
    endings.iter().any(|end| text.ends_with(end))
}
