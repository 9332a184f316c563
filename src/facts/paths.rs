//! Finds the whole path around a word, in any script and including segments of routes.

use super::wide::{self, is_wide};
use super::{routes, word};

/// Longer runs, in bytes, are data.
const LONGEST: usize = 256;

/// What a word is part of.
pub(super) enum Whole {
    /// Nothing longer than itself.
    Word,
    /// A path, from start to end.
    Path(usize, usize),
    /// Something that is not a path and has no path in it.
    NoPath,
}

/// What the word `at..end` is part of. Text before `floor` does not count.
#[inline]
pub(super) fn whole(text: &str, floor: usize, at: usize, end: usize) -> Whole {
    if may_be_piece(text, at, end) { path_around(text, floor, at) } else { Whole::Word }
}

/// The path around the word at `at`, which has something adjacent to it.
fn path_around(text: &str, floor: usize, at: usize) -> Whole {
    let (start, right) = run_around(text, floor, at);
    if right - start > LONGEST * 2 {
        return Whole::NoPath;
    }
    let all = &text[start..right];
    let before = text[..start].chars().next_back();
    let behind = text[right..].chars().next();
    let (path, is_quoted) = if all.contains(is_wide) {
        match wide_path(all, before, behind, start == 0 && right == text.len()) {
            Some((from, to, is_quoted)) => ((start + from, start + to), is_quoted),
            None => return Whole::NoPath,
        }
    } else {
        ((start, right), false)
    };
    let (from, path) =
        if is_quoted { word::without_dot(text, path.0, path.1) } else { word::trimmed(text, path.0, path.1) };
    let to = from + path.len();
    let has_groups = path.contains(['[', '(', '{', '$']);
    let is_route = !has_groups
        || routes::is_route(path, word::has_known_extension(path), text.as_bytes().get(to).copied());
    // A slash directly after wide characters was handled there.
    let begins = !path.starts_with('/') || from > start || may_begin(text, from, to);
    let is_prose = path.starts_with(is_wide) && !word::has_known_extension(path);
    let is_path = path.len() <= LONGEST && word::is_path(path) && !word::may_be_list(path);
    if to > at && is_route && begins && !is_prose && is_path { Whole::Path(from, to) } else { Whole::NoPath }
}

/// Whether the adjacent characters may make the word part of a longer path. This is enough to decide about most words.
#[inline]
fn may_be_piece(text: &str, at: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let word = &bytes[at..end];
    let has_slash = || word.contains(&b'/');
    let before = match at.checked_sub(1).map_or(b' ', |i| bytes[i]) {
        b')' => has_slash(),
        b']' | b'}' | b'$' => has_slash() || word::has_known_extension(&text[at..end]),
        b'*' | b'\\' | b'>' | b'%' => word[0] == b'/',
        128.. => text[..at].ends_with(is_wide) && (has_slash() || word.contains(&b'.')),
        _ => false,
    };
    before
        || match bytes.get(end).copied().unwrap_or(b' ') {
            b'(' | b'[' | b'{' | b'$' => {
                matches!(word.last(), Some(b'/' | b'.' | b'-' | b'_' | b'@'))
                    && (has_slash() || word.contains(&b'.'))
            }
            bracket @ (b')' | b']' | b'}') => match bytes.get(end + 1) {
                Some(b'/') => has_slash() || word.contains(&b'.'),
                // `(..)(..)photo`, `[[...all]]`; but `[a.md](b.md)` is a link.
                Some(b'(' | b']') if bracket != b']' || bytes[end + 1] == b']' => word.contains(&b'.'),
                Some(next) => word[0] == b'.' && next.is_ascii_alphanumeric() && bytes[..at].ends_with(b"("),
                None => false,
            },
            128.. => text[end..].starts_with(is_wide) && (has_slash() || word.contains(&b'.')),
            _ => false,
        }
}

/// The run of path characters, wide characters and groups around the word at `at`.
fn run_around(text: &str, floor: usize, at: usize) -> (usize, usize) {
    let bracket = |c: char| matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '$');
    let mut start = at;
    for (i, c) in text[floor..at].char_indices().rev() {
        let i = floor + i;
        if at - i > LONGEST || !(word::is_part(c) || is_wide(c) || bracket(c) || c == '=') {
            break;
        }
        start = i;
    }
    let mut end = start;
    // Stops in runs that are too long, so that the time stays linear.
    while let Some(c) = text[end..].chars().next().filter(|_| end - start <= LONGEST * 2) {
        if word::is_part(c) || is_wide(c) {
            end += c.len_utf8();
            continue;
        }
        if let Some(len) =
            text.as_bytes().get(end).filter(|_| c.is_ascii()).and_then(|_| routes::group(text, start, end))
        {
            end += len;
            continue;
        }
        if end >= at {
            break;
        }
        end += c.len_utf8();
        start = end;
    }
    (start, end)
}

