//! `control_msgs`: messages of the controllers of ros2_control, as in Jazzy (version 5).
//!
//! Humble has the same actions and a longer controller state. Version 6 has two more fields in the
//! feedback of a trajectory.

use crate::action_type::ros_action;
use crate::message::ros_message;
use crate::msg::builtin_interfaces::Duration;
use crate::msg::sensor_msgs::JointState;
use crate::msg::std_msgs::Header;
use crate::msg::trajectory_msgs::{
    JointTrajectory, JointTrajectoryPoint, MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint,
};

ros_message! {
    /// Allowed deviation of a joint from its reference. 0 selects the controller's default; -1
    /// means unlimited.
    pub struct JointTolerance("control_msgs/msg/JointTolerance") {
        /// Name of the joint.
        name: String,
        /// Position tolerance \[rad or m\].
        position: f64,
        /// Velocity tolerance \[rad/s or m/s\].
        velocity: f64,
        /// Acceleration tolerance \[rad/s^2 or m/s^2\].
        acceleration: f64,
    }

    /// Allowed deviation of one component of a joint with several degrees of freedom.
    pub struct JointComponentTolerance("control_msgs/msg/JointComponentTolerance") {
        /// Name of the joint.
        joint_name: String,
        /// Component of the joint, one of the constants.
        component: u16,
        /// Position tolerance \[m or rad\].
        position: f64,
        /// Velocity tolerance \[m/s or rad/s\].
        velocity: f64,
        /// Acceleration tolerance \[m/s^2 or rad/s^2\].
        acceleration: f64,
    } consts {
        X_AXIS: u16 = 1,
        Y_AXIS: u16 = 2,
        Z_AXIS: u16 = 3,
        TRANSLATION: u16 = 4,
        ROTATION: u16 = 5,
    }

    /// State of a trajectory controller: reference, measured state, error and command.
    pub struct JointTrajectoryControllerState("control_msgs/msg/JointTrajectoryControllerState") {
        /// Time of the data.
        header: Header,
        /// Names of the joints.
        joint_names: Vec<String>,
        /// Reference state of the joints.
        reference: JointTrajectoryPoint,
        /// Measured state of the joints.
        feedback: JointTrajectoryPoint,
        /// Error: reference minus feedback.
        error: JointTrajectoryPoint,
        /// Command to the drives.
        output: JointTrajectoryPoint,
        /// Names of joints with several degrees of freedom.
        multi_dof_joint_names: Vec<String>,
        /// Reference state of these joints.
        multi_dof_reference: MultiDOFJointTrajectoryPoint,
        /// Measured state of these joints.
        multi_dof_feedback: MultiDOFJointTrajectoryPoint,
        /// Reference minus feedback of these joints.
        multi_dof_error: MultiDOFJointTrajectoryPoint,
        /// Command to these joints.
        multi_dof_output: MultiDOFJointTrajectoryPoint,
        /// Ratio of the execution speed to the planned speed; 1 is as planned.
        speed_scaling_factor: f64,
    }

    /// Target position of a gripper and limit of its effort.
    pub struct GripperCommand("control_msgs/msg/GripperCommand") {
        /// Position of the gripper's joint \[m or rad\].
        position: f64,
        /// Maximum effort \[N or N m\]; 0 means the maximum of the gripper.
        max_effort: f64,
    }
}

ros_action! {
    /// Action that moves joints along a trajectory.
    pub mod follow_joint_trajectory("control_msgs/action/FollowJointTrajectory") {
        goal {
            /// Trajectory of joints with one degree of freedom.
            trajectory: JointTrajectory,
            /// Trajectory of joints with several degrees of freedom.
            multi_dof_trajectory: MultiDOFJointTrajectory,
            /// Tolerances along the path.
            path_tolerance: Vec<JointTolerance>,
            /// Path tolerances of joints with several degrees of freedom.
            component_path_tolerance: Vec<JointComponentTolerance>,
            /// Tolerances at the end of the trajectory.
            goal_tolerance: Vec<JointTolerance>,
            /// Goal tolerances of joints with several degrees of freedom.
            component_goal_tolerance: Vec<JointComponentTolerance>,
            /// Time by which the joints may arrive later than planned; 0 selects the controller's
            /// default.
            goal_time_tolerance: Duration,
        }
        result {
            /// Result code, one of the constants.
            error_code: i32,
            /// Description of the outcome for users.
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
            /// Time of the data.
            header: Header,
            /// Names of the joints.
            joint_names: Vec<String>,
            /// Desired state of the joints.
            desired: JointTrajectoryPoint,
            /// Measured state of the joints.
            actual: JointTrajectoryPoint,
            /// Error: desired minus actual state.
            error: JointTrajectoryPoint,
            /// Names of joints with several degrees of freedom.
            multi_dof_joint_names: Vec<String>,
            /// Desired state of these joints.
            multi_dof_desired: MultiDOFJointTrajectoryPoint,
            /// Measured state of these joints.
            multi_dof_actual: MultiDOFJointTrajectoryPoint,
            /// Desired minus actual of these joints.
            multi_dof_error: MultiDOFJointTrajectoryPoint,
        }
    }

    /// Action that opens or closes a gripper.
    pub mod gripper_command("control_msgs/action/GripperCommand") {
        goal {
            /// Target position and maximum effort.
            command: GripperCommand,
        }
        result {
            /// Position of the gripper's joint \[m or rad\].
            position: f64,
            /// Effort of the gripper's joint \[N or N m\].
            effort: f64,
            /// Whether the gripper exerts effort without moving.
            stalled: bool,
            /// Whether the gripper reached the commanded position.
            reached_goal: bool,
        }
        feedback {
            /// Position of the gripper's joint \[m or rad\].
            position: f64,
            /// Effort of the gripper's joint \[N or N m\].
            effort: f64,
            /// Whether the gripper exerts effort without moving.
            stalled: bool,
            /// Whether the gripper reached the commanded position.
            reached_goal: bool,
        }
    }

    /// Action that opens or closes a gripper and that replaces `GripperCommand`.
    pub mod parallel_gripper_command("control_msgs/action/ParallelGripperCommand") {
        goal {
            /// Target position of the gripper's joint and, optionally, its maximum velocity and
            /// effort.
            command: JointState,
        }
        result {
            /// State of the gripper's joint.
            state: JointState,
            /// Whether the gripper exerts effort without moving.
            stalled: bool,
            /// Whether the gripper reached the commanded position.
            reached_goal: bool,
        }
        feedback {
            /// State of the gripper's joint.
            state: JointState,
        }
    }
}
