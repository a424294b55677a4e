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
                let demand = thrust_demand(robot, state, density, scene.gravity)
                    .filter(|_| state.halted.is_none());
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
    use merrow_math::SpatialForce;
    use merrow_model::state::commands::FirmwareOrder;
    use merrow_model::state::wrench::{AppliedWrench, WrenchFrame, WrenchSource};
    use merrow_model::state::{BodyCommand, Command, FirmwareCommand};
    use merrow_world::{Overrides, load_text};
    use std::sync::Arc;

    /// Runs a robot with the watch once per second. The commands `first` are given at the start,
    /// `repeated` ten times per second. Returns the time [s] of the first shortages and these.
    fn watched(
        text: &str,
        seconds: u64,
        first: &[Command],
        repeated: &[Command],
    ) -> Option<(u64, Vec<ThrustShortage>)> {
        let world = load_text("w.yaml", text, Overrides::default()).unwrap();
        let mut simulation = Simulation::new(Arc::new(world.scene), 1).unwrap();
        let give = |simulation: &mut Simulation, commands: &[Command]| {
            for command in commands {
                merrow_sim::control::command::apply(
                    &simulation.scene,
                    &mut simulation.state,
                    command,
                )
                .unwrap();
            }
        };
        give(&mut simulation, first);
        let steps = 100_000_000 / simulation.scene.dt_ns;
        let mut watch = ThrustWatch::default();
        for second in 1..=seconds {
            for _ in 0..10 {
                give(&mut simulation, repeated);
                simulation.advance(steps);
            }
            let shortages = watch.observe(&simulation).remove(0);
            if !shortages.is_empty() {
                return Some((second, shortages));
            }
        }
        None
    }

    /// Runs a boat that follows a path to the east in a current to the west.
    fn boat(firmware: &str, current: f64, seconds: u64) -> Option<(u64, Vec<ThrustShortage>)> {
        let text = format!(
            "
step: {{dt_s: 0.01}}
water: {{current: {{kind: uniform, speed_m_s: {current}, direction_deg: 270}}}}
seabed: {{depth_m: 50}}
robots: {{boat: {{model: {{extends: robots/heron.yaml, firmware: {firmware}, battery: null}}}}}}
"
        );
        let path = FirmwareCommand::FollowPath {
            waypoints: Arc::new(vec![Vec3::new(20.0, 0.0, 0.0), Vec3::new(20.0, 20.0, 0.0)]),
        }
        .of(0);
        watched(&text, seconds, &[path], &[])
    }

    /// Runs a multirotor in a wind [m/s] from the east that is loaded with `load` [N] and that is
    /// to fly to the east. Returns the degrees of freedom of the first shortages.
    fn multirotor(load: f64, wind: f64) -> Vec<usize> {
        let text = format!(
            "
step: {{dt_s: 0.004}}
weather: {{wind_speed_m_s: {wind}, wind_from_deg: 90}}
robots: {{drone: {{model: {{extends: robots/firefly.yaml, battery: null}}, position_m: [0, 0, 300]}}}}
"
        );
        let push = BodyCommand::ApplyWrench {
            wrench: AppliedWrench {
                link: 0,
                source: WrenchSource::Service,
                frame: WrenchFrame::World,
                F: SpatialForce {
                    m: Vec3::default(),
                    f: Vec3::new(0.0, 0.0, -load),
                },
                p_LoP: Vec3::default(),
                start_ns: 0,
                end_ns: u64::MAX,
            },
        }
        .of(0);
        let fly = FirmwareCommand::Velocity {
            linear: Vec3::new(1.0, 0.0, 0.0),
            angular: Vec3::default(),
        }
        .of(0);
        let enable = FirmwareCommand::FirmwareOrder {
            order: FirmwareOrder::Enable(true),
        }
        .of(0);
        let shortages = watched(&text, 12, &[push, enable], &[fly]).map(|(_, found)| found);
        let shortages = shortages.iter().flatten();
        shortages.map(|shortage| shortage.axis).collect()
    }

    /// Six rotors exert up to 36 N: they carry the weight of 15 N and 10 N, but not 25 N. At the
    /// maximum tilt they do not move ahead against 40 m/s.
    #[test]
    fn insufficient_lift_and_tilt_are_reported() {
        assert!(multirotor(10.0, 0.0).is_empty());
        assert!(multirotor(25.0, 0.0).contains(&2));
        assert!(multirotor(0.0, 40.0).contains(&0));
    }

    /// The propeller of the REMUS 100 makes way at 1 m/s against a current of 0.5 m/s, but not
    /// against 4 m/s.
    #[test]
    fn insufficient_speed_of_a_torpedo_is_reported() {
        let reported = |current: f64| {
            let text = format!(
                "
step: {{dt_s: 0.01}}
water: {{current: {{kind: uniform, speed_m_s: {current}, direction_deg: 270}}}}
seabed: {{depth_m: 200}}
robots: {{auv: {{model: {{extends: robots/remus100.yaml, battery: null}}, position_m: [0, 0, -20]}}}}
"
            );
            let ahead = FirmwareCommand::Velocity {
                linear: Vec3::new(1.0, 0.0, 0.0),
                angular: Vec3::default(),
            }
            .of(0);
            watched(&text, 30, &[], &[ahead]).map(|(time, _)| time)
        };
        assert_eq!(reported(0.5), None);
        assert!(reported(4.0).is_some());
    }

    /// Two jets of 33.6 N do not hold the boat in a current of 3 m/s; against 1 m/s it moves ahead.
    #[test]
    fn insufficient_thrust_is_reported() {
        for firmware in ["heron_motion", "heron_velocity"] {
            let (time, shortages) = boat(firmware, 3.0, 20).unwrap();
            assert!(time <= 8, "{firmware}: {time}");
            let [surge] = &shortages[..] else {
                panic!("{firmware}: {shortages:?}");
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
            assert_eq!(boat(firmware, 0.5, 60), None, "{firmware}");
        }
    }
}
