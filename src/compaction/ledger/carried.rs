use super::asked::AskedRequest;
use super::habits::Habits;
use super::literals::Literals;
use super::message_facts::MessageFacts;
use super::open::Open;
use super::sightings::Sightings;
use super::user_words::UserWords;
use crate::facts::{COMMITTED, OutputKind, recorded_rules};
use crate::hashing::HashSet;
use crate::message::{Message, Role};
use crate::saved::saved;
use crate::sorted::SortedMap;
use crate::sorting::sort_by;

/// The facts of the messages of a fold, and of all folds before it, that must not be lost.
///
/// Messages are added in order and once each, so that a compaction only costs what is new since the last one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CarriedFacts {
    /// Paths, URLs, ids and error codes.
    pub(super) literals: Literals,
    /// The user's constraints, verbatim.
    pub(super) rules: SortedMap<String, Rule>,
    /// Commands with their outcomes: the latest run of each command.
    pub(super) commands: SortedMap<String, CommandLine>,
    /// How many calls of services pushed records had no room for.
    pub(super) calls_left_out: u64,
    /// The commands that were run often, and where.
    pub(super) habits: Habits,
    /// Open work.
    pub(super) open: Open,
    /// Stored outputs that can be read again, in the order of their messages.
    pub(super) outputs: Vec<StoredOutput>,
    /// The number of messages read.
    clock: u64,
    /// How many of them belong to earlier folds.
    earlier: u64,
    /// The user's requests, as the ledger lists them.
    pub(super) asked: Vec<AskedRequest>,
    /// What else the user said.
    pub(super) said: UserWords,
}

/// By whom and when a constraint was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    /// The user said it directly, and not only in pasted text.
    pub own: bool,
    /// The number of the first message that said it.
    pub first: u64,
    /// The number of the last message that said it, and the position in that message (the low `PLACES` bits).
    pub last: u64,
}

impl Rule {
    /// It was said again.
    fn repeat(&mut self, later: Self) {
        self.own |= later.own;
        self.last = later.last;
    }
}

/// The command's line says enough about an output of at most this many bytes.
const LINE: u64 = 240;

/// What came of a command is told by the record of the fold that it belongs to, and by later records only as long as at most this many messages
/// follow. In recorded sessions, 193 of 197 commands that records told as failed had run more than 60 messages before.
const OLD: u64 = 100;

/// Bits of `Rule::last` that hold the position within the message.
const PLACES: u32 = 12;

/// A command's line in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandLine {
    pub line: String,
    pub failed: bool,
    /// The number of its message, and which of its calls it was.
    pub last: u64,
    pub place: u64,
    /// How often a service was called so and answered so; 0 for commands.
    pub calls: u64,
}

/// A call of a service: what tells it from others, and its line, with the place of the count in it.
struct Call {
    key: String,
    counted_at: usize,
    line: CommandLine,
}

impl CommandLine {
    /// The line without the ref of the output.
    pub fn without_ref(&self) -> &str {
        let named = self.line.strip_suffix(')').and_then(|line| line.rsplit_once(" ("));
        named.map_or(&self.line, |(line, _)| line)
    }

    /// The tool, if this is a call of a service.
    pub fn tool(&self) -> Option<&str> {
        (self.calls > 0).then(|| self.line.split('(').next().unwrap_or_default())
    }

    /// What came of the command.
    pub fn outcome(&self) -> &str {
        self.line.split_once("` → ").map_or(&self.line, |(_, outcome)| outcome)
    }
}

/// An output in the tool output cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredOutput {
    /// The number of its message.
    pub at: u64,
    pub ref_id: String,
    pub bytes: u64,
}

saved!(struct CarriedFacts { literals, rules, commands, calls_left_out, habits, open, outputs, clock } fresh { earlier: 0, asked: Vec::new(), said: UserWords::default() });
saved!(struct Rule { own, last, first });
saved!(struct CommandLine { line, failed, last, place, calls });
saved!(struct StoredOutput { at, ref_id, bytes });

impl CarriedFacts {
    /// Adds messages, in order, in full as they were pushed.
    pub fn add(&mut self, read: &MessageFacts<'_>) {
        let sightings = self.add_returning_literals(read);
        if !read.is_empty() {
            self.literals.add(&sightings);
        }
    }

