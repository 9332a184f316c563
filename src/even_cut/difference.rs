//! Where two texts differ, for calls that replace one text by another.

use super::text::Pieces;

/// A text without the lines that another one begins or ends with as well. What is between them is `left_out`.
pub(super) fn difference<'a>(text: &'a str, other: &str) -> Pieces<'a> {
    let same = |(a, b): &(char, char)| a == b;
    let length = |(c, _): (char, char)| c.len_utf8();
    let begins: usize = text.chars().zip(other.chars()).take_while(same).map(length).sum();
    let begins = text[..begins].rfind('\n').map_or(0, |end| end + 1);
    let (head, text, other) = (&text[..begins], &text[begins..], &other[begins..]);
    let ends: usize = text.chars().rev().zip(other.chars().rev()).take_while(same).map(length).sum();
    let ends = text.len() - ends;
    let ends = text[ends..].find('\n').map_or(text.len(), |line| ends + line + 1);
    Pieces { head, left_out: &text[..ends], tail: &text[ends..] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_whole_lines() {
        let differs = |text: &'static str, other: &str| {
            let Pieces { head, left_out, tail } = difference(text, other);
            assert_eq!([head, left_out, tail].concat(), text);
            left_out
        };
        let old = "fn a() {\n  one();\n  two();\n}\n";
        let new = "fn a() {\n  one();\n  tea();\n  three();\n}\n";
        assert_eq!(differs(old, new), "  two();\n");
        assert_eq!(differs(new, old), "  tea();\n  three();\n");
        assert_eq!(differs(old, old), "");
        assert_eq!(differs("a\nb", "a\nb\nc"), "b");
        assert_eq!(differs("日本", "日曜"), "日本");
        assert_eq!(differs("", new), "");
    }
}
