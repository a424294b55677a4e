//! Conversion of sensors.

pub mod acoustic;
pub mod ais;
pub mod camera;
pub mod laser;
pub mod navigation;
pub mod obstacle;
pub mod on_board;
pub mod placement;
pub mod probe;
pub mod radar;
pub mod sonar;

use crate::build::robot::BuildContext;
use crate::schema::{
    Device, MeasurementConfig, NoiseConfig, RangeModeConfig, ReliabilityConfig, SensorConfig,
    WrenchDirection,
};
use merrow_math::real::sin_cos;
use merrow_math::rng::Stream;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::sensor::{
    DvlSpec, Errors, ExteroceptiveSpec, Noise, PingRates, PublisherQos,
};
use merrow_model::scene::{Robot, Sensor, SensorKind};
use merrow_yaml::error::Problems;
use merrow_yaml::read::Places;
use std::sync::Arc;

/// Maximum number of readings between measurement and delivery. Memory for them is allocated at the
/// start.
const MAX_IN_FLIGHT: f64 = 10_000.0;

/// Substitute for an invalid rate [Hz], at which all other rate checks pass.
const SUBSTITUTE_RATE: f64 = 1.0 / 3600.0;

/// Builds the sensor `name` on a link of `carrier`, whose links, thrusters and battery are built.
pub fn build_sensor(
    name: &str,
    file: &SensorConfig,
    link: usize,
    carrier: &Robot,
    frame: BuildContext<'_>,
    problems: &mut Problems,
) -> Sensor {
    let device = &file.device;
    let rate = checked_rate(name, file, frame.dt, problems);
    if link == 0 && matches!(device.measures, MeasurementConfig::Wrench { .. }) {
        let text = format!(
            "{name} measures the wrench through a joint, base_link has none: expected a `link`"
        );
        problems.push(&file.at.whole, text);
    }
    let p_UoS_U = Vec3::from(file.position_m);
    let [r, p, y] = file.attitude_deg.map(f64::to_radians);
    let R_US = Mat3::from_rpy(r, p, y);
    let R_LU = &carrier.links[link].R_LU;
    let watched = on_board::measured_thruster(name, file, carrier, problems);
    let stream_name = format!("{}/{name}", carrier.name);
    let kind = build_kind(device, rate, watched, frame, &stream_name, problems);
    if kind.exteroceptive().is_none() && file.at.has_key("lazy") {
        let text = format!("`lazy` has no effect for {name}, which is not an exteroceptive sensor");
        problems.push(file.at.key_place("lazy"), text);
    }
    Sensor {
        name: name.to_string(),
        link,
        p_LoS: R_LU.mul_vec(p_UoS_U),
        R_LS: R_LU.mul_mat(&R_US),
        p_UoS_U,
        R_US,
        rate,
        latency_ns: (device.latency_s * 1e9) as u64,
        start_ns: (file.start_s * 1e9) as u64,
        loss_probability: device.loss_probability,
        queue: (device.latency_s * rate).min(MAX_IN_FLIGHT) as usize + 2,
        power: device.power_w,
        stream: Stream::new(frame.seed, &stream_name),
        lazy: file.lazy,
        qos: PublisherQos {
            reliable: file.qos.reliability == ReliabilityConfig::Reliable,
            depth: file.qos.depth,
        },
        kind,
    }
}

/// Returns the rate of the sensor [Hz]. An invalid rate is reported once and replaced by a valid
/// one, so that no other mistakes follow from it.
fn checked_rate(name: &str, file: &SensorConfig, dt: f64, problems: &mut Problems) -> f64 {
    let device = &file.device;
    let rate = file.rate_hz.unwrap_or(device.rate_hz);
    let place = if file.at.has_key("rate_hz") {
        file.at.key_place("rate_hz")
    } else {
        device.at.key_place("rate_hz")
    };
    let most = device.max_rate_hz.unwrap_or(f64::INFINITY);
    let text = if rate > most {
        format!("{name} is set to {rate} samples per second, the device supports at most {most}")
    // A rate equal to that of the time step must pass in spite of rounding.
    } else if rate * dt > 1.0 + 1e-9 {
        format!(
            "{name} is set to {rate} samples per second, the time step allows {:.0}: lower the rate or `dt_s`",
            1.0 / dt
        )
    } else if device.latency_s * rate > MAX_IN_FLIGHT {
        format!(
            "{name} would have {:.0} readings in transit at once, expected no more than {MAX_IN_FLIGHT}: \
             lower the rate or `latency_s`",
            device.latency_s * rate
        )
    } else {
        return rate;
    };
    problems.push(place, text);
    SUBSTITUTE_RATE
}

