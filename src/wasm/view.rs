//! The view as JavaScript objects.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use js_sys::{Array, Function, Object, WeakMap};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::handles::{Handles, Shown};
use super::inner::Inner;
use super::list::List;
use super::maker::are_same;
use super::marks::{CacheMark, mark};
use super::value::{is_list, of_format_to_js, set};
use crate::context::{Context, Form, NodeIndex, Slot, Snapshot};
use crate::message::{Format, Message, Role};
use crate::provider::{Provider, Written, provider, unlink_each};
use crate::session::Session;
use crate::sorted::SortedMap;

thread_local! {
    /// Message lists that sessions returned, with the number of each list's session.
    static HANDED_OUT: WeakMap = WeakMap::new();
    /// The sessions that returned such lists, by number.
    static SESSIONS: RefCell<SortedMap<u32, Weak<Inner>>> = RefCell::default();
}

/// Remembers which session's view a list is.
fn note_handed_out(list: &Array, inner: &Rc<Inner>) {
    let number = SESSIONS.with_borrow_mut(|sessions| {
        let is_known = |number: &u32| sessions.get(number).is_some_and(|of| of.as_ptr() == Rc::as_ptr(inner));
        let known = inner.number.get().filter(is_known);
        known.unwrap_or_else(|| {
            sessions.retain(|_, session| session.strong_count() > 0);
            let next = sessions.keys().last().map_or(0, |last| last + 1);
            sessions.insert(next, Rc::downgrade(inner));
            inner.number.set(Some(next));
            next
        })
    });
    HANDED_OUT.with(|lists| lists.set(list, &number.into()));
}

/// The messages of a list that a session returned, if its objects are the same and the view has not changed since.
pub fn handed_out(list: &JsValue) -> Option<Vec<Arc<Message>>> {
    let list = is_list(list).then(|| list.unchecked_ref::<Array>())?;
    let number = HANDED_OUT.with(|lists| lists.get(list)).as_f64()?;
    let inner = SESSIONS.with_borrow(|sessions| sessions.get(&(number as u32))?.upgrade())?;
    let handles = inner.handles().ok()?;
    let known = handles.lists.get(&Format::Messages)?;
    if !are_same(&known.entries, list).ok()? {
        return None;
    }
    let messages = |core: &Session| {
        let view = &core.context().view;
        let is_now = view.changes().version() == known.version && view.len() == list.length() as usize;
        is_now.then(|| core.context().view_messages())
    };
    inner.read(messages).ok().flatten()
}

/// The view in a format. `on_note` is called for whatever the format cannot express.
pub fn view_of(inner: &Rc<Inner>, format: Format, on_note: Option<&Function>) -> Result<JsValue, JsValue> {
    Ok(marked_view_of(inner, format, on_note, 0, None)?.0)
}

/// Like [`view_of`], with up to `cache_marks` marks for the prompt cache; returns the marks too. `messages`: only that many of the first
/// messages will be used.
pub fn marked_view_of(
    inner: &Rc<Inner>,
    format: Format,
    on_note: Option<&Function>,
    cache_marks: usize,
    messages: Option<usize>,
) -> Result<(JsValue, Vec<CacheMark>), JsValue> {
    let mut handles = inner.handles()?;
    let mut node_notes: Vec<(String, String)> = Vec::new();
    let view = inner.read(|core| -> Result<(JsValue, Vec<CacheMark>), JsValue> {
        let context = core.context();
        let provider = provider(format);
        let list = take_updated_list(&mut handles, context, format)?;
        let relinked = if has_ids(format) && list.has_broken_links() {
            Some(relinked(&mut handles, context, format)?)
        } else {
            None
        };
        let shown = relinked.as_ref().unwrap_or(&list);
        let mut notes = Vec::new();
        let head = shown.head.iter().filter_map(|at| Some(shown.sent(*at, context.view.slot(*at)?)));
        let sent =
            |message| provider.corrected(message, &mut notes).map_or(Cow::Borrowed(message), Cow::Owned);
        let head: Vec<Cow<'_, Message>> =
            head.map(sent).filter(|message| !message.parts.is_empty()).collect();
        let head: Vec<&Message> = head.iter().map(|message| &**message).collect();
        let head = if head.is_empty() { None } else { provider.write_head(&head, &mut notes) };
        if on_note.is_some() {
            let of_head = notes.into_iter().filter_map(|note| Some((*shown.head.first()?, note.what)));
            node_notes = of_head
                .chain(shown.notes().cloned())
                .filter_map(|(at, what)| {
                    Some((context.history.node(context.view.slot(at)?.node).id.to_string(), what))
                })
                .collect();
        }
        let entries = shown.handed_out();
        if format == Format::Messages {
            note_handed_out(&entries, inner);
        }
        let body = with_head(provider, head, entries)?;
        let marks = if cache_marks > 0 {
            mark(&body, shown, core, format, (cache_marks, messages))?
        } else {
            Vec::new()
        };
        handles.lists.insert(format, list);
        Ok((body, marks))
    })??;
    inner.note_read();
    drop(handles);
    if let Some(on_note) = on_note {
        for (id, what) in node_notes {
            let note = Object::new();
            set(&note, "id", &id.into())?;
            set(&note, "what", &what.into())?;
            on_note.call1(&JsValue::UNDEFINED, &note)?;
        }
    }
    Ok(view)
}

