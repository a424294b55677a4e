//! Inputs of exteroceptive sensors at one instant: a snapshot of the world.

use crate::robot::Runner;
use crate::shaft_speeds::{instrument_noise, shaft_speeds};
use merrow_environment::air::wind;
use merrow_model::kinematics;
use merrow_model::scene::sea::Sea;
use merrow_model::scene::{Fin, Robot, Scene};
use merrow_model::sensor::camera::Lamp;
use merrow_model::state::frames::view::WorldView;
use merrow_model::state::workspace::LinkWork;
use merrow_model::state::{FaultEffect, FinState, RobotState, State};
use merrow_physics::forces::actuators::sail;

/// Takes a snapshot of the world at the current instant; `beacons` are the effects of faults on the
/// beacons.
pub(crate) fn snapshot(
    scene: &Scene,
    state: &State,
    runners: &mut [Runner],
    beacons: Vec<FaultEffect>,
) -> WorldView {
    let (mut links, mut velocities, mut fins) = (Vec::new(), Vec::new(), Vec::new());
    let time = state.time_ns as f64 * 1e-9;
    for ((robot, own), runner) in scene.robots.iter().zip(&state.robots).zip(runners) {
        let work = &mut runner.work.links;
        kinematics::poses(robot, &own.motion, work);
        kinematics::velocities(robot, &own.motion, work);
        let angle = |(fin, memory): (&Fin, &FinState)| {
            if fin.sail {
                boom_angle(fin, &work[fin.link], memory.angle, &state.sea, time)
            } else {
                memory.angle
            }
        };
        fins.push(robot.fins.iter().zip(&own.fins).map(angle).collect());
        links.push(work.iter().map(|w| (w.R_WL, w.p_WL)).collect());
        velocities.push(work.iter().map(|w| w.V).collect());
    }
    let of_robot = |(robot, own): (&Robot, &RobotState)| {
        let lamps = robot.lamps.iter();
        lamps.map(|lamp| lamp_level(own, lamp)).collect()
    };
    let lamps = scene
        .robots
        .iter()
        .zip(&state.robots)
        .map(of_robot)
        .collect();
    let speeds = |(robot, own): (&Robot, &RobotState)| match instrument_noise(robot) {
        Some(noise) => shaft_speeds((robot, own), state.sea.density, noise.speed_rad_s).collect(),
        None => Vec::new(),
    };
    let robots = scene.robots.iter().zip(&state.robots);
    let shaft_speeds = robots.map(speeds).collect();
    let powered = state.robots.iter().map(|own| own.battery.is_on()).collect();
    let dead_of = |own: &RobotState| own.sensors.iter().map(|memory| memory.fault.dead).collect();
    let dead = state.robots.iter().map(dead_of).collect();
    WorldView {
        time_ns: state.time_ns,
        sea: state.sea.clone(),
        links,
        fins,
        lamps,
        powered,
        dead,
        beacons,
        velocities,
        shaft_speeds,
    }
}

/// Returns the brightness level of a lamp, dimensionless from 0 to 1.
pub fn lamp_level(own: &RobotState, lamp: &Lamp) -> f64 {
    match lamp.load {
        _ if !own.battery.is_on() => 0.0,
        Some(load) => own.loads[load],
        None => 1.0,
    }
}

/// Returns the angle of the boom of a sail [rad] in the wind at its mast, for the limit `sheet` of
/// its sheet [rad] and the time [s].
fn boom_angle(fin: &Fin, link: &LinkWork, sheet: f64, sea: &Sea, time: f64) -> f64 {
    let p_WF = link.p_WL + link.R_WL.mul_vec(fin.p_LoF);
    let wind = link
        .R_WL
        .tr_mul_vec(wind::wind_velocity(&sea.air, p_WF, time));
    let a = wind - link.V.v - link.V.w.cross(fin.p_LoF);
    sail::boom_angle(-a.dot(fin.R_LF.col(0)), -a.dot(fin.R_LF.col(1)), sheet)
}