    /// Like `add`, but returns the literal facts instead of storing them.
    pub(super) fn add_returning_literals<'r>(&mut self, read: &'r MessageFacts<'_>) -> Sightings<'r> {
        self.add_actions(read);
        self.add_all(read, true)
    }

    /// Adds the user's constraints that the record of an earlier fold tells.
    pub(super) fn add_recorded_rules(&mut self, record: &str) {
        for stated in recorded_rules(record) {
            let (first, last) = (self.clock, self.clock << PLACES);
            self.rules.or_insert(stated.text, Rule { own: stated.own, first, last });
        }
    }

    /// Adds only the facts in messages and the user's constraints, not what was done.
    pub(super) fn add_facts(&mut self, read: &MessageFacts<'_>) {
        if !read.is_empty() {
            let sightings = self.add_all(read, false);
            self.literals.add(&sightings);
        }
    }

    /// The messages added from now on belong to a new fold.
    pub fn begin_fold(&mut self) {
        self.earlier = self.clock;
    }

    /// The next fold begins elsewhere.
    pub fn end_fold(&mut self) {
        self.earlier = 0;
    }

    /// Whether the command belongs to an earlier fold, and is old. What a call changed in another service stays changed.
    pub(super) const fn is_old(&self, command: &CommandLine) -> bool {
        command.calls == 0 && command.last <= self.earlier && command.last + OLD < self.clock
    }

    /// Removes all refs, for models that cannot open them.
    pub fn remove_refs(&mut self) {
        let refs: HashSet<String> = self.outputs.drain(..).map(|stored| stored.ref_id).collect();
        for CommandLine { line, .. } in self.commands.values_mut() {
            let named = line.strip_suffix(')').and_then(|line| line.rsplit_once(" ("));
            if let Some((head, _)) = named.filter(|(_, id)| refs.contains(*id)) {
                line.truncate(head.len());
            }
        }
    }

    /// Applies later messages: removes what they finished, ran again or answered. Adds the open work of those that are not `shown` whole.
    pub(super) fn apply_later(&mut self, later: &MessageFacts<'_>, shown: impl Fn(usize) -> bool) {
        let mut again: HashSet<&str> = HashSet::default();
        for action in later.actions() {
            self.open.apply_call(&action);
            if let Some(run) = action.note.run.as_ref().filter(|_| action.answer.is_some()) {
                again.insert(run.key.as_str());
                self.habits.leave_out(run);
            }
        }
        self.commands.retain(|key, _| !again.contains(key.as_str()));
        for (place, (message, notes)) in later.messages().enumerate() {
            self.open.apply_message(message, notes, self.clock, shown(place));
        }
    }

    fn add_all<'r>(&mut self, read: &'r MessageFacts<'_>, open: bool) -> Sightings<'r> {
        let facts = read.facts();
        let mut sightings = Sightings::of(&facts.names);
        let mut new_rules: Vec<(String, Rule)> = Vec::new();
        for (message, at) in read.places() {
            self.clock += 1;
            let output = self.add_output(message).is_some();
            let used = message.role != Role::Tool;
            for number in facts.literals(at) {
                sightings.record(*number, self.clock as u32, used, output);
            }
            for (number, field) in facts.fields(at) {
                sightings.record_field(number, field);
            }
            let notes = facts.notes(at);
            let own = notes.filter(|_| !read.is_others(at));
            for (place, stated) in (0..).zip(own.into_iter().flat_map(|notes| &notes.rules)) {
                let last = (self.clock << PLACES) | (place & ((1 << PLACES) - 1));
                let new = Rule { own: stated.own, first: self.clock, last };
                match self.rules.get_mut(&stated.text) {
                    Some(rule) => rule.repeat(new),
                    None => new_rules.push((stated.text.clone(), new)),
                }
            }
            if open {
                self.open.apply_message(message, notes, self.clock, false);
            }
        }
        sort_by(&mut new_rules, |(one, _), (other, _)| one.cmp(other));
        new_rules.dedup_by(|(again, later), (text, rule)| {
            let is_same = again == text;
            if is_same {
                rule.repeat(*later);
            }
            is_same
        });
        self.rules.extend(new_rules);
        sightings
    }

