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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Part, Role, ToolCall, ToolOutput};

    fn fields(part: Part) -> Vec<(String, Option<String>)> {
        let role = if matches!(part, Part::ToolOutput(_)) { Role::Tool } else { Role::Assistant };
        let mut all = Vec::new();
        each_literal_in(&Message::new(role, vec![part]), &mut |literal, field| {
            all.push((literal.text.to_owned(), field.map(str::to_owned)));
        });
        all
    }

    fn pairs(all: &[(&str, Option<&str>)]) -> Vec<(String, Option<String>)> {
        all.iter().map(|(text, field)| ((*text).to_owned(), field.map(str::to_owned))).collect()
    }

    #[test]
    fn the_argument_that_is_an_id_names_it() {
        let input = r#"{"reservation_id":"GV1N64","users":["mia_li_3668"],"id":"sess_81b2c3","note":"see GV1N65, please"}"#;
        let call = ToolCall::function("c", "cancel", input);
        let expected = [
            ("GV1N64", Some("reservation_id")),
            ("mia_li_3668", None),
            ("sess_81b2c3", None),
            ("GV1N65", None),
        ];
        assert_eq!(fields(Part::from(call)), pairs(&expected));
    }

    #[test]
    fn a_record_says_which_field_held_an_id() {
        let text = "[Record of 3 earlier messages]\nIds: K2MQ7A\nIds (reservation_id): GV1N64 H9ZU1C\nPaths: src/a.rs";
        let expected = [
            ("K2MQ7A", None),
            ("GV1N64", Some("reservation_id")),
            ("H9ZU1C", Some("reservation_id")),
            ("src/a.rs", None),
        ];
        assert_eq!(fields(Part::text(text)), pairs(&expected));
        assert_eq!(listed_under("Ids (Task): GV1N64"), None);
    }

    #[test]
    fn only_names_of_ids_name_them() {
        for name in ["user_id", "toolCallId", "sha", "commit-hash", "flightNumber", "key", "orderID"] {
            assert!(says_what(name), "{name}");
        }
        let long = format!("{}_id", "x".repeat(30));
        for name in [
            "id",
            "ids",
            "query",
            "text",
            "Task",
            "paid",
            "valid",
            "K2MQ7A",
            "179",
            "bestellung_nr",
            "é_id",
            long.as_str(),
        ] {
            assert!(!says_what(name), "{name}");
        }
    }

    #[test]
    fn the_field_before_an_id_in_an_output_names_it() {
        let text = r#"{"user_id": "mia_li_3668", "inner": "{\"payment_id\":\"card_7815826\"}", "path": "src/a.rs", "said": "for mia_li_3669"}"#;
        let output = ToolOutput::text("c", text);
        let expected = [
            ("mia_li_3668", Some("user_id")),
            ("card_7815826", Some("payment_id")),
            ("src/a.rs", None),
            ("mia_li_3669", None),
        ];
        assert_eq!(fields(Part::from(output)), pairs(&expected));
    }
}
