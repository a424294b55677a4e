//! Conversion of readings of instruments that have several topics or that publish plain numbers.
//!
//! If ROS has a message for a quantity, that message is used. Other quantities are plain numbers,
//! whose unit is given in the documentation of the topic. In addition, a stamped `record` contains
//! all quantities of a sample as names and values.

use crate::convert;
use crate::convert::vector3;
use merrow_math::Vec3;
use merrow_model::scene::sensor::probe::{ProbeSpec, Quantity, SamplerSpec};
use merrow_model::scene::{Scene, Sensor, SensorKind};
use merrow_model::state::bottle::Bottle;
use merrow_model::state::reading;
use merrow_model::state::reading::{Ctd, Reading};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::msg::diagnostic_msgs::{DiagnosticArray, DiagnosticStatus, KeyValue};
use merrow_ros2::msg::geometry_msgs::Vector3Stamped;
use merrow_ros2::msg::marine_sensor_msgs::TurbidityNTU;
use merrow_ros2::msg::sensor_msgs::{BatteryState, FluidPressure, JointState, Temperature};
use merrow_ros2::msg::std_msgs::{Bool, Float64, Header};

/// Revolutions per minute per radian per second.
const RPM: f64 = 30.0 / std::f64::consts::PI;

/// Content of a topic of an instrument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstrumentTopic {
    /// Temperature, published as `sensor_msgs/Temperature`.
    Temperature,
    /// Absolute pressure as `sensor_msgs/FluidPressure`.
    Pressure,
    /// Turbidity, published as `marine_sensor_msgs/TurbidityNTU`.
    Turbidity,
    /// Plain number, selected by its index among the quantities of the reading.
    Number(usize),
    /// Vector, published as `geometry_msgs/Vector3Stamped`.
    Vector,
    /// Boolean, published as `std_msgs/Bool`.
    Flag,
    /// Speed and torque of a motor shaft.
    Shaft,
    /// Voltage, current and other known values of a power supply.
    Supply,
    /// All quantities of a sample by name, stamped.
    Record,
}

/// Lists the topic suffixes of an instrument and their content; the first is the main topic. Empty
/// for sensors with a dedicated message.
pub fn instrument_topics(kind: &SensorKind) -> &'static [(&'static str, InstrumentTopic)] {
    match kind {
        SensorKind::Probe(spec) => probe(spec),
        SensorKind::Barometer { .. } => &[("/data", InstrumentTopic::Pressure)],
        SensorKind::Ctd(_) => &[
            ("/temperature", InstrumentTopic::Temperature),
            ("/pressure", InstrumentTopic::Pressure),
            ("/conductivity", InstrumentTopic::Number(1)),
            ("/salinity", InstrumentTopic::Number(3)),
            ("/depth", InstrumentTopic::Number(4)),
            ("/sound_speed", InstrumentTopic::Number(5)),
            ("/record", InstrumentTopic::Record),
        ],
        SensorKind::Anemometer(_) => &[
            ("/data", InstrumentTopic::Vector),
            ("/speed", InstrumentTopic::Number(0)),
            ("/direction", InstrumentTopic::Number(1)),
        ],
        SensorKind::WaterSampler(_) => &[("/bottle", InstrumentTopic::Record)],
        SensorKind::LeakDetector { .. } => &[("/leak", InstrumentTopic::Flag)],
        SensorKind::Motor(_) => &[
            ("/joint_state", InstrumentTopic::Shaft),
            ("/power", InstrumentTopic::Supply),
            ("/record", InstrumentTopic::Record),
        ],
        SensorKind::PowerMeter(_) => &[("/battery_state", InstrumentTopic::Supply)],
        _ => &[],
    }
}

fn probe(spec: &ProbeSpec) -> &'static [(&'static str, InstrumentTopic)] {
    if spec.quantity == Quantity::Temperature {
        &[("/data", InstrumentTopic::Temperature)]
    } else if spec.unit.eq_ignore_ascii_case("ntu") {
        &[("/data", InstrumentTopic::Turbidity)]
    } else {
        &[
            ("/data", InstrumentTopic::Number(0)),
            ("/record", InstrumentTopic::Record),
        ]
    }
}

