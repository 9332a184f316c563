//! Converts state to bytes and back. Snapshots and journal records are made of these bytes.
//!
//! Each type lists its saved fields next to its definition (`saved!`), and the values of the others after reading. A field
//! that is missing from the list is a compile error. Texts, messages and other shared values are written once and are shared
//! again after reading. Equal states give equal bytes.
//!
//! To add a field, add its name to the list. After a release, that needs a new version (`session::SESSION`), a reader for the old one,
//! and a fixture of it (`tests/fixtures`, `tests/snapshots.rs`).
//!
//! The format is positional binary, not JSON: it needs less code and keeps numbers bit for bit. Sums, indexes and line
//! counts are recomputed, and every index read is checked. A snapshot's bytes are collected outside the WebAssembly module
//! (`Writer`), because the module's memory never shrinks. Events, and runs that wait for a summary, are not saved.

mod base64;
mod basics;
mod digest;
mod edits;
mod frame;
mod json;
mod reader;
mod record;
mod writer;

pub use base64::from_base64;
pub use basics::Bytes;
pub use digest::digest;
pub use edits::{ListEdit, MapEdit};
pub(crate) use frame::checksum;
pub use frame::{Checksum, Kind};
pub use reader::Reader;
pub use record::{Record, Records};
pub use writer::Writer;

use crate::error::Result;

/// The upper bound of saved numbers. No session reaches it, so counting can continue from any number below it without
/// overflow checks.
pub const MAX_SAVED_NUMBER: u64 = 1 << 53;

/// A value that can be saved.
pub trait Saved: Sized {
    /// Writes the value.
    fn save<'s>(&'s self, out: &mut Writer<'s>);

    /// Reads the value.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID` if [`Saved::save`] did not write these bytes.
    fn load(from: &mut Reader<'_>) -> Result<Self>;
}

/// Something of which only some fields are saved here: they are read into a value that has the others, from its options, or from
/// edits.
pub trait SavedInPlace {
    /// Writes what is saved.
    fn save_fields<'s>(&'s self, out: &mut Writer<'s>);

    /// Reads what [`Self::save_fields`] wrote.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    fn load_fields(&mut self, from: &mut Reader<'_>) -> Result<()>;
}

impl<T: Saved> SavedInPlace for T {
    fn save_fields<'s>(&'s self, out: &mut Writer<'s>) {
        self.save(out);
    }

    fn load_fields(&mut self, from: &mut Reader<'_>) -> Result<()> {
        *self = T::load(from)?;
        Ok(())
    }
}