/// The path in a run with wide characters, and whether quotes around it show that the run is all of it.
fn wide_path(
    run: &str,
    before: Option<char>,
    behind: Option<char>,
    is_all: bool,
) -> Option<(usize, usize, bool)> {
    let is_quoted = before.zip(behind).is_some_and(|(before, behind)| is_pair(before, behind));
    let has_path = run.contains('/');
    if (is_quoted || is_all && !has_path && !wide::leads_up_to_name(run))
        && wide::is_name(run)
        && !wide::has_tail(run)
    {
        return Some((0, run.len(), true));
    }
    let is_firm = before
        .is_none_or(|c| c.is_whitespace() || is_opening(c) || matches!(c, ':' | '=' | ',' | '|' | '>' | '*'));
    let (from, to) = wide::path_in(run, &['/'], is_firm)?;
    Some((from, to, false))
}

fn is_pair(before: char, behind: char) -> bool {
    const PAIRS: &str = "\"\" '' `` 「」 『』 “” ‘’ «» 《》";
    PAIRS.split(' ').any(|pair| pair.chars().eq([before, behind]))
}

fn is_opening(c: char) -> bool {
    const OPENING: &str = "\"'`([{<「『“‘«《【（：、，。";
    OPENING.contains(c)
}

/// Whether an absolute path may begin at this slash.
fn may_begin(text: &str, at: usize, end: usize) -> bool {
    match text.as_bytes()[..at].last() {
        Some(b')' | b']' | b'}' | b'\\' | b'%' | b'$') => false,
        Some(b'*') => text.as_bytes().get(end) == Some(&b'*'), // bold text, not a pattern
        Some(b'>') => {
            // `/opt/<version>/bin`: the brackets contain a segment.
            let floor = at.saturating_sub(64);
            let tag = text.as_bytes()[floor..at].iter().rposition(|b| *b == b'<');
            tag.is_none_or(|tag| floor + tag == 0 || text.as_bytes()[floor + tag - 1] != b'/')
        }
        Some(128..) => !text[..at].chars().next_back().is_some_and(is_wide),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::LiteralKind::{self, Path};
    use super::super::literals;
    use crate::corpus::agrees;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<(LiteralKind, &str)> {
        literals(text).into_iter().map(|l| (l.kind, l.text)).collect()
    }

    #[test]
    fn every_text_is_found_whole() {
        agrees(include_str!("paths.tsv"), |text| {
            let alone = of(text);
            let Some((kind, _)) = alone.first() else { return "-".to_owned() };
            let around = [
                text.to_owned(),
                format!("See {text} now"),
                format!("`{text}`"),
                format!("修改「{text}」。"),
                format!("{{\"path\":\"{text}\"}}"),
                format!("- {text}\n- {text}."),
                format!("({text}), [{text}]:"),
            ];
            let is_whole = |around: &&String| {
                let found = of(around);
                !found.is_empty() && found.iter().all(|f| *f == (*kind, text))
            };
            match around.iter().find(|around| !is_whole(around)) {
                None => format!("{kind:?}"),
                Some(around) => format!("{:?} in {around:?}", of(around)),
            }
        });
    }

    const SEGMENT: &str = "[a-z]{2,6}|[家用户项目組件]{1,4}|[ガイドデータ]{1,4}|[가나다라]{1,3}|\\[[a-z]{2,5}\\]|\\([a-z]{2,5}\\)|\\$[a-z]{2,4}|\\[\\.\\.\\.[a-z]{2,4}\\]|@[a-z]{2,5}|[а-я]{2,5}|[a-z]{2}[家用户]{2}";

    proptest! {
        #[test]
        fn a_quoted_path_is_found_whole(
            root in "|/|\\./|\\.\\./|~/", segments in prop::collection::vec(SEGMENT, 1..5), name in "[a-z]{2,5}|[家用户]{1,3}|[ガイ]{2}",
            quote in "[\"'`]", before in "(See|看|を|x =|- ) ?", after in "[ ,.。、]?(is|文件|を)?"
        ) {
            let path = format!("{root}{}/{name}.rs", segments.join("/"));
            // The mark of a mention is not part of the path, nor is `./`.
            let path = path.trim_start_matches('@');
            let known = path.trim_start_matches("./");
            let text = format!("{before}{quote}{path}{quote}{after}");
            prop_assert_eq!(of(&text), [(Path, known)], "{}", text);
        }

        #[test]
        fn literals_are_found_in_text_order(text in "[a-c1/.:#_()\\[\\]{}$@ \\\\家のデ\"`。é]{0,60}|(家|src/|[.]rs|/|\\[id\\]|の|文件| ){0,20}|[a-c1/.:#_ \\-\\\\家é👩‍👩‍👧]{0,40}|\\PC{0,60}|(https?://|HTTP |[A-Z]:\\\\|/|\\.){0,12}") {
            let mut end = 0;
            for l in literals(&text) {
                prop_assert_eq!(&text[l.at..l.at + l.text.len()], l.text);
                prop_assert!(l.at >= end && !l.text.is_empty(), "{:?}", l);
                end = l.at + l.text.len();
            }
        }
    }
}
