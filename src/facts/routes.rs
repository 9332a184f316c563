//! Route segments in paths: `[id]`, `[...all]`, `(app)`, `{id}`, `$id`.

/// The length of the bracketed group, or of the `$`, at `at` if a segment may contain it. `from`: the start of the run.
pub(super) fn group(text: &str, from: usize, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let before = if at == from { b'/' } else { bytes[at - 1] };
    if bytes[at] == b'(' && text[..at].ends_with('$') {
        return None; // a shell's command substitution
    }
    let may_begin =
        matches!(before, b'/' | b'\\' | b'-' | b'.' | b'_' | b'@' | b'$' | b'+' | b'~' | b')' | b']');
    if !may_begin {
        return None;
    }
    let close = match bytes[at] {
        b'$' => {
            let next = bytes.get(at + 1)?;
            return (before != b'$' && (next.is_ascii_alphabetic() || matches!(next, b'_' | b'{')))
                .then_some(1);
        }
        b'[' if bytes.get(at + 1) == Some(&b'[') => "]]",
        b'[' => "]",
        b'(' => ")",
        b'{' => "}",
        _ => return None,
    };
    let open = at + close.len();
    let mut end = open;
    while end < bytes.len() && end - open < 64 {
        let byte = bytes[end];
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'=' | b'@') || byte >= 128 {
            end += 1;
            continue;
        }
        let is_named = text[open..end].contains(|c: char| c.is_alphabetic() || c == '.');
        let is_closed = is_named && bytes[end..].starts_with(close.as_bytes());
        let behind = end + close.len();
        // `(12)` and `[i]` after a name are code; `(.)photo` and `(app)` are folders; `[id]x` is neither.
        let ends = close == ")"
            || !text
                .get(behind..)
                .and_then(|t| t.chars().next())
                .is_some_and(|c| c.is_alphanumeric() || c == '_');
        let is_class = ["a-z", "A-Z", "0-9"].iter().any(|range| text[open..end].contains(range));
        let has_sentence = text[open..end].contains(|c: char| !c.is_ascii() && !c.is_alphanumeric());
        return (is_closed && ends && !has_sentence && !is_class).then_some(behind - at);
    }
    None
}

/// Whether a run with groups is a path and not a formula or a call.
pub(super) fn is_route(run: &str, has_known_extension: bool, next: Option<u8>) -> bool {
    let plain =
        |s: &str| s.bytes().filter(u8::is_ascii_alphabetic).count() >= 2 && !s.contains(['[', '(', '{', '$']);
    if !run.contains('/') {
        return has_known_extension && run.starts_with(['[', '$']) && next != Some(b'(');
    }
    has_known_extension
        || (run.matches('/').count() > 1
            && (run.starts_with(['/', '$', '.', '~']) || run.split('/').next().is_some_and(plain))
            && run.split('/').any(plain))
}
