//! What the program around an agent writes into the user's messages: reminders, outputs of the user's own commands, what an editor shows. The
//! user did not say it.

use std::borrow::Cow;

use memchr::memchr;

/// The elements that such programs use.
const ELEMENTS: [&str; 14] = [
    "system-reminder", "system_reminder", "environment_details", "environment_context",
    "local-command-caveat", "local-command-stdout", "local-command-stderr", "bash-stdout", "bash-stderr",
    "command-message", "task-notification", "ide_opened_file", "ide_selection", "ide_diagnostics",
];

/// A text without these elements, if they stand on lines of their own. One that is not closed is a part of the text.
pub fn without_inserted(text: &str) -> Cow<'_, str> {
    let mut left = String::new();
    let (mut from, mut at) = (0, 0);
    while let Some(behind) = memchr(b'<', &text.as_bytes()[at..]) {
        let start = at + behind;
        // The user may write about such an element.
        let begins = start == from && from > 0 || is_line_end(text[..start].chars().rev());
        let Some(name) = name_at(&text[start..]).filter(|_| begins) else {
            at = start + 1;
            continue;
        };
        let close = format!("</{name}>");
        let Some(end) = text[start..].find(&close) else { break };
        let behind = &text[start + end + close.len()..];
        if !(is_line_end(behind.chars()) || name_at(behind).is_some()) {
            at = start + 1;
            continue;
        }
        left.push_str(&text[from..start]);
        from = start + end + close.len();
        at = from;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    left.push_str(&text[from..]);
    Cow::Owned(left.trim().to_owned())
}

/// Whether the next of these characters that is no blank is a line's end.
fn is_line_end(mut letters: impl Iterator<Item = char>) -> bool {
    letters.find(|c| !matches!(c, ' ' | '\t')).is_none_or(|c| c == '\n' || c == '\r')
}

/// Whether a text has nothing but such elements.
pub(super) fn is_inserted(text: &str) -> bool {
    let text = text.trim();
    name_at(text).is_some() && without_inserted(text).is_empty()
}

/// The name of such an element that opens at the beginning of a text.
fn name_at(text: &str) -> Option<&'static str> {
    let opened = text.strip_prefix('<')?;
    let opens = |name: &&str| opened.strip_prefix(*name).is_some_and(|rest| rest.starts_with(['>', ' ']));
    ELEMENTS.into_iter().find(opens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Message, Part, Role};

    #[test]
    fn what_was_inserted_is_left_out() {
        let reminder = "<system-reminder>\nNever mention this.\n</system-reminder>";
        for (text, left) in [
            (format!("Fix it.\n\n{reminder}"), "Fix it."),
            (format!("{reminder}\nFix it."), "Fix it."),
            (format!("Fix it.\n{reminder}<bash-stdout>a</bash-stdout>"), "Fix it."),
            (format!("{reminder}\n<ide_selection>x < y</ide_selection>"), ""),
            (reminder.to_owned(), ""),
        ] {
            assert_eq!(without_inserted(&text), left, "{text}");
        }
        for text in [
            "We wrap it as <system-reminder>text</system-reminder>, please change that.",
            "a < b",
            "<task>Fix it.</task>",
            "What is <system-reminder>?",
            "<system-reminders>a</system-reminders>",
            "</system>",
        ] {
            assert_eq!(without_inserted(text), text);
        }
    }

    #[test]
    fn a_message_that_was_inserted_opens_no_turn() {
        let reminder = "<system-reminder>A file was changed.</system-reminder>";
        let user = |parts: &[&str]| {
            Message::new(Role::User, parts.iter().map(|text| Part::text(*text)).collect()).opens_turn()
        };
        assert!(!user(&[reminder]) && !user(&[reminder, "\n", reminder]));
        assert!(user(&[reminder, "Fix it."]) && user(&["Fix it.", reminder]));
        assert!(user(&[]) && user(&[""]) && user(&["<task>Fix it.</task>"]));
    }
}
