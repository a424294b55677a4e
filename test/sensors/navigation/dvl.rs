//! Tests of the Doppler velocity log: geometry, noise, bottom and water lock (V81), and its beams
//! on a sloping plane (V85).

use crate::common::turntable::{ball, set_motion, set_pose, statistics};
use crate::common::{close, close_vectors, reading, readings, relative, simulation};
use merrow_math::{Mat3, Vec3};
use merrow_model::sensor::water::{Dvl, DvlLock};
use merrow_model::state::reading::Reading;
use merrow_model::state::{Command, DeviceCommand};
use merrow_sim::Simulation;

const PERFECT: &str =
    "dvl: {device: {source: test, kind: dvl, rate_hz: 500, beam_angle_deg: 30, bottom_std_m_s: 0,
        altitude_m: [0.5, ALTITUDE]}, position_m: [0.3, -0.2, -0.1], attitude_deg: [0, 0, 45]}";

fn dvl(s: &mut Simulation) -> Dvl {
    let Reading::Dvl(dvl) = reading(s, 0) else {
        panic!("not a DVL")
    };
    dvl
}

// The velocity is the velocity of the transducer, including the lever arm, in its own frame; ranges
// and altitude follow from straight beams on a sloping plane. Method: ray and plane by hand, for a
// body that moves, rotates and heels. Tolerance: 1e-12.
#[test]
fn velocity_and_ranges_are_exact_without_noise() {
    let top = "seabed: {depth_m: 40, slope_east_north: [0.1, -0.05]}";
    let mut s = simulation(&ball(top, "", &PERFECT.replace("ALTITUDE", "100")));
    let (p, rpy) = (Vec3::new(3.0, 5.0, -12.0), [0.1, -0.15, 1.0]);
    let (v, w) = (Vec3::new(1.5, -0.4, 0.2), Vec3::new(0.1, 0.2, -0.3));
    set_motion(&mut s, p, rpy, v, w);
    let r = dvl(&mut s);
    let (arm, R_BS) = (
        Vec3::new(0.3, -0.2, -0.1),
        Mat3::from_rpy(0.0, 0.0, 45_f64.to_radians()),
    );
    assert_eq!(r.lock, DvlLock::Bottom);
    close_vectors(
        "velocity",
        r.velocity,
        R_BS.tr_mul_vec(v + w.cross(arm)),
        1e-12,
    );
    let R_WB = Mat3::from_rpy(rpy[0], rpy[1], rpy[2]);
    let eye = p + R_WB.mul_vec(arm);
    let normal = Vec3::new(-0.1, 0.05, 1.0);
    let mut heights = 0.0;
    for beam in r.beams {
        relative(
            "beam angle",
            -beam.direction.z,
            30_f64.to_radians().cos(),
            1e-12,
        );
        let d = R_WB.mul_mat(&R_BS).mul_vec(beam.direction);
        let range = -normal.dot(eye - Vec3::new(0.0, 0.0, -40.0)) / normal.dot(d);
        relative("range", beam.range, range, 1e-12);
        heights -= 0.25 * range * d.z;
        close(
            "beam velocity",
            beam.velocity,
            r.velocity.dot(beam.direction),
            1e-12,
        );
    }
    relative("altitude", r.altitude, heights, 1e-12);
}

// Three beams are enough, one is not. Method: a seabed that falls to the south-west, with a maximum
// range of 12 m that excludes one beam, then of 9.5 m that excludes three; the altitudes under the
// beams are 8.0, 10.0, 10.0 and 13.2 m. Tolerance: 1e-12.
#[test]
fn three_beams_are_enough() {
    let top = "seabed: {depth_m: 30, slope_east_north: [0.3, 0.3]}";
    let device =
        "dvl: {device: {source: test, kind: dvl, rate_hz: 500, beam_angle_deg: 30, bottom_std_m_s: 0,
        altitude_m: [0.5, FAR]}}";
    let v = Vec3::new(1.0, 0.5, -0.3);
    for (far, lost, lock) in [
        ("14", 0, DvlLock::Bottom),
        ("12", 1, DvlLock::Bottom),
        ("9.5", 3, DvlLock::None),
    ] {
        let mut s = simulation(&ball(top, "", &device.replace("FAR", far)));
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, -20.0),
            [0.0; 3],
            v,
            Vec3::zero(),
        );
        let r = dvl(&mut s);
        assert_eq!(
            (r.lock, r.beams.iter().filter(|b| !b.bottom).count()),
            (lock, lost),
            "{far} m"
        );
        if lock == DvlLock::Bottom {
            close_vectors(far, r.velocity, v, 1e-12);
        } else {
            assert!(r.velocity.x.is_nan() && r.altitude.is_nan());
        }
    }
}

