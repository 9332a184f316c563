//! Erasing messages, undoing folds, rewinding, and branches with their results.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::arguments::{get_string, known_keys, options_json, text};
use super::away::keep_sums;
use super::entries::Group;
use super::inner::{Child, Inner};
use super::journal::mark_side;
use super::option_changes::set_options;
use super::options::fork_options;
use super::session::Session;
use super::value::{get, to_js};
use crate::config::Keys;
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message, Role};
use crate::session::{Erased, MergeAs, Session as Core};
use crate::sorted::SortedMap;

thread_local! {
    /// Sessions by the number that `__branch` returned, until `merge` looks them up.
    static BRANCHES: RefCell<(u32, SortedMap<u32, Weak<Inner>>)> = RefCell::default();
}

#[wasm_bindgen]
impl Session {
    /// Erases the content of a message for good: from the history, the view, the tool output cache, and from every summary
    /// that may repeat it. What stays is that there was a message, who called which tool, and which call it answers, so that
    /// the request to the provider stays valid. The next `save` writes the whole session anew, and removes what was saved
    /// before from the store.
    ///
    /// A summary may repeat any message that came before it was written, because its request shows the whole view. So the built-in
    /// summariser writes all summaries since then anew, with their ledgers; texts that a summariser retained since then are
    /// erased. Summaries written before the message came stay. A run that waits for a summary fails with `STALE_PLAN`: call
    /// it again. A summary in the background is dropped, and asked for again.
    ///
    /// These are not erased:
    ///
    /// - what other messages say about it, among them the model's answers and a provider's own compactions in them,
    /// - what you set yourself (context parts, outputs that you stored with `toolOutputs.put` and that belong to no message),
    /// - branches, which have their own copy, and what the graph shows of them,
    /// - the objects that you pushed, and those that you got before, such as requests and views.
    ///
    /// A tool output that is only in the store (`toolOutputCache.memoryBytes`) is removed when the
    /// store is swept.
    ///
    /// ```js
    /// const folds = session.erase("m17"); // ids of the summaries that were written anew
    /// await session.save(store, key);
    /// ```
    /// @returns The ids of the folds whose summaries were rewritten.
    /// @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, and for messages written by the engine; `GRAPH_CONSTRAINT` for part
    /// of a call of a provider's own tool that spans two messages, and for the answer that opens a running turn with signed thinking.
    /// Then nothing has changed.
    #[wasm_bindgen(unchecked_return_type = "string[]")]
    pub fn erase(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
    ) -> Result<JsValue, JsValue> {
        let id = text(&id, "id")?;
        let about_to_go = self.inner.read(|core| core.about_to_erase(&id))?;
        if let Ok(nodes) = about_to_go {
            keep_sums(&self.inner, &nodes.into_iter().collect());
        }
        let Erased { folds, nodes, answers } = self.inner.write(|core| core.erase(&id))?;
        self.inner.line.borrow_mut().drop_objects(&nodes.iter().copied().collect());
        self.inner.handles()?.erase(&[nodes, answers].concat());
        mark_side(&self.inner)?;
        to_js(&folds)
    }

