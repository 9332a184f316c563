//! Pre-tokenizers: how a text is cut into the pieces that tokens never cross.

use bpe::Pattern;
#[cfg(feature = "whole")]
use unicode_categories::UnicodeCategories;

use crate::error::{Error, Result};
use crate::matcher::Matcher;
use crate::value::Value;

/// How text is cut.
#[derive(Default)]
pub struct Splits {
    /// The engine's implementation of all steps, if there is one.
    pub pattern: Option<Pattern>,
    /// The steps, if there is no `pattern`.
    pub steps: Vec<Step>,
    /// The pieces are spelled in GPT-2's alphabet.
    pub byte_level: bool,
}

/// One step.
pub enum Step {
    Split {
        matcher: Matcher,
        behavior: Behavior,
        invert: bool,
    },
    #[cfg(feature = "whole")]
    Characters {
        is: fn(char) -> bool,
        behavior: Behavior,
    },
    #[cfg(feature = "whole")]
    Delimiter(char),
    /// Adds a space before a text that does not begin with one.
    PrefixSpace,
    Metaspace {
        replacement: char,
        scheme: Scheme,
        split: bool,
    },
}

/// What happens to the matches of a split.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    Removed,
    Isolated,
    MergedWithPrevious,
    MergedWithNext,
    Contiguous,
}

/// Where [`Step::Metaspace`] puts its sign.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    First,
    Never,
    Always,
}

const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";
const LLAMA3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const O200K: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const TEKKEN: &str = r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const DEEPSEEK: [&str; 3] = [
    r"\p{N}{1,3}",
    "[一-龥\u{3040}-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
];
/// The expressions, applied one after the other, that the engine implements as a pattern.
const KNOWN: [(&[&str], Pattern); 6] = [
    (&[GPT2], Pattern::Gpt2),
    (&[LLAMA3], Pattern::Llama3),
    (&[QWEN2], Pattern::Qwen2),
    (&[O200K], Pattern::O200k),
    (&[TEKKEN], Pattern::Tekken),
    (&DEEPSEEK, Pattern::DeepSeek),
];

/// Limits above anything in real files: the depth of sequences and the number of steps.
const MAX_DEPTH: usize = 8;
const MAX_STEPS: usize = 64;

impl Splits {
    /// Reads the file's `pre_tokenizer`.
    pub fn new(value: &Value) -> Result<Self> {
        if value.is_null() { Ok(Self::default()) } else { Self::of(value) }
    }

    // Not inlined: a WebAssembly engine compiles a function when it is first called.
    #[inline(never)]
    fn of(value: &Value) -> Result<Self> {
        let mut flat = Vec::new();
        flatten(value, &mut flat, 0)?;
        if flat.len() > MAX_STEPS {
            return Err(Error::unsupported(format!("{} pre-tokenizers", flat.len())));
        }
        if let Some(behind) = flat.iter().position(|value| kind_of(value) == "ByteLevel")
            && behind + 1 < flat.len()
        {
            return Err(Error::unsupported("a pre-tokenizer after ByteLevel"));
        }
        let byte_level = flat.last().is_some_and(|value| kind_of(value) == "ByteLevel");
        let mut splits = Self { pattern: known(&flat), steps: Vec::new(), byte_level };
        if splits.pattern.is_none() {
            // Compiling expressions takes time, so it is only done if there is no pattern.
            flat.into_iter().try_for_each(|value| splits.add(value))?;
        }
        Ok(splits)
    }

