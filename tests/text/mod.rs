//! Seeded texts of every kind.

/// A small generator of numbers (xorshift64*), so that a failure can be run again.
pub struct Generator(u64);

const SNIPPETS: &[&str] = &[
    "'s", "'S", "'t", "'re", "'VE", "'m", "'ll", "'d", "'ſ", "'x", "''", "\u{FEFF}", "\u{85}", "\u{A0}",
    "\u{2028}", "\u{3000}", "\u{200B}", "\u{301}", "\u{20E3}", "\u{FE0F}", "👩‍👩‍👧", "👍🏽", "🇯🇵", "😀",
    "\u{FFFD}", "<|endoftext|>", "<|im_start|>", "\r\n", "\n\n", "\n", "\r", "\t", "  ", "    ", "\u{B}",
    "\u{C}", "/", "//", "\n/", "...", "—", "“", "the", " the", " The", "HTTP", "Error", "foo_bar",
    "camelCase", "XMLHttpRequest", "0", "12", "345", "6789", "½", "Ⅷ", "٣", "中国", "日本語", "ひらがな",
    "カタカナ", "ー", "한국어", "Привет", "ПРИВЕТ", "ǅ", "ª", "ʰ", "ß", "ﬁ", "İ", "ı", "ΑΒΓ", "αβγ", "א",
    "ب", "ไทย", "नमस्ते", "\u{378}", "\u{E000}", "\u{10FFFF}", "\u{0}", "=>", "!=", "{\"", "\":", "</", "===",
    "-----", "####", "$", "€", "`", "aaaaaaaa", "\u{1F1E6}", "𝒜", "𝟘", "\u{1E900}", "𠀀", "。", "，", "・",
    "「",
];

impl Generator {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % bound
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn char_between(&mut self, first: u32, last: u32) -> char {
        char::from_u32(first + self.below(u64::from(last - first + 1)) as u32).unwrap_or('\u{FFFD}')
    }

    /// One to about forty pieces: snippets, words, blocks of Unicode, white space, repetitions.
    pub fn text(&mut self) -> String {
        let mut text = String::new();
        let block = self.below(0x11_0000 / 128) as u32 * 128;
        for _ in 0..=self.below(24) {
            match self.below(12) {
                0..=3 => text.push_str(self.pick(SNIPPETS)),
                4 => {
                    let c = self.char_between(block, block + 127);
                    text.push(c);
                }
                5 => {
                    let c = self.char_between(0, 0x2FFF);
                    text.push(c);
                }
                6 => {
                    for _ in 0..self.below(8) {
                        text.push(self.char_between(0x20, 0x7E));
                    }
                }
                7 => {
                    let size = self.below(20) as usize;
                    text.push_str(&self.letters(size));
                }
                8 => {
                    let size = self.below(24) as usize;
                    text.push_str(&self.ideographs(size));
                }
                9 => {
                    for _ in 0..self.below(6) {
                        text.push_str(
                            self.pick(&[" ", " ", "\n", "\t", "\r", "\u{A0}", "\u{85}", "\u{2003}"]),
                        );
                    }
                }
                10 => {
                    let unit = self.pick(SNIPPETS);
                    for _ in 0..self.below(12) {
                        text.push_str(unit);
                    }
                }
                _ => {
                    let c = self.char_between(0, 0x10_FFFF);
                    text.push(c);
                }
            }
        }
        text
    }

    fn of(&mut self, size: usize, mut next: impl FnMut(&mut Self) -> char) -> String {
        let mut text = String::with_capacity(size + 4);
        while text.len() < size {
            text.push(next(self));
        }
        text
    }

    pub fn letters(&mut self, size: usize) -> String {
        self.of(size, |g| g.char_between(u32::from('a'), u32::from('z')))
    }

    pub fn ideographs(&mut self, size: usize) -> String {
        self.of(size, |g| g.char_between(0x4E00, 0x9FFF))
    }

    pub fn kana(&mut self, size: usize) -> String {
        self.of(size, |g| g.char_between(0x3041, 0x3096))
    }

    pub fn base64(&mut self, size: usize) -> String {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        self.of(size, |g| char::from(DIGITS[g.below(64) as usize]))
    }
}
