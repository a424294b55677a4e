//! Tests of sonars: sonar equation, beam patterns, shadows, speckle, gain, seabed ranges.

mod beam_targets;
mod motion;
mod pattern;
mod profile;
mod rays;
mod reflection;
mod targets;

use crate::common::{advance, simulation, within};
use merrow_environment::absorption::{Water, francois_garrison};
use merrow_environment::waves::WaveState;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::sonar::Ping;
use merrow_model::sensor::sonar::SonarSpec;
use merrow_model::state::frames::FrameData;
use merrow_sensors::sonar::receive::sample_level;
use merrow_sim::Simulation;

/// Returns the world with a fixed robot at `depth` [m] that carries the sonar `s`. The seabed is
/// 500 m deeper unless `rest` sets another depth. The speed of sound is 1500 m/s.
pub(crate) fn world(depth: f64, device: &str, rest: &str) -> String {
    let bottom = if rest.contains("seabed:") {
        ""
    } else {
        "seabed: {depth_m: 900}"
    };
    format!(
        "
step: {{dt_s: 0.01}}
water: {{density_kg_m3: 1026.95, sound_speed_m_s: 1500, temperature_c: 10}}
{bottom}
robots:
  r:
    position_m: [0, 0, -{depth}]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{s: {{lazy: false, device: {{source: test, rate_hz: 2, {device}}}}}}}
{rest}
"
    )
}

/// Keys that all sonars of this file share: 0.003 dB per count, no gain, no speckle, low noise.
pub(crate) const BARE: &str = "frequency_khz: 400, source_level_db: 210, bits: 16, levels_db: [0, 200], gain_per_decade_db: 0, \
    absorption_gain_db_per_m: 0, speckle: false, volume_backscatter_db: -200, self_noise_db: -100";

pub(crate) fn spec(sim: &Simulation) -> SonarSpec {
    match &**sim.scene.robots[0].sensors[0]
        .kind
        .exteroceptive()
        .expect("a sonar")
    {
        ExteroceptiveSpec::Sonar(spec) => spec.clone(),
        _ => panic!("no sonar"),
    }
}

pub(crate) fn pings(sim: &mut Simulation, seconds: f64) -> Vec<(u64, Ping)> {
    let mut all = Vec::new();
    for _ in 0..(seconds / 0.1).round() as usize {
        advance(sim, 0.1);
        for frame in sim.frames.drain(..).filter(|f| f.robot == 0) {
            let FrameData::Ping(ping) = &*frame.data else {
                panic!("no ping")
            };
            all.push((frame.stamp_ns, ping.clone()));
        }
    }
    all
}

/// Returns the sonar of a world and its first ping.
pub(crate) fn ping(text: &str) -> (SonarSpec, Ping) {
    let mut sim = simulation(text);
    let spec = spec(&sim);
    let ping = pings(&mut sim, 0.9).swap_remove(0).1;
    (spec, ping)
}

/// Returns the levels of a beam over range [dB].
pub(crate) fn beam(spec: &SonarSpec, ping: &Ping, b: usize) -> Vec<f64> {
    ping.levels
        .chunks_exact(spec.steering.len())
        .map(|row| sample_level(spec, row[b]))
        .collect()
}

/// Returns the index and the value of the maximum.
pub(crate) fn peak(levels: &[f64]) -> (usize, f64) {
    let most = levels.iter().fold(f64::MIN, |a, b| a.max(*b));
    (levels.iter().position(|l| *l == most).unwrap(), most)
}

pub(crate) fn db(power: f64) -> f64 {
    10.0 * power.log10()
}

/// Returns the absorption [dB/m] at a depth [m] in the water of `world`, whose density corresponds
/// to salinity 35.
pub(crate) fn absorption(frequency: f64, depth: f64) -> f64 {
    1e-3 * francois_garrison(
        frequency,
        &Water {
            temperature: 10.0,
            salinity: 35.0,
            depth,
            ph: 8.0,
        },
    )
}

