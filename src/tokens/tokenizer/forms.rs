//! Unicode normalization forms.
//!
//! Text is split before each character that the form leaves as it is, that never composes with the character before it, and
//! that is never moved. The stretches in between can be normalized separately, so almost all text is only copied.

use std::cell::RefCell;

use unicode_normalization_alignments::char::{canonical_combining_class, compose};
use unicode_normalization_alignments::{
    IsNormalized, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

use crate::decompositions::decompose;

/// A normalization form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Nfc,
    Nfd,
    Nfkc,
    Nfkd,
}

/// Normalizes text to a form.
pub struct ToForm {
    form: Form,
    /// Which characters begin a stretch, in pages of 256; a page is computed when its first character occurs.
    pages: RefCell<Vec<Option<Box<Page>>>>,
}

type Page = [bool; 256];

impl ToForm {
    pub const fn new(form: Form) -> Self {
        Self { form, pages: RefCell::new(Vec::new()) }
    }

    /// Normalizes `text`; `None` if nothing changes.
    #[inline(never)]
    pub fn apply(&self, text: &str) -> Option<String> {
        let mut pages = self.pages.borrow_mut();
        let mut begins = |c: char| {
            let (page, at) = (c as usize >> 8, c as usize & 255);
            if page >= pages.len() {
                pages.resize_with(page + 1, || None);
            }
            pages.get_mut(page).is_some_and(|slot| slot.get_or_insert_with(|| self.page(page))[at])
        };
        let mut out = String::new();
        // How far the text was copied, where the previous character begins, and where reading continues.
        let (mut copied, mut before, mut at) = (0, 0, 0);
        while let Some(rest) = text.get(at..) {
            let ascii = rest.bytes().position(|byte| byte >= 128);
            if ascii != Some(0) {
                let Some(ascii) = ascii else { break };
                at += ascii;
                before = at - 1;
                continue;
            }
            let Some(c) = rest.chars().next() else { break };
            if begins(c) {
                before = at;
                at += c.len_utf8();
                continue;
            }
            let len =
                rest.char_indices().skip(1).find(|&(_, c)| begins(c)).map_or(rest.len(), |(len, _)| len);
            at += len;
            out.push_str(text.get(copied..before).unwrap_or_default());
            self.put(text.get(before..at).unwrap_or_default(), &mut out);
            (copied, before) = (at, at);
        }
        if copied == 0 {
            return None;
        }
        out.push_str(text.get(copied..).unwrap_or_default());
        Some(out)
    }

    fn put(&self, stretch: &str, out: &mut String) {
        let compatible = matches!(self.form, Form::Nfkc | Form::Nfkd);
        let mut writer = Writer {
            chars: Vec::new(),
            settled: 0,
            composes: matches!(self.form, Form::Nfc | Form::Nfkc),
            base: None,
            highest: 0,
            out,
        };
        for c in stretch.chars() {
            decompose(c, compatible, |c| writer.put(c));
        }
        writer.settle();
        writer.flush(writer.chars.len());
    }

    fn page(&self, page: usize) -> Box<Page> {
        let begins = |c: char| {
            let alone = std::iter::once(c);
            let is_in_form = match self.form {
                Form::Nfc => is_nfc_quick(alone),
                Form::Nfd => is_nfd_quick(alone),
                Form::Nfkc => is_nfkc_quick(alone),
                Form::Nfkd => is_nfkd_quick(alone),
            };
            is_in_form == IsNormalized::Yes && canonical_combining_class(c) == 0
        };
        Box::new(std::array::from_fn(|at| char::from_u32((page << 8 | at) as u32).is_some_and(begins)))
    }
}

/// Writes decomposed characters in the order of their classes, and composes them again if the form does.
struct Writer<'a> {
    /// Characters that are not written yet, with their classes.
    chars: Vec<(u8, char)>,
    /// How many of them are in order and composed.
    settled: usize,
    composes: bool,
    /// The last settled character of class 0, and the class of the last one behind it, or 0.
    base: Option<usize>,
    highest: u8,
    out: &'a mut String,
}

