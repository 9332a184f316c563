use std::fmt;

/// Why a `tokenizer.json` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The file is not a `tokenizer.json`, or contradicts itself.
    Invalid(String),
    /// The file needs a feature that is not supported, or is larger than any real file.
    Unsupported(String),
    /// The file needs something that only the crate with the feature `whole` has.
    NeedsWholeModule,
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
            Self::Invalid(why) => write!(f, "the tokenizer is unusable: {why}"),
            Self::Unsupported(what) => {
                write!(f, "the tokenizer needs something that is not supported: {what}")
            }
            Self::NeedsWholeModule => {
                write!(f, "the tokenizer needs the module `tokenizer.wasm`, not this part of it")
            }
        }
    }
}

impl std::error::Error for Error {}