pub(crate) fn sphere(x: f64, y: f64, z: f64, radius: f64) -> String {
    format!(
        "structures: {{t: {{position_m: [{x}, {y}, {z}], shapes: {{s: {{kind: sphere, radius_m: {radius}}}}}}}}}"
    )
}

// The level of a point target follows the sonar equation, SL - 40 log r - 2 α r + TS. Method: balls
// of 0.2 and 0.6 m radius with Lambert scattering on the axis of a wide beam. One pulse insonifies
// the whole ball, and TS = 10 log(2π a² μ/3) is the integral of μ cos² over the visible side. (The
// 20 log(a/2) of a rigid sphere is its specular reflection, which rough surfaces do not have.)
// Tolerance: 0.3 dB, for the origin of the echo on the ball (0.17 dB) and for some 100 rays that
// hit it.
#[test]
fn point_target_level_matches_the_sonar_equation() {
    for (r, a) in [(10.0, 0.2), (30.0, 0.6)] {
        let device = format!(
            "kind: imaging_sonar, sector_deg: 30, beams: 3, beam_width_deg: 20, elevation_width_deg: 20, rays: [500, 500], pulse_us: 2000, \
             max_range_m: 60, bins: 600, {BARE}"
        );
        let (spec, ping) = ping(&world(400.0, &device, &sphere(r, 0.0, -400.0, a)));
        let (k, found) = peak(&beam(&spec, &ping, 1));
        let strength = db(2.0 * std::f64::consts::PI * a * a * 10f64.powf(-2.7) / 3.0);
        let expected =
            210.0 - 40.0 * (r - 0.5 * a).log10() - 2.0 * absorption(400.0, 400.0) * r + strength;
        within("level", found, expected, 0.3);
        // Half a pulse length, 1.5 m, around the target.
        assert!((spec.range(k) - r).abs() < 0.9, "{} of {r}", spec.range(k));
    }
}

// The level of a flat seabed follows the sonar equation, SL - 40 log r - 2 α r + S_b + 10 log A
// with A = r ψ cell/cos φ. Method: a multibeam echo sounder 20 m above the seabed. Its beams at 40
// to 60 degrees have footprints much longer than a pulse; ψ = (π²/8) λ/L is the integral of the
// pattern of a cosine-shaded array. Tolerance: 0.5 dB, for the beam pattern over half a pulse.
#[test]
fn flat_seabed_level_matches_the_sonar_equation() {
    let device = format!(
        "kind: multibeam, sector_deg: 120, beams: 61, beam_width_deg: 2, along_width_deg: 1.5, pulse_us: 100, max_range_m: 60, bins: 1200, {BARE}"
    );
    let (spec, ping) = ping(&world(380.0, &device, "seabed: {depth_m: 400}"));
    let psi = std::f64::consts::PI.powi(2) / 8.0 * 0.75f64.to_radians().sin() / 0.594_483;
    for b in [0, 4, 9, 51, 55, 60] {
        let angle = spec.steering[b].abs();
        let r = 20.0 / angle.cos();
        let area = r * psi * 0.075 / angle.sin();
        let backscatter = -27.0 + 20.0 * angle.cos().log10();
        let expected =
            210.0 - 40.0 * r.log10() - 2.0 * absorption(400.0, 390.0) * r + backscatter + db(area);
        let levels = beam(&spec, &ping, b);
        let k = ((r - spec.sonar.min_range_m) / spec.bin()) as usize;
        within(&format!("beam {b}"), levels[k], expected, 0.5);
    }
}