/// Returns the message type of a part.
pub fn info(part: InstrumentTopic) -> &'static TypeInfo {
    match part {
        InstrumentTopic::Temperature => Temperature::info(),
        InstrumentTopic::Pressure => FluidPressure::info(),
        InstrumentTopic::Turbidity => TurbidityNTU::info(),
        InstrumentTopic::Number(_) => Float64::info(),
        InstrumentTopic::Vector => Vector3Stamped::info(),
        InstrumentTopic::Flag => Bool::info(),
        InstrumentTopic::Shaft => JointState::info(),
        InstrumentTopic::Supply => BatteryState::info(),
        InstrumentTopic::Record => DiagnosticArray::info(),
    }
}

/// Encodes the message of part `n` of a sensor's reading.
pub fn encode(sensor: &Sensor, n: usize, reading: &Reading, header: Header) -> Vec<u8> {
    match instrument_topics(&sensor.kind)[n].1 {
        InstrumentTopic::Temperature => to_bytes(&temperature(reading, header)),
        InstrumentTopic::Pressure => to_bytes(&pressure(reading, header)),
        InstrumentTopic::Turbidity => to_bytes(&turbidity(reading, header)),
        InstrumentTopic::Number(k) => to_bytes(&number(sensor, reading, k)),
        InstrumentTopic::Vector => to_bytes(&vector(reading, header)),
        InstrumentTopic::Flag => to_bytes(&Bool {
            data: matches!(reading, Reading::Leak(r) if r.is_wet()),
        }),
        InstrumentTopic::Shaft => to_bytes(&shaft(sensor, reading, header)),
        InstrumentTopic::Supply => to_bytes(&supply(reading, header)),
        InstrumentTopic::Record => to_bytes(&record(sensor, reading, header)),
    }
}

/// Returns the quantities of a reading: names with units, and values.
fn quantities(sensor: &Sensor, reading: &Reading) -> Vec<(String, f64)> {
    match (reading, &sensor.kind) {
        (Reading::Probe(r), SensorKind::Probe(spec)) => {
            vec![(format!("{} [{}]", spec.field, spec.unit), r.value)]
        }
        (Reading::Bottle(r), SensorKind::WaterSampler(spec)) => bottle(spec, r),
        (Reading::Ctd(r), _) => with_names(ctd(r)),
        (Reading::Wind(r), _) => with_names([("speed [m/s]", r.speed), ("from [rad]", r.from)]),
        (Reading::Motor(r), _) => with_names([
            ("speed [rpm]", r.speed * RPM),
            ("current [A]", r.current),
            ("voltage [V]", r.voltage),
            ("temperature [degC]", r.temperature),
            ("torque [N m]", r.torque),
            ("power [W]", r.power),
        ]),
        _ => Vec::new(),
    }
}

/// Returns the quantities of a bottle of a water sampler.
fn bottle(spec: &SamplerSpec, r: &Bottle) -> Vec<(String, f64)> {
    let seconds = |ns: u64| ns as f64 * 1e-9;
    let mut all = with_names([
        ("bottle", f64::from(r.number)),
        ("bottles", f64::from(spec.bottles)),
        ("volume [m3]", r.volume),
        ("opened [s]", seconds(r.time_ns[0])),
        ("last_water [s]", seconds(r.time_ns[1])),
        ("east [m]", r.p_W.x),
        ("north [m]", r.p_W.y),
        ("up [m]", r.p_W.z),
    ]);
    // a bottle without water has no known properties
    let known = |mean: f64| if r.volume > 0.0 { mean } else { f64::NAN };
    all.extend(
        spec.names
            .iter()
            .zip(r.means)
            .map(|(name, mean)| (name.clone(), known(mean))),
    );
    all
}

/// Lists the services of all water samplers: name, robot, sensor, and whether the service opens a
/// bottle.
pub fn services(scene: &Scene) -> Vec<(String, usize, usize, bool)> {
    let mut all = Vec::new();
    for (i, robot) in scene.robots.iter().enumerate() {
        for (k, sensor) in robot.sensors.iter().enumerate() {
            if let SensorKind::WaterSampler(_) = sensor.kind {
                for (name, on) in [("sample", true), ("stop", false)] {
                    all.push((format!("{}/{}/{name}", robot.name, sensor.name), i, k, on));
                }
            }
        }
    }
    all
}

