//! Names of the services that the simulator offers itself.

use crate::input::{command_services, profile_services};
use crate::simulation_interfaces::names;
use crate::topics::absolute;
use merrow_messages::msg::{
    ApplyWrench, Checkpoint, ClearWrenches, Couple, Fault, Record, SaveWorld, SetPose,
    StepSimulation, Weather,
};
use merrow_model::scene::Scene;
use merrow_ros2::message::Service;
use merrow_ros2::msg::std_srvs::Trigger;

/// Names and types of the node's own services.
const SERVICES: [(&str, &str); 14] = [
    ("~/pause", Trigger::TYPE),
    ("~/resume", Trigger::TYPE),
    ("~/reset", Trigger::TYPE),
    ("~/step", StepSimulation::TYPE),
    ("~/single_step", Trigger::TYPE),
    ("~/set_pose", SetPose::TYPE),
    ("~/couple", Couple::TYPE),
    ("~/weather", Weather::TYPE),
    ("~/fault", Fault::TYPE),
    ("~/apply_wrench", ApplyWrench::TYPE),
    ("~/clear_wrenches", ClearWrenches::TYPE),
    ("~/save_world", SaveWorld::TYPE),
    ("~/record", Record::TYPE),
    ("~/checkpoint", Checkpoint::TYPE),
];

/// Returns the full names and the types of the services that the simulator offers itself.
pub(crate) fn own_names(scene: &Scene) -> Vec<(String, &'static str)> {
    let own = SERVICES.iter().chain(&names::SERVICES);
    let own = own.map(|(name, kind)| (name.replace('~', "/merrow"), *kind));
    let full = |(name, kind): (String, _)| (absolute(&name), kind);
    own.chain(of_devices(scene).map(full)).collect()
}

/// Returns the names and the types of the services of robots and tethers, relative to the namespace
/// of the node.
pub(crate) fn of_devices(scene: &Scene) -> impl Iterator<Item = (String, &'static str)> {
    let of_commands = command_services::of_devices(scene).into_iter();
    let of_profiles = profile_services::services(scene).into_iter();
    of_commands
        .map(|service| (service.name, service.info.name))
        .chain(of_profiles.map(|(name, service)| (name, service.type_name())))
}
