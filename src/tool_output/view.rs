//! What the context window shows of a tool output (CACHE-3).

use super::ToolOutputCacheConfig;
use super::cut::{prefix_bytes, prefix_chars};
use crate::message::Part;

/// The text that replaces a trimmed output in the view.
pub fn placeholder(ref_id: &str) -> String {
    format!("[tool output trimmed; ref={ref_id}]")
}

/// The same without a ref.
pub const PLACEHOLDER: &str = "[tool output trimmed]";

/// The beginning of our placeholders. After it, they may say what was run.
const TRIMMED: &str = "[tool output trimmed";

/// Whether a text is one of our placeholders.
pub fn is_placeholder(text: &str) -> bool {
    text.strip_prefix(TRIMMED).is_some_and(|rest| rest.starts_with([';', ':', ']']) && rest.ends_with(']'))
}

/// The output as the view shows it; `None` if nothing is cut.
///
/// Each line is cut at `max_line_length` code points, and the text of all parts together at `max_message_bytes`,
/// including the notice at its end. Parts that are not text are kept. The text ends after a whole line, unless the
/// first line alone is too long. If the long notice does not fit into half of `max_message_bytes`, a short one is used;
/// if the id is so long that not even this one fits, only the notice is left of the text.
pub fn view(content: &[Part], config: &ToolOutputCacheConfig, ref_id: &str) -> Option<Vec<Part>> {
    let max_line = config.max_line();
    let long = |shown: &Shown, total: u64| shown.notice(ref_id, total, max_line);
    bounded(content, config, max_line, long, &short_notice(ref_id))
}

/// The answer of one of the cache's own tools as the view shows it; `None` if it is within `max_message_bytes`, as the
/// tools' own answers are. An answer that another program passes in under a tool's name may be longer: it is in no
/// cache and must not be stored in one, so it is cut without a ref.
pub fn view_of_own_tool_output(content: &[Part], config: &ToolOutputCacheConfig) -> Option<Vec<Part>> {
    let long = |shown: &Shown, total: u64| {
        let what = shown.what(total);
        format!("[answer cut: {what}; read on with tool_output_cache, by offset and limit, or ask for less]")
    };
    bounded(content, config, usize::MAX, long, "[answer cut; read on by offset and limit]")
}

/// The parts within the limits, with a notice at the end; `None` if they already are within the limits.
fn bounded(
    content: &[Part],
    config: &ToolOutputCacheConfig,
    max_line: usize,
    long: impl Fn(&Shown, u64) -> String,
    short: &str,
) -> Option<Vec<Part>> {
    let max_bytes = config.max_bytes();
    if !config.enabled || fits(content, max_bytes, max_line) {
        return None;
    }
    let total_lines = content.iter().map(|p| p.as_text().map_or(1, |t| count_lines(t))).sum();
    let longest = Shown { lines: total_lines, cut_lines: total_lines, complete: false };
    let long_notice = long(&longest, total_lines).len() < max_bytes / 2;
    let notice_of = |shown: &Shown| if long_notice { long(shown, total_lines) } else { short.to_owned() };
    let room = max_bytes.saturating_sub(notice_of(&longest).len() + 1);

    let (mut parts, shown) = cut_parts(content, room, max_line);
    let notice = notice_of(&shown);
    match parts.last_mut() {
        Some(Part::Text { text, .. }) => {
            let line_break = if text.ends_with('\n') { "" } else { "\n" };
            *text = format!("{text}{line_break}{notice}").into();
        }
        _ => parts.push(Part::text(notice)),
    }
    Some(parts)
}

/// How much of an output is shown.
struct Shown {
    /// Lines from the beginning; a part that is not text counts as one.
    lines: u64,
    /// How many of them were cut.
    cut_lines: u64,
    /// Whether no line is missing at the end.
    complete: bool,
}

impl Shown {
    fn what(&self, total: u64) -> String {
        match (self.complete, self.lines) {
            (true, 1) => "1 line".to_owned(),
            (true, _) => format!("all {total} lines shown"),
            (false, 0) => format!("beginning of line 1 of {total} shown"),
            (false, lines) => format!("lines 1-{lines} of {total} shown"),
        }
    }

