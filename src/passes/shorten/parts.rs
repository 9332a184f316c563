//! Replaces large parts that are not text (a document, a search result, a part of unknown type).

use std::sync::Arc;

use super::notice::stored;
use crate::context::{Context, Form, Slot, Tally};
use crate::error::Result;
use crate::message::{Format, Message, Part, Role};
use crate::provider::{Calls, provider};
use crate::tokens::count_part;

/// Smaller parts stay as they are; an image takes less than this.
const LARGE: u64 = 2_048;

/// Replaces the largest such part of the message at `at` with a text if it takes at least as many tokens as `text_tokens`.
/// Returns the ref of the part as JSON (`None` if the tool output cache is off), or nothing if no part was replaced. Parts
/// of assistant messages stay, because other items depend on them.
pub(super) fn replace(context: &mut Context, at: usize, text_tokens: u64) -> Result<Vec<Option<String>>> {
    let slot = context.view.body()[at].clone();
    if !matches!(slot.message.role, Role::User | Role::Tool) {
        return Ok(Vec::new());
    }
    let mut message = Message::clone(&slot.message);
    let counter = context.counter.clone();
    let tokens = |part: &&mut Part| count_part(part, &*counter);
    let Some(part) = message.contents_mut().filter(|part| is_other(part)).max_by_key(tokens) else {
        return Ok(Vec::new());
    };
    let tokens = count_part(part, &*counter);
    if tokens < LARGE.max(text_tokens) {
        return Ok(Vec::new());
    }
    let ref_id = left_out(context, &slot, part, tokens)?;
    let tally = Tally::of(&message, &*counter);
    context.view.replace(at, Arc::new(message), tally, Form::Shortened);
    Ok(vec![ref_id])
}

/// Replaces a part that the view no longer shows as it was replaced before. Texts and small parts of other kinds are always shown.
pub(super) fn stand_in(context: &mut Context, slot: &Slot, part: &mut Part) -> Result<()> {
    let tokens = count_part(part, &*context.counter);
    if is_other(part) && tokens >= LARGE {
        left_out(context, slot, part, tokens)?;
    } else {
        let known = slot.message.output_ref().filter(|known| context.outputs.contains(&known.id));
        context.leave_out_medium(slot.node, part, known.map(|known| &*known.id));
    }
    Ok(())
}

/// Replaces a part with a text. Returns the ref of the part as JSON.
fn left_out(context: &mut Context, slot: &Slot, part: &mut Part, tokens: u64) -> Result<Option<String>> {
    let written = provider(Format::Messages)
        .write_one(&Message::new(Role::User, vec![part.clone()]), &Calls::default());
    let json = written.first().map(|entry| entry["content"].to_string()).unwrap_or_default();
    let ref_id = stored(context, slot.node, &json.into())?;
    let how = ref_id
        .as_deref()
        .map(|id| format!("; it is there as JSON: tool_output_cache({{ ref_id: \"{id}\" }})"));
    *part = Part::text(format!("[… a part of {tokens} tokens left out{} …]", how.unwrap_or_default()));
    Ok(ref_id)
}

fn is_other(part: &Part) -> bool {
    matches!(part, Part::Media(_) | Part::Opaque { .. })
}
