//! Labelled curves of readings over time, for plots.

use merrow_math::{Quat, Vec3};
use merrow_model::each_reading;
use merrow_model::state::reading::Reading;
use std::borrow::Cow;

/// Quantities of a reading that are plotted over time.
pub trait Curves {
    /// Splits the reading into labelled quantities.
    fn axes(&self) -> Vec<Axis>;
}

/// Label of an axis with its unit, and one labelled value per curve.
pub type Axis = (Cow<'static, str>, Vec<(String, f64)>);

macro_rules! implement_for_reading {
    ($($(#[doc = $doc:literal])* $kind:ident($reading:ty),)*) => {
        impl Curves for Reading {
            fn axes(&self) -> Vec<Axis> {
                match self {
                    $(Self::$kind(reading) => reading.axes(),)*
                }
            }
        }
    };
}

each_reading!(implement_for_reading);

/// A value of which each component is a curve, in the unit of its axis.
pub(crate) trait Components {
    /// Returns one labelled value per curve; a single curve has no label.
    fn components(self) -> Vec<(String, f64)>;
}

impl Components for f64 {
    fn components(self) -> Vec<(String, f64)> {
        vec![(String::new(), self)]
    }
}

impl Components for Vec3 {
    fn components(self) -> Vec<(String, f64)> {
        labelled(["x", "y", "z"], self.to_array())
    }
}

/// Roll, pitch and yaw [deg].
impl Components for Quat {
    fn components(self) -> Vec<(String, f64)> {
        let angles = self.matrix().to_rpy().map(f64::to_degrees);
        labelled(["roll", "pitch", "yaw"], angles)
    }
}

impl Components for Vec<(String, f64)> {
    fn components(self) -> Vec<(String, f64)> {
        self
    }
}

/// Returns one curve per name, for values in the unit of their axis.
pub(crate) fn labelled<const N: usize>(names: [&str; N], values: [f64; N]) -> Vec<(String, f64)> {
    names.into_iter().map(String::from).zip(values).collect()
}

/// Implements [`Curves`] of readings: the label of each axis, and its value.
macro_rules! curves {
    ($($reading:ty, |$r:ident| { $($label:literal => $value:expr;)* })*) => {$(
        impl $crate::convert::curves::Curves for $reading {
            fn axes(&self) -> Vec<$crate::convert::curves::Axis> {
                let $r = self;
                vec![$(($label.into(), $crate::convert::curves::Components::components($value))),*]
            }
        }
    )*};
}

pub(crate) use curves;
