//! Which view was sent to the model, so that reported usage is compared with its tokens (TOK-6).

use crate::error::Result;
use crate::saved::{Reader, Saved, Writer, saved};

/// The views that were sent to the model, each by its counted tokens.
///
/// A view may be read to be sent or only to be looked at; what comes next tells which. So a read never replaces a call
/// whose usage is still to come, and a view whose usage has come does not count as another call.
#[derive(Clone, Copy, Default)]
pub(super) struct Sent {
    /// The view that was handed out last: what the next call gets, if one follows.
    shown: Option<u64>,
    /// An answer was pushed whose usage is still to come.
    answered: bool,
    /// After which view, if that is known.
    behind: Option<u64>,
    /// A call was prepared before the usage of the previous one came: it is unknown to which of them the next usage
    /// belongs.
    unclear: bool,
    /// The view for which the last usage came.
    reported: Option<u64>,
}

saved!(struct Sent { shown, answered, behind, unclear, reported });

impl Sent {
    /// The form in snapshots before version 3: one view, and whether its answer was pushed.
    pub fn load_before_3(from: &mut Reader<'_>) -> Result<Self> {
        Ok(match Saved::load(from)? {
            Some((tokens, true)) => Self { answered: true, behind: Some(tokens), ..Self::default() },
            Some((tokens, false)) => Self { shown: Some(tokens), ..Self::default() },
            None => Self::default(),
        })
    }

    /// The view that was handed out last.
    pub fn shown(&mut self) -> &mut Option<u64> {
        &mut self.shown
    }

    /// Writes that.
    pub fn save_shown<'s>(&'s self, out: &mut Writer<'s>) {
        self.shown.save(out);
    }

    /// Writes what else is known.
    pub fn save_but_shown<'s>(&'s self, out: &mut Writer<'s>) {
        let Self { shown: _, answered, behind, unclear, reported } = self;
        answered.save(out);
        behind.save(out);
        unclear.save(out);
        reported.save(out);
    }

    /// Reads that.
    pub fn load_but_shown(&mut self, from: &mut Reader<'_>) -> Result<()> {
        self.answered = Saved::load(from)?;
        self.behind = Saved::load(from)?;
        self.unclear = Saved::load(from)?;
        self.reported = Saved::load(from)?;
        Ok(())
    }

    /// A view of so many tokens was read.
    pub fn reads(&mut self, tokens: u64) {
        if self.reported != Some(tokens) {
            self.shown = Some(tokens);
        }
    }

    /// A view of so many tokens was made ready for the next call.
    pub fn prepares(&mut self, tokens: u64) {
        self.shown = Some(tokens);
        self.reported = None;
        self.unclear |= std::mem::take(&mut self.answered);
        self.behind = None;
    }

    /// An answer of the model was pushed behind a view of so many tokens.
    pub fn answers(&mut self, tokens: u64) {
        let shown = self.shown.take();
        self.answered |= shown.is_some();
        self.behind = shown.filter(|shown| *shown == tokens);
        self.unclear = false;
    }

    /// A usage came while the view has this many tokens. Returns the tokens of the view that the usage belongs to, if
    /// known.
    pub fn reports(&mut self, tokens: u64) -> Option<u64> {
        let Self { shown, answered, behind, unclear, .. } = std::mem::take(self);
        self.reported = Some(tokens);
        let sent = if answered { behind } else { shown.filter(|shown| *shown == tokens) };
        sent.filter(|_| !unclear)
    }
}
