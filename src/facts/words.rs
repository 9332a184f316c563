//! Words of a text, and lists of words.

/// A text in lower case and with straight apostrophes, as phrases are written in the tables.
pub(crate) fn lowered(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

/// The words of a text: "don't" is two.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The words of a text, which may have apostrophes: "don't" is one.
pub(super) fn words_with_apostrophes(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}

/// Whether a word is in a list of words with one blank between them.
pub fn is_listed(word: &str, list: &str) -> bool {
    // The words are short: to search for each blank would take longer.
    list.as_bytes().split(|byte| *byte == b' ').any(|one| one == word.as_bytes())
}