/// Settled characters are written when there are so many, so that the list stays small.
const MANY: usize = 64;

impl Writer<'_> {
    fn put(&mut self, c: char) {
        let class = canonical_combining_class(c);
        if class == 0 {
            self.settle();
            if self.settled > MANY {
                self.flush(if self.composes { self.base.unwrap_or(self.settled) } else { self.settled });
            }
        }
        self.chars.push((class, c));
    }

    fn settle(&mut self) {
        let added = self.chars.get_mut(self.settled..).unwrap_or_default();
        if !added.is_sorted_by_key(|&(class, _)| class) {
            added.sort_by_key(|&(class, _)| class);
        }
        if self.composes {
            self.compose();
        }
        self.settled = self.chars.len();
    }

    /// Composes each character with the last one of class 0 before it, unless one in between has its class or a higher one.
    fn compose(&mut self) {
        let mut kept = self.settled;
        for at in self.settled..self.chars.len() {
            let (class, c) = self.chars[at];
            let is_blocked = self.highest > 0 && self.highest >= class;
            if let Some(base) = self.base.filter(|_| !is_blocked)
                && let Some(composed) = compose(self.chars[base].1, c)
            {
                self.chars[base].1 = composed;
                continue;
            }
            if class == 0 {
                (self.base, self.highest) = (Some(kept), 0);
            } else if self.base.is_some() {
                self.highest = class;
            }
            self.chars[kept] = (class, c);
            kept += 1;
        }
        self.chars.truncate(kept);
    }

    /// Writes the first `count` characters.
    fn flush(&mut self, count: usize) {
        self.out.extend(self.chars.drain(..count).map(|(_, c)| c));
        self.settled -= count;
        self.base = self.base.and_then(|base| base.checked_sub(count));
    }
}

#[cfg(test)]
mod tests {
    use unicode_normalization_alignments::UnicodeNormalization;

    use super::*;

    fn by_the_crate(form: Form, text: &str) -> String {
        match form {
            Form::Nfc => text.nfc().map(|(c, _)| c).collect(),
            Form::Nfd => text.nfd().map(|(c, _)| c).collect(),
            Form::Nfkc => text.nfkc().map(|(c, _)| c).collect(),
            Form::Nfkd => text.nfkd().map(|(c, _)| c).collect(),
        }
    }

    #[test]
    fn every_character_becomes_what_the_crate_makes_of_it() {
        for form in [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd] {
            let ours = ToForm::new(form);
            for c in '\0'..'\u{30000}' {
                let text = c.to_string();
                assert_eq!(
                    ours.apply(&text).unwrap_or(text.clone()),
                    by_the_crate(form, &text),
                    "{form:?} {c:?}"
                );
            }
        }
    }

    #[test]
    fn long_runs_become_what_the_crate_makes_of_them() {
        let runs = [
            "\u{323}\u{301}", "ｅ\u{301}\u{323}", "한글", "\u{1100}\u{1161}\u{11A8}", "\u{301}a",
            "\u{9C7}\u{9BE}\u{9D7}", "ﬁ①\u{F900}",
        ];
        for form in [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd] {
            for run in runs {
                let text = format!("a{}", run.repeat(3_000));
                let made = ToForm::new(form).apply(&text).unwrap_or(text.clone());
                assert!(made == by_the_crate(form, &text), "{form:?} {run:?}");
            }
        }
    }

    /// Puts every character between others that may compose with it, and compares with the crate's normalizing the whole text.
    #[test]
    fn normalizing_in_stretches_equals_normalizing_the_whole() {
        for form in [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd] {
            let by_stretches = ToForm::new(form);
            for c in ('\0'..=char::MAX).filter(|&c| c < '\u{3400}' || (c as u32).is_multiple_of(37)) {
                let text = format!("e{c}\u{323}\u{301}가{c}{c}\u{11A8}中 {c}a");
                assert_eq!(
                    by_stretches.apply(&text).unwrap_or(text.clone()),
                    by_the_crate(form, &text),
                    "{form:?} {c:?}"
                );
            }
        }
    }
}
