//! The state behind a `Session` object: the core, and what exists only in JavaScript.

use std::cell::{Cell, OnceCell, Ref, RefCell, RefMut};
use std::rc::{Rc, Weak};

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::counter::{CallbackCounter, Tokenizer};
use super::entries::Group;
use super::error::context_error;
use super::events::Listeners;
use super::freed::freed_error;
use super::freeze::freeze;
use super::handles::Handles;
use super::host::host;
use super::line::{Line, Stretch};
use super::marks::Marks;
use super::options::{FunctionOption, Options};
use super::outcome::PreparedViews;
use super::session_handle::LentHandles;
use super::side::SideMark;
use super::store::OutputStore;
use super::summarizer::Summarize;
use super::value::to_js;
use crate::context::NodeIndex;
use crate::error::{Error, ErrorCode, Result};
use crate::graph::ContextGraph;
use crate::hashing::HashMap;
use crate::message::{Format, Message};
use crate::session::{Fit, Session};
use crate::tokens::Counter;

/// Shared by the `Session` object, its `ToolOutputCache`, and the runs that wait for a summary.
pub struct Inner {
    /// `None` once the caller has freed the session. Boxed, so that its memory is freed then, while results of `prepare` still refer to
    /// the rest.
    core: RefCell<Option<Box<Session>>>,
    /// The pushed objects, and those made from messages.
    pub handles: RefCell<Handles>,
    /// The caller's list, entry by entry.
    pub line: RefCell<Line>,
    /// Whether the header came from a body, outside its list.
    pub header_beside: Cell<bool>,
    /// The callback; `None`: the extractive summariser.
    pub summarize: RefCell<Option<Summarize>>,
    /// The caller's clock.
    pub now: RefCell<Option<Function>>,
    /// The `onCost` listener.
    pub on_cost: RefCell<Option<Function>>,
    /// A tokenizer that is a JavaScript function.
    pub callback_counter: RefCell<Option<Rc<CallbackCounter>>>,
    /// Decides by name which tools the model gets.
    pub tool_filter: RefCell<Option<Function>>,
    /// Whether a run waits for a summary.
    pub is_running: Cell<bool>,
    /// Whether a summary is being asked for in the background.
    pub is_in_background: Cell<bool>,
    /// The event listeners.
    pub listeners: Listeners,
    /// `prepare` has just run and nothing has changed since, so another one would do nothing.
    is_prepared: Cell<bool>,
    /// How many times the core was changed.
    writes: Cell<u64>,
    /// Sessions that were forked off, for the graph.
    pub children: RefCell<Vec<Child>>,
    /// Bytes of a chunk's last, incomplete character, by ref.
    pub split_characters: RefCell<HashMap<String, Vec<u8>>>,
    /// What JavaScript objects have borrowed from the session.
    pub lent_handles: LentHandles,
    /// Prepared views that nobody has read yet.
    pub prepared_views: PreparedViews,
    /// A number that marks the message lists that this session handed out.
    pub number: Cell<Option<u32>>,
    /// The cache marks of the newest view that was requested with any.
    pub marks: RefCell<Marks>,
    /// Whether the session object was freed.
    is_freed: Cell<bool>,
    /// Whether `summarize` is being called and has not returned yet (not even a promise).
    pub is_asking: Cell<bool>,
    /// The store of its tool outputs.
    pub store: OutputStore,
    /// What `pkg/host` keeps for the session, once that is needed.
    host: OnceCell<JsValue>,
    /// How much of the JavaScript side's state was saved.
    pub saved: RefCell<SideMark>,
}

