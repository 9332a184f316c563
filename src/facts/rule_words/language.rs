/// The forms of rules in one language.
///
/// Words are in lower case, without accents, with `ä` as `ae` and `ß` as `ss`, separated by blanks. `fass+` may have one of the language's
/// `endings`, `kein*` is a prefix, `*ez` a suffix.
///
/// Patterns are separated by commas, and alternatives in a pattern by `|`. `^` matches the start of a sentence or clause, ignoring softeners,
/// and `~` also the position after a comma. `%` matches an order, `!` a form that forbids, `#` the name of a language, `_` any word, `..` a
/// few words of the same clause, `...` any words, `$` the end. One place of each pattern is marked with `=`: the pattern is only tried on
/// sentences that contain the word there, or one of its alternatives.
pub(in crate::facts) struct Language {
    /// Words that may precede an order: "please", "and".
    pub softeners: &'static str,
    /// Verbs that begin an order.
    pub orders: &'static str,
    /// Verb forms that forbid after a negation, or alone at the end of a sentence.
    pub bans: &'static str,
    /// What `+` may stand for, besides nothing.
    pub endings: &'static str,
    /// Words that look like orders or bans but are not.
    pub except: &'static str,
    /// Words that make an order a rule: "always", "not".
    pub always: &'static str,
    /// The same, which may also stand before it: "only".
    pub only: &'static str,
    /// Words after which an order continues with its object: "which", "why".
    pub subordinating: &'static str,
    /// Patterns of rules, and of sentences that revoke one.
    pub rules: &'static str,
    /// Patterns of rules if none of the `speakers` is next to them: "must".
    pub modals: &'static str,
    /// Words next to a modal that make it a statement instead of a rule.
    pub speakers: &'static str,
    /// Patterns of sentences that refer to the sentence before: "do not touch it".
    pub pointing: &'static str,
    /// Patterns of sentences that say what the speaker lacks, does not know or has forgotten: such a negation forbids nothing.
    pub lacking: &'static str,
    /// First words of short sentences that rule something out: "no".
    pub bars: &'static str,
    /// Words of sentences that begin like this but rule nothing out.
    pub small_talk: &'static str,
    /// Patterns of sentences that report instead of setting a rule.
    pub reports: &'static str,
}
