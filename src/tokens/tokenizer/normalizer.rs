//! Normalizers: what is done to a text before it is cut.

use std::borrow::Cow;

use serde_json::Value;
use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::char::is_combining_mark;

use crate::charsmap::Charsmap;
use crate::error::{Error, Result};
use crate::forms::{Form, ToForm};
use crate::matcher::{Matcher, bound};

/// One step.
enum Step {
    Form(ToForm),
    Lowercase,
    StripAccents,
    /// `BertNormalizer`: control characters go, white space becomes spaces; spaces around Chinese characters; no marks.
    Clean,
    SpaceChinese,
    StripMarks,
    Nmt,
    Strip {
        left: bool,
        right: bool,
    },
    Prepend(String),
    Replace(Matcher, String),
    Precompiled(Box<Charsmap>),
}

/// All steps, one after the other.
#[derive(Default)]
pub struct Normalizer(Vec<Step>);

impl Normalizer {
    /// Of the file's `normalizer`.
    pub fn new(value: &Value) -> Result<Self> {
        let mut steps = Vec::new();
        add(value, &mut steps, 0)?;
        let mut growth = 1;
        for step in &steps {
            match step {
                Step::Replace(matcher, content) => matcher.bound(content, &mut growth)?,
                Step::Precompiled(charsmap) => bound(charsmap.growth(), &mut growth)?,
                Step::Prepend(text) if text.len() > MAX_PREFIX => {
                    return Err(Error::unsupported(format!("a Prepend of {} bytes", text.len())));
                }
                _ => {}
            }
        }
        if steps.len() > MAX_STEPS {
            return Err(Error::unsupported(format!("{} normalizers", steps.len())));
        }
        Ok(Self(steps))
    }

    /// Whether a character of the result can stand at another place than it came from at the text's beginning.
    pub fn moves_beginning(&self) -> bool {
        self.0.iter().any(|step| matches!(step, Step::Strip { left: true, .. }))
    }

    /// The sign that stands for U+0020 in the result, where no such space is left.
    pub fn space(&self) -> Option<char> {
        let Some(Step::Replace(Matcher::Text(needle, _), sign)) = self.0.last() else { return None };
        let mut chars = sign.chars();
        let sign = chars.next().filter(|&sign| needle.needle() == b" " && sign != ' ')?;
        chars.next().is_none().then_some(sign)
    }

    /// From here on the result has spaces where it had this sign for them.
    pub fn leave_spaces(&mut self, sign: char) {
        if let Some(last) = self.0.last_mut() {
            *last = Step::Replace(Matcher::of_text(&sign.to_string()), " ".to_owned());
        }
    }

    pub fn apply<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for step in &self.0 {
            if let Some(changed) = step.apply(&text) {
                text = Cow::Owned(changed);
            }
        }
        text
    }
}

/// Sequences in sequences: more than real files have. Steps, and bytes of a prefix, too.
const MAX_DEPTH: usize = 8;
const MAX_STEPS: usize = 64;
const MAX_PREFIX: usize = 256;

fn add(value: &Value, steps: &mut Vec<Step>, depth: usize) -> Result<()> {
    if value.is_null() {
        return Ok(());
    }
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or_default();
    let text = |key: &str| {
        let text = value.get(key).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| Error::invalid(format!("its normalizer {kind} has no `{key}`")))
    };
    steps.push(match kind {
        "Sequence" if depth < MAX_DEPTH => {
            let list = value.get("normalizers").and_then(Value::as_array);
            let list = list.ok_or_else(|| Error::invalid("its normalizer Sequence has no `normalizers`"))?;
            return list.iter().try_for_each(|value| add(value, steps, depth + 1));
        }
        "NFC" => Step::Form(ToForm::new(Form::Nfc)),
        "NFD" => Step::Form(ToForm::new(Form::Nfd)),
        "NFKC" => Step::Form(ToForm::new(Form::Nfkc)),
        "NFKD" => Step::Form(ToForm::new(Form::Nfkd)),
        "Lowercase" => Step::Lowercase,
        "StripAccents" => Step::StripAccents,
        "Nmt" => Step::Nmt,
        "BertNormalizer" => {
            let on = |key: &str| value.get(key).and_then(Value::as_bool);
            let lowercase = on("lowercase").unwrap_or(true);
            if on("clean_text").unwrap_or(true) {
                steps.push(Step::Clean);
            }
            if on("handle_chinese_chars").unwrap_or(true) {
                steps.push(Step::SpaceChinese);
            }
            if on("strip_accents").unwrap_or(lowercase) {
                steps.push(Step::Form(ToForm::new(Form::Nfd)));
                steps.push(Step::StripMarks);
            }
            if lowercase {
                steps.push(Step::Lowercase);
            }
            return Ok(());
        }
        "Strip" => Step::Strip { left: flag("strip_left"), right: flag("strip_right") },
        "Precompiled" => Step::Precompiled(Box::new(Charsmap::new(&text("precompiled_charsmap")?)?)),
        "Prepend" => Step::Prepend(text("prepend")?),
        "Replace" => {
            Step::Replace(Matcher::of(value.get("pattern").unwrap_or(&Value::Null))?, text("content")?)
        }
        other => return Err(Error::unsupported(format!("the normalizer {other:?}"))),
    });
    Ok(())
}

impl Step {
    /// `None` where nothing changes.
    fn apply(&self, text: &str) -> Option<String> {
        match self {
            Self::Form(form) => form.apply(text),
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
            Self::Prepend(prefix) => (!text.is_empty()).then(|| format!("{prefix}{text}")),
            Self::Precompiled(charsmap) => charsmap.apply(text),
            Self::Replace(matcher, content) => replace(matcher, content, text),
        }
    }
}

fn replace(matcher: &Matcher, content: &str, text: &str) -> Option<String> {
    let mut found = matcher.next(text, 0)?;
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    let mut from = 0;
    loop {
        out.push_str(text.get(from..found.0).unwrap_or_default());
        out.push_str(content);
        from = found.1;
        match matcher.next(text, from) {
            Some(next) => found = next,
            None => break,
        }
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Some(out)
}

/// Without control characters, and white space as spaces.
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

/// `SentencePiece`'s `nmt`: control characters go, other white space becomes a space.
fn nmt(c: char) -> Option<char> {
    match c as u32 {
        0x01..=0x08 | 0x0B | 0x0E..=0x1F | 0x7F | 0x8F | 0x9F => None,
        0x09 | 0x0A | 0x0C | 0x0D | 0x1680 | 0x200B..=0x200F | 0x2028 | 0x2029 | 0x2581 | 0xFEFF | 0xFFFD => {
            Some(' ')
        }
        _ => Some(c),
    }
}
