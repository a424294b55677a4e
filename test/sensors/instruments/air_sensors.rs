//! Tests of barometers, anemometers and leak detectors.

use crate::common::turntable::{ball, set_motion, set_pose, weightless};
use crate::common::{close, close_vectors, reading, readings, relative, simulation};
use merrow_math::{Mat3, Vec3};
use merrow_model::sensor::vehicle::Wind;
use merrow_model::state::reading::Reading;

fn wind(reading: &Reading) -> Wind {
    let Reading::Wind(wind) = reading else {
        panic!("not a wind")
    };
    *wind
}

// Within its range a barometer measures the standard atmosphere, and the water pressure under
// water. Method: tables of ISO 2533 at geopotential heights of 1000 and 5000 m; 1 m of water by
// hand; 10 m is out of its range. A water pressure sensor at the same place reads the same without
// that range. Tolerance: 1e-5 of the tables, otherwise rounding.
#[test]
fn barometer_measures_the_standard_atmosphere() {
    let device = "b: {device: {source: test, kind: barometer, rate_hz: 500, range_pa: [30000, 125000]}}, p: {device: {source: test, kind: pressure, rate_hz: 500}}";
    let mut s = simulation(&ball(
        "water: {density_kg_m3: 1000}\nweather: {temperature_c: 15}",
        "",
        device,
    ));
    let mut at = |z: f64| {
        set_pose(&mut s, Vec3::new(0.0, 0.0, z), [0.0; 3]);
        s.clear_outboxes();
        s.advance(1);
        let both = s.runners[0]
            .outbox
            .iter()
            .map(|d| d.stamped.reading)
            .collect::<Vec<_>>();
        let [Reading::Pressure(p), Reading::Pressure(wet)] = both[..2] else {
            panic!("not two pressures")
        };
        assert_eq!(
            wet.pressure.clamp(30_000.0, 125_000.0),
            p.pressure,
            "at {z} m"
        );
        p.pressure
    };
    relative("sea level", at(0.0), 101_325.0, 1e-12);
    relative("1000 m", at(1000.0), 89_874.6, 1e-5);
    relative("5000 m", at(5000.0), 54_019.9, 1e-5);
    relative("1 m deep", at(-1.0), 101_325.0 + 9810.0, 1e-12);
    assert_eq!((at(-10.0), at(11_000.0)), (125_000.0, 30_000.0));
}

const WEATHER: &str =
    "weather: {wind_speed_m_s: 8, wind_from_deg: 270}\nair: {shear: {kind: uniform}}";

fn anemometer(keys: &str) -> String {
    format!(
        "w: {{device: {{source: test, kind: anemometer, rate_hz: 500{keys}}}, attitude_deg: [0, 0, 30]}}"
    )
}

// An anemometer measures the apparent wind of a moving, heeling mast in its own frame, and no wind
// under water. Method: 8 m/s from the west, a robot with a general attitude and velocities; the
// vector by hand. Tolerance: 1e-12.
#[test]
fn anemometer_measures_the_apparent_wind() {
    let mut s = simulation(&weightless(WEATHER, &anemometer("")));
    let rpy = [0.2, -0.1, 0.7];
    let (v, w) = (Vec3::new(3.0, -0.5, 0.2), Vec3::zero());
    set_motion(&mut s, Vec3::new(0.0, 0.0, 5.0), rpy, v, w);
    let found = wind(&reading(&mut s, 0));
    let R_WB = Mat3::from_rpy(rpy[0], rpy[1], rpy[2]);
    let R_BS = Mat3::from_rpy(0.0, 0.0, 30_f64.to_radians());
    let expected = R_BS.tr_mul_vec(R_WB.tr_mul_vec(Vec3::new(8.0, 0.0, 0.0)) - v);
    close_vectors(
        "wind",
        found.velocity,
        Vec3::new(expected.x, expected.y, 0.0),
        1e-12,
    );
    close("speed", found.speed, expected.x.hypot(expected.y), 1e-12);
    // From ahead 0, from starboard a quarter turn.
    set_motion(
        &mut s,
        Vec3::new(0.0, 0.0, 5.0),
        [0.0, 0.0, 150_f64.to_radians()],
        Vec3::zero(),
        w,
    );
    close(
        "from ahead",
        wind(&reading(&mut s, 0)).from.sin(),
        0.0,
        1e-12,
    );
    set_motion(
        &mut s,
        Vec3::new(0.0, 0.0, 5.0),
        [0.0, 0.0, -120_f64.to_radians()],
        Vec3::zero(),
        w,
    );
    close(
        "from starboard",
        wind(&reading(&mut s, 0)).from,
        std::f64::consts::FRAC_PI_2,
        1e-12,
    );
    set_pose(&mut s, Vec3::new(0.0, 0.0, -0.1), [0.0; 3]);
    let under = wind(&reading(&mut s, 0));
    assert!(under.speed.is_nan() && under.from.is_nan() && under.velocity.x.is_nan());
}

