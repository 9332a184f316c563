//! Corrects our counts by what a provider reports (TOK-6).

use crate::saved::saved;

/// The weight of older observations relative to a new one.
const OLD_WEIGHT: f64 = 0.5;
/// A larger ratio is not a miscount: the usage is a sum over several calls, or that of another request.
pub const MAX_RATIO: f64 = 4.0;
/// In smaller requests, what the provider adds around the text dominates.
const MIN_TOKENS: u64 = 500;

/// The ratio of reported to counted input tokens of one model, from the latest calls.
///
/// ```
/// use contextfold::tokens::Calibration;
///
/// let mut calibration = Calibration::default();
/// assert_eq!(calibration.factor(), 1.0);
/// calibration.observe(1000, 1200);
/// assert_eq!(calibration.factor(), 1.2);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Calibration {
    counted: f64,
    reported: f64,
    observations: u32,
    /// The average relative error of the factor at the next report; newer errors weigh more.
    error: f64,
}

saved!(struct Calibration { counted, reported, observations, error });

impl Calibration {
    /// Records a call: the tokens counted for its input, and those the provider reported (all input, cached or not). Returns
    /// `false` and ignores the call if fewer than 500 tokens were counted or the ratio is not within 1/4 to 4.
    pub fn observe(&mut self, counted: u64, reported: u64) -> bool {
        let ratio = reported as f64 / counted as f64;
        if counted < MIN_TOKENS || reported == 0 || !(1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio) {
            return false;
        }
        if self.observations > 0 {
            let off = (ratio / self.factor() - 1.0).abs();
            self.error =
                if self.observations == 1 { off } else { self.error * OLD_WEIGHT + off * (1.0 - OLD_WEIGHT) };
        }
        self.counted = self.counted * OLD_WEIGHT + counted as f64;
        self.reported = self.reported * OLD_WEIGHT + reported as f64;
        self.observations = self.observations.saturating_add(1);
        true
    }

    /// Like [`Calibration::observe`], but the factor becomes the ratio of this call alone; earlier calls no longer affect
    /// it.
    pub fn reset_to(&mut self, counted: u64, reported: u64) -> bool {
        let observed = self.observe(counted, reported);
        if observed {
            (self.counted, self.reported) = (counted as f64, reported as f64);
        }
        observed
    }

    /// Reported tokens divided by counted tokens; 1 before the first report.
    pub fn factor(&self) -> f64 {
        if self.observations == 0 { 1.0 } else { self.reported / self.counted }
    }

    /// How many calls were observed.
    pub fn observations(&self) -> u32 {
        self.observations
    }

    /// What remains of the safety margin `margin` (MOD-4). All of it before the second report; then twice the average error,
    /// but at least `margin / observations` and at most `margin`.
    pub fn margin(&self, margin: f64) -> f64 {
        if self.observations < 2 {
            return margin;
        }
        (2.0 * self.error).max(margin / f64::from(self.observations)).min(margin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implausible_reports_are_ignored() {
        let mut calibration = Calibration::default();
        for (counted, reported) in
            [(0, 10), (10, 0), (0, 0), (1000, 4001), (1000, 249), (1, u64::MAX), (499, 500)]
        {
            assert!(!calibration.observe(counted, reported));
        }
        assert_eq!(calibration, Calibration::default());
    }

    #[test]
    fn the_margin_shrinks_only_while_reports_agree() {
        let mut steady = Calibration::default();
        let mut margins = vec![steady.margin(0.1)];
        for _ in 0..20 {
            steady.observe(1000, 1100);
            margins.push(steady.margin(0.1));
        }
        assert!(margins.is_sorted_by(|a, b| a >= b), "{margins:?}");
        assert!((margins[0] - 0.1).abs() < 1e-9 && margins[20] <= 0.01, "{margins:?}");
        let mut wild = Calibration::default();
        for i in 0..20 {
            wild.observe(1000, if i % 2 == 0 { 800 } else { 1400 });
        }
        assert!((wild.margin(0.1) - 0.1).abs() < 1e-9);
    }
}
