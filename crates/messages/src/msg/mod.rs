//! Messages of vessels and of this project.
//!
//! The types of the package `merrow_msgs` serve functions without a standard interface; its
//! interface files are in `ros/merrow_msgs`. The modules contain the standard packages for marine
//! sensors. Types that do not concern vessels are in the crate `ros2`.

pub mod computer;
pub mod marine_acoustic_msgs;
pub mod marine_sensor_msgs;
pub mod modem;
pub mod nmea_msgs;
pub mod profiles;

pub use crate::msg::computer::{ComputerStatus, TaskInterval, TaskSchedule, TaskStatus};
pub use crate::msg::modem::{
    LinkStatus, LinkTable, MeasureRange, ModemActivity, ModemSchedule, ModemStatus, Packet,
    PacketLog, PacketRecord, SetModemMac, SetModemPower, SetModemRate,
};

use merrow_ros2::message::{Service, ServiceInfo};
use merrow_ros2::message::{ros_message, ros_service};
use merrow_ros2::msg::TypeSample;
use merrow_ros2::msg::builtin_interfaces::Time;
use merrow_ros2::msg::geometry_msgs::{Point, Pose, Twist, Vector3, Wrench};
use merrow_ros2::msg::std_msgs::Header;

ros_message! {
    /// Number with a header, as UUV Simulator and Plankton send it to thrusters and fins.
    pub struct FloatStamped("uuv_gazebo_ros_plugins_msgs/msg/FloatStamped") {
        /// Time of the command.
        header: Header,
        /// Value of the command.
        data: f64,
    }
}

ros_message! {
    /// Accepted request of a service, in bags.
    pub struct ServiceRequest("merrow_msgs/msg/ServiceRequest") {
        /// Full name of the service.
        service: String,
        /// Type of the service.
        service_type: String,
        /// Request, as CDR with its encapsulation header.
        request: Vec<u8>,
    }
}

