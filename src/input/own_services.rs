//! The services that the simulator offers itself: names, types, conversion of requests to commands,
//! and requests in bags.
//!
//! A bag contains each accepted request as a merrow/ServiceRequest. A replay converts the request
//! as the service does. Service introspection of ROS has a type per service, such as
//! `merrow_msgs/srv/Fault_Event`, which readers of bags refuse (mcap-ros2-support 0.6.0).
//!
//! The node's thread passes each request to the run or the recorder, which reply from their own
//! threads. The node therefore keeps serving: a pause is processed while a million steps run.

use crate::input::mailbox::{Mailbox, find_named, find_robot, read};
use crate::input::node_service::{Context, NodeService};
use crate::input::serve::{Caller, REQUESTS, full_name};
use crate::input::{faults, firmware, motion_control, profile_services, wrench};
use crate::modem;
use crate::node::file_access::FileKind;
use crate::node::map;
use crate::node::parameters::weather;
use crate::publisher::state::Task;
use crate::simulation_interfaces::names;
use crate::topics::Input;
use merrow_messages::convert::{from_point, from_quaternion, from_vector3, instruments, time};
use merrow_messages::msg::{
    ApplyWrench, Checkpoint, CheckpointRequest, ClearWrenches, Couple, CoupleRequest, Fault,
    Record, RecordRequest, SaveWorld, ServiceRequest, SetPose, SetPoseRequest, StepSimulation,
    StepSimulationResponse, Weather, WeatherRequest,
};
use merrow_model::scene::Scene;
use merrow_model::state::{BodyCommand, Command, DeviceCommand};
use merrow_ros2::message::Message;
use merrow_ros2::msg::Outcome;
use merrow_ros2::msg::std_srvs::Trigger;
use merrow_ros2::parameters::ParameterServer;
use merrow_sim::{Reply, Request, StepResult};
use std::collections::HashMap;
use std::path::PathBuf;

/// Lists the services of the node itself.
fn of_node() -> Vec<NodeService> {
    let trigger = |name: &str, request: fn(Reply<()>) -> Request| {
        NodeService::other::<Trigger>(name, move |Context { mailbox, .. }, _, caller| {
            mailbox.send_request(request(caller.reply(|()| Ok(String::new()))));
        })
    };
    vec![
        trigger("~/pause", Request::Pause),
        trigger("~/resume", Request::Resume),
        trigger("~/reset", Request::Reset),
        NodeService::other::<StepSimulation>("~/step", |context, request, caller| {
            let reply = Reply::new(move |stepped: StepResult| {
                let done = stepped.result.map(|()| String::new());
                caller.send(&StepSimulationResponse {
                    time: time(stepped.time_ns),
                    ..Outcome::of(done.into())
                });
            });
            context
                .mailbox
                .send_request(Request::Step(request.steps, reply));
        }),
        NodeService::other::<Trigger>("~/single_step", |context, _, caller| {
            let reply = caller.reply(|stepped: StepResult| stepped.result.map(|()| String::new()));
            context.mailbox.send_request(Request::Step(1, reply));
        }),
        NodeService::other::<Trigger>("~/wait_for_delivery", |context, _, caller| {
            let reply = caller.reply(|done: Result<(), String>| done.map(|()| String::new()));
            // if the publisher has ended, the task is dropped together with its caller
            let _ = context.mailbox.run.tasks.send(Task::Deliver(reply));
        }),
        NodeService::command::<SetPose>("~/set_pose", None, |scene, _, request| {
            set_pose(scene, request)
        }),
        NodeService::command::<Couple>("~/couple", None, |scene, _, request| {
            coupling(scene, request)
        }),
        NodeService::command::<Weather>("~/weather", None, |_, parameters, request| {
            change_weather(parameters, request)
        }),
        NodeService::command::<Fault>("~/fault", None, |scene, _, request| {
            faults::command(scene, request)
        }),
        NodeService::command::<ApplyWrench>("~/apply_wrench", None, |scene, _, request| {
            wrench::apply_command(scene, request)
        }),
        NodeService::command::<ClearWrenches>("~/clear_wrenches", None, |scene, _, request| {
            wrench::clear_command(scene, request)
        }),
        NodeService::of_editor::<SaveWorld>("~/save_world"),
        NodeService::other::<Record>("~/record", record),
        NodeService::other::<Checkpoint>("~/checkpoint", checkpoint),
    ]
}

