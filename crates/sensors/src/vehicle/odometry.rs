//! Ground truth: exact pose in the world and velocity in the sensor frame.

use crate::Truth;
use merrow_math::Quat;
use merrow_model::state::reading::Odometry;

/// Returns the true pose in W and the true velocity in S, without errors.
pub fn measure(truth: &Truth<'_>) -> Odometry {
    Odometry {
        p_WS: truth.p_WS,
        q_WS: Quat::from_matrix(&truth.R_WS),
        v_WS_S: truth.V_WS_S.v,
        w_WS_S: truth.V_WS_S.w,
    }
}
