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
use crossbeam_channel::{Sender, bounded};
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
        let mailbox = mailbox.clone();
        serve::<Trigger>(node, name, move |_| {
            let (reply, answer) = bounded(1);
            let message = ask(&mailbox, request(reply), &answer).err().unwrap_or_default();
            TriggerResponse { success: message.is_empty(), message }
        })
    };
    let (stepper, poser) = (mailbox.clone(), mailbox.clone());
    Ok(vec![
        trigger("~/pause", Request::Pause)?,
        trigger("~/resume", Request::Resume)?,
        trigger("~/reset", Request::Reset)?,
        serve::<StepSimulation>(node, "~/step", move |request| step(&stepper, request.steps))?,
        serve::<SetPose>(node, "~/set_pose", move |request| {
            let message = set_pose(&poser, &request).err().unwrap_or_default();
            SetPoseResponse { success: message.is_empty(), message }
        })?,
        serve::<Record>(node, "~/record", move |request| {
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
    name: &str,
    mut handler: impl FnMut(S::Request) -> S::Response + Send + 'static,
) -> Result<Service, NodeError> {
    let answer = Box::new(move |bytes: &[u8]| {
        // a request that cannot be read gets no answer and changes nothing
        from_bytes::<S::Request>(bytes).ok().map(|request| to_bytes(&handler(request)))
    });
    node.service(name, S::Request::info(), S::Response::info(), &Qos::SERVICE, answer)
}

fn ask<T>(mailbox: &Mailbox, request: Request, answer: &crossbeam_channel::Receiver<T>) -> Result<T, String> {
    let gone = || "the world has ended".to_string();
    mailbox.requests.send(request).map_err(|_| gone())?;
    answer.recv_timeout(PATIENCE).map_err(|_| gone())
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
    let robot = robot.ok_or_else(|| format!("no robot {name:?}"))?;
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
