//! Inertial sensors, and the faults of the gyro and accelerometer of AHRS and INS.
//!
//! [`with_faults`] is separate from `fault.rs` because a fault of a gyro must act on the attitude
//! that the filter computes; `fault.rs` changes only the output of an instrument.

pub mod ahrs;
pub mod imu;
pub mod ins;
pub mod ins_filter;
pub mod magnetometer;

use merrow_math::Vec3;
use merrow_model::scene::Sensor;
use merrow_model::state::FaultEffect;

/// Returns angular velocity [rad/s] and proper acceleration [m/s²] in S with the faults of gyro
/// (index 0) and accelerometer (index 1) in sample number `sample`. `found` are the values without
/// faults, `last` is the preceding measurement.
pub(crate) fn with_faults(
    (sensor, sample): (&Sensor, u64),
    faults: &[FaultEffect; 4],
    mut found: [Vec3; 2],
    last: [Vec3; 2],
) -> [Vec3; 2] {
    // a draw index that neither a measurement nor `fault.rs` uses
    let mut draw = sensor.stream.draw((1 << 63) - sample);
    for ((x, last), part) in found.iter_mut().zip(last).zip(faults) {
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
