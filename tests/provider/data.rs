//! The recorded data, if it exists.

use std::path::PathBuf;

use serde_json::Value;

/// One recorded list.
pub struct Recorded {
    pub name: String,
    pub items: Vec<Value>,
    /// The whole record.
    #[allow(dead_code)] // not every test that reads recordings needs it
    pub record: Value,
}

/// The folder with recorded data: `$CONTEXTFOLD_DATA`, or `../shared/data` beside the repository.
pub fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("CONTEXTFOLD_DATA")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Every recorded list in files whose name ends with `suffix`. Without the data, prints a line and returns none.
pub fn recorded(suffix: &str) -> Vec<Recorded> {
    let Some(folder) = folder() else {
        println!("no recorded data here: skipped");
        return Vec::new();
    };
    let mut files = Vec::new();
    let mut folders =
        vec![folder.join("recorded-requests"), folder.join("long-sessions"), folder.join("dialogs")];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|n| n.to_string_lossy().ends_with(suffix)) {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut out = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let docs: Vec<Value> = match serde_json::from_str(&text) {
            Ok(doc) => vec![doc],
            Err(_) => text
                .lines()
                .filter(|l| !l.trim().is_empty())
                .map(|l| serde_json::from_str(l).unwrap())
                .collect(),
        };
        for (n, record) in docs.into_iter().enumerate() {
            let list = if record.is_array() {
                record.clone()
            } else {
                ["items", "messages", "input"]
                    .iter()
                    .find_map(|k| record.get(*k))
                    .cloned()
                    .unwrap_or_default()
            };
            let Value::Array(items) = list else { continue };
            out.push(Recorded { name: format!("{}#{n}", file.display()), items, record });
        }
    }
    out
}