// The slant range limits each beam in any attitude; beams are lost one by one, and a lock needs
// three. Method: a DVL 10 m above a level seabed, limited to 50 m of altitude and so to 50/cos 30 =
// 57.7 m along a beam, at pitch angles up to upside down; ranges by hand. Tolerance: 1e-9.
#[test]
fn slant_range_limits_each_beam() {
    let device = "dvl: {device: {source: test, kind: dvl, rate_hz: 500, beam_angle_deg: 30, bottom_std_m_s: 0,
        altitude_m: [0.1, 50]}}";
    let limit = 50.0 / (std::f64::consts::PI / 6.0).cos();
    let mut counts = Vec::new();
    for degrees in 0..=180 {
        let pitch = f64::from(degrees).to_radians();
        let mut s = simulation(&ball("seabed: {depth_m: 40}", "", device));
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, -30.0),
            [0.1, pitch, 0.0],
            Vec3::new(1.0, 0.5, -0.3),
            Vec3::zero(),
        );
        let r = dvl(&mut s);
        let R = Mat3::from_rpy(0.1, pitch, 0.0);
        for beam in r.beams {
            let down = -R.mul_vec(beam.direction).z;
            let range = if down > 0.0 {
                10.0 / down
            } else {
                f64::INFINITY
            };
            assert_eq!(beam.bottom, range <= limit, "{degrees} deg: {range} m");
            if beam.bottom {
                close("range", beam.range, range, 1e-9);
            }
        }
        let count = r.beams.iter().filter(|b| b.bottom).count();
        assert_eq!(r.lock == DvlLock::Bottom, count >= 3, "{degrees} deg");
        counts.push(count);
    }
    counts.dedup();
    assert_eq!(counts, [4, 3, 2, 1, 0]);
}

// V81: the standard deviation sigma of a beam becomes sigma / (sqrt2 sin 30) = 1.414 sigma across
// and sigma / (2 cos 30) = 0.577 sigma along the axis, at 7 samples per second; the message reports
// it. Method: WorkHorse Navigator at rest, 20 m above the seabed, 20 minutes (8400 samples).
// Tolerance: 4 standard errors, 3 %; the covariance, with its rounding, 1e-4 for the scale error of
// the noise.
#[test]
fn noise_follows_the_beams() {
    let mut s = simulation(&ball(
        "step: {dt_s: 0.02}",
        "",
        "dvl: {device: workhorse_navigator}",
    ));
    set_pose(&mut s, Vec3::new(0.0, 0.0, -80.0), [0.0; 3]);
    let all = readings(&mut s, 0, 1200.0);
    assert_eq!(all.len(), 8400);
    // resolution of 1 mm/s
    let rounding = 0.001 / 12_f64.sqrt();
    let velocities: Vec<Vec3> = all
        .iter()
        .filter_map(|r| {
            let Reading::Dvl(r) = &r.reading else {
                panic!("not a DVL")
            };
            let whole = r.lock == DvlLock::Bottom && r.beams.iter().all(|b| b.bottom);
            if whole {
                relative(
                    "stated x",
                    r.covariance[0].sqrt(),
                    (0.005 * 2_f64.sqrt()).hypot(rounding),
                    1e-4,
                );
                relative(
                    "stated z",
                    r.covariance[8].sqrt(),
                    (0.005 / 3_f64.sqrt()).hypot(rounding),
                    1e-4,
                );
            }
            whole.then_some(r.velocity)
        })
        .collect();
    // 0.1 of the beams are lost at 90 m, so 0.1 (20/90)² at 20 m.
    let kept = velocities.len() as f64 / all.len() as f64;
    let expected = (1.0 - 0.1 * (20.0 / 90.0_f64).powi(2)).powi(4);
    assert!(
        (kept - expected).abs() < 0.006,
        "{kept} of the pings whole, expected {expected}"
    );
    for (axis, factor) in [
        (0, 2_f64.sqrt()),
        (1, 2_f64.sqrt()),
        (2, 1.0 / 3_f64.sqrt()),
    ] {
        let x: Vec<f64> = velocities.iter().map(|v| v[axis]).collect();
        let (mean, std) = statistics(&x);
        assert!(
            (std / (0.005 * factor) - 1.0).abs() < 0.03,
            "axis {axis}: {std}"
        );
        assert!(
            mean.abs() < 4.0 * 0.005 * factor / (x.len() as f64).sqrt(),
            "axis {axis}: mean {mean}"
        );
    }
}

