//! Converts tokens back to text.

use crate::alphabet;
use crate::error::{Error, Result};
use crate::matcher::Matcher;
use crate::value::Value;

enum Step {
    ByteLevel,
    ByteFallback,
    Fuse,
    Replace(Matcher, String),
    Strip { content: char, start: usize, stop: usize },
    Metaspace { replacement: char, drops_first: bool },
    Bpe { suffix: String },
    WordPiece { prefix: String, cleanup: bool },
}

/// The file's decoder. Without one, tokens are joined with spaces.
#[derive(Default)]
pub struct Decoder(Option<Vec<Step>>);

impl Decoder {
    pub fn new(value: &Value) -> Result<Self> {
        if value.is_null() {
            return Ok(Self(None));
        }
        let mut steps = Vec::new();
        add(value, &mut steps, 0)?;
        let mut growth = 1;
        for step in &steps {
            if let Step::Replace(matcher, content) = step {
                matcher.check_growth(content, &mut growth)?;
            }
        }
        Ok(Self(Some(steps)))
    }

    pub fn decode(&self, mut tokens: Vec<String>) -> String {
        let Some(steps) = &self.0 else { return tokens.join(" ") };
        for step in steps {
            tokens = step.apply(tokens);
        }
        tokens.concat()
    }
}

fn add(value: &Value, steps: &mut Vec<Step>, depth: usize) -> Result<()> {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let number = |key: &str| value.get(key).and_then(Value::as_u64).unwrap_or_default() as usize;
    let one = |key: &str| {
        text(key).chars().next().ok_or_else(|| Error::invalid(format!("its decoder {kind} has no `{key}`")))
    };
    steps.push(match kind {
        "Sequence" if depth < 8 => {
            let list = value.get("decoders").and_then(Value::as_array);
            let list = list.ok_or_else(|| Error::invalid("its decoder Sequence has no `decoders`"))?;
            return list.iter().try_for_each(|value| add(value, steps, depth + 1));
        }
        "ByteLevel" => Step::ByteLevel,
        "WordPiece" => Step::WordPiece {
            prefix: text("prefix"),
            cleanup: value.get("cleanup").and_then(Value::as_bool).unwrap_or(true),
        },
        "ByteFallback" => Step::ByteFallback,
        "Fuse" => Step::Fuse,
        "Replace" => {
            Step::Replace(Matcher::of(value.get("pattern").unwrap_or(&Value::Null))?, text("content"))
        }
        "Strip" => Step::Strip { content: one("content")?, start: number("start"), stop: number("stop") },
        "Metaspace" => {
            let never = value.get("prepend_scheme").and_then(Value::as_str) == Some("never")
                || value.get("add_prefix_space").and_then(Value::as_bool) == Some(false);
            Step::Metaspace { replacement: one("replacement")?, drops_first: !never }
        }
        "BPEDecoder" => Step::Bpe { suffix: text("suffix") },
        other => return Err(Error::unsupported(format!("the decoder {other:?}"))),
    });
    Ok(())
}

impl Step {
    fn apply(&self, tokens: Vec<String>) -> Vec<String> {
        match self {
            Self::ByteLevel => {
                let mut bytes = Vec::new();
                let mut own = Vec::new();
                for token in tokens {
                    if alphabet::bytes_of(&token, &mut own) {
                        bytes.extend_from_slice(&own);
                    } else {
                        bytes.extend_from_slice(token.as_bytes());
                    }
                }
                vec![String::from_utf8_lossy(&bytes).into_owned()]
            }
            Self::ByteFallback => byte_fallback(tokens),
            Self::Fuse => vec![tokens.concat()],
            Self::Replace(matcher, content) => tokens
                .into_iter()
                .map(|token| {
                    let mut out = String::new();
                    let mut from = 0;
                    while let Some((start, end)) = matcher.next(&token, from) {
                        out.push_str(token.get(from..start).unwrap_or_default());
                        out.push_str(content);
                        from = end;
                    }
                    out.push_str(token.get(from..).unwrap_or_default());
                    out
                })
                .collect(),
            Self::Strip { content, start, stop } => tokens
                .into_iter()
                .map(|token| {
                    let mut rest = token.as_str();
                    for _ in 0..*start {
                        rest = rest.strip_prefix(*content).unwrap_or(rest);
                    }
                    for _ in 0..*stop {
                        rest = rest.strip_suffix(*content).unwrap_or(rest);
                    }
                    rest.to_owned()
                })
                .collect(),
            Self::Metaspace { replacement, drops_first } => tokens
                .into_iter()
                .enumerate()
                .map(|(at, token)| {
                    let drops = at == 0 && *drops_first;
                    let shown = |c: char| match c {
                        _ if c != *replacement => Some(c),
                        _ if drops => None,
                        _ => Some(' '),
                    };
                    token.chars().filter_map(shown).collect()
                })
                .collect(),
            Self::WordPiece { prefix, cleanup } => {
                let shown = |(at, token): (usize, String)| {
                    let token = match token.strip_prefix(prefix.as_str()) {
                        _ if at == 0 => token,
                        Some(rest) => rest.to_owned(),
                        None => format!(" {token}"),
                    };
                    if *cleanup { without_spaces(token) } else { token }
                };
                tokens.into_iter().enumerate().map(shown).collect()
            }
            Self::Bpe { suffix } => {
                let last = tokens.len().saturating_sub(1);
                let shown = |(at, token): (usize, String)| {
                    token.replace(suffix.as_str(), if at == last { "" } else { " " })
                };
                tokens.into_iter().enumerate().map(shown).collect()
            }
        }
    }
}

/// Removes the spaces that tokenizing puts before punctuation and contractions.
fn without_spaces(text: String) -> String {
    const REPLACEMENTS: [(&str, &str); 11] = [
        (" .", "."),
        (" ?", "?"),
        (" !", "!"),
        (" ,", ","),
        (" ' ", "'"),
        (" n't", "n't"),
        (" 'm", "'m"),
        (" do not", " don't"),
        (" 's", "'s"),
        (" 've", "'ve"),
        (" 're", "'re"),
    ];
    REPLACEMENTS.iter().fold(text, |text, (from, to)| text.replace(from, to))
}

/// Replaces runs of byte tokens such as `<0x41>` by the text that they represent, or by U+FFFD for each byte if it is not
/// UTF-8.
fn byte_fallback(tokens: Vec<String>) -> Vec<String> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut run: Vec<u8> = Vec::new();
    let flush = |run: &mut Vec<u8>, out: &mut Vec<String>| {
        let bytes = std::mem::take(run);
        match String::from_utf8(bytes) {
            Ok(text) if text.is_empty() => {}
            Ok(text) => out.push(text),
            Err(error) => out.extend(error.as_bytes().iter().map(|_| "\u{FFFD}".to_owned())),
        }
    };
    for token in tokens {
        let byte = token.strip_prefix("<0x").and_then(|rest| rest.strip_suffix('>'));
        if let Some(byte) = byte.filter(|hex| hex.len() == 2).and_then(|hex| u8::from_str_radix(hex, 16).ok())
        {
            run.push(byte);
        } else {
            flush(&mut run, &mut out);
            out.push(token);
        }
    }
    flush(&mut run, &mut out);
    out
}
