//! Binary state frames: poses of all links, angles of fins and speeds of propellers.
//!
//! All numbers are little-endian. [docs/guides/view.md](../../../docs/guides/view.md) documents the format.

use crate::fields;
use merrow_math::{Quat, Vec3};
use merrow_model::kinematics::link_poses;
use merrow_model::scene::{Robot, Thruster};
use merrow_model::state::{ActuatorState, RobotState, TetherState};
use merrow_sim::sensors::world_view::lamp_level;
use merrow_sim::{Control, Simulation};

/// First byte of a state frame.
pub const FRAME_KIND: u8 = 1;
/// First byte of the details of a robot, which follow the frame in the same message.
pub const DETAILS_KIND: u8 = 2;
/// First byte of the tethers, which follow the robots in the same message.
pub(crate) const TETHERS_KIND: u8 = 5;
/// Shaft speed per square root of the thrust for propellers whose speed is not modelled
/// [rad/(s N^0.5)].
const SPEED_PER_ROOT_THRUST: f64 = 30.0;

/// State at one instant, as sent to the clients.
#[derive(Debug, Default)]
pub(crate) struct Frame {
    /// Poses and angles of all robots.
    pub base: Vec<u8>,
    /// Details of the selected and plotted robots, with their indices.
    pub details: Vec<(usize, Vec<u8>)>,
}

/// Encodes the state of a simulation with the details of the robots `detailed`.
pub(crate) fn encode(simulation: &Simulation, control: &Control, detailed: &[usize]) -> Frame {
    let mut out = Vec::with_capacity(64 + 160 * simulation.scene.robots.len());
    out.push(FRAME_KIND);
    out.push(u8::from(control.paused));
    out.extend((simulation.scene.robots.len() as u16).to_le_bytes());
    out.extend((simulation.scene_version.0 as u32).to_le_bytes());
    out.extend((simulation.time_ns() as f64 * 1e-9).to_le_bytes());
    out.extend(control.wall_s.to_le_bytes());
    out.extend((simulation.state.step as f64).to_le_bytes());
    out.extend((control.overruns as u32).to_le_bytes());
    out.extend((control.rejected as u32).to_le_bytes());
    for (robot, state) in simulation.scene.robots.iter().zip(&simulation.state.robots) {
        push_robot(&mut out, robot, state);
    }
    push_tethers(&mut out, &simulation.state.tethers);
    let valid = detailed
        .iter()
        .filter(|k| **k < simulation.scene.robots.len());
    let details = valid
        .map(|k| (*k, encode_details(simulation, *k)))
        .collect();
    Frame { base: out, details }
}

fn push_robot(out: &mut Vec<u8>, robot: &Robot, state: &RobotState) {
    let motion = &state.motion;
    push(
        out,
        &motion.q_WB.matrix().mul_vec(motion.V_WB_B.v).to_array(),
    );
    push_pose(out, motion.p_WB, motion.q_WB);
    if robot.links.len() > 1 {
        for link in &link_poses(robot, motion)[1..] {
            push_pose(out, link.p_WL, Quat::from_matrix(&link.R_WL));
        }
    }
    for fin in &state.fins {
        push(out, &[fin.angle]);
    }
    // unknown in a recording without them
    let known = |x: f64| if x.is_finite() { x } else { 0.0 };
    for lamp in &robot.lamps {
        push(out, &[known(lamp_level(state, lamp))]);
    }
    for (thruster, state) in robot.thrusters.iter().zip(&state.actuators) {
        push(
            out,
            &[shaft_speed(thruster, state), state.thrust].map(known),
        );
    }
}

/// Appends the nodes of all tethers in W [m], if the world has tethers.
fn push_tethers(out: &mut Vec<u8>, tethers: &[TetherState]) {
    if tethers.is_empty() {
        return;
    }
    out.extend([TETHERS_KIND, 0]);
    out.extend((tethers.len() as u16).to_le_bytes());
    for tether in tethers {
        // a broken segment is not shown
        let segment = tether.line_break.map_or(0, |found| found.segment + 1);
        out.extend((tether.p.len() as u16).to_le_bytes());
        out.extend((segment as u16).to_le_bytes());
        for p in &tether.p {
            push(out, &p.to_array());
        }
    }
}

/// Returns the shaft speed of a propeller [rad/s], an estimate if only its thrust is modelled.
fn shaft_speed(thruster: &Thruster, state: &ActuatorState) -> f64 {
    use merrow_model::scene::Curve;
    let turns = matches!(
        thruster.motor.curve,
        Curve::Quadratic { .. } | Curve::OpenWater(_) | Curve::Rotor(_)
    );
    let drive = state.shaft[0];
    if turns && drive.is_finite() {
        drive
    } else {
        SPEED_PER_ROOT_THRUST * state.thrust.abs().sqrt() * state.thrust.signum()
    }
}

fn encode_details(simulation: &Simulation, robot: usize) -> Vec<u8> {
    let values = fields::values(simulation, robot);
    let mut out = Vec::with_capacity(8 + 4 * values.len());
    out.extend([DETAILS_KIND, 0]);
    out.extend((robot as u16).to_le_bytes());
    out.extend((values.len() as u32).to_le_bytes());
    push(&mut out, &values);
    out
}

fn push_pose(out: &mut Vec<u8>, p: Vec3, q: Quat) {
    push(out, &p.to_array());
    push(out, &[q.w, q.x, q.y, q.z]);
}

fn push(out: &mut Vec<u8>, numbers: &[f64]) {
    for x in numbers {
        out.extend((*x as f32).to_le_bytes());
    }
}
