//! Conversion of the motion controller: the inertia for its gains, and the largest wrench of its
//! thrusters. The damping of the water and the restoring moments are neglected; they add to the
//! damping and the stiffness of the closed loop.

use crate::allocation;
use crate::build::{BuildLaw, LawContext};
use crate::constrained_allocation::allocate_within_limits;
use merrow_math::SpatialInertia;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::body::{Damping, MunkMoments};
use merrow_model::kinematics::poses_at_rest;
use merrow_model::scene::robot::firmware::motion_control::{
    AzimuthThruster, MAX_THRUSTERS, MotionControl, MotionControlKeys, MotionGains,
};
use std::f64::consts::FRAC_PI_2;

/// Force [N] or moment [N m] beyond any thruster arrangement; the allocation returns the largest
/// one in its direction.
const UNLIMITED: f64 = 1e6;
/// Density of the water for the largest wrench of the joystick [kg/m³].
const NOMINAL_DENSITY: f64 = 1000.0;

impl BuildLaw for MotionControl {
    fn build(file: &MotionControlKeys, context: &LawContext<'_>) -> Self {
    let robot = context.robot;
    let azimuths = azimuth_thrusters(robot);
    let n = robot.thrusters.len();
    check_thruster_count(file, azimuths.len(), context);
    let inertia = inertia(robot);
    let w = file.natural_frequency_rad_s;
    let independent = independent_components(robot, &azimuths);
    let actuated: [bool; 6] = std::array::from_fn(|i| independent[i] && w[i] > 0.0);
    if actuated == [false; 6] && n > 0 {
        let text = "`natural_frequency_rad_s`: the thrusters actuate none of the controlled degrees of freedom";
        context.error(file.at.key_place("natural_frequency_rad_s"), text);
    }
    let largest = largest_wrench(robot, &independent);
    Self {
        keys: file.clone(),
        gains: MotionGains::place_poles(file, &inertia),
        inertia,
        munk_mass: match robot.links[0].munk {
            MunkMoments::All => inertia[1] - inertia[0],
            MunkMoments::WithoutYaw | MunkMoments::RollOnly => 0.0,
        },
        linear_damping: damping_diagonal(&robot.links[0].linear_damping),
        quadratic_damping: damping_diagonal(&robot.links[0].quadratic_damping),
        actuated,
        independent,
        azimuths,
        pilot_wrench: largest.map(|value| file.joystick_ratio * value),
    }
    }
}

/// Reports a robot without thrusters, or with more than the controller allocates.
fn check_thruster_count(
    file: &MotionControlKeys,
    azimuth_count: usize,
    context: &LawContext<'_>,
) {
    let robot = context.robot;
    let n = robot.thrusters.len();
    if n == 0 || n + azimuth_count > MAX_THRUSTERS {
        let text = format!(
            "firmware `motion_control`: {} has {n} thrusters; expected 1 to {MAX_THRUSTERS} (azimuth thrusters count twice)",
            robot.name
        );
        context.error(&file.at.whole, text);
    }
}

/// Returns the diagonal of the inertia with added mass about the base origin: surge, sway, heave
/// [kg], roll, pitch, yaw [kg m²].
fn inertia(robot: &Robot) -> [f64; 6] {
    let poses = poses_at_rest(&robot.links);
    let links = robot.links.iter().zip(&poses);
    let sum = links.fold(SpatialInertia::zero(), |sum, (link, (R, p))| {
        sum + link.total.to_parent(R, *p)
    });
    let m = sum.to_matrix();
    std::array::from_fn(|i| m[(i + 3) % 6][(i + 3) % 6])
}

/// Returns the diagonal of the damping, in the order surge, sway, heave, roll, pitch, yaw.
fn damping_diagonal(damping: &Damping) -> [f64; 6] {
    let d = match damping {
        Damping::Zero => [0.0; 6],
        Damping::Diagonal(d) => *d,
        Damping::Full(d) => std::array::from_fn(|i| d[i][i]),
    };
    std::array::from_fn(|i| d[(i + 3) % 6])
}

/// Returns the azimuth thrusters on the base of the robot.
fn azimuth_thrusters(robot: &Robot) -> Vec<AzimuthThruster> {
    let thrusters = robot.thrusters.iter().enumerate();
    let on_base = thrusters.filter(|(_, thruster)| thruster.link == 0);
    on_base
        .filter_map(|(k, thruster)| {
            let fin = thruster.azimuth?;
            let f = robot.fins[fin].chord_direction(FRAC_PI_2);
            let m = thruster.p_LoT.cross(f) + f.scale(thruster.reaction());
            Some(AzimuthThruster {
                thruster: k,
                fin,
                side_wrench: [f.x, f.y, f.z, m.x, m.y, m.z],
            })
        })
        .collect()
}

/// Returns the components of the wrench that the thrusters produce independently, azimuth thrusters
/// in any direction.
fn independent_components(robot: &Robot, azimuths: &[AzimuthThruster]) -> [bool; 6] {
    let Some(allocation) = &robot.allocation else {
        return [false; 6];
    };
    let mut columns = allocation.unit_wrenches.clone();
    columns.extend(azimuths.iter().map(|azimuth| azimuth.side_wrench));
    allocation::independent_components(&columns)
}

/// Returns the largest force [N] and moment [N m] along each axis, the smaller of both directions,
/// in the `independent` components. Azimuth thrusters are at zero.
fn largest_wrench(robot: &Robot, independent: &[bool; 6]) -> [f64; 6] {
    let Some(allocation) = &robot.allocation else {
        return [0.0; 6];
    };
    let thrusters = robot.thrusters.iter().take(MAX_THRUSTERS);
    let limits: Vec<_> = thrusters
        .map(|t| t.thrust_limits(NOMINAL_DENSITY))
        .collect();
    std::array::from_fn(|axis| {
        let reach = |sign: f64| {
            let wrench = std::array::from_fn(|i| if i == axis { sign * UNLIMITED } else { 0.0 });
            let columns = &allocation.unit_wrenches;
            allocate_within_limits(columns, independent, &limits, wrench).wrench[axis].abs()
        };
        reach(1.0).min(reach(-1.0))
    })
}
