//! Recovers when the provider refuses a request as too long although it seemed to fit (COMP-23).

use std::sync::Arc;

use serde_json::json;

use super::refusals::Refusals;
use super::run::Fit;
use super::state::Session;
use crate::compaction::Reason;
use crate::context::NodeKind;
use crate::error::{Error, ErrorCode, Result};
use crate::message::Role;
use crate::provider::{Overflow, TooMany, overflow, too_many};
use crate::tokens::MAX_RATIO;

/// How often a view may be refused until the model has answered again.
const MAX_TRIES: u32 = 3;

/// A view that was refused without figures that explain it shrinks to this share.
const SHRINK_FACTOR: f64 = 0.75;

/// Anthropic's limits, for errors that name none: bytes and pixels per image, and the number of images from which on smaller
/// ones are required.
const IMAGE_BYTES: u64 = 5 * 1024 * 1024;
const IMAGE_SIDE: u64 = 8_000;
const MANY_IMAGES: u64 = 20;

impl Session {
    /// Makes the view fit the limit that a provider's error reveals; `None` if the error does not refuse the request for its size,
    /// or refuses an image although the view has none.
    ///
    /// A refusal for bytes or images lowers the media budget, not the token limit: see [`MediaBudget`](crate::context::MediaBudget).
    ///
    /// `said` is the full text of the error. The limit that it names holds from now on, in the model's own tokens like all limits.
    /// If the provider counted more tokens than we did, later counts are corrected by the same factor (or, if counts may not be
    /// corrected, the limit is lowered by it). More than four times our count is not the count of this view: only the limit is learnt,
    /// and the report's `notices` say so. If the error has no figures, or figures that the view already keeps, the limit becomes
    /// three quarters of the view, and the view is cut only to that, because nobody knows how much was too much.
    ///
    /// # Errors
    /// `CONTEXT_WINDOW_EXCEEDED` on the fourth call without an answer of the model in between, and those of
    /// [`Session::prepare`].
    pub fn recover(&mut self, said: &str) -> Result<Option<Fit>> {
        let overflow = overflow(said);
        let too_many = if overflow.is_none() { too_many(said) } else { None };
        if overflow.is_none() && too_many.is_none() {
            return Ok(None);
        }
        let media = self.context.view.media();
        if media.images == 0
            && media.bytes == 0
            && too_many.is_some_and(|what| !matches!(what, TooMany::Bytes(_)))
        {
            return Ok(None); // it refuses an image that the session does not have
        }
        // If the view has no media, a limit in bytes means text, and fewer tokens make fewer bytes.
        let too_many = too_many.filter(|what| !(media.bytes == 0 && matches!(what, TooMany::Bytes(_))));
        let nodes = self.context.history.nodes().iter();
        let answers =
            nodes.filter(|n| n.kind == NodeKind::Message && n.message.role == Role::Assistant).count();
        if answers != self.runs.refusals.answers {
            self.runs.refusals = Refusals { answers, ..Refusals::default() };
        }
        if self.runs.refusals.tries == MAX_TRIES {
            let why = format!(
                "the provider rejected the view as too large {MAX_TRIES} times in a row, although it was made smaller each time; its last error"
            );
            return Err(self.cannot_recover(&why, said));
        }
        self.runs.refusals.tries += 1;
        if let Some(too_many) = too_many {
            self.learn_media(too_many, said)?;
            return self.prepare().map(Some);
        }
        let overflow = overflow.unwrap_or_default();
        self.runs.refusals.said = Some(overflow);
        let is_explained = self.is_about_earlier_view(overflow) || self.learn(overflow);
        let mut fit = if is_explained { self.prepare()? } else { self.prepare_filling()? };
        if let Fit::NeedsSummary(pending) = &mut fit {
            pending.request.reason = Reason::Recover;
            pending.question.run.reason = Reason::Recover;
        }
        Ok(Some(fit))
    }

    /// Whether the error is again about the view that was refused before: from a call that ran in parallel, or from a retry of the
    /// old request. The view has shrunk since, so there is nothing more to learn.
    fn is_about_earlier_view(&self, overflow: Overflow) -> bool {
        let (Some((counted, reported)), Some(actual)) = (self.runs.refusals.refused, overflow.actual) else {
            return false;
        };
        let now = self.tokens();
        let meant = actual as f64 * counted as f64 / reported.max(1) as f64; // in tokens as we count
        let nearer = (meant - counted as f64).abs() < (meant - now as f64).abs();
        now < counted && nearer && self.config.limit.is_some_and(|limit| self.corrected(now) <= limit)
    }