/// Saves a struct as its fields, or a fieldless enum as the index of the variant in this list (for an enum of `names!`, in its
/// own). Append new variants only at its end.
///
/// `fresh`: fields that are not saved, with their values after reading. `place`: reads into an existing value, which keeps the fields
/// that are listed behind `but`.
macro_rules! saved {
    (struct $name:ident $(<$life:lifetime>)? $(<$($of:ident),+>)? { $($field:ident),* $(,)? }
        $(fresh { $($left:ident: $fresh:expr),* $(,)? })?
    ) => {
        impl $(<$life>)? $(<$($of: $crate::saved::Saved),+>)? $crate::saved::Saved for $name $(<$life>)? $(<$($of),+>)? {
            fn save<'s>(&'s self, out: &mut $crate::saved::Writer<'s>) {
                let Self { $($field,)* $($($left: _,)*)? } = self;
                $($crate::saved::Saved::save($field, out);)*
            }

            fn load(from: &mut $crate::saved::Reader<'_>) -> $crate::error::Result<Self> {
                $(let $field = $crate::saved::Saved::load(from)?;)*
                Ok(Self { $($field,)* $($($left: $fresh,)*)? })
            }
        }
    };
    (place $name:ident { $($field:ident),* $(,)? } but { $($left:ident),* $(,)? }) => {
        impl $crate::saved::SavedInPlace for $name {
            fn save_fields<'s>(&'s self, out: &mut $crate::saved::Writer<'s>) {
                let Self { $($field,)* $($left: _,)* } = self;
                $($crate::saved::SavedInPlace::save_fields($field, out);)*
            }

            fn load_fields(&mut self, from: &mut $crate::saved::Reader<'_>) -> $crate::error::Result<()> {
                $($crate::saved::SavedInPlace::load_fields(&mut self.$field, from)?;)*
                Ok(())
            }
        }
    };
    // An enum of `names!`.
    (enum $name:ident) => {
        $crate::saved::saved!(enum $name by $name::ALL);
    };
    (enum $name:ident { $($variant:ident),* $(,)? }) => {
        const _: fn($name) = |one| match one { $($name::$variant)|* => {} }; // a variant missing from the list is a compile error
        $crate::saved::saved!(enum $name by [$($name::$variant),*]);
    };
    (enum $name:ident by $all:expr) => {
        impl $crate::saved::Saved for $name {
            fn save<'s>(&'s self, out: &mut $crate::saved::Writer<'s>) {
                out.count($all.iter().position(|one| one == self).unwrap_or_default());
            }

            fn load(from: &mut $crate::saved::Reader<'_>) -> $crate::error::Result<Self> {
                let at = from.number()?;
                let found = usize::try_from(at).ok().and_then(|at| $all.get(at).copied());
                found.ok_or_else(|| from.invalid(concat!("unknown ", stringify!($name))))
            }
        }
    };
}
pub(crate) use saved;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::error::ErrorCode;
    use crate::sorted::SortedMap;

    const KIND: Kind = Kind { name: "contextfold-test", version: 1, what: "a test" };

    #[derive(Debug, PartialEq, Clone, Copy)]
    enum Colour {
        Red,
        Blue,
    }
    saved!(
        enum Colour {
            Red,
            Blue,
        }
    );

    #[derive(Debug, PartialEq)]
    struct Thing {
        name: String,
        colour: Option<Colour>,
        texts: Vec<Arc<str>>,
        raw: Arc<Value>,
        sums: SortedMap<String, (u64, f64)>,
        cached: u8,
        owed: i64,
    }
    saved!(struct Thing { name, colour, texts, raw, sums, owed } fresh { cached: 7 });

    fn thing() -> Thing {
        let text: Arc<str> = "shared".into();
        Thing {
            name: "n".repeat(300),
            colour: Some(Colour::Blue),
            texts: vec![text.clone(), "own".into(), text],
            raw: json!({ "b": [1, -2, 0.1, 1e300, null, true], "a": { "text": "日本" } }).into(),
            sums: SortedMap::from_iter([("x".to_owned(), (u64::MAX, -0.5))]),
            cached: 1,
            owed: i64::MIN,
        }
    }

    fn bytes(thing: &Thing) -> Vec<u8> {
        let mut out = Writer::default();
        thing.save(&mut out);
        KIND.framed(&out.into_bytes())
    }

    fn read(bytes: &[u8]) -> Result<Thing> {
        let mut from = KIND.unframed(bytes)?;
        let thing = Thing::load(&mut from)?;
        from.finish()?;
        Ok(thing)
    }

    #[test]
    fn values_round_trip_and_shared_texts_stay_shared() {
        let saved = bytes(&thing());
        let again = read(&saved).unwrap();
        assert_eq!(again, Thing { cached: 7, ..thing() });
        assert!(Arc::ptr_eq(&again.texts[0], &again.texts[2]));
        assert_eq!(bytes(&again), saved);
    }

    #[test]
    fn invalid_bytes_are_refused() {
        let saved = bytes(&thing());
        let code = |bytes: &[u8]| read(bytes).unwrap_err().code();
        for end in 0..saved.len() {
            assert_eq!(code(&saved[..end]), ErrorCode::SnapshotInvalid, "cut at {end}");
        }
        for at in 0..saved.len() {
            let mut damaged = saved.clone();
            damaged[at] ^= 1;
            assert!(matches!(code(&damaged), ErrorCode::SnapshotInvalid | ErrorCode::SnapshotTooNew), "{at}");
        }
        let newer = Kind { version: 2, ..KIND }.framed(b"");
        assert_eq!(code(&newer), ErrorCode::SnapshotTooNew);
        let more = [&saved[..], b" "].concat();
        assert_eq!(code(&more), ErrorCode::SnapshotInvalid);
    }
}
