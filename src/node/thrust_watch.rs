//! Watches whether the thrust of the robots suffices: which control errors have not decreased for
//! several seconds although the thrusters exert all they can.
//!
//! The memory of the watch belongs to the diagnostics, so that it has no effect on the state of the
//! world.

use merrow_control::demand::{ThrustDemand, thrust_demand};
use merrow_math::Vec3;
use merrow_sim::Simulation;
use std::collections::HashMap;

/// Time of saturation without progress after which the thrust does not suffice [s].
const PATIENCE_S: f64 = 3.0;
/// Relative decrease of an error that counts as progress.
const PROGRESS: f64 = 0.01;
/// Change of the target that starts the observation again [m or m/s].
const SAME_TARGET: f64 = 0.1;

/// Names of the degrees of freedom, and the unit of their forces and moments.
pub(super) const AXES: [(&str, &str); 6] = [
    ("surge", "N"),
    ("sway", "N"),
    ("heave", "N"),
    ("roll", "N m"),
    ("pitch", "N m"),
    ("yaw", "N m"),
];

/// A degree of freedom in which the thrust of a robot does not suffice.
#[derive(Clone, Debug, PartialEq)]
pub struct ThrustShortage {
    /// Index of the degree of freedom.
    pub axis: usize,
    /// Requested force [N] or moment [N m], in B.
    pub requested: f64,
    /// Force [N] or moment [N m] that the thrusters exert, in B.
    pub allocated: f64,
    /// Time for which the error has not decreased [s].
    pub duration: f64,
}

/// Observation of one saturated degree of freedom.
#[derive(Clone, Copy, Debug)]
struct Observation {
    /// Smallest error since the start, and its time [ns].
    least: f64,
    since_ns: u64,
    target: Vec3,
}

/// Observations of all robots, by name.
#[derive(Debug, Default)]
pub struct ThrustWatch {
    robots: HashMap<String, [Option<Observation>; 6]>,
}

impl ThrustWatch {
    /// Observes the robots, about once per second. Returns the shortages of each.
    pub fn observe(&mut self, simulation: &Simulation) -> Vec<Vec<ThrustShortage>> {
        let (scene, state, now_ns) = (&simulation.scene, &simulation.state, simulation.time_ns());
        let mut former = std::mem::take(&mut self.robots);
        let robots = scene.robots.iter().zip(&state.robots);
        robots
            .map(|(robot, state)| {
                let density = simulation.state.sea.density;
                let demand =
                    thrust_demand(robot, state, density).filter(|_| state.halted.is_none());
                let Some(demand) = demand else {
                    return Vec::new();
                };
                let mut axes = former.remove(&robot.name).unwrap_or_default();
                let shortages = observe_robot(&mut axes, &demand, now_ns);
                self.robots.insert(robot.name.clone(), axes);
                shortages
            })
            .collect()
    }
}

fn observe_robot(
    axes: &mut [Option<Observation>; 6],
    demand: &ThrustDemand,
    now_ns: u64,
) -> Vec<ThrustShortage> {
    let mut shortages = Vec::new();
    for (axis, memory) in axes.iter_mut().enumerate() {
        let error = demand.errors[axis];
        if !demand.is_short(axis) {
            *memory = None;
            continue;
        }
        let new = Observation {
            least: error,
            since_ns: now_ns,
            target: demand.target,
        };
        let known = memory.get_or_insert(new);
        if (demand.target - known.target).norm() > SAME_TARGET
            || error < (1.0 - PROGRESS) * known.least
            || now_ns < known.since_ns
        {
            *known = new;
        }
        let duration = (now_ns - known.since_ns) as f64 * 1e-9;
        if duration > PATIENCE_S {
            shortages.push(ThrustShortage {
                axis,
                requested: demand.requested[axis],
                allocated: demand.allocated[axis],
                duration,
            });
        }
    }
    shortages
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_model::state::Command;
    use merrow_world::{Overrides, load_text};
    use std::sync::Arc;

    /// Runs a boat that follows a path to the east in a current to the west, with the watch once per
    /// second. Returns the simulation, and the time of the first shortage and the last shortages.
    fn boat(firmware: &str, current: f64, seconds: u64) -> (Option<u64>, Vec<ThrustShortage>) {
        let text = format!(
            "
step: {{dt_s: 0.01}}
water: {{current: {{kind: uniform, speed_m_s: {current}, direction_deg: 270}}}}
seabed: {{depth_m: 50}}
robots: {{boat: {{model: {{extends: robots/heron.yaml, firmware: {firmware}, battery: null}}}}}}
"
        );
        let world = load_text("w.yaml", &text, Overrides::default()).unwrap();
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
        let path = Command::FollowPath {
            robot: 0,
            waypoints: Arc::new(vec![Vec3::new(20.0, 0.0, 0.0), Vec3::new(20.0, 20.0, 0.0)]),
        };
        merrow_sim::control::command::apply(&simulation.scene, &mut simulation.state, &path)
            .unwrap();
        let (mut watch, mut first, mut last) = (ThrustWatch::default(), None, Vec::new());
        for second in 1..=seconds {
            simulation.advance(100);
            last = watch.observe(&simulation).remove(0);
            if !last.is_empty() && first.is_none() {
                first = Some(second);
            }
        }
        (first, last)
    }

    /// Two jets of 33.6 N do not hold the boat in a current of 3 m/s; against 1 m/s it moves ahead.
    #[test]
    fn insufficient_thrust_is_reported() {
        for firmware in ["heron_motion", "heron_velocity"] {
            let (first, last) = boat(firmware, 3.0, 20);
            assert!(first.is_some_and(|t| t <= 8), "{firmware}: {first:?}");
            let [surge] = &last[..] else {
                panic!("{firmware}: {last:?}");
            };
            assert_eq!(surge.axis, 0, "{firmware}");
            assert!(
                (surge.allocated - 67.2).abs() < 2.0,
                "{firmware}: {surge:?}"
            );
            assert!(
                surge.requested > 1.02 * surge.allocated,
                "{firmware}: {surge:?}"
            );
            let (first, _) = boat(firmware, 0.5, 60);
            assert_eq!(first, None, "{firmware}");
        }
    }
}
