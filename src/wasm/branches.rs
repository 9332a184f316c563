//! Changing one's mind: folds undone, the conversation taken back, branches and their results.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::entries::Group;
use super::inner::Inner;
use super::journal::mark_side;
use super::options::{fork_options, set_options};
use super::session::Session;
use super::value::{get, get_string, json, known_keys, text, to_js};
use crate::config::Keys;
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message, Role};
use crate::session::{MergeAs, Session as Core};

thread_local! {
    /// The sessions that were forked, by the number that their objects tell.
    static BRANCHES: RefCell<(u32, BTreeMap<u32, Weak<Inner>>)> = RefCell::default();
}

/// A session that was forked off, and how much of it was heard.
pub struct Child {
    pub inner: Weak<Inner>,
    pub writes: u64,
}

#[wasm_bindgen]
impl Session {
    /// Erases what a message says, for good: from the history, the view, the tool output cache, and from every summary that was made
    /// of it, which the built-in summariser writes anew. That there was a message, who called which tool, and which call it answers
    /// stays, so that what the provider gets stays valid. The next `save` writes all of the session anew, and what was saved before is
    /// gone from the store then.
    ///
    /// What is not erased: what other messages say of it; sessions that were forked off, which have it themselves; the objects that
    /// you pushed. A tool output that lives in the store alone (`toolOutputCache.memoryBytes`) goes when the store is swept.
    ///
    /// ```js
    /// const folds = session.erase("m17"); // ids of the summaries that were written anew
    /// await session.save(store, key);
    /// ```
    /// @returns The ids of the folds whose summaries were written anew.
    /// @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, and for what the engine wrote; `GRAPH_CONSTRAINT` for a part of a
    /// run of a provider's own tool that stands in two messages. Nothing has changed then.
    #[wasm_bindgen(unchecked_return_type = "string[]")]
    pub fn erase(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
    ) -> Result<JsValue, JsValue> {
        let id = text(&id, "id")?;
        let (node, folds) = self.inner.write(|core| {
            let folds = core.erase(&id)?;
            Ok((core.context().history.find(&id), folds))
        })?;
        self.inner.line.borrow_mut().let_go(&node.into_iter().collect());
        if let Some(node) = node {
            self.inner.handles()?.erase(node);
        }
        mark_side(&self.inner)?;
        to_js(&folds)
    }

