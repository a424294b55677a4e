//! Tests of navigation radars: radar equation, noise, shadows, horizon, sea and rain clutter,
//! fading.

mod clutter;
mod display;

use crate::common::{advance, simulation, within};
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::radar::{Polarisation, RadarSpec};
use merrow_model::state::frames::FrameData;
use merrow_sensors::radar::clutter::{SeaClutter, rain_attenuation, rain_cross_section};
use merrow_sim::Simulation;

/// Returns the echo power [W] that a published `strength` [-], 0..1, represents at the range `r`
/// [m].
fn echo_power(spec: &RadarSpec, strength: f32, r: f64) -> f64 {
    let radar = &spec.radar;
    let range_gain = radar.gain_per_decade_db * (r.max(1.0) / radar.max_range_m).log10();
    let [low, high] = radar.levels_dbm;
    let dbm = low + f64::from(strength) * (high - low) - range_gain;
    10.0_f64.powf(0.1 * (dbm - 30.0))
}

const LIGHT: f64 = 299_792_458.0;

/// Returns the world with a radar `height` [m] above the water that heads east, and further keys of
/// the world.
fn world(height: f64, device: &str, rest: &str) -> String {
    format!(
        "
step: {{dt_s: 0.05}}
seabed: {{depth_m: 900}}
robots:
  r:
    position_m: [0, 0, {height}]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{s: {{lazy: false, device: {{source: test, kind: radar, rate_hz: 4, speed_rpm: 60, transmit_w: 4000, antenna_gain_db: 27, losses_db: 3,
        noise_figure_db: 5, gain_per_decade_db: 0, levels_dbm: [-180, 60], {device}}}}}}}
{rest}
"
    )
}

const PLAIN: &str = "beam_width_deg: 4, pulse_us: 0.1, spokes: 1024, rays: [3, 96], max_range_m: 2000, bins: 100, fading: false";

/// Returns the powers of `turns` antenna turns, one spoke per row [W].
fn turns(sim: &mut Simulation, turns: usize) -> (RadarSpec, Vec<Vec<f64>>) {
    let spec = match &**sim.scene.robots[0].sensors[0]
        .kind
        .exteroceptive()
        .expect("a radar")
    {
        ExteroceptiveSpec::Radar(spec) => spec.clone(),
        _ => panic!("no radar"),
    };
    let mut all: Vec<Vec<f64>> = Vec::new();
    while all.len() < turns * spec.spokes() {
        advance(sim, 0.25);
        for frame in sim.frames.drain(..) {
            let FrameData::Sweep(sweep) = &*frame.data else {
                panic!("no spokes")
            };
            assert_eq!(sweep.first as usize, all.len());
            let powers = |echoes: &Vec<f32>| {
                echoes
                    .iter()
                    .enumerate()
                    .map(|(k, s)| echo_power(&spec, *s, spec.range(k)))
                    .collect()
            };
            all.extend(sweep.spokes.iter().map(powers));
        }
    }
    all.truncate(turns * spec.spokes());
    (spec, all)
}

fn one_turn(text: &str) -> (RadarSpec, Vec<Vec<f64>>) {
    turns(&mut simulation(text), 1)
}

fn db(power: f64) -> f64 {
    10.0 * power.log10()
}

/// Returns the P_t G² λ²/((4π)³ L) [W m²].
fn strength() -> f64 {
    let wave = LIGHT / 9.41e9;
    4000.0 * 10_f64.powf(5.4) * wave * wave
        / ((4.0 * std::f64::consts::PI).powi(3) * 10_f64.powf(0.3))
}

fn noise() -> f64 {
    1.380_649e-23 * 290.0 * 10_f64.powf(0.5) * 1e7
}

fn ball(x: f64, y: f64, z: f64, a: f64) -> String {
    format!(
        "position_m: [{x}, {y}, {z}], material: {{reflectivity: 1}}, shapes: {{s: {{kind: sphere, radius_m: {a}}}}}"
    )
}

