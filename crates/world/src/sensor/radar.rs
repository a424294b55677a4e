//! Builder of radars.

use crate::sensor::{BuildSensor, SensorContext};
use merrow_model::sensor::radar::{Radar, RadarSpec};
use merrow_model::sensor::sonar::Shading;
use merrow_sensors::sonar::beam::{aperture, pattern};
use merrow_sensors::sonar::decibels::power;

/// Thermal noise of a receiver at 290 K [W/Hz].
const THERMAL_NOISE: f64 = 1.380_649e-23 * 290.0;
/// Angle between ray rows at the horizon, relative to half of their vertical extent.
const HORIZON_STEP: f64 = 0.01;
/// Maximum number of values, and of rays, per turn.
const MAX_PER_TURN: usize = 32_000_000;

impl BuildSensor for Radar {
    type Spec = RadarSpec;

    fn build(&self, cx: &SensorContext<'_>) -> RadarSpec {
        let (file, rate) = (self, cx.rate);
        cx.check_ranges(&file.at, file.min_range_m, file.max_range_m);
        cx.check_ascending(&file.at, "levels_dbm", file.levels_dbm);
        let turns = file.speed_rpm / 60.0;
        if turns > rate {
            let text = format!(
                "{turns} turns and {rate} sectors per second; expected sectors of at most one turn"
            );
            cx.error(file.at.key_place("speed_rpm"), text);
        }
        let spokes = file.spokes as usize;
        let [columns, rows] = file.rays.map(|n| n as usize);
        for (n, what) in [
            (spokes * file.bins as usize, "values"),
            (spokes * columns * rows, "rays"),
        ] {
            if n > MAX_PER_TURN {
                cx.error(
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
            gain: power(file.antenna_gain_db),
            solid_angle: widths[0] * widths[1],
            width: widths[0],
            across,
            along,
            losses: power(file.losses_db),
            noise: THERMAL_NOISE
                * power(file.noise_figure_db)
                * 1e6
                * file.bandwidth_mhz.unwrap_or(1.0 / file.pulse_us),
            sample_duration_ns: (1e9 / rate) as u64,
            rows: crate::sensor::radar::rows(1.3 * file.vertical_width_deg.to_radians(), rows),
            land: power(file.land_db),
        }
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
