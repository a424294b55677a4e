//! `control_msgs`: what the controllers of ros2_control speak, as in Jazzy (version 5).
//!
//! Humble has the same actions and a longer controller state; version 6 has two more fields in a trajectory's feedback.

use crate::action_type::ros_action;
use crate::message::ros_message;
use crate::msg::builtin_interfaces::Duration;
use crate::msg::sensor_msgs::JointState;
use crate::msg::std_msgs::Header;
use crate::msg::trajectory_msgs::{
    JointTrajectory, JointTrajectoryPoint, MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint,
};

ros_message! {
    /// How far a joint may be from where it should be; 0: the controller's default, -1: as far as it likes.
    pub struct JointTolerance("control_msgs/msg/JointTolerance") {
        /// Name of the joint.
        name: String,
        /// In position \[rad or m\].
        position: f64,
        /// In velocity \[rad/s or m/s\].
        velocity: f64,
        /// In acceleration \[rad/s^2 or m/s^2\].
        acceleration: f64,
    }

    /// The same for one component of a joint with several degrees of freedom.
    pub struct JointComponentTolerance("control_msgs/msg/JointComponentTolerance") {
        /// Name of the joint.
        joint_name: String,
        /// Which component, a constant.
        component: u16,
        /// In position \[m or rad\].
        position: f64,
        /// In velocity \[m/s or rad/s\].
        velocity: f64,
        /// In acceleration \[m/s^2 or rad/s^2\].
        acceleration: f64,
    } consts {
        X_AXIS: u16 = 1,
        Y_AXIS: u16 = 2,
        Z_AXIS: u16 = 3,
        TRANSLATION: u16 = 4,
        ROTATION: u16 = 5,
    }

    /// What a trajectory controller wants, measures and commands; `output` holds what it commands.
    pub struct JointTrajectoryControllerState("control_msgs/msg/JointTrajectoryControllerState") {
        /// When.
        header: Header,
        /// Names of the joints.
        joint_names: Vec<String>,
        /// Where they should be.
        reference: JointTrajectoryPoint,
        /// Where they are, as measured.
        feedback: JointTrajectoryPoint,
        /// Reference minus feedback.
        error: JointTrajectoryPoint,
        /// What is commanded to the drives.
        output: JointTrajectoryPoint,
        /// Names of joints with several degrees of freedom.
        multi_dof_joint_names: Vec<String>,
        /// Where those should be.
        multi_dof_reference: MultiDOFJointTrajectoryPoint,
        /// Where those are.
        multi_dof_feedback: MultiDOFJointTrajectoryPoint,
        /// How far those are off.
        multi_dof_error: MultiDOFJointTrajectoryPoint,
        /// What is commanded to those.
        multi_dof_output: MultiDOFJointTrajectoryPoint,
        /// Speed of the execution, 1 as planned.
        speed_scaling_factor: f64,
    }

    /// Where a gripper is to go, and how hard it may press.
    pub struct GripperCommand("control_msgs/msg/GripperCommand") {
        /// Position of the gripper's joint \[m or rad\].
        position: f64,
        /// Largest effort \[N or N m\]; 0: as much as it has.
        max_effort: f64,
    }
}

ros_action! {
    /// Moves joints along a trajectory.
    pub mod follow_joint_trajectory("control_msgs/action/FollowJointTrajectory") {
        goal {
            /// Of joints with one degree of freedom.
            trajectory: JointTrajectory,
            /// Of joints with several.
            multi_dof_trajectory: MultiDOFJointTrajectory,
            /// Tolerances on the way.
            path_tolerance: Vec<JointTolerance>,
            /// The same of joints with several degrees of freedom.
            component_path_tolerance: Vec<JointComponentTolerance>,
            /// Tolerances at the end.
            goal_tolerance: Vec<JointTolerance>,
            /// The same of joints with several degrees of freedom.
            component_goal_tolerance: Vec<JointComponentTolerance>,
            /// How much later than planned the joints may arrive; 0: the controller's default.
            goal_time_tolerance: Duration,
        }
        result {
            /// A constant.
            error_code: i32,
            /// What happened, for a person to read.
            error_string: String,
        } consts {
            SUCCESSFUL: i32 = 0,
            INVALID_GOAL: i32 = -1,
            INVALID_JOINTS: i32 = -2,
            OLD_HEADER_TIMESTAMP: i32 = -3,
            PATH_TOLERANCE_VIOLATED: i32 = -4,
            GOAL_TOLERANCE_VIOLATED: i32 = -5,
        }
        feedback {
            /// When.
            header: Header,
            /// Names of the joints.
            joint_names: Vec<String>,
            /// Where they should be.
            desired: JointTrajectoryPoint,
            /// Where they are, as measured.
            actual: JointTrajectoryPoint,
            /// Desired minus actual.
            error: JointTrajectoryPoint,
            /// Names of joints with several degrees of freedom.
            multi_dof_joint_names: Vec<String>,
            /// Where those should be.
            multi_dof_desired: MultiDOFJointTrajectoryPoint,
            /// Where those are.
            multi_dof_actual: MultiDOFJointTrajectoryPoint,
            /// How far those are off.
            multi_dof_error: MultiDOFJointTrajectoryPoint,
        }
    }

    /// Opens or closes a gripper.
    pub mod gripper_command("control_msgs/action/GripperCommand") {
        goal {
            /// Where to, and how hard.
            command: GripperCommand,
        }
        result {
            /// Position of the gripper's joint \[m or rad\].
            position: f64,
            /// Its effort \[N or N m\].
            effort: f64,
            /// Whether it presses and does not move.
            stalled: bool,
            /// Whether it is where it was to go.
            reached_goal: bool,
        }
        feedback {
            /// Position of the gripper's joint \[m or rad\].
            position: f64,
            /// Its effort \[N or N m\].
            effort: f64,
            /// Whether it presses and does not move.
            stalled: bool,
            /// Whether it is where it was to go.
            reached_goal: bool,
        }
    }

    /// Opens or closes a gripper; the form that replaces `GripperCommand`.
    pub mod parallel_gripper_command("control_msgs/action/ParallelGripperCommand") {
        goal {
            /// Position, and if given the largest velocity and effort, of the gripper's joint.
            command: JointState,
        }
        result {
            /// State of the gripper's joint.
            state: JointState,
            /// Whether it presses and does not move.
            stalled: bool,
            /// Whether it is where it was to go.
            reached_goal: bool,
        }
        feedback {
            /// State of the gripper's joint.
            state: JointState,
        }
    }
}
