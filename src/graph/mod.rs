//! History as a graph: lanes of nodes, edges between them, folds that hide runs and unfold again.
//!
//! A [`ContextGraph`] only grows. A **node** is one entry of a conversation and stands in a **lane**, an append-only
//! sequence; **edges** say what follows and what waits for what. A **fold** is a summary that stands in for nodes of one
//! lane: it hides them and changes none, so [`ContextGraph::expand`] has nothing to put back together. What is seen is
//! derived: the re-laid edges of a summary are the edges of what it hides, as seen from outside.
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
//! # What holds
//! - Edges of the whole graph, and lanes in their time, form no cycle; nor does what is seen of it under its folds.
//! - A failing operation changes nothing.
//! - Appending costs what is appended, a view what it returns, whatever the graph holds; nothing recurses.

mod adapter;
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
pub use adapter::{Adapted, adapt, summary_element};
pub use content::Content;
pub use edge::EdgeKind;
pub use limits::GraphLimits;
pub use listing::{EdgeInfo, NodeInfo};
pub use node::{NodeSpec, NodeState, NodeType, Place, Said};
pub use prompt::{ContextParts, Skill, assemble};
pub use snapshot::{MessageCodec, VERSION};
pub use view::GraphView;
