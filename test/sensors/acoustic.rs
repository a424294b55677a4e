//! Tests of acoustic positioning: times, ranges and bearings of fixed and moving beacons,
//! detection, and positions from ranges.

mod beacon_faults;
mod sound;
mod transducers;

use crate::common::{advance, initial_environment, simulation, within};
use merrow_environment::absorption::{Water, francois_garrison};
use merrow_math::Vec3;
use merrow_model::sensor::acoustic::AcousticObservations;
use merrow_model::state::frames::FrameData;
use merrow_sensors::sonar::noise::ambient;
use merrow_sim::Simulation;

pub(crate) const C: f64 = 1500.0;

/// Returns the world with a robot at (0, 0, -50) that carries the sensor `s`, in water of 1500 m/s
/// without gravity; `rest` holds further keys of the world and `robots` further robots.
pub(crate) fn world(device: &str, robots: &str, rest: &str) -> String {
    format!(
        "
gravity_m_s2: 0
step: {{dt_s: 0.01}}
water: {{density_kg_m3: 1026.95, sound_speed_m_s: {C}, temperature_c: 10}}
seabed: {{depth_m: 900}}
robots:
  r:
    position_m: [0, 0, -50]
    model:
      source: test
      base: fixed
      body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}
      sensors: {{s: {{lazy: false, device: {{source: test, {device}}}}}}}
{robots}
{rest}
"
    )
}

/// Returns a body without hydrodynamic forces that drifts with constant velocity `v` [m/s] from `p`
/// [m].
fn drifter(name: &str, p: [f64; 3], v: [f64; 3]) -> String {
    format!(
        "  {name}:
    position_m: {p:?}
    velocity_m_s: {v:?}
    model: {{source: test, body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}}}
"
    )
}

/// Keys of a receiver that detects every sound and has no errors.
pub(crate) const RECEIVER: &str =
    "band_khz: [10, 100], max_range_m: 2000, threshold_db: -50, fading_std_db: 0";

/// Returns the sounds that robot 0 received in `seconds`, with the sample times [ns].
pub(crate) fn sounds(sim: &mut Simulation, seconds: f64) -> Vec<(u64, AcousticObservations)> {
    let mut all = Vec::new();
    for _ in 0..(seconds / 0.1).round() as usize {
        advance(sim, 0.1);
        for frame in sim.frames.drain(..).filter(|f| f.robot == 0) {
            let FrameData::Acoustic(sounds) = &*frame.data else {
                panic!("no sounds")
            };
            all.push((frame.stamp_ns, sounds.clone()));
        }
    }
    all
}

pub(crate) fn pinger(level: f64) -> String {
    format!(
        "{{source: test, kind: pinger, frequency_khz: 30, source_level_db: {level}, period_s: 1}}"
    )
}

// A hydrophone reports the position and the arrival time of a fixed and of a moving pinger. Method:
// c t_a = |p(t_k)| solved by hand: the sound originates from the position of the pinger at
// emission. Tolerance: 1e-5 m, 2 ns.
#[test]
fn hydrophone_reports_the_pinger_position_at_emission() {
    let robots = drifter("m", [300.0, 40.0, -80.0], [-3.0, 2.0, 0.5]);
    let rest = format!(
        "beacons:\n  still: {{beacon: {}, position_m: [120, -90, -70], start_s: 0.25}}\n  moving: {{beacon: {0}, robot: m}}",
        pinger(190.0)
    );
    let mut sim = simulation(&world(
        &format!("kind: hydrophone, rate_hz: 2, {RECEIVER}"),
        &robots,
        &rest,
    ));
    let received_frames = sounds(&mut sim, 5.0);
    let own = Vec3::new(0.0, 0.0, -50.0);
    let mut count = [0, 0];
    for (stamp, sounds) in &received_frames {
        for fix in &sounds.fixes {
            count[fix.target] += 1;
            let arrived = fix.stamp_ns as f64 * 1e-9;
            let now = *stamp as f64 * 1e-9;
            assert!(arrived > now - 0.5 && arrived <= now, "{arrived} {now}");
            // Ping number, one per second.
            let start = if fix.target == 0 { 0.25 } else { 0.0 };
            let sent = start + (arrived - 0.15 - start).round();
            let p = match fix.target {
                0 => Vec3::new(120.0, -90.0, -70.0),
                _ => Vec3::new(300.0, 40.0, -80.0) + Vec3::new(-3.0, 2.0, 0.5).scale(sent),
            };
            within("arrival", arrived, sent + (p - own).norm() / C, 2e-9);
            let wrong = (fix.p_S - (p - own)).norm();
            assert!(wrong < 1e-5, "{wrong} m");
        }
    }
    assert!(count[0] >= 4 && count[1] >= 4, "{count:?}");
}

