//! Sets of characters.

use std::ops::RangeInclusive;

use regex_syntax::ast::{
    ClassAscii, ClassAsciiKind, ClassBracketed, ClassPerl, ClassPerlKind, ClassSet, ClassSetBinaryOpKind,
    ClassSetItem,
};

use super::perl::{is_digit, is_space, is_word};

/// A set, with its answers for ASCII worked out.
pub(crate) struct Class {
    ascii: u128,
    set: Set,
}

/// A set as it is written.
#[derive(PartialEq)]
pub(crate) enum Set {
    Range(char, char),
    /// A range, with what differs in case alone.
    Folded(char, char),
    /// The same among ASCII letters.
    AsciiFolded(char, char),
    Digit,
    Space,
    Word,
    Not(Box<Self>),
    Any(Vec<Self>),
    Two(ClassSetBinaryOpKind, Box<[Self; 2]>),
}

impl Class {
    pub fn new(set: Set) -> Self {
        let ascii = (0..128u8).filter(|b| set.has(char::from(*b))).fold(0, |bits, b| bits | 1 << b);
        Self { ascii, set }
    }

    pub fn has(&self, c: char) -> bool {
        if c.is_ascii() { self.ascii >> (c as u32) & 1 == 1 } else { self.set.has(c) }
    }

    /// Whether it is this set, written alike.
    pub fn is(&self, set: &Set) -> bool {
        self.set == *set
    }

    /// What it takes, about.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.set.bytes()
    }
}

impl Set {
    fn has(&self, c: char) -> bool {
        match self {
            Self::Range(from, to) => (*from..=*to).contains(&c),
            Self::Folded(from, to) => like(c, *from..=*to),
            Self::AsciiFolded(from, to) => {
                let (small, capital) = (c.to_ascii_lowercase(), c.to_ascii_uppercase());
                [c, small, capital].iter().any(|c| (*from..=*to).contains(c))
            }
            Self::Digit => is_digit(c),
            Self::Space => is_space(c),
            Self::Word => is_word(c),
            Self::Not(set) => !set.has(c),
            Self::Any(sets) => sets.iter().any(|set| set.has(c)),
            Self::Two(kind, sets) => {
                let [a, b] = [sets[0].has(c), sets[1].has(c)];
                match kind {
                    ClassSetBinaryOpKind::Intersection => a && b,
                    ClassSetBinaryOpKind::Difference => a && !b,
                    ClassSetBinaryOpKind::SymmetricDifference => a != b,
                }
            }
        }
    }

    fn bytes(&self) -> usize {
        let inner = match self {
            Self::Not(set) => set.bytes(),
            Self::Any(sets) => sets.iter().map(Self::bytes).sum(),
            Self::Two(_, sets) => sets.iter().map(Self::bytes).sum(),
            _ => 0,
        };
        size_of::<Self>() + inner
    }

    pub fn inverted_if(self, negated: bool) -> Self {
        if negated { Self::Not(Box::new(self)) } else { self }
    }
}

/// How classes are read: under which flags.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    pub ignore_case: bool,
    pub unicode: bool,
}

impl Reading {
    /// `None` for `\p{…}`, which is not there.
    pub fn bracketed(self, class: &ClassBracketed) -> Option<Set> {
        Some(self.set(&class.kind)?.inverted_if(class.negated))
    }

    fn set(self, set: &ClassSet) -> Option<Set> {
        Some(match set {
            ClassSet::Item(item) => self.item(item)?,
            ClassSet::BinaryOp(op) => Set::Two(op.kind, Box::new([self.set(&op.lhs)?, self.set(&op.rhs)?])),
        })
    }

    fn item(self, item: &ClassSetItem) -> Option<Set> {
        Some(match item {
            ClassSetItem::Empty(_) => Set::Any(Vec::new()),
            ClassSetItem::Literal(literal) => self.range(literal.c, literal.c),
            ClassSetItem::Range(range) => self.range(range.start.c, range.end.c),
            ClassSetItem::Ascii(class) => self.posix(class),
            ClassSetItem::Unicode(_) => return None,
            ClassSetItem::Perl(class) => self.perl(class),
            ClassSetItem::Bracketed(class) => self.bracketed(class)?,
            ClassSetItem::Union(union) => {
                Set::Any(union.items.iter().map(|item| self.item(item)).collect::<Option<_>>()?)
            }
        })
    }