impl Inner {
    pub fn new(core: Session, options: Options) -> Self {
        let callback_counter = options.callback().cloned();
        let Options { summarize, now, on_cost, store, .. } = options;
        Self {
            core: RefCell::new(Some(Box::new(core))),
            handles: RefCell::default(),
            line: RefCell::default(),
            header_beside: Cell::default(),
            summarize: RefCell::new(summarize),
            now: RefCell::new(now),
            on_cost: RefCell::new(on_cost.into_function()),
            callback_counter: RefCell::new(callback_counter),
            tool_filter: RefCell::default(),
            is_running: Cell::new(false),
            is_in_background: Cell::new(false),
            listeners: Listeners::default(),
            is_prepared: Cell::new(false),
            writes: Cell::new(0),
            children: RefCell::default(),
            split_characters: RefCell::default(),
            lent_handles: LentHandles::default(),
            prepared_views: PreparedViews::default(),
            number: Cell::default(),
            marks: RefCell::default(),
            is_freed: Cell::new(false),
            is_asking: Cell::new(false),
            store: OutputStore::new(store),
            host: OnceCell::new(),
            saved: RefCell::default(),
        }
    }

    /// A new session around another core, with the same callbacks.
    pub fn session_around(&self, core: Session) -> Self {
        let options = self.functions(core.counter());
        let beside = Self::new(core, options);
        beside.tool_filter.borrow_mut().clone_from(&self.tool_filter.borrow());
        beside
    }

    /// The session's own functions, as options. `counter` is the one that the session counts with.
    fn functions(&self, counter: &Counter) -> Options {
        let callback = self.callback_counter.borrow().clone();
        Options {
            tokenizer: callback.map(|own| Tokenizer { counter: counter.clone(), callback: Some(own) }),
            summarize: self.summarize.borrow().clone(),
            now: self.now.borrow().clone(),
            on_cost: FunctionOption::held(self.on_cost.borrow().clone()),
            store: self.store.own.borrow().clone(),
            ..Options::default() // already read, or in the core
        }
    }

    /// Like `functions`, but includes those in the core: used to read the session again from a store.
    pub fn functions_of_core(&self) -> std::result::Result<Options, JsValue> {
        self.read(|core| Options {
            redact: FunctionOption::held(core.redact().cloned()),
            describe: FunctionOption::held(core.context().placeholder_writer.clone()),
            customs: Some(core.context().customs.clone()),
            ..self.functions(core.counter())
        })
    }

    /// Continues with the state of a session that was read from a store. Listeners stay, and objects that refer to this session stay valid.
    /// Events are not delivered yet.
    pub fn take_over(&self, other: &Self) -> std::result::Result<(), JsValue> {
        let read = other.core.take().ok_or_else(freed_error)?;
        *self.handles()? = std::mem::take(&mut *other.handles()?);
        *self.line.borrow_mut() = other.line.take();
        *self.split_characters.borrow_mut() = other.split_characters.take();
        *self.saved.borrow_mut() = other.saved.take();
        self.header_beside.set(other.header_beside.get());
        self.write_quietly(|core| {
            core.continue_as_loaded(*read);
            Ok(())
        })
    }

    /// Reads the core.
    pub fn read<T>(&self, read: impl FnOnce(&Session) -> T) -> std::result::Result<T, JsValue> {
        Ok(read(&*self.core()?))
    }

