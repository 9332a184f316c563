//! Reads tool calls into the draft: files, commands and their outcomes, errors.

use super::draft::{Draft, Section, key_of};
use super::places::{self, Places};
use crate::facts::shorten;
use crate::facts::{
    Action, ActionKind, COMMITTED, Status, call_line, changes_service, checkboxes, commit_message,
    created_id, directory, effects, is_minor_change, only_reads, plan, without_directory, without_shortening,
};

pub(super) const TODO_LABEL: &str = "To do: ";
pub(super) const DONE_LABEL: &str = "Done: ";

/// The length limit for commands, calls and error lines, in bytes; longer ones are mostly scripts and data.
const LONGEST_COMMAND: usize = 200;

/// An output is read this far, in bytes, to tell how it begins.
const MOST_READ: usize = 2000;

/// Adds one call and its outcome to the draft.
pub(super) fn add_action(draft: &mut Draft, action: &Action<'_>, output: &str, places: &Places) {
    let failed = action.outcome.as_ref().is_some_and(|o| o.status == Status::Failed);
    match action.kind {
        ActionKind::Run => run(draft, action, output, places),
        ActionKind::Read | ActionKind::Change if !failed => {
            for path in &action.paths {
                file(draft, places, path, None, action.kind == ActionKind::Change);
            }
        }
        ActionKind::Other if plan(&action.call.name, &action.args).is_none() => {
            if let Some(outcome) = &action.outcome {
                let call = call_line(action);
                let error = outcome.error.as_deref().map(|error| shorten::line(error, 240));
                let result = error.unwrap_or_else(|| {
                    shorten::beginning(&output[..output.floor_char_boundary(MOST_READ)], 240)
                });
                if !result.is_empty() {
                    let verdict = if failed { "failed: " } else { "" };
                    let line = format!("`{call}` → {verdict}{result}");
                    // The newest answer of a call that looks is told, and each call that changed something.
                    let key = if changes_service(action) { &line } else { &call };
                    draft.put(Section::Commands, key, &line, 0);
                }
            }
        }
        _ => {}
    }
    if failed && action.kind != ActionKind::Run {
        let error = action.outcome.as_ref().and_then(|o| o.line()).unwrap_or("failed");
        let what = action.paths.first().map(|p| format!("{} {}", action.call.name, places.relative(p, None)));
        let line = format!("`{}` → {error}", what.unwrap_or_else(|| call_line(action)));
        draft.put(Section::Errors, &key_of(&line), &line, 0);
    }
    if let Some(plan) = plan(&action.call.name, &action.args).filter(|_| !failed) {
        for todo in plan.entries {
            let id = todo.id.or_else(|| created_id(output).filter(|_| !plan.whole));
            let named = || id.as_ref().and_then(|id| draft.planned.get(id)).cloned();
            let text = Some(todo.text).filter(|text| !text.is_empty()).or_else(named);
            let Some(text) = text else { continue };
            mark(draft, &text, todo.done);
            draft.planned.extend(id.map(|id| (id, text)));
        }
    }
}

/// Notes a file by its whole path, as far as the call tells it: a later record may have another root. `from` is the folder that the command
/// changed into.
fn file(draft: &mut Draft, places: &Places, path: &str, from: Option<&str>, changed: bool) {
    let key = places.relative(path, from);
    let text = &places::whole(path, from);
    if changed {
        draft.remove(Section::Read, &key);
        draft.put(Section::Changed, &key, text, 0);
    } else if draft.get(Section::Changed, &key).is_none() {
        draft.put(Section::Read, &key, text, 0);
    }
}