// Ranges to a flat and to a sloping seabed are correct within one bin in all beams. Method: h/cos θ
// from the geometry. Tolerance: one bin of 5 cm.
#[test]
fn multibeam_measures_flat_and_sloping_seabeds() {
    let device = format!(
        "kind: multibeam, sector_deg: 120, beams: 121, beam_width_deg: 1, along_width_deg: 1, pulse_us: 60, max_range_m: 50, bins: 1000, {BARE}"
    );
    let (spec, flat) = ping(&world(380.0, &device, "seabed: {depth_m: 400}"));
    assert_eq!(flat.soundings.len(), 121);
    for (sounding, angle) in flat.soundings.iter().zip(&spec.steering) {
        within("flat", sounding.range, 20.0 / angle.cos(), 0.05);
    }
    // The seabed rises to the north, which is the port side of a robot that heads east.
    let rest = "seabed: {depth_m: 400, slope_east_north: [0, 0.2]}";
    let (_, slope) = ping(&world(380.0, &device, rest));
    for (sounding, angle) in slope.soundings.iter().zip(&spec.steering) {
        let exact = 20.0 / (angle.cos() - 0.2 * angle.sin());
        if exact < 45.0 {
            within("slope", sounding.range, exact, 0.05);
        }
    }
}

// With speckle and noise the seabed is still detected, with errors of a fraction of the beam
// footprint; beyond the maximum range there is no detection. Method: as before, with speckle.
// Tolerance: 0.3 m RMS; a seabed 100 m down gives no detection within 50 m.
#[test]
fn seabed_is_detected_in_speckle_up_to_the_maximum_range() {
    let bare = BARE
        .replace("speckle: false", "speckle: true")
        .replace("self_noise_db: -100", "self_noise_db: 20");
    let device = format!(
        "kind: multibeam, sector_deg: 120, beams: 121, beam_width_deg: 1, along_width_deg: 1, pulse_us: 60, max_range_m: 50, bins: 1000, {bare}"
    );
    let (spec, found) = ping(&world(380.0, &device, "seabed: {depth_m: 400}"));
    let mut squares = 0.0;
    for (sounding, angle) in found.soundings.iter().zip(&spec.steering) {
        let error = sounding.range - 20.0 / angle.cos();
        assert!(error.abs() < 1.0, "{error}");
        squares += error * error / 121.0;
    }
    assert!(
        squares.sqrt() > 0.005 && squares.sqrt() < 0.3,
        "{}",
        squares.sqrt()
    );
    let (_, none) = ping(&world(300.0, &device, "seabed: {depth_m: 400}"));
    assert!(none.soundings.iter().all(|s| s.range == f64::INFINITY));
}

// A strong target reproduces the beam pattern across the beams: main lobe, first null, first side
// lobe. Method: a ball of 5 cm radius at 20 m, and beams 4 degrees wide of an unshaded array, 0.25
// degrees apart: half power at 2 degrees, null at sin⁻¹(λ/L) = 4.52 degrees, side lobe of -13.3 dB
// at 1.43 λ/L = 6.47 degrees. Tolerance: 0.3 dB; below -25 dB in the null (the ball is 0.3 degrees
// wide); half a degree.
#[test]
fn beam_patterns_have_side_lobes() {
    let device = format!(
        "kind: imaging_sonar, sector_deg: 40, beams: 161, beam_width_deg: 4, elevation_width_deg: 4, shading: uniform, rays: [1600, 100], \
         pulse_us: 400, max_range_m: 25, bins: 250, {BARE}"
    );
    let (spec, ping) = ping(&world(400.0, &device, &sphere(20.0, 0.0, -400.0, 0.05)));
    let (k, _) = peak(&beam(&spec, &ping, 80));
    let row: Vec<f64> = ping.levels[k * 161..][..161]
        .iter()
        .map(|n| sample_level(&spec, *n))
        .collect();
    let main = row[80];
    for b in [72, 88] {
        within("half", row[b] - main, -3.0, 0.3);
    }
    let null = (1..40)
        .map(|i| (i, row[80 + i] - main))
        .find(|(i, l)| *l < row[80 + i + 1] - main)
        .unwrap();
    within("null", 0.25 * null.0 as f64, 4.52, 0.3);
    assert!(null.1 < -25.0, "{}", null.1);
    let side = (null.0..40)
        .map(|i| (i, row[80 - i] - main))
        .fold((0, -99.0), |a, b| if b.1 > a.1 { b } else { a });
    within("side lobe", side.1, -13.26, 0.3);
    within("its place", 0.25 * side.0 as f64, 6.47, 0.5);
}

