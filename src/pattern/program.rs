//! A pattern as steps.

use regex_syntax::ast::{
    AssertionKind, Ast, Flag, Flags, FlagsItemKind, GroupKind, Repetition, RepetitionKind, RepetitionRange,
};

use super::Options;
use super::class::{Class, Reading, Set, folded};
use super::perl::is_word;

/// A compiled pattern. A match begins at the first step.
pub(crate) struct Program {
    pub steps: Vec<Step>,
    pub classes: Vec<Class>,
    /// The groups that have a name.
    pub names: Vec<(String, usize)>,
    /// Two for each group, the whole match being the first.
    pub slots: usize,
    /// It matches at the beginning of the text or not at all.
    pub anchored: bool,
    /// The bytes that a match can begin with; `None` where it can be empty.
    first: Option<Box<[bool; 256]>>,
}

pub(crate) enum Step {
    Char(char),
    /// What differs from this one in case alone.
    Like(char),
    Class(u32),
    /// Goes on at both, at the first rather than at the second.
    Split(u32, u32),
    Jump(u32),
    Save(usize),
    Look(Look),
    Match,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Start,
    End,
    LineStart,
    LineEnd,
    /// Lines that end with `\r`, `\n` or both.
    AnyLineStart,
    AnyLineEnd,
    Word(Edge, bool),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    Boundary,
    None,
    Start,
    End,
    StartHalf,
    EndHalf,
}

impl Look {
    pub fn holds(self, text: &str, at: usize) -> bool {
        let before = || text[..at].chars().next_back();
        let behind = || text[at..].chars().next();
        match self {
            Self::Start => at == 0,
            Self::End => at == text.len(),
            Self::LineStart => at == 0 || before() == Some('\n'),
            Self::LineEnd => at == text.len() || behind() == Some('\n'),
            Self::AnyLineStart => match before() {
                None | Some('\n') => true,
                Some('\r') => behind() != Some('\n'),
                _ => false,
            },
            Self::AnyLineEnd => match behind() {
                None | Some('\r') => true,
                Some('\n') => before() != Some('\r'),
                _ => false,
            },
            Self::Word(edge, unicode) => {
                let word = |c: Option<char>| {
                    c.is_some_and(|c| if unicode { is_word(c) } else { c.is_ascii() && is_word(c) })
                };
                let (before, behind) = (word(before()), word(behind()));
                match edge {
                    Edge::Boundary => before != behind,
                    Edge::None => before == behind,
                    Edge::Start => !before && behind,
                    Edge::End => before && !behind,
                    Edge::StartHalf => !before,
                    Edge::EndHalf => !behind,
                }
            }
        }
    }
}

impl Program {
    /// # Errors
    /// `\p{…}`, and a pattern that takes more than `most_bytes`.
    pub fn new(ast: &Ast, pattern: &str, options: Options, most_bytes: usize) -> Result<Self, String> {
        let mut making = Making {
            steps: Vec::new(),
            classes: Vec::new(),
            names: Vec::new(),
            groups: 0,
            bytes: 0,
            most_bytes,
            pattern,
            flags: State {
                ignore_case: options.ignore_case,
                multi_line: options.multi_line,
                dot_matches_new_line: options.dot_matches_new_line,
                swap_greed: false,
                unicode: true,
                crlf: false,
            },
        };
        making.ast(ast)?;
        making.push(Step::Match)?;
        let Making { steps, classes, names, groups, .. } = making;
        let first = first_bytes(&steps, &classes);
        let anchored = steps.iter().find(|step| !matches!(step, Step::Save(_)));
        let anchored = matches!(anchored, Some(Step::Look(Look::Start)));
        Ok(Self { steps, classes, names, slots: 2 * (groups + 1), anchored, first })
    }

    /// The first place from `at` on where a match can begin.
    pub fn skip(&self, text: &str, at: usize) -> Option<usize> {
        let Some(first) = &self.first else { return Some(at) };
        let rest = text.as_bytes().get(at..)?;
        rest.iter().position(|byte| first[usize::from(*byte)]).map(|skipped| at + skipped)
    }
}

/// The bytes that a match can begin with.
fn first_bytes(steps: &[Step], classes: &[Class]) -> Option<Box<[bool; 256]>> {
    let mut first = Box::new([false; 256]);
    let mut seen = vec![false; steps.len()];
    let mut open = vec![0];
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let has: &dyn Fn(char) -> bool = match &steps[at] {
            Step::Match => return None,
            Step::Jump(to) => {
                open.push(*to as usize);
                continue;
            }
            Step::Split(a, b) => {
                open.extend([*a as usize, *b as usize]);
                continue;
            }
            Step::Save(_) | Step::Look(_) => {
                open.push(at + 1);
                continue;
            }
            Step::Char(c) => {
                first[usize::from(c.encode_utf8(&mut [0; 4]).as_bytes()[0])] = true;
                continue;
            }
            Step::Like(c) => &|other| folded(other) == *c,
            Step::Class(class) => &|other| classes[*class as usize].has(other),
        };
        for byte in 0..128u8 {
            first[usize::from(byte)] |= has(char::from(byte));
        }
        first[0xC2..=0xF4].fill(true);
    }
    Some(first)
}

