//! Effect of faults on readings: stuck, biased, noisy or dead.
//!
//! # Law
//! ```text
//!   y' = y + b + σ n                                            (1)  on every component
//! ```
//! # Symbols
//! y, y' reading before and after the fault · b bias, σ standard deviation of the fault · n
//! standard normal number, drawn for each sample and component.
//!
//! # Frames
//! As the reading: S for vectors, east, north and up for a fix, W for ground truth.
//!
//! # Limits
//! (1) applies to the first quantity of the sensor: position of a fix and of ground truth, velocity
//! of a DVL, force of a wrench, temperature of a CTD, speed of wind and of a motor shaft, voltage
//! of a battery, volume of a water sample, the signal (0 or 1) of a leak detector, which reports
//! water from 0.5 on. For an IMU it applies to angular velocity and acceleration.
//!
//! The parts of an IMU (gyro, accelerometer), the cells of a CTD and the quantities of anemometers,
//! motor controllers and power meters also support separate faults. They are NaN while dead.
//! Quantities that a CTD or an anemometer derives from its readings are computed again after the
//! fault.
//!
//! Faults are applied after resolution and full scale. For a fix, metres are converted to angles by
//! the radii of curvature of the ellipsoid at the fix.
//!
//! # Checked by
//! test/analytic/devices/fault.rs

use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::each_reading;
use merrow_model::scene::{Sensor, SensorKind};
use merrow_model::state::reading::Reading;
use merrow_model::state::{FaultEffect, SensorState};

/// Applies the faults of a sensor to its `reading`; `memory.samples` is the index of the sample.
/// Returns `None` if there is no reading. A stuck sensor repeats its last reading.
pub fn apply_faults(
    sensor: &Sensor,
    memory: &mut SensorState,
    reading: Option<Reading>,
) -> Option<Reading> {
    let fault = memory.fault;
    // instruments with a filter have already applied the faults of their parts: `inertial/mod.rs`
    let parts = if memory.filter.is_some() {
        [FaultEffect::NONE; 4]
    } else {
        memory.channel_faults
    };
    if fault.stuck && memory.last.is_some() {
        return reading.and(memory.last);
    }
    let mut reading = reading?;
    if fault == FaultEffect::NONE && parts == [FaultEffect::NONE; 4] {
        memory.last = Some(reading);
        return Some(reading);
    }
    // a draw index that no measurement uses
    let mut draw = sensor.stream.draw(u64::MAX - memory.samples);
    let has_error = |fault: &FaultEffect| fault.offset != 0.0 || fault.noise > 0.0;
    if has_error(&fault) || parts.iter().any(has_error) {
        numbers_of(&mut reading).add_errors(&mut || draw_error(&fault, &mut draw));
        numbers_of(&mut reading).for_each_part_value(&mut |part, _, x| {
            *x += draw_error(&parts[part], &mut draw);
        });
    }
    if let Some(mut last) = memory.last {
        let mut before = [0.0; 6];
        numbers_of(&mut last).for_each_part_value(&mut |_, k, x| before[k] = *x);
        numbers_of(&mut reading).for_each_part_value(&mut |part, k, x| {
            if parts[part].stuck {
                *x = before[k];
            }
        });
    }
    numbers_of(&mut reading).recompute_derived(&sensor.kind);
    memory.last = Some(reading);
    if parts.iter().any(|part| part.dead) {
        // `memory.last` keeps the value without NaN: a part that becomes stuck after it was dead
        // repeats this value
        numbers_of(&mut reading).for_each_part_value(&mut |part, _, x| {
            if parts[part].dead {
                *x = f64::NAN;
            }
        });
        numbers_of(&mut reading).recompute_derived(&sensor.kind);
    }
    Some(reading)
}

/// Numbers of a reading that faults change.
pub trait Faulty {
    /// Adds errors to the first quantity; each call of `error` draws one error in its unit.
    fn add_errors(&mut self, error: &mut dyn FnMut() -> f64);

    /// Calls `f` for every number of the parts that support separate faults, with the index of the
    /// part, the index of the number and the number.
    fn for_each_part_value(&mut self, _f: &mut dyn FnMut(usize, usize, &mut f64)) {}

    /// Computes again the quantities that an instrument derives from its readings.
    fn recompute_derived(&mut self, _kind: &SensorKind) {}
}

/// Numbers of a quantity.
pub(crate) trait Numbers {
    /// Calls `f` for every number, in the order of the axes.
    fn for_each(&mut self, f: &mut dyn FnMut(&mut f64));
}

impl Numbers for f64 {
    fn for_each(&mut self, f: &mut dyn FnMut(&mut f64)) {
        f(self);
    }
}

impl Numbers for Vec3 {
    fn for_each(&mut self, f: &mut dyn FnMut(&mut f64)) {
        for axis in [&mut self.x, &mut self.y, &mut self.z] {
            f(axis);
        }
    }
}

/// Implements [`Faulty`] for a reading, from the names of its first quantities, of the parts that
/// support separate faults, and from the function that computes derived quantities.
macro_rules! faulty {
    ($reading:ty: $($first:ident),+ $(; parts: $($part:ident),+)? $(; derived: $derive:expr)?) => {
        impl crate::fault::Faulty for $reading {
            fn add_errors(&mut self, error: &mut dyn FnMut() -> f64) {
                $(crate::fault::Numbers::for_each(&mut self.$first, &mut |x| *x += error());)+
            }

            $(fn for_each_part_value(&mut self, f: &mut dyn FnMut(usize, usize, &mut f64)) {
                let parts = [$(&mut self.$part as &mut dyn crate::fault::Numbers),+];
                let mut number = 0..;
                for (part, quantity) in parts.into_iter().enumerate() {
                    quantity.for_each(&mut |x| f(part, number.next().unwrap_or(0), x));
                }
            })?

            $(fn recompute_derived(&mut self, kind: &merrow_model::scene::SensorKind) {
                let derive: fn(&mut Self, &merrow_model::scene::SensorKind) = $derive;
                derive(self, kind);
            })?
        }
    };
}

pub(crate) use faulty;

macro_rules! select_numbers {
    ($($(#[doc = $doc:literal])* $kind:ident($reading:ty),)*) => {
        /// Returns the numbers of a reading that faults change.
        fn numbers_of(reading: &mut Reading) -> &mut dyn Faulty {
            match reading {
                $(Reading::$kind(reading) => reading,)*
            }
        }
    };
}

each_reading!(select_numbers);

/// Computes the error of one number by (1), in its unit.
fn draw_error(fault: &FaultEffect, draw: &mut Draw) -> f64 {
    fault.offset + fault.noise * draw.normal()
}
