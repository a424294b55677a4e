//! Tests of valid and invalid couplings of a world file.

use crate::common::{close_vectors, scene};
use crate::input::check;
use merrow_math::Vec3;
use merrow_model::scene::{CouplingEnd, CouplingKind};

/// Returns a BlueROV2, a fixed post with an arm, and a ball; then one coupling in line 10.
fn world(coupling: &str) -> String {
    let body = "source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}";
    format!(
        "robots:\n  rov: {{model: bluerov2, position_m: [1, 0, -5]}}\n  post:\n    position_m: [0, 0, -5]\n    model:\n      \
         {{source: test, base: fixed, body: {{{body}}}, links: {{arm: {{parent: base_link, joint: {{kind: fixed, position_m: [0, 0, 1]}}, \
         body: {{{body}}}}}}}}}\nprops:\n  ball: {{body: {{{body}, collisions: {{b: {{kind: sphere, radius_m: 0.1}}}}}}, position_m: [1, 0, -6]}}\n\
         couplings:\n  c: {{{coupling}}}\n"
    )
}

// The ends of a coupling have their specified positions, also on merged links; a second end without
// a position coincides with the first. Method: an arm fixed one metre above a post, a ball one
// metre below a vehicle.
#[test]
fn ends_have_their_specified_positions() {
    let s = scene(&world(
        "kind: weld, a: {robot: rov, position_m: [0, 0, -1]}, b: {robot: ball}",
    ));
    assert!(s.couplings[0].engaged);
    let Some(CouplingEnd::Link {
        robot: 2,
        link: 0,
        p_LoE,
        ..
    }) = s.couplings[0].b
    else {
        panic!("{:?}", s.couplings)
    };
    close_vectors("on the ball", p_LoE, Vec3::zero(), 1e-12);
    let s = scene(&world(
        "kind: latch, a: {robot: post, link: arm, position_m: [0, 0, 0.5]}, b: {robot: rov}",
    ));
    assert!(!s.couplings[0].engaged);
    let CouplingEnd::Link {
        robot: 1,
        link: 0,
        p_LoE,
        ..
    } = s.couplings[0].a
    else {
        panic!("{:?}", s.couplings)
    };
    close_vectors("on the arm", p_LoE, Vec3::new(0.0, 0.0, 1.5), 1e-15);
    let s = scene(&world(
        "kind: grasp, a: {robot: rov}, b: {robot: ball}, engaged: true",
    ));
    assert!(matches!(s.couplings[0].kind, CouplingKind::Grasp { .. }));
    close_vectors(
        "held as it lies",
        s.couplings[0].start.0,
        Vec3::new(0.0, 0.0, -1.0),
        1e-12,
    );
}

#[test]
fn invalid_couplings_are_rejected() {
    check(
        &world("kind: weld, a: {robot: rovv}, b: {robot: ball}"),
        "w.yaml:10:30: no robot or prop `rovv` for the coupling c; did you mean `rov`?",
    );
    check(
        &world("kind: weld, a: {robot: post, link: arn}, b: {robot: ball}"),
        "w.yaml:10:42: no link `arn` on post; expected one of `base_link`, `arm`",
    );
    check(
        &world("kind: weld, a: {link: arm}, b: {robot: ball}"),
        "w.yaml:10:29: an end of the coupling c names a link; expected its `robot` too",
    );
    check(
        &world("kind: weld, a: {robot: rov}"),
        "w.yaml:10:6: the weld c has no second end; expected `b`",
    );
    check(
        &world("kind: hinge, a: {robot: ball}, b: {robot: ball}"),
        "w.yaml:10:6: both ends of the hinge c are on the link base_link of ball; expected two bodies",
    );
    check(
        &world("kind: ball, a: {}, b: {}"),
        "w.yaml:10:6: both ends of the ball c are in the world; expected a robot at one",
    );
    check(
        &world("kind: weld, a: {robot: rov}, b: {robot: ball, position_m: [0, 0, 0]}"),
        "w.yaml:10:6: the weld c holds at the start, but its ends are 1.000 m apart; expected at most 0.02 m; remove \
         `position_m` and `attitude_deg` of the second end to place it at the first",
    );
    check(
        &world("kind: grasp, a: {robot: rov}, engaged: true"),
        "w.yaml:10:46: the grasp c is engaged at the start and has no `b`; expected the held object in `b`",
    );
    check(
        &world("kind: latch, a: {robot: post}, b: {robot: rov}, distance_m: -1"),
        "w.yaml:10:67: `distance_m`: expected a positive number [m], found `-1`",
    );
    check(
        &world(
            "kind: latch, a: {robot: post}, b: {robot: rov}, funnel: {entrance_radius_m: 0.1, exit_radius_m: 0.2, length_m: 1}",
        ),
        "w.yaml:10:103: `exit_radius_m` is 0.2; expected at most `entrance_radius_m` 0.1",
    );
    check(
        &world("kind: glue, a: {robot: post}, b: {robot: rov}"),
        "w.yaml:10:13: `kind`: expected one of `weld`, `hinge`, `slide`, `ball`, `latch`, `grasp`, found string `glue`",
    );
}
