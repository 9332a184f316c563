//! Reads what a shell command does without running it: enough for a summary, not a full shell grammar.

use super::edit::Edit;
use super::shorten;
use super::word;
use super::words::is_listed;
use crate::hashing::HashMap;

/// A file that a command reads or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The file, as named in the command.
    pub path: String,
    /// Whether it is written, moved or deleted, and not just read.
    pub changes: bool,
}

/// The folder that a command changes into first.
pub fn directory(command: &str) -> Option<&str> {
    let rest = command.trim_start().strip_prefix("cd ")?;
    let end = rest.find([';', '&', '\n', '|']).unwrap_or(rest.len());
    let dir = rest[..end].trim().trim_matches(['"', '\'']);
    (!dir.is_empty() && !dir.contains(char::is_whitespace)).then_some(dir)
}

/// The command without a `cd` at its beginning.
pub fn without_directory(command: &str) -> &str {
    let whole = command.trim();
    if directory(whole).is_none() {
        return whole;
    }
    let rest =
        whole.find([';', '&', '\n']).map_or("", |at| whole[at..].trim_start_matches([';', '&', '\n', ' ']));
    if rest.is_empty() { whole } else { rest }
}

/// The command without what only shortens its output (`2>&1 | tail -20`), so that repetitions are recognised.
pub fn without_shortening(command: &str) -> &str {
    const SHORTENS: [&str; 6] = [" 2>&1", " | head", " | tail", " | grep", " 2>/dev/null", " || true"];
    let end = SHORTENS.iter().filter_map(|s| command.find(s)).min().unwrap_or(command.len());
    let short = command[..end].trim_end();
    if short.is_empty() { command } else { short }
}

/// Whether a command only shows files or folders. Its output then is their content and not a message of a program.
pub fn only_reads(command: &str) -> bool {
    commands(command).all(|words| reads(&words) && !writes(&words))
}

/// Programs that print the files that they are given.
const PRINTING: &str = "cat head tail less nl wc bat";

fn reads(words: &[String]) -> bool {
    match words[0].as_str() {
        "git" => is_listed(second(words), "log show diff status blame grep"),
        "sed" => !Edit::of(words).in_place,
        "sort" | "uniq" | "awk" | "jq" | "cut" | "xargs" => !words.iter().any(|word| word == "-i"),
        program => {
            is_listed(program, PRINTING) || is_listed(program, "ls find grep rg tree pwd echo which stat cd")
        }
    }
}

fn second(words: &[String]) -> &str {
    words.get(1).map_or("", String::as_str)
}

/// Whether its output goes to a file.
fn writes(words: &[String]) -> bool {
    let into = |pair: &[String]| pair[0] == ">" && !pair[1].starts_with('&') && pair[1] != "/dev/null";
    words.windows(2).any(into)
}

/// Whether a command, if it succeeds, does nothing worth mentioning: makes a folder, copies, stages, writes a file or edits it in place.
/// The file itself is mentioned elsewhere.
pub fn is_minor_change(command: &str) -> bool {
    const MINOR: &str = "mkdir cd cp touch chmod sleep export set true clear sync wait pushd";
    let mut commands = commands(command).peekable();
    commands.peek().is_some()
        && commands.all(|words| {
            let stages = words[0] == "git" && second(&words) == "add";
            stages || is_listed(&words[0], MINOR) || reads(&words) || edits_in_place(&words)
        })
}

/// Whether it edits files in place and all of them are named.
fn edits_in_place(words: &[String]) -> bool {
    let edit = Edit::of(words);
    edit.in_place && !edit.files.is_empty() && edit.files.iter().all(|file| is_file(file))
}

/// The words of each simple command.
fn commands(command: &str) -> impl Iterator<Item = Vec<String>> {
    lines(command).into_iter().flat_map(segments).filter(|words| !words.is_empty())
}

/// The lines of a command, without the contents of heredocs.
fn lines(command: &str) -> Vec<&str> {
    if !command.contains("<<") {
        return command.lines().collect();
    }
    let last: HashMap<&str, usize> =
        command.lines().enumerate().map(|(at, line)| (line.trim(), at)).collect();
    let mut end: Option<&str> = None;
    let mut out = Vec::new();
    for (at, line) in command.lines().enumerate() {
        if let Some(word) = end {
            end = end.filter(|_| line.trim() != word);
            continue;
        }
        out.push(line);
        let word = line.split("<<").nth(1).and_then(|rest| {
            let rest = rest.trim_start_matches(['-', '~', ' ']);
            rest.split(|c: char| c.is_whitespace() || ";&|<>()".contains(c)).next()
        });
        let word = word.map(|word| word.trim_matches(['"', '\'', '\\']));
        end = word.filter(|word| last.get(word).is_some_and(|last| *last > at));
    }
    out
}

