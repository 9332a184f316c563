use serde::{Deserialize, Serialize};

use crate::config::Keys;
use crate::error::{Error, ErrorCode, Result};
use crate::saved::saved;

/// The maximum sizes of a graph and of a view. The defaults protect a browser tab.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphLimits {
    /// Nodes, including summaries. Default 1,000,000.
    pub max_nodes: usize,
    /// Edges, not counting those derived for summaries. Default 4,000,000.
    pub max_edges: usize,
    /// Nodes in one view. Default 200,000.
    pub max_context_nodes: usize,
}

saved!(struct GraphLimits { max_nodes, max_edges, max_context_nodes });

impl Default for GraphLimits {
    fn default() -> Self {
        Self { max_nodes: 1_000_000, max_edges: 4_000_000, max_context_nodes: 200_000 }
    }
}

impl GraphLimits {
    /// Limits from `{ maxNodes?, maxEdges?, maxContextNodes? }`.
    ///
    /// # Errors
    /// `INVALID_CONFIG` with the key.
    pub fn from_value(value: &serde_json::Value) -> Result<Self> {
        let mut keys = Keys::of("", value)?;
        let default = Self::default();
        let mut size = |key, default| -> Result<usize> {
            Ok(keys.u64_in(key, 1..=u64::from(u32::MAX / 2))?.map_or(default, |n| n as usize))
        };
        let limits = Self {
            max_nodes: size("maxNodes", default.max_nodes)?,
            max_edges: size("maxEdges", default.max_edges)?,
            max_context_nodes: size("maxContextNodes", default.max_context_nodes)?,
        };
        keys.finish()?;
        Ok(limits)
    }

    /// `SAFETY_LIMIT_EXCEEDED` with both numbers if `count` is above `limit`.
    pub fn allow(count: usize, limit: usize, what: &str, option: &str) -> Result<()> {
        if count <= limit {
            return Ok(());
        }
        let message = format!("{count} {what} exceed the limit of {limit}; raise `{option}`");
        Err(Error::new(ErrorCode::SafetyLimitExceeded, message))
    }
}
