/// The share of the budget that a trim goes down to.
pub const LOW_RATIO: f64 = 0.5;

/// What all tool outputs in the view may take together, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputBudget {
    /// Beyond it, the oldest become placeholders.
    pub most: u64,
    /// Then so many that this is left: the next outputs find room, and the view's beginning stays as it is for the prompt cache.
    pub low: u64,
}

impl OutputBudget {
    /// Nothing is trimmed.
    pub const NONE: Self = Self { most: u64::MAX, low: u64::MAX };

    /// A budget, and the share of it that a trim goes down to.
    pub fn new(most: u64, low_ratio: f64) -> Self {
        Self { most, low: (most as f64 * low_ratio) as u64 }
    }

    /// Why outputs became placeholders, in words.
    pub fn why(&self) -> String {
        let Self { most, low } = self;
        let down = if low < most { format!(", down to {low}") } else { String::new() };
        format!("all tool outputs may have {most} tokens: the oldest became placeholders{down}")
    }
}
