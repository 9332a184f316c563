//! How accurate the token counts are (TOK-6, MOD-4).

use super::sent::Sent;
use crate::context::{CounterReport, RuleReport};
use crate::saved::saved;
use crate::sorted::SortedMap;
use crate::tokens::{Calibration, Family, Method, ReportedUsage, TokenCounter, asset_of, encoding_for_model};

/// The safety margin for a counter that is not exact.
const ESTIMATE_MARGIN: f64 = 0.1;

/// What is known about a counter's accuracy for the session's model.
///
/// Messages are counted once and their counts stay, so that the parts of a report sum to its total. Usage that the provider
/// reports changes the figures that counts are compared with instead: limit, threshold and targets are divided by
/// `calibration`, which has the same effect as multiplying every count.
#[derive(Clone)]
pub(super) struct Accuracy {
    model: Option<String>,
    /// Set for a model whose tokenizer is not public.
    family: Option<Family>,
    /// `None` if nothing may be learnt.
    calibration: Option<Calibration>,
    /// What was learnt for models that were used earlier.
    others: SortedMap<Option<String>, Calibration>,
    /// Which view the next reported usage belongs to.
    pub sent: Sent,
}

saved!(place Accuracy { calibration, others, sent } but { model, family }); // the model follows from the options

impl Accuracy {
    pub fn new(model: Option<&str>, calibrate: bool) -> Self {
        Self {
            model: model.map(str::to_owned),
            family: model.and_then(Family::of_model),
            calibration: calibrate.then(Calibration::default),
            others: SortedMap::new(),
            sent: Sent::default(),
        }
    }

    /// The model changed, or the counter (`recounted`). What was learnt is kept per model; a new counter discards all of it.
    pub fn change(&mut self, model: Option<&str>, calibrate: bool, recounted: bool) {
        if recounted {
            self.others.clear();
            self.calibration = None;
        }
        if self.model.as_deref() != model || recounted {
            let learnt = self.calibration.take();
            let before = std::mem::replace(&mut self.model, model.map(str::to_owned));
            self.others.extend(learnt.map(|learnt| (before, learnt)));
            self.calibration = self.others.remove(&self.model);
            self.family = model.and_then(Family::of_model);
            self.sent = Sent::default();
        }
        self.calibration = calibrate.then(|| self.calibration.unwrap_or_default());
    }

    /// Records that a view of this many tokens was read, either to send it or only to look at it.
    pub fn note_read(&mut self, tokens: u64) {
        self.sent.note_read(tokens);
    }

    /// Records that a view of this many tokens was prepared: the model gets it next.
    pub fn note_prepared(&mut self, tokens: u64) {
        self.sent.note_prepared(tokens);
    }

    /// Records that an answer of the model was pushed onto a view of this many tokens.
    pub fn note_answer(&mut self, tokens: u64) {
        self.sent.note_answer(tokens);
    }

    /// Learns from the usage of the call that the view was sent with; `tokens` is the view's size now. A sum over several calls
    /// teaches nothing, nor does a call for which the sent view is unknown.
    pub fn learn(&mut self, reported: &ReportedUsage, tokens: u64) {
        let Some(call) = reported.last_call else { return };
        if let (Some(sent), Some(calibration)) = (self.sent.note_usage(tokens), &mut self.calibration) {
            calibration.observe(sent, call.all_input());
        }
    }

    /// Learns from a view that the provider refused as too long. It outweighs what earlier calls taught, because the view was as
    /// large as views get and its exact size is known.
    pub fn learn_from_refusal(&mut self, counted: u64, reported: u64) {
        if let Some(calibration) = &mut self.calibration {
            calibration.reset_to(counted, reported);
        }
    }

    /// Whether the counter is exact and made for this model.
    pub fn exact(&self, counter: &dyn TokenCounter) -> bool {
        let name = match counter.method() {
            Method::Encoding(name) => name,
            Method::Tokenizer(_) => return counter.exact() && self.model.as_deref().is_none_or(is_open),
            _ => return counter.exact(),
        };
        let asset = |encoding: &str| asset_of(encoding).map(|(_, asset)| asset);
        counter.exact()
            && self.model.as_deref().is_none_or(|model| {
                let base = model.rsplit('/').next().unwrap_or(model);
                encoding_for_model(base).is_ok_and(|wanted| asset(wanted) == asset(name))
            })
    }

