//! Figures of V03, V08 and V11: signal excess, schedule trace, distribution of the fading.

use crate::cases::comms::{PERIOD, Results, run_modems, thetis, uniform_water};
use crate::cases::prelude::*;
use merrow_model::scene::comms::BROADCAST;

/// Threshold of the signal-to-noise ratio of the modem of Thetis [dB].
const THRESHOLD: f64 = 10.0;

/// Draws the signal-to-noise ratio of a message of a quiet modem of Thetis over the distance in its
/// horizontal beam, and over the elevation at 0.3 of its range `radius` [m].
pub(super) fn signal_excess(
    data: &ReferenceData,
    keys: &str,
    radius: f64,
) -> Result<Drawing, String> {
    let fractions: Vec<f64> = (1..=24).map(|k| 0.05 * f64::from(k)).collect();
    let elevations: Vec<f64> = (-12..=12).map(|k| 7.5 * f64::from(k)).collect();
    let mut modems = vec![thetis("source", [0.0, 0.0, -200.0], keys)];
    let mut add = |x: f64, z: f64| {
        let name = format!("m{}", modems.len());
        modems.push(thetis(&name, [x, 0.0, z - 200.0], keys));
    };
    for fraction in &fractions {
        add(fraction * radius, 0.0);
    }
    for elevation in &elevations {
        let angle = elevation.to_radians();
        let r = 0.3 * radius;
        add(-r * libm::cos(angle), r * libm::sin(angle));
    }
    let water = uniform_water(10.0, 35.0);
    let found = run_modems(data, &water, &modems, &[(0.1, 0, BROADCAST, 8)], 10.0)?;
    let points = |x: &[f64], first: u32, scale: f64| -> Vec<[f64; 2]> {
        let ratio = |(k, x): (usize, &f64)| [scale * x, found.snr(first + k as u32)];
        x.iter().enumerate().map(ratio).collect()
    };
    let n = fractions.len() as u32;
    let curves = [
        (points(&fractions, 1, radius), "distance [m]"),
        (points(&elevations, 1 + n, 1.0), "elevation [deg]"),
    ];
    let panels = curves.map(|(points, x_label)| {
        let ends = [points[0][0], points[points.len() - 1][0]];
        let threshold = ends.map(|x| [x, THRESHOLD]).to_vec();
        let lines = vec![
            PlotCurve::new("threshold", BLACK, true, threshold),
            PlotCurve::new("message to all", COLOURS[0], false, points),
        ];
        Panel::new("SL - TL - NB with directivity [dB]", x_label, lines)
    });
    let title = "Signal excess of the modem of Thetis, 130 dB re 1 µPa at 1 m (V03)";
    Ok(draw_figure(title, &panels, FIGURE_WIDTH, 220))
}

/// Draws the transmissions of the first two periods of the schedule of the docking study, as a
/// schedule trace: a modem has its lower level while it waits, its upper level while it transmits.
pub(super) fn schedule_trace(found: &Results) -> Drawing {
    let end = 2.0 * PERIOD;
    let lines = (0..9_u32).map(|modem| {
        let level = f64::from(modem);
        let mut points = vec![[0.0, level]];
        let mut last_ns = None;
        let own = found.packets.iter().filter(|p| p.from == modem);
        let mut starts: Vec<(u64, u32)> = own.map(|p| (p.start_ns, p.bits)).collect();
        starts.sort_unstable();
        for (start_ns, bits) in starts {
            let start = start_ns as f64 * 1e-9;
            if start >= end || last_ns.replace(start_ns) == Some(start_ns) {
                continue;
            }
            let stop = start + f64::from(bits) / 1e4;
            points.extend([
                [start, level],
                [start, level + 0.6],
                [stop, level + 0.6],
                [stop, level],
            ]);
        }
        points.push([end, level]);
        let label = match modem {
            0 => "station",
            1 => "vehicles",
            _ => "",
        };
        PlotCurve::new(label, COLOURS[modem.min(1) as usize], false, points)
    });
    let lines = lines.collect();
    let panel = Panel::new("modem, upper level: transmit", "time [s]", lines);
    let title = "Schedule of the docking study, two periods of 0.74 s (V08)";
    draw_figure(title, &[panel], FIGURE_WIDTH, 330)
}

/// Draws the distribution of the power factors of Rayleigh fading, which are sorted.
pub(super) fn fading_distribution(factors: &[f64]) -> Drawing {
    let n = factors.len();
    let stride = (n / 500).max(1);
    let sampled = factors.iter().enumerate().step_by(stride);
    let measured: Vec<[f64; 2]> = sampled
        .filter(|(_, x)| **x < 5.0)
        .map(|(k, x)| [*x, (k as f64 + 0.5) / n as f64])
        .collect();
    let law = (0..=100).map(|k| 0.05 * f64::from(k));
    let law: Vec<[f64; 2]> = law.map(|x| [x, 1.0 - libm::exp(-x)]).collect();
    let lines = vec![
        PlotCurve::new("Merrow, 100 000 samples", COLOURS[0], false, measured),
        PlotCurve::new("1 - exp(-x)", BLACK, true, law),
    ];
    let x_label = "received power over its mean [-]";
    let panel = Panel::new("part of the samples below [-]", x_label, lines);
    draw_figure("Rayleigh fading (V11)", &[panel], FIGURE_WIDTH, 240)
}
