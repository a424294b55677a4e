//! Inertial sensors, and the gyro and accelerometer of AHRS and INS with their faults.
//!
//! `Triads` is separate from `fault.rs` because a fault of a gyro must act on the attitude that the
//! filter computes; `fault.rs` changes only the output of an instrument.

pub mod ahrs;
pub mod imu;
pub mod ins;
pub mod ins_filter;
pub mod magnetometer;

use crate::noise;
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::Sensor;
use merrow_model::sensor::Errors;
use merrow_model::state::FaultEffect;

/// Gyro and accelerometer of an instrument with a filter: their errors, their faults and the noise
/// switch.
pub(crate) struct Triads<'a> {
    /// Errors of gyro [rad/s] and accelerometer [m/s²].
    pub errors: [&'a Errors; 2],
    /// Slow errors; channels 0-2 belong to the gyro, 3-5 to the accelerometer.
    pub drift: &'a mut [[f64; 2]; 6],
    /// Faults of gyro (index 0) and accelerometer (index 1).
    pub faults: &'a [FaultEffect; 4],
    /// Noise switch; with `false` the instrument is perfect.
    pub noise: bool,
    /// Index of the sample.
    pub sample: u64,
}

impl Triads<'_> {
    /// Returns angular velocity [rad/s] and proper acceleration [m/s²] in S as measured; `truth`
    /// are the true values, `last` is the preceding measurement.
    pub(crate) fn measure(
        self,
        sensor: &Sensor,
        truth: [Vec3; 2],
        last: [Vec3; 2],
        draw: &mut Draw,
    ) -> [Vec3; 2] {
        let (g, a) = self.drift.split_at_mut(3);
        let mut found = [
            noise::measure_vector(self.errors[0], g, truth[0], self.noise, draw),
            noise::measure_vector(self.errors[1], a, truth[1], self.noise, draw),
        ];
        // a draw index that neither a measurement nor `fault.rs` uses
        let mut draw = sensor.stream.draw((1 << 63) - self.sample);
        for ((x, last), part) in found.iter_mut().zip(last).zip(self.faults) {
            if part.dead {
                *x = Vec3::zero();
            } else if part.stuck {
                *x = last;
            } else if *part != FaultEffect::NONE {
                let mut error = || part.offset + part.noise * draw.normal();
                *x += Vec3::new(error(), error(), error());
            }
        }
        found
    }
}