// Errors, resolution and threshold are as stated, and faults act on speed and direction. Method: by
// hand. Tolerance: rounding.
#[test]
fn errors_of_an_anemometer_are_as_stated() {
    let one = |keys: &str, faults: &str| {
        let top = format!("{WEATHER}\n{faults}");
        let mut s = simulation(&weightless(&top, &anemometer(keys)));
        set_pose(&mut s, Vec3::new(0.0, 0.0, 5.0), [0.0, 0.0, 1.0]);
        wind(&reading(&mut s, 0))
    };
    // Ahead is 87.3 degrees counter-clockwise from east, the direction towards which the wind
    // blows: the wind comes from 267.3 degrees clockwise.
    let plain = one("", "");
    close(
        "direction",
        plain.from.to_degrees(),
        180.0 + 30.0 + 1_f64.to_degrees(),
        1e-12,
    );
    let coarse = one(", speed: {resolution: 3}, direction: {resolution: 20}", "");
    close("coarse speed", coarse.speed, 9.0, 1e-12);
    close("coarse direction", coarse.from.to_degrees(), 260.0, 1e-12);
    assert_eq!(one(", threshold_m_s: 8.1", "").speed, 0.0);
    let off = one(
        "",
        "faults: {a: {robot: ball, target: w/direction, kind: biased, bias: 3}, b: {robot: ball, target: w/speed, kind: biased, bias: 2}}",
    );
    let turned = (plain.from + 3.0) % std::f64::consts::TAU;
    close("biased direction", off.from, turned, 1e-12);
    close_vectors(
        "vector",
        off.velocity,
        Vec3::new(-10.0 * turned.cos(), 10.0 * turned.sin(), 0.0),
        1e-12,
    );
}

// Cups approach the wind speed over their distance constant, the vane the wind direction over its
// own. Method: 8 m/s after calm, by 2.7 m of wind, at rates of 500 and 50 Hz; the vector of the
// vane from one side to the other. Tolerance: 1e-9.
#[test]
fn cups_and_vane_follow_over_a_distance() {
    for rate in [500, 50] {
        let keys = ", distance_constant_m: 2.7, vane_distance_constant_m: 1.5";
        let device = anemometer(keys).replace("rate_hz: 500", &format!("rate_hz: {rate}"));
        let mut s = simulation(&weightless(WEATHER, &device));
        // Moving with the wind, the apparent wind is zero.
        set_motion(
            &mut s,
            Vec3::new(0.0, 0.0, 5.0),
            [0.0, 0.0, 0.0],
            Vec3::new(8.0, 0.0, 0.0),
            Vec3::zero(),
        );
        let calm = readings(&mut s, 0, 1.0);
        close(
            "calm",
            wind(&calm.last().unwrap().reading).speed,
            0.0,
            1e-12,
        );
        set_pose(&mut s, Vec3::new(0.0, 0.0, 5.0), [0.0; 3]);
        for r in readings(&mut s, 0, 1.0) {
            let since = r.stamp_ns as f64 * 1e-9 - 1.0;
            let expected = 8.0 * (1.0 - (-8.0 * since / 2.7).exp());
            // The sample before the change was taken at the time of the change.
            close("cups", wind(&r.reading).speed, expected, 1e-9);
        }
        let before = wind(&readings(&mut s, 0, 8.0).last().unwrap().reading);
        close("settled", before.from.to_degrees(), 210.0, 1e-9);
        set_pose(&mut s, Vec3::new(0.0, 0.0, 5.0), [0.0, 0.0, -1.0]);
        let way = 8.0 * 0.2;
        let last = wind(&readings(&mut s, 0, 0.2).last().unwrap().reading);
        let left = (-way / 1.5_f64).exp();
        let new = (210.0 - 1_f64.to_degrees()).to_radians();
        let mix = |f: fn(f64) -> f64| f(new) + (f(before.from) - f(new)) * left;
        let expected = mix(f64::sin)
            .atan2(mix(f64::cos))
            .rem_euclid(std::f64::consts::TAU);
        close("vane", last.from, expected, 1e-9);
    }
}

