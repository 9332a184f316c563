//! English.

use super::language::Language;

/// Phrases of rules that contain none of the words that a clause's grammar is about: never, always, must, don't, only.
pub(in crate::facts) const FORBIDDING: &[&str] = &[
    "under no circumstances", "on no account", "at no time", "in no case", "shall not", "is forbidden",
    "are forbidden", "it's forbidden", "strictly forbidden", "forbidden to", "is prohibited",
    "are prohibited", "prohibited from", "strictly prohibited", "is not allowed", "are not allowed",
    "not allowed to", "isn't allowed", "aren't allowed", "is not permitted", "are not permitted",
    "not permitted to", "off limits", "is mandatory", "are mandatory", "refrain from", "stay away from",
    "keep away from", "hands off", "you're required to", "you are required to", "from now on",
    "going forward", "henceforth",
];
/// Phrases that revoke a rule or give permission.
pub(in crate::facts) const REVOKING: &[&str] = &[
    "you may", "you can now", "you're allowed to", "you are allowed to", "is allowed now", "are allowed now",
    "feel free to", "you're free to", "you can skip", "it's ok to", "it's okay to", "it's fine to",
    "it is ok to", "it is okay to", "it is fine to", "ignore that", "ignore the rule", "ignore my",
    "ignore what i", "disregard what i", "disregard that", "disregard my", "forget what i", "forget that",
    "forget about", "forget the rule", "forget my", "scratch that", "changed my mind", "no longer need",
    "no longer needed", "no longer required", "no longer applies", "no need to", "you needn't", "needn't",
    "you don't have to", "you do not have to", "you don't need to", "you do not need to",
];
/// Phrases that begin like those above but do not revoke anything.
pub(in crate::facts) const NOT_REVOKING: &[&str] = &[
    "you may not", "you may want", "you may have", "you may see", "you may find", "you may need", "to thank",
    "forget about it", "to apologize",
];
/// Words at the start of a sentence that sets a limit: "Budget: 200 EUR", "The deadline is Friday".
pub(in crate::facts) const BOUNDS: &[&str] = &[
    "budget", "deadline", "rule", "rules", "policy", "constraint", "constraints", "requirement",
    "requirements",
];
/// Phrases of wishes.
pub(in crate::facts) const WISHES: &[&str] = &[
    "prefer", "preferably", "whenever possible", "wherever possible", "where possible", "try not to",
    "you not to", "sure not to", "willing to pay", "ask me before", "ask before", "ask first",
    "ask me first", "check with me", "wait for me", "wait for my", "tell me before", "without asking",
    "without my", "unless i say", "unless i tell", "unless i ask", "at most", "no more than",
    "not more than", "until i say", "answer in", "answer me in", "reply in", "respond in", "speak in",
    "from here on", "for the rest of",
];
/// Words before "don't" that make it a statement about somebody.
pub(in crate::facts) const SUBJECTS: &str = "i we they it that which who if why things you";
/// Verbs that make "I don't …" a wish.
pub(in crate::facts) const WANTING: &str = "want need like wanna";
/// Every phrase that makes a rule or a wish contains one of these words, unless it begins with one of [`BOUNDS`]. The shorter this list,
/// the faster texts without rules are skipped.
pub(in crate::facts) const ENGLISH_RULE_WORDS: &[&str] = &[
    "never", "always", "must", "mustn't", "don't", "dont", "not", "no", "only", "circumstances", "account",
    "can't", "cannot", "forbidden", "prohibited", "allowed", "permitted", "limits", "mandatory", "refrain",
    "away", "hands", "required", "make", "sure", "ensure", "avoid", "prefer", "preferably", "most", "least",
    "keep", "stick", "should", "shouldn't", "care", "careful", "remember", "leave", "stop", "ask", "asking",
    "check", "wait", "tell", "without", "unless", "until", "willing", "answer", "reply", "respond", "speak",
    "now", "here", "going", "henceforth", "rest", "may", "free", "ok", "okay", "fine", "ignore", "disregard",
    "forget", "scratch", "changed", "needn't", "use", "has", "possible", "skip", "max",
];