    /// Undoes a fold: its messages stand again where they stood and as they stood (what was trimmed stays trimmed, what was
    /// dropped stays dropped), and its summary leaves the view. What came after the fold stays after it. A fold of folds gives
    /// back the folds. `folds()` and the hits of `search` have the ids.
    ///
    /// As long as the view fits its limit, no fold begins on its own account until something new is there to fold; with
    /// `hold: true` none at all, until the view is edited again (`rewind`, another `unfold`) or you ask for a fold. What it gives says
    /// how full the view is now, and as `notice` what keeps it from folding again where it is over its threshold. The guide
    /// `docs/undo.md` has previews, undoing by hand and branches.
    ///
    /// ```js
    /// const [hit] = session.search("DATABASE_URL");
    /// if (hit?.fold) session.unfold(hit.fold);
    /// ```
    /// @throws {ContextError} `INVALID_ARGUMENT` for an id that is no fold's; `GRAPH_CONSTRAINT` for a fold inside a later one,
    /// which the error names: unfold that first.
    #[wasm_bindgen(unchecked_return_type = "Undone")]
    pub fn unfold(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ hold?: boolean | undefined }")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let id = text(&id, "id")?;
        let hold = if options.is_undefined() {
            false
        } else {
            let options = json(&options, ErrorCode::InvalidArgument)?;
            let mut keys = Keys::arguments("", &options)?;
            let hold = keys.bool("hold")?;
            keys.finish()?;
            hold.unwrap_or(false)
        };
        to_js(&self.inner.write(|core| if hold { core.unfold_and_hold(&id) } else { core.unfold(&id) })?)
    }

    /// Goes back to a message: what came after it leaves the view. It stays in the history (`messages`, `search`), and the next
    /// report lists it. The ids of what left, and its calls, are free again. A message inside a fold is unfolded; of a step
    /// that is cut in two, the calls wait for their outputs again.
    ///
    /// ```js
    /// const [question] = session.push({ role: "user", content: "Rename it everywhere." });
    /// // … the agent goes astray …
    /// session.rewind(question); // as if it had just been asked
    /// ```
    /// @throws {ContextError} `INVALID_ARGUMENT` for an id that there is not, for a summary's, and for a message that an earlier
    /// rewind or `sync` left behind.
    pub fn rewind(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
    ) -> Result<(), JsValue> {
        let id = text(&id, "id")?;
        let gone = self.inner.write_quietly(|core| core.rewind(&id))?;
        self.inner.line.borrow_mut().forget(&gone.into_iter().collect());
        self.inner.deliver_events();
        Ok(())
    }

    /// Makes a session of its own that begins with the history up to and including a message: a second try, or a sub-agent that
    /// knows what led to its task. Nothing is copied but the list: messages, and the outputs stored so far, are shared. From
    /// there on the two know nothing of each other, until `merge`.
    ///
    /// The options given replace those of this session, key by key; the others stay. A `model` or a `tokenizer` counts the
    /// history anew. `lane` names the branch in `graph` (default `fork_1`, `fork_2`, …).
    ///
    /// ```js
    /// const child = session.fork(agent, { lane: "researcher", contextWindow: 32_000 });
    /// child.push({ role: "user", content: "Find out which versions are affected." });
    /// // … run the sub-agent on `child` …
    /// session.merge(child, { tool_call_id: "call_7" });
    /// ```
    /// @throws {ContextError} `INVALID_ARGUMENT` as `rewind`, and for a lane that there is already; `INVALID_CONFIG`,
    /// `UNKNOWN_MODEL` as the constructor.
    pub fn fork(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ lane?: string } & Partial<SessionOptions>")]
        options: JsValue,
    ) -> Result<Session, JsValue> {
        let id = text(&id, "id")?;
        let (lane, own) = fork_options(&options)?;
        let (core, renumbering) = self.inner.read(|core| core.branch(&id, lane.as_deref()))??;
        let branch = Rc::new(self.inner.beside(core));
        set_options(&branch, &own)?;
        self.inner.write(|core| {
            branch
                .read(|branch| core.note_branch(branch))
                .map_err(|_| Error::argument("the branch is at work"))
        })?;
        *branch.handles.borrow_mut() = self.inner.handles()?.branch(&renumbering);
        *branch.line.borrow_mut() = self.inner.line.borrow().branch(&renumbering);
        self.inner.children.borrow_mut().push(Child { inner: Rc::downgrade(&branch), writes: 0 });
        Ok(Session { inner: branch })
    }

    /// Takes a branch's result in, the text of its last answer: as the output of an open tool call, or as a user message.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` for a session that this one's `fork` did not give, and for a call that does not
    /// wait for an output; `GRAPH_CONSTRAINT` where the branch has no answer yet, and where it was merged before; `FREED` for a
    /// branch that was freed. Nothing has changed then.
    pub fn merge(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Session")] child: JsValue,
        #[wasm_bindgen(unchecked_param_type = "{ tool_call_id: string } | { role: \"user\" }", js_name = as)]
        result: JsValue,
    ) -> Result<(), JsValue> {
        let result = merge_as(&result)?;
        let branch = session_of(&child)?;
        if Rc::ptr_eq(&branch, &self.inner) {
            return Err(Error::argument("`child`: a session cannot be merged into itself").into());
        }
        let text = branch.read(Core::result)?;
        if let Some(text) = text {
            self.inner.rehearse(&[Message::text(Role::User, text)])?;
        }
        let node = self.inner.write_quietly(|core| {
            let merged = branch.read(|branch| core.merge(branch, &result));
            merged.unwrap_or_else(|_| Err(Error::argument("`child`: it is at work")))
        })?;
        self.inner.keep(Format::Messages, &[node], vec![Group::without_objects(0..1)]);
        self.inner.deliver_events();
        Ok(())
    }

    /// Tells which session this is to another one's `merge`.
    #[wasm_bindgen(js_name = __branch, skip_typescript)]
    pub fn branch_number(&self) -> u32 {
        BRANCHES.with_borrow_mut(|(next, branches)| {
            branches.retain(|_, branch| branch.strong_count() > 0);
            *next += 1;
            branches.insert(*next, Rc::downgrade(&self.inner));
            *next
        })
    }
}

/// The session behind an object; one that was freed says so itself.
fn session_of(child: &JsValue) -> Result<Rc<Inner>, JsValue> {
    let wrong = || JsValue::from(Error::argument("`child`: expected a Session"));
    let tell = get(child, "__branch")?.filter(JsValue::is_function).ok_or_else(wrong)?;
    let number = tell.unchecked_into::<Function>().call0(child)?.as_f64().ok_or_else(wrong)?;
    let freed = || JsValue::from(Error::new(ErrorCode::Freed, "`child`: the session was freed"));
    BRANCHES
        .with_borrow_mut(|(_, all)| all.remove(&(number as u32)))
        .and_then(|b| b.upgrade())
        .ok_or_else(freed)
}

fn merge_as(result: &JsValue) -> Result<MergeAs, JsValue> {
    let expected = || JsValue::from(Error::argument("`as`: expected { tool_call_id } or { role: \"user\" }"));
    if result.is_undefined() {
        return Err(expected());
    }
    known_keys(result, &["tool_call_id", "role"])?;
    match (get_string(result, "tool_call_id")?, get_string(result, "role")?.as_deref()) {
        (Some(call), None) => Ok(MergeAs::ToolOutput(call)),
        (None, Some("user")) => Ok(MergeAs::User),
        _ => Err(expected()),
    }
}
