//! Recognises answers that only decline. Models sometimes refuse a request that they find in the conversation instead of summarising it.

mod words;

use words::{
    CHINESE, ENGLISH, FRENCH, GERMAN, ITALIAN, JAPANESE, KOREAN, Language, PORTUGUESE, RUSSIAN, SPANISH,
};

/// A longer text, in bytes, is more than a refusal.
const LONGEST: usize = 400;

/// The most words in a polite sentence beside the refusal.
const MAX_POLITE_WORDS: usize = 14;

/// Whether the whole text is a refusal: "I'm sorry, I can't help with that."
pub fn refuses(text: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let lower = text.to_lowercase().replace('’', "'");
    let spaced = [&ENGLISH, &GERMAN, &FRENCH, &SPANISH, &ITALIAN, &PORTUGUESE, &RUSSIAN]
        .into_iter()
        .any(|l| l.refuses(&lower, Language::has_only_known_words));
    spaced
        || [&CHINESE, &JAPANESE, &KOREAN]
            .into_iter()
            .any(|l| l.refuses(&lower, Language::is_made_of_known_pieces))
}

impl Language {
    /// Whether at least one sentence refuses and all others are polite.
    fn refuses(&self, text: &str, has_no_other_words: fn(&Self, &str) -> bool) -> bool {
        let mut refused = false;
        for sentence in sentences(text) {
            if has_no_other_words(self, sentence) {
                let joined = sentence.replace(' ', "");
                refused |= self
                    .refusing
                    .split(", ")
                    .any(|refusing| sentence.contains(refusing) || joined.contains(refusing));
            } else if !self.is_polite(sentence) {
                return false;
            }
        }
        refused
    }

    /// Whether a sentence may accompany a refusal: it is short and names no file.
    fn is_polite(&self, sentence: &str) -> bool {
        let names_a_file = sentence.contains('/') && !sentence.contains("://");
        let is_short = sentence.split_whitespace().count() <= MAX_POLITE_WORDS;
        is_short && !names_a_file && self.polite_starts.split(", ").any(|start| sentence.starts_with(start))
    }

    /// Whether the sentence consists of the known words, for languages that separate words by spaces.
    fn has_only_known_words(&self, sentence: &str) -> bool {
        let mut words = sentence
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .map(|word| word.trim_matches('\''))
            .filter(|word| !word.is_empty());
        words.all(|word| self.words.split(' ').chain(self.refusing.split(", ")).any(|one| one == word))
    }

    /// Like `has_only_known_words`, for languages without spaces or with varying endings: removes the longest known word at the front until nothing
    /// is left.
    fn is_made_of_known_pieces(&self, sentence: &str) -> bool {
        let mut rest = sentence;
        loop {
            rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
            if rest.is_empty() {
                return true;
            }
            let behind = self.words.split(' ').filter_map(|word| without(rest, word));
            let Some(shortest) = behind.min_by_key(|rest| rest.len()) else { return false };
            rest = shortest;
        }
    }
}

/// The text after `word`, ignoring spaces; `None` if it does not begin with it.
fn without<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut rest = text;
    for c in word.chars() {
        rest = rest.trim_start_matches(' ').strip_prefix(c)?;
    }
    Some(rest)
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split(['\n', '。', '\u{FF01}', '\u{FF1F}']);
    let sentences =
        lines.flat_map(|line| line.split(". ").flat_map(|s| s.split("! ").flat_map(|s| s.split("? "))));
    sentences.map(str::trim).filter(|sentence| !sentence.is_empty())
}

#[cfg(test)]
mod tests {
    use super::refuses;

