//! Inertial sensors, magnetometers and inertial navigation: keys of their files and conversion to
//! the scene.

use crate::sensor::{BuildSensor, SensorConfig, SensorContext};
use merrow_math::Vec3;
use merrow_model::scene::{Sensor, SensorKind};
use merrow_model::sensor::inertial::{
    AhrsKeys, AhrsSpec, Aids, DvlAid, GnssAid, ImuSpec, InsKeys, InsSpec, MagnetometerSpec,
    NoiseModel, PressureAid,
};
use merrow_model::sensor::{Errors, Noise};
use merrow_yaml::error::{Problems, did_you_mean, quote};
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
    /// Angular velocity, proper acceleration, and attitude if `attitude_std_deg` is given.
    pub(crate) struct ImuConfig {
        /// Errors of the gyroscope [rad/s].
        gyro: Noise => "{}",
        /// Errors of the accelerometer [m/s2].
        accelerometer: Noise => "{}",
        /// Standard deviation of roll, pitch and yaw. Default: no attitude output.
        attitude_std_deg: Option<[f64; 3]> [non_negative],
    }
}

impl BuildSensor for ImuConfig {
    fn build(&self, context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        SensorKind::Imu(ImuSpec {
            gyro: context.errors(&self.gyro, "gyro"),
            accelerometer: context.errors(&self.accelerometer, "accelerometer"),
            orientation_std: self.attitude_std_deg.map(|a| a.map(f64::to_radians)),
        })
    }
}

impl BuildSensor for AhrsKeys {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        let errors = [
            context.errors(&self.gyro, "gyro"),
            context.errors(&self.accelerometer, "accelerometer"),
            context.errors(&self.magnetometer, "field"),
        ];
        SensorKind::Ahrs(ahrs(self, errors, context.rate, problems))
    }
}

/// Builds an AHRS from its file and its three triads at `rate` [Hz].
pub fn ahrs(
    file: &AhrsKeys,
    [gyro, accelerometer, magnetometer]: [Errors; 3],
    rate: f64,
    problems: &mut Problems,
) -> AhrsSpec {
    if file.bias_time_constant_s * rate < 2.0 {
        let text = format!(
            "`bias_time_constant_s` is {}; expected two samples or more ({} s)",
            file.bias_time_constant_s,
            2.0 / rate
        );
        problems.push(file.at.key_place("bias_time_constant_s"), text);
    }
    AhrsSpec {
        ahrs: file.clone(),
        gyro,
        accelerometer,
        magnetometer,
        iron: Vec3::from(file.iron_nt.map(|x| 1e-9 * x)),
    }
}

impl BuildSensor for InsKeys {
    fn build(&self, context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        let gyro = context.errors(&self.gyro, "gyro");
        let accelerometer = context.errors(&self.accelerometer, "accelerometer");
        SensorKind::Ins(ins(self, [gyro, accelerometer]))
    }
}

/// Builds an INS without aiding sensors from its file and its two triads.
pub fn ins(file: &InsKeys, [gyro, accelerometer]: [Errors; 2]) -> InsSpec {
    InsSpec {
        ins: file.clone(),
        gyro,
        accelerometer,
        start_attitude: file.start_attitude_std_deg.map(f64::to_radians),
        gyro_model: NoiseModel::new(&file.gyro),
        accelerometer_model: NoiseModel::new(&file.accelerometer),
        aids: Aids::default(),
    }
}

spec! {
    /// Aiding sensors of a navigation system, on the same robot and link.
    pub(crate) struct AidsConfig {
        /// Name of a `dvl` sensor.
        dvl: Option<String> [not_empty],
        /// Name of a `gnss` sensor.
        gnss: Option<String> [not_empty],
        /// Name of a `pressure` sensor.
        pressure: Option<String> [not_empty],
    }
}

/// Sets the aiding sensors of the navigation systems among `sensors`, which are in the order of
/// `files`.
pub fn set_aids(files: &NamedMap<SensorConfig>, sensors: &mut [Sensor], problems: &mut Problems) {
    for (k, (name, file)) in files.iter().enumerate() {
        let Some(named) = &file.aids else { continue };
        let SensorKind::Ins(spec) = &sensors[k].kind else {
            let text = format!(
                "{name} is of the kind `{}`; only an `ins` can have `aids`",
                sensors[k].kind.name()
            );
            problems.push(file.at.key_place("aids"), text);
            continue;
        };
        let mut spec = spec.clone();
        let keys = [
            ("dvl", &named.dvl),
            ("gnss", &named.gnss),
            ("pressure", &named.pressure),
        ];
        for (key, aid) in keys {
            let Some(aid) = aid else { continue };
            match find_aid(sensors, k, (key, aid)) {
                Ok(found) => add_aid(&mut spec.aids, &sensors[k], (found, &sensors[found])),
                Err(why) => problems.push(named.at.key_place(key), why),
            }
        }
        sensors[k].kind = SensorKind::Ins(spec);
    }
}

/// Returns the index of the aiding sensor for sensor `k`.
fn find_aid(sensors: &[Sensor], k: usize, (kind, name): (&str, &str)) -> Result<usize, String> {
    let Some(found) = sensors.iter().position(|s| s.name == *name) else {
        let hint = did_you_mean(name, sensors.iter().map(|s| s.name.as_str()));
        return Err(format!("no sensor {}{hint}", quote(name)));
    };
    let other = &sensors[found];
    if other.kind.name() != kind {
        return Err(format!(
            "{name} is of the kind `{}`; expected `{kind}`",
            other.kind.name()
        ));
    }
    if other.link != sensors[k].link {
        return Err(format!(
            "{name} is on another link than {}",
            sensors[k].name
        ));
    }
    Ok(found)
}

/// Adds an aiding sensor, with its pose in the frame of the navigation system.
fn add_aid(aids: &mut Aids, system: &Sensor, (sensor, aid): (usize, &Sensor)) {
    let at = system.R_LS.tr_mul_vec(aid.p_LoS - system.p_LoS);
    match &aid.kind {
        SensorKind::Dvl(spec) => {
            let R_SD = system.R_LS.transpose().mul_mat(&aid.R_LS);
            aids.dvl = Some(DvlAid {
                sensor,
                p_SoD: at,
                R_SD,
                scale_std: spec.scale_std,
            });
        }
        SensorKind::Gnss(spec) => {
            aids.gnss = Some(GnssAid {
                sensor,
                p_SoA: at,
                std: [spec.receiver.horizontal_std_m, spec.receiver.vertical_std_m],
                correlation_time_s: spec.receiver.correlation_time_s,
            });
        }
        SensorKind::Pressure(spec) => {
            aids.pressure = Some(PressureAid {
                sensor,
                p_SoP: at,
                bias_std: spec.errors.fixed.bias,
            });
        }
        _ => {}
    }
}

spec! {
    /// Magnetic flux density [T].
    pub struct MagnetometerConfig {
        /// Errors of the flux density [T].
        errors: Noise => "{}",
    }
}

impl BuildSensor for MagnetometerConfig {
    fn build(&self, context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        SensorKind::Magnetometer(MagnetometerSpec {
            errors: context.errors(&self.errors, "field"),
        })
    }
}
