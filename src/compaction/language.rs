//! The language of a summary (COMP-21): which one to ask for, and whether the answer is in it.

/// A script that identifies a language or a small group of languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// English and many others.
    Latin,
    /// Kana, with or without kanji.
    Japanese,
    /// Han characters without kana.
    Chinese,
    /// Hangul.
    Korean,
    /// Russian, Ukrainian …
    Cyrillic,
    /// Arabic, Persian …
    Arabic,
    /// Hebrew.
    Hebrew,
    /// Greek.
    Greek,
    /// Thai.
    Thai,
    /// Hindi, Marathi …
    Devanagari,
}

/// A text is in another script if at least one in this many of its letters is. The rest may be code and names.
const LEAST_SHARE: u64 = 6;

/// The script of a text with fewer letters is unknown.
const LEAST_LETTERS: u64 = 24;

/// How many characters of the users' messages are looked at, newest first.
const SAMPLE: usize = 20_000;

impl Script {
    /// The language's name, as it is given to a model.
    pub const fn language(self) -> &'static str {
        match self {
            Self::Latin => "the language of the user's messages",
            Self::Japanese => "Japanese (日本語)",
            Self::Chinese => "Chinese (中文)",
            Self::Korean => "Korean (한국어)",
            Self::Cyrillic => "the language of the user's messages (in Cyrillic script, as they write it)",
            Self::Arabic => "the language of the user's messages (in Arabic script, as they write it)",
            Self::Hebrew => "Hebrew (עברית)",
            Self::Greek => "Greek (Ελληνικά)",
            Self::Thai => "Thai (ภาษาไทย)",
            Self::Devanagari => {
                "the language of the user's messages (in Devanagari script, as they write it)"
            }
        }
    }

    /// The script of a language, given by name or tag: `"ja"`, `"zh-TW"`, `"Korean"`. `None` for unknown languages.
    pub fn of_language(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        let tag = name.split(['-', '_']).next().unwrap_or_default();
        Some(match tag {
            "ja" | "japanese" | "日本語" => Self::Japanese,
            "zh" | "chinese" | "mandarin" | "中文" | "汉语" | "漢語" => Self::Chinese,
            "ko" | "korean" | "한국어" => Self::Korean,
            "ru" | "uk" | "bg" | "russian" | "ukrainian" | "bulgarian" | "русский" => Self::Cyrillic,
            "ar" | "fa" | "arabic" | "persian" => Self::Arabic,
            "he" | "hebrew" => Self::Hebrew,
            "el" | "greek" => Self::Greek,
            "th" | "thai" => Self::Thai,
            "hi" | "mr" | "hindi" | "marathi" => Self::Devanagari,
            "en" | "de" | "fr" | "es" | "it" | "pt" | "nl" | "english" | "german" | "french" | "spanish"
            | "italian" | "portuguese" | "dutch" => Self::Latin,
            _ => return None,
        })
    }

    /// The script in which users write, judged by their newest texts (given newest first). `None` if there is too little text.
    pub fn of_texts<'a>(newest_first: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut counts = Counts::default();
        let mut left = SAMPLE;
        for text in newest_first {
            for c in text.chars().take(left) {
                counts.add(c);
                left -= 1;
            }
            if left == 0 {
                break;
            }
        }
        counts.script()
    }

    /// Whether a text is written in this script. True if the text is too short to tell.
    pub fn may_be_of(self, text: &str) -> bool {
        let mut counts = Counts::default();
        text.chars().for_each(|c| counts.add(c));
        match counts.script() {
            None => true,
            // Chinese and Japanese share most characters, and a terse Japanese note may contain no kana.
            Some(Self::Chinese) if self == Self::Japanese => true,
            Some(found) => found == self,
        }
    }
}

/// The number of a text's letters, and of those of each script.
#[derive(Debug, Default)]
struct Counts {
    all: u64,
    by_script: [u64; 10],
}

impl Counts {
    fn add(&mut self, c: char) {
        if c.is_alphabetic() {
            self.all += 1;
            if let Some(script) = script_of(c) {
                self.by_script[script as usize] += 1;
            }
        }
    }

    fn of(&self, script: Script) -> u64 {
        self.by_script[script as usize]
    }

    fn script(&self) -> Option<Script> {
        use Script::{Arabic, Chinese, Cyrillic, Devanagari, Greek, Hebrew, Japanese, Korean, Latin, Thai};
        let kana = self.of(Japanese);
        let cjk = kana + self.of(Chinese);
        // One such character counts like a short word.
        if self.all + cjk * 2 + self.of(Korean) * 2 < LEAST_LETTERS {
            return None;
        }
        let others = [Korean, Cyrillic, Arabic, Hebrew, Greek, Thai, Devanagari];
        let most = others.into_iter().max_by_key(|script| self.of(*script));
        let is_enough =
            |script: &Script| self.of(*script) > cjk && self.of(*script) * LEAST_SHARE >= self.all;
        Some(match most.filter(is_enough) {
            Some(script) => script,
            None if cjk * LEAST_SHARE < self.all => Latin,
            None if kana * 10 >= cjk => Japanese,
            None => Chinese,
        })
    }
}

/// The script of a letter that only one script has; for a Chinese character, which Japanese has too, Chinese.
fn script_of(c: char) -> Option<Script> {
    Some(match u32::from(c) {
        0x3040..=0x30FF | 0xFF66..=0xFF9F => Script::Japanese,
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0x2_0000..=0x3_FFFF => Script::Chinese,
        0xAC00..=0xD7AF | 0x1100..=0x11FF | 0x3130..=0x318F => Script::Korean,
        0x0400..=0x052F => Script::Cyrillic,
        0x0600..=0x06FF | 0x0750..=0x077F => Script::Arabic,
        0x0590..=0x05FF => Script::Hebrew,
        0x0370..=0x03FF => Script::Greek,
        0x0E00..=0x0E7F => Script::Thai,
        0x0900..=0x097F => Script::Devanagari,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Script> {
        Script::of_texts([text])
    }

    #[test]
    fn scripts_are_recognised_among_code() {
        assert_eq!(of("Please fix the parser in src/main.rs."), Some(Script::Latin));
        assert_eq!(of("请修复 src/main.rs 里的解析器,并运行 cargo test。"), Some(Script::Chinese));
        assert_eq!(of("src/main.rs のパーサーを直してください。"), Some(Script::Japanese));
        assert_eq!(of("파서를 고쳐 주세요. src/main.rs"), Some(Script::Korean));
        assert_eq!(of("Исправь парсер в src/main.rs, пожалуйста"), Some(Script::Cyrillic));
        assert_eq!(of("ok"), None);
        assert_eq!(of("We say 謝謝 in a long English sentence about something else."), Some(Script::Latin));
    }

    #[test]
    fn names_and_tags() {
        assert_eq!(Script::of_language("zh-Hans"), Some(Script::Chinese));
        assert_eq!(Script::of_language("Japanese"), Some(Script::Japanese));
        assert_eq!(Script::of_language("Quenya"), None);
    }

    #[test]
    fn a_summary_in_another_script_is_noticed() {
        let english = "The parser was fixed, all tests pass, nothing is open.";
        assert!(!Script::Chinese.may_be_of(english) && Script::Latin.may_be_of(english));
        assert!(Script::Chinese.may_be_of("解析器已修复,所有测试通过,没有遗留问题。"));
        assert!(Script::Japanese.may_be_of("s"), "too short to tell");
    }
}
