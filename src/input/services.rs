//! Services of the node: pause, resume, step, reset, set_pose, couple, weather, fault, record,
//! checkpoint.
//!
//! The node's thread passes each request to the run or the recorder, which reply from their own
//! threads. The node therefore keeps serving: a pause is processed while a million steps run.

use crate::input::profile_services;
use crate::input::replay::absolute;
use crate::input::{Mailbox, command_services};
use crate::modem::calls::{self, BridgedCalls};
use crate::node::file_access::FileKind;
use crate::publisher::Task;
use crate::simulation_interfaces;
use crossbeam_channel::Sender;
use merrow_messages::convert::time;
use merrow_messages::msg::stonefish_ros2::{Respawn, RespawnResponse};
use merrow_messages::msg::{
    ApplyWrench, ApplyWrenchResponse, Checkpoint, CheckpointRequest, CheckpointResponse,
    ClearWrenches, ClearWrenchesResponse, Couple, CoupleResponse, Fault, FaultResponse, Record,
    RecordResponse, SaveWorld, SetControlMode, SetControlModeResponse, SetPose, SetPoseResponse,
    StepSimulation, StepSimulationResponse, Weather, WeatherResponse,
};
use merrow_messages::msg::{
    MeasureRange, MeasureRangeResponse, SetModemMac, SetModemMacResponse, SetModemPower,
    SetModemPowerResponse, SetModemRate, SetModemRateResponse,
};
use merrow_model::scene::Scene;
use merrow_model::state::Command;
use merrow_model::state::commands::CommandRejection;
use merrow_ros2::cdr::{from_bytes, to_bytes};
use merrow_ros2::message::Service as ServiceType;
use merrow_ros2::msg::std_srvs::{SetBool, SetBoolResponse, Trigger, TriggerResponse};
use merrow_ros2::node::{Node, NodeError, Responder, Service};
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::qos::Qos;
use merrow_sim::{InputMessage, Reply, Request, StepResult};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Names and types of the node's own services, for `describe`.
pub const SERVICES: [(&str, &str); 14] = [
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

/// Maximum number of requests of one service that wait for their answer. One more is refused: a
/// client that does not wait for its answers would otherwise occupy the run for minutes. The other
/// services, such as `~/pause`, still answer.
const MAX_OPEN: usize = 64;
const BUSY: &str =
    "busy: too many requests of this service wait for their answer; repeat the request later";

/// Returns the full names and the types of all services of a world, for `describe`.
pub fn names(scene: &Scene) -> Vec<(String, &'static str)> {
    let of_world = own_names(scene).into_iter();
    of_world.chain(calls::names(scene)).collect()
}

/// Returns the full names and the types of the services that the simulator offers itself.
pub(crate) fn own_names(scene: &Scene) -> Vec<(String, &'static str)> {
    let own = SERVICES.iter().chain(&simulation_interfaces::SERVICES);
    let own = own.map(|(name, kind)| (name.replace('~', "/merrow"), *kind));
    let full = |(name, kind): (String, _)| (absolute(&name), kind);
    own.chain(device_services(scene).map(full)).collect()
}

/// Returns the names of the services of a world, relative to the namespace of the node.
pub(crate) fn names_in_namespace(scene: &Scene) -> impl Iterator<Item = String> {
    let of_devices = device_services(scene).map(|(name, _)| name);
    let of_bridges = calls::names(scene).into_iter().map(|(name, _)| name);
    of_devices.chain(of_bridges)
}

/// Returns the names and the types of the services of robots and tethers.
fn device_services(scene: &Scene) -> impl Iterator<Item = (String, &'static str)> {
    let of_commands = command_services::of_devices(scene).into_iter();
    let of_profiles = profile_services::services(scene).into_iter();
    of_commands
        .map(|service| (service.name, service.info.name))
        .chain(of_profiles.map(|(name, service)| (name, service.type_name())))
}

/// Starts all services.
///
/// # Errors
/// An endpoint could not be created.
pub(crate) fn start(
    node: &Node,
    mailbox: &Mailbox,
    parameters: &Arc<ParameterServer>,
    tasks: Sender<Task>,
    calls: &Arc<BridgedCalls>,
) -> Result<Vec<Service>, NodeError> {
    let trigger = |name: &str, request: fn(Reply<()>) -> Request| {
        serve::<Trigger>(node, mailbox, name, move |mailbox, _, caller| {
            mailbox.send_request(request(caller.reply(|()| Ok(String::new()))));
        })
    };
    let mut services = vec![
        trigger("~/pause", Request::Pause)?,
        trigger("~/resume", Request::Resume)?,
        trigger("~/reset", Request::Reset)?,
        serve::<StepSimulation>(node, mailbox, "~/step", |mailbox, request, caller| {
            mailbox.send_request(Request::Step(
                request.steps,
                caller.reply(|stepped| stepped),
            ));
        })?,
        serve::<Trigger>(node, mailbox, "~/single_step", |mailbox, _, caller| {
            let outcome = |stepped: StepResult| stepped.result.map(|()| String::new());
            mailbox.send_request(Request::Step(1, caller.reply(outcome)));
        })?,
        serve::<Record>(
            node,
            mailbox,
            "~/record",
            move |mailbox, request, caller| {
                let task = if request.uri.is_empty() {
                    Task::StopRecording(caller.reply(|result: Result<Option<String>, String>| {
                        result?.ok_or_else(|| "no recording is active".to_string())
                    }))
                } else {
                    match mailbox.path_to_write("~/record", &request.uri, FileKind::Bag) {
                        Ok(path) => Task::Record(path, caller.reply(|result| result)),
                        Err(why) => return caller.answer(Err(why)),
                    }
                };
                // if the recorder has ended, the task is dropped together with its caller
                let _ = tasks.send(task);
            },
        )?,
        serve::<Checkpoint>(node, mailbox, "~/checkpoint", checkpoint)?,
    ];
    services.extend(command_services::start(node, mailbox, parameters)?);
    services.extend(profile_services::start(node, mailbox, parameters)?);
    services.extend(calls::start(node, mailbox, calls)?);
    Ok(services)
}

/// Starts a service whose handler receives the mailbox, the request and the caller.
pub(crate) fn serve<S: ServiceOutcome>(
    node: &Node,
    mailbox: &Mailbox,
    name: &str,
    mut handler: impl FnMut(&Mailbox, S::Request, Caller<S>) + Send + 'static,
) -> Result<Service, NodeError> {
    let (mailbox, label) = (mailbox.clone(), name.to_string());
    let open_requests: Arc<AtomicUsize> = Arc::default();
    let answer =
        Box::new(
            move |bytes: &[u8], responder: Responder| match from_bytes::<S::Request>(bytes) {
                Ok(_) if open_requests.load(Ordering::Relaxed) >= MAX_OPEN => {
                    responder.respond(to_bytes(&S::response(S::rejected(BUSY.to_string()))));
                    mailbox.reject(None, &label, BUSY);
                }
                Ok(request) => {
                    let message = command_services::record::<S>(&label, bytes);
                    let caller = Caller::new(responder, message, &open_requests);
                    handler(&mailbox, request, caller);
                }
                // a request that cannot be decoded has no effect and receives no reply
                Err(why) => mailbox.reject(None, &label, &format!("malformed request: {why}")),
            },
        );
    node.deferred_service::<S>(name, &Qos::SERVICE, answer)
}

impl Mailbox {
    /// Sends a request to the run. If the run has ended, the request is dropped together with its
    /// caller.
    fn send_request(&self, request: Request) {
        let _ = self.requests.send(request);
    }

    /// Returns the path of a file that a request names and writes. Reports a name that is refused.
    fn path_to_write(&self, service: &str, name: &str, kind: FileKind) -> Result<PathBuf, String> {
        let path = self.files.path_to_write(name, kind);
        path.inspect_err(|why| self.reject(None, service, why))
    }

    /// Sends a command to the run; its outcome is the reply to the caller. An accepted request is
    /// recorded.
    pub(crate) fn send_command<S: ServiceOutcome<Outcome = MessageOutcome>>(
        &self,
        command: Command,
        mut caller: Caller<S>,
    ) {
        let message = caller.message.take();
        let reply = caller.reply(|result: Result<(), CommandRejection>| {
            result
                .map(|()| String::new())
                .map_err(|rejection| rejection.reason)
        });
        self.send_request(Request::CommandReply(self.version, command, message, reply));
    }
}

/// A service whose response is built from an outcome.
pub(crate) trait ServiceOutcome: ServiceType + 'static {
    /// Outcome of the request.
    type Outcome;
    /// Builds the outcome of a request that was not processed.
    fn rejected(why: String) -> Self::Outcome;
    /// Builds the response from the outcome.
    fn response(outcome: Self::Outcome) -> Self::Response;
}

