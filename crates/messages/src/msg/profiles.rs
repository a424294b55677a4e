//! Services of other simulators: UUV Simulator, Plankton and Stonefish.

use merrow_ros2::message::ros_service;
use merrow_ros2::msg::geometry_msgs::Pose;

ros_service! {
    /// Switches a thruster on or off.
    pub struct SetThrusterState("uuv_gazebo_ros_plugins_msgs/srv/SetThrusterState") {
        request SetThrusterStateRequest {
            /// True switches it on.
            on: bool,
        }
        response SetThrusterStateResponse {
            /// Whether the state was set.
            success: bool,
        }
    }

    /// Returns whether a thruster is on.
    pub struct GetThrusterState("uuv_gazebo_ros_plugins_msgs/srv/GetThrusterState") {
        request GetThrusterStateRequest {}
        response GetThrusterStateResponse {
            /// Whether the thruster is on.
            is_on: bool,
        }
    }

    /// Sets the fraction of its thrust that a thruster delivers.
    pub struct SetThrusterEfficiency("uuv_gazebo_ros_plugins_msgs/srv/SetThrusterEfficiency") {
        request SetThrusterEfficiencyRequest {
            /// Fraction of the thrust, 0 to 1.
            efficiency: f64,
        }
        response SetThrusterEfficiencyResponse {
            /// Whether the fraction was set.
            success: bool,
        }
    }

    /// Returns the fraction of its thrust that a thruster delivers.
    pub struct GetThrusterEfficiency("uuv_gazebo_ros_plugins_msgs/srv/GetThrusterEfficiency") {
        request GetThrusterEfficiencyRequest {}
        response GetThrusterEfficiencyResponse {
            /// Fraction of the thrust, 0 to 1.
            efficiency: f64,
        }
    }

    /// Sets the velocity of the current.
    pub struct SetCurrentVelocity("uuv_world_ros_plugins_msgs/srv/SetCurrentVelocity") {
        request SetCurrentVelocityRequest {
            /// Speed of the current [m/s].
            velocity: f64,
            /// Direction to which it flows, counter-clockwise from east [rad].
            horizontal_angle: f64,
            /// Angle above the horizontal [rad].
            vertical_angle: f64,
        }
        response SetCurrentVelocityResponse {
            /// Whether the velocity was set.
            success: bool,
        }
    }

    /// Sets the direction of the current.
    pub struct SetCurrentDirection("uuv_world_ros_plugins_msgs/srv/SetCurrentDirection") {
        request SetCurrentDirectionRequest {
            /// Direction to which it flows, counter-clockwise from east [rad].
            angle: f64,
        }
        response SetCurrentDirectionResponse {
            /// Whether the direction was set.
            success: bool,
        }
    }

    /// Places a robot at a pose, at rest.
    pub struct Respawn("stonefish_ros2/srv/Respawn") {
        request RespawnRequest {
            /// Name of the robot.
            name: String,
            /// Pose in north, east, down.
            origin: Pose,
        }
        response RespawnResponse {
            /// Whether the robot was placed.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }
}
