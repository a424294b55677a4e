//! What every sample of a sensor that looks around starts from.

use merrow_math::rng::Stream;
use merrow_math::{Mat3, Quat, SpatialVelocity, Vec3};
use merrow_model::state::Effect;

/// Where a sensor is and how it moves, at the instant of a sample.
#[derive(Clone, Copy, Debug)]
pub struct Pose {
    /// Index of the robot that carries it.
    pub robot: usize,
    /// Its axes in the world.
    pub R_WS: Mat3,
    /// Its place in the world [m].
    pub p_WS: Vec3,
    /// Its velocity in the world, in S.
    pub V_WS_S: SpatialVelocity,
}

impl Pose {
    /// Its axes and place `time` [s] later, if its velocity in the world and its turning stay as they are.
    pub fn after(&self, time: f64) -> (Mat3, Vec3) {
        let turn = Quat::from_rotation_vector(self.V_WS_S.w.scale(time)).matrix();
        (
            self.R_WS.mul_mat(&turn),
            self.p_WS + self.R_WS.mul_vec(self.V_WS_S.v.scale(time)),
        )
    }
}

/// What spoils a sample.
#[derive(Clone, Copy, Debug)]
pub struct Spoiling {
    /// Source of the random numbers.
    pub stream: Stream,
    /// Index of the sample.
    pub sample: u64,
    /// False: a perfect instrument.
    pub noise: bool,
    /// What faults do to it.
    pub fault: Effect,
}
