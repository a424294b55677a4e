//! Tests of a single-beam echo sounder over a plane seabed (V85).

use crate::common::turntable::{ball, set_pose};
use crate::common::{reading, relative, simulation};
use merrow_math::{Mat3, Vec3};
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;

const DEVICE: &str =
    "a: {device: {source: test, kind: altimeter, rate_hz: 500, min_range_m: 0.5, max_range_m: 50},
        position_m: [0.2, 0.1, -0.3], attitude_deg: [0, 90, 0]}";

fn range(s: &mut Simulation) -> f64 {
    let Reading::Altimeter(a) = reading(s, 0) else {
        panic!("not an altimeter")
    };
    a.range
}

// V85: the echo sounder measures the range along its axis to a sloping plane. Method: n (p - p0) /
// n d in five attitudes, with the x axis of the sensor pointing down. Tolerance: 1e-12 (V85
// requires 1e-6 m).
#[test]
fn range_to_a_sloping_plane() {
    let mut s = simulation(&ball(
        "seabed: {depth_m: 40, slope_east_north: [-0.2, 0.1]}",
        "",
        DEVICE,
    ));
    let normal = Vec3::new(0.2, -0.1, 1.0);
    let p = Vec3::new(7.0, -3.0, -15.0);
    for rpy in [
        [0.0; 3],
        [0.3, 0.0, 0.0],
        [0.0, -0.4, 1.0],
        [-0.5, 0.3, -2.0],
        [0.1, 0.6, 3.0],
    ] {
        set_pose(&mut s, p, rpy);
        let R = Mat3::from_rpy(rpy[0], rpy[1], rpy[2]);
        let eye = p + R.mul_vec(Vec3::new(0.2, 0.1, -0.3));
        let down = R.mul_vec(Vec3::new(0.0, 0.0, -1.0));
        let expected = -normal.dot(eye + Vec3::new(0.0, 0.0, 40.0)) / normal.dot(down);
        relative(&format!("{rpy:?}"), range(&mut s), expected, 1e-12);
    }
}

// A range beyond the maximum, or without an echo, is +inf and a range below the minimum is -inf
// (REP-117); in air there is no echo. Method: heights over a flat seabed at 100 m.
#[test]
fn out_of_range_is_infinite() {
    let mut s = simulation(&ball("", "", DEVICE));
    let cases = [
        (-99.3, [0.0; 3], f64::NEG_INFINITY),
        (-49.0, [0.0; 3], f64::INFINITY),
        (-90.0, [3.2, 0.0, 0.0], f64::INFINITY),
        (1.0, [0.0; 3], f64::INFINITY),
    ];
    for (z, rpy, expected) in cases {
        set_pose(&mut s, Vec3::new(0.0, 0.0, z), rpy);
        assert_eq!(range(&mut s), expected, "at {z} m");
    }
}

// The echo sounder measures the range to structures: to the deck of a wreck 5 m above the seabed
// and to a wall ahead. Method: a box below the sensor, then the sensor pointed at a wall.
// Tolerance: 1e-9.
#[test]
fn structures_give_echoes() {
    let top =
        "structures: {wreck: {position_m: [0, 0, -97.5], shapes: {s: {kind: box, size_m: [20, 20, 5]}}},
  wall: {position_m: [30, 0, -60], shapes: {s: {kind: box, size_m: [2, 40, 30]}}}}";
    let mut s = simulation(&ball(top, "", DEVICE));
    set_pose(&mut s, Vec3::new(1.0, 2.0, -80.0), [0.0; 3]);
    relative("deck", range(&mut s), 95.0 - 80.3, 1e-9);
    // The x axis of the sensor points along -z of the body; after a pitch of 90 degrees nose up it
    // points ahead.
    set_pose(
        &mut s,
        Vec3::new(0.0, 0.0, -60.0),
        [0.0, -std::f64::consts::FRAC_PI_2, 0.0],
    );
    let eye =
        Mat3::from_rpy(0.0, -std::f64::consts::FRAC_PI_2, 0.0).mul_vec(Vec3::new(0.2, 0.1, -0.3));
    relative("wall", range(&mut s), 29.0 - eye.x, 1e-9);
}
