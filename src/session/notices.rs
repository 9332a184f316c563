//! Notices: what a report says about how the session is set up.

use std::borrow::Cow;

use super::state::Session;
use super::summarizer::Summarizer;
use crate::context::Slot;
use crate::passes::Pass;

pub(super) const NOTHING_LEFT: &str =
    "`reservedOutputTokens` takes up the whole context window, so no view fits; reserve less";

impl Session {
    /// Says whether the host has a callback that writes summaries. Snapshots record only whether there was one: functions cannot be saved.
    pub fn set_summarizer(&mut self, given: bool) {
        self.host.summarizer = match self.host.summarizer {
            _ if given => Summarizer::Given,
            Summarizer::Missing => Summarizer::Missing,
            _ => Summarizer::None,
        };
    }

    /// Sets the notice about the store that the session was loaded from; `None` removes it.
    pub fn set_store_notice(&mut self, notice: Option<String>) {
        self.host.store_notice = notice;
    }

    /// The notices that apply now: things that the caller may not expect.
    pub(super) fn notices(&self) -> Vec<Cow<'static, str>> {
        let mut notices = Vec::new();
        if self.config.limit.is_none() {
            notices.push("neither `model` nor `contextWindow` is set, so views have no size limit".into());
        }
        if self.config.limit == Some(0) {
            notices.push(NOTHING_LEFT.into());
        }
        if let (Some(window), Some(known)) = (self.config.window, self.config.known_window)
            && window > known
        {
            let model = self.config.model.as_deref().unwrap_or_default();
            notices.push(format!("`contextWindow` is {window} tokens, but the known window of model \"{model}\" is {known}; set `contextWindow: null` to use the model's own").into());
        }
        if self.host.summarizer == Summarizer::Missing {
            notices.push("the session was saved with a `summarize` callback that was not passed again, so the built-in summariser is used; pass `summarize` again, or `extractiveSummarize()` if this is intended".into());
        }
        let mut asked = self.config.ladder.named_passes().filter_map(Pass::host_function);
        if asked.any(|place| !self.context.customs.contains_key(&place)) {
            notices.push("the ladder has a custom pass that does nothing because its `run` function is not saved; pass `ladder` again, with `run`".into());
        }
        notices.extend(self.host.store_notice.clone().map(Cow::Owned));
        notices
    }

    /// Names the largest message, for an error about tokens.
    pub(super) fn largest<'s>(&self, slots: impl Iterator<Item = &'s Slot>) -> String {
        let Some(slot) = slots.max_by_key(|slot| slot.tokens()) else { return String::new() };
        let (id, role) = (&self.context.history.node(slot.node).id, slot.message.role.as_str());
        format!("; the largest message is `{id}` ({role}, {} tokens)", slot.tokens())
    }
}
