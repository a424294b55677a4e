//! Numbers, texts, containers, and the types of `merrow-math`.

use crate::{Layout, Persist, PersistShared, Reader, Writer};
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

/// Implements [`Persist`] for a type by the number `$other` that contains its value.
macro_rules! numbers {
    ($($type:ty as $other:ty: $save:expr, $load:expr;)+) => {
        $(impl Persist for $type {
            fn save(&self, to: &mut Writer) {
                let number: fn(&Self) -> $other = $save;
                number(self).save(to);
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, String> {
                let value: fn($other) -> Result<Self, String> = $load;
                value(<$other>::load(from)?)
            }
            fn layout(to: &mut Layout) {
                to.name(stringify!($type));
            }
        })+
    };
}
numbers! {
    usize as u64: |own| *own as u64, |n| {
        n.try_into().map_err(|_| format!("found the number {n}"))
    };
    f64 as u64: |own| own.to_bits(), |bits| Ok(Self::from_bits(bits));
    f32 as u32: |own| own.to_bits(), |bits| Ok(Self::from_bits(bits));
    bool as u8: |own| u8::from(*own), |byte| match byte {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("found {other} as a truth value")),
    };
    Stream as u64: Self::key, |key| Ok(Self::from_key(key));
}

macro_rules! texts {
    ($($type:ty),+) => {
        $(impl Persist for $type {
            fn save(&self, to: &mut Writer) {
                self.len().save(to);
                to.bytes.extend_from_slice(self.as_bytes());
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, String> {
                let n = usize::load(from)?;
                let text = std::str::from_utf8(from.read_bytes(n)?);
                let text = text.map_err(|_| "found a text that is not UTF-8")?;
                Ok(text.into())
            }
            fn layout(to: &mut Layout) {
                to.name("text");
            }
        })+
    };
}
texts!(String, Arc<str>);

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

/// Loads the items of a list after their number.
fn load_all<T: Persist>(from: &mut Reader<'_>) -> Result<Vec<T>, String> {
    let n = usize::load(from)?;
    // every item has at least one byte: a damaged number allocates no more than the file
    let mut items = Vec::with_capacity(n.min(from.remaining_bytes().len()));
    for _ in 0..n {
        items.push(T::load(from)?);
    }
    Ok(items)
}

macro_rules! lists {
    ($($type:ty),+) => {
        $(impl<T: Persist> Persist for $type {
            fn save(&self, to: &mut Writer) {
                self.len().save(to);
                self.iter().for_each(|item| item.save(to));
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, String> {
                load_all(from).map(Self::from)
            }
            fn layout(to: &mut Layout) {
                to.name("list");
                T::layout(to);
            }
        })+
    };
}
lists!(Vec<T>, VecDeque<T>, Arc<[T]>);

impl<T: Persist> PersistShared for T {
    fn save_shared(shared: &Arc<Self>, to: &mut Writer) {
        T::save(shared, to);
    }
    fn load_shared(from: &mut Reader<'_>) -> Result<Arc<Self>, String> {
        T::load(from).map(Arc::new)
    }
    fn layout_shared(to: &mut Layout) {
        T::layout(to);
    }
}

impl<T: PersistShared> Persist for Arc<T> {
    fn save(&self, to: &mut Writer) {
        T::save_shared(self, to);
    }
    fn load(from: &mut Reader<'_>) -> Result<Self, String> {
        T::load_shared(from)
    }
    fn layout(to: &mut Layout) {
        T::layout_shared(to);
    }
}

macro_rules! pointers {
    ($($type:ty),+) => {
        $(impl<T: Persist> Persist for $type {
            fn save(&self, to: &mut Writer) {
                T::save(self, to);
            }
            fn load(from: &mut Reader<'_>) -> Result<Self, String> {
                T::load(from).map(Self::new)
            }
            fn layout(to: &mut Layout) {
                T::layout(to);
            }
        })+
    };
}
pointers!(Box<T>);

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
