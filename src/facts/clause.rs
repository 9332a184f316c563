//! Whether a clause with a rule's English word sets a rule, by its grammar: who its subject is, and whether its verb commands, tells or
//! guesses.

use super::questions::{asks, is_auxiliary};
use super::rule_words::{ENGLISH, WANTING};
use super::words::{is_listed, words_with_apostrophes};

/// A clause with more words, such as a table on one line, is no sentence.
const MOST_WORDS: usize = 80;

/// Words that begin a clause of their own.
const CONNECTING: &str = "and but so then or please pls plz ok okay btw hey yes instead";
/// Words between a subject and its verb.
const ADVERBS: &str = "also just now again generally usually still really actually simply even ever not";
/// Subjects of which something is told.
pub(super) const TOLD_OF: &str = "i i'm i've i'd i'll he she it they he's she's it's they're that that's this which who there there's \
    these those people them nobody everyone everything nothing we've we're things what where because whether you're \
    you've if why";
pub(super) const BEING: &str = "is was were am be been being has have had isn't wasn't weren't hasn't haven't hadn't does doesn't did \
    didn't could couldn't would wouldn't might";
/// Verbs of which an order makes no sense: what somebody feels, thinks, sees or has.
const STATIVE: &str =
    "worry panic know mind care understand see think seem thank recall wonder believe have get need";
/// Verbs with which speakers say what they choose.
const CHOOSING: &str = "prefer fly eat drink travel stay book";
/// States that nobody demands.
const TROUBLE: &str = "down broken wrong missing stuck gone dead off kidding joking";
/// Words of guesses.
const VAGUE: &str = "some somehow something somewhere because";
/// Words with which a noun begins.
pub(super) const DETERMINERS: &str =
    "the a an my your his her its our their this that each every some so such one";
/// Past forms that do not end in -ed.
const PAST: &str = "got had wrote was were went came said saw told knew thought made found left lost ran gone done sent met been \
    seen taken broken written given gotten forgotten known felt meant paid bought kept built took gave did";
/// Beginnings of clauses that depend on another one, or say when or where.
const DEPENDENT: &str =
    "if when whenever while as because since that which who why how what where whether until once";
pub(super) const PREPOSITIONS: &str = "in on for from at with without within during to by under inside outside after before until unless \
    whatever";
/// Verbs of what others said.
const SAYING: &str = "say says said saying think thinks thought wrote writes told tells claims claimed complains states \
    stated according";
/// What is quoted for how things are, and not for what the user wants.
const SOURCES: &str = "doc docs documentation spec specification standard readme manual guide page site website error errors message \
    messages exception warning compiler linter log logs output mail email ticket";
/// Words for what counts.
const WEIGHTY: &str = "matters counts important essential crucial vital critical sure certain ensure";

/// A part of a sentence with one verb.
#[derive(Default)]
pub(super) struct Clause<'a> {
    pub words: Vec<&'a str>,
    /// The word before it, a comma for any punctuation, and nothing at the start of the sentence.
    pub after: &'a str,
    /// The clause before it is an order.
    follows_order: bool,
}

/// The clauses of a sentence in lower case, without what it quotes and asks. `is_question` if it ends in a question mark.
pub(super) fn clauses(lower: &str, is_question: bool) -> Vec<Clause<'_>> {
    let mut out = Vec::new();
    let mut after = "";
    for part in unquoted(lower) {
        let parts = part.split([',', ';', ':', '(', ')', '—', '–', '!', '\n']);
        for part in parts.flat_map(|part| part.split(". ")) {
            let mut clause = Clause { after, ..Clause::default() };
            for word in words_with_apostrophes(part) {
                if is_listed(word, CONNECTING) {
                    let follows_order = clause.begins_with(ENGLISH.orders);
                    let next = Clause { after: word, follows_order, ..Clause::default() };
                    out.push(std::mem::replace(&mut clause, next));
                } else {
                    clause.words.push(word);
                }
            }
            out.push(clause);
            after = ",";
        }
    }
    let mut asked = false;
    // Whether the question is one by its grammar: "why do they", not "which one you take".
    let mut surely = false;
    out.retain(|clause: &Clause<'_>| {
        let goes_on = match clause.after {
            "," => false,
            "or" => true,
            "and" if surely && !clause.begins_with("do don't dont") => true,
            _ => is_question || !clause.begins_rule(),
        };
        let asks = asks(&clause.words, is_question);
        asked = asks || (asked && goes_on);
        surely = asked && (surely || clause.words.iter().take(3).any(|word| is_auxiliary(word)));
        !(asked || clause.words.is_empty() || clause.is_reported())
    });
    out
}

