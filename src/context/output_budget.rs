/// A trim goes down to this share of the budget.
pub const LOW_RATIO: f64 = 0.5;

/// How many tokens all tool outputs in the view may take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputBudget {
    /// Above this, the oldest become placeholders.
    pub most: u64,
    /// A trim goes down to this. So the next outputs have room, and the beginning of the view stays unchanged for the prompt
    /// cache.
    pub low: u64,
}

impl OutputBudget {
    /// Nothing is trimmed.
    pub const NONE: Self = Self { most: u64::MAX, low: u64::MAX };

    /// A budget, and the share of it that a trim goes down to.
    pub fn new(most: u64, low_ratio: f64) -> Self {
        Self { most, low: (most as f64 * low_ratio) as u64 }
    }

    /// The reason for a decision that enforces it, in words.
    pub fn why(&self) -> String {
        let Self { most, low } = self;
        let down = if low < most { format!(", down to {low}") } else { String::new() };
        format!("all tool outputs may have {most} tokens: the oldest became placeholders{down}")
    }
}
