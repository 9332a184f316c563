use std::fmt;

/// Why a `tokenizer.json` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// It is no such file, or it contradicts itself.
    Invalid(String),
    /// It asks for something that is not known here, or is larger than any real one.
    Unsupported(String),
    /// It asks for something that only the whole crate has, with its feature `whole`.
    Elsewhere,
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn invalid(why: impl Into<String>) -> Self {
        Self::Invalid(why.into())
    }

    pub(crate) fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported(what.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(why) => write!(f, "the tokenizer cannot be used: {why}"),
            Self::Unsupported(what) => write!(f, "the tokenizer needs what is not supported here: {what}"),
            Self::Elsewhere => {
                write!(f, "the tokenizer needs the module `tokenizer.wasm`, not this part of it")
            }
        }
    }
}

impl std::error::Error for Error {}