// The acoustic shadow behind a box has its geometric length. Method: a forward-looking sonar 5 m
// above the seabed and a wall 2 m high at 10 m: the seabed is dark from the wall to 10 5/3 m, in
// slant ranges. Tolerance: three bins of 4 cm.
#[test]
fn boxes_cast_acoustic_shadows() {
    let device = format!(
        "kind: imaging_sonar, sector_deg: 20, beams: 21, beam_width_deg: 1, elevation_width_deg: 40, rays: [60, 800], pulse_us: 40, \
         max_range_m: 30, bins: 750, {BARE}"
    );
    let wall = "seabed: {depth_m: 400}
structures: {w: {position_m: [10.5, 0, -399], shapes: {s: {kind: box, size_m: [1, 30, 2]}}}}";
    let (spec, ping) = ping(&world(395.0, &device, wall));
    let levels = beam(&spec, &ping, 10);
    let dark: Vec<usize> = (0..750)
        .filter(|k| levels[*k] < 70.0 && spec.range(*k) > 9.0)
        .collect();
    // The face of the wall from its foot to its top, 11.18 to 10.44 m, then the far edge of its
    // top.
    let (start, end) = (
        dark[0],
        dark.iter()
            .zip(dark[0]..)
            .take_while(|(a, b)| **a == *b)
            .last()
            .unwrap()
            .1,
    );
    let slant = |x: f64, h: f64| (x * x + h * h).sqrt();
    within("begins", spec.range(start), slant(11.0, 3.0), 0.12);
    within("ends", spec.range(end), slant(11.0 * 5.0 / 3.0, 5.0), 0.12);
    let lit = levels[(22.0 / spec.bin()) as usize];
    assert!(lit > 90.0, "{lit}");
}

// Speckle is fully developed: the normalised power is exponentially distributed, the amplitude is
// Rayleigh distributed, and bins within half a pulse are correlated. Method: the same seabed with
// and without speckle, all bins 40 dB above the noise. One pulse is shorter than a bin; the other
// is n = 4 bins long, and the powers of its neighbouring bins are correlated by (1 - 1/n)².
// Tolerance: 4 standard errors of the mean (1), of the variance (1, standard deviation √8) and of
// the share below half the mean (1 - e^-½), each multiplied by the root of the sum of (1 - k/n)²
// over all neighbours k; 8 standard errors for the correlation, a mean of products of such powers.
#[test]
fn speckle_is_rayleigh() {
    for (pulse, n) in [(40, 1), (400, 4)] {
        let device = |speckle: bool| {
            let bare = BARE.replace("speckle: false", &format!("speckle: {speckle}"));
            format!(
                "kind: imaging_sonar, sector_deg: 60, beams: 61, beam_width_deg: 1, elevation_width_deg: 40, pulse_us: {pulse}, max_range_m: 30, bins: 400, {bare}"
            )
        };
        let rest = "seabed: {depth_m: 400}";
        let (spec, smooth) = ping(&world(395.0, &device(false), rest));
        let (_, rough) = ping(&world(395.0, &device(true), rest));
        let of = |n: u16| 10f64.powf(0.1 * sample_level(&spec, n));
        let ratio =
            |(s, r): (&u16, &u16)| (sample_level(&spec, *s) > 80.0).then(|| of(*r) / of(*s));
        let all: Vec<Option<f64>> = smooth.levels.iter().zip(&rough.levels).map(ratio).collect();
        let ratios: Vec<f64> = all.iter().flatten().copied().collect();
        let count = ratios.len() as f64;
        assert!(count > 10_000.0, "{count}");
        let alike = |k: i32| (1.0 - f64::from(k) / f64::from(n)).powi(2);
        let error = (1.0 + 2.0 * (1..n).map(alike).sum::<f64>()).sqrt() / count.sqrt();
        let mean = ratios.iter().sum::<f64>() / count;
        let variance = ratios.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count;
        within("mean", mean, 1.0, 4.0 * error);
        within("variance", variance, 1.0, 4.0 * 8f64.sqrt() * error);
        let part = ratios.iter().filter(|x| **x < 0.5).count() as f64 / count;
        within("under half", part, 1.0 - (-0.5f64).exp(), 4.0 * 0.5 * error);
        let amplitude = ratios.iter().map(|x| x.sqrt()).sum::<f64>() / count;
        within(
            "amplitude",
            amplitude,
            0.5 * std::f64::consts::PI.sqrt(),
            4.0 * 0.5 * error,
        );
        // One row of 61 beams per range bin.
        let next = all
            .iter()
            .zip(&all[61..])
            .filter_map(|(a, b)| Some((a.as_ref()? - 1.0) * (b.as_ref()? - 1.0)));
        let products: Vec<f64> = next.collect();
        within(
            "neighbours",
            products.iter().sum::<f64>() / products.len() as f64,
            alike(1),
            8.0 * error,
        );
    }
}