/// Whether items refer to each other by id, so that references have to be removed if reasoning was.
const fn has_ids(format: Format) -> bool {
    matches!(format, Format::OpenaiResponses | Format::AiSdk)
}

/// How many entries the first `messages` messages of the view take, in the list that was made last. `None` if the last of them shares
/// an entry with the next one.
pub fn entries_until(inner: &Rc<Inner>, format: Format, messages: usize) -> Result<Option<u32>, JsValue> {
    let handles = inner.handles()?;
    let list = handles.lists.get(&format);
    Ok(list.and_then(|list| match messages.checked_sub(1) {
        _ if messages >= list.slots => Some(u32::MAX),
        Some(end) if !list.has_broken_links() || !has_ids(format) => {
            list.end_of(end).filter(|(_, slots)| *slots == messages).map(|(entry, _)| entry + 1)
        }
        _ => None,
    }))
}

/// An earlier state of the view, as messages.
pub fn list_of(inner: &Rc<Inner>, snapshot: &Snapshot) -> Result<JsValue, JsValue> {
    let mut handles = inner.handles()?;
    inner.read(|core| {
        let context = core.context();
        if context.view.is_current(snapshot) {
            let list = take_updated_list(&mut handles, context, Format::Messages)?;
            let messages = list.handed_out();
            handles.lists.insert(Format::Messages, list);
            note_handed_out(&messages, inner);
            return Ok(messages.into());
        }
        let slots = context.view.slots_at(snapshot);
        let slots: Vec<Shown<'_>> = slots.iter().map(|s| (s, context.history.node(s.node))).collect();
        handles.list(&slots, Format::Messages).map(JsValue::from)
    })?
}

/// Takes the view's cached list and updates it to the current view. The caller puts it back, unless something fails in between.
pub(super) fn take_updated_list(
    handles: &mut Handles,
    context: &Context,
    format: Format,
) -> Result<List, JsValue> {
    let Context { view, history, .. } = context;
    let mut list = handles.lists.remove(&format).unwrap_or_default();
    let changes = view.changes();
    let from = if changes.is_header_other(list.version) {
        0
    } else {
        changes.since(list.version).map_or(list.checked(), |edited| view.before_body() + edited)
    };
    list.version = changes.version();
    let slots = |at: usize| view.slot(at).map(|slot| (slot, history.node(slot.node)));
    list.renew(handles, &slots, provider(format), from, view.len())?;
    if has_ids(format) {
        let before = list.lost_apart.filter(|at| *at < from);
        list.lost_apart =
            before.or_else(|| (from..view.len()).find(|at| lost_before(context, *at).is_some()));
    }
    Ok(list)
}

/// The message with the reasoning that led to the message at this position, if it is another one and the view does not show it.
fn lost_before(context: &Context, at: usize) -> Option<NodeIndex> {
    let reasoning = context.history.reasoning_before(context.view.slot(at)?.node)?;
    let mut answer =
        (0..at).rev().map_while(|at| context.view.slot(at)).take_while(|slot| slot.role() == Role::Assistant);
    answer.all(|slot| slot.node != reasoning).then_some(reasoning)
}

/// A list for a view in which a pass removed reasoning: items that this reasoning produced lose their ids.
fn relinked(handles: &mut Handles, context: &Context, format: Format) -> Result<List, JsValue> {
    let with_lost = |(at, slot): (usize, &Slot)| lost_before(context, at).into_iter().chain([slot.node]);
    let whole =
        context.view.slots().enumerate().flat_map(with_lost).map(|node| &*context.history.node(node).message);
    let view = context.view.slots().map(|s| Cow::Borrowed(&*s.message));
    let linked = unlink_each(whole, view);
    let slots: Vec<Cow<'_, Slot>> = context
        .view
        .slots()
        .zip(linked)
        .filter_map(|(slot, message)| match message? {
            Cow::Borrowed(_) => Some(Cow::Borrowed(slot)),
            Cow::Owned(message) => {
                let form = if slot.form == Form::Whole { Form::Unbound } else { slot.form };
                Some(Cow::Owned(Slot { message: Arc::new(message), form, ..slot.clone() }))
            }
        })
        .collect();
    let len = slots.len();
    let slots = |at: usize| slots.get(at).map(|slot| (&**slot, context.history.node(slot.node)));
    let mut list = List::default();
    list.renew(handles, &slots, provider(format), 0, len)?;
    Ok(list)
}

/// The list, or a body with the list if the format keeps something outside it.
fn with_head(provider: &dyn Provider, head: Option<Value>, list: Array) -> Result<JsValue, JsValue> {
    let Value::Object(empty) = provider.body(Written { head, ..Written::default() }) else {
        return Ok(list.into());
    };
    let key = empty.iter().rfind(|(_, value)| value.is_array()).map(|(key, _)| key.clone());
    let body = of_format_to_js(&Value::Object(empty), provider.format())?;
    if let Some(key) = key {
        set(&body, &key, &list)?;
    }
    Ok(body)
}