// Half of the pings are detected where the signal excess is zero, all of them 9 dB above it, and
// none 9 dB below. Method: SL - 20 log r - α r - 10 log (N B) = DT, with fading of 3 dB; 300 pings
// each. Tolerance: 3.5 standard errors of a share, 0.1.
#[test]
fn half_of_the_pings_are_detected_at_the_threshold() {
    let r = 500.0_f64;
    let alpha = 1e-3
        * francois_garrison(
            30.0,
            &Water {
                temperature: 10.0,
                salinity: 35.0,
                depth: 50.0,
                ph: 8.0,
            },
        );
    let noise = 10.0 * ((ambient(30.0, 0.0) + 1e3) * 2000.0).log10();
    let level = 12.0 + noise + 20.0 * r.log10() + alpha * r;
    for (over, expected) in [(0.0, 0.5), (9.0, 1.0), (-9.0, 0.0)] {
        let rest = format!(
            "beacons: {{b: {{beacon: {}, position_m: [500, 0, -50]}}}}",
            pinger(level + over)
        );
        let device = "kind: hydrophone, rate_hz: 1, band_khz: [10, 100], max_range_m: 2000, threshold_db: 12, self_noise_db: 30, bandwidth_khz: 2";
        let text = world(device, "", &rest).replace("dt_s: 0.01", "dt_s: 0.1");
        let received_frames = sounds(&mut simulation(&text), 300.5);
        let share = received_frames
            .iter()
            .filter(|(_, s)| !s.fixes.is_empty())
            .count() as f64
            / 300.0;
        within("share", share, expected, 0.1);
    }
}

// A pinger is not detected behind a structure, out of the water, out of band or out of range.
// Method: pingers behind a wall, on land, at 5 kHz and at 2.5 km, and one that is detected.
#[test]
fn hidden_pingers_are_not_detected() {
    let low = pinger(190.0).replace("frequency_khz: 30", "frequency_khz: 5");
    let rest = format!(
        "structures: {{wall: {{position_m: [50, 0, -50], shapes: {{w: {{kind: box, size_m: [1, 40, 200]}}}}}}}}
beacons:
  behind: {{beacon: {0}, position_m: [100, 0, -50]}}
  beside: {{beacon: {0}, position_m: [0, 100, -50]}}
  ashore: {{beacon: {0}, position_m: [0, 30, 2]}}
  far: {{beacon: {0}, position_m: [0, 2500, -50]}}
  low: {{beacon: {low}, position_m: [0, 100, -60]}}",
        pinger(200.0)
    );
    let mut sim = simulation(&world(
        &format!("kind: hydrophone, rate_hz: 1, {RECEIVER}"),
        "",
        &rest,
    ));
    let received_frames = sounds(&mut sim, 3.0);
    let fixes: Vec<usize> = received_frames
        .iter()
        .flat_map(|(_, s)| s.fixes.iter().map(|f| f.target))
        .collect();
    // Index 1 among the beacons in the band of the hydrophone.
    assert!(
        !fixes.is_empty() && fixes.iter().all(|k| *k == 1),
        "{fixes:?}"
    );
}

pub(crate) const TRANSMITTER: &str = "frequency_khz: 25, source_level_db: 200";

pub(crate) fn transponder(turn: f64) -> String {
    format!(
        "{{source: test, kind: transponder, frequency_khz: 30, source_level_db: 200, turn_around_s: {turn}, threshold_db: -50, fading_std_db: 0}}"
    )
}