fn run(draft: &mut Draft, action: &Action<'_>, output: &str, places: &Places) {
    let Some(whole) = action.command.as_deref() else { return };
    let Some(outcome) = &action.outcome else { return };
    let failed = outcome.status == Status::Failed;
    let from = directory(whole);
    // If one of several commands failed, those before it may have done their work.
    if !failed || without_directory(whole).contains([';', '&', '\n']) {
        for effect in effects(whole) {
            file(draft, places, &effect.path, from, effect.changes);
        }
    }
    let hash = |message: &str| commit_hash(output, message);
    let is_proven = |message: &String| outcome.status == Status::Ok || hash(message).is_some();
    if let Some(message) = commit_message(whole).filter(|message| !failed && is_proven(message)) {
        let hash = hash(&message).map(|h| format!(" ({h})")).unwrap_or_default();
        draft.put(Section::Progress, &key_of(&message), &format!("{COMMITTED}{message}{hash}"), 11);
        return;
    }
    let command = match from {
        Some(dir) if places.root() == Some(dir.trim_end_matches('/')) => without_directory(whole),
        _ => whole,
    };
    if only_reads(command) || (!failed && outcome.error.is_none() && is_minor_change(command)) {
        return;
    }
    let command = command_line(command, places);
    if failed || outcome.error.is_some() {
        let error = outcome.error.as_ref().map(|error| shorten::line(error, LONGEST_COMMAND));
        let line = format!("`{command}` → {}", error.unwrap_or_else(|| outcome.failure(LONGEST_COMMAND)));
        draft.put(Section::Errors, &key_of(&line), &line, 2);
    }
    let tests = outcome.tests.map(|(passed, failed)| format!("{passed} passed, {failed} failed"));
    let code = outcome.exit_code.filter(|c| *c != 0).map(|c| format!("exit code {c}"));
    let notes: Vec<String> = [code, tests].into_iter().flatten().collect();
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    let verdict = match outcome.status {
        Status::Failed => "failed",
        Status::Ok => "ok",
        // An error is listed under the errors. Without evidence, no outcome is told.
        Status::Unknown => return draft.remove(Section::Commands, &command),
    };
    let weight = if outcome.tests.is_some() { 4 } else { u64::from(failed) };
    draft.put(Section::Commands, &command, &format!("`{command}` → {verdict}{notes}"), weight);
}

/// A command on one line. A script is represented by its first line that does something.
pub(super) fn command_line(command: &str, places: &Places) -> String {
    let short = without_shortening(command);
    let idle =
        |l: &&str| l.is_empty() || l.starts_with('#') || l.starts_with("cd ") || l.starts_with("set -");
    let mut lines = short.lines().map(str::trim).filter(|l| !idle(l));
    let first = lines.next().unwrap_or(short.lines().next().unwrap_or(short));
    let more = if short.lines().count() > 1 { " …" } else { "" };
    shorten::line(&format!("{}{more}", places.shorten(first)), LONGEST_COMMAND).replace('`', "'")
}

/// The hash in git's `[branch 1a2b3c4] message`.
fn commit_hash<'a>(output: &'a str, message: &str) -> Option<&'a str> {
    let line = output.lines().find(|l| l.starts_with('[') && l.contains(message))?;
    let hash = line[..line.find(']')?].rsplit(' ').next()?;
    (hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit())).then_some(hash)
}

/// Notes at each error whether the same command succeeded later.
pub(super) fn mark_resolved_errors(draft: &mut Draft) {
    let errors = draft.take(Section::Errors);
    for error in errors.into_iter().filter(|e| !e.text.is_empty()) {
        let text = error.text.trim_end_matches(RESOLVED);
        let command = text.split_once("` → ").map_or("", |(c, _)| c).trim_start_matches('`');
        let run = draft.get(Section::Commands, command);
        let fine = run.is_some_and(|run| run.seq > error.seq && run.text.contains("` → ok"));
        let is_resolved = fine
            || (error.text.ends_with(RESOLVED) && run.is_none_or(|run| !run.text.contains("` → failed")));
        let text = format!("{text}{}", if is_resolved { RESOLVED } else { "" });
        let weight = if is_resolved { 0 } else { 4 };
        draft.put_at(Section::Errors, &error, &text, weight);
    }
}

const RESOLVED: &str = " (succeeded later)";

/// The assistant's open checkboxes become open work; ticked ones are done.
pub(super) fn mark_boxes(draft: &mut Draft, text: &str) {
    for entry in checkboxes(text) {
        mark(draft, entry.text, entry.done);
    }
}

/// The same of the user's. What the user ticked, the assistant did not do.
pub(super) fn mark_boxes_of_user(draft: &mut Draft, text: &str) {
    for entry in checkboxes(text) {
        if entry.done {
            draft.remove(Section::Open, &key_of(entry.text));
        } else {
            mark(draft, entry.text, false);
        }
    }
}

fn mark(draft: &mut Draft, text: &str, done: bool) {
    let key = key_of(text);
    if done {
        draft.remove(Section::Open, &key);
        draft.put(Section::Progress, &key, &format!("{DONE_LABEL}{text}"), 2);
    } else {
        draft.remove(Section::Progress, &key);
        draft.put(Section::Open, &key, &format!("{TODO_LABEL}{text}"), 2);
    }
}