// V81: bottom lock from 0.7 to 90 m; beyond it, water lock to the layer 2 to 10 m below, with the
// current there; no lock out of the water or where the layer reaches the seabed. Method: the
// Navigator without noise at seven heights, in water that flows east at 0.4 m/s below 50 m.
// Tolerance: its resolution, half a millimetre per second.
#[test]
fn lock_changes_with_altitude() {
    let current = "current: {kind: profile, layers: [{depth_m: 10, speed_m_s: 0}, {depth_m: 50, speed_m_s: 0.4, direction_deg: 90}]}";
    let top = format!("seabed: {{depth_m: 200}}\nwater: {{{current}}}\nstep: {{dt_s: 0.1}}");
    let cases = [
        (0.6, DvlLock::None),
        (0.75, DvlLock::Bottom),
        (89.0, DvlLock::Bottom),
        (91.0, DvlLock::Water),
        (140.0, DvlLock::Water),
        (199.9, DvlLock::Water),
        (200.1, DvlLock::None),
    ];
    for (altitude, lock) in cases {
        let mut s = simulation(&ball(
            &top,
            "",
            "dvl: {device: {extends: sensors/workhorse_navigator.yaml, latency_s: 0}}",
        ));
        s.apply(&Command::Device(
            0,
            DeviceCommand::Noise {
                sensor: 0,
                on: false,
            },
        ))
        .unwrap();
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, altitude - 200.0),
            [0.0; 3],
            Vec3::new(1.0, 0.2, 0.0),
            Vec3::zero(),
        );
        let r = dvl(&mut s);
        assert_eq!(r.lock, lock, "at {altitude} m");
        let depth_of_layer: f64 = 200.0 - altitude + 6.0;
        let water = 0.4 * ((depth_of_layer - 10.0) / 40.0).clamp(0.0, 1.0);
        let expected = match lock {
            DvlLock::Bottom => Vec3::new(1.0, 0.2, 0.0),
            DvlLock::Water => Vec3::new(1.0 - water, 0.2, 0.0),
            DvlLock::None => continue,
        };
        close_vectors(
            &format!("velocity at {altitude} m"),
            r.velocity,
            expected,
            0.000_501 * 1.8,
        );
    }
}

// V82: the A50 has bottom lock from 0.05 to 50 m, water lock 1.5 to 4.5 m below it beyond that, no
// lock above 3.75 m/s along a beam, and at most 26 pings per second. Method: the shipped device
// without noise at its limits; rates as requested by a world.
#[test]
fn a50_keeps_its_limits() {
    let device = "dvl: {device: {extends: sensors/waterlinked_a50.yaml, latency_s: 0}}";
    // Moving ahead, a beam 22.5 degrees from the axis at an azimuth of 45 degrees measures sin 22.5
    // / sqrt 2 of the speed: 3.75 m/s of 13.86 m/s.
    let cases = [
        (0.04, 1.0, DvlLock::None),
        (0.06, 1.0, DvlLock::Bottom),
        (49.9, 1.0, DvlLock::Bottom),
        (50.1, 1.0, DvlLock::Water),
        (20.0, 13.8, DvlLock::Bottom),
        (20.0, 13.9, DvlLock::None),
    ];
    for (altitude, speed, lock) in cases {
        let mut s = simulation(&ball(
            "seabed: {depth_m: 100}\nstep: {dt_s: 0.1}",
            "",
            &device.replace("latency_s: 0", "latency_s: 0, rate_hz: 5"),
        ));
        s.apply(&Command::Device(
            0,
            DeviceCommand::Noise {
                sensor: 0,
                on: false,
            },
        ))
        .unwrap();
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, altitude - 100.0),
            [0.0; 3],
            Vec3::new(speed, 0.0, 0.0),
            Vec3::zero(),
        );
        assert_eq!(dvl(&mut s).lock, lock, "{altitude} m, {speed} m/s");
    }
    let refused = |rate: f64| {
        let text = ball(
            "",
            "",
            &format!("dvl: {{device: waterlinked_a50, rate_hz: {rate}}}"),
        );
        merrow_world::load_text("w.yaml", &text, merrow_world::Overrides::default()).is_err()
    };
    assert!(!refused(26.0) && refused(26.1));
}

