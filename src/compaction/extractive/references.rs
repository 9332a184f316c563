use super::draft::{Draft, Section};
use super::places::Places;
use crate::facts::{LiteralKind, literals};
use crate::hashing::HashMap;
use crate::message::{Message, Role};
use crate::sorting::sort_by_key;

pub(super) const FOLDER_LABEL: &str = "Working directory: ";
pub(super) const REF_LABEL: &str = "Tool output ";

/// Adds URLs, ids, error codes, and files that were only mentioned.
pub(super) fn references(
    draft: &mut Draft,
    messages: &[Message],
    texts: &[String],
    summaries: &[bool],
    places: &Places,
) {
    struct Mention {
        kind: LiteralKind,
        count: u64,
        said: bool,
        last: usize,
    }
    let mut mentions: HashMap<&str, Mention> = HashMap::default();
    let mut order: Vec<&str> = Vec::new();
    for (at, (message, text)) in messages.iter().zip(texts).enumerate() {
        if summaries[at] || message.role.is_instruction() {
            continue;
        }
        let said = message.role != Role::Tool;
        for literal in literals(text) {
            let mention = mentions.entry(literal.text).or_insert_with(|| {
                order.push(literal.text);
                Mention { kind: literal.kind, count: 0, said: false, last: at }
            });
            mention.count += 1;
            mention.said |= said;
            mention.last = at;
        }
    }
    let mut listed: Vec<(usize, &str, u64)> = Vec::new();
    for text in order {
        let Some(mention) = mentions.get(text) else { continue };
        let weight = match (mention.kind, mention.said) {
            (LiteralKind::Url, true) | (LiteralKind::ErrorCode, _) => 4,
            (LiteralKind::Id | LiteralKind::Path, true) => 2,
            (LiteralKind::Url, false) if mention.count < 3 => 1,
            (LiteralKind::Url | LiteralKind::Id | LiteralKind::Path, false) => continue,
        };
        if mention.kind == LiteralKind::Path {
            let path = places.relative(text, None);
            let known = [Section::Changed, Section::Read].iter().any(|s| draft.get(*s, &path).is_some());
            if known || !text.contains(['/', '\\']) {
                continue;
            }
        }
        listed.push((mention.last, text, weight + mention.count.min(5)));
    }
    sort_by_key(&mut listed, |(last, _, _)| *last);
    for (_, text, weight) in listed {
        draft.put(Section::References, text, text, weight);
    }
    if let Some(root) = places.root() {
        draft.put(Section::References, FOLDER_LABEL, &format!("{FOLDER_LABEL}{root}"), 60);
    }
}

/// Adds the refs of tool outputs.
pub(super) fn output_refs(draft: &mut Draft, messages: &[Message]) {
    for output_ref in messages.iter().flat_map(Message::tool_outputs).filter_map(|o| o.output_ref.as_ref()) {
        let line = format!("{REF_LABEL}ref={}", output_ref.id);
        draft.put(Section::References, &line, &line, 3);
    }
}
