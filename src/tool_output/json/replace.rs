//! Replaces strings in JSON text and keeps everything else exactly: numbers, names, white space.

use super::scan::Document;
use super::strings::{decode, quoted};

/// A JSON text. Accepts what `JSON.parse` accepts, at any depth.
pub struct Json<'a> {
    text: &'a str,
    document: Document<'a>,
}

impl<'a> Json<'a> {
    /// `None` if the text is not JSON (RFC 8259).
    pub fn parse(text: &'a str) -> Option<Self> {
        Document::parse(text).map(|document| Self { text, document })
    }

    /// The decoded strings in it, at any depth, without names of members. An unpaired surrogate becomes U+FFFD.
    pub fn strings(&self) -> impl Iterator<Item = String> {
        self.document.texts().map(|at| decode(&self.text[at.start + 1..at.end - 1]))
    }

    /// The same JSON, in which every string for which `other` returns a new one is replaced by it.
    pub fn with_strings(&self, other: impl Fn(&str) -> Option<String>) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut written = 0;
        for (at, string) in self.document.texts().zip(self.strings()) {
            if let Some(other) = other(&string) {
                out.push_str(&self.text[written..at.start]);
                out.push_str(&quoted(&other));
                written = at.end;
            }
        }
        out.push_str(&self.text[written..]);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_replaced_strings_differ() {
        let text = "{ \"n\": 1.50e400 ,\"a\":[\"x\\u0041\",\"\\ud83d\"], \"b\\n\": \"x\\\"\" }";
        let json = Json::parse(text).unwrap();
        assert_eq!(json.strings().collect::<Vec<_>>(), ["xA", "\u{fffd}", "x\""]);
        assert_eq!(json.with_strings(|_| None), text);
        let replaced = json.with_strings(|string| string.ends_with('"').then(|| "\"\n".to_owned()));
        assert_eq!(replaced, "{ \"n\": 1.50e400 ,\"a\":[\"x\\u0041\",\"\\ud83d\"], \"b\\n\": \"\\\"\\n\" }");
        assert!(Json::parse(&format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000))).is_some());
        assert!(Json::parse("{\"a\": \"x").is_none());
    }
}
