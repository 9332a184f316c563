//! What an encoding refuses, and which encoding each model has.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test may fail, and reads files"
)]

use contextfold::ErrorCode;
use contextfold::tokens::{Encoding, TokenCounter, asset_of, encoding_for_model};

#[track_caller]
fn refused(name: &str, bytes: &[u8]) -> String {
    let error = Encoding::new(name, bytes).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::EncodingInvalid, "{error}");
    error.message().to_owned()
}

#[test]
fn damaged_bytes_are_refused() {
    let good = vocabulary::pack("r50k_base");
    assert!(Encoding::new("r50k_base", good.clone()).is_ok());
    for at in (0..good.len()).step_by(good.len() / 97).chain([good.len() - 1]) {
        for bit in [0x01, 0x80] {
            let mut bad = good.clone();
            bad[at] ^= bit;
            refused("r50k_base", &bad);
        }
    }
}

#[test]
fn cut_off_and_lengthened_bytes_are_refused() {
    let good = vocabulary::pack("r50k_base");
    for length in [0, 1, 3, 47, 48, 100, 303, 304, 305, good.len() / 2, good.len() - 1] {
        refused("r50k_base", &good[..length]);
    }
    refused("r50k_base", &[good.clone(), vec![0]].concat());
    refused(
        "r50k_base",
        b"<!doctype html><html><body>not found, but long enough to be a header</body></html>",
    );
}

#[test]
fn another_version_or_encoding_is_refused() {
    let mut bytes = vocabulary::pack("r50k_base");
    assert!(refused("p50k_base", &bytes).contains("it is `r50k_base`, not `p50k_base`"));
    bytes[4] = 3;
    assert!(refused("r50k_base", &bytes).contains("version 3"));
}

#[test]
fn an_unknown_encoding_is_an_argument_error() {
    let error = Encoding::new("o300k_base", []).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArgument);
}

#[test]
fn tokens_beyond_the_vocabulary_cannot_be_decoded() {
    let p50k = Encoding::new("p50k_edit", vocabulary::pack("p50k_base")).unwrap();
    assert_eq!(p50k.name(), "p50k_edit");
    assert_eq!(p50k.with_name("p50k_base").unwrap().count("hello world"), 2);
    assert!(p50k.with_name("r50k_base").is_none());
    assert!(p50k.exact());
    for id in [50_256, 50_281, u32::MAX] {
        assert_eq!(p50k.decode(&[id]).unwrap_err().code(), ErrorCode::InvalidArgument, "{id}");
    }
    assert!(p50k.decode(&[50_280]).is_ok());
}

#[test]
fn r50k_base_is_read_from_the_p50k_base_asset() {
    let r50k = Encoding::new("r50k_base", vocabulary::pack("p50k_base")).unwrap();
    assert_eq!(r50k.count(&" ".repeat(40)), 40, "p50k_base has runs of spaces");
    assert!(r50k.decode(&[50_255]).is_ok());
    for id in [50_256, 50_257, 50_280] {
        assert_eq!(r50k.decode(&[id]).unwrap_err().code(), ErrorCode::InvalidArgument, "{id}");
    }
    assert!(r50k.with_name("p50k_base").is_none());
}

#[test]
fn a_cut_through_a_character_decodes_to_the_replacement_character() {
    let r50k = Encoding::new("gpt2", vocabulary::pack("r50k_base")).unwrap();
    let tokens = r50k.encode("\u{10FFFF}");
    assert!(tokens.len() > 1);
    assert!(r50k.decode(&tokens[..1]).unwrap().contains('\u{FFFD}'));
    assert_eq!(r50k.decode_bytes(&tokens).unwrap(), "\u{10FFFF}".as_bytes());
}

#[test]
fn models_have_tiktokens_encodings() {
    use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};
    let name = |tokenizer| match tokenizer {
        Tokenizer::O200kHarmony => "o200k_harmony",
        Tokenizer::O200kBase => "o200k_base",
        Tokenizer::Cl100kBase => "cl100k_base",
        Tokenizer::P50kBase => "p50k_base",
        Tokenizer::R50kBase => "r50k_base",
        Tokenizer::P50kEdit => "p50k_edit",
        Tokenizer::Gpt2 => "gpt2",
    };
    let bases = [
        "gpt-5", "gpt-5.4-mini", "gpt-4.1", "gpt-4.1-mini", "gpt-4o", "gpt-4o-2024-05-13", "gpt-4",
        "gpt-4-0314", "gpt-3.5-turbo", "gpt-3.5-turbo-0125", "gpt-35-turbo", "gpt-4.5-preview",
        "chatgpt-4o-latest", "o1", "o1-mini", "o3", "o3-pro", "o4", "o4-mini", "o4-mini-2026-06-02",
        "gpt-oss-20b", "codex-mini-latest", "davinci-002", "text-embedding-3-large", "text-davinci-003",
        "code-search-ada-code-001", "text-davinci-edit-001", "gpt2", "gpt-2", "gpt-6", "gpt", "", "foo",
    ];
    for base in bases {
        for model in
            [base.to_owned(), format!("ft:{base}:org:name:id"), format!("{base}-x"), format!("openai/{base}")]
        {
            // tiktoken knows no names of gateways: theirs is the model's behind the last slash.
            let wanted = get_tokenizer(model.strip_prefix("openai/").unwrap_or(&model)).map(name);
            assert_eq!(encoding_for_model(&model).ok(), wanted, "{model}");
            if let Some(encoding) = wanted {
                assert_eq!(asset_of(encoding).map(|(name, _)| name), wanted, "{model}");
            }
        }
    }
}

#[test]
fn models_without_a_public_tokenizer_are_unknown() {
    for (model, way) in [
        ("claude-sonnet-4-5", "estimate"),
        ("gemini-2.5-pro", "estimate"),
        ("grok-4", "estimate"),
        ("mistral-large", "loadTokenizer"),
    ] {
        let error = encoding_for_model(model).unwrap_err();
        assert_eq!(error.code(), ErrorCode::UnknownModel);
        assert!(error.message().contains(model) && error.message().contains(way), "{error}");
    }
}

#[test]
fn the_committed_tables_match_the_generator() {
    let tokens = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tokens");
    for (file, wanted) in [
        ("bpe/classes.bin", vocabulary::unicode_table()),
        ("bpe/signs.bin", vocabulary::sign_table()),
        ("models.tsv", vocabulary::model_table().into_bytes()),
        ("tokenizer/decompositions.bin", vocabulary::decomposition_table().into_bytes()),
    ] {
        let committed = std::fs::read(tokens.join(file)).unwrap();
        assert!(committed == wanted, "src/tokens/{file} is old: run `cargo run -p vocabulary -- tables`");
    }
}
