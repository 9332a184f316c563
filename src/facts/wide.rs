//! Where a path or a URL begins and ends in text without spaces between words.

use super::word::{self, is_cjk};

/// A character of a script that sets no blanks, or a picture: part of a name, or a word right beside it.
pub(super) fn is_wide(c: char) -> bool {
    !c.is_ascii()
        && (is_cjk(c) && c.is_alphanumeric()
            || matches!(u32::from(c), 0x200D | 0x2600..=0x27BF | 0x3005..=0x3007 | 0x3099..=0x309A | 0xFE0F | 0x1F000..=0x1FAFF))
}

/// Words and particles that go on with a sentence behind a name, or join two names.
const BEHIND: &str = "的 和 与 與 或 跟 及 以 到 在 从 從 是 把 将 將 了 被 为 為 里 裡 下 中 内 內 等 这 這 那 就 都 也 还 還 文件 目录 目錄 并 然后 \
    の を は が に で と も や へ か から まで より など です だ ファイル フォルダ ディレクトリ \
    을 를 이 가 은 는 의 에 와 과 로 으로 도 파일 에서";

/// What a sentence has before a name: verbs of asking and particles.
const BEFORE: &str = "请 請 看 见 見 在 把 将 將 读 讀 打开 打開 修改 编辑 編輯 查看 运行 執行 执行 删除 刪除 添加 新建 创建 我 你 他 她 它";

/// The particle that stands in no name.
const OBJECT: char = 'を';

/// Folders at the root of a system: what they begin is a path, whatever stands right before it.
const ROOTS: &str = "etc usr home opt var tmp srv root mnt data app bin sbin dev proc sys lib media run boot workspace \
    workspaces Users Library Applications Volumes private";

/// What counts things: `2024年` is a name.
const COUNTERS: &str = "年 月 日 号 號 版 章 期 回 話 课 년 월 일";

fn is_one_of(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|w| w == word)
}

fn begins_with_one_of(list: &str, text: &str) -> bool {
    list.split_ascii_whitespace().any(|w| text.starts_with(w))
}

fn is_hiragana(c: char) -> bool {
    matches!(u32::from(c), 0x3041..=0x309F)
}

/// The run of wide characters that a text begins with, in bytes.
fn wide_run(text: &str) -> usize {
    text.find(|c: char| !is_wide(c)).unwrap_or(text.len())
}

/// Whether a sentence goes on with the wide characters that this text begins with.
fn goes_on(text: &str) -> bool {
    let run = &text[..wide_run(text)];
    begins_with_one_of(BEHIND, run)
        || (run.chars().next().is_some_and(is_hiragana) && run.chars().next_back().is_some_and(is_hiragana))
}

/// Whether a sentence leads to a name with these wide characters.
pub(super) fn leads_on(text: &str) -> bool {
    begins_with_one_of(BEFORE, text)
        || text.contains(OBJECT)
        || text.find('は') > Some(0)
        || text.chars().count() > 16
}

/// Whether a run that stands by itself names something: there is a separator, or an extension that is well known.
pub(super) fn is_name(run: &str) -> bool {
    run.contains('/') || word::has_known_extension(run)
}

/// Whether a sentence goes on behind a path in this run.
pub(super) fn has_tail(run: &str) -> bool {
    behind_extension(run.rsplit('/').next().unwrap_or(run)).is_some()
}

/// The first wide character behind a well-known extension in a segment; what follows is the sentence's.
fn behind_extension(segment: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(dot) = segment[from..].find('.').map(|at| from + at) {
        let extension = segment[dot + 1..].bytes().take_while(u8::is_ascii_alphanumeric).count();
        let end = dot + 1 + extension;
        let wide = segment[end..].starts_with(is_wide);
        if wide && dot > 0 && word::is_known_extension(&segment[dot + 1..end]) {
            return Some(end);
        }
        from = dot + 1;
    }
    None
}

fn is_plain(c: char) -> bool {
    !is_wide(c) && c.is_alphabetic()
}

