//! `cargo run -p vocabulary -- assets DIR` packs the encodings; `-- tables` rewrites the tables in `src/tokens`.

#![allow(clippy::disallowed_methods, reason = "a build tool reads and writes files")]

use std::{env, fs, path::Path};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["assets", out] => {
            fs::create_dir_all(out).expect("the folder can be made");
            // r50k_base is read from p50k_base, which it is the beginning of.
            for source in vocabulary::ENCODINGS.iter().filter(|source| source.name != "r50k_base") {
                let bytes = vocabulary::pack(source.name);
                println!("{}.bin: {} bytes", source.name, bytes.len());
                fs::write(Path::new(out).join(format!("{}.bin", source.name)), bytes)
                    .expect("the folder can be written");
            }
        }
        ["tables"] => {
            let tokens = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/tokens");
            fs::write(tokens.join("bpe/classes.bin"), vocabulary::unicode_table())
                .expect("src can be written");
            fs::write(tokens.join("bpe/signs.bin"), vocabulary::sign_table()).expect("src can be written");
            fs::write(tokens.join("tokenizer/decompositions.bin"), vocabulary::decomposition_table())
                .expect("src can be written");
            fs::write(tokens.join("models.tsv"), vocabulary::model_table()).expect("src can be written");
        }
        _ => eprintln!("usage: vocabulary assets DIR | vocabulary tables"),
    }
}
