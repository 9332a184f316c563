//! Reads from the flags of `sed` and `perl` what they do to files.

/// The files given to `sed` or `perl`, and whether they are edited in place.
#[derive(Default)]
pub(super) struct Edit<'a> {
    pub in_place: bool,
    pub files: Vec<&'a str>,
}

impl<'a> Edit<'a> {
    /// Reads a command's words. Empty for other programs.
    pub fn of(words: &'a [String]) -> Self {
        let mut edit = Self::default();
        // Flags that take the rest of their word, or the next word, as a value.
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
        // Without such a flag, the first argument is the script.
        if !has_script && !edit.files.is_empty() {
            edit.files.remove(0);
        }
        edit
    }
}
