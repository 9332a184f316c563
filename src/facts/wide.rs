//! Finds where a path or a URL begins and ends in text without spaces between words.

use super::word::{self, is_cjk};
use super::words::is_listed;

/// Whether a character belongs to a script without blanks between words, or is a pictograph. It may be part of a name, or of a word
/// directly beside it.
pub(super) fn is_wide(c: char) -> bool {
    !c.is_ascii()
        && (is_cjk(c) && c.is_alphanumeric()
            || matches!(u32::from(c), 0x200D | 0x2600..=0x27BF | 0x3005..=0x3007 | 0x3099..=0x309A | 0xFE0F | 0x1F000..=0x1FAFF))
}

/// Words and particles that continue a sentence after a name, or join two names.
const BEHIND: &str = "的 和 与 與 或 跟 及 以 到 在 从 從 是 把 将 將 了 被 为 為 里 裡 下 中 内 內 等 这 這 那 就 都 也 还 還 文件 目录 目錄 并 然后 \
    の を は が に で と も や へ か から まで より など です だ ファイル フォルダ ディレクトリ \
    을 를 이 가 은 는 의 에 와 과 로 으로 도 파일 에서";

/// Words before a name in a sentence: verbs of asking, and particles.
const BEFORE: &str = "请 請 看 见 見 在 把 将 將 读 讀 打开 打開 修改 编辑 編輯 查看 运行 執行 执行 删除 刪除 添加 新建 创建 我 你 他 她 它";

/// A particle that never occurs in a name.
const OBJECT: char = 'を';

/// Root directories. A path begins there, whatever is directly before it.
const ROOTS: &str = "etc usr home opt var tmp srv root mnt data app bin sbin dev proc sys lib media run boot workspace \
    workspaces Users Library Applications Volumes private";

/// Counters: `2024年` is a name.
const COUNTERS: &str = "年 月 日 号 號 版 章 期 回 話 课 년 월 일";

fn begins_with_one_of(list: &str, text: &str) -> bool {
    list.split_ascii_whitespace().any(|w| text.starts_with(w))
}

fn is_hiragana(c: char) -> bool {
    matches!(u32::from(c), 0x3041..=0x309F)
}

/// The length, in bytes, of the run of wide characters at the start of a text.
fn wide_run(text: &str) -> usize {
    text.find(|c: char| !is_wide(c)).unwrap_or(text.len())
}

/// Whether the wide characters at the start of this text continue a sentence.
fn continues_sentence(text: &str) -> bool {
    let run = &text[..wide_run(text)];
    begins_with_one_of(BEHIND, run)
        || (run.chars().next().is_some_and(is_hiragana) && run.chars().next_back().is_some_and(is_hiragana))
}

/// Whether these wide characters lead a sentence up to a name.
pub(super) fn leads_up_to_name(text: &str) -> bool {
    begins_with_one_of(BEFORE, text)
        || text.contains(OBJECT)
        || text.find('は') > Some(0)
        || text.chars().count() > 16
}

/// Whether a run that is separated from other text is a name: it has a slash or a known extension.
pub(super) fn is_name(run: &str) -> bool {
    run.contains('/') || word::has_known_extension(run)
}

/// Whether a sentence continues directly after the path in this run.
pub(super) fn has_tail(run: &str) -> bool {
    behind_extension(run.rsplit('/').next().unwrap_or(run)).is_some()
}

/// The position of the first wide character after a known extension in a segment. From there on, the text belongs to the sentence.
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

/// Where the last segment of a path ends in a sentence; 0 if none of it belongs to the path.
fn last_end(segment: &str) -> usize {
    if let Some(end) = behind_extension(segment) {
        return end;
    }
    if !segment.ends_with(is_wide) {
        return segment.len();
    }
    let body = segment.trim_end_matches(is_wide);
    if body.is_empty() {
        return if continues_sentence(segment) { 0 } else { segment.find(OBJECT).unwrap_or(segment.len()) };
    }
    let behind = &segment[body.len()..];
    let counted = body.ends_with(|c: char| c.is_ascii_digit()) && is_listed(behind, COUNTERS);
    if counted { segment.len() } else { body.len() }
}

/// The start and end of a path in a run of path characters and wide characters.
///
/// `separators`: the characters between segments. `is_firm`: the run begins at the start of a word.
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
                // Without a separator it is a bare name, after the last wide character.
                let end = from + last_end(segment);
                let bare = run[start..end].rfind(is_wide).map_or(start, |at| next_char(run, start + at));
                return Some((bare, end));
            }
            return Some((start, from + last_end(segment)));
        };
        if segment.contains(is_wide) {
            let after_last = next_char(segment, segment.rfind(is_wide).unwrap_or(0));
            let leads_to_name = segment[after_last..].contains(is_plain);
            let behind = behind_extension(segment);
            if let Some(end) = behind.filter(|end| leads_to_name || continues_sentence(&segment[*end..])) {
                return Some((start, from + end));
            }
            if is_first && leads_to_name {
                start = from + after_last;
            } else if is_first && !segment.contains(is_plain) {
                let root = rest[len + 1..].split(separators).next().unwrap_or("");
                if is_listed(root, ROOTS) {
                    start = from + len;
                } else if !is_firm || start > 0 || leads_up_to_name(segment) {
                    return later_path(run, from + len + 1, separators);
                }
            } else if leads_to_name && !is_first {
                let first = segment.find(is_wide).unwrap_or(0);
                let joined = segment[..first].contains(is_plain) && continues_sentence(&segment[first..]);
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

/// The path that begins at the plain end of a later segment, if there is one: `输入/输出见src/a.rs`.
fn later_path(run: &str, from: usize, separators: &[char]) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        let len = run[at..].find(separators)?;
        let segment = &run[at..at + len];
        if let Some(last) = segment.rfind(is_wide) {
            let begin = at + next_char(segment, last);
            if run[begin..at + len].contains(is_plain) {
                return path_in(&run[begin..], separators, true).map(|(s, e)| (begin + s, begin + e));
            }
        }
        at += len + 1;
    }
}

/// The position after the character at this position.
fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(0, char::len_utf8)
}

/// How much of this text belongs to a URL whose scheme is before it. `is_loose`: the URL directly follows a sentence without blanks.
pub(super) fn url_len(text: &str, is_loose: bool) -> usize {
    let mut before = '/';
    for (at, c) in text.char_indices() {
        if is_wide(c) && !is_wide(before) {
            let begins = matches!(before, '/' | '=' | '?' | '&' | '#' | '_' | '-' | '.' | '+' | ':');
            if is_loose || !begins || continues_sentence(&text[at..]) {
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
