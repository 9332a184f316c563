//! Searches a text for many short phrases at once, each by its first two bytes.

/// Up to 32 phrases in lower case, each of two bytes or more.
pub struct Phrases<const N: usize> {
    all: [&'static str; N],
    /// For each byte, in either case, a bit for every phrase that begins with it.
    first: [u32; 256],
    /// The same for the second byte.
    second: [u32; 256],
}

impl<const N: usize> Phrases<N> {
    /// Creates the set.
    pub const fn of(all: [&'static str; N]) -> Self {
        assert!(N <= 32);
        let (mut first, mut second) = ([0; 256], [0; 256]);
        let mut i = 0;
        while i < N {
            let bytes = all[i].as_bytes();
            first[bytes[0] as usize] |= 1 << i;
            first[bytes[0].to_ascii_uppercase() as usize] |= 1 << i;
            second[bytes[1] as usize] |= 1 << i;
            second[bytes[1].to_ascii_uppercase() as usize] |= 1 << i;
            i += 1;
        }
        Self { all, first, second }
    }

    /// Whether a text contains any of the phrases, in either case.
    pub fn any_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let begins_at = |(at, two): (usize, &[u8])| {
            let mut may = self.first[usize::from(two[0])] & self.second[usize::from(two[1])];
            while may != 0 {
                let phrase = self.all[may.trailing_zeros() as usize].as_bytes();
                let there = bytes.get(at..at + phrase.len());
                if there.is_some_and(|there| there.eq_ignore_ascii_case(phrase)) {
                    return true;
                }
                may &= may - 1;
            }
            false
        };
        bytes.windows(2).enumerate().any(begins_at)
    }
}

#[cfg(test)]
mod tests {
    use super::Phrases;

    #[test]
    fn a_phrase_is_found_anywhere_in_any_case() {
        static SOME: Phrases<3> = Phrases::of(["next step", "to-do", "接下来"]);
        for text in ["Next STEP", "a to-do", "接下来要写测试", "it's the next step."] {
            assert!(SOME.any_in(text), "{text}");
        }
        for text in ["", "n", "next ste", "to do", "接下", "nex t step"] {
            assert!(!SOME.any_in(text), "{text}");
        }
    }
}
