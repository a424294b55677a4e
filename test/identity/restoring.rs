//! Tests that hydrostatic forces are vertical and their moments horizontal, so that calm water does
//! not turn a hull, and that waves do not turn a body of revolution about its axis.

use crate::common::{advance, evaluate, initial_environment, scene, simulation, start};
use merrow_environment::{EnvironmentState, WaveState};
use merrow_math::{Quat, SpatialForce, Vec3};
use merrow_model::scene::Scene;
use merrow_model::state::Workspace;
use merrow_sim::step::Kernel;
use std::sync::Arc;

/// Returns a hull with different stiffness in roll and pitch; `keys` are added to `restoring`.
fn hull(keys: &str) -> String {
    format!(
        "
step: {{dt_s: 0.01, integrator: rk4}}
robots:
  r:
    attitude_deg: [8, -6, 30]
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 200
        inertia_kg_m2: {{xx: 80, yy: 80, zz: 80}}
        restoring: {{floating_mass_kg: 200, floating_mass_center_m: [0, 0, 0], heave_n_per_m: 8000, roll_nm_per_rad: 900, pitch_nm_per_rad: 2500,
          max_supported_kg: 900{keys}}}
"
    )
}

// At any heel and depth, in the water and above it, the force of calm water is vertical and its
// moment horizontal. Method: the wrench on a resting hull with the centre of mass at its origin, in
// world axes. Tolerance: rounding of forces of 2 kN.
#[test]
fn calm_water_has_no_moment_about_the_vertical() {
    let s = scene(&hull(", center_of_flotation_m: [0.3, 0.1, 0]"));
    for roll in [-2.5, -0.6, 0.1, 0.4, 3.0] {
        for pitch in [-1.4, -0.1, 0.05, 0.7] {
            for z in [-0.5, -0.1, 0.0, 0.2, 1.0] {
                let mut motion = start(&s, 0);
                motion.p_WB.z = z;
                motion.q_WB = Quat::from_rpy(roll, pitch, 0.3);
                let R_WB = motion.q_WB.matrix();
                let F = evaluate(&s, &motion).links[0].F;
                let (f, m) = (R_WB.mul_vec(F.f), R_WB.mul_vec(F.m));
                let side = f.x.hypot(f.y);
                assert!(
                    side < 1e-9 && m.z.abs() < 1e-9,
                    "{f:?} {m:?} at {roll}, {pitch}, {z}"
                );
            }
        }
    }
}

// A hull that rolls and pitches in calm water does not turn: its vertical angular momentum stays
// zero. Method: 60 s from a heel of 8 and a trim of 6 deg; Fossen's form changes it. Tolerance:
// error of the integrator.
#[test]
fn heeled_and_trimmed_hull_keeps_its_angular_momentum() {
    let momentum = |keys: &str| {
        let mut s = simulation(&hull(keys));
        advance(&mut s, 60.0);
        let motion = &s.state.robots[0].motion;
        motion
            .q_WB
            .matrix()
            .mul_vec(motion.V_WB_B.w.scale(80.0))
            .dot(Vec3::new(0.0, 0.0, 1.0))
    };
    let (found, linear) = (momentum(""), momentum(", linear_body_axes: true"));
    println!("{found} N m s, linear {linear} N m s");
    assert!(
        found.abs() < 1e-6 && linear.abs() > 1e-3,
        "{found} {linear}"
    );
}

/// Returns the wrench of diffraction on a body in waves at the time `t` [s], in the attitude of
/// its start.
fn diffraction(scene: &Scene, t: f64) -> SpatialForce {
    let waves = WaveState::new(&scene.sea.waves, t * 1e9);
    let at = EnvironmentState {
        waves: Some(&waves),
        time: t,
        ..initial_environment(scene)
    };
    let mut without = scene.clone();
    let link = &mut without.robots[0].links[0];
    let mut radiation = link.radiation.as_deref().unwrap().clone();
    for force in &mut radiation.diffraction.as_mut().unwrap().force {
        *force = [[0.0; 2]; 6];
    }
    link.radiation = Some(Arc::new(radiation));
    let [with, without] = [scene, &without].map(|scene| {
        let robot = &scene.robots[0];
        let mut work = Workspace::new(robot);
        Kernel::new().evaluate(robot, &at, &start(scene, 0), &[], &mut work);
        work.links[0].F
    });
    with - without
}

// Waves do not turn a tilted body of revolution about its axis. Method: the moment of diffraction
// on a ball whose origin is half a metre below its centre, at any phase of waves from abeam and in
// any tilt. Tolerance: 1e-3 of the moment, the asymmetry of the tables.
#[test]
fn waves_have_no_moment_about_the_axis_of_revolution() {
    for (roll, pitch) in [(0, 0), (15, 0), (0, 15), (-10, 12)] {
        let s = scene(&format!(
            "
water: {{density_kg_m3: 1000, waves: {{kind: regular, height_m: 0.2, period_s: 2, direction_deg: 50}}}}
seabed: {{depth_m: 1000}}
robots:
  ball:
    attitude_deg: [{roll}, {pitch}, 30]
    position_m: [0, 0, -0.5]
    model:
      source: test
      body:
        source: test
        axes: flu
        mass_kg: 2000
        inertia_kg_m2: {{xx: 800, yy: 800, zz: 800}}
        hull: {{kind: mesh, file: meshes/ball_2m.obj, position_m: [0, 0, 0.5]}}
        radiation: {{kind: wamit, added_mass: meshes/bem/hemisphere_r1.1, excitation: meshes/bem/hemisphere_r1.3, origin_m: [0, 0, 0.5]}}
"
        ));
        for k in 0..8 {
            let F = diffraction(&s, 0.25 * f64::from(k));
            assert!(F.m.norm() > 1.0, "{F:?}");
            assert!(F.m.z.abs() < 1e-3 * F.m.norm(), "{roll}, {pitch}: {F:?}");
        }
    }
}
