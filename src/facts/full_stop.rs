//! Decides whether a full stop ends a sentence.

use super::words::is_listed;

/// Abbreviations that belong to what follows. Their full stop does not end a sentence.
const ABBREVIATIONS: &str = "e.g. i.e. etc. vs. cf. approx. no. resp. dr. mr. mrs. prof. messrs. z.b. d.h. bzw. ggf. inkl. exkl. zzgl. vgl. \
    evtl. sog. mio. mrd. p.ex. ej. hrn. mme. mlle. sra. srta. dra. dott. dhr. т.е. т.к. напр.";

/// Titles that are words or units in another case. They stand before a name.
const TITLES: &str =
    "Ms. St. Sr. Hr. Fr. Sig. M. Lt. Col. Gen. Maj. Capt. Sgt. Sen. Rep. Gov. Rev. Hon. Fa. Cía.";

/// Abbreviations that stand before a number, or at the end of a sentence.
const BEFORE_NUMBERS: &str = "p. pp. az. fig. vol. v. ver. nr. abs. art. sec. ch. ext. tel. apt. ca. max. min. núm. réf. ref. тел. стр. \
    jan. feb. mar. apr. jun. jul. aug. sep. sept. oct. nov. dec. okt. dez.";

/// Abbreviations that may stand at the end of a sentence: it goes on if the next word is no beginning.
const MAY_BE_LAST: &str =
    "inc. ltd. co. corp. jr. dept. est. a.m. p.m. usw. u.a. u.s. u.k. e.u. s.a. s.l. s.v.p.";

/// Months of German dates: "12. Oktober".
const MONTHS: &str = "januar februar märz april mai juni juli august september oktober november dezember";

/// Words before German ordinal numbers: "vom 12. bis zum 15. Mai", "im 2. Stock". A date may also end a sentence.
const BEFORE_DATES: &str = "am vom zum";
const BEFORE_ORDINALS: &str = "im ins dem den der das die";

/// First words of sentences, also in chats where only some sentences begin with a capital.
const BEGINNINGS: &str = "i im i'm i'll i've i'd ok okay thanks thank thx please pls can could would will do does did what why how when \
    where who now then also so but we you they he she it there this that the a my your let lets let's bitte";

/// Most abbreviations have at most this many letters.
const SHORT: usize = 4;

/// The number of a day has at most this many digits.
const FEW_DIGITS: usize = 2;

/// A name has no more initials.
const MOST_INITIALS: usize = 6;

/// Whether a sentence surely goes on after its last full stop, with the text `next`: its last word is an abbreviation or the initial of a
/// name.
pub(super) fn goes_on(sentence: &str, next: &str) -> bool {
    let mut words = sentence.split_whitespace().rev().map(without_marks);
    let (last, before) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    // "Ticket-Nr."
    let lower = last.rsplit('-').next().unwrap_or(last).to_lowercase();
    // "z. B."
    let is_spaced = letter(last).is_some() && letter(before).is_some();
    let spaced = if is_spaced { format!("{before}{lower}").to_lowercase() } else { String::new() };
    let is_one_of = |known| is_listed(&lower, known) || is_spaced && is_listed(&spaced, known);
    let following = next.split_whitespace().next().unwrap_or_default();
    if is_one_of(ABBREVIATIONS) {
        return true;
    }
    // "Main St. Never be late", but "Call Mrs. St. John"
    let is_street = last == "St." && is_name(before) && !before.ends_with('.') && words.next().is_some();
    if is_listed(last, TITLES) && is_name(next) && !is_street {
        return true;
    }
    if is_one_of(BEFORE_NUMBERS) || lower.ends_with("str.") {
        return next.starts_with(char::is_numeric);
    }
    if is_one_of(MAY_BE_LAST) {
        return next.starts_with(|c: char| c.is_lowercase() || c.is_numeric());
    }
    if is_day(last.trim_end_matches('.')) {
        return is_listed(following.trim_end_matches('.').to_lowercase().as_str(), MONTHS)
            || next.starts_with(|c: char| c.is_lowercase() || c.is_numeric()) && is_ordinal(last, before);
    }
    match letter(last) {
        Some(initial_letter) if initial_letter.is_uppercase() => {
            let mut following = next.split_whitespace().take(MOST_INITIALS).peekable();
            let is_one_of_several = initial(before) || following.peek().is_some_and(|word| initial(word));
            is_one_of_several && following.find(|word| !initial(word)).is_some_and(is_name)
        }
        Some(_) => next.starts_with(char::is_numeric) || letter(following).is_some(),
        None => false,
    }
}

