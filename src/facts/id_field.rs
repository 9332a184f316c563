//! Which JSON field holds an id. `GV1N64` alone says little; that it was a `reservation_id` says where a call needs
//! it.

use super::LiteralKind;
use super::literal::{Literal, each_literal};
use super::record_text::{IDS_TITLE, is_record};
use super::texts::named_texts;
use crate::hashing::HashMap;
use crate::message::Message;

/// Longer names, in bytes, are data.
const LONGEST_NAME: usize = 32;

/// The names of fields, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldNames {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl FieldNames {
    /// The number of a name, which is added if it is new.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number as u32;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number as u32
    }

    /// The name with this number.
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }
}

/// Every literal fact of a message, in order; an id with the name of the JSON field whose whole value it is, if the name says what the id
/// is. In a record, the ledger has such names.
pub(super) fn each_literal_in(message: &Message, found: &mut dyn FnMut(Literal<'_>, Option<&str>)) {
    let is_record = is_record(message);
    for (name, text) in named_texts(message, |_| true) {
        if is_record {
            for line in text.lines() {
                let field = listed_under(line);
                each_literal(line, &mut |literal| {
                    found(literal, field.filter(|_| literal.kind == LiteralKind::Id));
                });
            }
            continue;
        }
        if let Some(field) = name.as_deref().filter(|field| is_id_in(field, &text)) {
            let literal = Literal { kind: LiteralKind::Id, text: &text, at: 0 };
            found(literal, Some(field).filter(|field| says_what(field)));
            continue;
        }
        each_literal(&text, &mut |literal| {
            let field = match literal.kind {
                LiteralKind::Id if literal.text == text => name.as_deref(),
                LiteralKind::Id => field_before(&text, &literal),
                _ => None,
            };
            found(literal, field.filter(|field| says_what(field)));
        });
    }
}

/// Whether an argument is an id, whatever its shape: its name says so, and it is a short word with a digit.
fn is_id_in(field: &str, value: &str) -> bool {
    const LENGTHS: std::ops::RangeInclusive<usize> = 4..=40;
    const NAMES: [&str; 4] = ["id", "ids", "ref", "uuid"];
    let says_id = says_what(field) && NAMES.iter().any(|end| field.to_ascii_lowercase().ends_with(end));
    (field == "id" || says_id)
        && LENGTHS.contains(&value.len())
        && value.bytes().all(is_of_name)
        && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// The field of the ids that a line of a record lists.
fn listed_under(line: &str) -> Option<&str> {
    let (field, _) = line.strip_prefix(IDS_TITLE)?.strip_prefix(" (")?.split_once("): ")?;
    Some(field).filter(|field| says_what(field))
}

/// The name of the field whose value the literal is: `"user_id": "mia_li_3668"`. In a JSON string within JSON, a backslash stands before
/// each quote.
fn field_before<'t>(text: &'t str, literal: &Literal<'_>) -> Option<&'t str> {
    let (before, after) = (&text[..literal.at], &text[literal.at + literal.text.len()..]);
    let quote = if before.ends_with("\\\"") { "\\\"" } else { "\"" };
    let before = before.strip_suffix(quote).filter(|_| after.starts_with(quote))?;
    let before = before.trim_end_matches(' ').strip_suffix(':')?.trim_end_matches(' ').strip_suffix(quote)?;
    let name =
        before.len() - before.bytes().rev().take(LONGEST_NAME + 1).take_while(|b| is_of_name(*b)).count();
    before[..name].ends_with(quote).then_some(&before[name..])
}

/// The last words of names that say which thing an id names. Other fields, such as `query`, hold an id once and something else the next time.
const ENDS: [&str; 9] = ["id", "ids", "key", "ref", "code", "number", "sha", "hash", "uuid"];

/// Whether a field's name says what the id is. That it is an id is known.
fn says_what(name: &str) -> bool {
    let last_word = |end: &str| {
        let before = name.len().checked_sub(end.len()).filter(|at| name.is_char_boundary(*at));
        let Some((first, last)) = before.map(|at| name.split_at(at)) else { return false };
        let begins = first.ends_with(['_', '-']) || last.starts_with(|c: char| c.is_ascii_uppercase());
        last.eq_ignore_ascii_case(end) && (begins || first.is_empty())
    };
    let is_name = name.len() <= LONGEST_NAME && name.bytes().all(is_of_name);
    is_name && !["id", "ids"].contains(&name) && ENDS.iter().any(|end| last_word(end))
}

const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
