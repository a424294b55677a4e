//! Services of the node: pause, resume, step, reset, set_pose, record.

use super::cdr::{from_bytes, to_bytes};
use super::convert::{quat, time, vec3};
use super::dds::Service;
use super::dds::{Node, NodeError};
use super::inputs::Mailbox;
use super::message::{Message, Service as ServiceType};
use super::msg::merrow::{
    Record, RecordResponse, SetPose, SetPoseRequest, SetPoseResponse, StepSimulation, StepSimulationResponse,
};
use super::msg::std_srvs::{Trigger, TriggerResponse};
use super::outlet::{self, Task};
use super::qos::Qos;
use crate::math::Vec3;
use crate::sim::Request;
use crate::state::Command;
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use std::path::PathBuf;
use std::time::Duration;

/// Longest wait for the running world.
const PATIENCE: Duration = Duration::from_secs(60);

/// Names and types of all services, for `describe`.
pub const SERVICES: [(&str, &str); 6] = [
    ("~/pause", Trigger::TYPE),
    ("~/resume", Trigger::TYPE),
    ("~/reset", Trigger::TYPE),
    ("~/step", StepSimulation::TYPE),
    ("~/set_pose", SetPose::TYPE),
    ("~/record", Record::TYPE),
];

/// Starts all services.
///
/// # Errors
/// An endpoint could not be made.
pub fn start(node: &Node, mailbox: &Mailbox, tasks: Sender<Task>) -> Result<Vec<Service>, NodeError> {
    let trigger = |name: &str, request: fn(Sender<()>) -> Request| {
        serve::<Trigger>(node, mailbox, name, move |mailbox, _| {
            let (reply, answer) = bounded(1);
            let message = ask(mailbox, request(reply), &answer).err().unwrap_or_default();
            TriggerResponse { success: message.is_empty(), message }
        })
    };
    Ok(vec![
        trigger("~/pause", Request::Pause)?,
        trigger("~/resume", Request::Resume)?,
        trigger("~/reset", Request::Reset)?,
        serve::<StepSimulation>(node, mailbox, "~/step", |mailbox, request| step(mailbox, request.steps))?,
        serve::<SetPose>(node, mailbox, "~/set_pose", |mailbox, request| {
            let message = set_pose(mailbox, &request).err().unwrap_or_default();
            SetPoseResponse { success: message.is_empty(), message }
        })?,
        serve::<Record>(node, mailbox, "~/record", move |_, request| {
            let path = (!request.uri.is_empty()).then(|| PathBuf::from(&request.uri));
            match outlet::record(&tasks, path) {
                Ok(message) => RecordResponse { success: true, message },
                Err(message) => RecordResponse { success: false, message },
            }
        })?,
    ])
}

fn serve<S: ServiceType>(
    node: &Node,
    mailbox: &Mailbox,
    name: &str,
    mut handler: impl FnMut(&Mailbox, S::Request) -> S::Response + Send + 'static,
) -> Result<Service, NodeError> {
    let (mailbox, label) = (mailbox.clone(), name.to_string());
    let answer = Box::new(move |bytes: &[u8]| match from_bytes::<S::Request>(bytes) {
        Ok(request) => Some(to_bytes(&handler(&mailbox, request))),
        // a request that cannot be read gets no answer and changes nothing
        Err(why) => {
            mailbox.refuse(None, &label, &format!("a malformed request: {why}"));
            None
        }
    });
    node.service(name, S::Request::info(), S::Response::info(), &Qos::SERVICE, answer)
}

fn ask<T>(mailbox: &Mailbox, request: Request, answer: &crossbeam_channel::Receiver<T>) -> Result<T, String> {
    let gone = || "the world has ended".to_string();
    mailbox.requests.send(request).map_err(|_| gone())?;
    answer.recv_timeout(PATIENCE).map_err(|e| match e {
        RecvTimeoutError::Timeout => format!("not done within {} s, and still under way", PATIENCE.as_secs()),
        RecvTimeoutError::Disconnected => gone(),
    })
}

fn step(mailbox: &Mailbox, steps: u64) -> StepSimulationResponse {
    let (reply, answer) = bounded(1);
    match ask(mailbox, Request::Step(steps, reply), &answer).and_then(|result| result) {
        Ok(now_ns) => StepSimulationResponse { success: true, message: String::new(), time: time(now_ns) },
        Err(message) => StepSimulationResponse { success: false, message, ..Default::default() },
    }
}

fn set_pose(mailbox: &Mailbox, request: &SetPoseRequest) -> Result<(), String> {
    let name = &request.robot;
    let robot = mailbox.scene.robots.iter().position(|r| r.name == *name);
    let robot = robot.ok_or_else(|| {
        let why = format!("no robot {name:?}");
        mailbox.refuse(None, "~/set_pose", &why);
        why
    })?;
    let p = &request.pose.position;
    let command = Command::SetPose {
        robot,
        p_WB: Vec3::new(p.x, p.y, p.z),
        q_WB: quat(&request.pose.orientation),
        v_WB_B: vec3(&request.twist.linear),
        w_WB_B: vec3(&request.twist.angular),
    };
    let (reply, answer) = bounded(1);
    ask(mailbox, Request::CommandReply(command, reply), &answer)?.map_err(|refusal| refusal.reason)
}
