//! Finds the name that a misspelt one was meant to be.

use crate::sorting::sort;

/// The known names closest to `name`, best first, at most `most`. Names that are too different are left out. A name that ends with `name`
/// is close to it, however long it is: `contextWindow` to `window`.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let wanted: Vec<char> = name.chars().take(128).flat_map(char::to_lowercase).collect();
    let far = (wanted.len() / 3 + 1).min(wanted.len() / 2); // of three letters, one may differ
    let mut found: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|k| {
            let ends_with_it =
                wanted.len() > 3 && k.to_lowercase().ends_with(&wanted.iter().collect::<String>());
            let may_be_near = k.len().abs_diff(name.len()) <= 4 * far;
            let d = if ends_with_it { 1 } else { may_be_near.then(|| distance(&wanted, k))? };
            (d <= far).then_some((d, k))
        })
        .collect();
    sort(&mut found);
    found.dedup();
    found.truncate(most);
    found.into_iter().map(|(_, k)| k).collect()
}

/// The Levenshtein distance, ignoring case.
fn distance(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (i, cb) in b.chars().flat_map(char::to_lowercase).enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, &ca) in a.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[a.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_matched_but_another_word_is_not() {
        let known = ["thresholdRatio", "retainLastTurns", "enabled"];
        assert_eq!(nearest("tresholdratio", known, 1), ["thresholdRatio"]);
        assert_eq!(nearest("enable", known, 3), ["enabled"]);
        assert!(nearest("store", known, 3).is_empty());
        assert!(nearest("", known, 3).is_empty());
        assert!(nearest("foo", ["now"], 1).is_empty());
        assert_eq!(nearest("nwo", ["now", "no"], 1), ["no"]);
        assert_eq!(nearest("window", ["now", "contextWindow"], 1), ["contextWindow"]);
    }

    #[test]
    fn distances() {
        let d = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), b);
        assert_eq!((d("kitten", "sitting"), d("", "abc"), d("abc", ""), d("same", "SAME")), (3, 3, 3, 0));
    }
}
