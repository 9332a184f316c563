//! Facts of a conversation, found without a model and in linear time.
//!
//! [`literals`] must survive letter by letter: paths, URLs, ids, error codes. [`constraints`] are the user's rules. [`actions`] pairs tool
//! calls with their outputs and says what each one did. The rest reads what the assistant and the user said: decisions, progress, open
//! work.

mod actions;
mod all_done;
mod args;
mod asked_user;
mod blanks;
mod bytes;
mod cjk_rules;
mod clause;
mod codes;
mod constraints;
mod content;
mod distinguishing;
mod edit;
mod extracted;
mod full_stop;
mod id_field;
mod kept;
mod keywords;
mod literal;
mod marks;
mod names;
mod notes;
mod open_work;
mod outcome;
mod paths;
mod phrases;
mod questions;
mod record_text;
mod routes;
mod rule_patterns;
mod rule_words;
mod says;
mod sentences;
mod service;
mod shell;
pub(crate) mod shorten;
mod small_talk;
mod stated_rule;
mod statements;
mod subject;
#[cfg(test)]
mod tests;
mod text_set;
mod texts;
mod todo;
mod user_text;
mod wide;
mod word;
pub(crate) mod words;
mod wrapped;

pub use actions::{Action, ActionKind, actions};
pub use all_done::says_all_done;
pub use asked_user::is_ask_user_tool;
pub use constraints::{Constraint, constraints};
pub use content::Content;
pub use distinguishing::distinguishing_argument;
pub use extracted::ExtractedFacts;
pub use id_field::FieldNames;
pub use kept::KeptFacts;
pub use literal::{LiteralKind, literals};
pub use marks::{LISTS as MARK_LISTS, OPENS, is_in_ref, mark_lists, marked, quoted};
pub use names::Names;
pub use notes::{COMMITTED, CallNote, CallOutcome, Notes, OutputKind, RunNote};
pub use open_work::{
    checkboxes, continues, final_question, intentions, is_question_to_user, ticks, whole_final_question,
};
pub use outcome::{Outcome, Status, outcome};
pub use record_text::{
    ANSWERED_BELOW, CONSTRAINTS_HEADING, EARLIER_MESSAGES, IDS_TITLE, LATEST, LEDGER_HEADING,
    LEDGER_HEADINGS, LEFT_OUT, MORE, RECORD_BEGINS, RECORD_ENDS, RULES_TITLE, inside_record, is_call,
    is_record, recorded_messages, recorded_rules, recorded_words, records_rules, split_count, without_label,
    without_ledger,
};
pub use says::{LONGEST_MESSAGE as LONGEST_REMARKED, Says, is_written, only_names_what_to_read};
pub use sentences::{Sentence, first_sentence, sentences};
pub use service::{call_line, changes_service};
pub use shell::{
    commit_message, directory, effects, is_minor_change, only_reads, prints_own_messages, without_directory,
    without_shortening,
};
pub use small_talk::{agrees, is_courtesy, says_what_is_lacking, thanks};
pub use stated_rule::StatedRule;
pub use statements::{Statement, narrates, only_leads_on, statement};
pub use subject::{Readings, Subject};
pub use text_set::TextSet;
pub use texts::{message_text, texts, texts_of_call, texts_with};
pub use todo::{Plan, created_id, plan};
pub use user_text::{LEAST_WORDS, SHARED, Told, UserText, asks_for, entry};
pub use wrapped::unwrapped;