ros_service! {
    /// Advances a paused or lock-step simulation.
    pub struct StepSimulation("merrow_msgs/srv/StepSimulation") {
        request StepSimulationRequest {
            /// Number of steps to advance, at least 1.
            steps: u64 = 1,
        }
        response StepSimulationResponse {
            /// Whether all steps were executed.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
            /// Simulation time after the last step.
            time: Time,
        }
    }

    /// Sets the pose and velocity of a robot immediately.
    pub struct SetPose("merrow_msgs/srv/SetPose") {
        request SetPoseRequest {
            /// Name of the robot.
            robot: String,
            /// Pose of the robot's base_link in the world frame (ENU) \[m, unit quaternion\].
            pose: Pose,
            /// Velocity of the robot's base_link in base_link (FLU) \[m/s, rad/s\].
            twist: Twist,
        }
        response SetPoseResponse {
            /// Whether the robot has been moved.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Engages or releases a coupling of the world.
    pub struct Couple("merrow_msgs/srv/Couple") {
        request CoupleRequest {
            /// Name of the coupling.
            coupling: String,
            /// True: engage (a latch captures an approaching partner); false: release.
            engage: bool,
            /// Robot or prop to be grasped; empty: the object in contact, or else the nearest.
            partner: String,
        }
        response CoupleResponse {
            /// Whether the command was executed.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Changes the weather, immediately or over a period.
    pub struct Weather("merrow_msgs/srv/Weather") {
        request WeatherRequest {
            /// Fields to change, named like the parameters after `weather.`.
            names: Vec<String>,
            /// New value of each field, in the unit of its name.
            values: Vec<f64>,
            /// Duration of the linear change; 0: immediate \[s\].
            duration_s: f64,
        }
        response WeatherResponse {
            /// Whether the change has started.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Sets or repairs a fault of a device of a robot or of a beacon.
    pub struct Fault("merrow_msgs/srv/Fault") {
        request FaultRequest {
            /// Name of the fault; an existing fault of the robot with this name is replaced.
            name: String,
            /// Name of the robot; empty: the device is a beacon of the world.
            robot: String,
            /// Name of the device, such as thrusters/port if several devices have that name;
            /// battery; a link for a leak; a beacon.
            device: String,
            /// Kind of the fault; none: repairs the fault.
            kind: String,
            /// Names of the values that the kind uses.
            names: Vec<String>,
            /// Value of each name, in the same order.
            values: Vec<f64>,
            /// Duration of the fault; 0: permanent \[s\].
            duration_s: f64,
        }
        response FaultResponse {
            /// Whether the fault is now active or repaired.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Starts or stops recording a bag.
    pub struct Record("merrow_msgs/srv/Record") {
        request RecordRequest {
            /// MCAP file to write; empty: stop recording.
            uri: String,
        }
        response RecordResponse {
            /// Whether recording started or stopped as requested.
            success: bool,
            /// Reason for a failure, or a summary of the recording, as text for users.
            message: String,
        }
    }

    /// Applies a force and a moment to a link for a time, in addition to those that act already.
    pub struct ApplyWrench("merrow_msgs/srv/ApplyWrench") {
        request ApplyWrenchRequest {
            /// Robot, or robot/link; without a link: the base link.
            body: String,
            /// Axes of the wrench: world, or empty for the link.
            reference_frame: String,
            /// Point of application, in the link \[m\].
            reference_point: Point,
            /// Force \[N\] and moment \[N m\].
            wrench: Wrench,
            /// Simulated time until the start \[s\].
            delay_s: f64,
            /// Simulated time that it acts; below 0: until it is cleared \[s\].
            duration_s: f64,
        }
        response ApplyWrenchResponse {
            /// Whether the wrench is applied.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Ends the wrenches that ApplyWrench has applied.
    pub struct ClearWrenches("merrow_msgs/srv/ClearWrenches") {
        request ClearWrenchesRequest {
            /// Robot/link, or robot for all its links.
            body: String,
        }
        response ClearWrenchesResponse {
            /// Whether the body exists.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Writes the current world as a world file, which `merrow run` loads.
    pub struct SaveWorld("merrow_msgs/srv/SaveWorld") {
        request SaveWorldRequest {
            /// File to write, relative to the working folder of the node; an existing file is
            /// replaced.
            uri: String,
        }
        response SaveWorldResponse {
            /// Whether the file has been written.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Requests a mode of the motion controller of a robot.
    pub struct SetControlMode("merrow_msgs/srv/SetControlMode") {
        request SetControlModeRequest {
            /// Name of the mode.
            mode: String,
        }
        response SetControlModeResponse {
            /// Whether the mode is active.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }

    /// Writes a checkpoint, from which `merrow run --resume` continues.
    pub struct Checkpoint("merrow_msgs/srv/Checkpoint") {
        request CheckpointRequest {
            /// File to write, relative to the working folder of the node; an existing file is
            /// replaced.
            uri: String,
        }
        response CheckpointResponse {
            /// Whether the checkpoint has been written.
            success: bool,
            /// Reason for a failure, as text for users.
            message: String,
        }
    }
}

ros_message! {
    /// Contact of two bodies at one point.
    pub struct Contact("merrow_msgs/msg/Contact") {
        /// Name of the first robot; empty: the terrain or a static structure.
        robot_a: String,
        /// Name of its link; empty for the terrain and static structures.
        link_a: String,
        /// Name of its collider in contact.
        collider_a: String,
        /// Name of the second robot; empty: the terrain or a static structure.
        robot_b: String,
        /// Name of its link; empty for the terrain and static structures.
        link_b: String,
        /// Name of its collider in contact.
        collider_b: String,
        /// Contact point, in the world frame \[m\].
        position: Point,
        /// Unit normal from b to a, in the world frame.
        normal: Vector3,
        /// Distance of the surfaces along the normal \[m\], negative for penetration.
        separation: f64,
        /// Force on a, in the world frame \[N\]; the force on b is opposite.
        force: Vector3,
        /// Impulse on a during the last step, in the world frame \[N s\].
        impulse: Vector3,
    }

    /// All contacts at one time.
    pub struct Contacts("merrow_msgs/msg/Contacts") {
        /// Time of the contacts; the frame is the world.
        header: Header,
        /// One element per contact point.
        contacts: Vec<Contact>,
    }

    /// Status of the firmware of a robot.
    pub struct ControllerStatus("merrow_msgs/msg/ControllerStatus") {
        /// Time of the status; the frame is the world.
        header: Header,
        /// Name of the mode.
        mode: String,
        /// Whether the controller may command the thrusters.
        armed: bool,
        /// Reference of the pose of base_link, in the world frame \[m, unit quaternion\].
        reference_pose: Pose,
        /// Reference of the velocity, in the world frame \[m/s, rad/s\].
        reference_twist: Twist,
        /// Pose of base_link that the controller uses, in the world frame \[m, unit quaternion\].
        pose: Pose,
        /// Wrench that the motion controller requests, in base_link \[N, N m\].
        requested_wrench: Wrench,
        /// Wrench that the thruster allocation produces for it, in base_link \[N, N m\].
        allocated_wrench: Wrench,
        /// Number of waypoints reached.
        waypoint: u32,
        /// Number of waypoints of the path; 0 without a path.
        waypoints: u32,
        /// Distance from the current leg of the path, positive to its left \[m\].
        cross_track_error: f64,
    }
}

/// Returns one sample of every message type of this module and its submodules, including requests
/// and responses of services.
pub fn catalogue() -> Vec<TypeSample> {
    vec![
        TypeSample::for_message::<marine_acoustic_msgs::Dvl>(),
        TypeSample::for_message::<marine_acoustic_msgs::PingInfo>(),
        TypeSample::for_message::<marine_acoustic_msgs::DetectionFlag>(),
        TypeSample::for_message::<marine_acoustic_msgs::SonarDetections>(),
        TypeSample::for_message::<marine_acoustic_msgs::SonarRanges>(),
        TypeSample::for_message::<marine_acoustic_msgs::SonarImageData>(),
        TypeSample::for_message::<marine_acoustic_msgs::ProjectedSonarImage>(),
        TypeSample::for_message::<marine_acoustic_msgs::RawSonarImage>(),
        TypeSample::for_message::<marine_sensor_msgs::RadarEcho>(),
        TypeSample::for_message::<marine_sensor_msgs::RadarSector>(),
        TypeSample::for_message::<marine_sensor_msgs::TurbidityNTU>(),
        TypeSample::for_message::<nmea_msgs::Sentence>(),
        TypeSample::for_message::<FloatStamped>(),
        TypeSample::for_message::<StepSimulationRequest>(),
        TypeSample::for_message::<StepSimulationResponse>(),
        TypeSample::for_message::<SetPoseRequest>(),
        TypeSample::for_message::<SetPoseResponse>(),
        TypeSample::for_message::<CoupleRequest>(),
        TypeSample::for_message::<CoupleResponse>(),
        TypeSample::for_message::<WeatherRequest>(),
        TypeSample::for_message::<WeatherResponse>(),
        TypeSample::for_message::<FaultRequest>(),
        TypeSample::for_message::<FaultResponse>(),
        TypeSample::for_message::<RecordRequest>(),
        TypeSample::for_message::<RecordResponse>(),
        TypeSample::for_message::<ApplyWrenchRequest>(),
        TypeSample::for_message::<ApplyWrenchResponse>(),
        TypeSample::for_message::<ClearWrenchesRequest>(),
        TypeSample::for_message::<ClearWrenchesResponse>(),
        TypeSample::for_message::<SaveWorldRequest>(),
        TypeSample::for_message::<SaveWorldResponse>(),
        TypeSample::for_message::<SetControlModeRequest>(),
        TypeSample::for_message::<SetControlModeResponse>(),
        TypeSample::for_message::<ControllerStatus>(),
        TypeSample::for_message::<ServiceRequest>(),
        TypeSample::for_message::<CheckpointRequest>(),
        TypeSample::for_message::<CheckpointResponse>(),
        TypeSample::for_message::<Contact>(),
        TypeSample::for_message::<Contacts>(),
        TypeSample::for_message::<Packet>(),
        TypeSample::for_message::<ModemStatus>(),
        TypeSample::for_message::<LinkStatus>(),
        TypeSample::for_message::<LinkTable>(),
        TypeSample::for_message::<PacketRecord>(),
        TypeSample::for_message::<PacketLog>(),
        TypeSample::for_message::<ModemActivity>(),
        TypeSample::for_message::<ModemSchedule>(),
        TypeSample::for_message::<TaskStatus>(),
        TypeSample::for_message::<ComputerStatus>(),
        TypeSample::for_message::<TaskInterval>(),
        TypeSample::for_message::<TaskSchedule>(),
        TypeSample::for_message::<modem::SetModemPowerRequest>(),
        TypeSample::for_message::<modem::SetModemPowerResponse>(),
        TypeSample::for_message::<modem::SetModemRateRequest>(),
        TypeSample::for_message::<modem::SetModemRateResponse>(),
        TypeSample::for_message::<modem::SetModemMacRequest>(),
        TypeSample::for_message::<modem::SetModemMacResponse>(),
        TypeSample::for_message::<modem::MeasureRangeRequest>(),
        TypeSample::for_message::<modem::MeasureRangeResponse>(),
    ]
}

/// Returns the names and types of every service of the package `merrow_msgs`.
pub fn services() -> Vec<ServiceInfo> {
    vec![
        StepSimulation::info(),
        SetPose::info(),
        Couple::info(),
        Weather::info(),
        Fault::info(),
        Record::info(),
        ApplyWrench::info(),
        ClearWrenches::info(),
        SaveWorld::info(),
        Checkpoint::info(),
        SetControlMode::info(),
        SetModemPower::info(),
        SetModemRate::info(),
        SetModemMac::info(),
        MeasureRange::info(),
    ]
}
