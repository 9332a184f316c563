//! Which model uses which encoding, from tiktoken-rs's own tables.

use std::path::PathBuf;
use std::process::Command;

use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};

/// `src/tokens/models.tsv`: the names of models and their encodings; then beginnings of names, each with a `*`, in the order in which they
/// are tried.
#[must_use]
pub fn table() -> String {
    let source = std::fs::read_to_string(tiktoken_source()).expect("tiktoken-rs's source");
    let lists = source.split("#[cfg(test)]").next().unwrap_or_default();
    let (mut models, mut prefixes) = (Vec::new(), Vec::new());
    let mut into_prefixes = false;
    for line in lists.lines() {
        if line.contains("PREFIX_TO_TOKENIZER: &[") {
            into_prefixes = true;
        } else if line.contains("const MODEL_TO_TOKENIZER") {
            into_prefixes = false;
        }
        let Some((name, encoding)) = entry(line) else { continue };
        let probe = if into_prefixes { format!("{name}x") } else { name.to_owned() };
        assert_eq!(get_tokenizer(&probe).map(encoding_name), Some(encoding), "{probe}");
        if into_prefixes { &mut prefixes } else { &mut models }.push((name.to_owned(), encoding));
    }
    assert!(models.len() > 30 && prefixes.len() > 10, "tiktoken-rs's tables have changed their form");

    let prefixes = prefixes.into_iter().map(|(name, encoding)| (name + "*", encoding));
    let rows = models.into_iter().chain(prefixes).map(|(name, encoding)| format!("{name}\t{encoding}\n"));
    rows.collect::<Vec<_>>().concat()
}

/// `("o1", Tokenizer::O200kBase),` as a name and an encoding's name.
fn entry(line: &str) -> Option<(&str, &'static str)> {
    let (name, rest) = line.split_once("(\"")?.1.split_once("\", Tokenizer::")?;
    let variant = rest.split(')').next()?;
    let all = [
        Tokenizer::O200kHarmony,
        Tokenizer::O200kBase,
        Tokenizer::Cl100kBase,
        Tokenizer::P50kBase,
        Tokenizer::R50kBase,
        Tokenizer::P50kEdit,
        Tokenizer::Gpt2,
    ];
    let found = all.into_iter().find(|t| format!("{t:?}") == variant).expect("a known tokenizer");
    Some((name, encoding_name(found)))
}

const fn encoding_name(tokenizer: Tokenizer) -> &'static str {
    match tokenizer {
        Tokenizer::O200kHarmony => "o200k_harmony",
        Tokenizer::O200kBase => "o200k_base",
        Tokenizer::Cl100kBase => "cl100k_base",
        Tokenizer::P50kBase => "p50k_base",
        Tokenizer::R50kBase => "r50k_base",
        Tokenizer::P50kEdit => "p50k_edit",
        Tokenizer::Gpt2 => "gpt2",
    }
}

fn tiktoken_source() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .output()
        .expect("cargo metadata runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let at = text
        .find("/Cargo.toml\",\"metadata\":")
        .map(|_| ())
        .and(text.split('"').find(|s| s.ends_with("Cargo.toml") && s.contains("tiktoken-rs-")));
    PathBuf::from(at.expect("tiktoken-rs among the packages")).with_file_name("src").join("tokenizer.rs")
}
