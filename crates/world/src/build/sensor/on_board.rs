//! Files of instruments that watch the robot itself, or the air about it, become such instruments.

use crate::schema::sensor::on_board::{
    AnemometerFile, BarometerFile, MotorTelemetryFile, PowerMeterFile,
};
use crate::schema::{Measures, NoiseFile, SensorFile};
use merrow_model::scene::sensor::Errors;
use merrow_model::scene::sensor::on_board::{AnemometerSpec, MotorSpec, PowerSpec};
use merrow_model::scene::{Robot, SensorKind};
use merrow_yaml::error::{Problems, did_you_mean, quote};

/// Makes the errors of a part of an instrument.
pub type MakeErrors<'a> = &'a dyn Fn(&NoiseFile, &str) -> Errors;

/// A barometer.
pub fn barometer(
    file: &BarometerFile,
    errors: MakeErrors<'_>,
    problems: &mut Problems,
) -> SensorKind {
    let range = file.range_pa.unwrap_or([0.0, f64::INFINITY]);
    if range[0] >= range[1] {
        let text = format!(
            "`range_pa` is [{}, {}], expected the lesser first",
            range[0], range[1]
        );
        problems.push(file.at.of("range_pa"), text);
    }
    SensorKind::Barometer {
        errors: errors(&file.errors, "pressure"),
        range,
    }
}

/// An anemometer.
pub fn anemometer(file: &AnemometerFile, errors: MakeErrors<'_>) -> SensorKind {
    SensorKind::Anemometer(Box::new(AnemometerSpec {
        speed: errors(&file.speed, "speed"),
        direction: errors(&file.direction, "direction"),
        threshold: file.threshold_m_s,
        cups: file.distance_constant_m,
        vane: file.vane_distance_constant_m,
    }))
}

/// What the controller of a thruster of `robot` tells.
pub fn motor(file: &MotorTelemetryFile, thruster: usize, errors: MakeErrors<'_>) -> SensorKind {
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

/// A meter of the battery.
pub fn power_meter(file: &PowerMeterFile, errors: MakeErrors<'_>) -> SensorKind {
    let errors = [
        errors(&file.voltage, "voltage"),
        errors(&file.current, "current"),
    ];
    SensorKind::PowerMeter(Box::new(PowerSpec { errors }))
}

/// What the sensor `name` watches on `robot`: the index of its thruster, 0 where it has none.
pub fn watched(name: &str, file: &SensorFile, robot: &Robot, problems: &mut Problems) -> usize {
    let measures = &file.device.measures;
    if let Measures::PowerMeter(_) = measures
        && robot.battery.is_none()
    {
        problems.push(
            &file.at.whole,
            format!("{name} measures the battery, {} has none", robot.name),
        );
    }
    let telemetry = matches!(measures, Measures::MotorTelemetry(_));
    match &file.thruster {
        Some(_) if !telemetry => {
            let text = format!(
                "{name} is a {}: only `motor_telemetry` has a `thruster`",
                measures.kind()
            );
            problems.push(file.at.of("thruster"), text);
        }
        Some(wanted) => {
            if let Some(k) = robot.thrusters.iter().position(|t| t.name == *wanted) {
                return k;
            }
            let hint = did_you_mean(wanted, robot.thrusters.iter().map(|t| t.name.as_str()));
            let text = format!("no thruster {} on {}{hint}", quote(wanted), robot.name);
            problems.push(file.at.of("thruster"), text);
        }
        None if telemetry => {
            let text = format!(
                "{name} tells of a motor: expected the key `thruster`, the thruster that it drives"
            );
            problems.push(&file.at.whole, text);
        }
        None => {}
    }
    0
}