pub(crate) type MessageOutcome = Result<String, String>;

/// Splits an outcome into success and message, as most responses contain them.
fn split_outcome(outcome: MessageOutcome) -> (bool, String) {
    (outcome.is_ok(), outcome.unwrap_or_else(|why| why))
}

/// Implements services whose response consists of success and message.
macro_rules! message_services {
    ($($service:ident => $response:ident),* $(,)?) => {$(
        impl ServiceOutcome for $service {
            type Outcome = MessageOutcome;
            fn rejected(why: String) -> MessageOutcome {
                Err(why)
            }
            fn response(outcome: MessageOutcome) -> $response {
                let (success, message) = split_outcome(outcome);
                $response { success, message }
            }
        }
    )*};
}

message_services! {
    Trigger => TriggerResponse,
    SetPose => SetPoseResponse,
    Couple => CoupleResponse,
    Weather => WeatherResponse,
    Fault => FaultResponse,
    ApplyWrench => ApplyWrenchResponse,
    ClearWrenches => ClearWrenchesResponse,
    Record => RecordResponse,
    SetControlMode => SetControlModeResponse,
    Respawn => RespawnResponse,
    SetBool => SetBoolResponse,
    Checkpoint => CheckpointResponse,
    SetModemPower => SetModemPowerResponse,
    SetModemRate => SetModemRateResponse,
    SetModemMac => SetModemMacResponse,
    MeasureRange => MeasureRangeResponse,
}

