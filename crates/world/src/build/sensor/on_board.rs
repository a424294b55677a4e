//! Conversion of instruments that measure the state of the robot or the air around it.

use crate::schema::sensor::on_board::{
    AnemometerConfig, BarometerConfig, MotorTelemetryConfig, PowerMeterConfig,
};
use crate::schema::{MeasurementConfig, NoiseConfig, SensorConfig};
use merrow_model::scene::sensor::Errors;
use merrow_model::scene::sensor::on_board::{AnemometerSpec, MotorSpec, PowerSpec};
use merrow_model::scene::{Robot, SensorKind};
use merrow_yaml::error::{Problems, did_you_mean, quote};

/// Function that builds the error model of a named part of an instrument.
pub type MakeErrors<'a> = &'a dyn Fn(&NoiseConfig, &str) -> Errors;

/// Builds a barometer from its file.
pub fn barometer(
    file: &BarometerConfig,
    errors: MakeErrors<'_>,
    problems: &mut Problems,
) -> SensorKind {
    let range = file.range_pa.unwrap_or([0.0, f64::INFINITY]);
    if range[0] >= range[1] {
        let text = format!(
            "`range_pa` is [{}, {}], expected the smaller value first",
            range[0], range[1]
        );
        problems.push(file.at.key_place("range_pa"), text);
    }
    SensorKind::Barometer {
        errors: errors(&file.errors, "pressure"),
        range,
    }
}

/// Builds an anemometer from its file.
pub fn anemometer(file: &AnemometerConfig, errors: MakeErrors<'_>) -> SensorKind {
    SensorKind::Anemometer(Box::new(AnemometerSpec {
        speed: errors(&file.speed, "speed"),
        direction: errors(&file.direction, "direction"),
        threshold: file.threshold_m_s,
        cups: file.distance_constant_m,
        vane: file.vane_distance_constant_m,
    }))
}

/// Builds the telemetry of the motor controller of thruster `thruster`.
pub fn motor(file: &MotorTelemetryConfig, thruster: usize, errors: MakeErrors<'_>) -> SensorKind {
    SensorKind::Motor(Box::new(MotorSpec {
        thruster,
        errors: [
            errors(&file.speed, "speed"),
            errors(&file.current, "current"),
            errors(&file.voltage, "voltage"),
            errors(&file.temperature, "temperature"),
        ],
        speed_per_root: file.speed_per_root_thrust,
    }))
}

/// Builds a battery meter from its file.
pub fn power_meter(file: &PowerMeterConfig, errors: MakeErrors<'_>) -> SensorKind {
    let errors = [
        errors(&file.voltage, "voltage"),
        errors(&file.current, "current"),
    ];
    SensorKind::PowerMeter(Box::new(PowerSpec { errors }))
}

/// Returns the index of the thruster that the sensor `name` measures on `robot`; 0 if it measures
/// none.
pub fn measured_thruster(
    name: &str,
    file: &SensorConfig,
    robot: &Robot,
    problems: &mut Problems,
) -> usize {
    let measures = &file.device.measures;
    if let MeasurementConfig::PowerMeter(_) = measures
        && robot.battery.is_none()
    {
        problems.push(
            &file.at.whole,
            format!("{name} measures the battery, {} has none", robot.name),
        );
    }
    let telemetry = matches!(measures, MeasurementConfig::MotorTelemetry(_));
    match &file.thruster {
        Some(_) if !telemetry => {
            let text = format!(
                "{name} is a {}: only `motor_telemetry` has a `thruster`",
                measures.kind()
            );
            problems.push(file.at.key_place("thruster"), text);
        }
        Some(wanted) => {
            if let Some(k) = robot.thrusters.iter().position(|t| t.name == *wanted) {
                return k;
            }
            let hint = did_you_mean(wanted, robot.thrusters.iter().map(|t| t.name.as_str()));
            let text = format!("no thruster {} on {}{hint}", quote(wanted), robot.name);
            problems.push(file.at.key_place("thruster"), text);
        }
        None if telemetry => {
            let text = format!(
                "{name} measures a motor: expected the key `thruster`, the thruster of this motor"
            );
            problems.push(&file.at.whole, text);
        }
        None => {}
    }
    0
}
