//! Conversion of navigation instruments.

use crate::schema::sensor::navigation::{
    AhrsConfig, AugmentationConfig, GnssConfig, GnssHeadingConfig, GnssSystemConfig,
    GnssVisibilityConfig, InsConfig,
};
use crate::schema::{MeasurementConfig, SensorConfig};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_math::rng::Stream;
use merrow_model::scene::sensor::navigation::{
    AhrsSpec, Aids, Augmentation, DvlAid, GnssAid, GnssSpec, HeadingSpec, InsSpec, NoiseModel,
    PressureAid, SatelliteConstellation,
};
use merrow_model::scene::sensor::{Errors, Noise};
use merrow_model::scene::{Sensor, SensorKind};
use merrow_sensors::gnss::visibility::dilution;
use merrow_yaml::error::{Problems, did_you_mean, quote};
use merrow_yaml::read::NamedMap;

/// Minimum horizontal baseline of two antennas [m].
const MIN_BASELINE: f64 = 0.01;

/// Builds a satellite receiver; `stream` draws the orientation of its constellation.
pub fn gnss(file: &GnssConfig, stream: Stream) -> GnssSpec {
    GnssSpec {
        std: [file.horizontal_std_m, file.vertical_std_m],
        tau: file.correlation_time_s,
        velocity_std: file.velocity_std_m_s,
        augmentation: match file.augmentation {
            AugmentationConfig::None => Augmentation::None,
            AugmentationConfig::Satellites => Augmentation::Satellites,
            AugmentationConfig::Ground => Augmentation::Ground,
        },
        systems: file.systems.iter().fold(0, |all, system| {
            all | match system {
                GnssSystemConfig::Gps => GnssSpec::GPS,
                GnssSystemConfig::Glonass => GnssSpec::GLONASS,
                GnssSystemConfig::Beidou => GnssSpec::BEIDOU,
                GnssSystemConfig::Galileo => GnssSpec::GALILEO,
            }
        }),
        max_depth: file.max_depth_m,
        reacquisition: file.reacquisition_s,
        constellation: file
            .sky
            .as_ref()
            .map(|sky| crate::build::sensor::navigation::build_constellation(sky, stream)),
    }
}

/// Distributes satellites evenly over the sky above the mask, on a golden-angle spiral with a
/// random start.
fn build_constellation(file: &GnssVisibilityConfig, stream: Stream) -> SatelliteConstellation {
    let n = file.satellites;
    let lowest = sin_cos(file.elevation_mask_deg.to_radians()).0;
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let start = std::f64::consts::TAU * stream.draw(0).uniform();
    let satellite = |k: u32| {
        let up = lowest + (1.0 - lowest) * (f64::from(k) + 0.5) / f64::from(n);
        let (s, c) = sin_cos(start + golden * f64::from(k));
        let level = (1.0 - up * up).sqrt();
        Vec3::new(level * c, level * s, up)
    };
    let satellites: Vec<Vec3> = (0..n).map(satellite).collect();
    // Six or more satellites on a spiral never lie on a cone.
    let dilution = dilution(satellites.iter().copied()).unwrap_or([1.0; 2]);
    SatelliteConstellation {
        satellites,
        dilution,
        multipath_std: file.multipath_std_m,
        multipath_tau: file.multipath_correlation_time_s,
        water_height: file.water_multipath_height_m,
    }
}

/// Builds a GNSS heading sensor with two antennas.
pub fn heading(file: &GnssHeadingConfig, problems: &mut Problems) -> HeadingSpec {
    let antennas = file.antennas_m.map(Vec3::from);
    let b = antennas[1] - antennas[0];
    if b.x * b.x + b.y * b.y < MIN_BASELINE * MIN_BASELINE {
        let text = format!(
            "the antennas are above each other, expected a horizontal distance of {MIN_BASELINE} m or more"
        );
        problems.push(file.at.key_place("antennas_m"), text);
    }
    HeadingSpec {
        antennas,
        std: file.baseline_std_m,
        tau: file.correlation_time_s,
        max_depth: file.max_depth_m,
        reacquisition: file.reacquisition_s,
    }
}

/// Builds an AHRS from its file and its three triads at `rate` [Hz].
pub fn ahrs(
    file: &AhrsConfig,
    [g, a, m]: [(Errors, Noise); 3],
    rate: f64,
    problems: &mut Problems,
) -> AhrsSpec {
    if file.bias_time_constant_s * rate < 2.0 {
        let text = format!(
            "`bias_time_constant_s` is {}, expected two samples or more ({} s)",
            file.bias_time_constant_s,
            2.0 / rate
        );
        problems.push(file.at.key_place("bias_time_constant_s"), text);
    }
    AhrsSpec {
        gyro: g.0,
        accelerometer: a.0,
        magnetometer: m.0,
        times: [
            file.tilt_time_constant_s,
            file.heading_time_constant_s,
            file.bias_time_constant_s,
        ],
        acceleration_gate: file.acceleration_gate_m_s2.unwrap_or(f64::INFINITY),
        field_gate: file.field_gate_percent.map_or(f64::INFINITY, |p| p / 100.0),
        iron: Vec3::from(file.iron_nt.map(|x| 1e-9 * x)),
        true_north: file.true_north,
        fixed: [
            a.1.turn_on_bias,
            a.1.misalignment_std,
            m.1.turn_on_bias,
            m.1.misalignment_std,
            m.1.scale_std,
        ],
    }
}

/// Builds an INS without aiding sensors from its file and its two triads.
pub fn ins(file: &InsConfig, [g, a]: [(Errors, Noise); 2]) -> InsSpec {
    InsSpec {
        gyro: g.0,
        accelerometer: a.0,
        start_position: file.start_position_std_m,
        start_velocity: file.start_velocity_std_m_s,
        start_attitude: file.start_attitude_std_deg.map(f64::to_radians),
        gyro_model: NoiseModel::new(&g.1),
        accelerometer_model: NoiseModel::new(&a.1),
        gate: file.innovation_gate,
        aids: Aids::default(),
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
        let mut spec = (**spec).clone();
        let keys = [
            ("dvl", &named.dvl),
            ("gnss", &named.gnss),
            ("pressure", &named.pressure),
        ];
        for (key, aid) in keys {
            let Some(aid) = aid else { continue };
            match find_aid(sensors, k, (key, aid)) {
                Ok(found) => add_aid(&mut spec.aids, files, &sensors[k], (found, &sensors[found])),
                Err(why) => problems.push(named.at.key_place(key), why),
            }
        }
        sensors[k].kind = SensorKind::Ins(Box::new(spec));
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
            "{name} is of the kind `{}`, expected `{kind}`",
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
fn add_aid(
    aids: &mut Aids,
    files: &NamedMap<SensorConfig>,
    system: &Sensor,
    (sensor, aid): (usize, &Sensor),
) {
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
                std: spec.std,
                tau: spec.tau,
            });
        }
        SensorKind::Pressure(_) => {
            let file = files
                .iter()
                .find(|(name, _)| **name == aid.name)
                .map(|(_, file)| &file.device.measures);
            let bias_std = match file {
                Some(MeasurementConfig::Pressure { errors, .. }) => errors.turn_on_bias_std,
                _ => 0.0,
            };
            aids.pressure = Some(PressureAid {
                sensor,
                p_SoP: at,
                bias_std,
            });
        }
        _ => {}
    }
}
