//! Outputs of a plan by the source of their content.

use crate::node::batch::LostSamples;
use crate::topics::GroupIndex;
use crate::topics::{Plan, Source};
use merrow_model::scene::Scene;

/// Indices of the outputs of a plan. Lists hold pairs of an output and the index of its object.
#[derive(Default)]
pub(crate) struct OutputIndex {
    /// For each sensor of each robot, its first output; the outputs of a sensor are adjacent.
    pub(crate) sensors: Vec<Vec<usize>>,
    pub(crate) clock: Option<usize>,
    pub(crate) tf: Option<usize>,
    pub(crate) tf_static: Option<usize>,
    pub(crate) diagnostics: Option<usize>,
    pub(crate) contacts: Option<usize>,
    // by robot
    pub(crate) descriptions: Vec<(usize, usize)>,
    // by robot and camera
    pub(crate) labels: Vec<(usize, [usize; 2])>,
    // by robot
    pub(crate) joints: Vec<(usize, usize)>,
    pub(crate) controllers: Vec<(usize, GroupIndex)>,
    // by robot and link
    pub(crate) contact_wrenches: Vec<(usize, [usize; 2])>,
    // by robot
    pub(crate) batteries: Vec<(usize, usize)>,
    // by robot and buoyancy engine
    pub(crate) buoyancy_engines: Vec<(usize, [usize; 2])>,
    // by robot
    pub(crate) flight_modes: Vec<(usize, usize)>,
    // by robot
    pub(crate) controller_status: Vec<(usize, usize)>,
    // by robot
    pub(crate) wheel_odometries: Vec<(usize, usize)>,
    pub(crate) coupling_states: Vec<(usize, usize)>,
    pub(crate) coupling_loads: Vec<(usize, usize)>,
    pub(crate) tether_paths: Vec<(usize, usize)>,
    pub(crate) tether_tensions: Vec<(usize, usize)>,
    pub(crate) tether_states: Vec<(usize, usize)>,
    pub(crate) tether_lengths: Vec<(usize, usize)>,
    // by modem
    pub(crate) modem_packets: Vec<usize>,
    pub(crate) modem_ranges: Vec<usize>,
    pub(crate) modem_states: Vec<usize>,
    // by modem and other modem
    pub(crate) modem_fixes: Vec<(usize, [usize; 2])>,
    // by robot and computer
    pub(crate) computer_states: Vec<(usize, [usize; 2])>,
    pub(crate) task_schedules: Vec<(usize, [usize; 2])>,
    // by bridge and receiver
    pub(crate) bridged: Vec<(usize, [usize; 2])>,
    pub(crate) links: Option<usize>,
    pub(crate) packets: Option<usize>,
    pub(crate) schedule: Option<usize>,
}

