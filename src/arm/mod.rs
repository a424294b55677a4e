//! Arms and grippers with the interfaces of ros2_control: each group of joints has a trajectory
//! controller and forward controllers, and a gripper has its two actions.
//!
//! This module defines which interfaces a group has and their names. `request.rs` converts messages
//! to trajectories, `follow_joint_trajectory.rs` and `gripper.rs` accept goals, and
//! `goal_status.rs` reports their progress. None of them accesses the simulation state: commands go
//! to the mailbox, and the publisher thread publishes the state.

mod follow_joint_trajectory;
mod goal_status;
mod gripper;
pub mod progress;
mod request;
mod state;

pub use crate::arm::goal_status::{GoalObserver, GroupStatus, RunningAction};
pub use crate::arm::progress::Progress;
pub use crate::arm::request::{goal_number, topic_trajectory};
pub use crate::arm::state::{controller_state, joint_state, joint_state_names};

use crate::input::array_input;
use crate::input::mailbox::Mailbox;
use crate::topics::{ActionPlan, GroupIndex, Input, Output};
use merrow_model::scene::{Drive, JointGroup, JointKind, JointMode, Robot};
use merrow_model::state::JointCommand;
use merrow_ros2::action_type::Action;
use merrow_ros2::message::Service;
use merrow_ros2::msg::control_msgs::{
    follow_joint_trajectory as action, gripper_command, parallel_gripper_command,
};
use merrow_ros2::node::{Node, NodeError};
use std::sync::Arc;

/// Returns true if every joint of the group accepts commands in `mode`.
fn supports_mode(robot: &Robot, group: &JointGroup, mode: JointMode) -> bool {
    group
        .joints
        .iter()
        .all(|joint| match &robot.links[joint + 1].joint.drive {
            Drive::Effort { .. } => mode == JointMode::Effort,
            Drive::Position { .. } => mode == JointMode::Position,
            Drive::Servo(servo) => mode != JointMode::Position || servo.position_gain_per_s > 0.0,
        })
}

/// Returns true if a group is a gripper: it accepts position commands and has one joint, or a name
/// ending in "gripper".
fn is_gripper(robot: &Robot, group: &JointGroup) -> bool {
    supports_mode(robot, group, JointMode::Position)
        && (group.joints.len() == 1 || group.name.ends_with("gripper"))
}

fn groups(robot: usize, model: &Robot) -> impl Iterator<Item = (GroupIndex, &JointGroup)> {
    let groups = model.joint_groups.iter().enumerate();
    groups.map(move |(group, own)| (GroupIndex { robot, group }, own))
}

/// Appends the topics that the groups of a robot publish to `outputs`.
pub fn outputs(index: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    for (group_index, group) in groups(index, robot) {
        let topic = format!("{}/{}_controller/controller_state", robot.name, group.name);
        outputs.push(Output::states(topic, move |moment, states| {
            controller_state(moment.scene, group_index, states)
        }));
    }
}

/// Appends the topics that command the groups of a robot to `inputs`.
pub fn inputs(index: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    for (group_index, group) in groups(index, robot) {
        let names = group.names(robot).collect::<Vec<_>>().join(", ");
        let base = format!("{}/{}", robot.name, group.name);
        if supports_mode(robot, group, JointMode::Position) {
            let unit = unit(robot, group, JointMode::Position);
            let unit = format!("points of {names}: {unit}");
            let topic = format!("{base}_controller/joint_trajectory");
            inputs.push(Input::new(topic, unit, move |arrival, message| {
                topic_trajectory(arrival.scene, group_index, message, arrival.progress)
            }));
        }
        for mode in [JointMode::Position, JointMode::Velocity, JointMode::Effort] {
            if supports_mode(robot, group, mode) {
                let unit = unit(robot, group, mode);
                let unit = format!("one value per joint ({names}): {unit}");
                let topic = format!("{base}_{}_controller/commands", mode.keyword());
                let GroupIndex { robot, group } = group_index;
                inputs.push(array_input(topic, unit, move |values| {
                    JointCommand::JointGroup {
                        group,
                        mode,
                        values,
                    }
                    .of(robot)
                }));
            }
        }
    }
}

/// Returns the unit of a command to the joints of the group.
fn unit(robot: &Robot, group: &JointGroup, mode: JointMode) -> &'static str {
    let slides = |j: &usize| robot.links[j + 1].joint.kind == JointKind::Prismatic;
    let [turning, sliding, mixed] = match mode {
        JointMode::Position => ["rad", "m", "rad or m"],
        JointMode::Velocity => ["rad/s", "m/s", "rad/s or m/s"],
        JointMode::Effort => ["N m", "N", "N m or N"],
    };
    match group.joints.iter().filter(|j| slides(j)).count() {
        0 => turning,
        n if n == group.joints.len() => sliding,
        _ => mixed,
    }
}

/// Lists the actions of the groups of a robot.
pub fn actions(index: usize, robot: &Robot) -> Vec<ActionPlan> {
    let mut actions = Vec::new();
    for (group_index, group) in groups(index, robot) {
        let mut add = |end: &str, kind| {
            let name = format!("{}/{}{end}", robot.name, group.name);
            actions.push(ActionPlan {
                name,
                kind,
                group_index,
            });
        };
        if supports_mode(robot, group, JointMode::Position) {
            let end = "_controller/follow_joint_trajectory";
            add(end, action::Action::TYPE);
        }
        if is_gripper(robot, group) {
            add("_controller/gripper_cmd", gripper_command::Action::TYPE);
            let end = "_parallel_controller/gripper_cmd";
            add(end, parallel_gripper_command::Action::TYPE);
        }
    }
    actions
}

/// Starts an action. Returns the server and the observer that reports on its goals.
///
/// # Errors
/// An endpoint could not be created.
pub fn serve(
    node: &Node,
    plan: &ActionPlan,
    mailbox: &Mailbox,
) -> Result<(RunningAction, Arc<dyn GoalObserver>), NodeError> {
    let start = match plan.kind {
        gripper_command::Action::TYPE => goal_status::start::<gripper_command::Action>,
        parallel_gripper_command::Action::TYPE => {
            goal_status::start::<parallel_gripper_command::Action>
        }
        _ => goal_status::start::<action::Action>,
    };
    start(node, &plan.name, plan.group_index, mailbox)
}

/// Lists the services of an action: the name after `_action/`, and the type.
pub fn action_services(kind: &'static str) -> [(&'static str, String); 3] {
    [
        ("send_goal", format!("{kind}_SendGoal")),
        (
            "cancel_goal",
            merrow_ros2::msg::action_msgs::CancelGoal::TYPE.to_string(),
        ),
        ("get_result", format!("{kind}_GetResult")),
    ]
}
