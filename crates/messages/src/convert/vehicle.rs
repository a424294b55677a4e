//! Topics, messages and curves of the sensors of the vehicle itself and of the air around it.

use crate::convert::curves::curves;
use crate::convert::instruments::{record, record_values};
use crate::convert::topic::{Sample, publish};
use crate::convert::water::fluid_pressure;
use crate::convert::{diagonal6, header, pose, profile, twist, vector3};
use crate::frames;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Sensor;
use merrow_model::sensor::vehicle::{
    AnemometerSpec, BarometerSpec, Leak, LeakDetector, Motor, MotorSpec, Odometry, OdometrySpec,
    Power, PowerSpec, Wind, Wrench, WrenchSpec,
};
use merrow_ros2::msg::geometry_msgs;
use merrow_ros2::msg::geometry_msgs::{PoseWithCovariance, Vector3Stamped, WrenchStamped};
use merrow_ros2::msg::nav_msgs;
use merrow_ros2::msg::sensor_msgs::{BatteryState, JointState};
use merrow_ros2::msg::std_msgs::{Bool, Float64, Header};

/// Revolutions per minute per radian per second.
const RPM: f64 = 30.0 / std::f64::consts::PI;

publish! {
    OdometrySpec {
        "" => |s| {
            let reading = profile::odometry(s.model(), s.data);
            let header = header(s.stamp_ns, profile::world_frame(s.model()));
            odometry(&reading, header, profile::body_frame(s.model(), odometry_frame(s)))
        };
    }
    WrenchSpec {
        "/wrench" => |s| wrench(s.data, s.header());
    }
    BarometerSpec {
        "/data" => |s| fluid_pressure(s.data, s.header());
    }
    AnemometerSpec {
        "/data" => |s| Vector3Stamped { header: s.header(), vector: vector3(s.data.velocity) };
        "/speed" => |s| Float64 { data: s.data.speed };
        "/direction" => |s| Float64 { data: s.data.from };
    }
    LeakDetector {
        "/leak" => |s| Bool { data: s.data.is_wet() };
    }
    MotorSpec {
        "/joint_state" => |s| shaft(s.sensor(), s.data, s.header());
        "/power" => |s| {
            let (r, none) = (s.data, f64::NAN);
            supply([r.voltage, r.current, r.temperature, none, none], s.header())
        };
        "/record" => |s| {
            let r = s.data;
            let values = record_values([
                ("speed [rpm]", r.speed * RPM),
                ("current [A]", r.current),
                ("voltage [V]", r.voltage),
                ("temperature [degC]", r.temperature),
                ("torque [N m]", r.torque),
                ("power [W]", r.power),
            ]);
            record(s.sensor(), values, s.header())
        };
    }
    PowerSpec {
        "/battery_state" => |s| {
            let r = s.data;
            supply([r.voltage, r.current, f64::NAN, r.charge, r.capacity], s.header())
        };
    }
}

curves! {
    Odometry, |r| {
        "position in the world [m]" => r.p_WS;
        "velocity [m/s]" => r.v_WS_S;
        "attitude [deg]" => r.q_WS;
    }
    Wrench, |r| {
        "force [N]" => r.force;
        "torque [N m]" => r.torque;
    }
    Wind, |r| {
        "speed [m/s]" => r.speed;
        "wind from, clockwise from ahead [deg]" => r.from.to_degrees();
    }
    Leak, |r| {
        "wet" => r.signal;
    }
    Motor, |r| {
        "shaft speed [rad/s]" => r.speed;
        "current [A]" => r.current;
        "voltage [V]" => r.voltage;
        "temperature [deg C]" => r.temperature;
    }
    Power, |r| {
        "voltage [V]" => r.voltage;
        "current [A]" => r.current;
        "charge [A h]" => r.charge;
    }
}

/// Returns the child frame of an odometry sensor: the link itself if the sensor is at the link's
/// origin, otherwise the sensor frame.
fn odometry_frame(s: &Sample<'_, OdometrySpec, Odometry>) -> String {
    let sensor = s.sensor();
    if sensor.p_UoS_U == Vec3::zero() && sensor.R_US == Mat3::identity() {
        frames::link_frame(s.model(), sensor.link)
    } else {
        s.frame()
    }
}

/// Converts the true pose in the frame of `header` and the velocity in the child frame. True values
/// have no covariance; a small covariance is set for estimators that invert it.
fn odometry(r: &Odometry, header: Header, child_frame_id: String) -> nav_msgs::Odometry {
    let covariance = diagonal6([1e-9; 6]);
    nav_msgs::Odometry {
        header,
        child_frame_id,
        pose: PoseWithCovariance {
            pose: pose(r.p_WS, r.q_WS),
            covariance,
        },
        twist: twist([r.v_WS_S, r.w_WS_S], covariance),
    }
}

/// Converts the force [N] and torque [N m] through a joint.
pub fn wrench(r: &Wrench, header: Header) -> WrenchStamped {
    let wrench = geometry_msgs::Wrench {
        force: vector3(r.force),
        torque: vector3(r.torque),
    };
    WrenchStamped { header, wrench }
}

/// Builds the message of a motor's shaft, named after its controller: speed [rad/s], torque [N m].
fn shaft(sensor: &Sensor, r: &Motor, header: Header) -> JointState {
    JointState {
        header,
        name: vec![sensor.name.clone()],
        position: Vec::new(),
        velocity: vec![r.speed],
        effort: vec![r.torque],
    }
}

/// Builds the message of a battery as measured by a power meter, or of the supply as measured by a
/// motor controller: voltage [V], current [A], temperature [°C], charge and capacity [A h]; NaN if
/// unknown. The current of the message is negative while discharging.
fn supply(
    [voltage, current, temperature, charge, capacity]: [f64; 5],
    header: Header,
) -> BatteryState {
    BatteryState {
        header,
        voltage: voltage as f32,
        temperature: temperature as f32,
        current: -current as f32,
        charge: charge as f32,
        capacity: capacity as f32,
        design_capacity: capacity as f32,
        percentage: (charge / capacity).clamp(0.0, 1.0) as f32,
        power_supply_status: match current {
            i if i < 0.0 => BatteryState::POWER_SUPPLY_STATUS_CHARGING,
            i if i > 0.0 => BatteryState::POWER_SUPPLY_STATUS_DISCHARGING,
            _ => BatteryState::POWER_SUPPLY_STATUS_UNKNOWN,
        },
        present: true,
        ..BatteryState::default()
    }
}
