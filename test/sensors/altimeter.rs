//! Echo sounder against a plane bottom (V85).

use crate::common::turntable::{ball, place};
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

// Goal (V85): the range along the sensor's axis to a sloping plane. Method: n (p - p0) / n d in
// five attitudes, the sensor's x axis pointing down. Tolerance: 1e-12 (V85 asks 1e-6 m).
#[test]
fn range_meets_the_plane() {
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
        place(&mut s, p, rpy);
        let R = Mat3::from_rpy(rpy[0], rpy[1], rpy[2]);
        let eye = p + R.mul_vec(Vec3::new(0.2, 0.1, -0.3));
        let down = R.mul_vec(Vec3::new(0.0, 0.0, -1.0));
        let expected = -normal.dot(eye + Vec3::new(0.0, 0.0, 40.0)) / normal.dot(down);
        relative(&format!("{rpy:?}"), range(&mut s), expected, 1e-12);
    }
}

// Goal: what is too far or nothing at all is +inf, what is too near -inf (REP-117); in air nothing
// is heard. Method: heights over a flat bottom at 100 m. Tolerance: none.
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
        place(&mut s, Vec3::new(0.0, 0.0, z), rpy);
        assert_eq!(range(&mut s), expected, "at {z} m");
    }
}

// Goal: it hears what stands on the bottom: a wreck's deck 5 m over it, a wall ahead. Method: a box
// under it, then the sensor turned at a wall. Tolerance: 1e-9.
#[test]
fn structures_are_heard() {
    let top =
        "structures: {wreck: {position_m: [0, 0, -97.5], shapes: {s: {kind: box, size_m: [20, 20, 5]}}},
  wall: {position_m: [30, 0, -60], shapes: {s: {kind: box, size_m: [2, 40, 30]}}}}";
    let mut s = simulation(&ball(top, "", DEVICE));
    place(&mut s, Vec3::new(1.0, 2.0, -80.0), [0.0; 3]);
    relative("deck", range(&mut s), 95.0 - 80.3, 1e-9);
    // x of the sensor points down the body's -z: pitched nose up by 90 degrees that is ahead
    place(
        &mut s,
        Vec3::new(0.0, 0.0, -60.0),
        [0.0, -std::f64::consts::FRAC_PI_2, 0.0],
    );
    let eye =
        Mat3::from_rpy(0.0, -std::f64::consts::FRAC_PI_2, 0.0).mul_vec(Vec3::new(0.2, 0.1, -0.3));
    relative("wall", range(&mut s), 29.0 - eye.x, 1e-9);
}
