//! Sensors of the vehicle itself and of the air around it: keys of their files and conversion to
//! the scene.

use crate::sensor::{BuildSensor, SensorContext};
use merrow_model::scene::SensorKind;
use merrow_model::sensor::Noise;
use merrow_model::sensor::vehicle::{
    AnemometerSpec, BarometerSpec, LeakDetector, MotorSpec, OdometrySpec, PowerSpec,
    WrenchDirection, WrenchSpec,
};
use merrow_yaml::error::Problems;
use merrow_yaml::spec::spec;

spec! {
    /// Ground truth of position, attitude and velocity.
    pub(crate) struct OdometryConfig {}
}

impl BuildSensor for OdometryConfig {
    fn build(&self, _context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        SensorKind::Odometry(OdometrySpec)
    }
}

spec! {
    /// Force and torque through the joint of the link on which the sensor is mounted.
    pub(crate) struct WrenchConfig {
        /// Errors of the force [N].
        force: Noise => "{}",
        /// Errors of the torque [N m].
        torque: Noise => "{}",
        /// Sign convention of the wrench.
        direction: WrenchDirection = WrenchDirection::ChildToParent,
    }
}

impl BuildSensor for WrenchConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        if context.link == 0 {
            let text = format!(
                "{} measures the wrench through a joint, base_link has none; expected a `link`",
                context.name
            );
            problems.push(&context.file.at.whole, text);
        }
        SensorKind::Wrench(WrenchSpec {
            force: context.errors(&self.force, "force"),
            torque: context.errors(&self.torque, "torque"),
            direction: self.direction,
        })
    }
}

spec! {
    /// A barometer for the atmospheric pressure.
    pub struct BarometerConfig {
        /// Errors of the pressure [Pa].
        errors: Noise => "{}",
        /// Minimum and maximum reading. Default: unlimited.
        range_pa: Option<[f64; 2]> [non_negative],
    }
}

impl BuildSensor for BarometerConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        let range = self.range_pa.unwrap_or([0.0, f64::INFINITY]);
        if range[0] >= range[1] {
            let text = format!(
                "`range_pa` is [{}, {}]; expected the smaller value first",
                range[0], range[1]
            );
            problems.push(self.at.key_place("range_pa"), text);
        }
        SensorKind::Barometer(BarometerSpec {
            errors: context.errors(&self.errors, "pressure"),
            range_pa: range,
        })
    }
}

spec! {
    /// An anemometer that measures the wind perpendicular to its z axis.
    pub struct AnemometerConfig {
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

impl BuildSensor for AnemometerConfig {
    fn build(&self, context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        SensorKind::Anemometer(AnemometerSpec {
            speed: context.errors(&self.speed, "speed"),
            direction: context.errors(&self.direction, "direction"),
            threshold_m_s: self.threshold_m_s,
            distance_constant_m: self.distance_constant_m,
            vane_distance_constant_m: self.vane_distance_constant_m,
        })
    }
}

impl BuildSensor for LeakDetector {
    fn build(&self, _context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        SensorKind::LeakDetector(self.clone())
    }
}

spec! {
    /// Telemetry of the motor controller of a thruster.
    pub(crate) struct MotorTelemetryConfig {
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

impl BuildSensor for MotorTelemetryConfig {
    const MEASURES_THRUSTER: bool = true;

    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        let thruster = find_thruster(context, problems);
        SensorKind::Motor(MotorSpec {
            thruster,
            errors: [
                context.errors(&self.speed, "speed"),
                context.errors(&self.current, "current"),
                context.errors(&self.voltage, "voltage"),
                context.errors(&self.temperature, "temperature"),
            ],
            speed_per_root_thrust_rad_s_per_sqrt_n: self.speed_per_root_thrust_rad_s_per_sqrt_n,
        })
    }
}

spec! {
    /// A voltage and current meter of the battery.
    pub(crate) struct PowerMeterConfig {
        /// Errors of the voltage [V].
        voltage: Noise => "{}",
        /// Errors of the current [A].
        current: Noise => "{}",
    }
}

impl BuildSensor for PowerMeterConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        if context.carrier.battery.is_none() {
            let text = format!(
                "{} measures the battery, {} has none",
                context.name, context.carrier.name
            );
            problems.push(&context.file.at.whole, text);
        }
        let errors = [
            context.errors(&self.voltage, "voltage"),
            context.errors(&self.current, "current"),
        ];
        SensorKind::PowerMeter(PowerSpec { errors })
    }
}

/// Returns the index of the thruster that the key `thruster` names; 0 without one.
fn find_thruster(context: &SensorContext<'_>, problems: &mut Problems) -> usize {
    let (name, file, robot) = (context.name, context.file, context.carrier);
    let Some(requested) = &file.thruster else {
        let text = format!(
            "{name} measures a motor; expected the key `thruster`, the thruster of this motor"
        );
        problems.push(&file.at.whole, text);
        return 0;
    };
    let names = robot.thrusters.iter().map(|t| t.name.as_str());
    let place = file.at.key_place("thruster");
    let found = problems.find(place, requested, names, |thruster| {
        format!("no thruster {thruster} on {}", robot.name)
    });
    found.unwrap_or(0)
}
