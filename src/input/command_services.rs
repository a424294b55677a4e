//! Services whose requests become commands: conversion, endpoints, and requests in bags.
//!
//! A bag contains each accepted request as a merrow/ServiceRequest. A replay converts the request
//! as the service does. Service introspection of ROS has a type per service, such as
//! `merrow_msgs/srv/Fault_Event`, which readers of bags refuse (mcap-ros2-support 0.6.0).

use crate::input::mailbox::{Mailbox, find_robot, read};
use crate::input::serve::{Caller, MessageOutcome, REQUESTS, ServiceOutcome, full_name, serve};
use crate::input::{faults, firmware, motion_control, profile_services, wrench};
use crate::modem;
use crate::node::parameters::weather;
use crate::topics::Input;
use merrow_math::Vec3;
use merrow_messages::convert::{from_quaternion, from_vector3, instruments};
use merrow_messages::msg::{
    ApplyWrench, ClearWrenches, Couple, CoupleRequest, Fault, ServiceRequest, SetControlMode,
    SetPose, SetPoseRequest, Weather, WeatherRequest,
};
use merrow_model::scene::Scene;
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::{BodyCommand, Command, DeviceCommand, FirmwareCommand};
use merrow_ros2::cdr::from_bytes;
use merrow_ros2::message::{Message, ServiceInfo};
use merrow_ros2::msg::std_srvs::{SetBool, Trigger};
use merrow_ros2::node::{Node, NodeError, Service};
use merrow_ros2::parameters::ParameterServer;
use merrow_yaml::error::known_names;
use std::collections::HashMap;
use std::sync::Arc;

/// Converts the CDR bytes of a request to a command.
type Convert = Box<dyn Fn(&Scene, &ParameterServer, &[u8]) -> Result<Command, String>>;
/// Function that starts a service.
type Start = Box<dyn Fn(&Node, &Mailbox, &Arc<ParameterServer>) -> Result<Service, NodeError>>;

/// Service whose requests become commands.
pub(crate) struct CommandService {
    /// Name, such as `~/fault` or `/rov/arm`.
    pub(crate) name: String,
    /// Type of the service.
    pub(crate) info: ServiceInfo,
    pub(super) convert: Convert,
    start: Start,
}

impl CommandService {
    /// Creates a service from the conversion of its requests. Rejections count for `robot`, or for
    /// the node.
    pub(crate) fn new<S: ServiceOutcome<Outcome = MessageOutcome>>(
        name: impl Into<String>,
        robot: Option<usize>,
        convert: impl Fn(&Scene, &ParameterServer, &S::Request) -> Result<Command, String>
        + Clone
        + Send
        + 'static,
    ) -> Self {
        let name = name.into();
        let (of_bags, label) = (convert.clone(), name.clone());
        Self {
            name,
            info: S::info(),
            convert: Box::new(move |scene, parameters, bytes| {
                let request = from_bytes(bytes).map_err(|e| format!("malformed request: {e}"))?;
                of_bags(scene, parameters, &request)
            }),
            start: Box::new(move |node, mailbox, parameters| {
                let (convert, label) = (convert.clone(), label.clone());
                let parameters = Arc::clone(parameters);
                serve::<S>(
                    node,
                    mailbox,
                    &label.clone(),
                    move |mailbox, request, caller| {
                        let command = convert(&mailbox.scene, &parameters, &request);
                        send_or_reject(mailbox, (robot, &label), command, caller);
                    },
                )
            }),
        }
    }
}

/// Sends a command to the run, or answers why there is none.
fn send_or_reject<S: ServiceOutcome<Outcome = MessageOutcome>>(
    mailbox: &Mailbox,
    (robot, service): (Option<usize>, &str),
    command: Result<Command, String>,
    caller: Caller<S>,
) {
    match command {
        Ok(command) => mailbox.send_command(command, caller),
        Err(why) => {
            mailbox.reject(robot, service, &why);
            caller.answer(Err(why));
        }
    }
}

/// Lists the services of the node itself.
fn of_node() -> Vec<CommandService> {
    vec![
        CommandService::new::<SetPose>("~/set_pose", None, |scene, _, request| {
            set_pose(scene, request)
        }),
        CommandService::new::<Couple>("~/couple", None, |scene, _, request| {
            coupling(scene, request)
        }),
        CommandService::new::<Weather>("~/weather", None, |_, parameters, request| {
            change_weather(parameters, request)
        }),
        CommandService::new::<Fault>("~/fault", None, |scene, _, request| {
            faults::command(scene, request)
        }),
        CommandService::new::<ApplyWrench>("~/apply_wrench", None, |scene, _, request| {
            wrench::apply_command(scene, request)
        }),
        CommandService::new::<ClearWrenches>("~/clear_wrenches", None, |scene, _, request| {
            wrench::clear_command(scene, request)
        }),
    ]
}

