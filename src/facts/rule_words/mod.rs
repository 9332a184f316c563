//! The words that mark a user's rule, one file for each language.

mod cjk;
mod english;
mod french;
mod german;
mod italian;
mod patterns;
mod portuguese;
mod russian;
mod spanish;
mod telling;
mod tongue;

pub(super) use cjk::{CJK_EXPLICIT, CJK_REVOKING, CJK_RULES, CJK_WISHES};
pub(super) use english::{
    BOUNDS, ENGLISH, FORBIDDING, NEGATIONS, NOT_REVOKING, REVOKING, RULES, SUBJECTS, TELLING, WANTING, WISHES,
};
pub(super) use patterns::{Pattern, Says, patterns_at};
pub(super) use telling::{KNOWN, folded, tells, tells_any};
pub(super) use tongue::Tongue;

/// The languages whose rules are matched by patterns. A language's index is its bit.
pub(super) const TONGUES: [&Tongue; 7] = [
    &ENGLISH,
    &german::GERMAN,
    &french::FRENCH,
    &spanish::SPANISH,
    &italian::ITALIAN,
    &portuguese::PORTUGUESE,
    &russian::RUSSIAN,
];

/// The names of languages, in all these languages.
pub(super) const LANGUAGES: &str = "english german french spanish italian portuguese russian chinese japanese \
    korean dutch polish turkish \
    deutsch englisch franzoesisch spanisch italienisch portugiesisch russisch chinesisch japanisch koreanisch \
    francais anglais allemand espagnol italien portugais russe chinois japonais \
    espanol castellano ingles aleman italiano portugues ruso chino japones \
    inglese francese tedesco spagnolo portoghese russo cinese giapponese frances alemao chines \
    русском русски английском английски немецком немецки французском испанском итальянском португальском \
    китайском японском";
