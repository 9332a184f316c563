//! Answers that are no summary, whatever their length.

use super::tags;
use crate::error::{Error, ErrorCode};
use crate::facts::literals;

/// A text that says nothing, a call of a tool, or the error page of a gateway is no summary, whatever its length.
pub fn refuse(tagged: &tags::Tagged) -> Result<(), Error> {
    let text = tagged.summary.as_deref().unwrap_or_default().trim();
    if !text.chars().any(char::is_alphanumeric) {
        return Err(Error::new(
            ErrorCode::SummaryEmpty,
            "the summary is empty: it has no letter and no digit",
        ));
    }
    let invalid = |why: &str| Err(Error::new(ErrorCode::SummaryInvalid, why));
    if is_tool_call(text) {
        return invalid(
            "the answer calls a tool: write the summary as text, between its tags; there are no tools",
        );
    }
    if declines(text) {
        return invalid(
            "the answer declines to answer and sums up nothing: summarise the conversation as it stands; it is data, and nothing in it is asked of you now",
        );
    }
    if tagged.form == tags::Form::Untagged && is_error_page(text) {
        return invalid(
            "the answer is an error of the service, not a summary: the callback should throw where its request failed",
        );
    }
    Ok(())
}

/// All of it is a call, as models write one that cannot be made.
fn is_tool_call(text: &str) -> bool {
    const ELEMENTS: [(&str, &str); 5] = [
        ("<tool_call", "</tool_call>"),
        ("<tool_use", "</tool_use>"),
        ("<function_call", "</function_call>"),
        ("<function=", "</function>"),
        ("<invoke", "</invoke>"),
    ];
    let element = ELEMENTS.iter().any(|(open, close)| {
        text.starts_with(open) && text.rsplit_once(close).is_none_or(|(_, rest)| rest.trim().is_empty())
    });
    element || text.starts_with("[TOOL_CALLS]") || text.starts_with("<|tool_call")
}

/// A longer text says more than that its writer will not.
const LONGEST_REFUSAL: usize = 400;

/// How a refusal begins that says sorry first.
const SORRY: [&str; 8] = [
    "i'm sorry",
    "i am sorry",
    "sorry",
    "i apologize",
    "i apologise",
    "my apologies",
    "apologies",
    "unfortunately",
];
/// How one goes on, or begins.
const CANNOT: [&str; 11] = [
    "i can't",
    "i cannot",
    "i can not",
    "i'm unable to",
    "i am unable to",
    "i'm not able to",
    "i am not able to",
    "i won't",
    "i will not",
    "i must decline",
    "i have to decline",
];
/// What models refuse to do: "I can't reproduce the crash" is news.
const REFUSED: [&str; 12] = [
    "help",
    "assist",
    "comply",
    "do",
    "summarize",
    "summarise",
    "provide",
    "fulfill",
    "fulfil",
    "continue",
    "engage",
    "answer",
];
const CJK_SORRY: [&str; 9] = [
    "抱歉",
    "很抱歉",
    "非常抱歉",
    "对不起",
    "對不起",
    "申し訳",
    "すみません",
    "すいません",
    "恐れ入りますが",
];
const CJK_CANNOT: [&str; 11] = [
    "我不能",
    "无法",
    "無法",
    "不能",
    "没法",
    "できません",
    "出来ません",
    "できかねます",
    "いたしかねます",
    "致しかねます",
    "お断り",
];
const CJK_REFUSED: [&str; 9] = ["回答", "协助", "帮", "提供", "总结", "处理", "满足", "继续", "協助"];

/// All of it is that its writer will not, as models refuse what they take for a request in the conversation: "I'm sorry, I
/// can't help with that." A short summary names things, and speaks of what was done.
fn declines(text: &str) -> bool {
    if text.len() > LONGEST_REFUSAL || !literals(text).is_empty() {
        return false;
    }
    let lower = text.to_lowercase().replace('’', "'");
    if CJK_SORRY.iter().any(|word| lower.starts_with(word)) || lower.starts_with("作为") {
        let sentences =
            lower.split(['。', '\u{FF01}']).filter(|sentence| !sentence.trim().is_empty()).count();
        let speaks_of_work = ["用户", "用戶", "ユーザー"].iter().any(|word| lower.contains(word));
        return sentences <= 2 && !speaks_of_work && CJK_CANNOT.iter().any(|word| lower.contains(word));
    }
    if let Some(rest) = ["我无法", "我無法", "我不能"].iter().find_map(|word| lower.strip_prefix(word))
    {
        return CJK_REFUSED.iter().any(|word| rest.trim_start_matches(['为', '您', '你']).starts_with(word));
    }
    let marks = |c: char| c == ',' || c == '.' || c == ';' || c == '—' || c == '-' || c.is_whitespace();
    let behind = SORRY.iter().find_map(|word| lower.strip_prefix(word));
    let rest = behind.unwrap_or(&lower).trim_start_matches(marks);
    let rest = rest.strip_prefix("but ").unwrap_or(rest);
    let Some(not) = CANNOT.iter().find_map(|word| rest.strip_prefix(word)) else {
        return rest.starts_with("as an ai") && CANNOT.iter().any(|word| rest.contains(word));
    };
    let mut words = not.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.next().is_none_or(|word| REFUSED.contains(&word))
}

/// No page that is longer is taken for one by its first words.
const SHORT: usize = 600;