// Range and time of a USBL fix on a target that moves away radially. Method: the interrogation
// reaches the target at t_1 = d/(c - v); the reply leaves at t_2 = t_1 + T from d + v t_2 and
// arrives at t_3 = t_2 + (d + v t_2)/c; r = c (t_3 - T)/2. Tolerance: 1 mm, 2 ns, from the steps of
// the body.
#[test]
fn usbl_range_is_the_two_way_travel_time() {
    let (d, v, turn) = (400.0, 4.0, 0.5);
    let robots = drifter("m", [d, 0.0, -50.0], [v, 0.0, 0.0]);
    let rest = format!(
        "beacons: {{t: {{beacon: {}, robot: m}}}}",
        transponder(turn)
    );
    let device = format!(
        "kind: usbl, rate_hz: 0.25, {TRANSMITTER}, {RECEIVER}, carrier_attitude_std_deg: [0, 0, 0]"
    );
    let mut sim = simulation(&world(&device, &robots, &rest));
    let received_frames = sounds(&mut sim, 12.0);
    assert!(received_frames.len() >= 2, "{}", received_frames.len());
    for (stamp, sounds) in &received_frames {
        let now = *stamp as f64 * 1e-9;
        let d = d + v * now;
        let t2 = d / (C - v) + turn;
        let t3 = t2 + (d + v * t2) / C;
        let fix = &sounds.fixes[0];
        within("range", fix.p_S.norm(), 0.5 * C * (t3 - turn), 1e-3);
        within("instant", fix.stamp_ns as f64 * 1e-9, now + t3, 2e-9);
        let (world, _) = fix.world.expect("a place in the world");
        assert!((world - fix.p_S - Vec3::new(0.0, 0.0, -50.0)).norm() < 1e-9);
    }
}

// The errors of bearing and range have the stated standard deviations, and the covariance reports
// them. Method: 600 fixes on a target 200 m ahead with a strong signal. Tolerance: 4 standard
// errors.
#[test]
fn usbl_errors_match_their_keys() {
    let rest = format!(
        "beacons: {{t: {{beacon: {}, position_m: [200, 0, -50]}}}}",
        transponder(0.0)
    );
    let device = format!(
        "kind: usbl, rate_hz: 2, {TRANSMITTER}, band_khz: [10, 100], max_range_m: 300, threshold_db: -50, fading_std_db: 0, bearing_std_deg: 1, range_std_m: 0.5"
    );
    let text = world(&device, "", &rest).replace("dt_s: 0.01", "dt_s: 0.1");
    let received_frames = sounds(&mut simulation(&text), 300.0);
    let n = received_frames.len() as f64;
    assert!(n > 590.0);
    let across = 200.0 * 1_f64.to_radians();
    for (axis, std) in [(0, 0.5), (1, across), (2, across)] {
        let error =
            |s: &AcousticObservations| s.fixes[0].p_S[axis] - if axis == 0 { 200.0 } else { 0.0 };
        let square = (received_frames
            .iter()
            .map(|(_, s)| error(s) * error(s))
            .sum::<f64>()
            / n)
            .sqrt();
        within(
            "deviation",
            square,
            std,
            4.0 * std / (2.0 * n).sqrt() + 0.03,
        );
        within(
            "stated",
            received_frames[0].1.fixes[0].covariance.r[axis][axis].sqrt(),
            std,
            0.02 * std + 0.05,
        );
    }
}