    /// Undoes a fold: its messages return to their positions in the form they had (trimmed ones stay trimmed, dropped ones stay
    /// dropped), and its summary leaves the view. What came after the fold stays after it. Undoing a fold of folds
    /// brings back the inner folds. `folds()` and the hits of `search` have the ids.
    ///
    /// As long as the view fits its limit, no automatic fold starts until it has grown by about a tenth of the target. With
    /// `hold: true` none starts at all, until the view is edited again (`rewind`, another `unfold`) or you ask for a fold.
    /// The result says how full the view is now; if it is over its threshold, `notice` says what keeps it from folding
    /// again. The guide `docs/undo.md` covers previews, undoing by hand and branches.
    ///
    /// ```js
    /// const [hit] = session.search("DATABASE_URL");
    /// if (hit?.fold) session.unfold(hit.fold);
    /// ```
    /// @throws {ContextError} `INVALID_ARGUMENT` for an id that is not a fold's; `GRAPH_CONSTRAINT` for a fold inside a later one,
    /// which the error names: unfold that one first.
    #[wasm_bindgen(unchecked_return_type = "Undone")]
    pub fn unfold(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ hold?: boolean | undefined }")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let id = text(&id, "id")?;
        let options = options_json(&options, ErrorCode::InvalidArgument)?;
        let mut keys = Keys::arguments("", &options)?;
        let hold = keys.bool("hold")?.unwrap_or(false);
        keys.finish()?;
        to_js(&self.inner.write(|core| core.unfold(&id, hold))?)
    }

    /// Goes back to a message: everything after it leaves the view. It stays in the history (`messages`, `search`), and the next
    /// report lists it. The ids of removed messages and tool calls can be used again. If the message is inside a fold, that is unfolded, and
    /// so are folds that may quote a message of the user which leaves. If a step is cut in two, its calls wait for their outputs again. With
    /// `null`, only the header stays, so that another first message can be pushed.
    ///
    /// ```js
    /// const [question] = session.push({ role: "user", content: "Rename it everywhere." });
    /// // … the agent goes astray …
    /// session.rewind(question); // as if it had just been asked
    /// ```
    /// @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, for a summary's id, and for a message that an earlier
    /// rewind or `sync` left behind.
    pub fn rewind(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | null")] id: JsValue,
    ) -> Result<(), JsValue> {
        let id = if id.is_null() { None } else { Some(text(&id, "id")?) };
        let gone = self.inner.write_quietly(|core| core.rewind(id.as_deref()))?;
        self.inner.line.borrow_mut().forget(&gone.into_iter().collect());
        self.inner.deliver_events();
        Ok(())
    }

    /// Creates a new session that begins with the history up to and including a message: for a second try, or for a sub-agent that
    /// knows what led to its task. Only the list is copied: messages and the outputs stored so far are shared. From then on the two
    /// sessions are independent, until `merge`.
    ///
    /// The given options replace those of this session, key by key; the others stay. With a `model` or a `tokenizer`, the history is
    /// counted again. `lane` names the branch in `graph` (default `fork_1`, `fork_2`, …).
    ///
    /// ```js
    /// const child = session.fork(agent, { lane: "researcher", contextWindow: 32_000 });
    /// child.push({ role: "user", content: "Find out which versions are affected." });
    /// // … run the sub-agent on `child` …
    /// session.merge(child, { tool_call_id: "call_7" });
    /// ```
    /// @throws {ContextError} `INVALID_ARGUMENT` as `rewind`, and for a lane that already exists; `INVALID_CONFIG`,
    /// `UNKNOWN_MODEL` as the constructor.
    pub fn fork(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ lane?: string | undefined } & Partial<SessionOptions>"
        )]
        options: JsValue,
    ) -> Result<Session, JsValue> {
        let id = text(&id, "id")?;
        let (lane, own) = fork_options(&options)?;
        let (core, renumbering) = self.inner.read(|core| core.branch(&id, lane.as_deref()))??;
        let branch = Rc::new(self.inner.session_around(core));
        set_options(&branch, &own)?;
        self.inner.share_stores(&branch)?;
        self.inner.write(|core| {
            branch
                .read(|branch| core.register_branch(branch))
                .map_err(|_| Error::argument("the branch is busy"))
        })?;
        *branch.handles.borrow_mut() = self.inner.handles()?.branch(&renumbering);
        *branch.line.borrow_mut() = self.inner.line.borrow().branch(&renumbering);
        self.inner.children.borrow_mut().push(Child { inner: Rc::downgrade(&branch), writes: 0 });
        Ok(Session { inner: branch })
    }

    /// Adds the result of a branch, the text of its last answer: as the output of an open tool call, or as a user message.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` for a session that was not created by this session's `fork`, and for a call that does not
    /// wait for an output; `GRAPH_CONSTRAINT` if the branch has no answer yet, or was merged before; `FREED` for a
    /// branch that was freed. Then nothing has changed.
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
            self.inner.precount(&[Message::text(Role::User, text)])?;
        }
        let node = self.inner.write_quietly(|core| {
            let merged = branch.read(|branch| core.merge(branch, &result));
            merged.unwrap_or_else(|_| Err(Error::argument("`child`: the session is busy")))
        })?;
        self.inner.keep(Format::Messages, &[node], vec![Group::without_objects(0..1)]);
        self.inner.deliver_events();
        Ok(())
    }

    /// How many times the session was changed: for `useSession`, which reads it in each render. Unlike `position`, it records nothing.
    #[wasm_bindgen(js_name = __writes, skip_typescript)]
    pub fn writes(&self) -> Result<f64, JsValue> {
        self.inner.read(|_| self.inner.writes() as f64)
    }

    /// Returns a number by which another session's `merge` finds this session.
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

/// The session behind a JavaScript object. A freed one throws its own error.
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