fn build_kind(
    device: &Device,
    rate: f64,
    watched: usize,
    frame: BuildContext<'_>,
    stream: &str,
    problems: &mut Problems,
) -> SensorKind {
    let errors = |file: &NoiseConfig, part: &str| {
        Errors::new(
            &build_noise(file),
            rate,
            Stream::new(frame.seed, &format!("{stream}/{part}")),
        )
    };
    let fixed = || Stream::new(frame.seed, &format!("{stream}/fixed"));
    match &device.measures {
        MeasurementConfig::Imu {
            gyro,
            accelerometer,
            attitude_std_deg,
            ..
        } => SensorKind::Imu {
            gyro: errors(gyro, "gyro"),
            accelerometer: errors(accelerometer, "accelerometer"),
            orientation_std: attitude_std_deg.map(|a| a.map(f64::to_radians)),
        },
        MeasurementConfig::Ahrs(file) => {
            let [g, a, m] = [
                (&file.gyro, "gyro"),
                (&file.accelerometer, "accelerometer"),
                (&file.magnetometer, "field"),
            ]
            .map(|(of, part)| (errors(of, part), build_noise(of)));
            SensorKind::Ahrs(Box::new(navigation::ahrs(file, [g, a, m], rate, problems)))
        }
        MeasurementConfig::Ins(file) => {
            let [g, a] = [(&file.gyro, "gyro"), (&file.accelerometer, "accelerometer")]
                .map(|(of, part)| (errors(of, part), build_noise(of)));
            SensorKind::Ins(Box::new(navigation::ins(file, [g, a])))
        }
        MeasurementConfig::Gnss(file) => {
            let stream = Stream::new(frame.seed, &format!("{stream}/sky"));
            SensorKind::Gnss(Box::new(navigation::gnss(file, stream)))
        }
        MeasurementConfig::GnssHeading(file) => {
            SensorKind::GnssHeading(navigation::heading(file, problems))
        }
        MeasurementConfig::Dvl { .. } => {
            SensorKind::Dvl(Box::new(build_dvl(&device.measures, problems)))
        }
        MeasurementConfig::Pressure { errors: e, .. } => {
            SensorKind::Pressure(errors(e, "pressure"))
        }
        MeasurementConfig::Magnetometer { errors: e, .. } => {
            SensorKind::Magnetometer(errors(e, "field"))
        }
        MeasurementConfig::Altimeter {
            errors: e,
            min_range_m,
            max_range_m,
            beam_width_deg,
            at,
        } => {
            if min_range_m >= max_range_m {
                let text = format!(
                    "`min_range_m` is {min_range_m}, expected less than `max_range_m` {max_range_m}"
                );
                problems.push(at.key_place("min_range_m"), text);
            }
            SensorKind::Altimeter {
                errors: errors(e, "range"),
                limits: [*min_range_m, *max_range_m],
                beam_width: beam_width_deg.to_radians(),
            }
        }
        MeasurementConfig::Odometry => SensorKind::Odometry,
        MeasurementConfig::Probe(file) => {
            let errors = errors(&file.errors, &file.field);
            SensorKind::Probe(Box::new(probe::probe(
                file,
                errors,
                frame.carried,
                problems,
            )))
        }
        MeasurementConfig::WaterSampler(file) => {
            SensorKind::WaterSampler(Box::new(probe::sampler(file, frame.carried, problems)))
        }
        MeasurementConfig::Barometer(file) => on_board::barometer(file, &errors, problems),
        MeasurementConfig::Anemometer(file) => on_board::anemometer(file, &errors),
        MeasurementConfig::LeakDetector(file) => SensorKind::LeakDetector {
            volume: file.trigger_volume_m3,
        },
        MeasurementConfig::MotorTelemetry(file) => on_board::motor(file, watched, &errors),
        MeasurementConfig::PowerMeter(file) => on_board::power_meter(file, &errors),
        MeasurementConfig::Ctd(file) => {
            let errors = [
                errors(&file.temperature, "temperature"),
                errors(&file.conductivity, "conductivity"),
                errors(&file.pressure, "pressure"),
            ];
            SensorKind::Ctd(Box::new(probe::ctd(file, errors, frame.around.gravity)))
        }
        MeasurementConfig::Laser(file) => {
            exteroceptive(ExteroceptiveSpec::Laser(laser::laser(file, rate, problems)))
        }
        MeasurementConfig::TiltingLaser(file) => exteroceptive(ExteroceptiveSpec::Laser(
            laser::tilting(file, rate, problems),
        )),
        MeasurementConfig::Camera(file) => exteroceptive(ExteroceptiveSpec::Camera(
            camera::camera(file, rate, problems),
        )),
        MeasurementConfig::Lidar(file) => {
            exteroceptive(ExteroceptiveSpec::Laser(laser::lidar(file, rate, problems)))
        }
        MeasurementConfig::ImagingSonar(file) => exteroceptive(ExteroceptiveSpec::Sonar(
            sonar::imaging(file, rate, problems),
        )),
        MeasurementConfig::Multibeam(file) => exteroceptive(ExteroceptiveSpec::Sonar(
            sonar::multibeam(file, rate, problems),
        )),
        MeasurementConfig::SideScan(file) => exteroceptive(ExteroceptiveSpec::Sonar(
            sonar::side_scan(file, rate, problems),
        )),
        MeasurementConfig::ScanningSonar(file) => exteroceptive(ExteroceptiveSpec::Sonar(
            sonar::scanning(file, rate, problems),
        )),
        MeasurementConfig::Hydrophone(file) => exteroceptive(ExteroceptiveSpec::Acoustic(
            acoustic::hydrophone(file, fixed(), problems),
        )),
        MeasurementConfig::Usbl(file) => exteroceptive(ExteroceptiveSpec::Acoustic(
            acoustic::usbl(file, rate, fixed(), problems),
        )),
        MeasurementConfig::Lbl(file) => exteroceptive(ExteroceptiveSpec::Acoustic(acoustic::lbl(
            file,
            rate,
            fixed(),
            problems,
        ))),
        MeasurementConfig::Sbl(file) => exteroceptive(ExteroceptiveSpec::Acoustic(acoustic::sbl(
            file,
            rate,
            fixed(),
            problems,
        ))),
        MeasurementConfig::Radar(file) => {
            exteroceptive(ExteroceptiveSpec::Radar(radar::radar(file, rate, problems)))
        }
        MeasurementConfig::AisReceiver(file) => {
            exteroceptive(ExteroceptiveSpec::Ais(ais::build_receiver(file)))
        }
        MeasurementConfig::ObstacleDetector(file) => exteroceptive(ExteroceptiveSpec::Obstacles(
            obstacle::build_detector(file, problems),
        )),
        MeasurementConfig::Wrench {
            force,
            torque,
            direction,
            ..
        } => SensorKind::Wrench {
            force: errors(force, "force"),
            torque: errors(torque, "torque"),
            on_parent: *direction == WrenchDirection::ChildToParent,
        },
    }
}

