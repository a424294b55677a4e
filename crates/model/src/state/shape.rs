//! Lengths of the lists of a state, which follow from the scene.

use crate::scene::Scene;
use crate::scene::sea::Sea;
use crate::scene::sea::waves::{Components, LANES, Waves};
use crate::state::navigation::NavigationFilter;
use crate::state::{RobotState, SensorState, State};

/// Returns true if all lists of `state` have the lengths that a state of `scene` has.
pub fn has_shape_of(state: &State, scene: &Scene) -> bool {
    let has_task = match (&scene.task, &state.task.0) {
        (Some(task), Some(own)) => task.fits(own),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    has_task
        && has_sea_shape_of(&state.sea, &scene.sea)
        && lengths(state) == lengths(&State::new(scene))
}

/// Returns true if all lists of two robots have the same lengths.
pub fn is_same_robot(a: &RobotState, b: &RobotState) -> bool {
    let lengths = |robot: &RobotState| {
        let mut all = Vec::new();
        push_robot_lengths(robot, &mut all);
        all
    };
    lengths(a) == lengths(b)
}

fn lengths(state: &State) -> Vec<usize> {
    let State {
        robots,
        couplings,
        tethers,
        chargers,
        ..
    } = state;
    let mut all = vec![robots.len(), couplings.len(), tethers.len(), chargers.len()];
    robots
        .iter()
        .for_each(|robot| push_robot_lengths(robot, &mut all));
    all.extend(tethers.iter().flat_map(|t| [t.p.len(), t.v.len()]));
    all
}

fn push_robot_lengths(robot: &RobotState, all: &mut Vec<usize>) {
    all.extend([
        robot.motion.q.len(),
        robot.motion.qd.len(),
        robot.actuators.len(),
        robot.fins.len(),
        robot.buoyancy_engines.len(),
        robot.winches.len(),
        robot.fin_delays.len(),
        robot.joint_commands.len(),
        robot.joints.len(),
        robot.groups.len(),
        robot.radiation_state.len(),
        robot.sensors.len(),
        robot.loads.len(),
        robot.external_force.len(),
        robot.contact_force.len(),
        robot.coupling_force.len(),
        robot.impulse_acceleration.qdd.len(),
    ]);
    let law = robot.firmware.as_ref().map(|f| f.memory.number());
    all.push(law.map_or(0, |number| 1 + number));
    all.push(robot.computers.len());
    all.extend(robot.computers.iter().map(|computer| computer.tasks.len()));
    all.extend(robot.sensors.iter().flat_map(sensor_lengths));
}

fn sensor_lengths(sensor: &SensorState) -> [usize; 2] {
    let bottles = sensor.sampler.as_ref().map_or(0, |s| 1 + s.bottles.len());
    let filter = match sensor.filter.as_deref() {
        None => 0,
        Some(NavigationFilter::Ahrs(_)) => 1,
        Some(NavigationFilter::Ins(_)) => 2,
    };
    [bottles, filter]
}

/// Returns true if the sea has the invariable structure of the world's sea; parameters change the
/// rest.
fn has_sea_shape_of(sea: &Sea, start: &Sea) -> bool {
    let corners = |sea: &Sea| {
        sea.regions
            .iter()
            .map(|r| r.corners_m.len())
            .collect::<Vec<_>>()
    };
    let layered = sea.column.as_ref().is_none_or(|c| !c.layers.is_empty());
    let wave_region_count = |waves: &Waves| waves.regions.as_ref().map_or(0, |all| all.len());
    let n = wave_region_count(&sea.waves);
    layered
        && !sea.current.profile.is_empty()
        && corners(sea) == corners(start)
        && sea.current.flows.len() == start.current.flows.len()
        && sea.tracers.len() == start.tracers.len()
        && (n == 0 || n == sea.regions.len())
        && sea
            .waves
            .seas
            .iter()
            .all(|(_, field)| is_padded(&field.components))
        && sea
            .waves
            .tide
            .iter()
            .all(|tide| is_padded(&tide.components))
}

/// Returns true if all lists have the same length, a multiple of the lanes.
fn is_padded(components: &Components) -> bool {
    let Components {
        a,
        omega,
        phase,
        k,
        kx,
        ky,
        dx,
        dy,
        q,
        speed,
        head,
    } = components;
    let others = [omega, phase, k, kx, ky, dx, dy, q, speed, head];
    a.len().is_multiple_of(LANES) && others.iter().all(|other| other.len() == a.len())
}
