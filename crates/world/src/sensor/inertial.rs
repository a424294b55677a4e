//! Conversion of attitude and inertial navigation systems, and the keys and search of their aiding
//! sensors.

use crate::context::Context;
use crate::sensor::{BuildSensor, SensorConfig, SensorContext};
use merrow_model::scene::{Sensor, SensorKind};
use merrow_model::sensor::inertial::{
    AhrsKeys, AhrsSpec, Aids, DvlAid, GnssAid, InsKeys, InsSpec, NoiseModel, PressureAid,
};
use merrow_yaml::error::{did_you_mean, quote};
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

impl BuildSensor for AhrsKeys {
    type Spec = AhrsSpec;

    fn build(&self, cx: &SensorContext<'_>) -> AhrsSpec {
        if self.bias_time_constant_s * cx.rate < 2.0 {
            let text = format!(
                "`bias_time_constant_s` is {}; expected two samples or more ({} s)",
                self.bias_time_constant_s,
                2.0 / cx.rate
            );
            cx.error(self.at.key_place("bias_time_constant_s"), text);
        }
        AhrsSpec::new(self, |noise, channel| cx.errors(noise, channel))
    }
}

impl BuildSensor for InsKeys {
    type Spec = InsSpec;

    /// Builds an INS without aiding sensors.
    fn build(&self, cx: &SensorContext<'_>) -> InsSpec {
        InsSpec {
            keys: self.clone(),
            gyro: cx.errors(&self.gyro, "gyro"),
            accelerometer: cx.errors(&self.accelerometer, "accelerometer"),
            gyro_model: NoiseModel::new(&self.gyro),
            accelerometer_model: NoiseModel::new(&self.accelerometer),
            aids: Aids::default(),
        }
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
pub(crate) fn set_aids(files: &NamedMap<SensorConfig>, sensors: &mut [Sensor], cx: Context<'_>) {
    for (k, (name, file)) in files.iter().enumerate() {
        let Some(named) = &file.aids else { continue };
        let SensorKind::Ins(spec) = &sensors[k].kind else {
            let text = format!(
                "{name} is of the kind `{}`; only an `ins` can have `aids`",
                sensors[k].kind.name()
            );
            cx.error(file.at.key_place("aids"), text);
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
                Err(why) => cx.error(named.at.key_place(key), why),
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
