//! Tests bodies in waves: floating bodies follow the surface, hovering bodies follow the water, and
//! sensors measure both.

use crate::common::{advance, close, close_vectors, readings, relative, scene, simulation};
use merrow_environment::waves::realise::wave_field;
use merrow_environment::{WaveState, air};
use merrow_math::Vec3;
use merrow_model::scene::{Spectrum, Waves};
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;
use merrow_validate::cases::sea::eastward_sea_state as sea;
use std::sync::Arc;

const RAFT: &str = "
water: {density_kg_m3: 1000, waves: {kind: regular, height_m: 1, period_s: 12, direction_deg: 90}}
seabed: {depth_m: 400}
robots:
  raft:
    position_m: [10, 0, 0]
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 500
        center_of_mass_m: [0, 0, -0.2]
        inertia_kg_m2: {xx: 60, yy: 60, zz: 90}
        volume_m3: 1
        hull: {kind: box, size_m: [1.4142135623730951, 1.4142135623730951, 0.5]}
        added_mass: {kind: diagonal, values: [50, 50, 400, 20, 20, 5]}
        linear_damping: {kind: diagonal, values: [100, 100, 3000, 200, 200, 100]}
";

/// Returns the waves of a running world at its current time.
fn current_waves(s: &Simulation) -> WaveState {
    WaveState::new(&s.state.sea.waves, s.time_ns() as f64)
}

// A raft that is small compared with the waves heaves, pitches and drifts with the surface. Method:
// a wave of 12 s (225 m long) and 1 m height, from half a wave after the start, for two periods;
// the natural periods of the raft are about 1.5 s. Tolerance: 2 % of the amplitude in heave, of
// which 1 % is the square of the ratio of the periods; 5 % of the maximum slope, by which pitch
// lags through damping.
#[test]
fn raft_follows_long_waves() {
    let mut s = simulation(RAFT);
    advance(&mut s, 30.0);
    let (mut lowest, mut highest) = (0.0_f64, 0.0_f64);
    for _ in 0..96 {
        advance(&mut s, 0.25);
        let motion = &s.state.robots[0].motion;
        let surface = current_waves(&s).surface(motion.p_WB.x, motion.p_WB.y);
        assert!(
            (motion.p_WB.z - surface.z).abs() < 0.02 * 0.5,
            "heave {} over {}",
            motion.p_WB.z,
            surface.z
        );
        let up = motion.q_WB.matrix().col(2);
        let steepest = 0.5 * std::f64::consts::TAU / 225.0;
        assert!(
            (up - surface.normal()).norm() < 0.05 * steepest,
            "{up:?} on {:?}",
            surface.normal()
        );
        (lowest, highest) = (lowest.min(motion.p_WB.z), highest.max(motion.p_WB.z));
    }
    assert!(lowest < -0.48 && highest > 0.48, "{lowest} {highest}");
}

// V45: waves carry a hovering body with the water, for any shape of its added mass. Method: a
// submerged body with the density of water starts with the velocity of the water in a flat wave.
// Its path over two periods is compared with the path of a particle, integrated from the water
// velocity by Runge-Kutta. Tolerance: 1 % of the orbit; the steepness of the wave is 0.2 %.
#[test]
fn hovering_body_follows_wave_orbits() {
    let mut scene = scene(
        "
water: {density_kg_m3: 1000, waves: {kind: regular, height_m: 0.02, period_s: 6, direction_deg: 60}}
seabed: {depth_m: 40}
step: {dt_s: 0.02}
robots:
  buoy:
    position_m: [0, 0, -5]
    model: {source: test, body: {source: test, axes: flu, mass_kg: 20, volume_m3: 0.02, inertia_kg_m2: {xx: 1, yy: 1, zz: 1},
      added_mass: {kind: diagonal, values: [5, 12, 20, 0, 0, 0]}}}
",
    );
    let water = |p: Vec3, t: f64| {
        let now = WaveState::new(&scene.sea.waves, t * 1e9);
        now.orbital_motion(p, now.elevation(p.x, p.y)).velocity
    };
    let mut p = Vec3::new(0.0, 0.0, -5.0);
    let start = water(p, 0.0);
    let mut path = Vec::new();
    for k in 0..600 {
        let t = 0.02 * f64::from(k);
        let k1 = water(p, t);
        let k2 = water(p + k1.scale(0.01), t + 0.01);
        let k3 = water(p + k2.scale(0.01), t + 0.01);
        let k4 = water(p + k3.scale(0.02), t + 0.02);
        p += (k1 + k2.scale(2.0) + k3.scale(2.0) + k4).scale(0.02 / 6.0);
        path.push(p);
    }
    let orbit = path.iter().map(|p| (p.z + 5.0).abs()).fold(0.0, f64::max);
    assert!(orbit > 0.01, "{orbit} m is not significant");
    scene.robots[0].start.v_WB_B = start;
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    for p in path {
        s.advance(1);
        let d = s.state.robots[0].motion.p_WB - p;
        assert!(
            d.norm() < 0.01 * orbit,
            "{} s: {d:?}",
            s.time_ns() as f64 * 1e-9
        );
    }
}

