//! The words that mark a user's rule, one file for each language.

mod english;
mod french;
mod german;
mod italian;
mod language;
mod patterns;
mod portuguese;
mod russian;
mod spanish;
mod word_table;

pub(super) use english::{
    BOUNDS, ENGLISH, ENGLISH_RULE_WORDS, FORBIDDING, NOT_REVOKING, REVOKING, SUBJECTS, WANTING, WISHES,
};
pub(super) use language::Language;
pub(super) use patterns::{Pattern, PatternMeaning, patterns_at};
pub(super) use word_table::{folded, may_contain_rule};

/// The languages whose rules are matched by patterns.
pub(super) const LANGUAGES: [&Language; 7] = [
    &ENGLISH,
    &german::GERMAN,
    &french::FRENCH,
    &spanish::SPANISH,
    &italian::ITALIAN,
    &portuguese::PORTUGUESE,
    &russian::RUSSIAN,
];

/// The names of languages, in all these languages.
pub(super) const LANGUAGE_NAMES: &str = "english german french spanish italian portuguese russian chinese japanese \
    korean dutch polish turkish \
    deutsch englisch franzoesisch spanisch italienisch portugiesisch russisch chinesisch japanisch koreanisch \
    francais anglais allemand espagnol italien portugais russe chinois japonais \
    espanol castellano ingles aleman italiano portugues ruso chino japones \
    inglese francese tedesco spagnolo portoghese russo cinese giapponese frances alemao chines \
    русском русски английском английски немецком немецки французском испанском итальянском португальском \
    китайском японском";