/// Whether the end of a command's output is a program's own message about how it ended, and not a file's content or output from before a
/// fallback command ran (`||`).
pub fn prints_own_messages(command: &str) -> bool {
    !only_reads(command) && !command.contains("||")
}

/// A longer line of a commit's message, in bytes, is shortened: here, so that all who tell it use the same words.
const LONGEST_COMMIT: usize = 200;

/// The first line of the message of a `git commit`.
pub fn commit_message(command: &str) -> Option<String> {
    let rest = &command[command.find("git commit")?..];
    let flag = ["-m ", "-am ", "--message ", "--message="]
        .iter()
        .filter_map(|f| Some((rest.find(f)?, f.len())))
        .min()?;
    let message = rest[flag.0 + flag.1..].trim_start();
    let quote = message.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let body = &message[1..];
    let line = match body.strip_prefix("$(cat <<") {
        Some(heredoc) => heredoc.lines().nth(1)?,
        None => &body[..body.find([quote, '\n'])?],
    };
    Some(shorten::line(line, LONGEST_COMMIT)).filter(|line| !line.is_empty())
}

/// The files that a command reads and changes, as far as its words show.
pub fn effects(command: &str) -> Vec<Effect> {
    let mut out = Vec::new();
    for words in commands(command) {
        push_effects(&words, &mut out);
    }
    out
}

/// The words of each simple command on a line. A redirection becomes a word `>` before its target.
fn segments(line: &str) -> Vec<Vec<String>> {
    let mut out = vec![Vec::new()];
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let end_word = |word: &mut String, out: &mut Vec<Vec<String>>| {
        if !word.is_empty()
            && let Some(segment) = out.last_mut()
        {
            segment.push(std::mem::take(word));
        }
    };
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '#') if word.is_empty() => break,
            (None, '&') if word.is_empty() && ends_in_redirect(&out) => word.push('&'),
            (None, ';' | '&' | '|' | '(' | ')') => {
                end_word(&mut word, &mut out);
                out.push(Vec::new());
            }
            (None, '>') => {
                word = word.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
                end_word(&mut word, &mut out);
                word.push('>');
                end_word(&mut word, &mut out);
            }
            (None, c) if c.is_whitespace() => end_word(&mut word, &mut out),
            (_, c) => word.push(c),
        }
    }
    end_word(&mut word, &mut out);
    out
}

fn ends_in_redirect(segments: &[Vec<String>]) -> bool {
    segments.last().and_then(|s| s.last()).is_some_and(|w| w == ">")
}

fn push_effects(words: &[String], out: &mut Vec<Effect>) {
    let mut add = |path: &str, changes: bool| {
        if is_file(path) {
            out.push(Effect { path: path.to_owned(), changes });
        }
    };
    let mut operands: Vec<&str> = Vec::new();
    let mut redirected = false;
    for word in words {
        if word == ">" {
            redirected = true;
        } else if std::mem::take(&mut redirected) {
            add(word, true);
        } else {
            operands.push(word);
        }
    }
    let Some((program, operands)) = operands.split_first() else { return };
    let git = *program == "git" && matches!(operands.first(), Some(&("mv" | "rm")));
    let changes = match *program {
        "sed" | "perl" => {
            let words: Vec<String> = words.iter().take_while(|word| *word != ">").cloned().collect();
            let edit = Edit::of(&words);
            return edit.files.iter().for_each(|file| add(file, edit.in_place));
        }
        "rm" | "mv" | "touch" | "tee" | "truncate" => true,
        "cp" => return operands.last().iter().for_each(|target| add(target, true)),
        program if is_listed(program, PRINTING) => false,
        _ if git => true,
        _ => return,
    };
    operands.iter().filter(|w| !w.starts_with('-')).for_each(|w| add(w, changes));
}

/// Whether a word names a single file: no pattern, no variable, no device.
fn is_file(word: &str) -> bool {
    word::is_path(word)
        && !word.starts_with("/dev/")
        && !word.contains(['*', '$', '`', '{', '|', '\\', ':', '=', '<', '[', '^', ','])
        && word.len() <= 300
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn any_command_can_be_read(text in "\\PC{0,60}|(cat |rm |>|<<|EOF|\n|'|\"|cd |git commit -m|&|家| a.rs){0,16}") {
            let _ = (effects(&text), commit_message(&text), without_directory(&text));
        }
    }
}
