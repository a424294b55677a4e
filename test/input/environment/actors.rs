//! Tests of wrong actors.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::check;

fn with(route: &str) -> String {
    let body = "source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}";
    let shape = "collisions: {c: {kind: sphere, radius_m: 0.3}}";
    format!("actors: {{a: {{{route}, body: {{{body}, {shape}}}}}}}\nrobots: {{}}\n")
}

#[test]
fn invalid_actors_are_rejected() {
    for (route, expected) in [
        (
            "waypoints_m: [[0, 0, 0]], speed_m_s: 1",
            "w.yaml:1:27: `waypoints_m`: expected at least 2 waypoints, found 1",
        ),
        (
            "waypoints_m: [[0, 0, 0], [1, 0, 0]]",
            "w.yaml:1:13: `times_s`: expected one time for each waypoint, or `speed_m_s`, found 0 times for 2 waypoints",
        ),
        (
            "waypoints_m: [[0, 0, 0], [1, 0, 0]], times_s: [0, 1], speed_m_s: 1",
            "w.yaml:1:79: expected `times_s` or `speed_m_s`, found both",
        ),
        (
            "waypoints_m: [[0, 0, 0], [1, 0, 0]], times_s: [1, 1]",
            "w.yaml:1:13: the time 1 s of waypoint 1 is not after the time of the waypoint before, 1 s",
        ),
        (
            "waypoints_m: [[0, 0, 0], [0, 0, 0]], speed_m_s: 1",
            "w.yaml:1:13: the time 0 s of waypoint 1 is not after the time of the waypoint before, 0 s",
        ),
        (
            "waypoints_m: [[0, 0, 0], [1, 0, 0]], speed_m_s: 1, repeats: true",
            "w.yaml:1:74: `repeats`: expected the last waypoint at the position of the first",
        ),
        (
            "waypoints_m: [[0, 0, 0], [1, .nan, 0]], speed_m_s: 1",
            "w.yaml:1:43: `waypoints_m[1][1]`: expected a finite number [m], found `.nan`",
        ),
        (
            "waypoints_m: [[0, 0, 0], [1, 0, 0]], speed_m_s: 0",
            "w.yaml:1:62: `speed_m_s`: expected a positive number [m/s], found `0`",
        ),
    ] {
        check(&with(route), expected);
    }
}