    fn notice(&self, ref_id: &str, total: u64, max_line: usize) -> String {
        let Self { lines, cut_lines, complete } = *self;
        let what = self.what(total);
        let args = match (complete, lines) {
            (true, _) => "\"offset\":0".to_owned(),
            (false, 0) => "\"limit\":1".to_owned(),
            (false, _) => format!("\"offset\":{lines}"),
        };
        let of_them = if total == 1 { String::new() } else { format!("{cut_lines} of them ") };
        let cut = if cut_lines == 0 {
            String::new()
        } else {
            format!(", {of_them}cut at {max_line} characters (see more of one with limit 1)")
        };
        let id = serde_json::Value::from(ref_id);
        format!(
            "[tool output cut; ref={ref_id}: {what}{cut}; read on with tool_output_cache({{\"ref_id\":{id},{args}}})]"
        )
    }
}

fn short_notice(ref_id: &str) -> String {
    format!("[cut; ref={ref_id}; read on: tool_output_cache]")
}

fn fits(content: &[Part], max_bytes: usize, max_line: usize) -> bool {
    let texts = || content.iter().filter_map(Part::as_text);
    texts().map(|t| t.len()).sum::<usize>() <= max_bytes
        && texts().all(|t| {
            t.len() <= max_line
                || t.split('\n').all(|line| {
                    line.len() <= max_line || prefix_chars(without_line_break(line), max_line).is_none()
                })
        })
}

