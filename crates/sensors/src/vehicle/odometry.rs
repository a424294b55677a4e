//! Ground truth: exact pose in the world and velocity in the sensor frame.

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use merrow_math::Quat;
use merrow_model::sensor::vehicle::{Odometry, OdometrySpec};

impl Measure for OdometrySpec {
    /// Returns the true pose in W and the true velocity in S, without errors.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Odometry> {
        let truth = sample.truth;
        Some(Odometry {
            p_WS: truth.p_WS,
            q_WS: Quat::from_matrix(&truth.R_WS),
            v_WS_S: truth.V_WS_S.v,
            w_WS_S: truth.V_WS_S.w,
        })
    }
}

faulty!(Odometry: p_WS);
