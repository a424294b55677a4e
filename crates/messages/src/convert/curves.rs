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

/// Returns one curve of this name, for a value in the unit of its axis.
pub fn single_curve(name: &str, value: f64) -> Vec<(String, f64)> {
    vec![(name.to_string(), value)]
}

/// Returns one curve per name, for values in the unit of their axis.
pub(crate) fn labelled<const N: usize>(names: [&str; N], values: [f64; N]) -> Vec<(String, f64)> {
    names.into_iter().map(String::from).zip(values).collect()
}

/// Returns one curve per component of a vector in the unit of its axis.
pub fn xyz(v: Vec3) -> Vec<(String, f64)> {
    labelled(["x", "y", "z"], v.to_array())
}

/// Returns the axis of an attitude: roll, pitch and yaw.
pub fn attitude(q: &Quat) -> Axis {
    (
        "attitude [deg]".into(),
        labelled(
            ["roll", "pitch", "yaw"],
            q.matrix().to_rpy().map(f64::to_degrees),
        ),
    )
}
