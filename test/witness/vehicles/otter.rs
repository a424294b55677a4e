//! Tests the Otter against Fossen's MATLAB program, and the surface vehicles against the steady
//! speeds of their sources.

use crate::common::{self, advance, close, simulation};
use crate::witness::cases::run;
use merrow_math::{Quat, Vec3};
use merrow_model::state::{ActuatorCommand, BodyCommand, Command};
use merrow_sim::Simulation;

// Goal, method and tolerance are stated with the cases, in `crates/validate/src/cases/otter.rs` and
// `vessels.rs`. V47 to V49 are in `remus.rs`.
#[test]
fn free_decays_follow_the_program() {
    assert_eq!(run(51).checks.len(), 9);
}

#[test]
fn top_speeds_match_sources() {
    run(53);
}

/// Returns a simulation of a model with changed keys of its body, in a world with these further
/// lines.
fn world(model: &str, body: &str, lines: &str) -> Simulation {
    simulation(&format!(
        "{lines}\nrobots: {{usv: {{model: {{extends: robots/{model}.yaml, sensors: null, body: {{{body}}}}}}}}}"
    ))
}

// A current carries every surface vehicle without any other effect (Galilean invariance). Method:
// the same manoeuvre in still water and in a current, started with the velocity of the current;
// positions differ by its displacement, all else is equal. Tolerance: 1e-9.
#[test]
fn currents_have_no_other_effect() {
    for model in ["otter", "wamv", "heron"] {
        let run = |current: bool| {
            let lines = if current {
                "water: {current: {kind: uniform, speed_m_s: 0.7, direction_deg: 35}}"
            } else {
                ""
            };
            let mut s = world(model, "wind: null", lines);
            if current {
                let (sin, cos) = 35_f64.to_radians().sin_cos();
                let v_WB_B = Vec3::new(0.7 * sin, 0.7 * cos, 0.0);
                let (p_WB, w_WB_B) = (Vec3::zero(), Vec3::zero());
                s.apply(&Command::Body(
                    0,
                    BodyCommand::SetPose {
                        p_WB,
                        q_WB: Quat::identity(),
                        v_WB_B,
                        w_WB_B,
                    },
                ))
                .unwrap();
            }
            let full = s.scene.robots[0].thrusters[0].motor.range[1];
            for (thruster, part) in [(0, 0.8), (1, 0.5)] {
                s.apply(&Command::Actuator(
                    0,
                    ActuatorCommand::Thruster {
                        thruster,
                        value: part * full,
                    },
                ))
                .unwrap();
            }
            advance(&mut s, 10.0);
            let m = &s.state.robots[0].motion;
            (m.p_WB, m.q_WB.matrix().to_rpy(), m.V_WB_B.w)
        };
        let (still, moved) = (run(false), run(true));
        let (sin, cos) = 35_f64.to_radians().sin_cos();
        let way = Vec3::new(7.0 * sin, 7.0 * cos, 0.0);
        common::close_vectors(model, moved.0 - way, still.0, 1e-9);
        for i in 0..3 {
            close(model, moved.1[i], still.1[i], 1e-9);
        }
        common::close_vectors(model, moved.2, still.2, 1e-9);
        assert!(
            still.0.norm() > 1.0 && still.2.z.abs() > 0.1,
            "{model}: {still:?}"
        );
    }
}

// Capsized and thrown hulls stay finite and come down. Method: each dropped from 5 m upside down in
// waves of 2 m and a wind of 30 m/s for a minute. Tolerance: within 3 m of the mean surface at the
// end.
#[test]
fn thrown_hulls_stay_finite() {
    for model in ["otter", "wamv", "heron"] {
        let lines = "water: {waves: {kind: jonswap, hs_m: 2, tp_s: 6, direction_deg: 0}}\nstep: {dt_s: 0.01}\nweather: {wind_speed_m_s: 30}";
        let mut s = world(model, "", lines);
        let (p_WB, v) = (Vec3::new(0.0, 0.0, 5.0), Vec3::new(3.0, 2.0, 0.0));
        let q_WB = Quat::from_rpy(3.0, 0.4, 0.0);
        s.apply(&Command::Body(
            0,
            BodyCommand::SetPose {
                p_WB,
                q_WB,
                v_WB_B: v,
                w_WB_B: v,
            },
        ))
        .unwrap();
        advance(&mut s, 60.0);
        let r = &s.state.robots[0];
        assert!(r.halted.is_none(), "{model}: {:?}", r.halted);
        assert!(
            r.motion.p_WB.z.abs() < 3.0,
            "{model} at {:?}",
            r.motion.p_WB
        );
    }
}
