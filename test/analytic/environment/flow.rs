//! Tests bodies in non-uniform flow: they follow the particle paths.

use crate::common::{advance, close_vectors, run, simulation};
use merrow_math::Vec3;

/// Returns a world with a neutral body at `start`, without rotational drag and with equal added
/// mass along all axes.
fn drifter(water: &str, start: &str) -> String {
    format!(
        "
water: {{{water}}}
step: {{dt_s: 0.01}}
robots:
  drifter:
    {start}
    model:
      source: test
      body:
        {{source: test, axes: flu, mass_kg: 12, inertia_kg_m2: {{xx: 1, yy: 2, zz: 3}}, net_buoyancy_n: 0,
        added_mass: {{kind: diagonal, values: [7, 7, 7, 0, 0, 0]}},
        quadratic_damping: {{kind: diagonal, values: [10, 10, 10, 0, 0, 0]}}}}
"
    )
}

// In water in solid-body rotation a neutral body that starts with the water follows its circle: the
// acceleration of the water is centripetal, although the field is steady. Method: the centre of an
// eddy with a core a million times as wide as the circle; ten turns. Tolerance: 1e-6 of the radius.
// RK4 at 1/628 of a turn leaves about 1e-8; without (∇u) u the body would leave the circle at once.
#[test]
fn solid_rotation_carries_a_neutral_body_in_a_circle() {
    let text = drifter(
        "flows: {whirl: {kind: eddy, angular_velocity_rad_s: 1, position_m: [5, -3], core_radius_m: 3.0e+6}}",
        "position_m: [7, -3, -40]\n    velocity_m_s: [0, 2, 0]",
    );
    let mut s = simulation(&text);
    for k in 1..=20 {
        advance(&mut s, 3.1);
        let (sin, cos) = (3.1 * f64::from(k)).sin_cos();
        let expected = Vec3::new(5.0 + 2.0 * cos, -3.0 + 2.0 * sin, -40.0);
        close_vectors("place", s.state.robots[0].motion.p_WB, expected, 1e-6);
    }
}

// In a stream that varies laterally, a body that a cross current carries across it experiences (∇u)
// u. Method: a uniform current of 0.3 m/s across a jet. The speed of a particle along the jet is
// the local one, so the distance along it is U b tanh(n/b) / 0.3. Tolerance: 1e-6 after crossing
// half of the jet.
#[test]
fn body_crossing_a_jet_has_local_jet_speed() {
    let text = drifter(
        "current: {kind: uniform, speed_m_s: 0.3, direction_deg: 0},
  flows: {jet: {kind: jet, speed_m_s: 1.5, direction_deg: 90, half_width_m: 4}}",
        "position_m: [0, 0, -40]\n    velocity_m_s: [1.5, 0.3, 0]",
    );
    let s = run(&text, 20.0);
    let n: f64 = 6.0;
    let along = 1.5 * 4.0 * (n / 4.0).tanh() / 0.3;
    close_vectors(
        "place",
        s.state.robots[0].motion.p_WB,
        Vec3::new(along, n, -40.0),
        1e-6,
    );
}

// The same for a current that changes with depth, in a rising current. Method: a profile of 1 m/s
// at the surface and zero at 20 m, with water that rises at 0.5 m/s: x = ∫ (1 - depth/20) dt. The
// eddy of zero strength selects the general form. Tolerance: 1e-6.
#[test]
fn body_rising_through_layers_has_their_speed() {
    let text = drifter(
        "current: {kind: profile, layers: [{depth_m: 0, speed_m_s: 1, direction_deg: 90}, {depth_m: 20, speed_m_s: 0}]},
  flows: {whirl: {kind: eddy, angular_velocity_rad_s: 0, core_radius_m: 3}}",
        "position_m: [0, 0, -18]\n    velocity_m_s: [0.1, 0, 0.5]",
    );
    let mut scene = crate::common::scene(&text);
    for layer in &mut scene.sea.current.profile {
        layer.1.z = 0.5;
    }
    let mut s = merrow_sim::Simulation::new(std::sync::Arc::new(scene), 1).unwrap();
    advance(&mut s, 20.0);
    let x = (0.1 * 20.0) + 0.5 * (0.5 / 20.0) * 400.0;
    close_vectors(
        "place",
        s.state.robots[0].motion.p_WB,
        Vec3::new(x, 0.0, -8.0),
        1e-6,
    );
}

// A rotary tide carries a body around its ellipse with the acceleration of the tide. Method: a
// period of 200 s; a body that starts with the velocity of the tide stays with it. Tolerance: 1e-9
// of the distance.
#[test]
fn a_tide_carries_a_body_around() {
    let text = drifter(
        "flows: {tide: {kind: tidal, constituents: [{period_s: 200, speed_m_s: 0.8, direction_deg: 90, across_speed_m_s: 0.3}]}}",
        "position_m: [0, 0, -40]\n    velocity_m_s: [0.8, 0, 0]",
    );
    let s = run(&text, 50.0);
    let r = 200.0 / std::f64::consts::TAU;
    close_vectors(
        "place",
        s.state.robots[0].motion.p_WB,
        Vec3::new(0.8 * r, 0.3 * r, -40.0),
        1e-9,
    );
}

// The gain of a flow can change while the simulation runs. Method: a command halves the gain.
// Tolerance: 1e-3 of the speed, after drag has acted long enough.
#[test]
fn flow_gain_changes_at_run_time() {
    let text = drifter(
        "flows: {tide: {kind: tidal, constituents: [{period_s: 1.0e+9, speed_m_s: 0.8, direction_deg: 90}]}}",
        "position_m: [0, 0, -40]",
    );
    let mut s = simulation(&text);
    let mut sea = s.state.sea.clone();
    sea.current.flows[0].gain = 0.5;
    let before = s.state.hash();
    s.apply(&merrow_model::state::Command::Sea(Box::new(sea)))
        .unwrap();
    assert_ne!(s.state.hash(), before, "the gain is part of the state");
    advance(&mut s, 3000.0);
    close_vectors(
        "speed",
        s.state.robots[0].motion.V_WB_B.v,
        Vec3::new(0.4, 0.0, 0.0),
        1e-3,
    );
}
