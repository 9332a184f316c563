use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, NodeIndex};
use crate::error::Result;
use crate::message::ItemType;

const WHY: &str = "memory results are dropped first";

/// Removes memory results from the view (PASS-2); injections and history stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DropMemoryResults;

impl Options for DropMemoryResults {}

impl Pass for DropMemoryResults {
    fn name(&self) -> &'static str {
        "drop_memory_results"
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        aim.is_due(context.view.tokens())
    }

    fn drops_part(&self, item_type: ItemType) -> bool {
        item_type == ItemType::Memory
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let is_memory = |n: &NodeIndex| context.history.node(*n).message.item_type() == ItemType::Memory;
        let units = context.units();
        let units = units.iter().filter(|u| u.may_be_removed() && u.nodes.iter().all(is_memory));
        let nodes: Vec<NodeIndex> = units.flat_map(|u| u.nodes.iter().copied()).collect();
        let parts = context.parts_of(ItemType::Memory);
        context.drop_parts(&parts, WHY);
        context.drop_from_view(&nodes, WHY);
        let nodes = [parts, nodes].concat();
        Ok(Outcome::changed(nodes, WHY))
    }
}