fn with_names<const N: usize>(all: [(&str, f64); N]) -> Vec<(String, f64)> {
    all.map(|(name, value)| (name.to_string(), value)).to_vec()
}

fn ctd(r: &Ctd) -> [(&'static str, f64); 6] {
    [
        ("temperature [degC]", r.temperature),
        ("conductivity [S/m]", r.conductivity),
        ("pressure [Pa]", r.pressure),
        ("salinity [psu]", r.salinity),
        ("depth [m]", r.depth),
        ("sound_speed [m/s]", r.sound_speed),
    ]
}

/// Builds the message of the quantity with index `which`; NaN if it does not exist.
pub fn number(sensor: &Sensor, reading: &Reading, which: usize) -> Float64 {
    Float64 {
        data: quantities(sensor, reading)
            .get(which)
            .map_or(f64::NAN, |(_, value)| *value),
    }
}

/// Builds the message of a temperature [°C].
pub fn temperature(reading: &Reading, header: Header) -> Temperature {
    let (temperature, variance) = match reading {
        Reading::Probe(r) => (r.value, r.variance),
        Reading::Ctd(r) => (r.temperature, r.variances[0]),
        _ => (f64::NAN, 0.0),
    };
    Temperature {
        header,
        temperature,
        variance,
    }
}

/// Builds the message of an absolute pressure [Pa].
pub fn pressure(reading: &Reading, header: Header) -> FluidPressure {
    let found = match reading {
        Reading::Ctd(r) => reading::Pressure {
            pressure: r.pressure,
            variance: r.variances[2],
        },
        Reading::Pressure(r) => *r,
        _ => reading::Pressure {
            pressure: f64::NAN,
            variance: 0.0,
        },
    };
    convert::fluid_pressure(&found, header)
}

/// Builds the message of a turbidity [NTU].
pub fn turbidity(reading: &Reading, header: Header) -> TurbidityNTU {
    let ntu = if let Reading::Probe(r) = reading {
        r.value as f32
    } else {
        f32::NAN
    };
    TurbidityNTU { header, ntu }
}

/// Builds the message of the air velocity relative to the sensor [m/s].
fn vector(reading: &Reading, header: Header) -> Vector3Stamped {
    let none = Vec3::new(f64::NAN, f64::NAN, f64::NAN);
    let velocity = if let Reading::Wind(r) = reading {
        r.velocity
    } else {
        none
    };
    Vector3Stamped {
        header,
        vector: vector3(velocity),
    }
}

/// Builds the message of a motor's shaft, named after its controller: speed [rad/s], torque [N m].
fn shaft(sensor: &Sensor, reading: &Reading, header: Header) -> JointState {
    let (speed, torque) = if let Reading::Motor(r) = reading {
        (r.speed, r.torque)
    } else {
        (f64::NAN, f64::NAN)
    };
    JointState {
        header,
        name: vec![sensor.name.clone()],
        position: Vec::new(),
        velocity: vec![speed],
        effort: vec![torque],
    }
}

/// Builds the message of a battery as measured by a power meter, or of the supply as measured by a
/// motor controller. The current [A] is negative while discharging.
fn supply(reading: &Reading, header: Header) -> BatteryState {
    let none = f64::NAN;
    let [voltage, current, temperature, charge, capacity] = match reading {
        Reading::Power(r) => [r.voltage, r.current, none, r.charge, r.capacity],
        Reading::Motor(r) => [r.voltage, r.current, r.temperature, none, none],
        _ => [none; 5],
    };
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

/// Builds the record with all quantities of a sample.
pub fn record(sensor: &Sensor, reading: &Reading, header: Header) -> DiagnosticArray {
    let values = quantities(sensor, reading);
    let values = values
        .into_iter()
        .map(|(key, value)| KeyValue {
            key,
            value: value.to_string(),
        })
        .collect();
    let status = DiagnosticStatus {
        level: DiagnosticStatus::OK,
        name: sensor.name.clone(),
        message: match reading {
            Reading::Bottle(r) => r.filling.word().to_string(),
            _ => sensor.kind.name().to_string(),
        },
        hardware_id: sensor.name.clone(),
        values,
    };
    DiagnosticArray {
        header,
        status: vec![status],
    }
}
