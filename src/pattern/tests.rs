use proptest::prelude::*;
use regex::RegexBuilder;

use super::class::folded;
use super::perl::{is_digit, is_space, is_word};
use super::*;

fn reference(pattern: &str, options: Options) -> Result<regex::Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .case_insensitive(options.ignore_case)
        .multi_line(options.multi_line)
        .dot_matches_new_line(options.dot_matches_new_line)
        .build()
}

fn same(pattern: &str, options: Options, text: &str) -> Result<(), TestCaseError> {
    let Ok(theirs) = reference(pattern, options) else { return Ok(()) };
    let ours = Pattern::new(pattern, options).unwrap();
    let all: Vec<_> = theirs.find_iter(text).map(|found| found.range()).collect();
    prop_assert_eq!(ours.find_iter(text).collect::<Vec<_>>(), all, "{} in {:?}", pattern, text);
    prop_assert_eq!(ours.is_match(text), theirs.is_match(text));
    for (from, _) in text.char_indices() {
        prop_assert_eq!(ours.find_at(text, from), theirs.find_at(text, from).map(|found| found.range()));
    }
    let groups = theirs
        .captures(text)
        .map(|found| (0..found.len()).map(|i| found.get(i).map(|group| group.range())).collect::<Vec<_>>());
    let own = ours.captures(text).map(|found| {
        let group =
            |pair: &[usize]| (pair[0] != usize::MAX && pair[1] != usize::MAX).then(|| pair[0]..pair[1]);
        found.slots.chunks(2).map(group).collect::<Vec<_>>()
    });
    prop_assert_eq!(own, groups, "{} in {:?}", pattern, text);
    Ok(())
}

/// Patterns of every construct, most of which match something in a text of few characters.
fn patterns() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "a",
        "b",
        "B",
        "é",
        "K",
        "日",
        ".",
        r"\d",
        r"\w",
        r"\s",
        r"\W",
        r"\D",
        r"\S",
        "[ab]",
        "[^a]",
        "[a-cé]",
        r"[\w--a]",
        "[[:alpha:]&&[^b]]",
        "[[:^digit:]~~b]",
        "^",
        "$",
        r"\b",
        r"\B",
        r"\A",
        r"\z",
        r"\b{start}",
        r"\b{end}",
        r"\b{start-half}",
        r"\>",
        "",
        r"\x61",
        r"\u{e9}",
        r"\n",
        "(?i)",
        "(?-u:\\w)",
        "(?R)",
        "[[:upper:]]",
        r"\-",
        "[]a]",
        "[^\\s\\d]",
        "7",
    ]);
    atom.prop_map(str::to_owned).prop_recursive(5, 24, 3, |inner| {
        let repeat = prop::sample::select(vec![
            "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}?", "{2,}", "{0}",
        ]);
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}{b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}|{b})")),
            (inner.clone(), repeat).prop_map(|(a, r)| format!("(?:{a}){r}")),
            (inner.clone(), prop::sample::select(vec!["i", "m", "s", "U", "x", "-i", "mR", "i-u"]))
                .prop_map(|(a, f)| format!("(?{f}:{a})")),
            inner.prop_map(|a| format!("({a})")),
        ]
    })
}

fn options() -> impl Strategy<Value = Options> {
    any::<[bool; 3]>().prop_map(|[ignore_case, multi_line, dot_matches_new_line]| Options {
        ignore_case,
        multi_line,
        dot_matches_new_line,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases * 8, ..ProptestConfig::default() })]

    #[test]
    fn it_matches_what_regex_matches(pattern in patterns(), options in options(), text in "[abABéÉK日7 _\r\n-]{0,12}") {
        same(&pattern, options, &text)?;
    }

    #[test]
    fn it_refuses_what_regex_refuses(pattern in r"[ab()\[\]{}*+?|\\^$.,0-9iw<>P:=!-]{0,10}") {
        let (ours, theirs) = (Pattern::new(&pattern, Options::default()), reference(&pattern, Options::default()));
        match (ours, theirs) {
            // `(?-u)` may match half a character there; here it only narrows classes.
            (Ok(_), Err(_)) => prop_assert!(pattern.contains("\\P") || pattern.contains('-'), "{}", pattern),
            (Err(ours), Ok(_)) => prop_assert!(ours.contains("properties"), "{}: {}", pattern, ours),
            (Err(ours), Err(theirs)) => {
                let theirs = theirs.to_string();
                prop_assert!(ours == theirs || ours.contains("properties"), "{}: {} / {}", pattern, ours, theirs);
            }
            (Ok(_), Ok(_)) => {}
        }
    }

    #[test]
    fn what_is_escaped_matches_itself(text in any::<String>()) {
        let pattern = Pattern::new(&escape(&text), Options::default()).unwrap();
        prop_assert_eq!(pattern.find(&text), Some(0..text.len()));
    }
}

#[test]
fn characters_are_of_the_same_classes() {
    for (class, is) in [(r"\d", is_digit as fn(char) -> bool), (r"\s", is_space), (r"\w", is_word)] {
        let theirs = regex::Regex::new(class).unwrap();
        // The standard library may know a later Unicode, with characters that are none there yet.
        let (mut ours, mut more) = (0, 0);
        for c in '\0'..=char::MAX {
            let there = theirs.is_match(c.encode_utf8(&mut [0; 4]));
            assert!(is(c) || !there, "{class}: {c:?}");
            ours += usize::from(is(c));
            more += usize::from(is(c) && !there);
        }
        assert!(more <= ours / 20, "{class}: {more} of {ours} are not there");
    }
}

#[test]
fn characters_differ_in_case_alone_as_they_do_there() {
    let mut differ = Vec::new();
    for c in '\0'..=char::MAX {
        let mut orbit =
            regex_syntax::hir::ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new(c, c)]);
        orbit.case_fold_simple();
        if orbit.iter().map(regex_syntax::hir::ClassUnicodeRange::len).sum::<usize>() == 1 {
            continue;
        }
        let class = class::Class::new(class::Set::Folded(c, c));
        for other in orbit.iter().flat_map(|range| range.start()..=range.end()) {
            if folded(other) != folded(c) || !class.has(other) {
                differ.push((c, other));
            }
        }
    }
    assert!(differ.is_empty(), "{} differ: {:?}", differ.len(), &differ[..differ.len().min(20)]);
}

#[test]
fn a_pattern_too_large_is_refused() {
    let refused = Pattern::new(r"(\w{500}){500}", Options::default()).err().unwrap();
    assert!(refused.contains("size limit"), "{refused}");
}