/// Whether a sentence may go on with `next`, because its last word is an ordinal number, or may be an abbreviation and `next` begins with a
/// small letter. No list of abbreviations is complete.
pub(super) fn may_go_on(sentence: &str, next: &str) -> bool {
    let mut words = sentence.split_whitespace().rev();
    let (last, before) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let Some(word) = last.strip_suffix('.') else { return false };
    let first = next.split_whitespace().next().unwrap_or_default().trim_end_matches(',');
    let begins = is_listed(&first.to_lowercase(), BEGINNINGS);
    if is_ordinal(last, before) {
        return is_listed(&before.to_lowercase(), BEFORE_ORDINALS) && !begins;
    }
    // Where sentences begin with small letters, a small letter does not show that the sentence goes on.
    first.starts_with(char::is_lowercase)
        && begins_with_capital(sentence)
        && !begins
        && !word.ends_with('.')
        && (1..=SHORT)
            .contains(&word.chars().rev().take_while(|c| *c != '-').filter(|c| c.is_alphabetic()).count())
}

fn without_marks(word: &str) -> &str {
    word.trim_start_matches(['(', '"', '\'', '“', '„', '«'])
}

fn is_name(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}

fn is_day(word: &str) -> bool {
    (1..=FEW_DIGITS).contains(&word.len()) && word.bytes().all(|c| c.is_ascii_digit())
}

/// Whether a number with a full stop is a German ordinal number, to judge by the word before: "am 3. 8.", "im 2. Stock".
fn is_ordinal(number: &str, before: &str) -> bool {
    is_day(number.trim_end_matches('.'))
        && ([BEFORE_DATES, BEFORE_ORDINALS].iter().any(|list| is_listed(&before.to_lowercase(), list))
            || before.strip_suffix('.').is_some_and(is_day))
}

/// Whether it begins with a capital. The word "I" always has one, so it does not count.
fn begins_with_capital(sentence: &str) -> bool {
    let mut letters = sentence.chars().skip_while(|c| !c.is_alphanumeric());
    match (letters.next(), letters.next()) {
        (Some('I'), Some(second)) => second.is_alphabetic(),
        (first, _) => first.is_some_and(char::is_uppercase),
    }
}

/// The letter of a word that is one letter with a full stop.
fn letter(word: &str) -> Option<char> {
    let mut chars = word.chars();
    let letter = chars.next().filter(|c| c.is_alphabetic())?;
    (chars.as_str() == ".").then_some(letter)
}

fn initial(word: &str) -> bool {
    letter(word).is_some_and(char::is_uppercase)
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
            "Always use node.js v. 20.",
            "Lies immer Abs. 3) zuerst.",
            "Never email Acme Inc. about this.",
            "Appelez-moi toujours Mme. Dupont, s.v.p.",
            "Не переводи больше 200 руб. без моего согласия.",
            "Always book flights on Jan. 5 via U.S. carriers only.",
            "Always ship to Hauptstr. 17 in 10115 Berlin, not to the billing address.",
            "Always ship to 14 St. James St., Apt. 3B, not to the billing address.",
            "Ändere niemals die Datei config/prod.env.yaml, z. B. beim Aufräumen.",
            "Schreibe nie an Kunden, z. B. Anna.",
            "Nutze immer die Vorlage Nr. 7 vom 12. Oktober.",
            "Die Messe geht vom 12. bis zum 15. September.",
            "Am 3. 8. kommt der Lieferant.",
            "Im 2. Stock ist das Büro, im 3. das Lager.",
            "Wir feiern den 40. Geburtstag von Frau Thieß.",
            "Never charge more than 5 Mio. EUR per order.",
            "Always reply within 2 hrs. of the first e-mail.",
            "Rispondi sempre in italiano, max. 8 frasi.",
            "Erstatte nie mehr als ca. 1.250,50 Euro inkl. MwSt. und Versand ohne Rückfrage.",
            "I am Lt. Col. Ada King.",
            "Du darfst keine Stornos ohne Ticket-Nr. durchführen.",
            "Frag mich bei Flügen der Fa. Ryanair immer nach dem Gepäck.",
            "Para la empresa Pérez y Cía. S.A. usa siempre el transportista SEUR.",
            "Evita las abreviaturas, p. ej. «uds.», en los correos.",
        ] {
            assert_eq!(sentences(whole).len(), 1, "{whole}");
        }
        for two in [
            "We sold it to Acme Inc. Do not write to them.",
            "I choose option A. Please go on.",
            "See line v. Then stop.",
            "What did you find on p. Only use tabs.",
            "Was it Plan A. Never deploy on Fridays.",
            "We meet in Main St. Never be late.",
            "The old docs said to wait 300 ms. Never deploy on Fridays.",
            "Never email Bob. Please refund order ORD-12345.",
            "Never use Node 18. The new one is Node 20.",
            "never deploy on fridays. use tabs.",
            "Never use tabs. i think the build is broken.",
            "I'd say it works. never touch it.",
            "Never email Bob. 3 tests are failing.",
            "Build it. 2. Deploy it",
            "Update the example. can you do that?",
            "Wir kommen am 12. Bitte buche zwei Zimmer.",
            "It costs 12. and now buy it.",
            "Wait... what?",
        ] {
            assert!(sentences(two).len() > 1, "{two}");
        }
    }
}
