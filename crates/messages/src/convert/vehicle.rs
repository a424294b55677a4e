//! Topics, messages and curves of the sensors of the vehicle itself and of the air around it.

use crate::convert::curves::{Axis, Curves, attitude, single_curve, xyz};
use crate::convert::instruments::{record, record_values};
use crate::convert::topic::{Publish, Sample, Topic};
use crate::convert::water::fluid_pressure;
use crate::convert::{header, pose, profile, vector3};
use crate::frames;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Sensor;
use merrow_model::sensor::vehicle::{
    AnemometerSpec, BarometerSpec, Leak, LeakDetector, Motor, MotorSpec, Odometry, OdometrySpec,
    Power, PowerSpec, Wind, Wrench, WrenchSpec,
};
use merrow_ros2::msg::geometry_msgs;
use merrow_ros2::msg::geometry_msgs::{
    PoseWithCovariance, Twist, TwistWithCovariance, Vector3Stamped, WrenchStamped,
};
use merrow_ros2::msg::nav_msgs;
use merrow_ros2::msg::sensor_msgs::{BatteryState, JointState};
use merrow_ros2::msg::std_msgs::{Bool, Float64, Header};

/// Revolutions per minute per radian per second.
const RPM: f64 = 30.0 / std::f64::consts::PI;

impl Publish for OdometrySpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![Topic::of_reading::<Self, _>("", |s| {
            let reading = profile::odometry(s.model(), s.data);
            let header = header(s.stamp_ns, profile::world_frame(s.model()));
            let frame = profile::body_frame(s.model(), odometry_frame(s));
            Some(odometry(&reading, header, frame))
        })]
    }
}

impl Curves for Odometry {
    fn axes(&self) -> Vec<Axis> {
        vec![
            ("position in the world [m]".into(), xyz(self.p_WS)),
            ("velocity [m/s]".into(), xyz(self.v_WS_S)),
            attitude(&self.q_WS),
        ]
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
    let mut covariance = [0.0; 36];
    for i in 0..6 {
        covariance[7 * i] = 1e-9;
    }
    nav_msgs::Odometry {
        header,
        child_frame_id,
        pose: PoseWithCovariance {
            pose: pose(r.p_WS, r.q_WS),
            covariance,
        },
        twist: TwistWithCovariance {
            twist: Twist {
                linear: vector3(r.v_WS_S),
                angular: vector3(r.w_WS_S),
            },
            covariance,
        },
    }
}

impl Publish for WrenchSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![Topic::of_reading::<Self, _>("/wrench", |s| {
            Some(wrench(s.data, s.header()))
        })]
    }
}

impl Curves for Wrench {
    fn axes(&self) -> Vec<Axis> {
        vec![
            ("force [N]".into(), xyz(self.force)),
            ("torque [N m]".into(), xyz(self.torque)),
        ]
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

impl Publish for BarometerSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![Topic::of_reading::<Self, _>("/data", |s| {
            Some(fluid_pressure(s.data, s.header()))
        })]
    }
}

impl Publish for AnemometerSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![
            Topic::of_reading::<Self, _>("/data", |s| {
                Some(Vector3Stamped {
                    header: s.header(),
                    vector: vector3(s.data.velocity),
                })
            }),
            Topic::of_reading::<Self, _>("/speed", |s| Some(Float64 { data: s.data.speed })),
            Topic::of_reading::<Self, _>("/direction", |s| Some(Float64 { data: s.data.from })),
        ]
    }
}

impl Curves for Wind {
    fn axes(&self) -> Vec<Axis> {
        vec![
            ("speed [m/s]".into(), single_curve("", self.speed)),
            (
                "wind from, clockwise from ahead [deg]".into(),
                single_curve("", self.from.to_degrees()),
            ),
        ]
    }
}

impl Publish for LeakDetector {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![Topic::of_reading::<Self, _>("/leak", |s| {
            Some(Bool {
                data: s.data.is_wet(),
            })
        })]
    }
}

impl Curves for Leak {
    fn axes(&self) -> Vec<Axis> {
        vec![("wet".into(), single_curve("", self.signal))]
    }
}

impl Publish for MotorSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![
            Topic::of_reading::<Self, _>("/joint_state", |s| {
                Some(shaft(s.sensor(), s.data, s.header()))
            }),
            Topic::of_reading::<Self, _>("/power", |s| {
                let (r, none) = (s.data, f64::NAN);
                Some(supply(
                    [r.voltage, r.current, r.temperature, none, none],
                    s.header(),
                ))
            }),
            Topic::of_reading::<Self, _>("/record", |s| {
                let r = s.data;
                let values = record_values([
                    ("speed [rpm]", r.speed * RPM),
                    ("current [A]", r.current),
                    ("voltage [V]", r.voltage),
                    ("temperature [degC]", r.temperature),
                    ("torque [N m]", r.torque),
                    ("power [W]", r.power),
                ]);
                Some(record(s.sensor(), values, s.header()))
            }),
        ]
    }
}

impl Curves for Motor {
    fn axes(&self) -> Vec<Axis> {
        vec![
            ("shaft speed [rad/s]".into(), single_curve("", self.speed)),
            ("current [A]".into(), single_curve("", self.current)),
            ("voltage [V]".into(), single_curve("", self.voltage)),
            (
                "temperature [deg C]".into(),
                single_curve("", self.temperature),
            ),
        ]
    }
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

impl Publish for PowerSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![Topic::of_reading::<Self, _>("/battery_state", |s| {
            let r = s.data;
            Some(supply(
                [r.voltage, r.current, f64::NAN, r.charge, r.capacity],
                s.header(),
            ))
        })]
    }
}

impl Curves for Power {
    fn axes(&self) -> Vec<Axis> {
        vec![
            ("voltage [V]".into(), single_curve("", self.voltage)),
            ("current [A]".into(), single_curve("", self.current)),
            ("charge [A h]".into(), single_curve("", self.charge)),
        ]
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