const LEAK: &str = "faults: {hole: {robot: ball, target: base_link, kind: leak, hole_diameter_m: 0.01, compartment_m3: 0.004, center_m: [0.1, 0, 0]}}";

fn trips(sensor: &str, rpy: [f64; 3], faults: &str) -> (f64, f64) {
    let top = format!("{faults}\nstep: {{dt_s: 0.002}}");
    let mut s = simulation(&ball(&top, "", sensor));
    for _ in 0..10_000 {
        // The robot stays at 10 m while it fills.
        set_pose(&mut s, Vec3::new(0.0, 0.0, -10.0), rpy);
        let before: f64 = s.state.robots[0].faults.iter().map(|f| f.water).sum();
        let Reading::Leak(leak) = reading(&mut s, 0) else {
            panic!("not a leak detector")
        };
        if leak.is_wet() {
            return (before, s.time_ns() as f64 * 1e-9);
        }
    }
    (f64::NAN, f64::NAN)
}

// A leak detector trips when the water level reaches it, at any position in the hull and in any
// attitude of the hull, or at a volume. Method: a ball of 4 l with a probe 5 cm below its centre,
// upright and inverted; the volume of the spherical cap by hand. Tolerance: the inflow of three
// steps, 0.67 l/s and 2 ms each.
#[test]
fn leak_detector_trips_at_its_level() {
    let radius = (0.75 * 0.004 / std::f64::consts::PI).cbrt();
    let cap = |h: f64| std::f64::consts::PI * h * h * (3.0 * radius - h) / 3.0;
    let step =
        3.0 * 0.002 * 0.61 * 0.25 * std::f64::consts::PI * 1e-4 * (2.0 * 9.81 * 10.0_f64).sqrt();
    let probe = "l: {device: {source: test, kind: leak_detector, rate_hz: 500}, position_m: [0.1, 0, -0.05]}";
    for (rpy, height) in [([0.0; 3], -0.05), ([std::f64::consts::PI, 0.0, 0.0], 0.05)] {
        let (water, _) = trips(probe, rpy, LEAK);
        assert!(
            (water - cap(radius + height)).abs() < step,
            "{water} {}",
            cap(radius + height)
        );
    }
    let by_volume = "l: {device: {source: test, kind: leak_detector, rate_hz: 500, trigger_volume_m3: 0.001}, position_m: [0.1, 0, 3]}";
    assert!((trips(by_volume, [0.0; 3], LEAK).0 - 0.001).abs() < step);
    // A fault makes a dry detector report water.
    let false_alarm = "faults: {x: {robot: ball, target: l, time_s: 0.1, kind: biased, bias: 1}}";
    let (_, when) = trips(by_volume, [0.0; 3], false_alarm);
    assert!((when - 0.1).abs() < 0.005, "{when}");
}