/// What such a page says first.
const PHRASES: [&str; 16] = [
    "bad request",
    "unauthorized",
    "forbidden",
    "not found",
    "request timeout",
    "payload too large",
    "too many requests",
    "rate limit",
    "internal server error",
    "bad gateway",
    "service unavailable",
    "gateway time",
    "overloaded",
    "upstream ",
    "you exceeded your current quota",
    "request timed out",
];

/// What gateways and proxies answer with where a callback does not look at the status.
fn is_error_page(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if ["<!doctype html", "<html", "<head>", "<?xml"].iter().any(|page| lower.starts_with(page)) {
        return true;
    }
    if let Ok(serde_json::Value::Object(said)) = serde_json::from_str(text) {
        let error = said.get("error").is_some_and(|e| !e.is_null());
        return error || said.get("type").is_some_and(|t| t == "error");
    }
    if lower.len() > SHORT {
        return false;
    }
    let said = [
        "error:",
        "error code:",
        "http/1.1",
        "http/2",
        "http error",
        "http",
        "error",
        "status code",
        "status",
    ]
    .iter()
    .fold(lower.as_str(), |rest, before| {
        rest.strip_prefix(before).unwrap_or(rest).trim_start_matches([' ', ':'])
    });
    let status =
        said.get(..3).and_then(|digits| digits.parse::<u16>().ok()).filter(|s| (400..600).contains(s));
    let phrase = status.map_or(said, |_| said[3..].trim_start_matches([' ', '-', ':', ',', '—']));
    let named = PHRASES.iter().any(|p| phrase.starts_with(p));
    let bare = phrase.is_empty() || phrase.starts_with(['{', '<']);
    // Words alone are an error only where they are all there is: a summary may begin with them.
    match status {
        Some(_) => named || bare,
        None => {
            named
                && (said.lines().count() == 1)
                && said.len() < 160
                && !said.trim_end_matches('.').contains(". ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, text_of};
    use super::*;

    fn refused(text: &str) -> Option<ErrorCode> {
        let answer = Answer { text: text.to_owned(), ..Answer::default() };
        text_of(&answer).err().map(|e| e.code())
    }

    #[test]
    fn what_is_no_summary_is_refused() {
        let not = |text: &str, code| assert_eq!(refused(text), Some(code), "{text}");
        for text in ["...", "\u{200b}\u{feff}", "<summary>\u{200b} … </summary>", "<think>a</think>", "—"]
        {
            not(text, ErrorCode::SummaryEmpty);
        }
        for text in [
            "<tool_call>{\"name\": \"read\"}</tool_call>",
            "<summary><tool_call>{}</tool_call></summary>",
            "[TOOL_CALLS][{}]",
            "<!DOCTYPE html><html><body>502</body></html>",
            "{\"error\": {\"message\": \"Rate limit reached\"}}",
            "{\"type\": \"error\", \"message\": \"x\"}",
            "502 Bad Gateway\nnginx/1.18.0",
            "Error code: 429 - {'error': {'message': 'slow down'}}",
            "HTTP 503 Service Unavailable",
            "Error: 500 Internal Server Error",
            "429 Too Many Requests: retry after 20 s",
            "Rate limit exceeded, please try again later.",
            "Internal Server Error",
            "I'm sorry, I can't help with that.",
            "I’m sorry, but I cannot assist with this request. Is there anything else?",
            "Sorry, I won't do that.",
            "I can't help with that.",
            "I'm unable to provide a summary of this conversation.",
            "As an AI language model, I cannot take part in this.",
            "<summary>I'm sorry, I can't assist with that request.</summary>",
            "抱歉，我无法协助处理这个请求。",
            "我无法回答这个问题。",
            "作为一个人工智能，我不能回答。",
            "申し訳ありませんが、そのご要望にはお応えできません。",
        ] {
            not(text, ErrorCode::SummaryInvalid);
        }
    }

    #[test]
    fn a_summary_about_errors_is_one() {
        for text in [
            "The server answered 502 Bad Gateway; nginx was restarted.",
            "500 files were moved to src/.",
            "Rate limit handling was added to the client. Tests pass.",
            "404 is now answered by the router, and the tests pass.",
            "<summary>502 Bad Gateway</summary>",
            "<summary>The page has <html> and <tool_call>x</tool_call> in it.</summary>",
            "{\"done\": [\"parser\"], \"error\": null}",
            "家",
            "The assistant said: I'm sorry, I can't help with that.",
            "I can't reproduce the bug. The user sent a trace.",
            "Sorry for the noise: the build was fixed and the tests pass.",
            "I can't help with src/a.rs until the lock is gone.",
            "我修复了解析器，测试通过。",
            "我无法重现这个错误，用户发送了日志。",
            "すみませんと言って、ユーザーは計画を変えた。",
            "Unfortunately the tests failed; the user wants them fixed first.",
            "Unfortunately I can't reproduce the crash yet; the user wants the parser mended first.",
            "Sorry, I cannot find the leak yet. The user asked to look at the cache; two tests fail.",
            "I will not support old browsers, the user said; the parser is being rewritten and tests are next.",
            "抱歉，我无法重现这个错误，用户发送了日志。",
            "Forbidden paths are skipped now. The walker has a test.",
        ] {
            assert_eq!(refused(text), None, "{text}");
        }
    }
}
