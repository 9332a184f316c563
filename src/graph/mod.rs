//! The history as a graph: nodes in lanes, edges between them, and folds that replace nodes by a summary and can be undone.
//!
//! A [`ContextGraph`] only grows. A **node** is one entry of a conversation. It belongs to a **lane**, an append-only
//! sequence. **Edges** say which node follows or depends on which. A **fold** is a summary that replaces nodes of one lane
//! in every view. It hides those nodes without changing them, so [`ContextGraph::expand`] only has to remove the fold. The
//! edges of a summary are not stored: they are derived from the edges between the hidden nodes and the rest.
//!
//! ```
//! use contextfold::graph::{ContextGraph, GraphLimits, NodeSpec, NodeType};
//!
//! let mut graph = ContextGraph::new(GraphLimits::default());
//! let ask = graph.add_node(NodeSpec::text(NodeType::UserMessage, "Which colour?"))?;
//! let answer = graph.add_node(NodeSpec::text(NodeType::AgentMessage, "Blue."))?;
//! let next = graph.add_node(NodeSpec::text(NodeType::UserMessage, "And the shape?"))?;
//! let fold = graph.compress(&[&ask, &answer], "The colour is blue.")?;
//! assert_eq!(graph.ids(&graph.context_for_full(&next, None)?.nodes), [&*fold, &*next]);
//! graph.expand(&fold)?;
//! assert_eq!(graph.ids(&graph.context_for_full(&next, None)?.nodes), [&*ask, &*answer, &*next]);
//! # Ok::<(), contextfold::Error>(())
//! ```
//!
//! # Invariants
//! - The edges and the order within each lane form no cycle, neither in the whole graph nor in what is visible under the
//!   folds.
//! - An operation that fails changes nothing.
//! - The cost of appending depends only on what is appended and the cost of a view only on what it returns, not on the size
//!   of the graph. Nothing is recursive.

mod constraint;
mod content;
mod core;
mod edge;
mod element;
mod fold;
mod follow;
mod lane;
mod limits;
mod listing;
mod node;
mod order;
mod pinned;
mod prompt;
mod snapshot;
mod view;

pub use self::core::ContextGraph;
pub use content::Content;
pub use edge::EdgeKind;
pub use element::summary_element;
pub use limits::GraphLimits;
pub use listing::{EdgeInfo, NodeInfo};
pub use node::{NodeSpec, NodeState, NodeType, Place, SpecContent};
pub use prompt::{ContextParts, Skill};
pub use snapshot::{MessageCodec, VERSION};
pub use view::GraphView;
