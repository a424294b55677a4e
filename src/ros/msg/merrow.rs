//! `merrow`: our own services, for what no standard interface does. The interface files are in `srv/`.

use super::builtin_interfaces::Time;
use super::geometry_msgs::{Pose, Twist};
use crate::ros::message::ros_service;

ros_service! {
    /// Advances a paused or lock-step simulation.
    pub struct StepSimulation("merrow/srv/StepSimulation") {
        request StepSimulationRequest {
            /// Number of steps to advance, at least 1.
            steps: u64 = 1,
        }
        response StepSimulationResponse {
            /// Whether all steps were made.
            success: bool,
            /// Why not, for a person to read.
            message: String,
            /// Simulation time after the last step.
            time: Time,
        }
    }

    /// Puts a robot somewhere, at once.
    pub struct SetPose("merrow/srv/SetPose") {
        request SetPoseRequest {
            /// Name of the robot.
            robot: String,
            /// Pose of the robot's base_link in the world frame (ENU) \[m, unit quaternion\].
            pose: Pose,
            /// Velocity of the robot's base_link in base_link (FLU) \[m/s, rad/s\].
            twist: Twist,
        }
        response SetPoseResponse {
            /// Whether the robot is there now.
            success: bool,
            /// Why not, for a person to read.
            message: String,
        }
    }

    /// Starts or stops recording a bag.
    pub struct Record("merrow/srv/Record") {
        request RecordRequest {
            /// The MCAP file to write; empty: stop recording.
            uri: String,
        }
        response RecordResponse {
            /// Whether recording started or stopped as asked.
            success: bool,
            /// Why not, or what was written, for a person to read.
            message: String,
        }
    }
}