// With a gain of 40 log r plus twice the absorption the level of a target is independent of range;
// without gain, the levels differ by spreading and absorption. Method: a ball at 10 and at 20 m.
// Tolerance: 0.3 dB.
#[test]
fn gain_compensates_range() {
    let found = |r: f64, gain: &str| {
        let bare = BARE.replace("gain_per_decade_db: 0, absorption_gain_db_per_m: 0", gain);
        let device = format!(
            "kind: imaging_sonar, sector_deg: 30, beams: 3, beam_width_deg: 20, elevation_width_deg: 20, rays: [500, 500], pulse_us: 2000, \
             max_range_m: 60, bins: 600, {bare}"
        );
        let (spec, ping) = ping(&world(400.0, &device, &sphere(r, 0.0, -400.0, 0.2)));
        // At the range of the target, because the gain rises over the pulse.
        beam(&spec, &ping, 1)[((r - spec.sonar.min_range_m) / spec.bin()) as usize]
    };
    let flat = [10.0, 20.0].map(|r| found(r, "gain_per_decade_db: 40"));
    within("flat", flat[1], flat[0], 0.3);
    let bare = [10.0, 20.0].map(|r| found(r, "gain_per_decade_db: 0, absorption_gain_db_per_m: 0"));
    within(
        "bare",
        bare[0] - bare[1],
        40.0 * 2f64.log10() + 20.0 * absorption(400.0, 400.0),
        0.3,
    );
}

// Without targets the level equals the noise level, N + 10 log B + 10 log(Ω/4π), and with volume
// scattering the volume reverberation level, SL - 20 log r - 2 α r + S_v + 10 log(Ψ cell). Method:
// Ω of two wide line arrays is the product of their (π²/8) λ/L; Ψ includes the pattern of the
// transmitter and is summed separately. Tolerance: 0.1 dB for the noise, 0.5 dB for the
// reverberation.
#[test]
fn noise_and_volume_reverberation_match_the_sonar_equation() {
    let device = |volume: f64| {
        let bare = BARE.replace(
            "volume_backscatter_db: -200",
            &format!("volume_backscatter_db: {volume}"),
        );
        format!(
            "kind: multibeam, sector_deg: 40, beams: 21, beam_width_deg: 2, along_width_deg: 2, pulse_us: 100, max_range_m: 60, bins: 400, {bare}"
        )
    };
    let (spec, silent) = ping(&world(300.0, &device(-200.0), ""));
    let width = std::f64::consts::PI.powi(2) / 8.0 * 1f64.to_radians().sin() / 0.594_483;
    // Along track the receiver accepts all directions: 2 sr per radian.
    let omega = width * 2.0;
    let (f, b) = (400.0_f64, 1e4);
    let spectrum = [
        40.0 + 26.0 * f.log10() - 60.0 * (f + 0.03).log10(),
        50.0 + 20.0 * f.log10() - 40.0 * (f + 0.4).log10(),
        -15.0 + 20.0 * f.log10(),
    ];
    let noise: f64 = spectrum.iter().map(|l| 10f64.powf(0.1 * l)).sum();
    let expected = db(noise * b * omega / (4.0 * std::f64::consts::PI));
    within("noise", beam(&spec, &silent, 10)[300], expected, 0.1);
    let (_, cloudy) = ping(&world(300.0, &device(-60.0), ""));
    let r = spec.range(100);
    let expected = 210.0 - 20.0 * r.log10() - 2.0 * absorption(400.0, 300.0) * r - 60.0
        + db(width * width * spec.bin());
    within("volume", beam(&spec, &cloudy, 10)[100], expected, 0.5);
}

