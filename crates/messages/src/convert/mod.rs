//! Conversion of readings to ROS messages, one function per message. Only this module handles the
//! quaternion order, units and missing-value rules of ROS.

pub mod camera;
pub mod contacts;
pub mod curves;
pub mod exteroceptive;
pub mod image;
pub mod instruments;
pub mod modem;
pub mod navigation;
pub mod obstacles;
pub mod positioning;
pub(crate) mod profile;
pub mod sonar;
pub mod task;
pub mod topic;
pub mod vehicle;
pub mod water;

use merrow_math::{Quat, Vec3};
use merrow_model::scene::Battery;
use merrow_model::scene::robot::battery::Technology;
use merrow_model::state::BatteryState as Charge;
use merrow_ros2::msg::builtin_interfaces::Time;
use merrow_ros2::msg::geometry_msgs as geometry;
use merrow_ros2::msg::geometry_msgs::{
    Point, Pose, PoseStamped, Quaternion, Twist, TwistWithCovariance, Vector3,
};
use merrow_ros2::msg::nav_msgs::Path;
use merrow_ros2::msg::sensor_msgs::{BatteryState, Range};
use merrow_ros2::msg::std_msgs::Header;

/// Name of the world frame: x east, y north, z up.
pub const WORLD_FRAME: &str = "world";

/// Converts simulation time [ns] to ROS time.
pub fn time(ns: u64) -> Time {
    Time::from_nanos(ns)
}

/// Builds a header from a time stamp [ns] and a frame.
pub fn header(stamp_ns: u64, frame_id: &str) -> Header {
    Header {
        stamp: time(stamp_ns),
        frame_id: frame_id.to_string(),
    }
}

/// Converts a vector to its message.
pub fn vector3(v: Vec3) -> Vector3 {
    let Vec3 { x, y, z } = v;
    Vector3 { x, y, z }
}

/// Converts a position to its message.
pub fn point(v: Vec3) -> Point {
    let Vec3 { x, y, z } = v;
    Point { x, y, z }
}

/// Converts a position message to a position.
pub fn from_point(p: &Point) -> Vec3 {
    Vec3::new(p.x, p.y, p.z)
}

/// Converts a position and an attitude to their message.
pub fn pose(p: Vec3, q: Quat) -> Pose {
    Pose {
        position: point(p),
        orientation: quaternion(q),
    }
}

/// Converts a quaternion (w, x, y, z) to the ROS order (x, y, z, w).
pub fn quaternion(q: Quat) -> Quaternion {
    let Quat { x, y, z, w } = q;
    Quaternion { x, y, z, w }
}

/// Converts a vector message to a vector.
pub fn from_vector3(v: &Vector3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

/// Converts a quaternion message to a quaternion (w, x, y, z).
pub fn from_quaternion(q: &Quaternion) -> Quat {
    let Quaternion { x, y, z, w } = *q;
    Quat { w, x, y, z }
}

/// Builds a transform from position [m] and orientation.
pub fn transform(p: Vec3, q: Quat) -> geometry::Transform {
    geometry::Transform {
        translation: vector3(p),
        rotation: quaternion(q),
    }
}

/// Builds a row-major 3x3 covariance from its diagonal, in the unit of the variances.
pub fn diagonal(d: [f64; 3]) -> [f64; 9] {
    [d[0], 0.0, 0.0, 0.0, d[1], 0.0, 0.0, 0.0, d[2]]
}

/// Builds a row-major 6x6 covariance from its diagonal, in the unit of the variances.
pub(crate) fn diagonal6(variances: [f64; 6]) -> [f64; 36] {
    let mut covariance = [0.0; 36];
    for (i, variance) in variances.into_iter().enumerate() {
        covariance[7 * i] = variance;
    }
    covariance
}

/// Builds a row-major 6x6 covariance from the covariance of the linear components. The variance of
/// the angular components, which are not measured, is large.
pub(crate) fn linear_covariance(linear: [[f64; 3]; 3]) -> [f64; 36] {
    let mut covariance = diagonal6([0.0, 0.0, 0.0, 1e6, 1e6, 1e6]);
    for (i, row) in linear.iter().enumerate() {
        covariance[6 * i..6 * i + 3].copy_from_slice(row);
    }
    covariance
}

/// Converts a linear and an angular velocity with their covariance to their message.
pub(crate) fn twist([v, w]: [Vec3; 2], covariance: [f64; 36]) -> TwistWithCovariance {
    let twist = Twist {
        linear: vector3(v),
        angular: vector3(w),
    };
    TwistWithCovariance { twist, covariance }
}

/// Converts a range [m] with its limits [m] and its variance [m²], measured with sound in a cone
/// [rad].
pub(crate) fn sonar_range(
    header: Header,
    field_of_view: f64,
    [min, max]: [f64; 2],
    [range, variance]: [f64; 2],
) -> Range {
    Range {
        header,
        radiation_type: Range::ULTRASOUND,
        field_of_view: field_of_view as f32,
        min_range: min as f32,
        max_range: max as f32,
        range: range as f32,
        variance: variance as f32,
    }
}

/// Converts the state of a battery. The current is negative while discharging, as the message
/// defines. A battery whose protection has tripped is reported as dead.
pub fn battery_state(battery: &Battery, charge: &Charge, header: Header) -> BatteryState {
    BatteryState {
        header,
        voltage: charge.voltage as f32,
        temperature: f32::NAN,
        current: -charge.current as f32,
        charge: (charge.charge * battery.capacity_ah) as f32,
        capacity: battery.capacity_ah as f32,
        design_capacity: battery.capacity_ah as f32,
        percentage: charge.charge as f32,
        power_supply_status: match charge.current {
            i if i < 0.0 => BatteryState::POWER_SUPPLY_STATUS_CHARGING,
            i if i > 0.0 => BatteryState::POWER_SUPPLY_STATUS_DISCHARGING,
            _ if charge.charge >= 1.0 => BatteryState::POWER_SUPPLY_STATUS_FULL,
            _ => BatteryState::POWER_SUPPLY_STATUS_NOT_CHARGING,
        },
        power_supply_health: if charge.charge > 0.0 && charge.is_on() {
            BatteryState::POWER_SUPPLY_HEALTH_GOOD
        } else {
            BatteryState::POWER_SUPPLY_HEALTH_DEAD
        },
        power_supply_technology: match battery.technology {
            Technology::Unknown => BatteryState::POWER_SUPPLY_TECHNOLOGY_UNKNOWN,
            Technology::Nimh => BatteryState::POWER_SUPPLY_TECHNOLOGY_NIMH,
            Technology::LithiumIon => BatteryState::POWER_SUPPLY_TECHNOLOGY_LION,
            Technology::LithiumPolymer => BatteryState::POWER_SUPPLY_TECHNOLOGY_LIPO,
            Technology::LithiumIronPhosphate => BatteryState::POWER_SUPPLY_TECHNOLOGY_LIFE,
            Technology::Nicd => BatteryState::POWER_SUPPLY_TECHNOLOGY_NICD,
        },
        present: true,
        ..BatteryState::default()
    }
}

/// Converts the positions of a tether's nodes (W) to a path with identity orientations, which rviz
/// draws as a line.
pub fn path(nodes: &[Vec3], stamp_ns: u64) -> Path {
    let pose = |p: &Vec3| PoseStamped {
        header: header(stamp_ns, WORLD_FRAME),
        pose: Pose {
            position: point(*p),
            ..Pose::default()
        },
    };
    Path {
        header: header(stamp_ns, WORLD_FRAME),
        poses: nodes.iter().map(pose).collect(),
    }
}
