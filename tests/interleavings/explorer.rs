//! Runs a program once for every way in which its choices can fall.

/// Where the program chooses.
#[derive(Default)]
pub struct Choices {
    /// What was chosen, and of how many.
    path: Vec<(usize, usize)>,
    at: usize,
    /// So many choices are those of the run before.
    known: usize,
}

impl Choices {
    /// A number below `of`: another one in each run.
    pub fn choose(&mut self, of: usize) -> usize {
        if self.at == self.path.len() {
            self.path.push((0, of));
        }
        let (chosen, known) = self.path[self.at];
        assert_eq!(known, of, "the program is not the same as in the run before");
        self.at += 1;
        chosen
    }

    /// Whether no run before this one came here: what was checked on the way need not be checked again.
    pub fn is_new(&self) -> bool {
        self.at >= self.known
    }

    /// The choices so far.
    pub fn taken(&self) -> Vec<usize> {
        self.path[..self.at].iter().map(|(chosen, _)| *chosen).collect()
    }

    /// On to the next way; false after the last.
    fn next(&mut self) -> bool {
        self.path.truncate(self.at);
        self.at = 0;
        while let Some((chosen, of)) = self.path.pop() {
            if chosen + 1 < of {
                self.path.push((chosen + 1, of));
                self.known = self.path.len();
                return true;
            }
        }
        false
    }
}

/// How many ways there were.
pub fn explore(mut program: impl FnMut(&mut Choices)) -> u64 {
    let (mut choices, mut paths) = (Choices::default(), 0);
    loop {
        program(&mut choices);
        paths += 1;
        if !choices.next() {
            return paths;
        }
    }
}

#[test]
fn every_combination_runs_once() {
    let mut seen = Vec::new();
    let paths = explore(|choices| {
        let first = choices.choose(3);
        let second = if first == 1 { choices.choose(2) } else { 9 };
        seen.push((first, second));
    });
    assert_eq!((paths, seen), (4, vec![(0, 9), (1, 0), (1, 1), (2, 9)]));
}