/// A regular wave of 0.6 m and 6 s towards east in deep water, for 60 s.
const SWELL: &str = "
water: {density_kg_m3: 1000, waves: {kind: regular, height_m: 0.6, period_s: 6, direction_deg: 90}}
seabed: {depth_m: 500}
step: {dt_s: 0.02}
";

/// Returns amplitude [m], wave number [rad/m] and angular frequency [rad/s] of [`SWELL`].
fn swell_parameters(scene: &merrow_model::scene::Scene) -> [f64; 3] {
    let c = &scene.sea.waves.seas[0].1.components;
    [c.a[0], c.k[0], c.omega[0]]
}

// Waves hold a submerged body with the density of water at its depth: the mean force is (m + A) k
// a² ω² exp(2kz) upwards. Method: a sphere without damping starts 4 m deep with the velocity of the
// water and drifts for ten periods. Tolerance: 1 cm in height at every whole period; 1 % of the
// Stokes drift of 0.24 m (fourth order in steepness).
#[test]
fn submerged_sphere_keeps_depth_and_has_stokes_drift() {
    let mut scene = scene(&format!(
        "{SWELL}
robots:
  ball:
    position_m: [0, 0, -4]
    model: {{source: test, body: {{source: test, axes: flu, mass_kg: 20, volume_m3: 0.02, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}},
      added_mass: {{kind: diagonal, values: [10, 10, 10, 0, 0, 0]}}}}}}
"
    ));
    let [a, k, omega] = swell_parameters(&scene);
    let now = WaveState::new(&scene.sea.waves, 0.0);
    scene.robots[0].start.v_WB_B = now.surface_and_motion(Vec3::new(0.0, 0.0, -4.0)).1.velocity;
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    for period in 1..=10 {
        s.advance(300);
        let z = s.state.robots[0].motion.p_WB.z;
        assert!((z + 4.0).abs() < 0.01, "{z} m after {period} periods");
    }
    // At the start the particle is below a crest, so its initial position is above its mean depth.
    let mean = -4.0 - a * libm::exp(-4.0 * k);
    let drift = a * a * k * omega * libm::exp(2.0 * k * mean) * 60.0;
    let x = s.state.robots[0].motion.p_WB.x;
    // The centre of the orbit.
    let x = x + a * libm::exp(k * mean) * libm::sin(k * x);
    relative("drift", x, drift, 0.01);
}

// A floating body drifts with the Stokes drift a² k ω of the surface. Method: a ball of 2 cm with a
// large drag for ten periods after one initial period. Tolerance: 1 %: its wetted half is 4 mm
// below the surface, and terms of fourth order.
#[test]
fn floating_particle_has_stokes_drift() {
    let scene = scene(&format!(
        "{SWELL}
robots:
  particle:
    model: {{source: test, body: {{source: test, axes: flu, mass_kg: 0.002, volume_m3: 0.000004, inertia_kg_m2: {{xx: 1e-6, yy: 1e-6, zz: 1e-6}},
      linear_damping: {{kind: diagonal, values: [0.1, 0.1, 0.1, 1e-5, 1e-5, 1e-5]}}}}}}
"
    ));
    let [a, k, omega] = swell_parameters(&scene);
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    s.advance(300);
    // The centre of the orbit at whole periods.
    let center = |s: &Simulation| {
        let x = s.state.robots[0].motion.p_WB.x;
        x + a * libm::sin(k * x)
    };
    let start = center(&s);
    s.advance(3000);
    relative(
        "drift",
        (center(&s) - start) / 60.0,
        a * a * k * omega,
        0.01,
    );
}

// The pressure of the water on an upright box is integrated correctly: buoyancy up to the actual
// surface, and the wave pressure below it, with the second-order part -ρ/2 |u|² relative to the
// surface. Method: a fixed box half under a crest, with the force from the pressure on its bottom
// face in closed form. Tolerance: 2e-3, by which a pressure that decays over the draught of 0.5 m
// differs from its mean gradient.
#[test]
fn held_box_wave_pressure_matches_closed_form() {
    let mut sea_state = sea(Spectrum::Regular(0.0), 1.0, 5.0);
    sea_state.towards = Vec3::new(0.0, 1.0, 0.0);
    let mut world = scene(RAFT);
    world.sea.waves = Waves::from_field(wave_field(sea_state, 400.0, 9.81, 1));
    let waves = WaveState::new(&world.sea.waves, 0.0);
    let robot = &world.robots[0];
    let mut work = merrow_model::state::Workspace::new(robot);
    let at = merrow_environment::EnvironmentState {
        waves: Some(&waves),
        ..crate::common::initial_environment(&world)
    };
    let mut motion = merrow_model::state::Motion::at_rest(0);
    // The crest is 0.5 m high; the bottom of the box is 0.4 m below it.
    motion.p_WB = Vec3::new(0.0, 0.0, 0.35);
    // Water and body have the same velocity, so only pressure acts; the contribution of the added
    // mass is subtracted.
    let v = waves.surface_and_motion(Vec3::new(0.0, 0.0, 0.3)).1;
    motion.V_WB_B.v = v.velocity;
    merrow_sim::step::Kernel::new().evaluate(robot, &at, &motion, &[], &mut work);
    let a = v.acceleration([0.0; 2], Vec3::zero()).z;
    let force = work.links[0].F.f.z + 500.0 * 9.81 - work.links[0].submerged_fraction * 400.0 * a;
    let bottom = waves.surface_and_motion(Vec3::new(0.0, 0.0, 0.1)).1;
    let surface = waves.surface_and_motion(Vec3::new(0.0, 0.0, 0.5)).1;
    let second_order =
        0.5 * (surface.velocity.dot(surface.velocity) - bottom.velocity.dot(bottom.velocity));
    let pressure = 1000.0 * (9.81 * (bottom.head - 0.1) + second_order);
    relative("wet part", work.links[0].submerged_fraction, 0.8, 1e-3);
    relative("force", force, pressure * 2.0, 2e-3);
}

