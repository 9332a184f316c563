//! Lists of texts that a test goes through, in a file beside it.

/// The verdicts and texts of a list. A line is a verdict, a tab and a text, in which `⏎` is a line break; lines that begin with `#` are
/// headings.
pub fn rows(list: &str) -> Vec<(&str, String)> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| line.split_once('\t').expect("a verdict, a tab and a text"))
        .map(|(wanted, text)| (wanted, text.replace('⏎', "\n")))
        .collect()
}

/// Checks that each text of a list gets the verdict that the list says. Names all wrong ones at once.
#[track_caller]
pub fn agrees<V: AsRef<str>>(list: &str, verdict: impl Fn(&str) -> V) {
    let rows = rows(list);
    let wrong: Vec<String> = rows
        .iter()
        .map(|(wanted, text)| (verdict(text), wanted, text))
        .filter(|(given, wanted, _)| given.as_ref() != **wanted)
        .map(|(given, wanted, text)| format!("{}, not {wanted}: {text}", given.as_ref()))
        .collect();
    assert!(
        wrong.is_empty() && !rows.is_empty(),
        "{} of {} are wrong:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}

/// The parts of a list, each with its heading: a line that begins with `## `.
pub fn sections(list: &str) -> impl Iterator<Item = (&str, &str)> {
    list.split("\n## ").skip(1).map(|part| part.split_once('\n').expect("a heading and rows"))
}