/// Whether a sentence in lower case asks for information, tells nothing besides, and proposes nothing: "how can we do it?".
pub(super) fn only_asks(lower: &str) -> bool {
    /// A shorter clause only leads on: "also", "one more thing".
    const LEAST_WORDS: usize = 4;
    let leads_on = |word: &&str| is_listed(word, "also so and but then ok okay well");
    let words: Vec<&str> = words_with_apostrophes(lower).skip_while(leads_on).collect();
    let asks = match *words.as_slice() {
        [first, second, ..] if is_listed(first, "will does did is are") => is_listed(second, "this that"),
        [first, ..] => is_listed(first, "what which when where who whose why how"),
        [] => false,
    };
    let proposes = words.get(1).is_some_and(|word| is_listed(word, "about not don't"))
        || words
            .windows(2)
            .any(|pair| is_listed(pair[0], "can could would") && is_listed(pair[1], "i we you"));
    asks && !proposes && clauses(lower, true).iter().all(|clause| clause.words.len() < LEAST_WORDS)
}

/// The parts of a text outside quotation marks. A mark behind a letter or digit opens nothing (it is for inches), nor does one that is
/// never closed.
fn unquoted(text: &str) -> Vec<&str> {
    const MARKS: [char; 3] = ['"', '“', '”'];
    let mut out = Vec::new();
    let (mut start, mut from) = (0, 0);
    while let Some(at) = text[from..].find(MARKS).map(|at| from + at) {
        let behind = at + text[at..].chars().next().map_or(1, char::len_utf8);
        from = behind;
        if text[..at].ends_with(char::is_alphanumeric) {
            continue;
        }
        let Some(close) = text[behind..].find(MARKS).map(|close| behind + close) else { break };
        out.push(&text[start..at]);
        start = close + text[close..].chars().next().map_or(1, char::len_utf8);
        from = start;
    }
    out.push(&text[start..]);
    out
}

impl<'a> Clause<'a> {
    /// Whether the clause sets a rule by its verb and a word for never, always, must, not or only.
    pub(super) fn sets_rule(&self) -> bool {
        let read = if self.words.len() > MOST_WORDS { 0 } else { self.words.len() };
        (0..read).any(|at| self.sets_rule_at(at))
    }

    fn sets_rule_at(&self, at: usize) -> bool {
        let (next, behind) = (self.word(at + 1), self.words.get(at + 1..).unwrap_or_default());
        let subject = self.subject(at);
        match self.words[at] {
            "must" | "mustn't" => !self.guesses(at),
            "never" | "always" => self.commands(at),
            "don't" | "dont" => self.prohibits(at, behind),
            "do" if next == "not" => self.prohibits(at, &behind[1..]),
            "can't" | "cannot" => self.forbids_you(at, next),
            "can" | "may" if next == "not" => self.forbids_you(at, self.word(at + 2)),
            "shouldn't" => self.demands(at),
            "should" if next == "not" || subject == "you" => self.demands(at),
            "has" if next == "to" && self.word(at + 2) != "do" => subject == "it" || self.demands(at),
            "only" => self.limits(at),
            "max" => subject.is_empty() && next.starts_with(|c: char| c.is_ascii_digit()),
            _ => false,
        }
    }