    /// The model's tokens per counted token: from reported usage, or else from the model's family. An exact counter is not
    /// corrected downwards.
    pub fn factor(&self, counter: &dyn TokenCounter) -> f64 {
        let reported = self.calibration.filter(|calibration| calibration.observations() > 0);
        match (reported, self.family) {
            (Some(calibration), _) if self.exact(counter) => calibration.factor().max(1.0),
            (Some(calibration), _) => calibration.factor(),
            (None, Some(family)) if counter.method().counts_as_openai() => family.factor,
            (None, _) => 1.0,
        }
    }

    /// The share of the limit that passes leave free if the caller does not set it (MOD-4).
    pub fn margin(&self, counter: &dyn TokenCounter) -> f64 {
        if self.exact(counter) {
            return 0.0;
        }
        self.calibration.map_or(ESTIMATE_MARGIN, |calibration| calibration.margin(ESTIMATE_MARGIN))
    }

    /// Converts the model's tokens into counted tokens, rounded down. `u64::MAX` means no limit and stays.
    pub fn as_counted(&self, tokens: u64, counter: &dyn TokenCounter) -> u64 {
        if tokens == u64::MAX { tokens } else { (tokens as f64 / self.factor(counter)) as u64 }
    }

    /// Converts counted tokens into the model's tokens, rounded up.
    pub fn corrected(&self, tokens: u64, counter: &dyn TokenCounter) -> u64 {
        (tokens as f64 * self.factor(counter)).ceil() as u64
    }

    /// The counter's part of a report; `margin` is the margin in effect.
    pub fn report(&self, counter: &dyn TokenCounter, margin: f64, tokens: u64) -> CounterReport {
        let rules = counter
            .rules()
            .listed()
            .into_iter()
            .map(|(name, source)| RuleReport { name: name.into(), source: source.into() });
        let family = self.family.filter(|_| counter.method().counts_as_openai());
        let family =
            family.map(|family| RuleReport { name: family.name.into(), source: family.source.into() });
        CounterReport {
            method: counter.method().as_str().into(),
            exact: self.exact(counter),
            margin,
            calibration: self.factor(counter),
            corrected_tokens: self.corrected(tokens, counter),
            rules: rules.chain(family).collect(),
        }
    }
}

/// Whether a tokenizer file can be this model's. Other models use another tokenizer, or one that is not public.
fn is_open(model: &str) -> bool {
    let base = model.rsplit('/').next().unwrap_or(model);
    Family::of_model(model).is_none()
        && encoding_for_model(base).map_or(true, |encoding| encoding == "o200k_harmony")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tokens::{BytesPerFour, Estimate};

    fn usage(input: u64) -> ReportedUsage {
        ReportedUsage::from_value(&json!({ "input_tokens": input, "output_tokens": 1 })).unwrap()
    }

    fn is(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn a_model_family_has_its_own_factor_until_usage_is_reported() {
        let mut accuracy = Accuracy::new(Some("claude-sonnet-4-5"), true);
        assert!(is(accuracy.factor(&Estimate), 8.0 / 7.0));
        assert!(is(accuracy.factor(&BytesPerFour), 1.0), "the specification's own counter stays as it is");
        let report = accuracy.report(&Estimate, 0.1, 700);
        assert_eq!((report.corrected_tokens, report.exact), (800, false));
        assert!(report.rules.iter().any(|rule| rule.name == "family:claude"));
        accuracy.note_prepared(1000);
        accuracy.learn(&usage(1300), 1000);
        assert!(is(accuracy.factor(&Estimate), 1.3));
    }

    /// A counter that claims to use the encoding of this name.
    struct Exact(&'static str);

    impl TokenCounter for Exact {
        fn count(&self, text: &str) -> u64 {
            text.len() as u64
        }
        fn method(&self) -> Method {
            Method::Encoding(self.0)
        }
        fn exact(&self) -> bool {
            true
        }
    }

    #[test]
    fn an_exact_counter_is_never_corrected_downwards() {
        let mut accuracy = Accuracy::new(Some("gpt-5"), true);
        accuracy.note_prepared(1000);
        accuracy.learn(&usage(900), 1000);
        assert!(is(accuracy.factor(&Exact("o200k_base")), 1.0));
        assert!(is(accuracy.margin(&Exact("o200k_base")), 0.0));
    }
}