    fn core(&self) -> std::result::Result<Ref<'_, Session>, JsValue> {
        let core = self.core.try_borrow().map_err(|_| reentered())?;
        Ref::filter_map(core, Option::as_deref).map_err(|_| freed_error().into())
    }

    pub fn core_mut(&self) -> std::result::Result<RefMut<'_, Session>, JsValue> {
        let core = self.core.try_borrow_mut().map_err(|_| reentered())?;
        RefMut::filter_map(core, Option::as_deref_mut).map_err(|_| freed_error().into())
    }

    /// Changes the core, then delivers events to the listeners. An error includes the report of the failed run.
    pub fn write<T>(&self, write: impl FnOnce(&mut Session) -> Result<T>) -> std::result::Result<T, JsValue> {
        let written = self.write_quietly(write);
        self.deliver_events();
        written
    }

    /// Like `write`, but does not deliver events.
    pub fn write_quietly<T>(
        &self,
        write: impl FnOnce(&mut Session) -> Result<T>,
    ) -> std::result::Result<T, JsValue> {
        self.write_core(write)?.map_err(|error| self.with_report(error))
    }

    fn with_report(&self, error: Error) -> JsValue {
        let carries_report = matches!(
            error.code(),
            ErrorCode::ContextWindowExceeded
                | ErrorCode::BudgetImpossible
                | ErrorCode::SummaryFailed
                | ErrorCode::SummaryEmpty
                | ErrorCode::SummaryTruncated
                | ErrorCode::SummaryNotSmaller
                | ErrorCode::SummaryInvalid
        );
        let report = if carries_report { self.last_report() } else { None };
        context_error(&error, None, report.as_ref())
    }

    /// How many times the core was changed. If it differs after the caller's code ran, earlier results may no longer hold.
    pub fn writes(&self) -> u64 {
        self.writes.get()
    }

    /// The pushed or made objects. A re-entrant call from a getter of one of them is refused.
    pub fn handles(&self) -> std::result::Result<RefMut<'_, Handles>, JsValue> {
        self.handles.try_borrow_mut().map_err(|_| reentered())
    }

    /// Changes the core, and returns the core's own error unchanged.
    pub fn write_core<T>(
        &self,
        write: impl FnOnce(&mut Session) -> Result<T>,
    ) -> std::result::Result<Result<T>, JsValue> {
        let mut core = self.core_mut()?;
        self.is_prepared.set(false);
        self.writes.set(self.writes.get() + 1);
        Ok(write(&mut core))
    }

    /// Reads the core and lets it record what was read; `None` if it is busy or gone.
    pub fn read_mut<T>(&self, look: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.core_mut().ok().map(|mut core| look(&mut core))
    }

    /// Records that the current view was returned to the caller. A view that is read inside a callback of the session is not sent, so
    /// it does not count.
    pub fn note_read(&self) {
        if let Ok(mut core) = self.core_mut() {
            core.note_read();
        }
    }

    /// Reads the caller's clock and passes the time to the core.
    pub fn pass_time_to_core(&self) -> std::result::Result<(), JsValue> {
        let Some(now) = self.now.borrow().clone() else { return Ok(()) };
        let wrong = |cause: Option<&JsValue>| {
            context_error(&Error::config("now", "must return a number and not throw"), cause, None)
        };
        let time = now.call0(&JsValue::UNDEFINED).map_err(|cause| wrong(Some(&cause)))?;
        let time = time.as_f64().filter(|t| t.is_finite()).ok_or_else(|| wrong(None))?;
        self.core_mut()?.context_mut().now = Some(time);
        Ok(())
    }

    /// The time in milliseconds: by the caller's clock, or else by the host's.
    pub fn clock(&self) -> f64 {
        let now = self.now.borrow().clone();
        let time = now.and_then(|now| now.call0(&JsValue::UNDEFINED).ok()?.as_f64());
        time.filter(|t| t.is_finite()).unwrap_or_else(js_sys::Date::now)
    }

    /// Lets a callback tokenizer count messages before the session is changed.
    pub fn precount(&self, messages: &[Message]) -> std::result::Result<(), JsValue> {
        let counter = self.callback_counter.borrow().clone();
        counter.map_or(Ok(()), |counter| counter.precount(messages))
    }

    /// Remembers the objects that messages were pushed as.
    pub fn keep(&self, format: Format, nodes: &[NodeIndex], groups: Vec<Group>) {
        if self.read(|core| core.config().freeze_inputs).unwrap_or(false) {
            groups.iter().flat_map(|group| &group.objects).for_each(freeze);
        }
        if let Ok(mut core) = self.core_mut() {
            let repaired = groups.iter().filter(|group| group.repaired);
            let repaired = repaired.flat_map(|group| nodes.get(group.messages.clone()).unwrap_or_default());
            repaired.for_each(|node| core.note_surrogate_replaced(*node));
        }
        let Ok(mut handles) = self.handles.try_borrow_mut() else { return };
        let stretches = groups.into_iter().map(|group| {
            let nodes = nodes.get(group.messages).unwrap_or_default().to_vec();
            if !group.repaired {
                handles.keep(format, nodes.clone(), group.objects.clone());
            }
            Stretch::of(format, group.objects, nodes)
        });
        self.line.borrow_mut().extend(stretches);
    }

    /// Begins `prepare`; does not deliver events.
    pub fn begin_prepare(&self, fill: bool, idle_ms: Option<u64>) -> std::result::Result<Fit, JsValue> {
        if !self.is_prepared.get() || idle_ms.is_some() {
            let fit = self.write_quietly(|core| match idle_ms {
                _ if fill => core.prepare_filling(),
                Some(idle_ms) => core.prepare_after(idle_ms),
                None => core.prepare(),
            })?;
            self.is_prepared.set(matches!(fit, Fit::Done(_)));
            return Ok(fit);
        }
        // Nothing has changed since the last `prepare`, so nothing will be done.
        let prepared = self.core_mut()?.prepare(); // with nothing new, filling or not is the same
        prepared.map_err(|error| self.with_report(error))
    }

    /// Reads the history as a graph in its current state, including the lanes of forks.
    pub fn read_graph<T>(
        &self,
        read: impl FnOnce(&ContextGraph) -> std::result::Result<T, JsValue>,
    ) -> std::result::Result<T, JsValue> {
        self.refuse_freed()?;
        let mut core = self.core_mut()?;
        self.children.borrow_mut().retain_mut(|child| {
            let Some(inner) = child.inner.upgrade() else { return false };
            if child.writes != inner.writes()
                && let Ok(branch) = inner.core()
            {
                core.read_branch(&branch);
                child.writes = inner.writes();
            }
            true
        });
        read(core.graph()?)
    }

    /// The last run's report.
    pub fn last_report(&self) -> Option<JsValue> {
        let core = self.core().ok()?;
        core.report().and_then(|r| to_js(r).ok())
    }

    /// Delivers events to the listeners. No borrow is held, since they may call into the session.
    pub fn deliver_events(&self) {
        let Ok(mut core) = self.core_mut() else { return };
        let events = core.take_events();
        drop(core);
        self.listeners.deliver(events);
    }

    /// Releases everything that the session holds, even if other objects still refer to parts of it. Used when the caller frees the
    /// session, not the garbage collector.
    pub fn empty(&self) {
        let core = self.core.try_borrow_mut().ok().and_then(|mut core| core.take());
        let handles = self.handles.try_borrow_mut().ok().map(|mut handles| std::mem::take(&mut *handles));
        let callbacks = (self.summarize.take(), self.callback_counter.take(), self.tool_filter.take());
        self.prepared_views.clear();
        self.lent_handles.revoke_all();
        self.line.take();
        self.children.take();
        self.split_characters.take();
        self.store.forget_fetched();
        drop((core, handles, callbacks)); // last, when nothing is borrowed any more
    }

    /// Marks the session object as freed; runs that are still waiting end now.
    pub fn set_freed(&self) {
        self.is_freed.set(true);
        if let Some(state) = self.host.get() {
            let _ = host(|host| host.freed(state, &freed_error().into()));
        }
    }

    /// What `pkg/host` keeps for the session.
    pub fn host_state(&self) -> std::result::Result<JsValue, JsValue> {
        if let Some(state) = self.host.get() {
            return Ok(state.clone());
        }
        let state = host(super::host::Host::new_state)?;
        if self.is_freed.get() {
            host(|host| host.freed(&state, &freed_error().into()))?;
        }
        Ok(self.host.get_or_init(|| state).clone())
    }

    /// The branch finds outputs where this session does.
    pub fn share_stores(&self, branch: &Self) -> std::result::Result<(), JsValue> {
        let Some(state) = self.host.get() else { return Ok(()) };
        let own = branch.host_state()?;
        host(|host| host.branched(state, &own))
    }

    /// Fails with `FREED` once the session object is gone.
    pub fn refuse_freed(&self) -> Result<()> {
        if self.is_freed.get() { Err(freed_error()) } else { Ok(()) }
    }
}

/// A session that was forked off, and how many of its writes this session has seen.
pub struct Child {
    pub inner: Weak<Inner>,
    pub writes: u64,
}

/// The error for callbacks that use the session while the core is working: `tokenizer`, `compaction.redact`,
/// `toolOutputCache.placeholder`, and getters of objects that are being written.
fn reentered() -> JsValue {
    Error::argument(
        "the session is busy: the callbacks that it calls (`tokenizer`, `compaction.redact`, `toolOutputCache.placeholder`, a getter) cannot use it",
    )
    .into()
}