/// Returns a shipped A50 `altitude` [m] above the seabed, with the keys `more`.
fn a50(altitude: f64, more: &str) -> Simulation {
    let device =
        format!("dvl: {{device: {{extends: sensors/waterlinked_a50.yaml, latency_s: 0}}{more}}}");
    let top = "gravity_m_s2: 0\nseabed: {depth_m: 100}\nstep: {dt_s: 0.001}";
    let mut s = simulation(&ball(top, "", &device).replace(", net_buoyancy_n: 0", ""));
    s.apply(&Command::Device(
        0,
        DeviceCommand::Noise {
            sensor: 0,
            on: false,
        },
    ))
    .unwrap();
    set_pose(&mut s, Vec3::new(0.0, 0.0, altitude - 100.0), [0.0; 3]);
    s.clear_outboxes();
    s
}

// V82: the ping rate of the A50 follows its range modes and its water tracking and never exceeds
// the requested rate. Method: times of pings at altitudes in each mode and on either side of the
// midpoints of the overlaps of two modes, by the table of its manufacturer. Tolerance: a step of a
// millisecond.
#[test]
fn a50_ping_rate_follows_its_altitude() {
    let cases = [
        (0.1, 15.0),
        (0.44, 15.0),
        (0.46, 10.0),
        (2.2, 10.0),
        (2.3, 5.5),
        (10.7, 5.5),
        (11.0, 7.5),
        (25.0, 7.5),
        (26.0, 3.0),
        (49.5, 3.0),
        (60.0, 2.0),
    ];
    let check = |s: &mut Simulation, what: &str, rate: f64| {
        let all = readings(s, 0, 4.0);
        let first = all[1].stamp_ns;
        for (k, one) in all[1..].iter().enumerate() {
            let expected = k as f64 / rate;
            close(
                what,
                (one.stamp_ns - first) as f64 * 1e-9,
                expected,
                1.001e-3,
            );
        }
        assert!(
            all.len() as f64 > 4.0 * rate - 2.0,
            "{what}: {} pings",
            all.len()
        );
    };
    for (altitude, rate) in cases {
        check(&mut a50(altitude, ""), &format!("{altitude} m"), rate);
        check(
            &mut a50(altitude, ", rate_hz: 4"),
            &format!("{altitude} m, 4 Hz"),
            rate.min(4.0),
        );
    }
}

// The ping rate follows a sinking vehicle, and a resumed run continues identically. Method: an A50
// that sinks at 1 m/s from 4 m above the seabed: 5.5 Hz down to 2.25 m, 10 Hz down to 0.45 m, then
// 15 Hz; the same from a state saved half way. Tolerance: one ping at each change; none.
#[test]
fn ping_rate_follows_a_sinking_vehicle() {
    let mut s = a50(4.0, "");
    set_motion(
        &mut s,
        Vec3::new(0.0, 0.0, -96.0),
        [0.0; 3],
        Vec3::new(0.0, 0.0, -1.0),
        Vec3::zero(),
    );
    s.clear_outboxes();
    let stamps = |s: &mut Simulation, seconds: f64| -> Vec<u64> {
        readings(s, 0, seconds).iter().map(|r| r.stamp_ns).collect()
    };
    let first = stamps(&mut s, 2.0);
    let mut other = a50(4.0, "");
    other.state = s.state.clone();
    let rest = stamps(&mut s, 1.9);
    assert_eq!(stamps(&mut other, 1.9), rest);
    let all: Vec<f64> = first
        .iter()
        .chain(&rest)
        .map(|t| *t as f64 * 1e-9)
        .collect();
    let count = |from: f64, to: f64| all.iter().filter(|t| (from..to).contains(*t)).count() as f64;
    for (from, to, rate) in [(0.0, 1.75, 5.5), (1.75, 3.55, 10.0), (3.55, 3.9, 15.0)] {
        let n = count(from, to);
        assert!(
            (n - (to - from) * rate).abs() <= 1.5,
            "{n} pings from {from} to {to} s"
        );
    }
}
