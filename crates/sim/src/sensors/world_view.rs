//! Inputs of exteroceptive sensors at one instant: a snapshot of the world.

use crate::robot::Runner;
use merrow_model::kinematics;
use merrow_model::scene::sensor::camera::Lamp;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::frames::view::WorldView;
use merrow_model::state::{FaultEffect, RobotState, State};

/// Takes a snapshot of the world at the current instant; `beacons` are the effects of faults on the
/// beacons.
pub(crate) fn snapshot(
    scene: &Scene,
    state: &State,
    runners: &mut [Runner],
    beacons: Vec<FaultEffect>,
) -> WorldView {
    let (mut links, mut velocities) = (Vec::new(), Vec::new());
    for ((robot, own), runner) in scene.robots.iter().zip(&state.robots).zip(runners) {
        let work = &mut runner.work.links;
        kinematics::poses(robot, &own.motion, work);
        kinematics::velocities(robot, &own.motion, work);
        links.push(work.iter().map(|w| (w.R_WL, w.p_WL)).collect());
        velocities.push(work.iter().map(|w| w.V).collect());
    }
    let level = |own: &RobotState, lamp: &Lamp| match lamp.load {
        _ if !own.battery.is_on() => 0.0,
        Some(load) => own.loads[load],
        None => 1.0,
    };
    let of_robot = |(robot, own): (&Robot, &RobotState)| {
        robot.lamps.iter().map(|lamp| level(own, lamp)).collect()
    };
    let lamps = scene
        .robots
        .iter()
        .zip(&state.robots)
        .map(of_robot)
        .collect();
    let powered = state.robots.iter().map(|own| own.battery.is_on()).collect();
    let dead_of = |own: &RobotState| own.sensors.iter().map(|memory| memory.fault.dead).collect();
    let dead = state.robots.iter().map(dead_of).collect();
    WorldView {
        time_ns: state.time_ns,
        sea: state.sea.clone(),
        links,
        lamps,
        powered,
        dead,
        beacons,
        velocities,
    }
}
