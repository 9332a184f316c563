//! What a ledger lists of a message besides its literal facts. Most messages contain nothing of this kind.

use super::actions::{Action, ActionKind, action};
use super::asked_user::user_answers;
use super::outcome::{FAILED, Outcome, Status, outcome};
use super::record_text::{
    RecordedCall, behind_record, calls_left_out, recorded_calls, recorded_rules, records_rules,
};
use super::stated_rule::{StatedRule, quoted_rules, stated_rules};
use super::{
    LiteralKind, Plan, call_line, changes_service, checkboxes, commit_message, directory, final_question,
    intentions, is_minor_change, is_question_to_user, literals, message_text, only_reads, plan,
    prints_own_messages, says_all_done, shorten, without_directory, without_shortening,
};
use crate::hashing::{HashSet, hash};
use crate::message::{ItemType, Message, Part, Role, ToolCall, ToolOutput, without_inserted};
use crate::names::names;
use crate::saved::saved;
use crate::tool_output::{is_error, outline};

/// Longer entries of a list, in bytes, lose their middle.
const LONGEST_ENTRY: usize = 300;
/// The most next steps that are kept of an answer.
const MAX_NEXT: usize = 12;
/// The length limit for commands, in bytes; longer ones are scripts.
const LONGEST_COMMAND: usize = 120;
/// The length limit for a service's answers, in bytes.
const LONGEST_ANSWER: usize = 80;
/// So many ids of an answer, which is read this far in bytes, are told if its beginning does not have them.
const MOST_IDS: usize = 2;
const MOST_READ: usize = 4096;
/// The length limit for errors, in bytes.
const LONGEST_ERROR: usize = 120;

/// What a ledger lists of a message besides its literal facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// The constraints in it, in order, if it is from the user or a system prompt.
    pub rules: Vec<StatedRule>,
    /// Its checklist entries, in order, and whether they are ticked.
    pub boxes: Vec<(String, bool)>,
    /// It says that all work is done.
    pub all_done: bool,
    /// The question at its end that waits for an answer. If the message makes calls, only a question to the user counts.
    pub question: Option<String>,
    /// The next steps that an answer names.
    pub next: Vec<String>,
    /// Its calls that matter to the ledger.
    pub calls: Vec<CallNote>,
    /// What came of the call that it answers.
    pub answer: Option<CallOutcome>,
    /// The calls that it tells, if it is a record, and how many it had no room for.
    pub recorded_calls: Vec<RecordedCall>,
    pub calls_left_out: u64,
}

/// A call that matters to the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallNote {
    /// Its index among the message's calls.
    pub at: usize,
    /// The changes that it makes to the plan.
    pub plan: Option<Plan>,
    /// What it runs or changes.
    pub run: Option<RunNote>,
}

/// A command, or a call that changes something in another service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunNote {
    /// What it is about. A later run with the same key replaces it.
    pub key: String,
    /// The beginning of its line in the ledger.
    pub head: String,
    /// The whole command without what only shortens its output, if that is all there is to it: what is counted to find those that are run
    /// often.
    pub repeated: Option<String>,
    /// The folder that it changes into first.
    pub folder: Option<String>,
    /// How its output is read.
    pub output: OutputKind,
    /// If it succeeds, it is not worth mentioning.
    pub is_minor: bool,
    /// The message of the commit that it makes.
    pub commit: Option<String>,
}

names! {
    /// What an output consists of.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum OutputKind {
        /// A program's own messages.
        Messages = "messages",
        /// A file's text or the like, which a command printed.
        Content = "content",
        /// The answer of another service.
        Answer = "answer",
    }
}

/// What came of a command, or of a call that changed something in another service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutcome {
    /// How its output was read.
    pub output: OutputKind,
    /// Whether it failed.
    pub failed: bool,
    /// The end of its line in the ledger; empty if the output does not say how it ended.
    pub tail: String,
}

saved!(enum OutputKind);
saved!(struct CallOutcome { output, failed, tail });

