//! What `sed` and `perl` do to files, by the flags that they are given.

/// The files that it is given, and whether it edits them.
#[derive(Default)]
pub(super) struct Edit<'a> {
    pub in_place: bool,
    pub files: Vec<&'a str>,
}

impl<'a> Edit<'a> {
    /// Of a command's words; of another program's, nothing.
    pub fn of(words: &'a [String]) -> Self {
        let mut edit = Self::default();
        // Flags that take the rest of their word, or the next one.
        let taking = match words.first().map(String::as_str) {
            Some("sed") => "ef",
            Some("perl") => "eEIMm",
            _ => return edit,
        };
        let (mut has_script, mut takes_next) = (false, false);
        for word in words.iter().skip(1).map(String::as_str) {
            if std::mem::take(&mut takes_next) {
                continue;
            }
            if let Some(long) = word.strip_prefix("--") {
                let script = long.starts_with("expression") || long.starts_with("file");
                has_script |= script;
                takes_next = script && !long.contains('=');
                edit.in_place |= long.starts_with("in-place");
            } else if let Some(flags) = word.strip_prefix('-').filter(|flags| !flags.is_empty()) {
                let Some(at) = flags.find(|c| c == 'i' || taking.contains(c)) else { continue };
                edit.in_place |= flags[at..].starts_with('i');
                has_script |= flags[at..].starts_with(['e', 'E', 'f']);
                takes_next = !flags[at..].starts_with('i') && at + 1 == flags.len();
            } else {
                edit.files.push(word);
            }
        }
        // What is done to the files stands before them.
        if !has_script && !edit.files.is_empty() {
            edit.files.remove(0);
        }
        edit
    }
}
