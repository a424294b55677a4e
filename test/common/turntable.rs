//! Robots with a known motion that carry sensors.

use merrow_math::{Quat, Vec3};
use merrow_model::state::{BodyCommand, Command};
use merrow_sim::Simulation;

/// Returns a world with a neutral ball that carries the sensors `sensors`, a YAML map; `top` holds
/// further keys of the world.
///
/// The ball has no added mass, no damping and no net weight, so it keeps its initial velocity.
pub(crate) fn ball(top: &str, robot: &str, sensors: &str) -> String {
    format!(
        "
{top}
robots:
  ball:
{robot}
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {{xx: 0.1, yy: 0.1, zz: 0.1}}, net_buoyancy_n: 0}}
      sensors: {{{sensors}}}
"
    )
}

/// Returns [`ball`] in a world without gravity, where it keeps its position in water of any
/// density, and in air.
pub(crate) fn weightless(top: &str, sensors: &str) -> String {
    ball(&format!("gravity_m_s2: 0\n{top}"), "", sensors).replace(", net_buoyancy_n: 0", "")
}

/// Places robot 0 at rest at `p_WB` [m, W] with roll, pitch, yaw [rad].
pub(crate) fn set_pose(simulation: &mut Simulation, p_WB: Vec3, [roll, pitch, yaw]: [f64; 3]) {
    set_motion(
        simulation,
        p_WB,
        [roll, pitch, yaw],
        Vec3::zero(),
        Vec3::zero(),
    );
}

/// Sets the pose of robot 0 (W) and its velocities [m/s, rad/s] in B.
pub(crate) fn set_motion(
    simulation: &mut Simulation,
    p_WB: Vec3,
    [roll, pitch, yaw]: [f64; 3],
    v_WB_B: Vec3,
    w_WB_B: Vec3,
) {
    let q_WB = Quat::from_rpy(roll, pitch, yaw);
    simulation
        .apply(&Command::Body(
            0,
            BodyCommand::SetPose {
                p_WB,
                q_WB,
                v_WB_B,
                w_WB_B,
            },
        ))
        .unwrap();
}

/// Returns mean and standard deviation of `x`.
pub(crate) fn statistics(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (
        mean,
        (x.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0)).sqrt(),
    )
}
