use proptest::prelude::*;

use super::*;
use crate::message::{Reasoning, ToolCall};
use crate::provider::links::has_reasoning;

/// What became of an item of a compacted message: the history item that it matched, and its content. Here each part is
/// an item.
type Fate = (Option<usize>, Part);

fn fates(items: Option<Range<usize>>, message: &Message) -> Vec<Fate> {
    let mut items = items.into_iter().flatten();
    message.parts.iter().map(|part| (items.next(), part.clone())).collect()
}

/// A reference implementation that compares each compacted message with every message of the history, front to back.
fn one_by_one(entries: &[Entry], compacted: &[&Message]) -> Vec<Fate> {
    let same = |a: &Message, b: &Message| a.role == b.role && a.parts == b.parts;
    let from_the_end = entries.iter().rev().zip(compacted.iter().rev());
    let end = from_the_end.take_while(|(entry, message)| same(&entry.message, message)).count();
    let (before, kept) = entries.split_at(entries.len() - end);
    let pieces: Vec<(usize, Message, Range<usize>)> = before
        .iter()
        .enumerate()
        .flat_map(|(at, entry)| {
            let Entry { message, items } = entry;
            let own = if items.len() == message.parts.len() { items.len() } else { 1 };
            let each = message.parts.len() / own;
            (0..own).map(move |n| {
                let parts = message.parts[n * each..(n + 1) * each].to_vec();
                let items = if own == 1 { items.clone() } else { items.start + n..items.start + n + 1 };
                (at, Message::new(message.role, parts), items)
            })
        })
        .collect();
    let is_reasoning = |message: &Message| matches!(message.parts[..], [Part::Reasoning(_)]);
    let lost_reasoning = !compacted.iter().any(|message| has_reasoning(message));
    let mut next = 0;
    let mut found: Vec<Result<usize, Message>> = Vec::new();
    for message in &compacted[..compacted.len() - end] {
        let mut place = |wanted: &dyn Fn(&Message) -> bool| {
            let at = (next..pieces.len()).find(|at| wanted(&pieces[*at].1))?;
            next = at + 1;
            Some(at)
        };
        if let Some(at) = place(&|other| same(other, message)) {
            found.push(Ok(at));
            continue;
        }
        let parts: Vec<Message> =
            message.parts.iter().map(|part| Message::new(message.role, vec![part.clone()])).collect();
        let each: Vec<Result<usize, Message>> =
            parts.into_iter().map(|part| place(&|other| same(other, &part)).ok_or(part)).collect();
        if each.len() > 1 && each.iter().any(Result::is_ok) {
            found.extend(each);
            continue;
        }
        if let Some(output) = message.tool_outputs().next() {
            place(&|other| other.tool_outputs().any(|o| o.call_id == output.call_id));
        }
        found.push(Err((*message).clone()));
    }
    let mut out: Vec<Fate> = Vec::new();
    for fate in &found {
        match fate {
            Err(message) => out.extend(fates(None, message)),
            Ok(at) => {
                let goes_along = |before: &usize| {
                    let (entry, message, _) = &pieces[*before];
                    is_reasoning(message)
                        && !found.iter().any(|other| other.as_ref() == Ok(before))
                        && (*entry == pieces[*at].0 || lost_reasoning)
                };
                let led = (0..*at).rev().take_while(goes_along).last();
                let first = led.filter(|_| !is_reasoning(&pieces[*at].1)).unwrap_or(*at);
                out.extend(
                    pieces[first..=*at].iter().flat_map(|(_, m, items)| fates(Some(items.clone()), m)),
                );
            }
        }
    }
    out.extend(kept.iter().flat_map(|entry| fates(Some(entry.items.clone()), &entry.message)));
    out
}

/// The result of `matched`.
fn by_matching(entries: &[Entry], compacted: &[&Message]) -> Vec<Fate> {
    let reasons = entries.iter().any(|entry| has_reasoning(&entry.message));
    let lost_reasoning = reasons && !compacted.iter().any(|message| has_reasoning(message));
    let fate = |(_, matched): Indexed<'_>| {
        let items = if let Matched::Kept(_, items) = &matched { Some(items.clone()) } else { None };
        fates(items, matched.message())
    };
    matched(entries, compacted, lost_reasoning).into_iter().flat_map(fate).collect()
}

