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

pub(super) use cjk::{CJK_EXPLICIT, CJK_REVOKING, CJK_RULES, CJK_WISHES};
pub(super) use english::{
    BOUNDS, ENGLISH, FORBIDDING, NEGATIONS, NOT_REVOKING, REVOKING, RULES, SUBJECTS, TELLING, WANTING, WISHES,
};
pub(super) use patterns::{Pattern, Says, patterns_at};
pub(super) use telling::{KNOWN, folded, tells, tells_any};

/// How the rules of a language look.
///
/// Words stand in small letters, without accents, `ä` as `ae` and `ß` as `ss`, a blank between them. `fass+` may have one
/// of the language's `endings`, `kein*` begins so, `*ez` ends so.
///
/// Patterns stand between commas. `^` is where a sentence or a clause begins, softeners aside, and `~` there or behind a comma;
/// `%` an order, `!` a form that forbids, `#` a language's name, `_` any word; `..` a few words of the same clause and `...`
/// any words; `$` the end. One word of each has a `=` before it: the pattern is looked for where that word stands.
pub(super) struct Tongue {
    /// Words that an order may begin behind: "please", "and".
    pub softeners: &'static str,
    /// What an order begins with: its verb.
    pub orders: &'static str,
    /// A verb's forms that forbid behind a word for no, or alone at a sentence's end.
    pub bans: &'static str,
    /// What `+` stands for, beside nothing.
    pub endings: &'static str,
    /// What is no order or ban, though it looks like one.
    pub except: &'static str,
    /// Words that make an order a rule: "always", "not".
    pub always: &'static str,
    /// Words that make it a wish: "only".
    pub only: &'static str,
    /// Words behind which an order goes on with what it is about: "which", "why".
    pub subordinating: &'static str,
    /// Patterns of rules.
    pub rules: &'static str,
    /// Patterns of what takes a rule back.
    pub revoking: &'static str,
    /// Patterns of rules where no one of the `speakers` stands beside them: "must".
    pub modals: &'static str,
    /// Whose having to is no rule.
    pub speakers: &'static str,
    /// Patterns of wishes.
    pub wishes: &'static str,
    /// Patterns of what stands in the sentence before: "do not touch it".
    pub pointing: &'static str,
    /// What a short sentence begins with that rules something out: "no".
    pub bars: &'static str,
    /// What such a sentence holds that does not.
    pub small_talk: &'static str,
    /// Patterns of what reports rather than rules.
    pub reports: &'static str,
}

/// Every language of this kind; which place each has is its bit.
pub(super) const TONGUES: [&Tongue; 7] = [
    &ENGLISH,
    &german::GERMAN,
    &french::FRENCH,
    &spanish::SPANISH,
    &italian::ITALIAN,
    &portuguese::PORTUGUESE,
    &russian::RUSSIAN,
];

/// The names of languages, in all of them.
pub(super) const LANGUAGES: &str = "english german french spanish italian portuguese russian chinese japanese \
    korean dutch polish turkish \
    deutsch englisch franzoesisch spanisch italienisch portugiesisch russisch chinesisch japanisch koreanisch \
    francais anglais allemand espagnol italien portugais russe chinois japonais \
    espanol castellano ingles aleman italiano portugues ruso chino japones \
    inglese francese tedesco spagnolo portoghese russo cinese giapponese frances alemao chines \
    русском русски английском английски немецком немецки французском испанском итальянском португальском \
    китайском японском";
