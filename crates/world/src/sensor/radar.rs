//! Builder of radars.

use crate::sensor::{BuildSensor, SensorContext, exteroceptive};
use merrow_model::scene::SensorKind;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::radar::{Radar, RadarSpec};
use merrow_model::sensor::sonar::Shading;
use merrow_sensors::sonar::beam::{aperture, pattern};
use merrow_sensors::sonar::decibels::power;
use merrow_yaml::error::Problems;

impl BuildSensor for Radar {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Radar(radar(
            self,
            context.rate,
            problems,
        )))
    }
}

/// Thermal noise of a receiver at 290 K [W/Hz].
const THERMAL_NOISE: f64 = 1.380_649e-23 * 290.0;
/// Angle between ray rows at the horizon, relative to half of their vertical extent.
const HORIZON_STEP: f64 = 0.01;
/// Maximum number of values, and of rays, per turn.
const MAX_PER_TURN: usize = 32_000_000;

/// Builds a radar that outputs `rate` sectors per second [Hz].
pub fn radar(file: &Radar, rate: f64, problems: &mut Problems) -> RadarSpec {
    let (near, far) = (file.min_range_m, file.max_range_m);
    if near >= far {
        let text = format!("`min_range_m` is {near}; expected less than `max_range_m` {far}");
        problems.push(file.at.key_place("min_range_m"), text);
    }
    let [low, high] = file.levels_dbm;
    if low >= high {
        let text = format!("`levels_dbm` is [{low}, {high}]; expected the smaller value first");
        problems.push(file.at.key_place("levels_dbm"), text);
    }
    let turns = file.speed_rpm / 60.0;
    if turns > rate {
        let text = format!(
            "{turns} turns and {rate} sectors per second; expected sectors of at most one turn"
        );
        problems.push(file.at.key_place("speed_rpm"), text);
    }
    let spokes = file.spokes as usize;
    let [columns, rows] = file.rays.map(|n| n as usize);
    for (n, what) in [
        (spokes * file.bins as usize, "values"),
        (spokes * columns * rows, "rays"),
    ] {
        if n > MAX_PER_TURN {
            problems.push(
                &file.at.whole,
                format!("{n} {what} per turn; expected at most {MAX_PER_TURN}"),
            );
        }
    }
    let across = aperture(file.beam_width_deg.to_radians(), Shading::Cosine);
    let along = aperture(file.vertical_width_deg.to_radians(), Shading::Cosine);
    let twice = |aperture, reach: f64| {
        let n = 2000;
        let step = 2.0 * reach / f64::from(n);
        let at = |k: i32| pattern(aperture, (f64::from(k) + 0.5) * step - reach);
        (0..n).map(|k| at(k) * at(k) * step).sum::<f64>()
    };
    let widths = [&across, &along].map(|a| twice(a, std::f64::consts::FRAC_PI_2));
    RadarSpec {
        radar: file.clone(),
        frequency: 1e9 * file.frequency_ghz,
        gain: power(file.antenna_gain_db),
        solid_angle: widths[0] * widths[1],
        width: widths[0],
        across,
        along,
        pulse: 1e-6 * file.pulse_us,
        losses: power(file.losses_db),
        noise: THERMAL_NOISE
            * power(file.noise_figure_db)
            * 1e6
            * file.bandwidth_mhz.unwrap_or(1.0 / file.pulse_us),
        sample_duration_ns: (1e9 / rate) as u64,
        turns,
        rows: crate::sensor::radar::rows(1.3 * file.vertical_width_deg.to_radians(), rows),
        land: power(file.land_db),
    }
}

/// Returns elevations from -reach to reach [rad], denser towards the horizon, and the angle that
/// each represents [rad].
fn rows(reach: f64, n: usize) -> Vec<[f64; 2]> {
    let reach = reach.min(1.5);
    let finest = HORIZON_STEP * reach;
    let edge_scale = libm::asinh(1.0 / HORIZON_STEP);
    let edge = |k: usize| finest * libm::sinh(edge_scale * (2.0 * k as f64 / n as f64 - 1.0));
    (0..n)
        .map(|k| [0.5 * (edge(k) + edge(k + 1)), edge(k + 1) - edge(k)])
        .collect()
}
