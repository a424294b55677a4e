//! Inertial measurement unit (IMU), optionally with the attitude of an AHRS.
//!
//! # Law
//! ```text
//!   gyro = w_WS_S,   accelerometer = R_SW (a_S + g ẑ_W)         (1)  [Titterton 2004, eq. 3.7]
//! ```
//! # Symbols
//! w_WS_S angular velocity of S in W · a_S acceleration of the origin of S · g gravity.
//!
//! # Frames
//! S. At rest and level the accelerometer reads +g along z (REP-145).
//!
//! # Limits
//! The rotation of the Earth is neglected. The attitude has white errors; drift of an attitude
//! filter is not modelled.
//!
//! # Checked by
//! test/sensors/inertial/imu.rs, test/sensors/inertial/noise.rs

use crate::fault::{Faulty, error_vector};
use crate::measure::{Measure, Sample};
use crate::{Truth, noise};
use merrow_math::rng::Draw;
use merrow_math::{Quat, Vec3};
use merrow_model::sensor::inertial::Imu;
use merrow_model::sensor::inertial::ImuSpec;
use merrow_model::state::SensorState;

impl Measure for ImuSpec {
    /// Takes one sample. Channels 0-2 of `SensorState::drift` belong to the gyro, 3-5 to the
    /// accelerometer.
    fn measure(
        &self,
        memory: &mut SensorState,
        sample: &Sample<'_>,
        draw: &mut Draw,
    ) -> Option<Imu> {
        let Self {
            gyro,
            accelerometer,
            orientation_std,
        } = self;
        let truth = sample.truth;
        let on = memory.noise;
        let specific_force = truth.a_WS_S + truth.R_WS.r[2].scale(truth.environment.gravity); // (1)
        let (g, a) = memory.drift.split_at_mut(3);
        let angular_velocity = noise::measure_vector(gyro, g, truth.V_WS_S.w, on, draw);
        let linear_acceleration = noise::measure_vector(accelerometer, a, specific_force, on, draw);
        let orientation = orientation_std.map(|std| attitude(truth, std, on, draw));
        let attitude_variances = orientation_std.unwrap_or([0.0; 3]).map(|s| s * s);
        Some(Imu {
            angular_velocity,
            linear_acceleration,
            orientation,
            variances: [
                gyro.variances(angular_velocity, memory.samples),
                accelerometer.variances(linear_acceleration, memory.samples),
                Vec3::from(attitude_variances),
            ],
        })
    }
}

impl Faulty for Imu {
    fn add_errors(&mut self, error: &mut dyn FnMut() -> f64) {
        self.angular_velocity += error_vector(error);
        self.linear_acceleration += error_vector(error);
    }

    fn for_each_part_value(&mut self, f: &mut dyn FnMut(usize, usize, &mut f64)) {
        let triads = [&mut self.angular_velocity, &mut self.linear_acceleration];
        for (part, triad) in triads.into_iter().enumerate() {
            for axis in 0..3 {
                f(part, 3 * part + axis, &mut triad[axis]);
            }
        }
    }
}

/// Returns the true attitude, rotated by small errors with the standard deviations `std` [rad]
/// about the two levelled axes and the vertical.
fn attitude(truth: &Truth<'_>, std: [f64; 3], on: bool, draw: &mut Draw) -> Quat {
    let q_WS = Quat::from_matrix(&truth.R_WS);
    if !on {
        return q_WS;
    }
    // roll and pitch errors are about the levelled axes of the sensor, the yaw error is about the
    // vertical
    let yaw = truth.R_WS.to_rpy()[2];
    let (s, c) = merrow_math::real::sin_cos(yaw);
    let (e_roll, e_pitch, e_yaw) = (
        std[0] * draw.normal(),
        std[1] * draw.normal(),
        std[2] * draw.normal(),
    );
    let e_W = Vec3::new(c * e_roll - s * e_pitch, s * e_roll + c * e_pitch, e_yaw);
    Quat::from_rotation_vector(e_W).mul(&q_WS).normalized()
}