impl ServiceOutcome for StepSimulation {
    type Outcome = StepResult;
    fn rejected(why: String) -> StepResult {
        StepResult {
            time_ns: 0,
            result: Err(why),
        }
    }
    fn response(outcome: StepResult) -> StepSimulationResponse {
        let (success, message) = split_outcome(outcome.result.map(|()| String::new()));
        StepSimulationResponse {
            success,
            message,
            time: time(outcome.time_ns),
        }
    }
}

/// Client that waits for the outcome of a request. If dropped without one, it receives the error
/// that the simulation has ended.
pub(crate) struct Caller<S: ServiceOutcome> {
    responder: Option<Responder>,
    /// Request as a bag contains it.
    message: Option<InputMessage>,
    /// Number of clients of the service that wait, this client included.
    open_requests: Arc<AtomicUsize>,
    service: std::marker::PhantomData<fn() -> S>,
}

impl<S: ServiceOutcome> Caller<S> {
    fn new(responder: Responder, message: InputMessage, open_requests: &Arc<AtomicUsize>) -> Self {
        open_requests.fetch_add(1, Ordering::Relaxed);
        Self {
            open_requests: Arc::clone(open_requests),
            responder: Some(responder),
            message: Some(message),
            service: std::marker::PhantomData,
        }
    }

    pub(crate) fn answer(mut self, outcome: S::Outcome) {
        self.respond(outcome);
    }

    fn respond(&mut self, outcome: S::Outcome) {
        if let Some(responder) = self.responder.take() {
            responder.respond(to_bytes(&S::response(outcome)));
        }
    }

    /// Builds the callback with which the run or the recorder replies.
    fn reply<T>(self, outcome: impl FnOnce(T) -> S::Outcome + Send + 'static) -> Reply<T> {
        Reply::new(move |answer| self.answer(outcome(answer)))
    }
}

impl<S: ServiceOutcome> Drop for Caller<S> {
    fn drop(&mut self) {
        self.respond(S::rejected("the simulation has ended".to_string()));
        self.open_requests.fetch_sub(1, Ordering::Relaxed);
    }
}

fn checkpoint(mailbox: &Mailbox, request: CheckpointRequest, caller: Caller<Checkpoint>) {
    let path = match mailbox.path_to_write("~/checkpoint", &request.uri, FileKind::Checkpoint) {
        Ok(path) => path,
        Err(why) => return caller.answer(Err(why)),
    };
    let writer = mailbox.writer.clone();
    let write = move |taken: Result<Vec<u8>, String>| {
        writer.send(move || {
            let written = taken.and_then(|bytes| crate::node::checkpoint::write(&path, &bytes));
            caller.answer(written.map(|()| String::new()));
        });
    };
    mailbox.send_request(Request::Checkpoint(Reply::new(write)));
}
