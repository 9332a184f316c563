//! Runs a program once for every combination of its choices.

/// The choices of one run.
#[derive(Default)]
pub struct Choices {
    /// Each choice, and the number of its options.
    path: Vec<(usize, usize)>,
    at: usize,
    /// This many choices repeat the previous run.
    known: usize,
}

impl Choices {
    /// A number below `of`, a different one in each run.
    pub fn choose(&mut self, of: usize) -> usize {
        if self.at == self.path.len() {
            self.path.push((0, of));
        }
        let (chosen, known) = self.path[self.at];
        assert_eq!(known, of, "the program is not the same as in the run before");
        self.at += 1;
        chosen
    }

    /// Whether no earlier run made the same choices so far. If one did, its checks need not be repeated.
    pub fn is_new(&self) -> bool {
        self.at >= self.known
    }

    /// The choices so far.
    pub fn taken(&self) -> Vec<usize> {
        self.path[..self.at].iter().map(|(chosen, _)| *chosen).collect()
    }

    /// Moves on to the next combination; false after the last one.
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

/// Returns the number of combinations.
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
