use std::collections::HashMap;

/// Searches texts for many facts at once. Finds the same whole-word matches as [`TextSet`](crate::facts::TextSet), with one
/// lookup per word of the text however many facts there are. It costs more to build, so it is built once per transcript.
///
/// A text is treated as a sequence of symbols: each run of ASCII letters and digits is a symbol, and so is every other byte.
/// Facts begin and end at symbol borders, so they are paths in a tree of symbols.
#[derive(Debug, Default)]
pub(super) struct FactIndex {
    runs: Runs,
    nodes: Vec<Node>,
    /// The children of all nodes: the symbol that leads to the child, and the child.
    children: Vec<(u32, u32)>,
    /// The root's child for each symbol; 0 if there is none.
    beginnings: Vec<u32>,
    /// For a text that is in the list twice: the second index by the first.
    twins: HashMap<u32, u32>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    first_child: u32,
    children: u32,
    /// The index of the fact that ends here.
    fact: Option<u32>,
}

/// The symbol of runs that are in no fact.
const UNKNOWN: u32 = 0;
/// The first symbol of a run; the symbols of bytes come before.
const FIRST_RUN: u32 = 257;

impl FactIndex {
    /// Builds the index. Facts are identified by their index in the list. A text may be in it at most twice. Empty facts are
    /// never found.
    pub fn new<S: AsRef<str>>(facts: &[S]) -> Self {
        let mut index = Self::default();
        let mut rows: Vec<(Vec<u32>, u32)> = Vec::with_capacity(facts.len());
        for (at, fact) in facts.iter().map(AsRef::as_ref).enumerate().filter(|(_, fact)| !fact.is_empty()) {
            rows.push((index.runs.row_with(fact.as_bytes()), at as u32));
        }
        crate::sorting::sort(&mut rows);
        index.beginnings = vec![UNKNOWN; FIRST_RUN as usize + index.runs.ends.len()];
        index.nodes.push(Node { first_child: 0, children: 0, fact: None });
        index.grow(&rows);
        for (symbol, node) in index.children_of(0).to_vec() {
            index.beginnings[symbol as usize] = node;
        }
        index
    }

    /// Builds the tree from the sorted rows, level by level.
    fn grow(&mut self, rows: &[(Vec<u32>, u32)]) {
        // Each node, with the range of the rows that lead through it.
        let mut next = vec![(0usize, 0..rows.len())];
        let mut depth = 0;
        while !next.is_empty() {
            let mut below = Vec::new();
            for (node, mut range) in next {
                while let Some((row, fact)) = rows.get(range.start).filter(|_| !range.is_empty())
                    && row.len() == depth
                {
                    match self.nodes[node].fact {
                        Some(first) => _ = self.twins.insert(first, *fact),
                        None => self.nodes[node].fact = Some(*fact),
                    }
                    range.start += 1;
                }
                self.nodes[node].first_child = self.children.len() as u32;
                while !range.is_empty() {
                    let symbol = rows[range.start].0[depth];
                    let same = rows[range.clone()].partition_point(|(row, _)| row[depth] <= symbol);
                    let child = self.nodes.len();
                    self.nodes.push(Node { first_child: 0, children: 0, fact: None });
                    self.children.push((symbol, child as u32));
                    self.nodes[node].children += 1;
                    below.push((child, range.start..range.start + same));
                    range.start += same;
                }
            }
            next = below;
            depth += 1;
        }
    }

    fn children_of(&self, node: u32) -> &[(u32, u32)] {
        let Node { first_child, children, .. } = self.nodes[node as usize];
        &self.children[first_child as usize..(first_child + children) as usize]
    }

    fn child(&self, node: u32, symbol: u32) -> Option<u32> {
        let children = self.children_of(node);
        if let [(only, child)] = children {
            return (*only == symbol).then_some(*child);
        }
        let at = children.binary_search_by_key(&symbol, |(s, _)| *s).ok()?;
        Some(children[at].1)
    }

    /// Calls `found` with the index of each fact in `text`, once per occurrence.
    pub fn find(&self, text: &str, mut found: impl FnMut(u32)) {
        if self.children.is_empty() {
            return;
        }
        let row = self.runs.row(text.as_bytes());
        for begin in 0..row.len() {
            let mut node = self.beginnings[row[begin] as usize];
            let mut at = begin + 1;
            while node != UNKNOWN {
                if let Some(fact) = self.nodes[node as usize].fact {
                    found(fact);
                    if !self.twins.is_empty() {
                        self.twins.get(&fact).copied().into_iter().for_each(&mut found);
                    }
                }
                let Some(symbol) = row.get(at) else { break };
                node = self.child(node, *symbol).unwrap_or(UNKNOWN);
                at += 1;
            }
        }
    }
}