// The echo of a ball has the power of the radar equation for its optical cross section π a² and
// appears at its position: a quarter to starboard is a quarter of a turn. Method: balls of 4 m
// radius at 600 m; the strongest cell. Tolerance: 0.5 dB, for the rays that hit the ball and the
// beam pattern over its width; one spoke, one range bin.
#[test]
fn ball_echo_matches_the_radar_equation() {
    for (x, y, spoke) in [(600.0, 0.0, 0), (0.0, -600.0, 256)] {
        let text = world(
            30.0,
            PLAIN,
            &format!("structures: {{b: {{{}}}}}", ball(x, y, 30.0, 4.0)),
        );
        let (spec, powers) = one_turn(&text);
        let cells = powers
            .iter()
            .enumerate()
            .flat_map(|(n, p)| p.iter().enumerate().map(move |(k, p)| (n, k, *p)));
        let (n, k, found) = cells.max_by(|a, b| a.2.total_cmp(&b.2)).unwrap();
        let expected = strength() * std::f64::consts::PI * 16.0 / 598_f64.powi(4);
        within("level", db(found - noise()), db(expected), 0.5);
        let off = (n as i64 - spoke).rem_euclid(1024);
        assert!(off.min(1024 - off) <= 1, "spoke {n}");
        assert!((spec.range(k) - 598.0).abs() < 20.0, "{}", spec.range(k));
    }
}

// Noise follows the noise figure; a wall hides a ball; low objects beyond the horizon are hidden,
// high targets are visible. Method: k T B F; two worlds; boxes 25 km away with tops at 5 and 60 m;
// from 10 m all targets above 8.4 m are visible. Tolerance: 0.01 dB; none.
#[test]
fn noise_shadows_and_horizon() {
    let (_, silent) = one_turn(&world(30.0, PLAIN, ""));
    within("noise", db(silent[5][7]), db(noise()), 0.01);
    let wall = "w: {position_m: [300, 0, 20], shapes: {w: {kind: box, size_m: [2, 60, 60]}}}";
    let hidden = format!(
        "structures: {{b: {{{}}}, {wall}}}",
        ball(1000.0, 0.0, 30.0, 4.0)
    );
    let (spec, powers) = one_turn(&world(30.0, PLAIN, &hidden));
    let behind = (0..spec.bins())
        .filter(|k| spec.range(*k) > 400.0)
        .all(|k| powers[0][k] < 1.1 * noise());
    assert!(behind && powers[0].iter().any(|p| *p > 1e3 * noise()));
    let far = "beam_width_deg: 4, pulse_us: 1, spokes: 256, rays: [6, 400], max_range_m: 30000, bins: 100, fading: false";
    for (top, seen) in [(5.0, false), (60.0, true)] {
        let land = format!(
            "structures: {{b: {{position_m: [25000, 0, 0], shapes: {{w: {{kind: box, size_m: [50, 3000, {}]}}}}}}}}",
            2.0 * top
        );
        let (spec, powers) = one_turn(&world(10.0, far, &land));
        let k = (0..spec.bins())
            .find(|k| spec.range(*k) > 24_900.0)
            .unwrap();
        assert_eq!(
            powers[0][k].max(powers[0][k + 1]) > 0.13 * noise(),
            seen,
            "{top} m: {}",
            powers[0][k] / noise()
        );
    }
}

// The mean sea and rain clutter follow their laws. Method: (3) and (4) of the radar by hand, with
// the two-way beam width of a cosine pattern: ∫ b² = 0.6666 λ/L, a numerical integral of the closed
// form of the pattern. Tolerance: 0.2 dB.
#[test]
fn clutter_matches_its_closed_form() {
    let twice = |width_deg: f64| {
        let length = 0.594_482_9 / (0.5 * width_deg).to_radians().sin();
        let n = 200_000;
        let step = std::f64::consts::PI / f64::from(n);
        let pattern = |angle: f64| {
            let u = length * angle.sin();
            ((std::f64::consts::PI * u).cos() / (1.0 - 4.0 * u * u)).powi(2)
        };
        let at = |k: i32| pattern((f64::from(k) + 0.5) * step - std::f64::consts::FRAC_PI_2);
        (0..n).map(|k| at(k).powi(2) * step).sum::<f64>()
    };
    let cell = 19.9; // One bin [m], longer than the 15 m of the pulse.
    let (spec, rain) = one_turn(&world(30.0, PLAIN, "weather: {rain_mm_h: 25}"));
    let k = 49;
    let r = spec.range(k);
    let attenuation =
        10_f64.powf(-0.2 * rain_attenuation(9.41e9, Polarisation::Horizontal, 25.0) * r);
    let volume = r * r * twice(4.0) * twice(25.0) * cell;
    let expected = strength() * rain_cross_section(9.41e9, 25.0) * volume / r.powi(4) * attenuation;
    within("rain", db(rain[100][k] - noise()), db(expected), 0.2);
    let (spec, sea) = one_turn(&world(
        30.0,
        PLAIN,
        "weather: {wind_speed_m_s: 10, wind_from_deg: 90}",
    ));
    let law = SeaClutter {
        wavelength: LIGHT / 9.41e9,
        wind: 10.0,
        polarisation: Polarisation::Horizontal,
    };
    // Ahead, upwind, and astern.
    for (spoke, upwind) in [(0, 1.0), (512, -1.0)] {
        let strength_here = law.strength((30.0 / r).atan(), upwind);
        let expected = strength() * strength_here * r * twice(4.0) * cell / r.powi(4);
        within("sea", db(sea[spoke][k] - noise()), db(expected), 0.2);
    }
    assert_eq!(spec.bins(), 100);
}

