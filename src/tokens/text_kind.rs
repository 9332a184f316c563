//! Recognizes kinds of text that tokenizers treat differently. A few hundred bytes are enough; the whole text is never read.

/// A kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// English, German and other text in Latin letters that is none of the other kinds.
    Prose,
    /// Python, and other code with few brackets.
    Python,
    /// `TypeScript`, and other code with braces and semicolons.
    Braces,
    /// JSON, and logs of JSON.
    Json,
    /// Chinese, Japanese, Russian, Arabic and other scripts.
    OtherScripts,
}

/// The bytes in each of the windows at the beginning, in the middle and at the end.
const WINDOW: usize = 160;

/// Counts over the windows of a text.
#[derive(Default)]
struct Seen {
    bytes: usize,
    /// Latin letters.
    letters: usize,
    /// Characters of other scripts.
    others: usize,
    quotes: usize,
    /// Braces and brackets.
    braces: usize,
    /// Colons and commas.
    joints: usize,
    /// Characters frequent in code and rare in prose: parentheses, equals signs, underscores, semicolons.
    code: usize,
    semicolons: usize,
}

impl TextKind {
    /// The kind of a text, judged by three short windows of it.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut seen = Seen::default();
        if bytes.len() <= 3 * WINDOW {
            seen.look_at(bytes);
        } else {
            for from in [0, bytes.len() / 2 - WINDOW / 2, bytes.len() - WINDOW] {
                seen.look_at(&bytes[from..from + WINDOW]);
            }
        }
        seen.kind()
    }
}

impl Seen {
    fn look_at(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        for byte in bytes {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' => self.letters += 1,
                // First bytes of characters from U+0370 on. Below are the other Latin letters.
                0xCD..=0xDF | 0xE0 | 0xE1 | 0xE3..=0xED => self.others += 1,
                b'"' => self.quotes += 1,
                b'{' | b'}' | b'[' | b']' => self.braces += 1,
                b':' | b',' => self.joints += 1,
                b';' => {
                    self.semicolons += 1;
                    self.code += 1;
                }
                b'(' | b')' | b'=' | b'_' => self.code += 1,
                _ => {}
            }
        }
    }

    fn kind(&self) -> TextKind {
        let share = |count: usize| count * 100 / self.bytes.max(1);
        if self.others * 2 > self.letters {
            TextKind::OtherScripts
        } else if share(self.quotes) >= 4
            && self.braces > 0
            && share(self.quotes + self.braces + self.joints) >= 10
        {
            TextKind::Json
        } else if share(self.code + self.braces) < 4 {
            TextKind::Prose
        } else if self.semicolons > 0 || share(self.braces) >= 2 {
            TextKind::Braces
        } else {
            TextKind::Python
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::agrees;

    #[test]
    fn a_few_lines_identify_the_kind() {
        agrees(include_str!("text_kind.tsv"), |text| {
            let kind = TextKind::of(text);
            if kind == TextKind::of(&text.repeat(40)) { format!("{kind:?}") } else { "another".to_owned() }
        });
        assert_eq!(TextKind::of(""), TextKind::Prose);
    }
}
