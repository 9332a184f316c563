//! Branches: a separate session that begins like this one, and whose result can be merged back.

use std::sync::Arc;

use super::fork::{BranchMessage, Fork, Origin};
use super::parts::{Host, Lanes};
use super::state::Session;
use crate::context::{NodeIndex, NodeKind, Renumbering};
use crate::error::{Error, ErrorCode, Result};
use crate::message::{Message, Role};

/// The form in which a branch's result is merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeAs {
    /// The output of this open tool call, for a branch that was a task.
    ToolOutput(String),
    /// A user message.
    User,
}

impl Session {
    /// The session's name among its branches; `main` by default.
    pub fn lane(&self) -> &str {
        &self.lanes.lane
    }

    /// A new session that begins with the history up to and including a message. It gets the folds whose members are all in that
    /// history, every stored output, and the view that [`Session::rewind`] to the message would leave. Messages are shared in memory;
    /// after that the two sessions are independent. `lane` names the new session; `None`: the next free name of `fork_1`, `fork_2`, ….
    ///
    /// It has this session's options; [`Session::set_options`] changes them.
    ///
    /// # Errors
    /// Those of [`Session::rewind`]; `INVALID_ARGUMENT` for a lane that exists already. Nothing has changed then.
    pub fn fork(&mut self, id: &str, lane: Option<&str>) -> Result<(Self, Renumbering)> {
        let (branch, renumbering) = self.branch(id, lane)?;
        self.register_branch(&branch);
        Ok((branch, renumbering))
    }

    /// Like [`Session::fork`], but does not register the branch: see [`Session::register_branch`].
    ///
    /// # Errors
    /// As [`Session::fork`].
    pub fn branch(&self, id: &str, lane: Option<&str>) -> Result<(Self, Renumbering)> {
        let at = self.context.rewind_target(id)?;
        let is_taken =
            |lane: &str| self.lanes.lane == lane || self.lanes.forks.iter().any(|f| f.lane == lane);
        let lane = match lane {
            Some(lane) if lane.is_empty() || is_taken(lane) => {
                let why = format!(
                    "the lane `{lane}` already exists or its name is empty; a fork needs a new lane name"
                );
                return Err(Error::argument(why));
            }
            Some(lane) => lane.to_owned(),
            None => {
                let mut numbered = (self.lanes.forks.len() + 1..).map(|n| format!("fork_{n}"));
                numbered.find(|lane| !is_taken(lane)).unwrap_or_default()
            }
        };
        let mut branch = Self::new(self.config.clone(), self.counting.counter.clone());
        let (context, renumbering) = self.context.branch(at);
        branch.context = context;
        branch.counting.accuracy = self.counting.accuracy.clone();
        branch.prompt = self.prompt.clone();
        branch.context.placeholder_writer.clone_from(&self.context.placeholder_writer);
        branch.context.customs.clone_from(&self.context.customs);
        branch.host = Host { store_notice: None, ..self.host.clone() };
        let own_from = branch.context.history.len();
        let origin = Origin { bond: Arc::new(()), at, own_from };
        branch.lanes = Lanes { lane, limits: self.lanes.limits, origin: Some(origin), ..Lanes::default() };
        branch.update_wording();
        branch.drop_bound_thinking(&[]);
        branch.restore_opening_thinking();
        if branch.tokens() < self.tokens() {
            branch.note_free_room();
        }
        Ok((branch, renumbering))
    }

    /// Registers a branch: its lane is taken, and its result may be merged.
    pub fn register_branch(&mut self, branch: &Self) {
        let Some(Origin { bond, at, own_from }) = &branch.lanes.origin else { return };
        self.lanes.forks.push(Fork {
            lane: branch.lanes.lane.clone(),
            at: *at,
            story: Vec::new(),
            heard: *own_from,
            merged: None,
            bond: bond.clone(),
        });
    }

