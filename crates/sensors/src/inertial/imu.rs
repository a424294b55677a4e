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

use crate::Truth;
use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use merrow_math::rng::Draw;
use merrow_math::{Quat, Vec3};
use merrow_model::sensor::inertial::{Imu, ImuSpec};

impl Measure for ImuSpec {
    /// Takes one sample. Channels 0-2 of `SensorState::drift` belong to the gyro, 3-5 to the
    /// accelerometer.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Imu> {
        let (gyro, accelerometer) = (&self.gyro, &self.accelerometer);
        let truth = sample.truth;
        let gravity = truth.around.environment.gravity;
        let specific_force = truth.a_WS_S + truth.R_WS.r[2].scale(gravity); // (1)
        let angular_velocity = sample.measure_vector(gyro, 0, truth.V_WS_S.w);
        let linear_acceleration = sample.measure_vector(accelerometer, 3, specific_force);
        let (on, draw) = (sample.memory.noise, &mut sample.draw);
        let std = self.keys.attitude_std_deg;
        let std = std.map(|std| std.map(f64::to_radians));
        let orientation = std.map(|std| attitude(truth, std, on, draw));
        let attitude_variances = std.unwrap_or([0.0; 3]).map(|s| s * s);
        Some(Imu {
            angular_velocity,
            linear_acceleration,
            orientation,
            variances: [
                gyro.variances(angular_velocity, sample.memory.samples),
                accelerometer.variances(linear_acceleration, sample.memory.samples),
                Vec3::from(attitude_variances),
            ],
        })
    }
}

faulty!(
    Imu: angular_velocity, linear_acceleration;
    parts: angular_velocity, linear_acceleration
);

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