/// Lists the services of the occupancy grid, firmwares, instruments, modems and profiles.
fn of_devices(scene: &Scene) -> Vec<NodeService> {
    let mut all = Vec::new();
    for (name, robot, sensor, on) in instruments::services(scene) {
        let sample = DeviceCommand::Sample { sensor, on }.of(robot);
        let convert = move |_: &_, _: &_, _: &_| Ok(sample.clone());
        all.push(NodeService::command::<Trigger>(name, Some(robot), convert));
    }
    for (i, robot) in scene.robots.iter().enumerate() {
        firmware::services(i, robot, &mut all);
    }
    for (i, robot) in scene.robots.iter().enumerate() {
        motion_control::services(i, robot, &mut all);
    }
    all.extend(map::service(scene));
    all.extend(modem::services::services(scene));
    all.extend(profile_services::services(scene));
    all
}

/// Lists all services that the node itself offers.
pub(super) fn all(scene: &Scene) -> Vec<NodeService> {
    let mut all = of_node();
    all.extend(of_devices(scene));
    all
}

/// Returns the full names and the types of the services that the simulator offers itself.
pub(crate) fn own_names(scene: &Scene) -> Vec<(String, &'static str)> {
    let full = |service: NodeService| (full_name(&service.name), service.info.name);
    let mut all: Vec<_> = of_node().into_iter().map(full).collect();
    all.extend(names::services());
    all.extend(of_devices(scene).into_iter().map(full));
    all
}

/// Returns the names of the services of robots and tethers, relative to the namespace of the node.
pub(crate) fn names_of_devices(scene: &Scene) -> impl Iterator<Item = String> {
    of_devices(scene).into_iter().map(|service| service.name)
}

/// Starts or ends the recording of a bag.
fn record(Context { mailbox, .. }: Context<'_>, request: RecordRequest, caller: Caller<Record>) {
    let task = if request.uri.is_empty() {
        Task::StopRecording(caller.reply(|done: Result<Option<String>, String>| {
            done?.ok_or_else(|| "no recording is active".to_string())
        }))
    } else {
        match mailbox.path_to_write("~/record", &request.uri, FileKind::Bag) {
            Ok(path) => Task::Record(path, caller.reply(|done| done)),
            Err(why) => return caller.answer(Err(why)),
        }
    };
    // if the recorder has ended, the task is dropped together with its caller
    let _ = mailbox.run.tasks.send(task);
}

/// Writes a checkpoint.
fn checkpoint(
    Context { mailbox, .. }: Context<'_>,
    request: CheckpointRequest,
    caller: Caller<Checkpoint>,
) {
    let path = match mailbox.path_to_write("~/checkpoint", &request.uri, FileKind::Checkpoint) {
        Ok(path) => path,
        Err(why) => return caller.answer(Err(why)),
    };
    let writer = mailbox.run.writer.clone();
    let write = move |taken: Result<Vec<u8>, String>| {
        writer.send(move || {
            let written = taken.and_then(|bytes| crate::node::checkpoint::write(&path, &bytes));
            caller.answer(written.map(|()| String::new()));
        });
    };
    mailbox.send_request(Request::Checkpoint(Reply::new(write)));
}

impl Mailbox {
    /// Returns the path of a file that a request names and writes. Reports a name that is refused.
    fn path_to_write(&self, service: &str, name: &str, kind: FileKind) -> Result<PathBuf, String> {
        let path = self.run.files.path_to_write(name, kind);
        path.inspect_err(|why| self.reject(None, service, why))
    }
}

/// Returns the topic on which bags contain the requests of services.
pub(crate) fn requests() -> Input {
    let (info, unit) = (ServiceRequest::info(), "requests of services");
    Input::raw(REQUESTS, info, unit, |_, _| {
        Err("expected a topic with commands, found requests of services".into())
    })
}

/// Conversion of recorded requests to commands.
pub(crate) struct RecordedRequests(HashMap<String, NodeService>);

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
        let own = own.and_then(|own| Some((own.info.name, own.convert.as_ref()?)));
        let (expected, convert) = own.ok_or_else(|| format!("the world has no service {name}"))?;
        if recorded.service_type != expected {
            let found = &recorded.service_type;
            return Err(format!(
                "{name}: expected the type {expected}, found {found}"
            ));
        }
        let command = convert(scene, parameters, &recorded.request);
        command.map_err(|why| format!("{name}: {why}"))
    }
}

fn set_pose(scene: &Scene, request: &SetPoseRequest) -> Result<Command, String> {
    find_robot(scene, &request.robot).map(|robot| {
        BodyCommand::SetPose {
            p_WB: from_point(&request.pose.position),
            q_WB: from_quaternion(&request.pose.orientation),
            v_WB_B: from_vector3(&request.twist.linear),
            w_WB_B: from_vector3(&request.twist.angular),
        }
        .of(robot)
    })
}

/// Converts a request to a coupling command.
fn coupling(scene: &Scene, request: &CoupleRequest) -> Result<Command, String> {
    let names = scene.couplings.iter().map(|coupling| &coupling.name);
    let coupling = find_named("coupling", &request.coupling, names)?;
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