/// Where the last segment of a path ends in a sentence, from its beginning; 0: none of it is the path's.
fn last_end(segment: &str) -> usize {
    if let Some(end) = behind_extension(segment) {
        return end;
    }
    if !segment.ends_with(is_wide) {
        return segment.len();
    }
    let body = segment.trim_end_matches(is_wide);
    if body.is_empty() {
        return if goes_on(segment) { 0 } else { segment.find(OBJECT).unwrap_or(segment.len()) };
    }
    let behind = &segment[body.len()..];
    let counted = body.ends_with(|c: char| c.is_ascii_digit()) && is_one_of(COUNTERS, behind);
    if counted { segment.len() } else { body.len() }
}

/// A path in a run of a path's characters and wide ones: from where to where.
///
/// `separators`: what parts the segments. `is_firm`: the run begins where a word does.
pub(super) fn path_in(run: &str, separators: &[char], is_firm: bool) -> Option<(usize, usize)> {
    let mut start = 0;
    let mut from = 0;
    loop {
        let rest = &run[from..];
        let len = rest.find(separators);
        let segment = &rest[..len.unwrap_or(rest.len())];
        let is_first = from == start;
        let Some(len) = len else {
            if is_first {
                // No separator: a bare name, from its last wide character on.
                let end = from + last_end(segment);
                let bare = run[start..end].rfind(is_wide).map_or(start, |at| next(run, start + at));
                return Some((bare, end));
            }
            return Some((start, from + last_end(segment)));
        };
        if segment.contains(is_wide) {
            let after_last = next(segment, segment.rfind(is_wide).unwrap_or(0));
            let leads_to_name = segment[after_last..].contains(is_plain);
            let behind = behind_extension(segment);
            if let Some(end) = behind.filter(|end| leads_to_name || goes_on(&segment[*end..])) {
                return Some((start, from + end));
            }
            if is_first && leads_to_name {
                start = from + after_last;
            } else if is_first && !segment.contains(is_plain) {
                let root = rest[len + 1..].split(separators).next().unwrap_or("");
                if is_one_of(ROOTS, root) {
                    start = from + len;
                } else if !is_firm || start > 0 || leads_on(segment) {
                    return later(run, from + len + 1, separators);
                }
            } else if leads_to_name && !is_first {
                let first = segment.find(is_wide).unwrap_or(0);
                let joined = segment[..first].contains(is_plain) && goes_on(&segment[first..]);
                if joined && word::is_path(&run[start..from + first]) {
                    return Some((start, from + first));
                }
                if joined || run[start..].starts_with(is_wide) {
                    start = from + after_last;
                }
            }
        }
        from += len + 1;
    }
}

/// The path that begins with the plain end of a segment behind this place, if one does: `输入/输出见src/a.rs`.
fn later(run: &str, from: usize, separators: &[char]) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        let len = run[at..].find(separators)?;
        let segment = &run[at..at + len];
        if let Some(last) = segment.rfind(is_wide) {
            let begin = at + next(segment, last);
            if run[begin..at + len].contains(is_plain) {
                return path_in(&run[begin..], separators, true).map(|(s, e)| (begin + s, begin + e));
            }
        }
        at += len + 1;
    }
}

/// The place behind the character at this one.
fn next(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(0, char::len_utf8)
}

/// How much of this text a URL is whose scheme stands before it. `is_loose`: a sentence without blanks leads to it.
pub(super) fn url_len(text: &str, is_loose: bool) -> usize {
    let mut before = '/';
    for (at, c) in text.char_indices() {
        if is_wide(c) && !is_wide(before) {
            let begins = matches!(before, '/' | '=' | '?' | '&' | '#' | '_' | '-' | '.' | '+' | ':');
            if is_loose || !begins || goes_on(&text[at..]) {
                return at;
            }
        }
        if c == OBJECT || !(is_wide(c) || word::is_url_part(c)) {
            return at;
        }
        before = c;
    }
    text.len()
}
