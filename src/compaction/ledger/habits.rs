//! How the agent works: the commands that it runs often, and the folder in which it runs them.

use std::cmp::Reverse;

use super::carried::CommandLine;
use crate::facts::{CallOutcome, RunNote, without_directory};
use crate::saved::saved;
use crate::sorted::SortedMap;
use crate::sorting::sort_by_key;

/// A command that was run this often is one of those with which the agent works: its tests, its build.
const OFTEN: u64 = 3;
/// At most this many commands are told.
const MOST: usize = 4;
/// At most this many commands are counted. If there are more, the rarest and oldest is forgotten.
const COUNTED: usize = 200;
/// The number of latest commands with a `cd` whose folders are known.
const LATEST: usize = 20;

/// The commands that were run, and the folders of the latest ones that did not fail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Habits {
    commands: SortedMap<String, Runs>,
    /// Oldest first.
    folders: Vec<String>,
}

/// The runs of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Runs {
    times: u64,
    /// How many of them failed. A command that hardly ever worked is none with which the agent works.
    failed: u64,
    /// The number of the message that ran it last.
    last: u64,
    /// How the last run ended; empty if that is not known.
    ended: String,
}

/// A command that was run often.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habit<'a> {
    command: &'a str,
    runs: &'a Runs,
}

saved!(struct Habits { commands, folders });
saved!(struct Runs { times, failed, last, ended });

impl Habits {
    /// Adds a command that message number `at` ran, and its outcome, if it has an output.
    pub fn add(&mut self, run: &RunNote, outcome: Option<&CallOutcome>, at: u64) {
        let failed = outcome.is_some_and(|outcome| outcome.failed);
        if let Some(folder) = run.folder.as_ref().filter(|_| !failed) {
            self.folders.push(folder.clone());
            if self.folders.len() > LATEST {
                self.folders.remove(0);
            }
        }
        let Some(command) = &run.repeated else { return };
        if self.commands.len() >= COUNTED && !self.commands.contains_key(command) {
            let rarest = self.commands.iter().min_by_key(|(_, runs)| (runs.times, runs.last));
            if let Some(rarest) = rarest.map(|(command, _)| command.clone()) {
                self.commands.remove(&rarest);
            }
        }
        let runs = self.commands.or_default(command.clone());
        runs.times = runs.times.saturating_add(1);
        runs.failed = runs.failed.saturating_add(u64::from(failed));
        runs.last = at;
        runs.ended = outcome.map_or_else(String::new, |outcome| outcome.tail.clone());
    }

    /// Leaves out what a message in the view shows.
    pub fn leave_out(&mut self, run: &RunNote) {
        if let Some(command) = &run.repeated {
            self.commands.remove(command);
        }
        if run.folder.is_some() {
            self.folders.retain(|folder| Some(folder) != run.folder.as_ref());
        }
    }

    /// The commands that were run often, the most frequent first.
    pub fn often(&self) -> Vec<Habit<'_>> {
        let worked = |runs: &Runs| runs.times.saturating_sub(runs.failed);
        let all = self.commands.iter().map(|(command, runs)| Habit { command, runs });
        let mut often: Vec<Habit<'_>> = all.filter(|habit| worked(habit.runs) >= OFTEN).collect();
        sort_by_key(&mut often, |habit| Reverse((worked(habit.runs), habit.runs.last)));
        often.truncate(MOST);
        often
    }

    /// The folder of the latest command, if at least half of the latest commands ran there.
    pub fn folder(&self) -> Option<&str> {
        let folder = self.folders.last()?;
        let there = self.folders.iter().filter(|other| *other == folder).count();
        (there as u64 >= OFTEN && there * 2 >= self.folders.len()).then_some(folder)
    }
}

impl Habit<'_> {
    /// The command as code.
    pub fn code(&self) -> String {
        format!("`{}`", self.command)
    }

    /// Its line in the ledger, with what its latest run came to, if that is known.
    pub fn line(&self, latest: Option<&CommandLine>) -> String {
        let (code, times) = (self.code(), self.runs.times);
        match latest {
            Some(latest) => format!("{code} → last of {times} runs: {}", latest.outcome()),
            None => format!("{code} (×{times})"),
        }
    }

    /// Whether a line is about its latest run.
    pub fn is_latest_run(&self, line: &CommandLine) -> bool {
        let (told, ended) = (line.without_ref(), &self.runs.ended);
        let is_same = |told: &str| told.starts_with(without_directory(self.command));
        line.last == self.runs.last
            && !ended.is_empty()
            && told.ends_with(&**ended)
            && told.strip_prefix('`').is_some_and(is_same)
    }
}