impl OutputIndex {
    /// Sorts the outputs of a plan. A new kind of source does not compile until it is assigned to a
    /// list here.
    pub(crate) fn new(scene: &Scene, plan: &Plan) -> Self {
        let first = |robot: &merrow_model::scene::Robot| vec![0; robot.sensors.len()];
        let mut index = Self {
            sensors: scene.robots.iter().map(first).collect(),
            ..Self::default()
        };
        for (i, output) in plan.outputs.iter().enumerate() {
            match output.source {
                Source::Clock => index.clock = Some(i),
                Source::Tf => index.tf = Some(i),
                Source::TfStatic => index.tf_static = Some(i),
                Source::Diagnostics => index.diagnostics = Some(i),
                Source::Contacts => index.contacts = Some(i),
                Source::Sensor {
                    robot,
                    sensor,
                    part,
                } => {
                    if part == 0 {
                        index.sensors[robot][sensor] = i;
                    }
                }
                Source::Description { robot } => index.descriptions.push((i, robot)),
                Source::Labels { robot, sensor } => index.labels.push((i, [robot, sensor])),
                Source::Joints { robot } => index.joints.push((i, robot)),
                Source::Controller { group_index } => index.controllers.push((i, group_index)),
                Source::ContactWrench { robot, link } => {
                    index.contact_wrenches.push((i, [robot, link]));
                }
                Source::Battery { robot } => index.batteries.push((i, robot)),
                Source::BuoyancyEngine { robot, engine } => {
                    index.buoyancy_engines.push((i, [robot, engine]))
                }
                Source::FlightMode { robot } => index.flight_modes.push((i, robot)),
                Source::ControllerStatus { robot } => index.controller_status.push((i, robot)),
                Source::WheelOdometry { robot } => index.wheel_odometries.push((i, robot)),
                Source::Coupling { coupling } => index.coupling_states.push((i, coupling)),
                Source::CouplingLoad { coupling } => index.coupling_loads.push((i, coupling)),
                Source::TetherPath { tether } => index.tether_paths.push((i, tether)),
                Source::TetherTension { tether } => index.tether_tensions.push((i, tether)),
                Source::TetherIntact { tether } => index.tether_states.push((i, tether)),
                Source::TetherLength { tether } => index.tether_lengths.push((i, tether)),
                // the topics of modems are in the order of the modems
                Source::ModemReceived { .. } => index.modem_packets.push(i),
                Source::ModemRange { .. } => index.modem_ranges.push(i),
                Source::ModemFix { modem, other } => index.modem_fixes.push((i, [modem, other])),
                Source::ModemStatus { .. } => index.modem_states.push(i),
                Source::Bridged { bridge, receiver } => {
                    index.bridged.push((i, [bridge, receiver]));
                }
                Source::ComputerStatus { robot, computer } => {
                    index.computer_states.push((i, [robot, computer]));
                }
                Source::TaskSchedule { robot, computer } => {
                    index.task_schedules.push((i, [robot, computer]));
                }
                Source::Links => index.links = Some(i),
                Source::Packets => index.packets = Some(i),
                Source::ModemSchedule => index.schedule = Some(i),
            }
        }
        index
    }
}

/// Returns the number of dropped samples of a source. A new kind of source does not compile until
/// its samples are counted here.
pub(crate) fn count_lost_samples(source: &Source, lost: &LostSamples) -> u64 {
    match *source {
        Source::Clock => lost.clocks,
        Source::Sensor { robot, sensor, .. } => {
            lost.sensors.get(&[robot, sensor]).copied().unwrap_or(0)
        }
        Source::Tf
        | Source::Joints { .. }
        | Source::Controller { .. }
        | Source::Contacts
        | Source::ContactWrench { .. }
        | Source::BuoyancyEngine { .. }
        | Source::FlightMode { .. }
        | Source::ControllerStatus { .. }
        | Source::WheelOdometry { .. }
        | Source::TetherPath { .. }
        | Source::TetherTension { .. }
        | Source::TetherLength { .. } => lost.snapshots,
        Source::Battery { .. } => lost.batteries,
        Source::CouplingLoad { .. } => lost.loads,
        Source::Diagnostics => lost.health,
        Source::ModemStatus { .. } | Source::Links => lost.modems,
        Source::ComputerStatus { .. } => lost.computers,
        // results that occur once
        Source::TfStatic
        | Source::Description { .. }
        | Source::Labels { .. }
        | Source::Coupling { .. }
        | Source::TetherIntact { .. }
        | Source::ModemReceived { .. }
        | Source::ModemRange { .. }
        | Source::ModemFix { .. }
        | Source::Bridged { .. }
        | Source::TaskSchedule { .. }
        | Source::Packets
        | Source::ModemSchedule => 0,
    }
}

/// Returns the output that is paired with `object` in `list`; `None` if the object has no output.
pub(crate) fn find_output(list: &[(usize, usize)], object: usize) -> Option<usize> {
    list.iter()
        .find(|(_, other)| *other == object)
        .map(|(output, _)| *output)
}
