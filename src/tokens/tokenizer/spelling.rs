//! How the tokens of a file represent the bytes of a text.

use crate::alphabet;
use crate::normalizer::Normalizer;
use crate::settings::Settings;
use crate::splits::Splits;
use crate::vocab::Vocab;

/// How tokens represent bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Each byte is a character of GPT-2's alphabet.
    Alphabet,
    /// Tokens are text. A character that is not a token is represented by tokens of its bytes, such as `<0x41>`. `space` is
    /// the sign that the normalizer puts in place of U+0020, if the engine can read plain spaces instead.
    Text { space: Option<char> },
}

impl Spelling {
    /// The spelling of a file; `None` if the engine cannot count by its tokens.
    pub fn of(settings: &Settings, vocab: &Vocab, splits: &Splits, normalizer: &Normalizer) -> Option<Self> {
        if settings.word_piece.is_some()
            || !settings.scores.is_empty()
            || !settings.prefix.is_empty()
            || !settings.suffix.is_empty()
        {
            return None;
        }
        if splits.byte_level {
            return Some(Self::Alphabet);
        }
        // A text that is itself a token would be looked up before it is cut where its bytes are not adjacent in a token.
        if settings.ignore_merges || !settings.byte_fallback {
            return None;
        }
        // An added token would strip adjacent spaces, but would not strip the signs for them.
        let takes_spaces =
            settings.added_tokens.iter().any(|token| token.normalized && (token.lstrip || token.rstrip));
        let space = normalizer.space().filter(|_| !takes_spaces && splits.cuts_at_spaces_alone());
        let spelling = Self::Text { space };
        (0..=255).all(|byte| spelling.byte(vocab, byte).is_some()).then_some(spelling)
    }

    /// Writes the bytes that `token` represents to `out`; `false` if it cannot represent any text.
    pub fn bytes_of(self, token: &str, out: &mut Vec<u8>) -> bool {
        out.clear();
        match self {
            Self::Alphabet => alphabet::bytes_of(token, out),
            Self::Text { space: None } => {
                out.extend_from_slice(token.as_bytes());
                true
            }
            Self::Text { space: Some(space) } => {
                let mut buffer = [0; 4];
                for c in token.chars() {
                    let c = if c == space { ' ' } else { c };
                    out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
                }
                !token.contains(' ')
            }
        }
    }

    /// `text` as the file's tokens spell it.
    pub fn spelled(self, text: &[u8]) -> String {
        match self {
            Self::Alphabet => alphabet::spelled(text),
            Self::Text { space } => {
                let text = String::from_utf8_lossy(text);
                let sign = space.unwrap_or(' ');
                text.chars().map(|c| if c == ' ' { sign } else { c }).collect()
            }
        }
    }

    /// The place of the token for a single byte.
    pub fn byte(self, vocab: &Vocab, byte: u8) -> Option<u32> {
        let mut buffer = [0; 4];
        match self {
            Self::Alphabet => vocab.get(alphabet::char_of(byte).encode_utf8(&mut buffer)),
            Self::Text { space } => {
                let sign = space.filter(|_| byte == b' ').unwrap_or(byte as char);
                let character = if byte < 128 { vocab.get(sign.encode_utf8(&mut buffer)) } else { None };
                character.or_else(|| byte_token(vocab, byte))
            }
        }
    }

    /// The character beyond ASCII that is the whole of `token`, if it is one.
    pub fn character(self, token: &str) -> Option<char> {
        let Self::Text { space } = self else { return None };
        let mut chars = token.chars();
        let c = chars.next()?;
        (chars.next().is_none() && !c.is_ascii() && Some(c) != space).then_some(c)
    }
}

/// The place of a byte token such as `<0x41>`.
pub fn byte_token(vocab: &Vocab, byte: u8) -> Option<u32> {
    let digit = |at: u8| b"0123456789ABCDEF"[usize::from(at & 15)];
    vocab.get_bytes(&[b'<', b'0', b'x', digit(byte >> 4), digit(byte), b'>'])
}
