//! Numbers, strings and collections.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use super::{Reader, Saved, Writer};
use crate::error::Result;
use crate::growing;
use crate::sorted::{SortedMap, SortedSet};

impl Saved for bool {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.byte(u8::from(*self));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let byte = from.byte()?;
        from.require(byte < 2, "a flag is neither true nor false")?;
        Ok(byte == 1)
    }
}

impl Saved for u64 {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.number(*self);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        from.number()
    }
}

impl Saved for u32 {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.number(u64::from(*self));
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let n = from.number()?;
        n.try_into().map_err(|_| from.invalid("a number is too large"))
    }
}

impl Saved for usize {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.count(*self);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let n = from.number()?;
        n.try_into().map_err(|_| from.invalid("a number is too large"))
    }
}

impl Saved for i64 {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.number((*self << 1 ^ *self >> 63).cast_unsigned());
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let n = from.number()?;
        Ok((n >> 1).cast_signed() ^ -(n & 1).cast_signed())
    }
}

impl Saved for f64 {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.float(*self);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let mut bytes = [0; 8];
        for byte in &mut bytes {
            *byte = from.byte()?;
        }
        Ok(Self::from_le_bytes(bytes))
    }
}

impl Saved for String {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.string(self);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        from.string().map(str::to_owned)
    }
}

impl Saved for Cow<'static, str> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.string(self);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        from.string().map(|text| Cow::Owned(text.to_owned()))
    }
}

/// Borrowed where it is written, owned after reading.
impl<T: Saved + Clone> Saved for Cow<'_, T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        T::save(self, out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        T::load(from).map(Cow::Owned)
    }
}

impl<T: Saved + Clone> Saved for Cow<'_, [T]> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        save_all(self.iter(), out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Vec::load(from).map(Cow::Owned)
    }
}

impl Saved for Arc<str> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.text(self);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        from.text()
    }
}

/// Raw bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Saved for Bytes {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.bytes(&self.0);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        from.bytes().map(|bytes| Self(bytes.to_vec()))
    }
}

impl<T: Saved + 'static> Saved for Arc<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.shared(self);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        from.shared()
    }
}

/// Saved like the value itself, not shared.
impl<T: Saved> Saved for Rc<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        T::save(self, out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        T::load(from).map(Self::new)
    }
}

impl<T: Saved> Saved for Box<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        T::save(self, out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        T::load(from).map(Self::new)
    }
}

impl<T: Saved> Saved for Option<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.byte(u8::from(self.is_some()));
        if let Some(value) = self {
            value.save(out);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        if bool::load(from)? { T::load(from).map(Some) } else { Ok(None) }
    }
}

/// Values, preceded by their number.
fn save_all<'s, T: Saved + 's>(values: impl ExactSizeIterator<Item = &'s T>, out: &mut Writer<'s>) {
    out.count(values.len());
    for value in values {
        value.save(out);
    }
}

impl<T: Saved> Saved for Vec<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        save_all(self.iter(), out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let n = from.count()?;
        (0..n).map(|_| T::load(from)).collect()
    }
}

impl<T: Saved> Saved for VecDeque<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        save_all(self.iter(), out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Vec::load(from).map(Self::from)
    }
}

impl<K: Saved + Ord, V: Saved> Saved for SortedMap<K, V> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.count(self.len());
        for (key, value) in self {
            key.save(out);
            value.save(out);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let n = from.count()?;
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for _ in 0..n {
            growing::append(&mut keys, K::load(from)?);
            growing::append(&mut values, V::load(from)?);
        }
        Ok(Self::of(keys, values))
    }
}

impl<T: Saved + Ord> Saved for SortedSet<T> {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        save_all(self.iter(), out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Vec::load(from).map(Self::from_iter)
    }
}

impl<A: Saved, B: Saved> Saved for (A, B) {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        self.0.save(out);
        self.1.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Ok((A::load(from)?, B::load(from)?))
    }
}
