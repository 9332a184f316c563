//! How the agent works: the commands that it runs often, and the folder in which it runs them.

use crate::facts::RunNote;
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

/// The commands that were run and did not fail, and the folders of the latest ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Habits {
    commands: SortedMap<String, Runs>,
    /// Oldest first.
    folders: Vec<String>,
}

/// How often a command was run, and the number of the message that ran it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Runs {
    times: u64,
    last: u64,
}

saved!(struct Habits { commands, folders });
saved!(struct Runs { times, last });

impl Habits {
    /// Adds a command that message number `at` ran.
    pub fn add(&mut self, run: &RunNote, at: u64) {
        if let Some(folder) = &run.folder {
            self.folders.push(folder.clone());
            if self.folders.len() > LATEST {
                self.folders.remove(0);
            }
        }
        let Some(command) = &run.repeated else { return };
        if let Some(runs) = self.commands.get_mut(command) {
            *runs = Runs { times: runs.times.saturating_add(1), last: at };
            return;
        }
        if self.commands.len() >= COUNTED {
            let rarest = self.commands.iter().min_by_key(|(_, runs)| (runs.times, runs.last));
            if let Some(rarest) = rarest.map(|(command, _)| command.clone()) {
                self.commands.remove(&rarest);
            }
        }
        self.commands.insert(command.clone(), Runs { times: 1, last: at });
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

    /// The commands that were run often, as code, and how often; the most frequent first.
    pub fn often(&self) -> Vec<(String, u64)> {
        let mut often: Vec<(&String, &Runs)> =
            self.commands.iter().filter(|(_, runs)| runs.times >= OFTEN).collect();
        sort_by_key(&mut often, |(_, runs)| std::cmp::Reverse((runs.times, runs.last)));
        often.into_iter().take(MOST).map(|(command, runs)| (format!("`{command}`"), runs.times)).collect()
    }

    /// The folder of the latest command, if at least half of the latest commands ran there.
    pub fn folder(&self) -> Option<&str> {
        let folder = self.folders.last()?;
        let there = self.folders.iter().filter(|other| *other == folder).count();
        (there as u64 >= OFTEN && there * 2 >= self.folders.len()).then_some(folder)
    }
}
