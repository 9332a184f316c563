//! Unicode normalization forms.
//!
//! Text is split before each character that the form leaves as it is, that never composes with the character before it, and
//! that is never moved. The stretches in between can be normalized separately, so almost all text is only copied.

use std::cell::RefCell;

use unicode_normalization_alignments::char::canonical_combining_class;
use unicode_normalization_alignments::{
    IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

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
        match self.form {
            Form::Nfc => out.extend(stretch.nfc().map(|(c, _)| c)),
            Form::Nfd => out.extend(stretch.nfd().map(|(c, _)| c)),
            Form::Nfkc => out.extend(stretch.nfkc().map(|(c, _)| c)),
            Form::Nfkd => out.extend(stretch.nfkd().map(|(c, _)| c)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts every character between others that may compose with it, and compares with normalizing the whole text.
    #[test]
    fn normalizing_in_stretches_equals_normalizing_the_whole() {
        for form in [Form::Nfc, Form::Nfd, Form::Nfkc, Form::Nfkd] {
            let by_stretches = ToForm::new(form);
            for c in ('\0'..=char::MAX).filter(|&c| c < '\u{3400}' || (c as u32).is_multiple_of(37)) {
                let text = format!("e{c}\u{323}\u{301}가{c}{c}\u{11A8}中 {c}a");
                let mut whole = String::new();
                by_stretches.put(&text, &mut whole);
                assert_eq!(by_stretches.apply(&text).unwrap_or(text), whole, "{form:?} {c:?}");
            }
        }
    }
}