    fn add_output(&mut self, message: &Message) -> Option<u64> {
        if message.role != Role::Tool {
            return None;
        }
        let output_ref = message.output_ref()?;
        let bytes = output_ref.byte_size.unwrap_or(0);
        self.outputs.push(StoredOutput { at: self.clock, ref_id: output_ref.id.clone(), bytes });
        Some(self.clock)
    }

    fn add_actions(&mut self, read: &MessageFacts<'_>) {
        // All at once, because each command would be inserted somewhere among all others.
        let mut runs: Vec<(&str, Option<CommandLine>)> = Vec::new();
        let mut calls: Vec<Call> = Vec::new();
        for (message, (_, notes)) in read.messages().enumerate() {
            let Some(notes) = notes else { continue };
            self.calls_left_out = self.calls_left_out.saturating_add(notes.calls_left_out);
            let recorded = &notes.recorded_calls;
            for (place, call) in (0..).zip(recorded) {
                let failed = call.line.contains("` → failed");
                let (last, times) = (self.clock + message as u64 + 1, call.times);
                let line = CommandLine { line: call.line.clone(), failed, last, place, calls: times };
                calls.push(Call { key: call.line.clone(), counted_at: call.line.len(), line });
            }
        }
        for action in read.actions() {
            let at = self.clock + action.at as u64 + 1;
            let place = action.note.at as u64;
            self.open.apply_call(&action);
            let Some(run) = &action.note.run else { continue };
            self.habits.add(run, action.answer.as_ref().map(|(answered, _)| &**answered), at);
            let Some((answered, message)) = action.answer else {
                if run.output == OutputKind::Answer {
                    let line = [&*run.head, "no answer"].concat();
                    calls.push(Call {
                        key: format!("{} none", run.key),
                        counted_at: line.len(),
                        line: CommandLine { line, failed: true, last: at, place, calls: 1 },
                    });
                }
                continue;
            };
            // Without evidence, no outcome is told; what an earlier run of the command came to does not hold any more.
            if answered.is_unknown() || run.is_minor && answered.is_plain() {
                runs.push((&run.key, None));
                continue;
            }
            let output_ref = message.output_ref();
            // The line already says as much as a short output.
            let says_more = output_ref.filter(|r| r.byte_size.is_none_or(|bytes| bytes > LINE));
            let by_ref = says_more.map_or_else(String::new, |r| format!(" ({})", r.id));
            if answered.output == OutputKind::Answer {
                // Each call is told that was answered in another way: it may have changed something once more.
                let shown = [&*run.head, &answered.tail].concat();
                let line = CommandLine {
                    line: [&*shown, &by_ref].concat(),
                    failed: answered.failed,
                    last: at,
                    place,
                    calls: 1,
                };
                calls.push(Call { key: [&*run.key, &answered.tail].concat(), counted_at: shown.len(), line });
                continue;
            }
            let line = match &run.commit {
                // As a summary of our own tells it, which is then found to tell it.
                Some(message) if answered.is_mere_success() => format!("{COMMITTED}{message}"),
                _ => format!("{}{}{by_ref}", run.head, answered.tail),
            };
            runs.push((
                &run.key,
                Some(CommandLine { line, failed: answered.failed, last: at, place, calls: 0 }),
            ));
        }
        let runs: SortedMap<&str, Option<CommandLine>> = runs.into_iter().collect();
        if !self.commands.is_empty() {
            self.commands.retain(|key, _| runs.get(key.as_str()).is_none_or(Option::is_some));
        }
        let told = runs.into_iter().filter_map(|(key, line)| Some((key.to_owned(), line?)));
        self.commands.extend(told);
        self.add_calls(calls);
    }

    /// Adds calls of services, and counts those that are alike.
    fn add_calls(&mut self, mut calls: Vec<Call>) {
        sort_by(&mut calls, |one, other| one.key.cmp(&other.key));
        calls.dedup_by(|later, call| {
            let is_same = later.key == call.key;
            if is_same {
                later.line.calls = later.line.calls.saturating_add(call.line.calls);
                std::mem::swap(later, call);
            }
            is_same
        });
        for Call { key, counted_at, line } in &mut calls {
            line.calls = self.commands.get(key).map_or(0, |before| before.calls).saturating_add(line.calls);
            if line.calls > 1 {
                line.line.insert_str(*counted_at, &format!(" (×{})", line.calls));
            }
        }
        self.commands.extend(calls.into_iter().map(|call| (call.key, call.line)));
    }
}
