//! What a split or a replacement searches for: a text, or a regular expression ([`expression`](crate::expression)).

use std::cell::OnceCell;

use memchr::memchr;
use memchr::memmem::Finder;

use crate::error::{Error, Result};
#[cfg(feature = "whole")]
use crate::expression::Expression;
use crate::value::Value;

/// How many times longer replacements may make a text. In real files one byte becomes at most three.
const MAX_GROWTH: usize = 64;

/// Multiplies `growth`, the factor by which a text can grow, and fails if it becomes too large.
pub fn limit_growth(times: usize, growth: &mut usize) -> Result<()> {
    *growth = growth.saturating_mul(times);
    if *growth > MAX_GROWTH {
        return Err(Error::unsupported(format!(
            "replacements that make a text more than {MAX_GROWTH} times as long"
        )));
    }
    Ok(())
}

/// Texts up to this many bytes are searched for by their first byte. Almost all are that short.
const SHORT: usize = 8;

fn find_short(text: &[u8], sought: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let at = memchr(*sought.first()?, rest)?;
        if rest.get(at..)?.starts_with(sought) {
            return Some(from + at);
        }
        from += at + 1;
    }
}

/// What a split or a replacement searches for.
pub enum Matcher {
    /// A text, and a finder for long texts.
    Text(String, OnceCell<Box<Finder<'static>>>),
    #[cfg(feature = "whole")]
    Expression(Box<Expression>),
}

impl Matcher {
    /// Reads `{ "String": … }` or `{ "Regex": … }`.
    pub fn of(pattern: &Value) -> Result<Self> {
        let text = |key| pattern.get(key).and_then(Value::as_str);
        match (text("String"), text("Regex")) {
            (Some(""), _) => Err(Error::unsupported("an empty pattern")),
            (Some(text), _) => Ok(Self::of_text(text)),
            #[cfg(feature = "whole")]
            (None, Some(pattern)) => Ok(Self::Expression(Box::new(Expression::of_file(pattern)?))),
            #[cfg(not(feature = "whole"))]
            (None, Some(_)) => Err(Error::NeedsWholeModule),
            (None, None) => Err(Error::invalid("a `pattern` that is neither a String nor a Regex")),
        }
    }

    #[cfg(feature = "whole")]
    pub fn of_expression(pattern: &str) -> Result<Self> {
        Ok(Self::Expression(Box::new(Expression::new(pattern)?)))
    }

    #[cfg(not(feature = "whole"))]
    pub const fn of_expression(_: &str) -> Result<Self> {
        Err(Error::NeedsWholeModule)
    }

    /// A matcher for a text, which must not be empty.
    pub fn of_text(text: &str) -> Self {
        Self::Text(text.to_owned(), OnceCell::new())
    }

    /// Fails if replacing each match by `content` can make a text too long. `growth` is the factor of the earlier steps.
    pub fn check_growth(&self, content: &str, growth: &mut usize) -> Result<()> {
        let least = match self {
            Self::Text(text, _) => text.len(),
            #[cfg(feature = "whole")]
            Self::Expression(_) => 1,
        };
        limit_growth(content.len().div_ceil(least).max(1), growth)
    }

    /// The next match at or after `from`.
    pub fn next(&self, text: &str, from: usize) -> Option<(usize, usize)> {
        match self {
            Self::Text(sought, finder) => {
                let rest = text.as_bytes().get(from..)?;
                let at = if sought.len() <= SHORT {
                    find_short(rest, sought.as_bytes())
                } else {
                    finder.get_or_init(|| Box::new(Finder::new(sought).into_owned())).find(rest)
                };
                let at = from + at?;
                Some((at, at + sought.len()))
            }
            #[cfg(feature = "whole")]
            Self::Expression(expression) => expression.next(text, from),
        }
    }
}