/// Lists the services of firmwares, instruments, modems and profiles.
pub(crate) fn of_devices(scene: &Scene) -> Vec<CommandService> {
    let mut all = Vec::new();
    for (name, robot, sensor, on) in instruments::services(scene) {
        all.push(CommandService::new::<Trigger>(
            name,
            Some(robot),
            move |_, _, _| Ok(Command::Device(robot, DeviceCommand::Sample { sensor, on })),
        ));
    }
    for (name, robot, order) in firmware::services(scene) {
        all.push(CommandService::new::<Trigger>(
            name,
            Some(robot),
            move |_, _, _| {
                Ok(Command::Firmware(
                    robot,
                    FirmwareCommand::FirmwareOrder { order },
                ))
            },
        ));
    }
    for (name, robot, service) in motion_control::services(scene) {
        all.push(of_controller(name, robot, service));
    }
    all.extend(modem::services::services(scene));
    all.extend(profile_services::respawn(scene));
    all
}

/// Returns a service of the controller of `robot`.
fn of_controller(
    name: String,
    robot: usize,
    service: motion_control::ControllerService,
) -> CommandService {
    use motion_control::ControllerService;
    match service {
        ControllerService::SetMode => {
            CommandService::new::<SetControlMode>(name, Some(robot), move |_, _, request| {
                motion_control::mode_command(robot, &request.mode)
            })
        }
        ControllerService::Arm => {
            CommandService::new::<SetBool>(name, Some(robot), move |_, _, request| {
                let order = FirmwareOrder::Enable(request.data);
                Ok(Command::Firmware(
                    robot,
                    FirmwareCommand::FirmwareOrder { order },
                ))
            })
        }
    }
}

/// Lists all services of a world whose requests become commands.
pub(super) fn all(scene: &Scene) -> Vec<CommandService> {
    let mut all = of_node();
    all.extend(of_devices(scene));
    all
}

/// Starts all services.
///
/// # Errors
/// An endpoint could not be created.
pub(crate) fn start(
    node: &Node,
    mailbox: &Mailbox,
    parameters: &Arc<ParameterServer>,
) -> Result<Vec<Service>, NodeError> {
    let services = all(&mailbox.scene).into_iter();
    services
        .map(|service| (service.start)(node, mailbox, parameters))
        .collect()
}

/// Returns the topic on which bags contain the requests of services.
pub(crate) fn requests() -> Input {
    let (info, unit) = (ServiceRequest::info(), "requests of services");
    Input::raw(REQUESTS, info, unit, |_, _| {
        Err("expected a topic with commands, found requests of services".into())
    })
}

/// Conversion of recorded requests to commands.
pub(crate) struct RecordedRequests(HashMap<String, CommandService>);

impl RecordedRequests {
    /// Prepares the services of a scene.
    pub(crate) fn new(scene: &Scene) -> Self {
        let services = all(scene).into_iter();
        Self(services.map(|own| (full_name(&own.name), own)).collect())
    }

    /// Converts a recorded request. Changed weather is entered into `parameters`.
    ///
    /// # Errors
    /// One line: the message is malformed, the world has no such service, or the request is
    /// invalid.
    pub(crate) fn command(
        &self,
        scene: &Scene,
        parameters: &ParameterServer,
        bytes: &[u8],
    ) -> Result<Command, String> {
        let recorded: ServiceRequest = read(bytes)?;
        let name = &recorded.service;
        let own = self.0.get(name);
        let own = own.ok_or_else(|| format!("the world has no service {name}"))?;
        if recorded.service_type != own.info.name {
            let (expected, found) = (own.info.name, &recorded.service_type);
            return Err(format!(
                "{name}: expected the type {expected}, found {found}"
            ));
        }
        let command = (own.convert)(scene, parameters, &recorded.request);
        command.map_err(|why| format!("{name}: {why}"))
    }
}

fn set_pose(scene: &Scene, request: &SetPoseRequest) -> Result<Command, String> {
    let p = &request.pose.position;
    find_robot(scene, &request.robot).map(|robot| {
        Command::Body(
            robot,
            BodyCommand::SetPose {
                p_WB: Vec3::new(p.x, p.y, p.z),
                q_WB: from_quaternion(&request.pose.orientation),
                v_WB_B: from_vector3(&request.twist.linear),
                w_WB_B: from_vector3(&request.twist.angular),
            },
        )
    })
}

/// Converts a request to a coupling command.
fn coupling(scene: &Scene, request: &CoupleRequest) -> Result<Command, String> {
    let name = &request.coupling;
    let found = scene.couplings.iter().position(|c| c.name == *name);
    let coupling = found.ok_or_else(|| {
        let names = scene.couplings.iter().map(|c| c.name.as_str());
        format!("no coupling {name:?}{}", known_names(name, names))
    })?;
    let partner = (!request.partner.is_empty()).then_some(&request.partner);
    Ok(Command::SetCoupling {
        coupling,
        engage: request.engage,
        partner: partner.map(|name| find_robot(scene, name)).transpose()?,
    })
}

/// Converts a request to a change of the weather, and enters it into the parameters: a wind
/// parameter that is set later without the other one is combined with its current value.
fn change_weather(
    parameters: &ParameterServer,
    request: &WeatherRequest,
) -> Result<Command, String> {
    let (names, values) = (&request.names, &request.values);
    let current = |name: &str| weather::parameter_value(parameters, name);
    let change = weather::change_from_request(names, values, request.duration_s, current)?;
    parameters.update_values(&weather::to_parameters(names, values));
    Ok(Command::Weather(Box::new(change)))
}
