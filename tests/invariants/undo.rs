//! Folding and unfolding restores the view, whatever was done before and since.

use contextfold::message::{Message, Role};
use contextfold::session::{Context, FoldMessages, NodeIndex, PlacedSlot, Unit};

use super::world::{Happened, World};

/// Everything that a view shows, and what it has dropped.
#[derive(Debug, PartialEq)]
struct Shown {
    slots: Vec<PlacedSlot>,
    tokens: u64,
    outputs: u64,
    dropped_tokens: u64,
    pointers: Vec<(NodeIndex, NodeIndex)>,
}

fn shown(context: &Context) -> Shown {
    let mut pointers = context.pointers.clone();
    pointers.sort_unstable();
    Shown {
        slots: context.view.placed_slots().collect(),
        tokens: context.view.tokens(),
        outputs: context.view.output_tokens(),
        dropped_tokens: context.view.dropped_tokens(),
        pointers,
    }
}

fn engine(role: Role, text: &str) -> Message {
    let mut message = Message::text(role, text);
    message.meta.item_type = Some(contextfold::message::ItemType::CompactionSummary);
    message
}

fn made(n: usize) -> FoldMessages {
    FoldMessages {
        retain: (n % 3 == 1).then(|| engine(Role::User, "retained")),
        ask: (n % 3 == 2).then(|| engine(Role::User, "what was it?")),
        summary: engine(Role::User, "a summary"),
        text: "a summary".to_owned(),
        behind_earlier: n % 2 == 1,
    }
}

/// Folds the units selected by `chosen`. Returns `None` if there are none.
fn fold(context: &mut Context, n: usize, chosen: impl Fn(usize, &Unit) -> bool) -> Option<NodeIndex> {
    let units = context.units();
    let newest_user = units.iter().rposition(Unit::opens_turn);
    let may = |at: usize, unit: &Unit| !unit.fixed && Some(at) != newest_user && chosen(at, unit);
    let members: Vec<NodeIndex> = units
        .iter()
        .enumerate()
        .filter(|(at, unit)| may(*at, unit))
        .flat_map(|(_, unit)| unit.nodes.iter().copied())
        .collect();
    (!members.is_empty()).then(|| context.fold(members, made(n)))
}

fn unfold(context: &mut Context, fold: Option<NodeIndex>) {
    if let Some(fold) = fold {
        let id = context.history.node(fold).id.to_string();
        assert_eq!(context.unfoldable(&id).unwrap(), fold);
        context.unfold(fold);
    }
}

/// Two folds side by side, undone in either order; nested folds, undone level by level.
fn unfold_undoes_fold(world: &mut World, _: &Happened) {
    let mut context = world.session.context().clone();
    context.begin_with_user(); // an unfold ensures this, even if a pass did not
    let before = shown(&context);
    let n = context.history.len();
    for first_first in [false, true] {
        let mut context = context.clone();
        let odd = fold(&mut context, n, |at, unit| !unit.is_fold() && (at * 7 + n) % 5 < 2);
        let between = shown(&context);
        let even = fold(&mut context, n + 1, |at, unit| !unit.is_fold() && (at * 3 + n) % 4 < 2);
        let (first, second) = if first_first { (odd, even) } else { (even, odd) };
        unfold(&mut context, first);
        if !first_first {
            assert_eq!(shown(&context).slots, between.slots);
        }
        unfold(&mut context, second);
        assert_eq!(shown(&context), before);
    }
    let mut context = context.clone();
    let inner = fold(&mut context, n, |at, unit| !unit.is_fold() && !(at + n).is_multiple_of(3));
    let between = shown(&context);
    let outer = fold(&mut context, n + 1, |at, unit| unit.is_fold() || (at + n).is_multiple_of(2));
    if let (Some(inner), Some(_)) = (inner, outer) {
        let id = context.history.node(inner).id.to_string();
        assert!(context.unfoldable(&id).is_err(), "the later fold comes first");
    }
    unfold(&mut context, outer);
    assert_eq!(shown(&context).slots, between.slots);
    unfold(&mut context, inner);
    assert_eq!(shown(&context), before);
}

/// Messages pushed after the fold follow the restored ones.
fn what_came_since_stays(world: &mut World, _: &Happened) {
    let context = world.session.context();
    let trims = context.output_config.enabled && context.view.output_tokens() > context.output_budget.limit;
    if context.history.has_open_calls() || trims {
        return; // a placeholder stays with its call; restored messages may exceed the budget for tool outputs
    }
    let mut context = context.clone();
    let before = shown(&context);
    let n = context.history.len();
    let folded = fold(&mut context, n, |at, _| !(at + n).is_multiple_of(3));
    if folded.is_none() || before.slots.is_empty() {
        return;
    }
    context.push(vec![Message::text(Role::User, "since then")]).unwrap();
    let newest = context.view.body().last().unwrap().clone();
    unfold(&mut context, folded);
    let mut expected = before.slots;
    expected.push(PlacedSlot { slot: newest, shown: true });
    assert_eq!(shown(&context).slots, expected);
}

/// Whatever happened, all messages are in one order.
fn a_fold_comes_back_where_it_stood(world: &mut World, _: &Happened) {
    let mut context = world.session.context().clone();
    while let Some(fold) = context.fold_infos().into_iter().find(|f| f.in_view) {
        let summary = context.unfoldable(&fold.id).unwrap();
        context.unfold(summary);
        let back =
            |id: &String| context.view.placed_slots().any(|s| *context.history.node(s.slot.node).id == **id);
        assert!(fold.items.iter().all(back), "all of {} came back", fold.id);
    }
    assert!(context.folds.iter().all(|f| context.view.dropped(f.summary).is_some()), "every fold is undone");
    // An instruction that leaves the base prompt goes before a running call, not between the call and its output.
    let executes = context.history.has_open_calls();
    let entered: Vec<u32> = context
        .view
        .placed_slots()
        .filter(|s| s.slot.message.role != Role::Tool)
        .filter(|s| !(executes && s.slot.message.role.is_instruction()))
        .filter(|s| context.history.node(s.slot.node).kind == contextfold::session::NodeKind::Message)
        .map(|s| s.slot.node.0)
        .collect();
    assert!(entered.is_sorted(), "messages stand in the order in which they came: {entered:?}");
}

#[test]
fn unfold_undoes_fold_exactly() {
    super::always(unfold_undoes_fold);
}

#[test]
fn messages_pushed_after_a_fold_stay_after_it() {
    super::always(what_came_since_stays);
}

#[test]
fn unfolding_everything_restores_the_original_order() {
    super::always(a_fold_comes_back_where_it_stood);
}
