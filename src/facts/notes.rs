//! What a ledger lists of a message beside its literal facts. Most messages have nothing of this kind.

use super::actions::{Action, Deed, action};
use super::asked_user::spoken;
use super::outcome::{FAILED, Outcome, Status, outcome};
use super::{
    Plan, Strength, asks, asks_the_user, changes_little, checkboxes, constraints, essence, intentions,
    only_looks, plan, said, says_all_done, shorten, speaks, unwrapped, without_directory,
};
use crate::message::{ItemType, Message, Part, Role, ToolCall, ToolOutput};
use crate::saved::saved;

/// A longer sentence was pasted rather than said.
const LONGEST_SAID: usize = 600;
/// A message with more constraints than these is a paste, a specification or a log, whose lines are hardly the user's own.
const MOST_SAID: usize = 12;
/// Longer entries of a list give their middle.
const LONGEST_ENTRY: usize = 300;
/// Of what an answer says is to be done, so many lines.
const MOST_NEXT: usize = 12;
/// Longer commands are scripts.
const LONGEST_COMMAND: usize = 120;
/// Longer errors are their own report.
const LONGEST_ERROR: usize = 120;

/// What a message says beside its literal facts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// The user's constraints in it, in order; or those of who instructs the agent.
    pub rules: Vec<Said>,
    /// Its checklist entries, in order, and whether they are ticked.
    pub boxes: Vec<(String, bool)>,
    /// It says that all there was to do is done.
    pub all_done: bool,
    /// The question that it ends with, where it waits for an answer; of a message that makes calls, one that is put to the user.
    pub question: Option<String>,
    /// What an answer says is still to be done.
    pub next: Vec<String>,
    /// Its calls that a ledger tells of.
    pub calls: Vec<CallNote>,
    /// How the command ended that it answers.
    pub answer: Option<Answered>,
}

/// A constraint of the user's, word for word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The sentence.
    pub text: String,
    /// How surely it is a constraint.
    pub strength: Strength,
    /// It holds one of the defining words, and is not one of a crowd.
    pub explicit: bool,
}

/// A call that a ledger tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallNote {
    /// Which of the message's calls it is.
    pub at: usize,
    /// What it says of the plan.
    pub plan: Option<Plan>,
    /// The command that it runs.
    pub run: Option<RunNote>,
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunNote {
    /// What it is about: a later run of the same replaces it.
    pub key: String,
    /// The beginning of its line in the ledger.
    pub head: String,
    /// What it prints are a program's own messages.
    pub speaks: bool,
    /// Where it succeeds, nobody has to know of it.
    pub is_little: bool,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// For which [`RunNote::speaks`] its output was read.
    pub speaks: bool,
    /// It failed.
    pub failed: bool,
    /// The end of its line in the ledger.
    pub tail: String,
}

saved!(struct Answered { speaks, failed, tail });

impl Notes {
    /// What a message says, its calls and what they came to aside.
    pub fn of(message: &Message) -> Self {
        let mut notes = Self::default();
        let user = message.role == Role::User;
        if message.role == Role::Tool {
            return notes;
        }
        let said = said(message);
        // A memory, an injection or a skill has the user's role, or the system's, and not their authority.
        let instructs = message.role.is_instruction() && message.item_type() == ItemType::SystemPrompt;
        if message.opens_turn() || (instructs && !message.is_output_note()) {
            notes.rules = rules(&[&said]);
        }
        if !user && message.role != Role::Assistant {
            return notes;
        }
        let calls = message.tool_calls().next().is_some();
        let question = asks(&said).filter(|q| !calls || asks_the_user(q));
        notes.question = question.map(|q| shorten::line(q, LONGEST_ENTRY));
        if !user && !calls {
            let next = intentions(&said).into_iter().take(MOST_NEXT);
            notes.next = next.map(|line| shorten::line(line, LONGEST_ENTRY)).collect();
        }
        notes.boxes = entries(&said);
        notes.all_done = says_all_done(&said);
        notes
    }

    /// The rules in what the user answered by a tool that asks. An error is the tool's own word.
    pub(super) fn add_answer(&mut self, output: &ToolOutput) {
        if output.is_error {
            return;
        }
        let parts = output.content.iter().filter_map(|part| match part {
            Part::Text { text, .. } => Some(text),
            _ => None,
        });
        let texts: Vec<String> = parts.flat_map(|text| spoken(text)).collect();
        self.rules.extend(rules(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The rules in what somebody said at once.
fn rules(texts: &[&str]) -> Vec<Said> {
    let all: Vec<super::Constraint<'_>> = texts.iter().flat_map(|text| constraints(text)).collect();
    let crowd = all.len() > MOST_SAID;
    let rule = |found: super::Constraint<'_>| {
        let pasted = crowd || found.fenced || found.text.len() > LONGEST_SAID;
        let strength = if pasted { Strength::Mention } else { found.strength };
        Said { text: unwrapped(found.text).into_owned(), strength, explicit: found.explicit && !crowd }
    };
    all.into_iter().map(rule).collect()
}

impl CallNote {
    /// What a ledger tells of a call; `None` where that is nothing. `at`: which of its message's calls it is.
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
    /// The command that an action ran; `None` where it ran none, or only looked.
    fn of(action: &Action<'_>) -> Option<Self> {
        let whole = action.command.as_deref().filter(|_| action.deed == Deed::Run)?;
        let command = without_directory(whole);
        if only_looks(command) {
            return None;
        }
        let key = shorten::line(essence(command), LONGEST_COMMAND);
        let head = format!("`{}` → ", shorten::line(command, LONGEST_COMMAND).replace('`', "'"));
        Some(Self { key, head, speaks: speaks(whole), is_little: changes_little(command) })
    }
}

/// What is told of a command that printed nothing.
const SILENT: &str = "no output";
/// And of one that succeeded.
const OK: &str = "ok";

impl Answered {
    /// Nothing but that it went well, as far as that is known.
    pub fn is_plain(&self) -> bool {
        !self.failed && (self.tail == OK || self.tail == SILENT)
    }

    /// The line that says it, as it was printed: the one that names an error, or the last.
    pub fn said(&self) -> Option<&str> {
        (!self.is_plain()).then(|| self.tail.strip_prefix(FAILED).unwrap_or(&self.tail))
    }

    /// Whether what a call's command prints are a program's own messages; `None` for a call that ran none.
    pub fn speaks(call: &ToolCall) -> Option<bool> {
        CallNote::of(&action(call, 0), 0)?.run.map(|run| run.speaks)
    }

    /// How a command ended that `output` of this message answers.
    pub fn of(message: &Message, output: &ToolOutput, speaks: bool) -> Self {
        Self::told(&outcome(&said(message), output.is_error, speaks), speaks)
    }

    fn told(outcome: &Outcome, speaks: bool) -> Self {
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
            // Its own word, for nothing tells how it ended.
            (None, Status::Unknown) => {
                outcome.said().map_or(SILENT.to_owned(), |said| shorten::line(said, LONGEST_ERROR))
            }
        };
        Self { speaks, failed, tail }
    }
}

fn entries(text: &str) -> Vec<(String, bool)> {
    checkboxes(text).into_iter().map(|found| (shorten::line(found.text, LONGEST_ENTRY), found.done)).collect()
}