// The port array of a side-scan sonar records port targets only and the starboard array starboard
// targets only, both at the slant range. Method: a ball 20 m to port and one 30 m to starboard, on
// the beam axes. Tolerance: 0.2 m.
#[test]
fn side_scan_separates_port_from_starboard() {
    let device = format!(
        "kind: side_scan, beam_width_deg: 1, across_width_deg: 50, rays: [1200, 5], pulse_us: 60, max_range_m: 60, bins: 600, {BARE}"
    );
    let rest = "structures:
  port: {position_m: [0, 17.32, -410], shapes: {s: {kind: sphere, radius_m: 0.3}}}
  starboard: {position_m: [0, -25.98, -415], shapes: {s: {kind: sphere, radius_m: 0.3}}}";
    let (spec, ping) = ping(&world(400.0, &device, rest));
    for (array, range) in [(0, 20.0), (1, 30.0)] {
        let levels = beam(&spec, &ping, array);
        let (k, most) = peak(&levels);
        within("range", spec.range(k), range - 0.2, 0.2);
        let other = ((50.0 - range - spec.sonar.min_range_m) / spec.bin()) as usize;
        assert!(
            levels[other - 5..other + 5]
                .iter()
                .all(|l| *l < most - 40.0),
            "array {array}"
        );
    }
}

// A mechanically scanning sonar detects a post at its bearing, positive to starboard, and sweeps
// its sector back and forth. Method: a post 30 degrees to starboard; steps of 10 degrees.
// Tolerance: one step.
#[test]
fn scanning_sonar_measures_bearings() {
    let device = |sector: f64| {
        format!(
            "kind: scanning_sonar, sector_deg: {sector}, step_deg: 10, beam_width_deg: 6, elevation_width_deg: 20, pulse_us: 60, max_range_m: 60, bins: 300, {BARE}"
        )
    };
    let post = "structures: {p: {position_m: [17.32, -10, -400], shapes: {s: {kind: cylinder, radius_m: 0.3, length_m: 10}}}}";
    let mut sim = simulation(&world(400.0, &device(360.0), post));
    let spec = spec(&sim);
    let all = pings(&mut sim, 18.9);
    let strongest = all
        .iter()
        .map(|(_, p)| (p.head, peak(&beam(&spec, p, 0))))
        .fold((0.0, (0, 0.0)), |a, b| if b.1.1 > a.1.1 { b } else { a });
    within("bearing", strongest.0.to_degrees(), 30.0, 1e-6);
    within("range", spec.range(strongest.1.0), 19.7, 0.3);
    let mut sim = simulation(&world(400.0, &device(40.0), ""));
    let heads: Vec<i64> = pings(&mut sim, 5.4)
        .iter()
        .map(|(_, p)| p.head.to_degrees().round() as i64)
        .collect();
    assert_eq!(heads[..10], [-20, -10, 0, 10, 20, 10, 0, -10, -20, -10]);
}