impl Notes {
    /// The notes of a message, except for its calls and their outcomes.
    pub fn of(message: &Message) -> Self {
        let mut notes = Self::default();
        let user = message.role == Role::User;
        if message.role == Role::Tool {
            return notes;
        }
        let text = message_text(message);
        // Memories, injections and skills have the role of the user or the system, but not their authority.
        let instructs = message.role.is_instruction() && message.item_type() == ItemType::SystemPrompt;
        if message.opens_turn() || (instructs && !message.is_output_note()) {
            let said = &*without_inserted(behind_record(message, &text));
            let quoted = quoted_rules(said);
            notes.rules = stated_rules(&[said]);
            // A cut may have left a part of a rule, beside the mark that quotes all of it.
            notes.rules.retain(|rule| !quoted.iter().any(|whole| whole.text.contains(&rule.text)));
            notes.add_rules(quoted);
        }
        if records_rules(message) {
            notes.add_rules(recorded_rules(&text));
            notes.recorded_calls = recorded_calls(&text);
            notes.calls_left_out = calls_left_out(&text);
        }
        if !user && message.role != Role::Assistant {
            return notes;
        }
        let calls = message.tool_calls().next().is_some();
        let question = final_question(&text).filter(|q| !calls || is_question_to_user(q));
        notes.question = question.map(|q| shorten::line(q, LONGEST_ENTRY));
        if !user && !calls {
            let next = intentions(&text).into_iter().take(MAX_NEXT);
            notes.next = next.map(|line| shorten::line(line, LONGEST_ENTRY)).collect();
        }
        notes.boxes = entries(&text);
        notes.all_done = says_all_done(&text);
        notes
    }

    /// Adds those of these rules that are not there yet.
    fn add_rules(&mut self, new: Vec<StatedRule>) {
        let mut known: HashSet<String> = self.rules.iter().map(|rule| rule.text.clone()).collect();
        self.rules.extend(new.into_iter().filter(|rule| known.insert(rule.text.clone())));
    }

