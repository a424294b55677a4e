//! Tests roll damping of ships and wave resistance.

use crate::common::meshes::cuboid;
use crate::common::worlds::mesh_hull_scene;
use crate::common::{advance, close, relative};
use merrow_model::scene::Scene;
use merrow_sim::Simulation;
use merrow_sim::robot::Moment;
use std::sync::Arc;

const BARGE: &str =
    "mass_kg: 1000, inertia_kg_m2: {xx: 120, yy: 300, zz: 400}, center_of_mass_m: [0, 0, -0.3]";

fn barge(name: &str, losses: &str, entry: &str) -> Scene {
    let body = format!("{BARGE}, surface_damping: {{{losses}}}");
    mesh_hull_scene(name, &cuboid([2.0, 1.0, 1.0], 1), &body, "", entry)
}

/// Returns the wrench that `losses` add at a motion, along the base's axes [N m, N].
fn added(name: &str, losses: &str, entry: &str) -> [f64; 6] {
    let force = |losses: &str| {
        let scene = Arc::new(barge(name, losses, entry));
        let mut s = Simulation::new(scene, 1).unwrap();
        let Simulation {
            scene,
            state,
            runners,
            ..
        } = &mut s;
        runners[0].evaluate(
            Moment::new(scene, &state.sea, 0),
            &scene.robots[0],
            &mut state.robots[0],
        );
        let F = runners[0].work.links[0].F;
        [F.m.x, F.m.y, F.m.z, F.f.x, F.f.y, F.f.z]
    };
    let (with, without) = (force(losses), force(""));
    std::array::from_fn(|i| with[i] - without[i])
}

// Each term has the value that its key defines, and zero where the hull is out of the water or
// completely submerged. Method: the wrench with the term minus that without. Tolerance: 1e-9.
#[test]
fn surface_damping_terms_match_their_keys() {
    let entry = "velocity_m_s: [-1.5, 0.4, 0]
    angular_velocity_rad_s: [-0.2, 0.1, 0.3]";
    let all = "roll_nm_s_per_rad: 10, roll_quadratic_nm_s2_per_rad2: 20, roll_cubic_nm_s3_per_rad3: 30, roll_lift_n_s2_per_rad: 40, \
               wave_resistance_n: [[1, 4], [2, 60]]";
    let found = added("terms", all, entry);
    close(
        "roll",
        found[0],
        10.0 * 0.2 + 20.0 * 0.04 + 30.0 * 0.008 + 40.0 * 1.5 * 0.2,
        1e-9,
    );
    close("resistance", found[3], 32.0, 1e-9);
    for i in [1, 2, 4, 5] {
        close("other components", found[i], 0.0, 1e-9);
    }
    for z in [-3.0, 3.0] {
        let found = added(
            "terms_off",
            all,
            &format!("position_m: [0, 0, {z}]\n    {entry}"),
        );
        assert_eq!(found, [0.0; 6], "at {z} m");
    }
}

// Linear roll damping gives the logarithmic decrement δ = π b / sqrt(C I), for small b. Method: 0.5
// degrees of heel, b = 20, ten periods. Tolerance: 1 %, from the square of the damping and of the
// amplitude.
#[test]
fn roll_decay_matches_damping() {
    let mut s = Simulation::new(
        Arc::new(barge(
            "decay",
            "roll_nm_s_per_rad: 20",
            "position_m: [0, 0, 0]\n    attitude_deg: [0.5, 0, 0]",
        )),
        1,
    )
    .unwrap();
    let mut peaks = Vec::new();
    let mut before = [0.0; 2];
    for _ in 0..15_000 {
        let roll = s.state.robots[0].motion.q_WB.matrix().to_rpy()[0];
        if before[1] > before[0] && before[1] > roll && before[1] > 0.0 {
            peaks.push(before[1]);
        }
        before = [before[1], roll];
        s.advance(1);
    }
    let gm = -0.25 + 1.0 / 6.0 + 0.3;
    // About the centre of mass: without added mass roll is decoupled from sway.
    let expected = std::f64::consts::PI * 20.0 / (1000.0 * 9.81 * gm * 120.0_f64).sqrt();
    let n = peaks.len() - 1;
    relative(
        "decrement",
        (peaks[0] / peaks[n]).ln() / n as f64,
        expected,
        0.01,
    );
}

// Under a constant force a boat reaches the speed that its wave resistance determines. Method: the
// speed of the table at the thrust, without heel, 180 s. Tolerance: 1e-3.
#[test]
fn wave_resistance_determines_speed() {
    let scene = barge("speed", "wave_resistance_n: [[1, 40], [2, 100]]", "");
    let mut s = Simulation::new(Arc::new(scene), 1).unwrap();
    for _ in 0..60 {
        // 70 N forward.
        s.state.robots[0].external_force[0].f.x = 70.0;
        advance(&mut s, 1.0);
    }
    for _ in 0..120 {
        s.state.robots[0].external_force[0].f.x = 70.0;
        advance(&mut s, 1.0);
    }
    close("speed", s.state.robots[0].motion.V_WB_B.v.x, 1.5, 1e-3);
}