// Each ping uses the pose of the sonar at its own time. Method: a sonar moves towards a ball at 2
// m/s, with two pings per second. Tolerance: a bin of 5 cm plus the depth of the ball surface.
#[test]
fn each_ping_uses_its_own_pose() {
    let device = format!(
        "kind: imaging_sonar, sector_deg: 20, beams: 3, beam_width_deg: 10, elevation_width_deg: 10, rays: [200, 200], pulse_us: 60, max_range_m: 50, bins: 1000, {BARE}"
    );
    let text = world(400.0, &device, &sphere(30.0, 0.0, -400.0, 0.5))
        .replace("base: fixed", "base: floating")
        .replace(
            "position_m: [0, 0, -400]",
            "position_m: [0, 0, -400]\n    velocity_m_s: [2, 0, 0]",
        )
        .replace("step:", "gravity_m_s2: 0\nstep:");
    let mut sim = simulation(&text);
    let spec = spec(&sim);
    let all = pings(&mut sim, 3.0);
    assert!(all.len() >= 5);
    for (stamp, ping) in &all {
        let levels = beam(&spec, ping, 1);
        let first = levels.iter().position(|l| *l > 80.0).unwrap();
        within(
            "range",
            spec.range(first),
            29.5 - 2.0 * *stamp as f64 * 1e-9,
            0.1,
        );
    }
}

// Two sonars in one band receive each other's pings, at the one-way level and at the range of their
// arrival time; sonars in different bands do not. Method: two sonars face each other at 30 m, the
// second pings 10 ms later, so that it appears at 15 m + 7.5 m. Tolerance: 0.5 dB, two bins of 5
// cm.
#[test]
fn sonars_of_one_band_interfere() {
    let device = |rest: &str| {
        format!(
            "kind: imaging_sonar, sector_deg: 20, beams: 3, beam_width_deg: 10, elevation_width_deg: 10, rays: [20, 20], pulse_us: 400, max_range_m: 50, bins: 1000, {rest}"
        )
    };
    let of = |frequency: &str| {
        let other = device(&BARE.replace("frequency_khz: 400", frequency));
        let rest = format!(
            "  o:
    position_m: [30, 0, -400]
    attitude_deg: [0, 0, 180]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{s: {{start_s: 0.01, device: {{source: test, rate_hz: 2, {other}}}}}}}"
        );
        let (spec, ping) = ping(&world(400.0, &device(BARE), &rest));
        let levels = beam(&spec, &ping, 1);
        let (k, most) = peak(&levels);
        (spec.range(k), most)
    };
    let (range, found) = of("frequency_khz: 401");
    within("arrives", range, 22.5, 0.1);
    within(
        "level",
        found,
        210.0 - 20.0 * 30f64.log10() - 30.0 * absorption(401.0, 400.0),
        0.5,
    );
    assert!(of("frequency_khz: 500").1 < 80.0);
}

// A scanning sonar with a full circle receives other sonars at any bearing. Method: as above, with
// the other sonar to port of a head with steps of 90 degrees, in the ping at 270 degrees.
// Tolerance: 0.5 dB.
#[test]
fn scanning_sonar_receives_other_sonars_to_port() {
    let rest = format!(
        "  o:
    position_m: [0, 30, -400]
    attitude_deg: [0, 0, -90]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{s: {{device: {{source: test, rate_hz: 2, kind: imaging_sonar, sector_deg: 20, beams: 3, beam_width_deg: 10, elevation_width_deg: 10, rays: [20, 20], pulse_us: 400, max_range_m: 50, bins: 1000, {BARE}}}}}}}"
    );
    let device = format!(
        "kind: scanning_sonar, sector_deg: 360, step_deg: 90, beam_width_deg: 5, elevation_width_deg: 20, pulse_us: 400, max_range_m: 40, bins: 800, {BARE}"
    );
    let mut sim = simulation(&world(400.0, &device, &rest));
    let spec = spec(&sim);
    let levels: Vec<f64> = pings(&mut sim, 2.4)
        .iter()
        .take(4)
        .map(|(_, ping)| peak(&beam(&spec, ping, 0)).1)
        .collect();
    let expected = 210.0 - 20.0 * 30f64.log10() - 30.0 * absorption(400.0, 400.0);
    let received = levels
        .iter()
        .filter(|level| (*level - expected).abs() < 0.5)
        .count();
    assert_eq!(received, 1, "{levels:?} instead of {expected} once");
}

