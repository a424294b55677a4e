//! `merrow`: our own messages and services, for what no standard interface does. The interface files are in `msg/` and
//! `srv/`.

use merrow_ros2::message::Service;
use merrow_ros2::message::{ros_message, ros_service};
use merrow_ros2::msg::TypeSample;
use merrow_ros2::msg::builtin_interfaces::Time;
use merrow_ros2::msg::geometry_msgs::{Point, Pose, Twist, Vector3};
use merrow_ros2::msg::std_msgs::Header;

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

    /// Lets a coupling of the world take hold or let go.
    pub struct Couple("merrow/srv/Couple") {
        request CoupleRequest {
            /// Name of the coupling.
            coupling: String,
            /// True: take hold, for a latch: capture what comes; false: let go.
            engage: bool,
            /// Robot or prop that a grasp is to take; empty: what it touches, or the nearest.
            partner: String,
        }
        response CoupleResponse {
            /// Whether it was done.
            success: bool,
            /// Why not, for a person to read.
            message: String,
        }
    }

    /// Changes the weather, at once or little by little.
    pub struct Weather("merrow/srv/Weather") {
        request WeatherRequest {
            /// What changes, by the names of the parameters after `weather.`.
            names: Vec<String>,
            /// What each becomes, in the unit of its name.
            values: Vec<f64>,
            /// Time over which it changes evenly; 0: at once \[s\].
            duration_s: f64,
        }
        response WeatherResponse {
            /// Whether the change is under way.
            success: bool,
            /// Why not, for a person to read.
            message: String,
        }
    }

    /// Breaks a device of a robot or a beacon, or repairs it.
    pub struct Fault("merrow/srv/Fault") {
        request FaultRequest {
            /// Name of the fault; one that the robot has already is replaced.
            name: String,
            /// Name of the robot; empty: the device is a beacon of the world.
            robot: String,
            /// The device, as thrusters/port where several devices have its name; battery; a link for a leak; a beacon.
            device: String,
            /// What is wrong with it; none: the fault is repaired.
            kind: String,
            /// Values of the kind by name.
            names: Vec<String>,
            /// One per name.
            values: Vec<f64>,
            /// How long it lasts; 0: for good \[s\].
            duration_s: f64,
        }
        response FaultResponse {
            /// Whether it acts now.
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

ros_message! {
    /// Two bodies that touch at one point.
    pub struct Contact("merrow/msg/Contact") {
        /// Name of the first robot; empty: the terrain or a static structure.
        robot_a: String,
        /// Name of its link; empty where there is none.
        link_a: String,
        /// Name of the collider that touches.
        collider_a: String,
        /// Name of the second robot; empty: the terrain or a static structure.
        robot_b: String,
        /// Name of its link; empty where there is none.
        link_b: String,
        /// Name of the collider that touches.
        collider_b: String,
        /// Where, in the world frame \[m\].
        position: Point,
        /// Unit normal from b to a, in the world frame.
        normal: Vector3,
        /// Distance of the surfaces along the normal \[m\], negative where they overlap.
        separation: f64,
        /// Force on a, in the world frame \[N\]; b feels the opposite.
        force: Vector3,
        /// Impulse on a of the last step, in the world frame \[N s\].
        impulse: Vector3,
    }

    /// All contacts of one instant.
    pub struct Contacts("merrow/msg/Contacts") {
        /// When; the frame is the world.
        header: Header,
        /// One per point.
        contacts: Vec<Contact>,
    }
}

/// One sample of every message type of this package, requests and responses of services included.
pub fn catalogue() -> Vec<TypeSample> {
    vec![
        TypeSample::of::<StepSimulationRequest>(),
        TypeSample::of::<StepSimulationResponse>(),
        TypeSample::of::<SetPoseRequest>(),
        TypeSample::of::<SetPoseResponse>(),
        TypeSample::of::<CoupleRequest>(),
        TypeSample::of::<CoupleResponse>(),
        TypeSample::of::<WeatherRequest>(),
        TypeSample::of::<WeatherResponse>(),
        TypeSample::of::<FaultRequest>(),
        TypeSample::of::<FaultResponse>(),
        TypeSample::of::<RecordRequest>(),
        TypeSample::of::<RecordResponse>(),
        TypeSample::of::<Contact>(),
        TypeSample::of::<Contacts>(),
    ]
}

/// Name and type hash of every service of this package.
pub fn services() -> Vec<(&'static str, &'static str)> {
    fn entry<S: Service>() -> (&'static str, &'static str) {
        (S::TYPE, S::type_hash())
    }
    vec![
        entry::<StepSimulation>(),
        entry::<SetPose>(),
        entry::<Couple>(),
        entry::<Weather>(),
        entry::<Fault>(),
        entry::<Record>(),
    ]
}