/// The runs that are in any fact, each with its symbol. It has its own hash table, because it is asked once per word of
/// every text.
#[derive(Debug, Default)]
struct Runs {
    /// All runs, concatenated, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// The hash and the run's number + 1, by hash; 0 in an empty slot. The length is a power of two, and half of it is
    /// empty.
    table: Vec<(u32, u32)>,
}

impl Runs {
    /// The symbols of a text.
    fn row(&self, text: &[u8]) -> Vec<u32> {
        let mut row = Vec::with_capacity(text.len() / 2);
        let mut at = 0;
        while at < text.len() {
            let (end, hash) = run_from(text, at);
            if end == at {
                row.push(u32::from(text[at]) + 1);
                at += 1;
            } else {
                let found = self.find(&text[at..end], hash);
                row.push(found.map_or(UNKNOWN, |number| FIRST_RUN + number));
                at = end;
            }
        }
        row
    }

    /// The symbols of a text. New runs are added.
    fn row_with(&mut self, text: &[u8]) -> Vec<u32> {
        let mut at = 0;
        while at < text.len() {
            let (end, hash) = run_from(text, at);
            if end > at && self.find(&text[at..end], hash).is_none() {
                self.bytes.extend_from_slice(&text[at..end]);
                self.ends.push(self.bytes.len() as u32);
                self.put(hash, self.ends.len() as u32);
            }
            at = end.max(at + 1);
        }
        self.row(text)
    }

    fn find(&self, run: &[u8], hash: u32) -> Option<u32> {
        let mask = self.table.len().checked_sub(1)?;
        let mut slot = hash as usize & mask;
        loop {
            let (there, number) = self.table[slot];
            let at = number.checked_sub(1)? as usize;
            if there == hash && self.run(at) == run {
                return Some(at as u32);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn run(&self, at: usize) -> &[u8] {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[begin as usize..self.ends[at] as usize]
    }

    fn put(&mut self, hash: u32, number: u32) {
        if self.ends.len() * 2 > self.table.len() {
            let larger = vec![(0, 0); (self.table.len() * 2).max(64)];
            for (hash, number) in std::mem::replace(&mut self.table, larger) {
                if number > 0 {
                    self.put_in_table(hash, number);
                }
            }
        }
        self.put_in_table(hash, number);
    }

    fn put_in_table(&mut self, hash: u32, number: u32) {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot].1 > 0 {
            slot = (slot + 1) & mask;
        }
        self.table[slot] = (hash, number);
    }
}

/// The end and the hash of the run that begins at `at`. If none begins there, the end is `at`.
fn run_from(text: &[u8], at: usize) -> (usize, u32) {
    let (mut end, mut hash) = (at, 0x811c_9dc5_u32);
    while end < text.len() && text[end].is_ascii_alphanumeric() {
        hash = (hash ^ u32::from(text[end])).wrapping_mul(0x0100_0193);
        end += 1;
    }
    (end, hash ^ (hash >> 15))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::facts::TextSet;

    fn found(facts: &[String], text: &str) -> BTreeSet<usize> {
        let mut out = BTreeSet::new();
        FactIndex::new(facts).find(text, |fact| {
            out.insert(fact as usize);
        });
        out
    }

    #[test]
    fn whole_words_only() {
        let facts = ["src/a.rs", "#12", "/w/app", "E0308", "", "app"].map(str::to_owned);
        assert_eq!(found(&facts, "see lib/src/a.rs:3, #123, /w/app/x"), [0, 2, 5].into());
        assert_eq!(found(&facts, "错误E0308在#12。"), [1, 3].into());
        assert_eq!(found(&facts, "asrc/a.rs E03081 src/a.rsx"), [].into());
        assert_eq!(found(&[], "src/a.rs"), [].into());
        assert_eq!(found(&["a/b", "a", "a/b"].map(str::to_owned), "a/b"), [0, 1, 2].into());
    }

    proptest! {
        #[test]
        fn it_finds_the_same_as_a_text_set(
            facts in proptest::collection::btree_set("[ab1/é。]{0,5}", 0..12), text in "[ab1/é。 ]{0,40}"
        ) {
            let facts: Vec<String> = facts.into_iter().collect();
            let mut expected = BTreeSet::new();
            TextSet::new(facts.iter().map(String::as_str)).find(&text, |at| {
                expected.insert(at);
            });
            prop_assert_eq!(found(&facts, &text), expected);
        }
    }
}