// A calm surface raised by the tide reflects as a calm surface without tide does; the height that
// reduces the reflection is the standard deviation of the waves. Method: the reflected target of
// the next test in calm water with and without a tide of 1 m; then regular waves of 1 m with that
// tide, whose deviation is 1/√8 m, and a sea of 2 m significant height. Tolerance: 6 dB for the
// changed geometry (waves of that height would remove the reflection); 1e-12; 1 %.
#[test]
fn surface_reflection_depends_on_waves_not_on_tides() {
    let ghost = |water: &str| {
        let device = format!(
            "kind: imaging_sonar, sector_deg: 10, beams: 3, beam_width_deg: 5, elevation_width_deg: 60, rays: [100, 800], pulse_us: 60, max_range_m: 30, bins: 600, multipath: true, {BARE}"
        );
        let text = world(3.0, &device, &sphere(16.0, 0.0, -3.0, 0.5))
            .replace("water: {", &format!("water: {{{water}"));
        let (spec, ping) = ping(&text);
        let levels = beam(&spec, &ping, 1);
        let from = ((16.5 - spec.sonar.min_range_m) / spec.bin()) as usize;
        peak(&levels[from..]).1
    };
    let tide = "tide: {constituents: [{name: M2, amplitude_m: 1}]}, ";
    let (calm, lifted) = (ghost(""), ghost(tide));
    assert!((lifted - calm).abs() < 6.0, "{lifted} dB instead of {calm}");
    let deviation = |waves: &str| {
        let text = world(3.0, &format!("kind: scanning_sonar, sector_deg: 40, step_deg: 10, beam_width_deg: 6, elevation_width_deg: 20, pulse_us: 60, max_range_m: 60, bins: 300, {BARE}"), "")
            .replace("water: {", &format!("water: {{{tide}{waves}, "));
        let sim = simulation(&text);
        WaveState::new(&sim.state.sea.waves, 0.0).height_std()
    };
    let regular = deviation("waves: {kind: regular, height_m: 1, period_s: 5, direction_deg: 0}");
    within("of regular waves", regular, 0.125_f64.sqrt(), 1e-12);
    let sea =
        deviation("waves: {kind: jonswap, hs_m: 2, tp_s: 7, direction_deg: 30, components: 200}");
    within("of a sea", sea, 0.5, 0.005);
}

// With `multipath` the reflection of a target in calm water appears behind the target. Method: a
// sonar and a ball, both at 3 m depth and 16 m apart; the surface-reflected path is √(16² + 6²) m.
// Tolerance: 0.3 m; no reflection without `multipath`.
#[test]
fn calm_surface_reflects_targets() {
    let ghost = |multipath: bool| {
        let device = format!(
            "kind: imaging_sonar, sector_deg: 10, beams: 3, beam_width_deg: 5, elevation_width_deg: 60, rays: [100, 800], pulse_us: 60, max_range_m: 30, bins: 600, multipath: {multipath}, {BARE}"
        );
        let (spec, ping) = ping(&world(3.0, &device, &sphere(16.0, 0.0, -3.0, 0.5)));
        let levels = beam(&spec, &ping, 1);
        let from = ((16.5 - spec.sonar.min_range_m) / spec.bin()) as usize;
        let (k, most) = peak(&levels[from..]);
        (spec.range(from + k), most)
    };
    let (range, level) = ghost(true);
    within("ghost", range, (16.0f64 * 16.0 + 36.0).sqrt() - 0.3, 0.3);
    assert!(level > ghost(false).1 + 20.0, "{level} {}", ghost(false).1);
}