/// One exchange: a question, and the model's answer in one response or item by item.
#[derive(Debug, Clone)]
struct Exchange {
    text: usize,
    thinks: bool,
    says: bool,
    together: bool,
    /// How much of it the view has: nothing, all, or all with a trimmed output.
    shown: u8,
}

fn exchange() -> impl Strategy<Value = Exchange> {
    (0..3usize, any::<bool>(), any::<bool>(), any::<bool>(), 0..4u8)
        .prop_map(|(text, thinks, says, together, shown)| Exchange { text, thinks, says, together, shown })
}

/// A history and a view of it. `unique`: no two texts are the same.
fn view_of_exchanges(
    exchanges: &[Exchange],
    unique: bool,
    thoughts_are_told: bool,
    summary: bool,
) -> (Vec<Entry>, Vec<Message>) {
    let mut entries: Vec<Entry> = Vec::new();
    let mut view: Vec<Message> = summary.then(|| Message::text(Role::User, "summary")).into_iter().collect();
    let mut items = 0;
    let mut add = |message: Message| {
        let start = items;
        items += message.parts.len();
        entries.push(Entry { message: Arc::new(message), items: start..items });
    };
    for (n, exchange) in exchanges.iter().enumerate() {
        let text =
            |what: &str| if unique { format!("{what} {n}") } else { format!("{what} {}", exchange.text) };
        let id = format!("call_{n}");
        let asked = Message::text(Role::User, text("do"));
        let thought = Reasoning { id: Some(format!("rs_{n}")), ..Reasoning::default() };
        let mut made: Vec<Part> = Vec::new();
        made.extend(exchange.thinks.then(|| thought.into()));
        made.extend(exchange.says.then(|| Part::text(text("well"))));
        made.push(ToolCall::function(&*id, "f", "{}").into());
        let output = Message::tool(&*id, text("a long output of what was done"));
        add(asked.clone());
        if exchange.together {
            add(Message::new(Role::Assistant, made.clone()));
        } else {
            for part in &made {
                add(Message::new(Role::Assistant, vec![part.clone()]));
            }
        }
        add(output.clone());
        if exchange.shown > 0 {
            made.retain(|part| thoughts_are_told || !matches!(part, Part::Reasoning(_)));
            let trimmed = Message::tool(&*id, "[trimmed]");
            view.extend([
                asked,
                Message::new(Role::Assistant, made),
                if exchange.shown == 1 { trimmed } else { output },
            ]);
        }
    }
    (entries, view)
}

proptest! {
    #[test]
    fn it_finds_the_same_as_a_search_one_by_one(
        exchanges in proptest::collection::vec(exchange(), 0..12), thoughts_are_told: bool, summary: bool
    ) {
        let (entries, view) = view_of_exchanges(&exchanges, true, thoughts_are_told, summary);
        let view: Vec<&Message> = view.iter().collect();
        prop_assert_eq!(by_matching(&entries, &view), one_by_one(&entries, &view));
    }

    /// If several messages have the same content, any of them may be matched, but the content must be right.
    #[test]
    fn repeated_messages_are_matched_in_order(
        exchanges in proptest::collection::vec(exchange(), 0..12), thoughts_are_told: bool, summary: bool
    ) {
        let (entries, view) = view_of_exchanges(&exchanges, false, thoughts_are_told, summary);
        let view: Vec<&Message> = view.iter().collect();
        let found = by_matching(&entries, &view);
        let kept: Vec<usize> = found.iter().filter_map(|(item, _)| *item).collect();
        prop_assert!(kept.is_sorted_by(|a, b| a < b), "{kept:?}");
        let said = |fates: Vec<Fate>| -> Vec<Part> {
            let parts = fates.into_iter().map(|(_, part)| part);
            parts.filter(|part| !matches!(part, Part::Reasoning(_))).collect()
        };
        prop_assert_eq!(said(found), said(one_by_one(&entries, &view)));
    }

    #[test]
    fn only_equal_texts_match(a in "[ab]{0,40}", b in "[ab]{0,40}", at in 0..40usize) {
        let other = |text: &str| {
            let mut bytes = text.as_bytes().to_vec();
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 3;
            }
            String::from_utf8(bytes).unwrap()
        };
        for (a, b) in [(&a, &b), (&a, &a.clone()), (&a, &other(&a))] {
            let [one, two] = [a, b].map(|text| Message::text(Role::User, text.as_str()));
            prop_assert_eq!(Content::from(&one).same_as((&two).into()), a == b);
        }
    }
}
