//! The exact encodings, token for token against `tiktoken-rs`.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test may fail, and reads files"
)]

mod text;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use contextfold::tokens::{Encoding, TokenCounter};
use tiktoken_rs::CoreBPE;

use text::Generator;

struct Pair {
    ours: Encoding,
    truth: CoreBPE,
}

impl Pair {
    fn new(name: &str, truth: CoreBPE) -> Self {
        let asset = if name == "r50k_base" { "p50k_base" } else { name }; // as in the package
        Self { ours: Encoding::new(name, vocabulary::pack(asset)).unwrap(), truth }
    }

    #[track_caller]
    fn same(&self, text: &str) {
        let wanted = self.truth.encode_ordinary(text);
        let tokens = self.ours.encode(text);
        if tokens != wanted {
            let at = tokens.iter().zip(&wanted).position(|(a, b)| a != b).unwrap_or(0);
            let near = |t: &[u32]| {
                t.iter()
                    .skip(at.saturating_sub(1))
                    .take(6)
                    .map(|&id| self.ours.decode(&[id]))
                    .collect::<Vec<_>>()
            };
            panic!(
                "{}: token {at} of {:.200?}: ours {:?}, tiktoken's {:?}",
                self.ours.name(),
                text,
                near(&tokens),
                near(&wanted)
            );
        }
        let n = wanted.len() as u64;
        assert_eq!(self.ours.count(text), n, "count of {text:.200?}");
        assert_eq!(self.ours.count_up_to(text, n), Some(n), "at its limit: {text:.200?}");
        if n > 0 {
            assert_eq!(self.ours.count_up_to(text, n - 1), None, "over its limit: {text:.200?}");
        }
        assert_eq!(self.ours.decode(&tokens).unwrap(), text);
    }
}

static ALL: LazyLock<[Pair; 4]> = LazyLock::new(|| {
    [
        Pair::new("o200k_base", tiktoken_rs::o200k_base().unwrap()),
        Pair::new("cl100k_base", tiktoken_rs::cl100k_base().unwrap()),
        Pair::new("p50k_base", tiktoken_rs::p50k_base().unwrap()),
        Pair::new("r50k_base", tiktoken_rs::r50k_base().unwrap()),
    ]
});

#[test]
fn generated_texts_have_tiktokens_tokens() {
    let mut generator = Generator::new(0x00C0_FFEE);
    for i in 0..200_000 {
        let text = generator.text();
        ALL[0].same(&text);
        ALL[1].same(&text);
        if i % 10 == 0 {
            ALL[2].same(&text);
            ALL[3].same(&text);
        }
    }
}

/// An encoding reads its tokens only as far as a text needs them, and builds its merging tables when a piece needs them.
#[test]
fn the_first_text_has_tiktokens_tokens() {
    let mut generator = Generator::new(0xF125);
    let asset = vocabulary::pack("cl100k_base");
    for i in 0..60 {
        let text = match i {
            0 => "The quick brown fox jumps over the lazy dog.".to_owned(),
            1 => "one rare piece at last: zxqvjkw".to_owned(),
            2 => "long ".repeat(2_000),
            _ => generator.text(),
        };
        let ours = Encoding::new("cl100k_base", asset.clone()).unwrap();
        let wanted = ALL[1].truth.encode_ordinary(&text);
        if i % 3 == 0 {
            assert_eq!(ours.decode(&wanted).unwrap(), text, "before anything was counted");
        }
        assert_eq!(ours.count_up_to(&text, 3), (wanted.len() <= 3).then_some(wanted.len() as u64));
        assert_eq!(ours.encode(&text), wanted, "{text:.200?}");
        assert_eq!(ours.count(&text), wanted.len() as u64);
    }
}

#[test]
fn every_character_has_tiktokens_tokens() {
    for c in '\0'..=char::MAX {
        // Unassigned planes are all alike, so only every 64th character is tried.
        if ('\u{30000}'..'\u{E0000}').contains(&c) && u32::from(c) % 64 != 0
            || c >= '\u{F0000}' && u32::from(c) % 64 != 0
        {
            continue;
        }
        let text = format!("a{c} {c}{c}'s");
        ALL[0].same(&text);
        ALL[1].same(&text);
        if u32::from(c) < 0x3000 {
            ALL[2].same(&text);
        }
    }
}

