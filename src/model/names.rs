//! The different names of one model.

/// The regions of Bedrock's cross-region profiles.
const REGIONS: [&str; 9] = ["us", "us-gov", "eu", "apac", "au", "jp", "ca", "sa", "global"];

/// The vendors that Bedrock writes before a dot. Model names contain dots themselves, so only these prefixes are removed.
const VENDORS: [&str; 17] = [
    "ai21", "amazon", "anthropic", "cohere", "deepseek", "google", "meta", "minimax", "mistral", "moonshot",
    "moonshotai", "nvidia", "openai", "qwen", "writer", "xai", "zai",
];

/// Suffixes of `OpenRouter` that change neither the model nor its limits.
const VARIANTS: [&str; 3] = [":nitro", ":floor", ":online"];

/// The names to look `model` up by, most specific first: as written; then without path, region, vendor and version; then
/// without the date.
///
/// Only parts that say *where* or *when* a model is served are removed, never parts that name the model: `gpt-5-mini` is not
/// `gpt-5`.
pub(super) fn candidates(model: &str) -> Vec<String> {
    let model = model.trim().to_lowercase();
    let mut names = vec![model.clone()];
    let mut add = |name: &str| {
        if !name.is_empty() && !names.iter().any(|n| n == name) {
            names.push(name.to_owned());
        }
    };
    let mut undated = Vec::new();
    for path in paths(&model) {
        let name = without_prefixes(path);
        for name in [path, name] {
            add(name);
            if name.starts_with("claude-") || name.starts_with("anthropic/claude-") {
                add(&name.replace('.', "-"));
            }
        }
        undated.push(without_date(name));
    }
    for name in undated {
        add(name);
        if name.starts_with("claude-") {
            add(&name.replace('.', "-"));
        }
        // Names of open-weight models may include what they were tuned for; their window is the same.
        if let Some(base) = name.strip_suffix("-instruct") {
            add(base);
        }
        if let Some((family, size)) = family_and_size(name) {
            add(&format!("{family}-{size}"));
            add(family);
        }
    }
    names
}

/// `a/b/c`, `b/c`, `c`.
fn paths(model: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(model), |path| path.split_once('/').map(|(_, rest)| rest))
}

/// Without the `ft:` form of a fine-tuned model, region, vendor, and the version suffixes of Bedrock and `OpenRouter`.
fn without_prefixes(path: &str) -> &str {
    let mut name = path;
    if let Some(tuned) = name.strip_prefix("ft:") {
        name = tuned.split(':').next().unwrap_or(tuned);
    }
    name = strip_head(name, &REGIONS);
    name = strip_head(name, &VENDORS);
    for variant in VARIANTS {
        name = name.strip_suffix(variant).unwrap_or(name);
    }
    without_version(name)
}

fn strip_head<'a>(name: &'a str, heads: &[&str]) -> &'a str {
    match name.split_once('.') {
        Some((head, rest)) if heads.contains(&head) => rest,
        _ => name,
    }
}

/// Without Bedrock's `-v1:0`, `-v1` or `-1:0`.
fn without_version(name: &str) -> &str {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (head, revision) = match name.rsplit_once(':') {
        Some((head, revision)) if digits(revision) => (head, true),
        _ => (name, false),
    };
    match head.rsplit_once('-') {
        Some((rest, version)) if digits(version.strip_prefix('v').unwrap_or_default()) => rest,
        Some((rest, version)) if revision && digits(version) && version.len() == 1 => rest,
        _ => name,
    }
}

/// Without `-20250929`, `-2024-08-06`, `@20250929`, `@default`, `@latest`, `-latest`, `:latest`, Google's `-001` or
/// `-preview-09-2025`, and `xAI`'s `-0709`.
fn without_date(name: &str) -> &str {
    for tail in ["@default", "@latest", "-latest", ":latest"] {
        if let Some(rest) = name.strip_suffix(tail) {
            return rest;
        }
    }
    for (shape, maker) in [
        ("-dddd-dd-dd", ""),
        ("-dddddddd", ""),
        ("@dddddddd", ""),
        ("-ddd", "gemini-"),
        ("-preview-dd-dddd", "gemini-"),
        ("-dddd", "grok-"),
    ] {
        if !name.starts_with(maker) {
            continue;
        }
        if let Some(rest) = without_tail(name, shape) {
            return rest;
        }
    }
    name
}

/// Splits Ollama's `qwen3:8b` into family and size. The row of a family holds the limits of its smallest model.
fn family_and_size(name: &str) -> Option<(&str, &str)> {
    let (family, size) = name.rsplit_once(':')?;
    let digits = size.strip_suffix('b')?;
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    (is_number && !family.is_empty()).then_some((family, size))
}

/// `name` without a suffix of this shape, where `d` stands for a digit.
fn without_tail<'a>(name: &'a str, shape: &str) -> Option<&'a str> {
    let at = name.len().checked_sub(shape.len())?;
    let tail = name.as_bytes().get(at..)?;
    let fits =
        tail.iter().zip(shape.bytes()).all(|(c, s)| if s == b'd' { c.is_ascii_digit() } else { *c == s });
    (fits && at > 0 && name.is_char_boundary(at)).then(|| &name[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn provider_region_and_date_are_removed_from_a_name() {
        let has = |model: &str, name: &str| candidates(model).iter().any(|c| c == name);
        for (model, name) in [
            ("openai/gpt-5", "gpt-5"),
            ("openrouter/openai/gpt-5:nitro", "gpt-5"),
            ("models/gemini-2.5-pro", "gemini-2.5-pro"),
            ("gemini-2.0-flash-001", "gemini-2.0-flash"),
            ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
            ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
            ("bedrock/eu.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
            ("anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"),
            ("openai.gpt-oss-120b-1:0", "gpt-oss-120b"),
            ("gpt-4o-2024-08-06", "gpt-4o"),
            ("ft:gpt-4o-2024-08-06:org::id", "gpt-4o"),
            ("GPT-5", "gpt-5"),
            ("mistral-large-latest", "mistral-large"),
            ("qwen3:8b", "qwen3-8b"),
            ("ollama/llama3.1:8b", "llama3.1"),
            ("qwen3:latest", "qwen3"),
            ("xai/grok-4-0709", "grok-4"),
            ("gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"),
            ("meta-llama/llama-3.1-8b-instruct", "llama-3.1-8b"),
        ] {
            assert!(has(model, name), "{model}: {:?}", candidates(model));
        }
    }

    #[test]
    fn parts_that_distinguish_models_are_kept() {
        for (model, other) in [
            ("gpt-5-mini", "gpt-5"),
            ("gpt-5-foo", "gpt-5"),
            ("gpt-4.1", "1"),
            ("gpt-4-0613", "gpt-4"),
            ("gemini-2.5-pro-preview-tts", "gemini-2.5-pro"),
            ("deepseek/deepseek-r1:free", "deepseek-r1"),
            ("claude-opus-4-1", "claude-opus-4"),
        ] {
            assert!(!candidates(model).iter().any(|c| c == other), "{model}: {:?}", candidates(model));
        }
        assert_eq!(candidates(""), [""]);
        assert_eq!(candidates("/"), ["/"]);
        assert_eq!(candidates("日本-20250101"), ["日本-20250101", "日本"]);
    }
}