/// A line without the carriage return of its line break.
fn without_line_break(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

/// The parts with their text cut to `room` bytes, and how much is shown.
fn cut_parts(content: &[Part], room: usize, max_line: usize) -> (Vec<Part>, Shown) {
    let mut shown = Shown { lines: 0, cut_lines: 0, complete: true };
    let mut left = room;
    let mut any_text = false;
    let mut parts = Vec::with_capacity(content.len());
    for part in content {
        let Part::Text { text, extras } = part else {
            shown.lines += u64::from(shown.complete);
            parts.push(part.clone());
            continue;
        };
        let mut kept = String::new();
        for line in text.split_inclusive('\n') {
            if !shown.complete {
                break;
            }
            let body = without_line_break(line.strip_suffix('\n').unwrap_or(line));
            let line_break = &line[body.len()..];
            let cut = prefix_chars(body, max_line);
            let body = cut.unwrap_or(body);
            if body.len() + line_break.len() <= left {
                kept.push_str(body);
                kept.push_str(line_break);
                left -= body.len() + line_break.len();
                shown.lines += 1;
                shown.cut_lines += u64::from(cut.is_some());
                any_text = true;
            } else {
                shown.complete = false;
                if !any_text {
                    kept.push_str(prefix_bytes(body, left));
                }
            }
        }
        if kept.len() == text.len() {
            parts.push(part.clone());
        } else if !kept.is_empty() {
            parts.push(Part::Text { text: kept.into(), extras: extras.clone() });
        }
    }
    (parts, shown)
}

/// The number of lines, as in `str::lines`.
fn count_lines(text: &str) -> u64 {
    let breaks = text.bytes().filter(|b| *b == b'\n').count() as u64;
    breaks + u64::from(!text.is_empty() && !text.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Media, MediaKind};
    use proptest::prelude::*;

    fn config(max_message_bytes: u64, max_line_length: u64) -> ToolOutputCacheConfig {
        ToolOutputCacheConfig { max_message_bytes, max_line_length, ..ToolOutputCacheConfig::default() }
    }

    fn shown(text: &str, max_bytes: u64, max_line: u64) -> Option<String> {
        let parts = view(&[Part::text(text)], &config(max_bytes, max_line), "out_1")?;
        assert_eq!(parts.len(), 1);
        parts[0].as_text().map(ToString::to_string)
    }

    #[test]
    fn an_output_that_fits_is_unchanged() {
        assert_eq!(shown("", 64, 1), None);
        assert_eq!(shown("a\nb\n", 64, 1), None);
        assert_eq!(shown("日本\r\n日本\r\n", 64, 2), None);
        assert_eq!(shown(&"x".repeat(64), 64, 64), None);
        let off = ToolOutputCacheConfig { enabled: false, ..config(64, 1) };
        assert_eq!(view(&[Part::text("long enough")], &off, "out_1"), None);
    }

    #[test]
    fn a_cut_output_ends_with_how_to_read_on() {
        let lines = (1..=100).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
        insta::assert_snapshot!(shown(&lines, 300, 2000).unwrap(), @r#"
        line 1
        line 2
        line 3
        line 4
        line 5
        line 6
        line 7
        line 8
        line 9
        line 10
        line 11
        line 12
        line 13
        line 14
        line 15
        line 16
        line 17
        line 18
        line 19
        line 20
        line 21
        line 22
        line 23
        line 24
        line 25
        line 26
        line 27
        line 28
        line 29
        line 30
        line 31
        line 32
        line 33
        [cut; ref=out_1; read on: tool_output_cache]
        "#);
        insta::assert_snapshot!(shown(&format!("ab\n{}\r\nend", "é".repeat(9)), 600, 4).unwrap(), @r#"
        ab
        éééé
        end
        [tool output cut; ref=out_1: all 3 lines shown, 1 of them cut at 4 characters (see more of one with limit 1); read on with tool_output_cache({"ref_id":"out_1","offset":0})]
        "#);
    }

    #[test]
    fn an_output_of_a_cache_tool_is_cut_only_by_bytes() {
        let answer = |text: &str| view_of_own_tool_output(&[Part::text(text)], &config(600, 10));
        assert_eq!(answer(&"x".repeat(600)), None, "a line that was asked for alone may be that long");
        let cut = answer(&"    12\tline\n".repeat(90)).unwrap();
        let Part::Text { text, .. } = &cut[0] else { panic!() };
        assert!(text.len() <= 600, "{}", text.len());
        assert!(text.ends_with("\n[answer cut: lines 1-41 of 90 shown; read on with tool_output_cache, by offset and limit, or ask for less]"), "{text}");
    }

    #[test]
    fn the_beginning_of_a_long_first_line_is_shown() {
        let cut = shown(&"日本".repeat(400), 500, 2000).unwrap();
        let (line, notice) = cut.split_once('\n').unwrap();
        assert!(line.len() > 300 && "日本".repeat(400).starts_with(line));
        insta::assert_snapshot!(notice, @r#"[tool output cut; ref=out_1: beginning of line 1 of 1 shown; read on with tool_output_cache({"ref_id":"out_1","limit":1})]"#);
    }

    #[test]
    fn text_parts_are_cut_together_and_other_parts_stay() {
        let image = || Part::Media(Media::new(MediaKind::Image).into());
        let content =
            [Part::text("one\ntwo\n"), image(), Part::text("three\n".repeat(99)), image(), Part::text("end")];
        let parts = view(&content, &config(460, 2000), "out_7").unwrap();
        assert_eq!(parts[..2], content[..2]);
        assert_eq!(parts[3], image());
        let Part::Text { text, .. } = &parts[4] else { panic!() };
        insta::assert_snapshot!(text, @r#"[tool output cut; ref=out_7: lines 1-47 of 104 shown; read on with tool_output_cache({"ref_id":"out_7","offset":47})]"#);
        assert_eq!(parts.len(), 5);
        assert_eq!(placeholder("out_7"), "[tool output trimmed; ref=out_7]");
    }

    proptest! {
        #[test]
        fn a_view_is_within_its_limits_and_is_the_beginning_of_the_output(
            text in "([a日é👍🏽🇯🇵 ]{0,30}\r?\n){0,30}[ab]{0,300}", max_bytes in 64u64..900, max_line in 1u64..40,
        ) {
            match shown(&text, max_bytes, max_line) {
                None => {
                    prop_assert!(text.len() as u64 <= max_bytes);
                    prop_assert!(text.lines().all(|l| l.chars().count() as u64 <= max_line));
                }
                Some(cut) => {
                    prop_assert!(cut.len() as u64 <= max_bytes);
                    let (body, notice) = cut.rsplit_once('\n').unwrap();
                    prop_assert!(notice.contains("ref=out_1") && notice.contains("tool_output_cache"));
                    for (line, original) in body.lines().zip(text.lines()) {
                        let line = line.trim_end_matches('\r');
                        prop_assert!(original.starts_with(line));
                        prop_assert!(line.chars().count() as u64 <= max_line);
                    }
                }
            }
        }
    }
}