#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "they are the flags of a pattern")]
struct State {
    ignore_case: bool,
    multi_line: bool,
    dot_matches_new_line: bool,
    swap_greed: bool,
    unicode: bool,
    crlf: bool,
}

struct Making<'a> {
    steps: Vec<Step>,
    classes: Vec<Class>,
    names: Vec<(String, usize)>,
    groups: usize,
    bytes: usize,
    most_bytes: usize,
    pattern: &'a str,
    flags: State,
}

impl Making<'_> {
    fn here(&self) -> u32 {
        self.steps.len() as u32
    }

    fn push(&mut self, step: Step) -> Result<usize, String> {
        self.takes(size_of::<Step>())?;
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    fn takes(&mut self, bytes: usize) -> Result<(), String> {
        self.bytes += bytes;
        if self.bytes <= self.most_bytes {
            return Ok(());
        }
        Err(format!("Compiled regex exceeds size limit of {} bytes.", self.most_bytes))
    }

    fn class(&mut self, set: Set) -> Result<(), String> {
        let recent = self.classes.len().saturating_sub(16);
        let same = self.classes[recent..].iter().position(|class| class.is(&set));
        let class = if let Some(i) = same {
            recent + i
        } else {
            let class = Class::new(set);
            self.takes(class.bytes())?;
            self.classes.push(class);
            self.classes.len() - 1
        };
        self.push(Step::Class(class as u32)).map(drop)
    }

    fn reading(&self) -> Reading {
        Reading { ignore_case: self.flags.ignore_case, unicode: self.flags.unicode }
    }

    fn ast(&mut self, ast: &Ast) -> Result<(), String> {
        match ast {
            Ast::Empty(_) => Ok(()),
            Ast::Flags(set) => {
                self.set(&set.flags);
                Ok(())
            }
            Ast::Literal(literal) => {
                let c = literal.c;
                match self.reading().range(c, c) {
                    Set::Folded(..) => self.push(Step::Like(folded(c))).map(drop),
                    Set::AsciiFolded(..) if c.is_ascii() => self.class(Set::AsciiFolded(c, c)),
                    _ => self.push(Step::Char(c)).map(drop),
                }
            }
            Ast::Dot(_) => {
                let lines = match (self.flags.dot_matches_new_line, self.flags.crlf) {
                    (true, _) => Vec::new(),
                    (false, true) => vec![Set::Range('\n', '\n'), Set::Range('\r', '\r')],
                    (false, false) => vec![Set::Range('\n', '\n')],
                };
                self.class(Set::Any(lines).inverted_if(true))
            }
            Ast::Assertion(assertion) => self.push(Step::Look(self.look(&assertion.kind))).map(drop),
            Ast::ClassUnicode(class) => Err(self.no_properties(class.span.start.offset)),
            Ast::ClassPerl(class) => self.class(self.reading().perl(class)),
            Ast::ClassBracketed(class) => match self.reading().bracketed(class) {
                Some(set) => self.class(set),
                None => Err(self.no_properties(class.span.start.offset)),
            },
            Ast::Repetition(repetition) => self.repetition(repetition),
            Ast::Group(group) => {
                let outside = self.flags;
                let index = match &group.kind {
                    GroupKind::CaptureIndex(index) => Some(*index as usize),
                    GroupKind::CaptureName { name, .. } => {
                        let index = name.index as usize;
                        if !self.names.iter().any(|(_, known)| *known == index) {
                            self.names.push((name.name.clone(), index));
                        }
                        Some(index)
                    }
                    GroupKind::NonCapturing(flags) => {
                        self.set(flags);
                        None
                    }
                };
                if let Some(index) = index {
                    self.groups = self.groups.max(index);
                    self.push(Step::Save(2 * index))?;
                }
                self.ast(&group.ast)?;
                if let Some(index) = index {
                    self.push(Step::Save(2 * index + 1))?;
                }
                self.flags = outside;
                Ok(())
            }
            Ast::Concat(concat) => concat.asts.iter().try_for_each(|ast| self.ast(ast)),
            Ast::Alternation(alternation) => {
                let mut ends = Vec::new();
                for (i, ast) in alternation.asts.iter().enumerate() {
                    if i + 1 == alternation.asts.len() {
                        self.ast(ast)?;
                        break;
                    }
                    let split = self.push(Step::Split(0, 0))?;
                    self.ast(ast)?;
                    ends.push(self.push(Step::Jump(0))?);
                    self.steps[split] = Step::Split(split as u32 + 1, self.here());
                }
                for end in ends {
                    self.steps[end] = Step::Jump(self.here());
                }
                Ok(())
            }
        }
    }

    fn no_properties(&self, offset: usize) -> String {
        format!("Unicode properties (`\\p{{…}}`) are not supported: `{}`", &self.pattern[offset..])
    }

    fn look(&self, kind: &AssertionKind) -> Look {
        let State { multi_line, crlf, unicode, .. } = self.flags;
        let edge = match kind {
            AssertionKind::StartText => return Look::Start,
            AssertionKind::EndText => return Look::End,
            AssertionKind::StartLine if !multi_line => return Look::Start,
            AssertionKind::EndLine if !multi_line => return Look::End,
            AssertionKind::StartLine if crlf => return Look::AnyLineStart,
            AssertionKind::EndLine if crlf => return Look::AnyLineEnd,
            AssertionKind::StartLine => return Look::LineStart,
            AssertionKind::EndLine => return Look::LineEnd,
            AssertionKind::WordBoundary => Edge::Boundary,
            AssertionKind::NotWordBoundary => Edge::None,
            AssertionKind::WordBoundaryStart | AssertionKind::WordBoundaryStartAngle => Edge::Start,
            AssertionKind::WordBoundaryEnd | AssertionKind::WordBoundaryEndAngle => Edge::End,
            AssertionKind::WordBoundaryStartHalf => Edge::StartHalf,
            AssertionKind::WordBoundaryEndHalf => Edge::EndHalf,
        };
        Look::Word(edge, unicode)
    }

    fn set(&mut self, flags: &Flags) {
        let mut on = true;
        for item in &flags.items {
            let flag = match &item.kind {
                FlagsItemKind::Negation => {
                    on = false;
                    continue;
                }
                FlagsItemKind::Flag(flag) => flag,
            };
            match flag {
                Flag::CaseInsensitive => self.flags.ignore_case = on,
                Flag::MultiLine => self.flags.multi_line = on,
                Flag::DotMatchesNewLine => self.flags.dot_matches_new_line = on,
                Flag::SwapGreed => self.flags.swap_greed = on,
                Flag::Unicode => self.flags.unicode = on,
                Flag::CRLF => self.flags.crlf = on,
                Flag::IgnoreWhitespace => {} // the parser's
            }
        }
    }

    fn repetition(&mut self, repetition: &Repetition) -> Result<(), String> {
        let greedy = repetition.greedy != self.flags.swap_greed;
        let (least, most) = match &repetition.op.kind {
            RepetitionKind::ZeroOrOne => (0, Some(1)),
            RepetitionKind::ZeroOrMore => (0, None),
            RepetitionKind::OneOrMore => (1, None),
            RepetitionKind::Range(RepetitionRange::Exactly(n)) => (*n, Some(*n)),
            RepetitionKind::Range(RepetitionRange::AtLeast(n)) => (*n, None),
            RepetitionKind::Range(RepetitionRange::Bounded(n, m)) => (*n, Some(*m)),
        };
        let ast = &repetition.ast;
        let Some(most) = most else {
            for _ in 1..least {
                self.ast(ast)?;
            }
            return if least == 0 { self.any_number(ast, greedy) } else { self.one_or_more(ast, greedy) };
        };
        for _ in 0..least {
            self.ast(ast)?;
        }
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.push(Step::Split(0, 0))?);
            self.ast(ast)?;
        }
        for split in splits {
            self.steps[split] = split_of(greedy, split as u32 + 1, self.here());
        }
        Ok(())
    }

    /// Where what is repeated can be empty, `x*` is `(x+)?`: else an empty round would come before none.
    fn any_number(&mut self, ast: &Ast, greedy: bool) -> Result<(), String> {
        let split = self.push(Step::Split(0, 0))?;
        if can_be_empty(ast) {
            self.one_or_more(ast, greedy)?;
        } else {
            self.ast(ast)?;
            self.push(Step::Jump(split as u32))?;
        }
        self.steps[split] = split_of(greedy, split as u32 + 1, self.here());
        Ok(())
    }

    fn one_or_more(&mut self, ast: &Ast, greedy: bool) -> Result<(), String> {
        let start = self.here();
        self.ast(ast)?;
        let behind = self.here() + 1;
        self.push(split_of(greedy, start, behind)).map(drop)
    }
}

fn split_of(greedy: bool, once_more: u32, on: u32) -> Step {
    if greedy { Step::Split(once_more, on) } else { Step::Split(on, once_more) }
}

fn can_be_empty(ast: &Ast) -> bool {
    match ast {
        Ast::Empty(_) | Ast::Flags(_) | Ast::Assertion(_) => true,
        Ast::Literal(_) | Ast::Dot(_) | Ast::ClassUnicode(_) | Ast::ClassPerl(_) | Ast::ClassBracketed(_) => {
            false
        }
        Ast::Repetition(repetition) => {
            matches!(
                repetition.op.kind,
                RepetitionKind::ZeroOrOne
                    | RepetitionKind::ZeroOrMore
                    | RepetitionKind::Range(
                        RepetitionRange::Exactly(0)
                            | RepetitionRange::AtLeast(0)
                            | RepetitionRange::Bounded(0, _)
                    )
            ) || can_be_empty(&repetition.ast)
        }
        Ast::Group(group) => can_be_empty(&group.ast),
        Ast::Concat(concat) => concat.asts.iter().all(can_be_empty),
        Ast::Alternation(alternation) => alternation.asts.iter().any(can_be_empty),
    }
}
