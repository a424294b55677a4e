//! Numbers, texts, containers, and the types of `merrow-math`.

use crate::persist::{Layout, Persist, Reader, Writer};
use bytes::Bytes;
use merrow_math::rng::Stream;
use merrow_math::{Mat3, Quat, SpatialForce, SpatialVelocity, Sym3, Vec3};
use std::collections::VecDeque;
use std::sync::Arc;

macro_rules! integers {
    ($($type:ty),+) => {
        $(impl Persist for $type {
            fn save(&self, to: &mut Writer) {
                to.bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, String> {
                let mut raw = [0; size_of::<Self>()];
                raw.copy_from_slice(from.read_bytes(size_of::<Self>())?);
                Ok(Self::from_le_bytes(raw))
            }
            fn layout(to: &mut Layout) {
                to.name(stringify!($type));
            }
        })+
    };
}
integers!(u8, u16, u32, u64, i64);

impl Persist for usize {
    fn save(&self, to: &mut Writer) {
        (*self as u64).save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        let number = u64::load(from)?;
        number
            .try_into()
            .map_err(|_| format!("found the number {number}"))
    }
    fn layout(to: &mut Layout) {
        to.name("usize");
    }
}

impl Persist for f64 {
    fn save(&self, to: &mut Writer) {
        self.to_bits().save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        u64::load(from).map(Self::from_bits)
    }
    fn layout(to: &mut Layout) {
        to.name("f64");
    }
}

impl Persist for f32 {
    fn save(&self, to: &mut Writer) {
        self.to_bits().save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        u32::load(from).map(Self::from_bits)
    }
    fn layout(to: &mut Layout) {
        to.name("f32");
    }
}

impl Persist for bool {
    fn save(&self, to: &mut Writer) {
        u8::from(*self).save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        match u8::load(from)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(format!("found {other} as a truth value")),
        }
    }
    fn layout(to: &mut Layout) {
        to.name("bool");
    }
}

impl Persist for String {
    fn save(&self, to: &mut Writer) {
        save_all(self.as_bytes(), to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        let n = usize::load(from)?;
        let text = std::str::from_utf8(from.read_bytes(n)?);
        text.map(str::to_owned)
            .map_err(|_| "found a text that is not UTF-8".to_string())
    }
    fn layout(to: &mut Layout) {
        to.name("text");
    }
}

impl Persist for Arc<str> {
    fn save(&self, to: &mut Writer) {
        save_all(self.as_bytes(), to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        String::load(from).map(Self::from)
    }
    fn layout(to: &mut Layout) {
        to.name("text");
    }
}

impl Persist for Bytes {
    fn save(&self, to: &mut Writer) {
        self.len().save(to);
        to.bytes.extend_from_slice(self);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        let n = usize::load(from)?;
        Ok(Self::copy_from_slice(from.read_bytes(n)?))
    }
    fn layout(to: &mut Layout) {
        to.name("bytes");
    }
}

impl<T: Persist> Persist for Option<T> {
    fn save(&self, to: &mut Writer) {
        self.is_some().save(to);
        if let Some(value) = self {
            value.save(to);
        }
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        bool::load(from)?.then(|| T::load(from)).transpose()
    }
    fn layout(to: &mut Layout) {
        to.name("optional");
        T::layout(to);
    }
}

/// Saves the number of the items, then the items.
fn save_all<T: Persist>(items: &[T], to: &mut Writer) {
    items.len().save(to);
    items.iter().for_each(|item| item.save(to));
}

impl<T: Persist> Persist for Vec<T> {
    fn save(&self, to: &mut Writer) {
        save_all(self, to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        let n = usize::load(from)?;
        // every item has at least one byte: a damaged number allocates no more than the file
        let mut items = Self::with_capacity(n.min(from.remaining_bytes().len()));
        for _ in 0..n {
            items.push(T::load(from)?);
        }
        Ok(items)
    }
    fn layout(to: &mut Layout) {
        to.name("list");
        T::layout(to);
    }
}

impl<T: Persist> Persist for VecDeque<T> {
    fn save(&self, to: &mut Writer) {
        self.len().save(to);
        self.iter().for_each(|item| item.save(to));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        Vec::load(from).map(Self::from)
    }
    fn layout(to: &mut Layout) {
        to.name("list");
        T::layout(to);
    }
}

impl<T: Persist> Persist for Arc<[T]> {
    fn save(&self, to: &mut Writer) {
        save_all(self, to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        Vec::load(from).map(Self::from)
    }
    fn layout(to: &mut Layout) {
        to.name("list");
        T::layout(to);
    }
}

impl<T: Persist> Persist for Arc<T> {
    fn save(&self, to: &mut Writer) {
        T::save(self, to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        T::load(from).map(Self::new)
    }
    fn layout(to: &mut Layout) {
        T::layout(to);
    }
}

impl<T: Persist> Persist for Box<T> {
    fn save(&self, to: &mut Writer) {
        T::save(self, to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        T::load(from).map(Self::new)
    }
    fn layout(to: &mut Layout) {
        T::layout(to);
    }
}

impl<T: Persist, const N: usize> Persist for [T; N] {
    fn save(&self, to: &mut Writer) {
        self.iter().for_each(|item| item.save(to));
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        let items = (0..N)
            .map(|_| T::load(from))
            .collect::<Result<Vec<T>, String>>()?;
        items
            .try_into()
            .map_err(|items: Vec<T>| format!("expected {N} items, found {}", items.len()))
    }
    fn layout(to: &mut Layout) {
        to.name(&N.to_string());
        T::layout(to);
    }
}

impl<A: Persist, B: Persist> Persist for (A, B) {
    fn save(&self, to: &mut Writer) {
        self.0.save(to);
        self.1.save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        Ok((A::load(from)?, B::load(from)?))
    }
    fn layout(to: &mut Layout) {
        A::layout(to);
        B::layout(to);
    }
}

impl Persist for Stream {
    fn save(&self, to: &mut Writer) {
        self.key().save(to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        u64::load(from).map(Self::from_key)
    }
    fn layout(to: &mut Layout) {
        to.name("Stream");
    }
}

/// Implements [`Persist`] for a struct of another crate by its fields. A field that is missing
/// does not compile.
macro_rules! foreign {
    ($($type:ident { $($field:ident),+ })+) => {$(
        impl Persist for $type {
            fn save(&self, to: &mut Writer) {
                let Self { $($field),+ } = self;
                $($field.save(to);)+
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, String> {
                Ok(Self { $($field: Persist::load(from)?),+ })
            }
            fn layout(to: &mut Layout) {
                to.name(stringify!($type { $($field),+ }));
            }
        }
    )+};
}
foreign! {
    Vec3 { x, y, z }
    Quat { w, x, y, z }
    Mat3 { r }
    Sym3 { xx, xy, xz, yy, yz, zz }
    SpatialVelocity { w, v }
    SpatialForce { m, f }
}
