//! Normalizers that few models use.

use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::char::is_combining_mark;

use crate::charsmap::Charsmap;
use crate::error::{Error, Result};
use crate::value::Value;

/// One step of a normalizer.
pub enum RareStep {
    Lowercase,
    StripAccents,
    /// Steps of `BertNormalizer`: `Clean` removes control characters and turns white space into spaces, `SpaceChinese` puts
    /// spaces around Chinese characters, `StripMarks` removes marks.
    Clean,
    SpaceChinese,
    StripMarks,
    Nmt,
    Strip {
        left: bool,
        right: bool,
    },
    Precompiled(Box<Charsmap>),
}

impl RareStep {
    /// Reads a normalizer from a file's value.
    pub fn of(value: &Value) -> Result<Self> {
        let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or_default();
        let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
        Ok(match kind {
            "Lowercase" => Self::Lowercase,
            "StripAccents" => Self::StripAccents,
            "Nmt" => Self::Nmt,
            "Strip" => Self::Strip { left: flag("strip_left"), right: flag("strip_right") },
            "Precompiled" => {
                let map = value.get("precompiled_charsmap").and_then(Value::as_str);
                let no = || Error::invalid("its normalizer Precompiled has no `precompiled_charsmap`");
                Self::Precompiled(Box::new(Charsmap::new(map.ok_or_else(no)?)?))
            }
            other => return Err(Error::unsupported(format!("the normalizer {other:?}"))),
        })
    }

    /// Applies the step; `None` if nothing changes.
    pub fn apply(&self, text: &str) -> Option<String> {
        match self {
            Self::Lowercase => Some(text.chars().flat_map(char::to_lowercase).collect()),
            Self::StripAccents => Some(text.chars().filter(|&c| !is_combining_mark(c)).collect()),
            Self::Clean => Some(text.chars().filter_map(clean).collect()),
            Self::SpaceChinese => space_chinese(text),
            Self::StripMarks => Some(text.chars().filter(|c| !c.is_mark_nonspacing()).collect()),
            Self::Nmt => Some(text.chars().filter_map(nmt).collect()),
            Self::Strip { left, right } => {
                let kept = if *left { text.trim_start() } else { text };
                let kept = if *right { kept.trim_end() } else { kept };
                (kept.len() < text.len()).then(|| kept.to_owned())
            }
            Self::Precompiled(charsmap) => charsmap.apply(text),
        }
    }
}

/// Removes control characters and turns white space into spaces.
fn clean(c: char) -> Option<char> {
    match c {
        '\t' | '\n' | '\r' => Some(' '),
        '\0' | '\u{FFFD}' => None,
        _ if c.is_other() => None,
        _ if c.is_whitespace() => Some(' '),
        _ => Some(c),
    }
}

fn space_chinese(text: &str) -> Option<String> {
    if !text.contains(is_chinese) {
        return None;
    }
    let mut out = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        if is_chinese(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    Some(out)
}

const fn is_chinese(c: char) -> bool {
    matches!(
        c as u32,
        0x4E00..=0x9FFF
            | 0x3400..=0x4DBF
            | 0x2_0000..=0x2_A6DF
            | 0x2_A700..=0x2_B73F
            | 0x2_B740..=0x2_B81F
            | 0x2_B920..=0x2_CEAF
            | 0xF900..=0xFAFF
            | 0x2_F800..=0x2_FA1F
    )
}

/// `SentencePiece`'s `nmt`: removes control characters and turns other white space into spaces.
fn nmt(c: char) -> Option<char> {
    match c as u32 {
        0x01..=0x08 | 0x0B | 0x0E..=0x1F | 0x7F | 0x8F | 0x9F => None,
        0x09 | 0x0A | 0x0C | 0x0D | 0x1680 | 0x200B..=0x200F | 0x2028 | 0x2029 | 0x2581 | 0xFEFF | 0xFFFD => {
            Some(' ')
        }
        _ => Some(c),
    }
}
