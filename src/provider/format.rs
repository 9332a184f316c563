//! [`Provider`], the interface of every format, and helpers with which several formats read lists.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::calls::Calls;
use super::find_list::list_of;
use super::note::{Note, Notes};
use super::textless;
use crate::error::{Error, Result};
use crate::message::{Format, Message, Part, Role};

/// The note on a message that an opening was inserted before.
pub const OPENING_NOTE: &str = "an opening message is inserted before it: the format requires one";

/// A conversation in one provider's shape.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Written {
    /// What the format keeps outside of the list: `instructions` (Responses) or `system` (Anthropic).
    pub head: Option<Value>,
    /// The list: input items or messages.
    pub items: Vec<Value>,
    /// What the format could not express, in order.
    pub notes: Vec<Note>,
}

impl Written {
    /// The fields of the request: the head, if there is one, and the list.
    pub(super) fn into_body(self, head_key: &str, list_key: &str) -> Value {
        let head = self.head.map(|head| (head_key.to_owned(), head));
        Value::Object(head.into_iter().chain([(list_key.to_owned(), Value::Array(self.items))]).collect())
    }
}

/// One provider's format, for reading and writing.
pub trait Provider: Sync {
    /// Which format it is.
    fn format(&self) -> Format;

    /// Reads a list, one entry, a request body or a response. A malformed message fails with `INVALID_MESSAGE` and its
    /// index in the list; an input of unknown shape fails with `INVALID_ARGUMENT`.
    fn read(&self, input: &Value) -> Result<Vec<Message>> {
        let list = self.read_list(&list_of(self.format(), input)?)?;
        Ok(self.read_head(input).into_iter().chain(messages(list)).collect())
    }

    /// The message for what a body keeps outside of its list.
    fn read_head(&self, _body: &Value) -> Option<Message> {
        None
    }

    /// Reads a list into messages, each with the range of entries that it came from. Several entries may become one
    /// message, and one entry may become several messages.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` with the index of the malformed entry.
    fn read_list(&self, list: &[Value]) -> Result<Vec<(Message, Range<usize>)>>;

    /// Like [`Self::read_list`], for a list that follows the entries `before`. The ranges are relative to `list`.
    ///
    /// # Errors
    /// See [`Self::read_list`].
    fn read_after(&self, before: &[Value], list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        let from = before.len();
        let all = [before, list].concat();
        let Ok(read) = self.read_list(&all) else { return self.read_list(list) };
        if read.iter().any(|(_, range)| range.start < from && range.end > from) {
            return self.read_list(list); // the format would merge what is before the list with what is in it
        }
        Ok(behind(from, read))
    }

    /// Like [`Self::read_list`], for a list behind these messages, for a format in which they say how it is read.
    ///
    /// # Errors
    /// See [`Self::read_list`].
    fn read_behind(&self, _before: &[Arc<Message>], list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        self.read_list(list)
    }

    /// Whether a list can only be read together with all messages of the answer and its outputs before it, and not with the last one alone.
    fn continues(&self, _list: &[Value]) -> bool {
        false
    }