    pub fn range(self, from: char, to: char) -> Set {
        // No letter beyond ASCII is like a sign or a digit.
        let plain = to.is_ascii() && !(from..=to).any(|c| c.is_ascii_alphabetic());
        match (self.ignore_case && !plain, self.unicode) {
            (true, true) => Set::Folded(from, to),
            (true, false) => Set::AsciiFolded(from, to),
            (false, _) => Set::Range(from, to),
        }
    }

    pub fn perl(self, class: &ClassPerl) -> Set {
        let set = match (&class.kind, self.unicode) {
            (ClassPerlKind::Digit, true) => Set::Digit,
            (ClassPerlKind::Space, true) => Set::Space,
            (ClassPerlKind::Word, true) => Set::Word,
            (ClassPerlKind::Digit, false) => self.ranges(&["09"]),
            (ClassPerlKind::Space, false) => self.ranges(&["\t\r", "  "]),
            (ClassPerlKind::Word, false) => self.ranges(&["09", "AZ", "__", "az"]),
        };
        set.inverted_if(class.negated)
    }

    fn posix(self, class: &ClassAscii) -> Set {
        let ranges: &[&str] = match class.kind {
            ClassAsciiKind::Alnum => &["09", "AZ", "az"],
            ClassAsciiKind::Alpha => &["AZ", "az"],
            ClassAsciiKind::Ascii => &["\0\x7F"],
            ClassAsciiKind::Blank => &["\t\t", "  "],
            ClassAsciiKind::Cntrl => &["\0\x1F", "\x7F\x7F"],
            ClassAsciiKind::Digit => &["09"],
            ClassAsciiKind::Graph => &["!~"],
            ClassAsciiKind::Lower => &["az"],
            ClassAsciiKind::Print => &[" ~"],
            ClassAsciiKind::Punct => &["!/", ":@", "[`", "{~"],
            ClassAsciiKind::Space => &["\t\r", "  "],
            ClassAsciiKind::Upper => &["AZ"],
            ClassAsciiKind::Word => &["09", "AZ", "__", "az"],
            ClassAsciiKind::Xdigit => &["09", "AF", "af"],
        };
        self.ranges(ranges).inverted_if(class.negated)
    }

    /// Each the first and the last character.
    fn ranges(self, ranges: &[&str]) -> Set {
        let ends = |range: &str| Some((range.chars().next()?, range.chars().next_back()?));
        Set::Any(ranges.iter().filter_map(|r| ends(r)).map(|(from, to)| self.range(from, to)).collect())
    }
}

/// Whether `c`, or a character that differs from it in case alone, is in the range.
fn like(c: char, range: RangeInclusive<char>) -> bool {
    let folded = folded(c);
    [c, folded, upper(folded)].iter().any(|c| range.contains(c))
        || (!range.end().is_ascii()
            && ODD.chars().any(|odd| range.contains(&odd) && self::folded(odd) == folded))
}

/// What stands for all characters that differ in case alone.
pub(crate) fn folded(c: char) -> char {
    match c {
        'A'..='Z' => c.to_ascii_lowercase(),
        '\0'..='\x7F' | 'ı' | 'İ' => c,
        '\u{1FD3}' => '\u{390}',
        '\u{1FE3}' => '\u{3B0}',
        'ﬅ' => 'ﬆ',
        _ => lower(upper(lower(c))),
    }
}

/// Those that no other one becomes in upper or lower case.
const ODD: &str = "µſǅǈǋǲ\u{345}ςϐϑϕϖϰϱϴϵᲀᲁᲂᲃᲄᲅᲆᲇᲈẛẞᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾼ\u{1fbe}ῌ\u{1fd3}\u{1fe3}ῼ\u{2126}\u{212a}\u{212b}ﬅ";

fn lower(c: char) -> char {
    only(c, c.to_lowercase())
}

fn upper(c: char) -> char {
    only(c, c.to_uppercase())
}

/// The one character that `c` becomes, or `c` where it becomes several.
fn only(c: char, mut becomes: impl Iterator<Item = char>) -> char {
    match (becomes.next(), becomes.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}
