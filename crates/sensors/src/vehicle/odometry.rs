//! Ground truth: exact pose in the world and velocity in the sensor frame.

use crate::fault::{Faulty, error_vector};
use crate::measure::{Measure, Sample};
use merrow_math::Quat;
use merrow_math::rng::Draw;
use merrow_model::sensor::vehicle::Odometry;
use merrow_model::sensor::vehicle::OdometrySpec;
use merrow_model::state::SensorState;

impl Measure for OdometrySpec {
    /// Returns the true pose in W and the true velocity in S, without errors.
    fn measure(&self, _: &mut SensorState, sample: &Sample<'_>, _: &mut Draw) -> Option<Odometry> {
        let truth = sample.truth;
        Some(Odometry {
            p_WS: truth.p_WS,
            q_WS: Quat::from_matrix(&truth.R_WS),
            v_WS_S: truth.V_WS_S.v,
            w_WS_S: truth.V_WS_S.w,
        })
    }
}

impl Faulty for Odometry {
    fn add_errors(&mut self, error: &mut dyn FnMut() -> f64) {
        self.p_WS += error_vector(error);
    }
}