/// Forms of rules that contain none of the words above.
pub(in crate::facts) const ENGLISH: Language = Language {
    softeners: "please also and but ok okay so first then note important just again hi hey rule reminder finally",
    orders: "run write add commit push use test check update ask create keep put make build format lint save back \
        read document log report verify review rebase squash sign show tell call send get do start stop wait set \
        install regenerate bump confirm announce ping notify pull fetch tag close open list explain let try",
    bans: "deploys pushes touches merges commits edits changes deletes removes releases publishes modifies ships \
        rewrites may",
    endings: "",
    except: "this is was does has its",
    always: "",
    only: "",
    subordinating: "",
    rules: "without =exception|exceptions, no =exceptions, under any =circumstances, at all =times, =whatever you do, \
        ^ =nobody .. !, ^ no =one .. !, ^ =nothing .. without, ^ =nothing may be, \
        ~ =make sure, ~ be =sure to, ~ be =careful, ~ =ensure|avoid|keep|stay|limit|restrict|ignore, \
        ~ =stick to|with, ~ =remember to, ~ take =care to|that|not, =careful not, you to =make sure, you to =ensure, \
        you|want|like|try to =keep, want|like|try to =avoid, rather =avoid, \
        ^ =every|each|any|anything|everything .. needs, ^ =every|each|any|anything .. requires, ^ =every|each|everything .. has to, \
        ^ =all .. need|require, ^ =all .. have to, ^ =every|each|any|anything|all .. should, \
        ^ *s|code|documentation =should, ^ _ *s =should, ^ _ _ *s =should, i d|would =rather, ^ =remember that|we, \
        ^ =remember ~ _, keep|bear in =mind, keep _ in =mind, and|but|so =keep, if|when in =doubt, \
        if|when|re|are =unsure, if you re|are not =sure, ^ =treat .. as, ^ *s =go in|into|under, \
        ^ _ *s =go in|into|under, ^ *s =belong in|under, ^ _ *s =belong in, ^ *s =live in, ^ _ *s =live in, =goes in|into ... ~ not, \
        ^ all|everything|comments|commit|docs|documentation .. in =#, ^ _ comments .. in =#, ^ in =# $|please, \
        ^ _ is|are =mine, ^ _ _ is|are =mine, my =approval|permission|consent, my =confirmation before|first, \
        my sign off =before, my ok|okay =before, my go =ahead, ^ % ... =before every|each|any|you|*ing, \
        ^ % ... =after every|each, ^ =before *ing|you|every|each|any ... ~ %, ^ =after every|each ... ~ %, \
        ^ =after|before each|every _ %, ^ =whenever|if|when you ... ~ %, ^ % .. =without *ing, \
        ^ =use .. for every|each|all|everything, ^ =talk .. in #, ^ % .. in =#, ^ % .. in _ =#, it s =important, \
        ^ _ =nothing else, ^ % .. =nothing|exclusively, ^ =nothing else should, ^ =everything else stays, ~ =ask me, \
        ^ % .. =# only, ~ % .. =instead of *ing, ^ make =no, ^ be =concise|brief|precise|strict, \
        ^ =use .. everywhere|throughout, ^ =when *ing ... ~ %, i want to =use .. first, i d like to =use .. first, \
        =unless told|asked|explicitly|instructed, ^ i =want every|each|all|no, ^ i =expect every|each|all",
    modals: "",
    speakers: "",
    pointing: "",
    lacking: "i .. don t .. have|know|remember|recall, i .. dont .. have|know|remember|recall, \
        i .. do not .. have|know|remember|recall, i .. can t .. remember|recall|find, i .. cannot .. remember|recall|find, \
        i .. not sure, i .. not _ sure, i .. forgot|forgotten|lost, i have no idea",
    bars: "",
    small_talk: "",
    reports: "keep =going, you are|re =done, this =should, \
        ^ the|this|that|it|what|how|why|which|there|these|those|i .. =should, =every time, =all i|we|you|that, \
        =remember when|how|this, approval =rating, should =work, should .. =now, should be =fine|ok|okay|good|working, \
        fault|mistake|error is =mine, ^ it|this|that is =mine",
};