    fn word(&self, at: usize) -> &'a str {
        self.words.get(at).copied().unwrap_or_default()
    }

    /// The word that may be the subject of the verb at `at`: the last one before it that is no adverb. Nothing before an order.
    fn subject(&self, at: usize) -> &'a str {
        self.words[..at].iter().rev().find(|word| !is_listed(word, ADVERBS)).copied().unwrap_or_default()
    }

    fn begins_with(&self, list: &str) -> bool {
        self.words.iter().find(|word| !is_listed(word, ADVERBS)).is_some_and(|word| is_listed(word, list))
    }

    /// Whether this depends on another clause: "if you can't", "so that it can't".
    pub(super) fn depends(&self) -> bool {
        self.begins_with(DEPENDENT)
    }

    /// Whether it begins with a word that makes it a rule: "never push", "don't push".
    fn begins_rule(&self) -> bool {
        self.words.starts_with(&["do", "not"]) || self.begins_with("never always don't dont only")
    }

    /// Whether a document or a program says it: "the docs say it must be a string". What people say are rules.
    fn is_reported(&self) -> bool {
        const RULE_WORDS: &str = "never always must don't should only shouldn't";
        let rule_word = self.words.iter().position(|word| is_listed(word, RULE_WORDS)).unwrap_or(4);
        let before = &self.words[..rule_word.min(self.words.len())];
        let Some(said) = before.iter().position(|word| is_listed(word, SAYING)) else { return false };
        let by = if before[said] == "according" { &before[said..] } else { &before[..said] };
        let by_source = by.last() == Some(&"it") || by.iter().any(|word| is_listed(word, SOURCES));
        // "Whatever the linter says", "I think the docs say".
        by_source
            && !self.begins_with("whatever unless")
            && !before.iter().any(|word| is_listed(word, "i we us"))
    }

    /// Whether "don't" is an order and not a statement about somebody, or says what a speaker never wants.
    fn prohibits(&self, at: usize, behind: &[&str]) -> bool {
        let verb = behind.first().copied().unwrap_or_default();
        let subject = self.subject(at);
        match subject {
            "" => !consoles(behind),
            "i" | "we" | "they" if is_listed(verb, WANTING) => {
                let what = behind.get(1).copied().unwrap_or_default();
                !(is_listed(what, "it that this") || verb == "like" && what == "the")
            }
            "i" => is_listed(verb, CHOOSING),
            "we" => self.is_custom(at) && !is_listed(verb, STATIVE),
            "you" => false,
            _ if self.begins_with(PREPOSITIONS) => true,
            // "Security says don't log tokens."
            _ if is_listed(subject, SAYING) => !consoles(behind),
            // Only of several things is it said that they don't.
            _ => !(is_listed(subject, TOLD_OF) || subject.len() > 3 && subject.ends_with('s')),
        }
    }

    /// "You can't push", but not "if you can't find it".
    fn forbids_you(&self, at: usize, verb: &str) -> bool {
        self.subject(at) == "you" && !(is_listed(verb, STATIVE) || self.depends())
    }

    /// "We don't deploy on Fridays", but not "I think we don't".
    fn is_custom(&self, at: usize) -> bool {
        self.subject(self.words[..at].iter().position(|word| *word == "we").unwrap_or(at)).is_empty()
            || self.begins_with(PREPOSITIONS)
    }

    /// Whether something is said to be necessary, and not of a speaker or of what should not have happened.
    fn demands(&self, at: usize) -> bool {
        !is_listed(self.subject(at), TOLD_OF)
            && !is_listed(self.word(at + 1), "be see have")
            && !self.guesses(at)
    }

    /// "It must be the cache", "there must be a way", "you must be kidding", "it must have run twice".
    fn guesses(&self, at: usize) -> bool {
        let subject = self.subject(at);
        let skipped = |word: &&&str| is_listed(word, ADVERBS) || is_listed(word, "to never always");
        let behind = &self.words[at + 1..];
        let behind = &behind[behind.iter().take_while(skipped).count()..];
        let pronoun = is_listed(subject, "it you they we someone") || subject.is_empty();
        is_listed(subject, "there i we've")
            || (is_listed(subject, "he she this that") && !self.is_firm(at, behind))
            || behind.iter().take(3).any(|word| is_listed(word, VAGUE))
            || match behind {
                ["have", verb, ..] => is_past(verb) || is_listed(verb, "run come put set"),
                ["be", how, ..] => {
                    is_listed(how, TROUBLE)
                        || (pronoun && (is_listed(how, "the my") || how.ends_with("ing")))
                        || (subject == "you" && is_past(how))
                }
                [verb, ..] => pronoun && is_listed(verb, "feel seem sound think know"),
                [] => false,
            }
    }

    /// "This must always be true", "she must not be told", but not "this must be it" or "she must not know".
    fn is_firm(&self, at: usize, behind: &[&str]) -> bool {
        match (self.word(at + 1), behind) {
            ("never" | "always", _) => true,
            ("not", ["be", how, ..]) => is_past(how),
            ("not", [verb, ..]) => *verb != "be" && !is_listed(verb, STATIVE),
            _ => false,
        }
    }

    /// Whether "never" or "always" belongs to a command: "never push", "you must always ask", "we always squash".
    fn commands(&self, at: usize) -> bool {
        let (next, subject) = (self.word(at + 1), self.subject(at));
        let modal = self.words[..at].iter().rposition(|word| *word == subject).unwrap_or(at);
        let who = self.subject(modal);
        let tells = is_past(next) || is_third_person(next) || (is_listed(next, STATIVE) && next != "have");
        match subject {
            // "Use the new one, never the old one" chooses; "always the same" tells.
            "" => {
                let names =
                    is_listed(next, DETERMINERS) && (self.words[at] == "always" || self.after.is_empty());
                !(tells || names || self.words[..at].ends_with(&["not"]))
            }
            "can" | "will" => who == "you",
            "should" | "must" | "may" | "shall" => {
                (who == "it" || !is_listed(who, TOLD_OF)) && !(next == "have" && is_past(self.word(at + 2)))
            }
            "are" => is_past(next),
            // "What matters is that you never push."
            "you" => self.words[..at].iter().any(|word| is_listed(word, WEIGHTY)) && !tells,
            "i" => is_listed(next, WANTING) || is_listed(next, CHOOSING),
            // "Make it so that users never lose data."
            _ if self.after == "so" && self.follows_order => !is_past(next),
            _ if is_listed(subject, TOLD_OF) || is_listed(subject, BEING) => false,
            _ => !(tells || next == "have" || self.depends()),
        }
    }

    /// Whether "only" limits something instead of describing it: not "there's only one file left", "it only works twice".
    fn limits(&self, at: usize) -> bool {
        let (next, behind) = (self.word(at + 1), &self.words[at..]);
        let verb_later = || behind.iter().skip(2).any(|word| is_listed(word, BEING) || is_past(word));
        let Some(before) = at.checked_sub(1).map(|before| self.words[before]) else {
            return !(is_third_person(next) && self.after == "and"
                || is_listed(next, DETERMINERS) && verb_later());
        };
        let of_a_thing =
            || self.begins_with(DETERMINERS) || behind.iter().any(|word| is_listed(word, DEPENDENT));
        match before {
            _ if is_listed(next, WANTING) || self.orders_it(at) => true,
            "i" => is_listed(next, CHOOSING),
            "we" => self.is_custom(at) && !(is_listed(next, STATIVE) || is_past(next) || next == "just"),
            "are" | "now" | "not" | "currently" | "still" => false,
            _ if [TOLD_OF, BEING, DETERMINERS].iter().any(|list| is_listed(before, list)) => false,
            _ if is_past(before) && self.begins_with(TOLD_OF) => false,
            _ => !(is_past(next) || is_third_person(next) && of_a_thing()),
        }
    }

    /// "Run it only after", "show them only in": an order about something, with its condition.
    fn orders_it(&self, at: usize) -> bool {
        let [verb, "it" | "them" | "this" | "that"] = self.words[..at] else { return false };
        let next = self.word(at + 1);
        (is_listed(next, DEPENDENT) || is_listed(next, PREPOSITIONS))
            && !(is_auxiliary(verb) || is_past(verb) || is_third_person(verb))
            && ![TOLD_OF, DEPENDENT, PREPOSITIONS].iter().any(|list| is_listed(verb, list))
    }
}

/// "Don't worry", "don't get me wrong".
fn consoles(behind: &[&str]) -> bool {
    let idiom =
        |words: &[&str]| matches!(words, ["be", "sorry" | "afraid", ..] | ["ask", "me", "why" | "how", ..]);
    behind.first().is_none_or(|verb| is_listed(verb, STATIVE)) || idiom(behind)
}

pub(super) fn is_past(verb: &str) -> bool {
    let regular = verb.len() > 4 && verb.ends_with("ed") && !verb.ends_with("eed") && verb != "embed";
    regular || verb.ends_with("stood") || is_listed(verb, PAST)
}

pub(super) fn is_third_person(verb: &str) -> bool {
    let regular = verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss") && !verb.ends_with("us");
    regular || is_listed(verb, "is has")
}
