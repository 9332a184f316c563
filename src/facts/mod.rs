//! Facts of a conversation, found without a model and in linear time.
//!
//! [`literals`] must survive letter by letter: paths, URLs, ids, error codes. [`constraints`] are the user's rules. [`actions`] pairs tool
//! calls with their outputs and says what each one did. The rest reads what the assistant and the user said: decisions, progress, open
//! work.

mod actions;
mod all_done;
mod args;
mod asked_user;
mod bytes;
mod codes;
mod constraints;
mod drawn;
mod edit;
mod kept;
mod keywords;
mod literal;
mod names;
mod needles;
mod notes;
mod open_work;
mod outcome;
mod paths;
mod phrases;
mod remarks;
mod routes;
mod rule_words;
mod ruled;
mod sentences;
mod shell;
pub(crate) mod shorten;
mod statements;
mod telling;
mod texts;
mod todo;
mod tongues;
mod wide;
mod word;
mod wrapped;

pub use actions::{Action, Deed, actions};
pub use all_done::says_all_done;
pub use asked_user::is_put_to_the_user;
pub use constraints::{Constraint, constraints};
pub use drawn::Drawn;
pub use kept::Kept;
pub use literal::{Literal, LiteralKind, literals};
pub use names::Names;
pub use needles::Needles;
pub use notes::{Answered, CallNote, Notes, RunNote, Said};
pub use open_work::{Checkbox, asks, asks_the_user, checkboxes, continues, intentions, ticks};
pub use outcome::{Outcome, Status, outcome};
pub use remarks::{Remark, remarks};
pub use ruled::Strength;
pub use sentences::{Sentence, sentences};
pub use shell::{
    Effect, changes_little, commit_message, directory, effects, essence, only_looks, speaks,
    without_directory,
};
pub use statements::{Statement, StatementKind, statement};
pub use telling::telling;
pub use texts::{said, texts, texts_with};
pub use todo::{Plan, Todo, made_id, plan};
pub(crate) use word::is_cjk;
pub use wrapped::unwrapped;
