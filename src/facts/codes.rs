//! Codes assigned by vendors and issue trackers: `ERR_MODULE_NOT_FOUND`, `ORA-00942`, `CVE-2024-1234`, `PROJ-1234`.

/// Prefixes of standards, ciphers and character sets, which are followed by a hyphen and a number of three digits or more.
const STANDARDS: [&str; 44] = [
    "AES", "ANSI", "ASTM", "AVX", "BIP", "CP", "CRC", "DES", "DIN", "DO", "ECMA", "EIP", "EN", "ERC", "ES",
    "FIPS", "GB", "GMT", "GPT", "HMAC", "HS", "HTTP", "IBM", "IEC", "IEEE", "ISO", "ITU", "JIS", "LATIN",
    "MD", "MIL", "NIST", "PEP", "PKCS", "RFC", "RS", "RSA", "SHA", "SP", "SSE", "UCS", "UTC", "UTF",
    "WINDOWS",
];

/// `ERR_INVALID_ARG_TYPE`, `E_NOT_FOUND`, `ORA-00942`.
pub(super) fn is_named_error(word: &str) -> bool {
    if let Some(digits) = word.strip_prefix("ORA-") {
        return digits.len() == 5 && are_digits(digits);
    }
    let Some(name) = word.strip_prefix("ERR_").or_else(|| word.strip_prefix("E_")) else { return false };
    let named =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
    name.contains('_') && name.split('_').all(named) && name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// `CVE-2024-1234`, or a tracker's `PROJ-123` with at least two letters and three digits.
pub(super) fn is_numbered(word: &str) -> bool {
    if !word.as_bytes().first().is_some_and(u8::is_ascii_uppercase) {
        return false;
    }
    let Some((name, number)) = word.split_once('-') else { return false };
    if name == "CVE" {
        let (year, number) = number.split_once('-').unwrap_or(("", ""));
        return year.len() == 4 && are_digits(year) && (4..=7).contains(&number.len()) && are_digits(number);
    }
    (2..=10).contains(&name.len())
        && (3..=6).contains(&number.len())
        && name.bytes().all(|b| b.is_ascii_uppercase())
        && are_digits(number)
        && STANDARDS.binary_search(&name).is_err()
}

/// A booking reference or the like: `FQ8APE`, `1N99U6`. Five to eight capitals and digits in turns: letters with one number behind them are a
/// standard (`SHA256`), a number with a unit is a size (`1080P`), and letters up to F belong to a colour or another hexadecimal number.
pub(super) fn is_reference(word: &str) -> bool {
    let bytes = word.as_bytes();
    let turns =
        || bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    (5..=8).contains(&bytes.len())
        && bytes.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        && bytes.iter().any(|b| b.is_ascii_uppercase() && !b.is_ascii_hexdigit())
        && turns() >= 2
}

/// A name with the number that tells it from others: `yara_garcia_1905`. At least two words of letters and four digits, because `utf_8859` and
/// `step_1` are no one's ids.
pub(super) fn is_numbered_name(word: &str) -> bool {
    let Some((name, number)) = word.rsplit_once('_') else { return false };
    let is_letters = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphabetic());
    number.len() >= 4 && are_digits(number) && name.contains('_') && name.split('_').all(is_letters)
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_standards_is_sorted() {
        assert!(STANDARDS.is_sorted());
    }
}