    #[inline(never)]
    fn add(&mut self, value: &Value) -> Result<()> {
        let flag = |key: &str| value.get(key).and_then(Value::as_bool);
        let step = match kind_of(value) {
            "ByteLevel" => {
                if flag("add_prefix_space").unwrap_or(true) {
                    self.steps.push(Step::PrefixSpace);
                }
                if !flag("use_regex").unwrap_or(true) {
                    return Ok(());
                }
                let matcher = Matcher::of_expression(GPT2)?;
                Step::Split { matcher, behavior: Behavior::Isolated, invert: false }
            }
            "Split" => {
                let pattern = value.get("pattern").unwrap_or(&Value::Null);
                let behavior = behavior_of(value.get("behavior"))?;
                let invert = flag("invert").unwrap_or_default();
                Step::Split { matcher: Matcher::of(pattern)?, behavior, invert }
            }
            #[cfg(feature = "whole")]
            "Digits" => {
                let each = flag("individual_digits").unwrap_or_default();
                let behavior = if each { Behavior::Isolated } else { Behavior::Contiguous };
                Step::Characters { is: char::is_numeric, behavior }
            }
            #[cfg(feature = "whole")]
            "WhitespaceSplit" => Step::Characters { is: char::is_whitespace, behavior: Behavior::Removed },
            #[cfg(feature = "whole")]
            "Whitespace" => {
                let matcher = Matcher::of_expression(r"\w+|[^\w\s]+")?;
                Step::Split { matcher, behavior: Behavior::Removed, invert: true }
            }
            #[cfg(feature = "whole")]
            "Punctuation" => {
                let behavior = value.get("behavior");
                let behavior = if behavior.is_none() { Behavior::Isolated } else { behavior_of(behavior)? };
                Step::Characters { is: is_punctuation, behavior }
            }
            #[cfg(feature = "whole")]
            "BertPreTokenizer" => {
                self.steps.push(Step::Characters { is: char::is_whitespace, behavior: Behavior::Removed });
                Step::Characters { is: is_punctuation, behavior: Behavior::Isolated }
            }
            #[cfg(feature = "whole")]
            "CharDelimiterSplit" => Step::Delimiter(char_of(value, "delimiter")?),
            "Metaspace" => {
                let never = flag("add_prefix_space") == Some(false);
                let scheme = match value.get("prepend_scheme").and_then(Value::as_str) {
                    _ if never => Scheme::Never,
                    Some("first") => Scheme::First,
                    Some("never") => Scheme::Never,
                    Some("always") | None => Scheme::Always,
                    Some(other) => return Err(Error::unsupported(format!("the prepend_scheme {other:?}"))),
                };
                let split = flag("split").unwrap_or(true);
                Step::Metaspace { replacement: char_of(value, "replacement")?, scheme, split }
            }
            #[cfg(not(feature = "whole"))]
            _ => return Err(Error::NeedsWholeModule),
            #[cfg(feature = "whole")]
            other => return Err(Error::unsupported(format!("the pre-tokenizer {other:?}"))),
        };
        self.steps.push(step);
        Ok(())
    }

    /// Cuts `text` into pieces. The steps may rewrite `text`; the pieces are ranges of the result. `first`: it begins where
    /// the whole text does.
    pub fn cut(&self, text: &mut String, first: bool) -> Vec<(usize, usize)> {
        let mut pieces = vec![(0, text.len())];
        for step in &self.steps {
            pieces = step.apply(text, pieces, first);
        }
        pieces
    }

    /// Whether a text without U+0020 is always one piece.
    pub fn cuts_at_spaces_alone(&self) -> bool {
        self.steps.iter().all(|step| match step {
            Step::Split { matcher: Matcher::Text(needle, _), invert: false, .. } => needle.contains(' '),
            _ => false,
        })
    }

    /// Whether a piece may depend on being at the beginning of the whole text.
    pub fn knows_beginning(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Metaspace { scheme: Scheme::First, .. }))
    }
}

#[cfg(feature = "whole")]
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || UnicodeCategories::is_punctuation(c)
}

fn kind_of(value: &Value) -> &str {
    value.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The effect of a step, as far as [`KNOWN`] needs it.
enum Does<'a> {
    Nothing,
    /// Only isolates the matches of this expression.
    Isolates(&'a str),
    Other,
}

impl<'a> Does<'a> {
    fn of(value: &'a Value) -> Self {
        let flag = |key: &str| value.get(key).and_then(Value::as_bool);
        let isolates = value.get("behavior").and_then(Value::as_str) == Some("Isolated");
        match kind_of(value) {
            "ByteLevel" if flag("add_prefix_space").unwrap_or(true) => Self::Other,
            "ByteLevel" if flag("use_regex").unwrap_or(true) => Self::Isolates(GPT2),
            "ByteLevel" => Self::Nothing,
            "Split" if isolates && flag("invert") != Some(true) => {
                let pattern = value.get("pattern").and_then(|pattern| pattern.get("Regex"));
                pattern.and_then(Value::as_str).map_or(Self::Other, Self::Isolates)
            }
            _ => Self::Other,
        }
    }
}

/// The known pattern that is equivalent to all these steps.
fn known(steps: &[&Value]) -> Option<Pattern> {
    let mut isolated = Vec::new();
    for step in steps {
        match Does::of(step) {
            Does::Nothing => {}
            Does::Isolates(expression) => isolated.push(expression),
            Does::Other => return None,
        }
    }
    KNOWN.iter().find(|(known, _)| *known == isolated).map(|&(_, pattern)| pattern)
}

fn flatten<'a>(value: &'a Value, into: &mut Vec<&'a Value>, depth: usize) -> Result<()> {
    if value.is_null() {
        return Ok(());
    }
    if kind_of(value) != "Sequence" {
        into.push(value);
        return Ok(());
    }
    let list = value.get("pretokenizers").and_then(Value::as_array);
    let list = list.ok_or_else(|| Error::invalid("its pre-tokenizer Sequence has no `pretokenizers`"))?;
    if depth == MAX_DEPTH {
        return Err(Error::unsupported("pre-tokenizers nested so deeply"));
    }
    list.iter().try_for_each(|value| flatten(value, into, depth + 1))
}

