//! Services of the node: pause, resume, step, reset, set_pose, couple, weather, fault, record,
//! checkpoint.
//!
//! The node's thread passes each request to the run or the recorder, which reply from their own
//! threads. The node therefore keeps serving: a pause is processed while a million steps run.

use crate::input::command_services;
use crate::input::mailbox::Mailbox;
use crate::input::profile_services;
use crate::input::serve::{Caller, serve};
use crate::input::service_names::{of_devices, own_names};
use crate::modem::calls::{self, BridgedCalls};
use crate::node::file_access::FileKind;
use crate::publisher::state::Task;
use crossbeam_channel::Sender;
use merrow_messages::msg::{Checkpoint, CheckpointRequest, Record, StepSimulation};
use merrow_model::scene::Scene;
use merrow_ros2::msg::std_srvs::Trigger;
use merrow_ros2::node::{Node, NodeError, Service};
use merrow_ros2::parameters::ParameterServer;
use merrow_sim::{Reply, Request, StepResult};
use std::path::PathBuf;
use std::sync::Arc;

/// Returns the full names and the types of all services of a world, for `describe`.
pub fn names(scene: &Scene) -> Vec<(String, &'static str)> {
    let of_world = own_names(scene).into_iter();
    of_world.chain(calls::names(scene)).collect()
}

/// Returns the names of the services of a world, relative to the namespace of the node.
pub(crate) fn names_in_namespace(scene: &Scene) -> impl Iterator<Item = String> {
    let of_bridges = calls::names(scene).into_iter();
    of_devices(scene).chain(of_bridges).map(|(name, _)| name)
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

impl Mailbox {
    /// Returns the path of a file that a request names and writes. Reports a name that is refused.
    fn path_to_write(&self, service: &str, name: &str, kind: FileKind) -> Result<PathBuf, String> {
        let path = self.files.path_to_write(name, kind);
        path.inspect_err(|why| self.reject(None, service, why))
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