// With exact ranges a long-baseline system computes its own position exactly and a short-baseline
// system the position of a locator; with range errors the scatter matches the covariance. Method:
// four transponders on the seabed, four receivers on the robot; 200 samples. Tolerance: 1e-4 m; 30
// % of the standard deviation.
#[test]
fn baselines_compute_positions() {
    let node = |name: &str, x: f64, y: f64, z: f64| {
        format!(
            "  {name}: {{beacon: {}, position_m: [{x}, {y}, {z}]}}\n",
            transponder(0.1)
        )
    };
    let nodes: String = ["a", "b", "c", "d"]
        .iter()
        .zip([
            (-200.0, -150.0, -400.0),
            (220.0, -180.0, -390.0),
            (180.0, 210.0, -410.0),
            (-190.0, 160.0, -370.0),
        ])
        .map(|(name, (x, y, z))| node(name, x, y, z))
        .collect();
    let locator = "  l: {beacon: {source: test, kind: locator, frequency_khz: 60, source_level_db: 190}, position_m: [12, -7, -65]}\n";
    let rest = format!("beacons:\n{nodes}{locator}");
    let four = "receivers_m: [[1, 1, 0], [1, -1, 0], [-1, -1, 0], [-1, 1, 0]]";
    let kinds = [
        (
            format!("kind: lbl, rate_hz: 0.5, {TRANSMITTER}, band_khz: [20, 50], max_range_m: 600"),
            Vec3::new(0.0, 0.0, -50.0),
        ),
        (
            format!("kind: sbl, rate_hz: 0.5, {four}, band_khz: [50, 70], max_range_m: 600"),
            Vec3::new(12.0, -7.0, -15.0),
        ),
    ];
    for (device, truth) in kinds {
        let device = format!("{device}, threshold_db: -50, fading_std_db: 0");
        let place = |s: &AcousticObservations| s.fixes[0].world.map_or(s.fixes[0].p_S, |w| w.0);
        let exact = sounds(&mut simulation(&world(&device, "", &rest)), 5.0);
        let found = place(&exact[0].1);
        assert!((found - truth).norm() < 1e-4, "{device}: {found:?}");
        assert_eq!(exact[0].1.ranges.len(), 4);
        let text = world(&format!("{device}, range_std_m: 0.01"), "", &rest)
            .replace("dt_s: 0.01", "dt_s: 0.1");
        let noisy = sounds(&mut simulation(&text), 400.0);
        for axis in 0..3 {
            let squares = noisy
                .iter()
                .map(|(_, s)| (place(s)[axis] - truth[axis]).powi(2));
            let scatter = (squares.sum::<f64>() / noisy.len() as f64).sqrt();
            let stated = noisy[0].1.fixes[0].covariance.r[axis][axis].sqrt();
            within(
                &format!("{device}, axis {axis}"),
                scatter,
                stated,
                0.3 * stated,
            );
        }
    }
}

// With ray bending, sound over long distances arrives with the travel time and the elevation of the
// bent ray. Method: a hydrophone 50 m deep in water whose speed of sound decreases with depth,
// compared with the ray of `eigenray` (tested separately); without bending, the elevation is the
// straight line. Tolerance: 1e-9 s, 1e-6 rad; the two elevations differ by more than a degree.
#[test]
fn bent_sound_arrives_along_its_ray() {
    let water = "water: {column: {layers: [{depth_m: 0, temperature_c: 20, salinity_psu: 35}, {depth_m: 100, temperature_c: 5, salinity_psu: 35}]}}";
    let rest = format!(
        "beacons: {{b: {{beacon: {}, position_m: [800, 0, -80]}}}}",
        pinger(210.0)
    );
    let mut steep = Vec::new();
    for bent in [true, false] {
        let device = format!(
            "kind: hydrophone, rate_hz: 1, {RECEIVER}, refraction: {bent}, sound_speed_m_s: 1500"
        );
        let text = world(&device, "", &rest)
            .replace(
                "water: {density_kg_m3: 1026.95, sound_speed_m_s: 1500, temperature_c: 10}",
                water,
            )
            .replace("gravity_m_s2: 0", "gravity_m_s2: 9.81");
        let mut sim = simulation(&text);
        let ends = [Vec3::new(800.0, 0.0, -80.0), Vec3::new(0.0, 0.0, -50.0)];
        let ray = sound::eigenrays_between(&initial_environment(&sim.scene), ends, 0)[0];
        let fix = sounds(&mut sim, 3.0)
            .iter()
            .find_map(|(_, s)| s.fixes.first().copied())
            .expect("a ping");
        let elevation = (fix.p_S.z / fix.p_S.norm()).asin();
        if bent {
            within(
                "time",
                (fix.p_S.norm() / 1500.0 - ray.time).abs(),
                0.0,
                1e-9,
            );
            within("bearing", elevation, ray.angle, 1e-6);
        } else {
            within("bearing", elevation, -(30.0_f64 / 800.0).atan(), 1e-6);
        }
        steep.push(elevation);
    }
    assert!(
        (steep[0] - steep[1]).abs() > 1_f64.to_radians(),
        "{steep:?}"
    );
}