/// Returns a held body at the height `z` [m], with a device, in Kelpie's Beaufort 8 sea state: 5.5
/// m high, 8 s.
fn held_body(z: f64, more: &str) -> Simulation {
    simulation(&format!(
        "
water: {{density_kg_m3: 1000, waves: {{kind: kelpie, beaufort: 8, period_s: 8}}}}
seabed: {{depth_m: 50}}
robots:
  r: {{position_m: [0, 0, {z}], model: {{source: test, base: fixed, body: {{source: test, axes: flu, mass_kg: 20, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}, {more}}}}}
"
    ))
}

// Sensors and propellers use the actual surface. Method: a sea that rises uniformly by 2.75 m. An
// antenna at 0.5 m has a fix for more than half of the time; an altimeter and a propeller there
// work for the rest. The pressure at 1 m depth is the pressure of the water above plus air pressure
// in the trough. Tolerance: one reading at each end; rounding.
#[test]
fn instruments_use_wave_surface() {
    let gnss = "sensors: {g: {device: {source: test, kind: gnss, rate_hz: 10, horizontal_std_m: 0, vertical_std_m: 0, max_depth_m: 0}}}";
    let mut s = held_body(0.5, gnss);
    let fixes = readings(&mut s, 0, 8.0);
    let seen = fixes
        .iter()
        .filter(|r| matches!(r.reading, Reading::Gnss(g) if g.fix))
        .count();
    let above = 8.0 * (0.5 + (0.5_f64 / 2.75).asin() / std::f64::consts::PI);
    assert!(
        (seen as f64 - 10.0 * above).abs() < 2.0,
        "{seen} fixes in {above} s over water"
    );

    let altimeter = "sensors: {a: {device: {source: test, kind: altimeter, rate_hz: 10, min_range_m: 0.1, max_range_m: 100, beam_width_deg: 1}, attitude_deg: [0, 90, 0]}}";
    let mut s = held_body(0.5, altimeter);
    let pings = readings(&mut s, 0, 8.0);
    let received = pings
        .iter()
        .filter(|r| matches!(r.reading, Reading::Altimeter(a) if a.range.is_finite()))
        .count();
    assert!(
        (received as f64 - 10.0 * (8.0 - above)).abs() < 2.0,
        "{received} echoes"
    );

    let pressure = "sensors: {p: {device: {source: test, kind: pressure, rate_hz: 500}}}";
    let mut s = held_body(-1.0, pressure);
    let temperature = air::weather(&s.state.sea.air, 0.0).temperature_c;
    for r in readings(&mut s, 0, 8.0).iter().step_by(100) {
        let Reading::Pressure(p) = r.reading else {
            panic!("not a pressure")
        };
        let eta = WaveState::new(&s.state.sea.waves, r.stamp_ns as f64).elevation(0.0, 0.0);
        // Air pressure at the surface, or at the port in the trough.
        let over = air::pressure(&s.state.sea, temperature, eta.max(-1.0));
        close(
            "pressure",
            p.pressure / 9810.0,
            over / 9810.0 + (eta + 1.0).max(0.0),
            1e-9,
        );
    }

    let thruster = "thrusters: {t: {position_m: [0, 0, 0], direction: [1, 0, 0], motor: {source: test, diameter_m: 0.2, command: newton, range: [-50, 50], curve: {kind: direct}}}}";
    let mut s = held_body(0.0, thruster);
    for (t, wet) in [(2.0, true), (6.0, false)] {
        let left = t - s.time_ns() as f64 * 1e-9;
        advance(&mut s, left);
        s.apply(&merrow_model::state::Command::Actuator(
            0,
            merrow_model::state::ActuatorCommand::Thruster {
                thruster: 0,
                value: 30.0,
            },
        ))
        .unwrap();
        s.advance(2);
        close_vectors(
            "thrust",
            Vec3::new(s.state.robots[0].actuators[0].thrust, 0.0, 0.0),
            Vec3::new(if wet { 30.0 } else { 0.0 }, 0.0, 0.0),
            1e-9,
        );
    }
}