    /// Adds the rules in the user's answer to a tool that asks. An error is not from the user.
    pub(super) fn add_answer(&mut self, output: &ToolOutput) {
        if output.is_error {
            return;
        }
        let parts = output.content.iter().filter_map(Part::as_text);
        let texts: Vec<String> = parts.flat_map(|text| user_answers(text)).collect();
        self.rules.extend(stated_rules(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
    }

    /// Whether there are no notes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl CallNote {
    /// The note of a call, which is number `at` of its message's calls; `None` if the call does not matter to the ledger.
    pub fn of(action: &Action<'_>, at: usize) -> Option<Self> {
        let mut plan = plan(&action.call.name, &action.args);
        for entry in plan.iter_mut().flat_map(|plan| &mut plan.entries) {
            entry.text = shorten::line(&entry.text, LONGEST_ENTRY);
        }
        let run = RunNote::of(action);
        (plan.is_some() || run.is_some()).then_some(Self { at, plan, run })
    }
}

impl RunNote {
    /// What an action ran or changed; `None` if it only looked.
    fn of(action: &Action<'_>) -> Option<Self> {
        if changes_service(action) {
            let call = call_line(action);
            let output = OutputKind::Answer;
            let head = format!("`{call}` → ");
            // The line may show less than what tells one call from another.
            let key = format!("{call} {:x}", hash(action.args.to_string().as_bytes()));
            return Some(Self {
                key,
                head,
                repeated: None,
                folder: None,
                output,
                is_minor: false,
                commit: None,
            });
        }
        let whole = action.command.as_deref().filter(|_| action.kind == ActionKind::Run)?;
        let command = without_directory(whole);
        if only_reads(command) {
            return None;
        }
        let key = shorten::line(without_shortening(command), LONGEST_COMMAND);
        let head = format!("`{}` → ", shorten::line(command, LONGEST_COMMAND).replace('`', "'"));
        let is_minor = is_minor_change(command);
        let commit = commit_message(command);
        Some(Self {
            key,
            head,
            repeated: repeated(whole).filter(|_| !is_minor && commit.is_none()),
            folder: folder(whole).map(str::to_owned),
            output: if prints_own_messages(whole) { OutputKind::Messages } else { OutputKind::Content },
            is_minor,
            commit,
        })
    }
}

/// A command of one line with its `cd`, without a pipe that only shortens its output. `None` if it does more behind that pipe.
fn repeated(command: &str) -> Option<String> {
    let whole = command.trim();
    let inner = without_directory(whole);
    let end = whole.len() - inner.len() + without_shortening(inner).len();
    let (told, rest) = whole.split_at(end);
    let ends_there = !rest.contains([';', '\n']) && !rest.contains("&&") && !rest.contains("||");
    let is_short = told.len() <= LONGEST_COMMAND && !told.contains(['\n', '`']);
    (ends_there && is_short).then(|| told.to_owned())
}

/// The absolute folder that a command changes into first, if it is written out.
fn folder(command: &str) -> Option<&str> {
    let folder = directory(command)?.trim_end_matches('/');
    let is_plain =
        folder.starts_with('/') && !folder.contains(['$', '`', '"', '\'', '*', '(', '<', '>', '\\']);
    (is_plain && folder.len() <= LONGEST_COMMAND).then_some(folder)
}

/// The words before the message of a commit that was made.
pub const COMMITTED: &str = "Committed: ";

/// The outcome of a command that succeeded.
const OK: &str = "ok";

impl CallOutcome {
    /// Whether the output says nothing about how the command ended.
    pub fn is_unknown(&self) -> bool {
        self.tail.is_empty()
    }

    /// Whether it is known that it succeeded, and nothing else.
    pub fn is_mere_success(&self) -> bool {
        self.tail == OK
    }

    /// Whether nothing is known except that it did not fail.
    pub fn is_plain(&self) -> bool {
        !self.failed && (self.tail == OK || self.is_unknown())
    }

    /// The line of the output that says how a command ended, as printed: the one that names an error, or the last one of a failed command.
    pub fn outcome_line(&self) -> Option<&str> {
        let tells = self.output != OutputKind::Answer && !self.is_plain();
        tells.then(|| self.tail.strip_prefix(FAILED).unwrap_or(&self.tail))
    }

    /// What the output of a call consists of; `None` for a call that only looked.
    pub fn output_kind(call: &ToolCall) -> Option<OutputKind> {
        CallNote::of(&action(call, 0), 0)?.run.map(|run| run.output)
    }

    /// What came of the call that `output` of this message answers.
    pub fn of(message: &Message, output: &ToolOutput, kind: OutputKind) -> Self {
        let text = message_text(message);
        if kind == OutputKind::Answer {
            return Self::of_answer(&text, output);
        }
        let (failed, tail) = told(&outcome(&text, output.is_error, kind == OutputKind::Messages));
        Self { output: kind, failed, tail }
    }

    /// A service's answer is quoted, so that nothing has to be claimed.
    fn of_answer(text: &str, output: &ToolOutput) -> Self {
        let failed = output.is_error || is_error(text);
        let most = if failed { LONGEST_ERROR } else { LONGEST_ANSWER };
        let short = outline(text, most).map(|outline| outline.text);
        let mut said = shorten::beginning(short.as_deref().unwrap_or(text), most);
        let ids = literals(&text[..text.floor_char_boundary(MOST_READ)]);
        let ids = ids.into_iter().filter(|literal| literal.kind == LiteralKind::Id).map(|id| id.text);
        // Those of a list are as many as its items.
        let most = if text.trim_start().starts_with('[') { 0 } else { MOST_IDS };
        let missing: Vec<&str> = ids.filter(|id| !said.contains(id)).take(most).collect();
        if !missing.is_empty() {
            said = format!("{said} ({})", missing.join(", "));
        }
        let tail = match (failed, said.is_empty()) {
            (true, true) => FAILED.trim_end_matches(": ").to_owned(),
            (true, false) => [FAILED, &said].concat(),
            (false, true) if output.content.iter().all(|part| part.as_text().is_some()) => {
                "no output".to_owned()
            }
            (false, true) => "an answer without text".to_owned(),
            (false, false) => said,
        };
        Self { output: OutputKind::Answer, failed, tail }
    }
}

/// Whether a command failed, and the end of its line in the ledger.
fn told(outcome: &Outcome) -> (bool, String) {
    let failed = outcome.status == Status::Failed;
    let tail = match (outcome.tests, outcome.status) {
        (Some((passed, 0)), Status::Failed) => {
            format!("{}, though {passed} tests passed", outcome.failure(LONGEST_ERROR))
        }
        (Some((passed, failed)), _) => {
            let error = outcome.error.as_deref().map(|error| shorten::line(error, LONGEST_ERROR));
            let error = error.map(|error| format!(": {error}")).unwrap_or_default();
            format!("{passed} passed, {failed} failed{error}")
        }
        (None, Status::Failed) => outcome.failure(LONGEST_ERROR),
        (None, Status::Ok) => OK.to_owned(),
        (None, Status::Unknown) => {
            outcome.error.as_deref().map_or_else(String::new, |error| shorten::line(error, LONGEST_ERROR))
        }
    };
    (failed, tail)
}

fn entries(text: &str) -> Vec<(String, bool)> {
    checkboxes(text).into_iter().map(|found| (shorten::line(found.text, LONGEST_ENTRY), found.done)).collect()
}
