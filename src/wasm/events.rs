//! Listeners of a session's events.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;

use super::value::{get, to_js};
use crate::context::{Event, EventName};
use crate::error::Error;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(message: &str, thrown: &JsValue);
}

/// Prints on the console what a callback threw; the session goes on.
pub fn report_thrown(message: &str, thrown: &JsValue) {
    error(message, thrown);
}

/// What is printed before the error of a listener.
const THREW: &str = "contextfold: a listener threw";

/// One listener; `event` is `None` for all.
struct Listener {
    id: u32,
    event: Option<EventName>,
    function: Function,
}

/// The listeners and the events they still have to get.
#[derive(Default)]
pub struct Listeners {
    list: Rc<RefCell<Vec<Listener>>>,
    next: Cell<u32>,
    /// Events waiting to be delivered. Those caused by a listener come after those that are already being delivered.
    queue: RefCell<VecDeque<Event>>,
    delivering: Cell<bool>,
}

impl Listeners {
    /// Adds a listener for one event, or for all (`*`). Returns a function that removes it.
    pub fn add(&self, name: &str, listener: JsValue) -> Result<JsValue, Error> {
        let wrong = |_| Error::argument("`listener`: expected a function");
        let listener: Function = listener.dyn_into().map_err(wrong)?;
        let event = EventName::ALL.into_iter().find(|e| e.as_str() == name);
        if event.is_none() && name != "*" {
            let known = EventName::ALL.map(EventName::as_str).join(", ");
            return Err(Error::argument(format!(
                "there is no event `{name}`; the events are {known}, and * for all"
            )));
        }
        let id = self.next.replace(self.next.get() + 1);
        self.list.borrow_mut().push(Listener { id, event, function: listener });
        let list = self.list.clone();
        let off: Closure<dyn Fn()> = Closure::new(move || list.borrow_mut().retain(|l| l.id != id));
        Ok(off.into_js_value())
    }

    /// Calls the listeners in order. One that throws is reported on the console and stops nothing.
    pub fn deliver(&self, events: Vec<Event>) {
        if self.list.borrow().is_empty() {
            return;
        }
        self.queue.borrow_mut().extend(events);
        if self.delivering.replace(true) {
            return; // called from inside a listener: the loop further up the stack delivers these too
        }
        while let Some(event) = self.next_event() {
            self.call(&event);
        }
        self.delivering.set(false);
    }

    fn next_event(&self) -> Option<Event> {
        self.queue.borrow_mut().pop_front()
    }

    fn call(&self, event: &Event) {
        let Ok(object) = to_js(event) else { return };
        let list = self.list.borrow();
        let listening = list.iter().filter(|l| l.event.is_none_or(|e| e == event.event));
        let listening: Vec<Function> = listening.map(|l| l.function.clone()).collect();
        drop(list); // a listener may add or remove listeners
        for listener in listening {
            match listener.call1(&JsValue::UNDEFINED, &object) {
                Err(thrown) => report_thrown(THREW, &thrown),
                Ok(answer) => report_rejection(&answer),
            }
        }
    }
}

/// An `async` listener that rejects is reported as well, so that it does not end the process as an unhandled rejection.
fn report_rejection(answer: &JsValue) {
    if let Some(promise) = answer.dyn_ref::<Promise>()
        && let Ok(Some(catch)) = get(promise, "catch")
    {
        let rejected = Closure::once_into_js(|thrown: JsValue| report_thrown(THREW, &thrown));
        let _ = catch.unchecked_into::<Function>().call1(promise, &rejected);
    }
}
