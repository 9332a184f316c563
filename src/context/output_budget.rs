/// A trim goes down to this share of the budget.
pub const LOW_RATIO: f64 = 0.5;

/// How many tokens all tool outputs in the view may take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputBudget {
    /// Above this, the oldest become placeholders.
    pub limit: u64,
    /// A trim goes down to this. So the next outputs have room, and the beginning of the view stays unchanged for the prompt
    /// cache.
    pub target: u64,
}

impl OutputBudget {
    /// Nothing is trimmed.
    pub const NONE: Self = Self { limit: u64::MAX, target: u64::MAX };

    /// A budget, and the share of it that a trim goes down to.
    pub fn new(limit: u64, low_ratio: f64) -> Self {
        Self { limit, target: (limit as f64 * low_ratio) as u64 }
    }

    /// The reason for a decision that enforces it, in words.
    pub fn why(&self) -> String {
        let Self { limit, target } = self;
        let down = if target < limit { format!(", down to {target}") } else { String::new() };
        format!("tool outputs exceeded their budget of {limit} tokens: the oldest became placeholders{down}")
    }
}