    /// Lowers the media budget after a refusal for images or bytes, which says nothing about tokens. The new budget holds until
    /// `media` is set again.
    fn learn_media(&mut self, too_many: TooMany, said: &str) -> Result<()> {
        let before = self.context.view.media();
        let smaller = |named: Option<u64>, now: u64| match named {
            Some(named) if named < now || now == 0 => Some(named),
            // No figure, or one that the view already keeps: the rest of the request counts, too.
            _ => Some(now - now.div_ceil(4)).filter(|_| now > 0),
        };
        let known = self.config.media;
        let (key, known, most) = match too_many {
            TooMany::Images(named) => ("maxImages", known.max_images, smaller(named, before.images)),
            TooMany::Bytes(named) => ("maxBytes", known.max_bytes, smaller(named, before.bytes)),
            TooMany::ImageBytes(named) => {
                ("maxImageBytes", known.max_image_bytes, Some(named.unwrap_or(IMAGE_BYTES)))
            }
            TooMany::Side { limit, .. } => {
                ("maxImageSide", known.max_image_side, Some(limit.unwrap_or(IMAGE_SIDE)))
            }
        };
        if let Some(most) = most {
            self.lower_media(key, known, most)?;
        }
        if self.context.view.media() == before && matches!(too_many, TooMany::Side { many: true, .. }) {
            self.lower_media("maxImages", self.config.media.max_images, MANY_IMAGES)?;
        }
        if self.context.view.media() != before {
            return Ok(());
        }
        let why = "the provider rejected the request because of its images or its size in bytes, and removing images from the view cannot help: pinned messages and the newest user message must stay. Make their images smaller; the provider's error";
        Err(self.cannot_recover(why, said))
    }

    /// The error of a recovery that nothing can help, with the beginning of what the provider `said`. It has a report.
    fn cannot_recover(&mut self, why: &str, said: &str) -> Error {
        let run = self.begin(Reason::Recover, None, self.aim(false), Arc::new([]));
        self.runs.failed = Some(self.make_report(run));
        let said: String = said.chars().take(300).collect();
        Error::new(ErrorCode::ContextWindowExceeded, format!("{why}: {said}"))
    }

    /// Lowers one media limit. A refusal never raises it: a smaller `known` limit stays.
    fn lower_media(&mut self, key: &str, known: Option<u64>, most: u64) -> Result<()> {
        if known.is_some_and(|known| known <= most) {
            return Ok(());
        }
        let config = self.config.with(&json!({ "media": { key: most } }))?;
        self.set_options(config, None);
        Ok(())
    }

    /// Learns from a refusal. Limits are in the model's own tokens: if the provider counted more than we expect, our counts are
    /// corrected, and the limit is lowered only as far as they cannot be. From a refusal of another request only the limit that it
    /// names is learnt. Returns whether its figures explain the refusal, so that the view only has to fit the limit.
    fn learn(&mut self, overflow: Overflow) -> bool {
        let counted = self.tokens().max(1);
        self.config.window = [overflow.limit, self.config.window].into_iter().flatten().min();
        let known = [overflow.limit, self.config.limit].into_iter().flatten().min();
        self.runs.refusals.refused = overflow.actual.map(|actual| (counted, actual));
        let under_counted = |actual: u64, by: u64| actual as f64 / by as f64;
        let too_low = overflow.actual.filter(|actual| self.corrected(counted) < *actual);
        let is_unlike = too_low.is_some_and(|actual| under_counted(actual, counted) > MAX_RATIO);
        self.runs.refusals.unlike = too_low.filter(|_| is_unlike).map(|actual| (counted, actual));
        if is_unlike && overflow.limit.is_some() {
            self.config.limit = known;
            return true;
        }
        if let Some(actual) = too_low.filter(|_| !is_unlike) {
            self.counting.accuracy.learn_from_refusal(counted, actual);
        }
        let corrected = self.corrected(counted).max(1);
        let left = overflow.actual.map_or(1.0, |actual| under_counted(actual, corrected).max(1.0));
        let reported_limit = overflow.limit.map(|limit| (limit as f64 / left) as u64);
        let known = [reported_limit, self.config.limit].into_iter().flatten().min();
        let explained = known.filter(|limit| *limit < corrected);
        let limit = explained.unwrap_or((corrected as f64 * SHRINK_FACTOR) as u64).max(1);
        self.config.limit = Some(limit);
        self.config.window = self.config.window.or(Some(limit));
        explained.is_some()
    }
}
