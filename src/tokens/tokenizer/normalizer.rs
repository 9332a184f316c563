//! Normalizers: changes to a text before it is cut.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::forms::{Form, ToForm};
use crate::matcher::Matcher;
#[cfg(feature = "whole")]
use crate::matcher::limit_growth;
#[cfg(feature = "whole")]
use crate::rare::RareStep;
use crate::value::Value;

/// One step.
enum Step {
    Form(ToForm),
    Prepend(String),
    Replace(Matcher, String),
    #[cfg(feature = "whole")]
    Rare(RareStep),
}

/// The steps, applied one after the other.
#[derive(Default)]
pub struct Normalizer(Vec<Step>);

impl Normalizer {
    /// Reads the file's `normalizer`.
    pub fn new(value: &Value) -> Result<Self> {
        let mut steps = Vec::new();
        add(value, &mut steps, 0)?;
        let mut growth = 1;
        for step in &steps {
            match step {
                Step::Replace(matcher, content) => matcher.check_growth(content, &mut growth)?,
                #[cfg(feature = "whole")]
                Step::Rare(RareStep::Precompiled(charsmap)) => limit_growth(charsmap.growth(), &mut growth)?,
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

    /// Whether the first character of the result may come from a later position in the text.
    pub fn moves_beginning(&self) -> bool {
        self.0.iter().any(|step| match step {
            #[cfg(feature = "whole")]
            Step::Rare(rare) => matches!(rare, RareStep::Strip { left: true, .. }),
            Step::Form(_) | Step::Prepend(_) | Step::Replace(..) => false,
        })
    }

    /// The sign that replaces U+0020 in the result, if no such space remains.
    pub fn space(&self) -> Option<char> {
        let Some(Step::Replace(Matcher::Text(needle, _), sign)) = self.0.last() else { return None };
        let mut chars = sign.chars();
        let sign = chars.next().filter(|&sign| needle == " " && sign != ' ')?;
        chars.next().is_none().then_some(sign)
    }

    /// From now on, the result contains spaces instead of this sign.
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

/// Limits above anything in real files: the depth of sequences, the number of steps, and the bytes of a prefix.
const MAX_DEPTH: usize = 8;
const MAX_STEPS: usize = 64;
const MAX_PREFIX: usize = 256;

fn add(value: &Value, steps: &mut Vec<Step>, depth: usize) -> Result<()> {
    if value.is_null() {
        return Ok(());
    }
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
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
        "Prepend" => Step::Prepend(text("prepend")?),
        "Replace" => {
            Step::Replace(Matcher::of(value.get("pattern").unwrap_or(&Value::Null))?, text("content")?)
        }
        _ => return add_rare(value, steps),
    });
    Ok(())
}

#[cfg(not(feature = "whole"))]
const fn add_rare(_: &Value, _: &mut [Step]) -> Result<()> {
    Err(Error::NeedsWholeModule)
}

#[cfg(feature = "whole")]
fn add_rare(value: &Value, steps: &mut Vec<Step>) -> Result<()> {
    if value.get("type").and_then(Value::as_str) != Some("BertNormalizer") {
        steps.push(Step::Rare(RareStep::of(value)?));
        return Ok(());
    }
    let on = |key: &str| value.get(key).and_then(Value::as_bool);
    let lowercase = on("lowercase").unwrap_or(true);
    if on("clean_text").unwrap_or(true) {
        steps.push(Step::Rare(RareStep::Clean));
    }
    if on("handle_chinese_chars").unwrap_or(true) {
        steps.push(Step::Rare(RareStep::SpaceChinese));
    }
    if on("strip_accents").unwrap_or(lowercase) {
        steps.push(Step::Form(ToForm::new(Form::Nfd)));
        steps.push(Step::Rare(RareStep::StripMarks));
    }
    if lowercase {
        steps.push(Step::Rare(RareStep::Lowercase));
    }
    Ok(())
}

impl Step {
    /// Applies the step; `None` if nothing changes.
    fn apply(&self, text: &str) -> Option<String> {
        match self {
            Self::Form(form) => form.apply(text),
            Self::Prepend(prefix) => (!text.is_empty()).then(|| [prefix, text].concat()),
            Self::Replace(matcher, content) => replace(matcher, content, text),
            #[cfg(feature = "whole")]
            Self::Rare(rare) => rare.apply(text),
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
