//! Which JSON field holds an id. `GV1N64` alone says little; that it was a `reservation_id` says where a call needs
//! it.

use super::LiteralKind;
use super::literal::{Literal, each_literal};
use super::texts::named_texts;
use crate::message::Message;

/// Longer names, in bytes, are data.
const LONGEST_NAME: usize = 40;

/// Every literal fact of a message, in order; an id with the name of the JSON field whose whole value it is, if there is one.
pub(super) fn each_literal_in(message: &Message, found: &mut dyn FnMut(Literal<'_>, Option<&str>)) {
    for (name, text) in named_texts(message, |_| true) {
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

/// Whether a field's name says what the id is. That it is an id is known.
fn says_what(name: &str) -> bool {
    (3..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_of_name) && name != "ids"
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
            ("mia_li_3668", Some("users")),
            ("sess_81b2c3", None),
            ("GV1N65", None),
        ];
        assert_eq!(fields(Part::from(call)), pairs(&expected));
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