// Noise fades as the mean of n pulses, sea clutter as a K distribution, and a vessel as a whole
// once per turn. Method: powers relative to those without fading; variances 1/n, (1 + 1/ν)(1 + 1/n)
// - 1, and 1. Tolerance: 5 standard errors for noise; a quarter for the sea, whose fourth moments
// are large; 0.7 for the vessel in 60 turns, whose standard error is 0.37; the ratio of its two
// cells in one turn is constant over all turns within 2 %.
#[test]
fn fading_matches_the_kind_of_echo() {
    // No structures: rays hit no object.
    let plain = PLAIN.replace("rays: [3, 96]", "rays: [1, 4]");
    let faded = plain.replace("fading: false", "pulses: 4");
    let variance = |all: &[f64]| {
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let square = all.iter().map(|x| (x / mean - 1.0).powi(2)).sum::<f64>() / all.len() as f64;
        (mean, square)
    };
    let (_, silent) = one_turn(&world(30.0, &faded, ""));
    let all: Vec<f64> = silent.iter().flatten().map(|p| p / noise()).collect();
    let (mean, square) = variance(&all);
    within("mean", mean, 1.0, 5.0 * (0.25 / all.len() as f64).sqrt());
    within("noise", square, 0.25, 0.01);
    let weather = "weather: {wind_speed_m_s: 12, wind_from_deg: 90}";
    let (spec, sea) = one_turn(&world(30.0, &faded, weather));
    let (_, mean_sea) = one_turn(&world(30.0, &plain, weather));
    let law = SeaClutter {
        wavelength: LIGHT / 9.41e9,
        wind: 12.0,
        polarisation: Polarisation::Horizontal,
    };
    // Crosswind.
    let k = 10;
    let ratios: Vec<f64> = (200..312)
        .flat_map(|n| (k - 3..k + 4).map(move |k| (n, k)))
        .map(|(n, k)| sea[n][k] / mean_sea[n][k])
        .collect();
    let r = spec.range(k);
    let shape = law.shape((30.0 / r).atan(), 0.0, r * spec.width);
    let expected = (1.0 + 1.0 / shape) * 1.25 - 1.0;
    within("sea", variance(&ratios).1, expected, 0.25 * expected);
    // A weightless floating ball, which stays at its position because the world has no gravity.
    let text = world(30.0, &PLAIN.replace("fading: false", "pulses: 400").replace("spokes: 1024, rays: [3, 96]", "spokes: 128, rays: [4, 64]"), "").replace(
        "robots:\n",
        "gravity_m_s2: 0\nrobots:\n  b:\n    position_m: [600, 0, 30]\n    model: {source: test, body: {source: test, axes: flu, mass_kg: 1, volume_m3: 268, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}}\n",
    );
    let mut sim = simulation(&text.replace("  r:\n", "  a:\n"));
    // The radar belongs to the robot after the ball.
    let exteroceptive = sim.scene.robots[1].sensors[0]
        .kind
        .exteroceptive()
        .expect("a radar")
        .clone();
    let ExteroceptiveSpec::Radar(spec) = &*exteroceptive else {
        panic!("no radar")
    };
    let mut seen = Vec::new();
    while seen.len() < 60 {
        advance(&mut sim, 0.25);
        for frame in sim.frames.drain(..) {
            let FrameData::Sweep(sweep) = &*frame.data else {
                panic!("no spokes")
            };
            if sweep.first % 128 == 0 {
                let k = ((596.0 - spec.radar.min_range_m) / spec.bin()) as usize;
                let at = |n: usize| echo_power(spec, sweep.spokes[n][k], spec.range(k));
                seen.push([at(0), at(1)]);
            }
        }
    }
    let of_turn: Vec<f64> = seen.iter().map(|p| p[0]).collect();
    within("vessel", variance(&of_turn).1, 1.0, 0.7);
    let ratio: Vec<f64> = seen.iter().map(|p| p[1] / p[0]).collect();
    for one in &ratio {
        within("in a turn", one / ratio[0], 1.0, 0.02);
    }
}