    /// Writes messages that share one entry of the list, or a single message. `calls`: those before and in them. Adds
    /// to `notes` what cannot be expressed.
    fn write_run(&self, run: &[&Message], calls: &Calls<'_>, notes: &mut Vec<Note>) -> Vec<Value>;

    /// Whether `message` is written into the same entry as the `run` before it: then it belongs to the run.
    fn joins(&self, _run: &[&Message], _message: &Message) -> bool {
        false
    }

    /// Whether `message` goes into the head, which the format keeps outside of the list. `leading`: all messages before
    /// it do, too.
    fn is_head(&self, _message: &Message, _leading: bool) -> bool {
        false
    }

    /// Writes the head.
    fn write_head(&self, _head: &[&Message], _notes: &mut Vec<Note>) -> Option<Value> {
        None
    }

    /// The entry to insert at the beginning if the first message that is not an instruction has this role.
    fn opening(&self, _first: Role) -> Option<Value> {
        None
    }

    /// Corrects what can only be seen in the whole list: how it may end.
    fn finish(&self, _items: &mut Vec<Value>, _notes: &mut Vec<Note>) {}

    /// The message without what the API refuses, or `None` if it has nothing of that kind. A view sends it instead of
    /// the original.
    fn corrected(&self, _message: &Message, _notes: &mut Vec<Note>) -> Option<Message> {
        None
    }

    /// The request body in this format: `{ instructions?, input }`, `{ system?, messages }`, or only the list.
    fn body(&self, written: Written) -> Value {
        Value::Array(written.items)
    }

    /// Writes one message as entries of its own.
    fn write_one(&self, message: &Message, calls: &Calls<'_>) -> Vec<Value> {
        self.write_run(&[message], calls, &mut Vec::new())
    }

    /// Writes messages as they came, without the changes that a request needs: no opening is inserted, and nothing is
    /// removed from the end.
    fn write_as_they_came(&self, messages: &[&Message], calls: &Calls<'_>) -> Vec<Value> {
        let mut items = Vec::new();
        let mut from = 0;
        for at in 1..=messages.len() {
            let run = &messages[from..at];
            if messages.get(at).is_none_or(|next| !self.joins(run, next)) {
                items.extend(self.write_run(run, calls, &mut Vec::new()));
                from = at;
            }
        }
        items
    }

    /// Adds a note if only other formats have the role of `message`.
    fn note_role(&self, message: &Message, notes: &mut Vec<Note>) {
        use Format::{Messages, OpenaiChat, OpenaiResponses};
        let has_role = matches!(self.format(), Messages | OpenaiChat | OpenaiResponses);
        let says = message.parts.iter().any(|part| matches!(part, Part::Text { .. }));
        if message.role == Role::Developer && !has_role && says {
            notes.push(Note::new("a developer message is written as a system message"));
        }
    }

    /// Adds a note on a message that is written together with another of its role, unless it came so.
    fn note_joined(&self, message: &Message, notes: &mut Vec<Note>) {
        if !message.extras.came_in(self.format()) {
            notes.push(Note::new("it is joined to the message before it"));
        }
    }

    /// Writes a conversation.
    fn write(&self, messages: &[&Message]) -> Written {
        let mut out = Written::default();
        let mut notes = Notes::default();
        let mut head: Vec<&Message> = Vec::new();
        let mut head_start = 0;
        let mut run: Vec<&Message> = Vec::new();
        let mut run_start = 0;
        let mut calls = Calls::default();
        let mut leading = true;
        let mut opened = false;
        let mut add = |run: &[&Message], calls: &Calls<'_>, notes: &mut Vec<Note>| {
            let items = self.write_run(run, calls, notes);
            let first =
                run.first().map(|m| m.role).filter(|role| !role.is_instruction() && !items.is_empty());
            if let Some(first) = first.filter(|_| !std::mem::replace(&mut opened, true))
                && let Some(opening) = self.opening(first)
            {
                notes.push(Note::new(OPENING_NOTE));
                out.items.push(opening);
            }
            out.items.extend(items);
        };
        for (i, message) in messages.iter().enumerate() {
            notes.at(i, |n| self.note_role(message, n));
            if self.is_head(message, leading) {
                if !leading {
                    notes.at(i, |n| n.push(Note::new("it is moved to before the conversation")));
                }
                if head.is_empty() {
                    head_start = i;
                }
                head.push(message);
                continue;
            }
            leading = false;
            if !run.is_empty() && !self.joins(&run, message) {
                notes.at(run_start, |n| add(&run, &calls, n));
                run.clear();
            }
            match run.last() {
                None => run_start = i,
                Some(before) if before.role == message.role && message.role != Role::Tool => {
                    notes.at(i, |n| self.note_joined(message, n));
                }
                Some(_) => {}
            }
            calls.add(message);
            run.push(message);
        }
        if !run.is_empty() {
            notes.at(run_start, |n| add(&run, &calls, n));
        }
        notes.at(run_start, |n| self.finish(&mut out.items, n));
        if !head.is_empty() {
            out.head = notes.at(head_start, |n| {
                let written = self.write_head(&head, n);
                if head.len() > 1 && written.is_some() {
                    let apart =
                        if matches!(written, Some(Value::String(_))) { "" } else { ", each as a part of it" };
                    n.push(Note::new(format!("{} system messages are written as one{apart}", head.len())));
                }
                written
            });
        }
        out.notes = notes.into_vec();
        out
    }
}

/// The messages behind the first `from` entries, with ranges that begin there.
fn behind(from: usize, read: Vec<(Message, Range<usize>)>) -> Vec<(Message, Range<usize>)> {
    let behind = read.into_iter().filter(|(_, range)| range.start >= from);
    behind.map(|(message, range)| (message, range.start - from..range.end - from)).collect()
}

/// Only the messages.
fn messages(read: Vec<(Message, Range<usize>)>) -> Vec<Message> {
    read.into_iter().map(|(message, _)| message).collect()
}

/// Reads a list in which each entry is one message.
pub(super) fn one_by_one(
    list: &[Value],
    read: impl Fn(&Value, usize) -> Result<Message>,
) -> Result<Vec<(Message, Range<usize>)>> {
    let read = |(i, entry)| {
        textless::refuse(entry, i)?;
        Ok((read(entry, i)?, i..i + 1))
    };
    list.iter().enumerate().map(read).collect()
}

/// Reads a list in which an entry may be several messages.
pub(super) fn several_by_one(
    list: &[Value],
    read: impl Fn(&Value, usize, &mut Vec<Message>) -> Result<()>,
) -> Result<Vec<(Message, Range<usize>)>> {
    let mut out = Vec::new();
    let mut from = Vec::new();
    for (i, entry) in list.iter().enumerate() {
        textless::refuse(entry, i)?;
        read(entry, i, &mut out)?;
        from.resize(out.len(), i..i + 1);
    }
    Ok(out.into_iter().zip(from).collect())
}

/// The entry as an object.
pub(super) fn object(entry: &Value, index: usize) -> Result<&Map<String, Value>> {
    entry.as_object().ok_or_else(|| Error::message_at(index, "expected an object"))
}
