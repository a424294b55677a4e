//! Top speed of a robot ahead: the speed of the current that it can hold against, at which its drag
//! equals the thrust of its propellers.
//!
//! The forces are computed by [`Kernel::evaluate`] at the largest thrust ahead of every thruster,
//! without trim and wave making, upright and at the depth of its start or, near the surface, in its
//! hydrostatic equilibrium. Used by the warning of a current that exceeds the top speed.

use crate::report::hydrostatic_equilibrium::{CalmWaterModel, Equilibrium, compute_equilibrium};
use merrow_math::Vec3;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::RobotState;

/// Number of halvings of the interval that contains the top speed.
const HALVINGS: usize = 50;

/// Returns the top speed ahead of `robot` in the water of `scene` if it is below `limit` [m/s];
/// `None` also for a robot without thrust ahead.
pub fn top_speed_below(scene: &Scene, robot: &Robot, limit: f64) -> Option<f64> {
    let mut calm = CalmWaterModel::new(scene, robot);
    let mut state = RobotState::new(robot);
    let start = state.motion.p_WB.z;
    let pose = if start < -calm.max_extent() {
        [start, 0.0, 0.0]
    } else {
        match compute_equilibrium(scene, robot) {
            Equilibrium::Floating(floating) => [floating.z, floating.roll, floating.pitch],
            Equilibrium::Neutral | Equilibrium::Sinks(_) | Equilibrium::None => [start, 0.0, 0.0],
        }
    };
    calm.place(pose);
    // the current of a region would replace the current below
    calm.sea.regions.clear();
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        let [low, high] = thruster.thrust_limits(calm.sea.density);
        let ahead = calm.work.links[thruster.link]
            .R_WL
            .mul_vec(thruster.direction)
            .x;
        let thrust = if ahead > 0.0 { high } else { low };
        // a stuck drive is at its value without the time of the lag
        let actuator = &mut state.actuators[k];
        actuator.held_drive =
            thruster.drive(thruster.command_from_thrust(thrust, calm.sea.density));
        actuator.fault.stuck = true;
    }
    let mut surge_force = |speed: f64| {
        calm.sea.current.profile[0].1 = Vec3::new(-speed, 0.0, 0.0);
        calm.place(pose);
        calm.evaluate(Some(&mut state));
        calm.sum_of_forces().f.x
    };
    if surge_force(0.0) <= 0.0 || surge_force(limit) >= 0.0 {
        return None;
    }
    let (mut low, mut high) = (0.0, limit);
    for _ in 0..HALVINGS {
        let speed = 0.5 * (low + high);
        if surge_force(speed) > 0.0 {
            low = speed;
        } else {
            high = speed;
        }
    }
    Some(low)
}
