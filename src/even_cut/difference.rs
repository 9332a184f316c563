//! Where two texts differ, for calls that replace one text by another.

use super::text::{HEAD, Pieces, head, tail};

/// A text of which less is left out than a mark takes, in bytes, stays.
pub(super) const SHORT: usize = 40;

/// Splits a text into what differs from another one, with as much of its surroundings as `bytes` allow, as `left_out`, and what comes before and
/// behind it. The surroundings end at a line or between words.
pub(super) fn difference<'a>(text: &'a str, other: &str, bytes: usize) -> Pieces<'a> {
    let same = |(a, b): &(char, char)| a == b;
    let length = |(c, _): (char, char)| c.len_utf8();
    let begins: usize = text.chars().zip(other.chars()).take_while(same).map(length).sum();
    let (rest, other) = (&text[begins..], &other[begins..]);
    let ends: usize = rest.chars().rev().zip(other.chars().rev()).take_while(same).map(length).sum();
    let ends = text.len() - ends;
    let around = bytes.saturating_sub(ends - begins);
    let start = begins - tail(&text[..begins], around * HEAD / 100).len();
    let end = ends + head(&text[ends..], around.saturating_sub(begins - start)).len();
    let start = if start < SHORT { 0 } else { start };
    let end = if text.len() - end < SHORT { text.len() } else { end };
    Pieces { head: &text[..start], left_out: &text[start..end], tail: &text[end..] }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_difference_has_its_surroundings() {
        let lines = |middle: &str| {
            let call = |name: &str| (0..20).map(|n| format!("{name}({n});\n")).collect::<Vec<_>>().concat();
            [&call("before"), middle, &call("behind")].concat()
        };
        let (old, new) = (lines("two();\n"), lines("tea();\nthree();\n"));
        assert_eq!(difference(&old, &new, 50).left_out, "before(18);\nbefore(19);\ntwo();\nbehind(0);\n");
        assert_eq!(difference(&new, &old, 0).left_out, "ea();\nthree");
        let words = |middle: &str| format!("{}{middle}{}", "some words ".repeat(20), " and more".repeat(20));
        let changed = words("/etc/app/limits.toml");
        let shown = difference(&changed, &words("/etc/app/bounds.toml"), 60).left_out;
        assert_eq!(shown, "some words some words /etc/app/limits.toml and more and more");
    }

    proptest! {
        #[test]
        fn the_pieces_together_are_the_text(a in "[ab日👍\n ]{0,90}", b in "[ab日👍\n ]{0,90}", bytes in 0usize..99) {
            let Pieces { head, left_out, tail } = difference(&a, &b, bytes);
            prop_assert_eq!([head, left_out, tail].concat(), a);
        }
    }
}
