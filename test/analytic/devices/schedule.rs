//! Tests the timing and the error model of sensors: rates, latency, losses, resolution, limits
//! (V84).

use crate::common::turntable::{ball, set_motion, set_pose};
use crate::common::{readings, simulation};
use merrow_math::Vec3;
use merrow_model::state::reading::Reading;
use merrow_model::state::{Command, DeviceCommand};

fn pressure(device: &str, more: &str) -> String {
    format!("p: {{device: {{source: test, kind: pressure, {device}}}{more}}}")
}

// V84: a rate that divides neither the second nor the step gives all its samples in every hour: 7
// per second are 25 200 per hour, the k-th in the first step that starts at k/7 s or later. Method:
// steps of 14.3 ms, which come within 14.3 us of the sample times, so that a drift of less than a
// nanosecond per sample is detected.
#[test]
fn seven_hertz_does_not_drift_in_an_hour() {
    let step_ns = 14_300_000;
    let mut s = simulation(&ball(
        "step: {dt_s: 0.0143}",
        "",
        &pressure("rate_hz: 7", ""),
    ));
    let all = readings(&mut s, 0, 251_749.0 * 0.0143);
    assert_eq!(all.len(), 25_200);
    for (r, k) in all.iter().zip(1_u64..) {
        // The schedule counts in whole nanoseconds, rounded down.
        let due = k * 1_000_000_000 / 7;
        assert_eq!(r.stamp_ns, due.div_ceil(step_ns) * step_ns, "sample {k}");
    }
}

// V84: sample counts are exact for rates that divide the step rate and for others, at the default
// step. Method: 10 s.
#[test]
fn every_rate_gives_its_number_of_samples() {
    for (rate, expected) in [
        ("500", 5000),
        ("100", 1000),
        ("30", 300),
        ("12.5", 125),
        ("1", 10),
        ("0.3", 3),
    ] {
        let mut s = simulation(&ball("", "", &pressure(&format!("rate_hz: {rate}"), "")));
        assert_eq!(readings(&mut s, 0, 10.0).len(), expected, "{rate} Hz");
    }
}

// V84: a reading is measured at its stamp and delivered after its latency; the first reading at
// `start_s`. Method: a ball that sinks at 1 m/s; 10 Hz, 0.35 s of latency, from 0.5 s on; checked
// at every step. Tolerance: none for the times; rounding for the pressure.
#[test]
fn latency_delays_the_delivery_not_the_measurement() {
    let mut s = simulation(&ball(
        "",
        "",
        &pressure("rate_hz: 10, latency_s: 0.35", ", start_s: 0.5"),
    ));
    set_motion(
        &mut s,
        Vec3::new(0.0, 0.0, -20.0),
        [0.0; 3],
        Vec3::new(0.0, 0.0, -1.0),
        Vec3::zero(),
    );
    let mut count = 0;
    for _ in 0..1000 {
        s.advance(1);
        let now = s.time_ns();
        for delivered in &s.runners[0].outbox {
            let stamp = delivered.stamped.stamp_ns;
            assert_eq!(stamp, 500_000_000 + count * 100_000_000);
            assert_eq!(now, stamp + 350_000_000);
            let Reading::Pressure(p) = delivered.stamped.reading else {
                panic!("not a pressure")
            };
            let depth = 20.0 + stamp as f64 * 1e-9;
            crate::common::relative(
                "pressure",
                p.pressure,
                101_325.0 + 1025.0 * 9.81 * depth,
                1e-12,
            );
            count += 1;
        }
        s.clear_outboxes();
    }
    // Stamps from 0.5 s on that are 0.35 s old after 2 s.
    assert_eq!(count, 12);
}

// Lost samples are dropped, and the others keep their times. Method: a quarter lost of 5000.
// Tolerance: 4 standard errors, 2.5 %.
#[test]
fn dropped_samples_leave_the_others_in_place() {
    let mut s = simulation(&ball(
        "",
        "",
        &pressure("rate_hz: 500, loss_probability: 0.25", ""),
    ));
    let all = readings(&mut s, 0, 10.0);
    let kept = all.len() as f64 / 5000.0;
    assert!((kept - 0.75).abs() < 0.025, "{kept} kept");
    assert!(all.iter().all(|r| r.stamp_ns % 2_000_000 == 0));
    assert_eq!(s.state.robots[0].sensors[0].samples, 5001);
}

// V84: readings are the nearest multiples of the resolution and saturate at the full scale. Method:
// a ball that sinks, 100 Pa and 150 kPa; a spin beyond the range of a gyro.
#[test]
fn resolution_and_full_scale_are_exact() {
    let mut s = simulation(&ball(
        "",
        "",
        &pressure(
            "rate_hz: 500, errors: {resolution: 100, full_scale: 150000}",
            "",
        ),
    ));
    set_motion(
        &mut s,
        Vec3::new(0.0, 0.0, -3.0),
        [0.0; 3],
        Vec3::new(0.0, 0.0, -1.0),
        Vec3::zero(),
    );
    let mut saturated = 0;
    for r in readings(&mut s, 0, 4.0) {
        let Reading::Pressure(p) = r.reading else {
            panic!("not a pressure")
        };
        let truth = 101_325.0 + 1025.0 * 9.81 * (3.0 + r.stamp_ns as f64 * 1e-9);
        assert_eq!(p.pressure % 100.0, 0.0);
        if truth > 150_050.0 {
            assert_eq!(p.pressure, 150_000.0);
            saturated += 1;
        } else {
            assert!(
                (p.pressure - truth).abs() <= 50.0 + 1e-6,
                "{} for {truth}",
                p.pressure
            );
        }
    }
    assert!(saturated > 500);
    let imu = "imu: {device: {source: test, kind: imu, rate_hz: 500, gyro: {full_scale: 5}}}";
    let mut s = simulation(&ball("", "", imu));
    set_motion(
        &mut s,
        Vec3::new(0.0, 0.0, -3.0),
        [0.0; 3],
        Vec3::zero(),
        Vec3::new(7.0, -7.0, 2.0),
    );
    let Reading::Imu(r) = crate::common::reading(&mut s, 0) else {
        panic!("not an IMU")
    };
    assert_eq!(r.angular_velocity.to_array(), [5.0, -5.0, 2.0]);
}

// Noise can be switched off and on at run time; off gives the true value. Method: a noisy sensor at
// rest.
#[test]
fn noise_switch_gives_true_value() {
    let mut s = simulation(&ball(
        "",
        "",
        &pressure(
            "rate_hz: 500, errors: {density: 10, turn_on_bias_std: 100}",
            "",
        ),
    ));
    set_pose(&mut s, Vec3::new(0.0, 0.0, -10.0), [0.0; 3]);
    let truth = 101_325.0 + 1025.0 * 9.81 * 10.0;
    let exact = |s: &mut merrow_sim::Simulation| {
        let all = readings(s, 0, 0.1);
        let hits = all
            .iter()
            .filter(|r| matches!(r.reading, Reading::Pressure(p) if p.pressure == truth));
        (hits.count(), all.len())
    };
    assert_eq!(exact(&mut s), (0, 50));
    s.apply(&Command::Device(
        0,
        DeviceCommand::Noise {
            sensor: 0,
            on: false,
        },
    ))
    .unwrap();
    assert_eq!(exact(&mut s), (50, 50));
    s.apply(&Command::Device(
        0,
        DeviceCommand::Noise {
            sensor: 0,
            on: true,
        },
    ))
    .unwrap();
    assert_eq!(exact(&mut s), (0, 50));
}
