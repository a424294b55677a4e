//! Sensors of the vehicle itself and of the air around it: parameters and readings.

use crate::persist::Persist;
use crate::sensor::errors::instrument;
use crate::sensor::{Errors, Noise};
use merrow_math::{Quat, Vec3};
use merrow_yaml::spec::spec;

spec! {
    /// Ground truth of position, attitude and velocity.
    pub struct OdometrySpec {}
}

/// Ground truth: pose in W, velocity in S.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Odometry {
    /// Position of S in W [m].
    pub p_WS: Vec3,
    /// Attitude of S in W.
    pub q_WS: Quat,
    /// Linear velocity, expressed in S [m/s].
    pub v_WS_S: Vec3,
    /// Angular velocity, expressed in S [rad/s].
    pub w_WS_S: Vec3,
}

spec! {
    /// Force and torque through the joint of the link on which the sensor is mounted.
    pub struct WrenchKeys {
        /// Errors of the force [N].
        force: Noise => "{}",
        /// Errors of the torque [N m].
        torque: Noise => "{}",
        /// Sign convention of the wrench.
        direction: WrenchDirection = WrenchDirection::ChildToParent,
    }
}

instrument! {
    /// Force and torque through the joint of the sensor's link, at So and expressed in S.
    WrenchSpec(WrenchKeys) { force = "force", torque = "torque" }
}

spec! {
    /// Sign convention of a measured joint wrench.
    pub enum WrenchDirection words {
        /// Wrench of the child on the parent: a suspended load gives a downward force.
        ChildToParent = "child_to_parent",
        /// Wrench of the parent on the child.
        ParentToChild = "parent_to_child",
    }
}

/// Force and torque through a joint, at So and expressed in S.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Wrench {
    /// Force, expressed in S [N].
    pub force: Vec3,
    /// Torque about So, expressed in S [N m].
    pub torque: Vec3,
    /// Variances of the components of force [N²] and torque [N² m²].
    pub variances: [Vec3; 2],
}

spec! {
    /// A barometer for the atmospheric pressure.
    pub struct BarometerKeys {
        /// Errors of the pressure [Pa].
        errors: Noise => "{}",
        /// Minimum and maximum reading. Default: unlimited.
        range_pa: Option<[f64; 2]> [non_negative],
    }
}

instrument! {
    /// Sensor of the air pressure.
    BarometerSpec(BarometerKeys) { errors = "pressure" }
}

spec! {
    /// An anemometer that measures the wind perpendicular to its z axis.
    pub struct AnemometerKeys {
        /// Errors of the speed [m/s].
        speed: Noise => "{}",
        /// Errors of the direction [deg].
        direction: Noise => "{}",
        /// Wind speed below which cups and vane do not move.
        threshold_m_s: f64 [non_negative] = 0.0,
        /// Length of air passage in which cups or propeller reach 63 % of a new wind speed; 0 for
        /// acoustic instruments.
        distance_constant_m: f64 [non_negative] = 0.0,
        /// Length of air passage in which the vane turns by 63 % to a new wind direction.
        vane_distance_constant_m: f64 [non_negative] = 0.0,
    }
}

instrument! {
    /// Anemometer: cups or propeller with a vane, or ultrasonic.
    AnemometerSpec(AnemometerKeys) { speed = "speed", direction = "direction" }
}

/// Apparent wind perpendicular to the mast; NaN if unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Wind {
    /// Speed of the apparent wind [m/s].
    pub speed: f64,
    /// Direction that the wind comes from, clockwise from x of the sensor seen from above [rad].
    pub from: f64,
    /// Air velocity relative to the sensor that corresponds to speed and direction, in S [m/s].
    pub velocity: Vec3,
    /// Variances of speed [m²/s²] and direction [deg²].
    pub variances: [f64; 2],
}

spec! {
    /// A detector of water inside the hull.
    pub struct LeakDetector {
        /// Volume of water in its link at which it triggers. Default: it triggers when water
        /// reaches its position.
        trigger_volume_m3: Option<f64> [non_negative],
    }
}

/// Reading of a leak detector.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Leak {
    /// Signal: 1 wet, 0 dry.
    pub signal: f64,
}

impl Leak {
    /// Returns true if the detector reports water.
    pub fn is_wet(&self) -> bool {
        self.signal >= 0.5
    }
}

spec! {
    /// Telemetry of the motor controller of a thruster.
    pub struct MotorTelemetry {
        /// Errors of the shaft speed [rad/s].
        speed: Noise => "{}",
        /// Errors of the current [A].
        current: Noise => "{}",
        /// Errors of the voltage [V].
        voltage: Noise => "{}",
        /// Errors of the temperature [degC].
        temperature: Noise => "{}",
        /// Shaft speed per square root of thrust, for thrusters whose curve gives only the thrust;
        /// 0 if unknown.
        speed_per_root_thrust_rad_s_per_sqrt_n: f64 [non_negative] = 0.0,
    }
}

/// Telemetry of a motor controller.
#[derive(Clone, Debug, PartialEq)]
pub struct MotorSpec {
    /// Keys of the telemetry.
    pub keys: MotorTelemetry,
    /// Index of the thruster.
    pub thruster: usize,
    /// Error models of shaft speed [rad/s], current [A], voltage [V] and temperature [°C].
    pub errors: [Errors; 4],
}

/// Telemetry of a motor controller; NaN where unknown.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Motor {
    /// Speed of the motor shaft [rad/s].
    pub speed: f64,
    /// Current of the motor [A].
    pub current: f64,
    /// Terminal voltage of the motor [V].
    pub voltage: f64,
    /// Temperature of the motor [°C].
    pub temperature: f64,
    /// Shaft torque [N m].
    pub torque: f64,
    /// Electrical power of the motor [W].
    pub power: f64,
}

spec! {
    /// A voltage and current meter of the battery.
    pub struct PowerMeter {
        /// Errors of the voltage [V].
        voltage: Noise => "{}",
        /// Errors of the current [A].
        current: Noise => "{}",
    }
}

instrument! {
    /// Battery monitor: measures voltage and current and integrates the charge.
    PowerSpec(PowerMeter) { voltage = "voltage", current = "current" }
}

/// Voltage, current and charge of the battery.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Power {
    /// Terminal voltage of the battery [V].
    pub voltage: f64,
    /// Current, positive for discharge [A].
    pub current: f64,
    /// Remaining charge from coulomb counting [A h].
    pub charge: f64,
    /// Capacity of the pack [A h].
    pub capacity: f64,
}
