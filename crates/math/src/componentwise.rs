//! Operations that act on every component of a structure alone.

/// Gives a structure of numbers, vectors or matrices the operations of a vector space and those of
/// its lanes. A row names the structure and its fields in order.
macro_rules! componentwise {
    ($name:ident { $($field:ident: $type:ty),+ $(,)? }) => {
        impl<T: $crate::Real> $name<T> {
            /// Creates the value from its components.
            #[inline(always)]
            pub const fn new($($field: $type),+) -> Self {
                Self { $($field),+ }
            }
            /// Returns the value whose components are zero.
            #[inline(always)]
            pub fn zero() -> Self {
                Self { $($field: <$type>::zero()),+ }
            }
            /// Returns the same value in every lane, in the same unit.
            #[inline(always)]
            pub fn splat(value: $name<f64>) -> Self {
                Self { $($field: <$type>::splat(value.$field)),+ }
            }
            /// Returns the value of lane `i`, in the same unit.
            #[inline(always)]
            pub fn lane(self, i: usize) -> $name<f64> {
                $name { $($field: self.$field.lane(i)),+ }
            }
            /// Builds a value from one value per lane, all in one unit. `f` is called once per
            /// lane.
            #[inline(always)]
            pub fn from_lanes(f: impl Fn(usize) -> $name<f64>) -> Self {
                let mut lanes = [$name::zero(); $crate::MAX_LANES];
                for (i, lane) in lanes.iter_mut().enumerate().take(T::LANES) {
                    *lane = f(i);
                }
                Self { $($field: <$type>::from_lanes(|i| lanes[i].$field)),+ }
            }
            /// Selects per lane: `self` where `keep(lane)` is true, otherwise `other`.
            pub fn select_lanes(self, other: Self, keep: impl Fn(usize) -> bool) -> Self {
                Self { $($field: self.$field.select_lanes(other.$field, &keep)),+ }
            }
            /// Returns the scaled value `k * self`.
            #[inline(always)]
            pub fn scale(self, k: T) -> Self {
                Self { $($field: self.$field.scale(k)),+ }
            }
            /// Returns `self + k * d`.
            #[inline(always)]
            pub fn add_scaled(&self, d: &Self, k: T) -> Self {
                Self { $($field: self.$field + d.$field.scale(k)),+ }
            }
        }

        impl<T: $crate::Real> std::ops::Add for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                Self { $($field: self.$field + o.$field),+ }
            }
        }

        impl<T: $crate::Real> std::ops::Sub for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, o: Self) -> Self {
                Self { $($field: self.$field - o.$field),+ }
            }
        }

        impl<T: $crate::Real> std::ops::Neg for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self { $($field: -self.$field),+ }
            }
        }

        impl<T: $crate::Real> std::ops::AddAssign for $name<T> {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }

        impl<T: $crate::Real> std::ops::SubAssign for $name<T> {
            #[inline(always)]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
    };
}
pub(crate) use componentwise;
