//! Decides whether a full stop ends a sentence.

/// Abbreviations that belong to what follows. Their full stop does not end a sentence.
const ABBREVIATIONS: [&str; 32] = [
    "e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "no.", "resp.", "dr.", "mr.", "mrs.", "prof.", "z.b.",
    "d.h.", "bzw.", "ggf.", "inkl.", "exkl.", "zzgl.", "vgl.", "evtl.", "p.ex.", "hrn.", "mme.", "mlle.",
    "sra.", "srta.", "dra.", "dott.", "dhr.", "т.е.", "т.к.",
];

/// Most abbreviations have at most this many letters: "Jan.", "St.", "Sen.".
const SHORT: usize = 4;

/// Days and the numbers of list entries have at most this many digits.
const FEW_DIGITS: usize = 2;

/// Whether a text ends with an abbreviation that never ends a sentence.
pub(super) fn is_abbreviation(text: &str) -> bool {
    let last = last_word(text);
    ABBREVIATIONS.iter().any(|known| last.eq_ignore_ascii_case(known))
}

/// Whether a sentence may go on with `next`, because its full stop may be that of an abbreviation or a number. No list of abbreviations is
/// complete, so this asks whether `next` may begin a sentence, and how the last word is written.
pub(super) fn may_go_on(sentence: &str, next: &str) -> bool {
    let Some(first) = next.chars().next() else { return false };
    let Some(word) = last_word(sentence).strip_suffix('.').filter(|word| !word.ends_with('.')) else {
        return false;
    };
    if first.is_numeric() {
        return !word.is_empty() && !is_numbered(next);
    }
    let is_first = word.len() + 1 == sentence.len();
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    // Who begins no sentence with a capital says nothing by a small letter.
    if first.is_lowercase() && begins_with_capital(sentence) && letters <= SHORT {
        return true;
    }
    match word.chars().next() {
        Some(c) if c.is_ascii_digit() => word.len() <= FEW_DIGITS && word.bytes().all(|c| c.is_ascii_digit()),
        // "z. B. Anna", "Ms. J. Ng", but not "300 s. Then"
        Some(c) if letters == 1 && word.len() == c.len_utf8() => {
            c.is_uppercase()
                || next.split_whitespace().next() == next.get(..2).filter(|two| two.ends_with('.'))
        }
        Some(c) if c.is_uppercase() && letters <= SHORT => {
            let all = |test: fn(char) -> bool| word.chars().skip(1).all(test);
            all(|c| c == '.' || c.is_uppercase()) && word.contains('.')
                || all(char::is_lowercase) && !is_first
        }
        _ => false,
    }
}

fn last_word(text: &str) -> &str {
    let word = text.split_whitespace().next_back().unwrap_or_default();
    word.trim_start_matches(['(', '"', '\'', '“', '„', '«'])
}

/// Whether it begins with a capital. "I" has one always.
fn begins_with_capital(sentence: &str) -> bool {
    let mut letters = sentence.chars().skip_while(|c| !c.is_alphanumeric());
    match (letters.next(), letters.next()) {
        (Some('I'), Some(second)) => second.is_alphabetic(),
        (first, _) => first.is_some_and(char::is_uppercase),
    }
}

/// Whether a text begins with the number of a list entry: "2. Then deploy".
fn is_numbered(text: &str) -> bool {
    text.trim_start_matches(char::is_numeric).starts_with(['.', ')', ':'])
}

#[cfg(test)]
mod tests {
    use super::super::sentences;

    #[test]
    fn an_abbreviation_does_not_end_a_sentence() {
        for whole in [
            "Always address me as Dr. Smith.",
            "Always deploy to St. Gallen, never to Zurich.",
            "Never email J. R. R. Tolkien about this.",
            "Call me Ms. Brown, please.",
            "Schreibe Ms. Ng niemals vor 9 Uhr.",
            "Never contact Mrs. St. John before 9 a.m. on weekdays.",
            "No escribas nunca a la Dra. Ruiz.",
            "See the table on p. 12 of the report.",
            "Always use node.js v. 20 for the build.",
            "Never email Acme Inc. about this.",
            "Appelez-moi toujours Mme. Dupont, s.v.p.",
            "Не переводи больше 200 руб. без моего согласия.",
            "Always book flights on Jan. 5 via U.S. carriers only.",
            "Always ship to Hauptstr. 17 in 10115 Berlin, not to the billing address.",
            "Always ship to 14 St. James St., Apt. 3B, not to the billing address.",
            "Ändere niemals die Datei config/prod.env.yaml, z. B. beim Aufräumen.",
            "Nutze immer die Vorlage Nr. 7 vom 12. Oktober.",
            "Never charge more than 5 Mio. EUR per order.",
            "Always reply within 2 hrs. of the first e-mail.",
            "Rispondi sempre in italiano, max. 8 frasi.",
            "Never contact Sen. Warren or the U.S. Dept. of State, Globex & Co. KG, or Umbrella Corp.",
            "I am Lt. Col. Ada King.",
            "Erstatte nie mehr als 75 Euro inkl. MwSt. und Versand ohne Rückfrage.",
            "Schreibe nie in Kanäle, z. B. Teams.",
        ] {
            assert_eq!(sentences(whole).len(), 1, "{whole}");
        }
        for two in [
            "Update the API. Never touch the UI.",
            "Okay. Never deploy on Fridays.",
            "The old docs said to wait 300 ms. Never deploy on Fridays.",
            "never deploy on fridays. use tabs.",
            "I'd say it works. never touch it.",
            "Why not? because I say so.",
            "Port 8080. Never use another one.",
            "Build it. 2. Deploy it",
            "Update the example. can you do that?",
            "Wait... what?",
            "It timed out after 300 s. Then stop.",
        ] {
            assert_eq!(sentences(two).len(), 2, "{two}");
        }
    }
}