fn exteroceptive(with: ExteroceptiveSpec) -> SensorKind {
    SensorKind::Exteroceptive(Arc::new(with))
}

fn build_dvl(measures: &MeasurementConfig, problems: &mut Problems) -> DvlSpec {
    let MeasurementConfig::Dvl {
        beam_angle_deg,
        beam_azimuths_deg,
        bottom_std_m_s,
        water_std_m_s,
        scale_std_percent,
        range_std_m,
        altitude_m,
        water_layer_m,
        max_beam_speed_m_s,
        resolution_m_s,
        beam_loss,
        range_modes,
        water_rate_hz,
        search_rate_hz,
        at,
    } = measures
    else {
        unreachable!("called for a DVL only")
    };
    let mut ordered = |key: &str, pair: &[f64; 2]| {
        if pair[0] >= pair[1] {
            problems.push(
                at.key_place(key),
                format!(
                    "`{key}` is [{}, {}], expected the smaller value first",
                    pair[0], pair[1]
                ),
            );
        }
    };
    ordered("altitude_m", altitude_m);
    if let Some(layer) = water_layer_m {
        ordered("water_layer_m", layer);
    }
    let (s, c) = sin_cos(beam_angle_deg.to_radians());
    DvlSpec {
        beams: beam_azimuths_deg.map(|azimuth| {
            let (sa, ca) = sin_cos(azimuth.to_radians());
            Vec3::new(s * ca, s * sa, -c)
        }),
        bottom_std: *bottom_std_m_s,
        water_std: *water_std_m_s,
        scale_std: scale_std_percent / 100.0,
        range_std: *range_std_m,
        altitude: *altitude_m,
        water_layer: *water_layer_m,
        max_beam_speed: *max_beam_speed_m_s,
        resolution: *resolution_m_s,
        beam_loss: *beam_loss,
        ping_rates: build_ping_rates(range_modes, [*water_rate_hz, *search_rate_hz], at, problems),
    }
}

