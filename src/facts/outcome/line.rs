//! What one line of an output is: an error message, or code.

/// Longer lines, in bytes, are data or are cut: the important part of an error message comes first.
pub(super) const LONGEST_LINE: usize = 240;

/// The line, without the end of a long one.
pub(super) fn cut(line: &str) -> String {
    line[..line.floor_char_boundary(LONGEST_LINE)].to_owned()
}

/// Whether a line is code, or part of a diff or a drawing.
pub(super) fn looks_like_code(line: &str) -> bool {
    line.starts_with(['+', '-', '|', '}', ')', ']', '^', '~', '@', '{', '<'])
        || line.ends_with(['{', '}', ';', ',', '(', '[', '=', '|', '^', '~'])
        || !line.contains(|c: char| c.is_alphabetic())
}

/// Whether the line is a program's own error message.
pub(super) fn names_error(line: &str) -> bool {
    const STARTS: [&str; 18] = [
        "error:", "error[", "error TS", "fatal:", "ERROR:", "ERROR ", "Error:", "npm ERR!", "npm error",
        "panic:", "FAILED", "thread '", "✗ ", "✖ ", "E   ", "curl: (", "Error response from ",
        "Error from server",
    ];
    const HOLDS: [&str; 12] = [
        " error TS", ": error:", ": error[", ": *** ", ": fatal error", "command not found",
        "No such file or directory", "Permission denied", "panicked at", "Cannot find module",
        "not recognized as", "Segmentation fault",
    ];
    line.len() <= 4 * LONGEST_LINE
        && (STARTS.iter().any(|s| line.starts_with(s))
            || HOLDS.iter().any(|s| line.contains(s))
            || is_exception(line))
}

/// `TypeError: …`, `foo.BarException: …`, `Uncaught RangeError: …`
fn is_exception(line: &str) -> bool {
    let Some((head, message)) = line.split_once(": ") else { return false };
    let name = head.rsplit(['.', ' ', ':']).next().unwrap_or("");
    let kind = name.ends_with("Error") || name.ends_with("Exception");
    let shaped =
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(char::is_alphanumeric);
    kind && shaped && !message.is_empty() && head.split(' ').count() <= 3
}