#[test]
fn difficult_texts_have_tiktokens_tokens() {
    for text in [
        "",
        "<|endoftext|>",
        "a<|endoftext|>b<|fim_prefix|><|endofprompt|>",
        "\u{FEFF}bom \u{FEFF}",
        "next\u{85}line\u{85}\u{85}",
        "it'ſ IT'ſ it'S WE'RE we'Ll",
        "\u{FFFD}\u{FFFD} lone surrogates come as these",
        "e\u{301}\u{301} \u{301}a \u{301}A !\u{301}",
        "👩‍👩‍👧‍👦🏳️‍🌈👍🏽 🇩🇪🇩🇪🇩",
        "ーAAAAー aーA ΑΒΓー",
        " \t\n\r\n \u{a0}\u{2003}\u{3000} x",
        "\n        indented\n\n\n    \n",
        "a/b//\r\n/c\n//",
        "12345678 ٣٤٥٦ ½¾Ⅷ 1a2",
        "HTTPServerError iPhone McDonald's",
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "'s'S'T'RE're'x '' '",
    ] {
        ALL.iter().for_each(|pair| pair.same(text));
    }
}

#[test]
fn huge_single_pieces_have_tiktokens_tokens() {
    let mut generator = Generator::new(7);
    let size = 1 << 20;
    for unit in
        ["a", "ab", "A", "z", "0", "=", "-", "中", "あ", "ー", "é", "\u{301}", "xyzzy", "的一是", "aA", "!?"]
    {
        let text = unit.repeat(size / unit.len());
        ALL[0].same(&text);
        ALL[1].same(&text);
    }
    for text in
        [generator.letters(size), generator.ideographs(size), generator.kana(size), generator.base64(size)]
    {
        ALL[0].same(&text);
        ALL[1].same(&text);
    }
}

/// tiktoken-rs's regular expression gives up on such runs. So this compares shorter runs, and checks what must follow for longer ones.
#[test]
fn long_runs_of_spaces_are_counted() {
    for pair in &ALL[..2] {
        for length in [1, 2, 127, 128, 129, 5_000] {
            for text in [
                " ".repeat(length),
                format!("a{}b", " ".repeat(length)),
                format!("\n{}\n", " ".repeat(length)),
            ] {
                pair.same(&text);
            }
        }
        let text = " ".repeat(1_000_000);
        let tokens = pair.ours.encode(&text);
        assert_eq!(tokens.len() as u64, pair.ours.count(&text));
        assert_eq!(pair.ours.decode(&tokens).unwrap(), text);
        // Runs are covered by the longest token there is and one shorter one.
        assert!((1_000_000 / 128..1_000_000 / 70).contains(&tokens.len()), "{} tokens", tokens.len());
    }
}

#[test]
fn the_repositorys_own_sources_have_tiktokens_tokens() {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts"), &mut files);
    assert!(files.len() > 10);
    for file in files {
        if let Ok(text) = std::fs::read_to_string(&file) {
            ALL.iter().for_each(|pair| pair.same(&text));
        }
    }
}

#[test]
fn shared_texts_have_tiktokens_tokens() {
    let mut files = Vec::new();
    for folder in ["tokenizer", "recorded-requests"] {
        collect(&shared_data().join(folder), &mut files);
    }
    if files.is_empty() {
        println!("no shared data: skipped");
    }
    for file in files {
        if let Ok(text) = std::fs::read_to_string(&file) {
            ALL[..2].iter().for_each(|pair| pair.same(&text));
        }
    }
}

fn shared_data() -> PathBuf {
    std::env::var_os("CONTEXTFOLD_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            if !path.ends_with("node_modules") {
                collect(&path, files);
            }
        } else {
            files.push(path);
        }
    }
}