/// Builds the ping rates of a DVL from its range modes, for water track and for search; `None`
/// without modes.
fn build_ping_rates(
    modes: &[RangeModeConfig],
    [water, search]: [Option<f64>; 2],
    at: &Places,
    problems: &mut Problems,
) -> Option<PingRates> {
    if modes.is_empty() {
        for key in ["water_rate_hz", "search_rate_hz"]
            .into_iter()
            .filter(|key| at.has_key(key))
        {
            problems.push(
                at.key_place(key),
                format!("`{key}` without `range_modes`: expected both or none"),
            );
        }
        return None;
    }
    for mode in modes
        .iter()
        .filter(|mode| mode.altitude_m[0] >= mode.altitude_m[1])
    {
        let [low, high] = mode.altitude_m;
        let text = format!("`altitude_m` is [{low}, {high}], expected the smaller value first");
        problems.push(mode.at.key_place("altitude_m"), text);
    }
    for pair in modes.windows(2) {
        let rises = |k: usize| pair[0].altitude_m[k] < pair[1].altitude_m[k];
        if !rises(0) || !rises(1) {
            let text = "the range mode is not higher than the previous one: expected higher altitudes at both ends"
                .to_string();
            problems.push(pair[1].at.key_place("altitude_m"), text);
        }
    }
    let slowest = modes
        .iter()
        .map(|mode| mode.rate_hz)
        .fold(f64::INFINITY, f64::min);
    let search = search.unwrap_or(slowest);
    let from = |k: usize| match k {
        0 => 0.0,
        k => 0.5 * (modes[k - 1].altitude_m[1] + modes[k].altitude_m[0]),
    };
    Some(PingRates {
        modes: modes
            .iter()
            .enumerate()
            .map(|(k, mode)| [from(k), mode.rate_hz])
            .collect(),
        water: water.unwrap_or(search),
        search,
    })
}

fn build_noise(file: &NoiseConfig) -> Noise {
    Noise {
        density: file.density,
        bias_instability: file.bias_instability,
        bias_tau: file.bias_correlation_time_s,
        random_walk: file.random_walk,
        turn_on_bias: file.turn_on_bias_std,
        scale_std: file.scale_std_percent / 100.0,
        misalignment_std: file.misalignment_std_deg.to_radians(),
        resolution: file.resolution,
        range: file.full_scale.unwrap_or(f64::INFINITY),
    }
}
