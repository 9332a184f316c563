//! What a search costs at worst: a text can stand at several places of a pattern at once, and each byte moves all of them.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// Comparisons that are made to see how often a run of characters begins anew in itself; one that takes more counts as if it
/// began anew with every character.
const MOST_LOOKS: usize = 1 << 20;

/// How many places of a pattern a text can stand at, at once; an upper bound.
pub fn places(pattern: &Hir) -> u64 {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(_) | HirKind::Class(_) => of_all(std::slice::from_ref(pattern)),
        HirKind::Repetition(repetition) => of_repetition(repetition),
        HirKind::Capture(capture) => places(&capture.sub).saturating_add(1),
        HirKind::Concat(parts) => of_all(parts),
        HirKind::Alternation(others) => others.iter().map(places).fold(0, u64::saturating_add),
    }
}

/// Each copy is there by itself; behind one that may be left out, the next one is reached as well.
fn of_repetition(repetition: &Repetition) -> u64 {
    let Repetition { min, max, sub, .. } = repetition;
    let copies = u64::from(max.unwrap_or(*min).max(1));
    let optional = max.map_or(1, |max| u64::from(max.saturating_sub(*min)));
    places(sub).saturating_mul(copies).saturating_add(optional)
}

/// Parts that stand one behind the other: of those that are single characters, whole runs are looked at.
fn of_all(parts: &[Hir]) -> u64 {
    let mut sum: u64 = 0;
    let mut run: Vec<Vec<(u32, u32)>> = Vec::new();
    for part in parts {
        match part.kind() {
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(text) => run.extend(text.chars().map(|c| vec![(c.into(), c.into())])),
                Err(_) => run.extend(literal.0.iter().map(|b| vec![(u32::from(*b), u32::from(*b))])),
            },
            HirKind::Class(class) => run.push(ranges(class)),
            _ => {
                let of_run = of_run(&std::mem::take(&mut run));
                sum = sum.saturating_add(of_run).saturating_add(places(part));
            }
        }
    }
    sum.saturating_add(of_run(&run))
}

/// The place before the first character, and as many more as its beginnings can end at the same place of a text: for `error` one,
/// for `aaaa` three.
fn of_run(run: &[Vec<(u32, u32)>]) -> u64 {
    let count = run.len();
    if count < 2 {
        return count as u64;
    }
    // Where so many characters have been read: beginnings that are read there as well, as differences to the place before.
    let mut more = vec![0_i64; count + 1];
    let mut looks = 0;
    for behind in 1..count {
        let mut alike = 0;
        while behind + alike < count {
            let (one, other) = (&run[behind + alike], &run[alike]);
            looks += one.len() + other.len();
            if !overlap(one, other) {
                break;
            }
            alike += 1;
        }
        if looks > MOST_LOOKS {
            return count as u64;
        }
        more[(behind + 1).min(count)] += 1;
        more[(behind + alike + 1).min(count)] -= 1;
    }
    let mut now = 0;
    let most = more[..count].iter().map(|step| {
        now += step;
        now
    });
    2 + u64::try_from(most.max().unwrap_or(0)).unwrap_or(0)
}

fn ranges(class: &Class) -> Vec<(u32, u32)> {
    match class {
        Class::Unicode(class) => class.iter().map(|r| (r.start().into(), r.end().into())).collect(),
        Class::Bytes(class) => class.iter().map(|r| (r.start().into(), r.end().into())).collect(),
    }
}

/// Whether some character is in both; the ranges of each are in order.
fn overlap(one: &[(u32, u32)], other: &[(u32, u32)]) -> bool {
    let (mut a, mut b) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(first), Some(second)) = (a.peek(), b.peek()) {
        if first.1 < second.0 {
            a.next();
        } else if second.1 < first.0 {
            b.next();
        } else {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pattern: &str) -> u64 {
        places(&regex_syntax::parse(pattern).unwrap())
    }

    #[test]
    fn a_text_stands_at_few_places_of_what_people_look_for() {
        assert_eq!(of("error"), 2);
        assert_eq!(of("(?i)error"), 2);
        assert_eq!(of("TypeError|ReferenceError|SyntaxError"), 6);
        assert_eq!(of("aaaa"), 4);
        assert_eq!(of("abab"), 3);
        assert!(of(r"src/\w+\.rs:\d+") < 16);
        assert!(of("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}") < 50);
        assert!(of(&regex_syntax::escape(&"the quick brown fox jumps over the lazy dog ".repeat(9))) < 16);
    }

    #[test]
    fn what_is_repeated_counts_as_often_as_it_is_there() {
        assert_eq!(of("(?:[a-z]?){100}!"), 201);
        assert!(of("(a|b){50}") >= 50);
        assert!(of("(?:(?:x?){100}){100}") >= 10_000);
        assert!(of(&"a".repeat(5_000)) >= 4_000);
    }
}
