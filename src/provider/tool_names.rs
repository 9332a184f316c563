//! Names of tools that an API does not take: another host allowed them.

use std::borrow::Cow;

use super::note::Note;

/// Names of tools are at most this long.
pub(super) const LONGEST: usize = 128;

fn is_taken(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Whether an API takes the name that has at most so many characters: Anthropic's and `OpenAI`'s do up to [`LONGEST`].
pub(super) fn fits(name: &str, longest: usize) -> bool {
    !name.is_empty() && name.len() <= longest && name.chars().all(is_taken)
}

/// The name as they take it, with a note where that is another one: each other character is an underscore.
pub(super) fn written<'n>(name: &'n str, longest: usize, notes: &mut Vec<Note>) -> Cow<'n, str> {
    if fits(name, longest) {
        return Cow::Borrowed(name);
    }
    let fitting = |c: char| if is_taken(c) { c } else { '_' };
    let mut written: String = name.chars().map(fitting).take(longest).collect();
    if written.is_empty() {
        written.push('_');
    }
    notes.push(Note::new(format!(
        "the tool name `{name}` is written `{written}`: only letters, digits, _ and -"
    )));
    Cow::Owned(written)
}
