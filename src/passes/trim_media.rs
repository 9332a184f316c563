use serde_json::{Value, json};

use super::options::Options;
use super::pass::{Aim, Outcome, Pass};
use crate::config::Keys;
use crate::context::{Context, MediaBudget, NodeIndex};
use crate::error::Result;

/// Replaces the oldest images, documents and sounds with placeholders until the view holds no more of them than a request
/// may. The option `media` applies to every ladder; this pass is for a smaller budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrimMedia(pub MediaBudget);

impl Options for TrimMedia {
    fn options(&self) -> Value {
        let Self(budget) = self;
        json!({ "maxImages": budget.max_images, "maxBytes": budget.max_bytes, "keepNewest": budget.keep_newest })
    }

    fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        let mut of = |key: &'static str| keys.u64_or_null(key, ..).map(Option::flatten);
        Ok(Box::new(Self(MediaBudget {
            max_images: of("maxImages")?,
            max_bytes: of("maxBytes")?,
            keep_newest: of("keepNewest")?,
            ..MediaBudget::default()
        })))
    }
}

impl Pass for TrimMedia {
    fn name(&self) -> &'static str {
        "trim_media"
    }

    fn wants(&self, context: &Context, _: &Aim) -> bool {
        !self.0.holds(context.view.media())
    }

    fn run(&self, context: &mut Context, _: &Aim) -> Result<Outcome> {
        let trimmed = context.trim_media_to(&self.0, context.view.body().len());
        let items: Vec<NodeIndex> = trimmed.into_iter().map(|(node, _)| node).collect();
        Ok(Outcome::changed(items, self.0.why()))
    }
}