    /// Merges a branch's result: the text of its last answer.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a session that did not branch off this one, and for a call that does not wait for an output;
    /// `GRAPH_CONSTRAINT` if the branch has no result yet or was merged before; those of [`Session::push`]. Nothing has changed
    /// then.
    pub fn merge(&mut self, branch: &Self, result: &MergeAs) -> Result<NodeIndex> {
        let number = self.fork_of(branch).ok_or_else(|| {
            Error::argument("that session was not forked from this one: merge a session that this session's `fork` returned")
        })?;
        let lane = self.lanes.forks[number].lane.clone();
        let refuse = |why: String| Err(Error::new(ErrorCode::GraphConstraint, why));
        if self.lanes.forks[number].merged.is_some() {
            return refuse(format!(
                "`{lane}`: its result has already been merged; fork again to get another"
            ));
        }
        let Some(text) = branch.result() else {
            return refuse(format!(
                "`{lane}`: it has no result yet; first push its answer, an assistant message with text (after a run of an SDK: `sync` its messages)"
            ));
        };
        let message = match result {
            MergeAs::User => Message::text(Role::User, text),
            MergeAs::ToolOutput(call) if self.context.history.open_call(call).is_none() => {
                let why = format!(
                    "no tool call `{call}` is waiting for an output; push the assistant message with the call before you merge. Inside an SDK's hook, return the answer from the tool instead"
                );
                return Err(Error::argument(why));
            }
            MergeAs::ToolOutput(call) => Message::tool(call.clone(), text),
        };
        let added = self.push(vec![message])?;
        self.read_branch(branch);
        if *result == MergeAs::User {
            self.context.results.extend(added.iter().copied());
        }
        let fork = &mut self.lanes.forks[number];
        let length = fork.story.len();
        fork.merged = added.first().map(|node| (*node, length));
        added.first().copied().ok_or_else(|| Error::new(ErrorCode::Internal, "a merged result did not enter"))
    }

    /// Reads the messages that a branch added since the last call, for the graph. Ignores a session that is no branch of this one.
    pub fn read_branch(&mut self, branch: &Self) {
        let (Some(number), Some(origin)) = (self.fork_of(branch), &branch.lanes.origin) else { return };
        let fork = &mut self.lanes.forks[number];
        let history = &branch.context.history;
        for at in fork.heard..history.len() {
            let index = NodeIndex(at as u32);
            let node = history.node(index);
            if node.kind != NodeKind::Message {
                continue;
            }
            let went_on =
                |known: &&BranchMessage| history.superseded_at(known.index).is_none_or(|gone| gone > at);
            let answers = |known: &BranchMessage| {
                known.message.tool_calls().any(|c| node.message.tool_outputs().any(|o| o.call_id == c.id))
            };
            let after = fork.story.iter().rposition(|known| went_on(&known));
            let needs = if node.message.role == Role::Tool {
                fork.story.iter().rposition(answers).into_iter().collect()
            } else {
                Vec::new()
            };
            let (id, message) = (node.id.clone(), node.message.clone());
            fork.story.push(BranchMessage { id, message, index, after, needs });
        }
        debug_assert!(origin.own_from <= history.len(), "a history only grows");
        fork.heard = history.len();
    }

    fn fork_of(&self, branch: &Self) -> Option<usize> {
        let origin = branch.lanes.origin.as_ref()?;
        self.lanes.forks.iter().position(|f| Arc::ptr_eq(&f.bond, &origin.bond))
    }

    /// The text of the last answer that is not empty since the session branched off.
    pub fn result(&self) -> Option<String> {
        let own_from = self.lanes.origin.as_ref()?.own_from;
        let own = self.context.history.nodes().iter().enumerate().skip(own_from).rev();
        let answers = own.filter(|(at, node)| {
            let index = NodeIndex(*at as u32);
            node.kind == NodeKind::Message
                && node.message.role == Role::Assistant
                && !self.context.history.is_superseded(index)
        });
        answers.map(|(_, node)| node.message.plain_text()).find(|text| !text.trim().is_empty())
    }
}
