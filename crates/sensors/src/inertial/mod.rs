//! What instruments with a filter measure themselves: their own gyro and accelerometer, with the faults of these.
//!
//! Exists because a fault of a gyro must reach the attitude that is made of it; `sensors/fault.rs` sees only what leaves an instrument.

pub mod ahrs;
pub mod imu;
pub mod ins;
pub mod ins_filter;
pub mod magnetometer;

use crate::noise;
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::Errors;
use merrow_model::state::Effect;

/// Slow errors of gyro and accelerometer, what faults do to them, and whether there are errors at all.
pub struct Triads<'a> {
    /// Gyro and accelerometer.
    pub errors: [&'a Errors; 2],
    /// Channels 0-2 are the gyro's, 3-5 the accelerometer's.
    pub drift: &'a mut [[f64; 2]; 6],
    /// What faults do to either.
    pub parts: &'a [Effect; 4],
    /// Noise switch.
    pub on: bool,
    /// Index of the sample.
    pub sample: u64,
}

impl Triads<'_> {
    /// Angular velocity and proper acceleration `truth` as the instrument has them; `last` is what it had before.
    pub fn measure(
        self,
        sensor: &Sensor,
        truth: [Vec3; 2],
        last: [Vec3; 2],
        draw: &mut Draw,
    ) -> [Vec3; 2] {
        let (g, a) = self.drift.split_at_mut(3);
        let mut found = [
            noise::vector(self.errors[0], g, truth[0], self.on, draw),
            noise::vector(self.errors[1], a, truth[1], self.on, draw),
        ];
        // a draw that no measurement makes, nor `fault.rs`
        let mut draw = sensor.stream.draw((1 << 63) - self.sample);
        for ((x, last), part) in found.iter_mut().zip(last).zip(self.parts) {
            if part.dead {
                *x = Vec3::zero();
            } else if part.stuck {
                *x = last;
            } else if *part != Effect::NONE {
                let mut error = || part.offset + part.noise * draw.normal();
                *x += Vec3::new(error(), error(), error());
            }
        }
        found
    }
}
