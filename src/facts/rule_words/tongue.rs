/// How the rules of a language look.
///
/// Words stand in small letters, without accents, `ä` as `ae` and `ß` as `ss`, a blank between them. `fass+` may have one
/// of the language's `endings`, `kein*` begins so, `*ez` ends so.
///
/// Patterns stand between commas. `^` is where a sentence or a clause begins, softeners aside, and `~` there or behind a comma;
/// `%` an order, `!` a form that forbids, `#` a language's name, `_` any word; `..` a few words of the same clause and `...`
/// any words; `$` the end. One word of each has a `=` before it: the pattern is looked for where that word stands.
pub(in crate::facts) struct Tongue {
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
