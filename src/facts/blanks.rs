//! File names with blanks: escaped as in a shell, or in quotes. Cut at its blanks, such a name would become several names of nothing.

use super::word;

/// Longer ones, in bytes, are data.
const LONGEST: usize = 256;

/// The end of the path with blanks that begins at the word `at..end`, if that is one.
pub(super) fn path_end(text: &str, at: usize, end: usize) -> Option<usize> {
    if text[end..].starts_with(ESCAPED) { escaped(text, at, end) } else { quoted(text, at) }
}

/// Whether the text before a word is the part of a name before a blank.
pub(super) fn begins_name(before: &str) -> bool {
    before.strip_suffix(ESCAPED).is_some_and(|name| name.ends_with(word::is_part))
}

const ESCAPED: &str = "\\ ";

/// `/a/My\ File.txt`
fn escaped(text: &str, at: usize, mut end: usize) -> Option<usize> {
    while let Some(rest) = text[end..].strip_prefix(ESCAPED) {
        let len = word::run_len(rest);
        end += ESCAPED.len() + len;
        // Stops in names that are too long, so that the time stays linear.
        if len == 0 || end - at > LONGEST {
            return None;
        }
    }
    Some(end)
}

/// `"/a/My File.txt"`: from the root or the home folder to the extension, without anything that makes it a command.
fn quoted(text: &str, at: usize) -> Option<usize> {
    let quote = *text.as_bytes()[..at].last().filter(|b| matches!(b, b'"' | b'\''))?;
    let rest = &text[at..];
    let is_home = rest.starts_with("~/");
    if !is_home && !rest.starts_with('/') {
        return None;
    }
    let name = &rest[..rest.bytes().take(LONGEST + 1).position(|b| b == quote)?];
    let (first, behind) = name.split_once(' ')?;
    // `'/help shows README.md'` is a sentence.
    let is_path = is_home || first[1..].contains('/');
    let is_name = |word: &str| !word.is_empty() && !word.starts_with(['-', '/', '~', '.', '$']);
    let is_plain = !name.contains(['\n', '|', '<', '>', ';', '&', '*', '\\', ':', '=', '`']);
    let is_whole = is_path && is_plain && behind.split(' ').all(is_name) && word::has_known_extension(name);
    is_whole.then_some(at + name.len())
}