    #[test]
    fn a_text_that_only_declines_is_a_refusal() {
        for text in [
            "I'm sorry, I can't help with that.",
            "I’m sorry, but I cannot assist with this request. Is there anything else?",
            "I'm sorry, but I can't continue with this request.",
            "I'm sorry, I can't process this request.",
            "I apologize, but I cannot generate a summary of this conversation.",
            "I cannot create a summary of this content.",
            "I'm sorry, but I can't share that.",
            "I'm sorry, but I can't discuss this topic.",
            "I can't respond to that.",
            "I'm unable to process this conversation.",
            "I'm unable to provide a summary of this conversation.",
            "I'm really sorry, but I can't help with that.",
            "I'm afraid I can't help with that.",
            "I'm sorry, but I can't help with that. See https://openai.com/policies for more.",
            "I’m sorry, but I’m not able to create that.",
            "I must decline this request.",
            "I can't engage with this.",
            "Sorry, I can't write that.",
            "Sorry, I won't do that.",
            "I am not comfortable summarizing this conversation.",
            "As an AI developed by OpenAI, I don't have the ability to summarize conversations.",
            "As an AI language model, I cannot take part in this.",
            "I can’t support that request.",
            "I will not be able to help with that.",
            "I'm sorry, but I cannot fulfill this request. I am happy to help with something else, such as `npm test`.",
            "I cannot.",
            "抱歉，我无法协助处理这个请求。",
            "我无法回答这个问题。",
            "作为一个人工智能，我不能回答。",
            "对不起，我帮不了你。",
            "很抱歉，我没有办法回答这个问题。",
            "我无法总结这段对话。如果您有其他问题，请告诉我。",
            "我不能生成摘要。",
            "我无法参与这个话题。",
            "申し訳ありませんが、そのご要望にはお応えできません。",
            "申し訳ございませんが、お答えすることはできません。",
            "죄송하지만 도와드릴 수 없습니다.",
            "Lo siento, no puedo ayudar con eso.",
            "Mi dispiace, ma non posso aiutarti con questa richiesta.",
            "Desculpe, mas não posso ajudar com isso.",
            "Извините, но я не могу помочь с этим запросом.",
            "I'm sorry, but I cannot comply with that request as it violates our content policy.",
            "Je suis désolé, mais je ne peux pas vous aider.",
            "Es tut mir leid, aber dabei kann ich nicht helfen.",
        ] {
            assert!(refuses(text), "{text}");
        }
    }

    #[test]
    fn a_text_with_any_content_is_a_summary() {
        for text in [
            "I can't reproduce the bug. The user sent a trace.",
            "I can't help with src/a.rs until the lock is gone.",
            "I can't continue. Please run the migration in db/003.sql before every test and never push to main.",
            "Unable to process the request. See src/parser.rs for more.",
            "I can't. The user wants the parser first.",
            "I cannot continue until the user chooses between Postgres and SQLite; the parser is done and its tests pass.",
            "I can't do the deploy before the user gives the token. The parser is rewritten; tests pass.",
            "I won't do the migration, as the user asked to keep the old schema. Next come the tests.",
            "I cannot answer the user's question about billing yet: the invoices table is empty. Next: import the invoices.",
            "Unfortunately I can't do more until the user unlocks the database. Schema migrated, seeds loaded, tests pending.",
            "Unfortunately I can't reproduce the crash yet; the user wants the parser mended first.",
            "Sorry, I cannot find the leak yet. The user asked to look at the cache; two tests fail.",
            "I will not support old browsers, the user said; the parser is being rewritten and tests are next.",
            "The assistant said: I'm sorry, I can't help with that.",
            "作为数据库选择了 Postgres，旧表不能删除。下一步写迁移。",
            "作为第一步重写了解析器；测试不能跳过。",
            "抱歉，测试无法通过：解析器已重写，下一步修复缓存。",
            "抱歉，我无法重现这个错误，用户发送了日志。",
            "すみません、テストはまだ通りません。キャッシュの修正ができませんでした。",
            "すみませんと言って、ユーザーは計画を変えた。",
            "Bitte helfen.",
            "家",
        ] {
            assert!(!refuses(text), "{text}");
        }
    }
}
