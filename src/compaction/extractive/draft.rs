use super::super::tags::neutralize;
use crate::hashing::HashMap;
use crate::names::names;

names! {
    /// A section of the summary, in the summary's order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(super) enum Section {
        Task = "Task",
        Constraints = "Constraints",
        Open = "Open",
        Progress = "Progress, decisions and findings (later ones take precedence)",
        Changed = "Files changed",
        Read = "Files read",
        Commands = "Commands and their outcomes",
        Errors = "Errors met",
        Earlier = "Earlier context",
        Said = "Also said by the user (done or not)",
        References = "References",
    }
}

impl Section {
    /// Whether the section is a list that readers would take for complete, so that the number of omitted lines is stated.
    pub const fn is_list(self) -> bool {
        !matches!(self, Self::Task | Self::Progress | Self::Earlier | Self::Said | Self::References)
    }

    const fn is_told_by_ledger(self) -> bool {
        use Section::{Commands, Constraints, Errors, Open, References, Task};
        matches!(self, Task | Constraints | Open | Commands | Errors | References)
    }

    /// The worth of its first entries, and how slowly the worth of further entries falls.
    pub const fn worth(self) -> (u64, u64) {
        match self {
            Self::Task | Self::Said => (220, 4),
            Self::Constraints => (1000, 10),
            Self::Open => (320, 3),
            Self::Progress => (420, 8),
            Self::Changed | Self::Earlier => (500, 8),
            Self::Read => (140, 6),
            Self::Commands => (200, 5),
            Self::Errors => (160, 4),
            Self::References => (100, 5),
        }
    }
}

/// One line of the summary.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// The subject. A later entry with the same key replaces this one.
    pub key: String,
    /// The text, without the count.
    pub text: String,
    /// When it was last mentioned; higher is later.
    pub seq: u64,
    /// How often it was mentioned.
    pub count: u64,
    /// Extra weight, apart from recency and count.
    pub weight: u64,
}

/// Everything that could be part of the summary, before it is made to fit.
#[derive(Debug, Default)]
pub(super) struct Draft {
    entries: HashMap<Section, Vec<Entry>>,
    index: HashMap<(Section, String), usize>,
    seq: u64,
    /// The `seq` of the last entry that comes from an earlier summary.
    earlier: u64,
    /// The number of lines that earlier summaries had no room for, by section.
    missing: HashMap<Section, u64>,
    /// The key of what the last answer stated before it asked the user something, and the question, until the user's next message.
    pub asking: Option<(String, String)>,
    /// The texts of the plan's entries, by id.
    pub planned: HashMap<String, String>,
}

impl Draft {
    /// Everything so far comes from earlier summaries.
    pub fn end_earlier(&mut self) {
        self.earlier = self.seq;
    }

    /// Removes what the ledger of these messages tells, too. What an earlier summary told stays, because another ledger may have known it.
    pub fn leave_to_ledger(&mut self) {
        let earlier = self.earlier;
        for section in Section::ALL.into_iter().filter(|section| section.is_told_by_ledger()) {
            self.remove_where(section, |entry| entry.seq > earlier);
        }
    }

    /// Removes and returns the entries of a section.
    pub fn take(&mut self, section: Section) -> Vec<Entry> {
        self.index.retain(|(s, _), _| *s != section);
        self.entries.remove(&section).unwrap_or_default()
    }

    /// Records that an earlier summary had no room for this many lines of a section.
    pub fn add_missing(&mut self, section: Section, lines: u64) {
        let missing = self.missing.entry(section).or_default();
        *missing = missing.saturating_add(lines);
    }

    /// How many lines of a section earlier summaries had no room for.
    pub fn missing(&self, section: Section) -> u64 {
        self.missing.get(&section).copied().unwrap_or_default()
    }

    pub fn get(&self, section: Section, key: &str) -> Option<&Entry> {
        let at = *self.index.get(&(section, key.to_owned()))?;
        self.entries.get(&section)?.get(at)
    }

    pub fn get_mut(&mut self, section: Section, key: &str) -> Option<&mut Entry> {
        let at = *self.index.get(&(section, key.to_owned()))?;
        self.entries.get_mut(&section)?.get_mut(at)
    }

    /// Adds an entry. If there is one with this key, its text is replaced, its count grows by one, and it becomes the newest.
    pub fn put(&mut self, section: Section, key: &str, text: &str, weight: u64) {
        self.put_counted(section, key, text, weight, 1);
    }

    pub fn put_counted(&mut self, section: Section, key: &str, text: &str, weight: u64, count: u64) {
        self.seq += 1;
        let seq = self.seq;
        let text = neutralize(text.trim()).into_owned();
        if text.is_empty() {
            return;
        }
        if let Some(entry) = self.get_mut(section, key) {
            entry.text = text;
            entry.seq = seq;
            entry.count = entry.count.saturating_add(count);
            entry.weight = entry.weight.max(weight);
            return;
        }
        let list = self.entries.entry(section).or_default();
        self.index.insert((section, key.to_owned()), list.len());
        list.push(Entry { key: key.to_owned(), text, seq, count, weight });
    }

    /// Adds a text at the end of an entry.
    pub fn append(&mut self, section: Section, key: &str, text: &str) {
        if let Some(entry) = self.get_mut(section, key) {
            entry.text.push_str(&neutralize(text));
        }
    }

    /// The key of the newest entry of a section, if it is newer than `seq`.
    pub fn key_since(&self, section: Section, seq: u64) -> Option<String> {
        let newest = self.entries.get(&section)?.iter().max_by_key(|entry| entry.seq)?;
        (newest.seq > seq).then(|| newest.key.clone())
    }

    /// Puts a removed entry back with another text and weight, keeping its position in time.
    pub fn put_at(&mut self, section: Section, entry: &Entry, text: &str, weight: u64) {
        let seq = self.seq;
        self.put_counted(section, &entry.key, text, weight, entry.count);
        if let Some(put) = self.get_mut(section, &entry.key) {
            put.seq = entry.seq;
        }
        self.seq = seq;
    }

    /// Removes an entry.
    pub fn remove(&mut self, section: Section, key: &str) {
        let Some(at) = self.index.remove(&(section, key.to_owned())) else { return };
        if let Some(entry) = self.entries.get_mut(&section).and_then(|list| list.get_mut(at)) {
            entry.text.clear(); // the entry stays so that the other indices remain valid; empty entries are not written
        }
    }

    /// Removes the entries that match `drop`.
    pub fn remove_where(&mut self, section: Section, mut drop: impl FnMut(&Entry) -> bool) {
        let entries = self.entries.get(&section).map(Vec::as_slice).unwrap_or_default();
        let keys: Vec<String> = entries.iter().filter(|e| drop(e)).map(|e| e.key.clone()).collect();
        for key in keys {
            self.remove(section, &key);
        }
    }

    /// The `seq` of the newest entry.
    pub fn newest(&self) -> u64 {
        self.seq
    }
}

/// Reduces a text to letters and digits in lower case, to recognise repetitions.
pub(super) fn key_of(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(160).collect()
}