fn behavior_of(value: Option<&Value>) -> Result<Behavior> {
    Ok(match value.and_then(Value::as_str) {
        Some("Removed") => Behavior::Removed,
        Some("Isolated") => Behavior::Isolated,
        Some("MergedWithPrevious") => Behavior::MergedWithPrevious,
        Some("MergedWithNext") => Behavior::MergedWithNext,
        Some("Contiguous") => Behavior::Contiguous,
        other => return Err(Error::unsupported(format!("the split behavior {other:?}"))),
    })
}

fn char_of(value: &Value, key: &str) -> Result<char> {
    let text = value.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(Error::invalid(format!("`{key}` must be one character, got {text:?}"))),
    }
}

type Pieces = Vec<(usize, usize)>;

impl Step {
    fn apply(&self, text: &mut String, pieces: Pieces, first: bool) -> Pieces {
        match self {
            Self::Split { matcher, behavior, invert } => {
                split(text, pieces, *behavior, *invert, |piece, from| matcher.next(piece, from))
            }
            #[cfg(feature = "whole")]
            Self::Characters { is, behavior } => split(text, pieces, *behavior, false, |piece, from| {
                let (at, c) = piece.get(from..)?.char_indices().find(|&(_, c)| is(c))?;
                Some((from + at, from + at + c.len_utf8()))
            }),
            #[cfg(feature = "whole")]
            Self::Delimiter(delimiter) => split(text, pieces, Behavior::Removed, false, |piece, from| {
                let at = from + piece.get(from..)?.find(*delimiter)?;
                Some((at, at + delimiter.len_utf8()))
            }),
            Self::PrefixSpace => rewrite(text, pieces, |piece, _, out| {
                if !piece.starts_with(' ') {
                    out.push(' ');
                }
                out.push_str(piece);
            }),
            Self::Metaspace { replacement, scheme, split: cuts } => {
                let mut is_first = first;
                let pieces = rewrite(text, pieces, |piece, at, out| {
                    let has_sign = piece.starts_with(' ') || piece.starts_with(*replacement);
                    let wanted = match scheme {
                        Scheme::Always => true,
                        Scheme::First => at == 0 && std::mem::take(&mut is_first),
                        Scheme::Never => false,
                    };
                    if wanted && !has_sign {
                        out.push(*replacement);
                    }
                    out.extend(piece.chars().map(|c| if c == ' ' { *replacement } else { c }));
                });
                if !cuts {
                    return pieces;
                }
                split(text, pieces, Behavior::MergedWithNext, false, |piece, from| {
                    let at = from + piece.get(from..)?.find(*replacement)?;
                    Some((at, at + replacement.len_utf8()))
                })
            }
        }
    }
}

/// Rewrites every piece.
fn rewrite(text: &mut String, pieces: Pieces, mut write: impl FnMut(&str, usize, &mut String)) -> Pieces {
    let mut out = String::with_capacity(text.len() + text.len() / 4 + 8);
    let pieces = pieces
        .into_iter()
        .map(|(start, end)| {
            let from = out.len();
            write(text.get(start..end).unwrap_or_default(), start, &mut out);
            (from, out.len())
        })
        .collect();
    *text = out;
    pieces
}

/// Cuts every piece at the matches that `next` finds.
fn split(
    text: &str,
    pieces: Pieces,
    behavior: Behavior,
    invert: bool,
    next: impl Fn(&str, usize) -> Option<(usize, usize)>,
) -> Pieces {
    let mut out = Vec::with_capacity(pieces.len());
    let mut parts = Vec::new();
    for (start, end) in pieces {
        let piece = text.get(start..end).unwrap_or_default();
        parts.clear();
        let mut from = 0;
        while let Some((at, after)) = next(piece, from) {
            if at > from {
                parts.push((from, at, invert));
            }
            parts.push((at, after, !invert));
            from = after;
        }
        if from < piece.len() {
            parts.push((from, piece.len(), invert));
        }
        if behavior == Behavior::MergedWithNext {
            parts.reverse();
        }
        let first = out.len();
        let mut was_match = false;
        for &(from, to, is_match) in &parts {
            let part = (start + from, start + to);
            let grows = match behavior {
                Behavior::Removed if is_match => continue,
                Behavior::Removed | Behavior::Isolated => false,
                Behavior::Contiguous => is_match == was_match,
                Behavior::MergedWithPrevious | Behavior::MergedWithNext => is_match && !was_match,
            };
            was_match = is_match;
            match out.get_mut(first..).and_then(<[_]>::last_mut) {
                Some((last_start, last_end)) if grows => {
                    if behavior == Behavior::MergedWithNext {
                        *last_start = part.0;
                    } else {
                        *last_end = part.1;
                    }
                }
                _ => out.push(part),
            }
        }
        if behavior == Behavior::MergedWithNext
            && let Some(added) = out.get_mut(first..)
        {
            added.reverse();
        }
    }
    out.retain(|&(start, end)| start < end);
    out
}
