//! The Otter against Fossen's MATLAB program, and the other surface vehicles against their sources' steady speeds.

use super::remus::table;
use crate::common::{self, advance, close, relative, simulation};
use merrow::math::{Quat, SpatialForce, Vec3};
use merrow::scene::{Robot, Scene};
use merrow::sim::{Simulation, step};
use merrow::state::{Command, Motion, Workspace};
use std::collections::BTreeMap;

/// Yaw from east of a heading from north.
fn yaw(psi: f64) -> f64 {
    std::f64::consts::FRAC_PI_2 - psi
}

fn motion_of(row: &BTreeMap<String, f64>) -> Motion {
    let mut motion = Motion::rest(0);
    motion.p_WB = Vec3::new(row["y"], row["x"], -row["z"]);
    motion.q_WB = Quat::from_rpy(row["phi"], -row["theta"], yaw(row["psi"]));
    motion.V_WB_B.v = Vec3::new(row["u"], -row["v"], -row["w"]);
    motion.V_WB_B.w = Vec3::new(row["p"], -row["q"], -row["r"]);
    motion
}

// V47. Goal: accelerations of the program in 20 random states, in a current of 0.3 m/s at 0.5 rad. Method: one evaluation each, with the current along the
// vessel's own deck as the program has it: it turns the current with the heading only. Tolerance: 1e-6, the
// nine digits of the states times a stiffness over a mass of 56 1/s² and of Hoerner's curve, whose digits the program has six of.
#[test]
fn accelerations_are_those_of_the_program() {
    let world = "
water: {density_kg_m3: 1025, current: {kind: uniform, speed_m_s: 0.3}}
robots: {otter: {model: {extends: robots/otter.yaml, sensors: null, body: {wind: null}}}}";
    let shipped = common::scene(world);
    let rows = table("otter_mss_vectors");
    assert_eq!(rows.len(), 20);
    for (k, row) in rows.iter().enumerate() {
        let mut scene = shipped.clone();
        let motion = motion_of(row);
        let along = 0.5 - row["psi"];
        let v_B = Vec3::new(0.3 * along.cos(), -0.3 * along.sin(), 0.0);
        scene.sea.current.profile = vec![(0.0, motion.q_WB.matrix().mul_vec(v_B))];
        let robot = &scene.robots[0];
        let mut work = Workspace::new(robot);
        let thrust = [0, 1].map(|k| robot.thrusters[k].static_thrust(row[["n1", "n2"][k]], 1025.0));
        push(&mut work, robot, thrust);
        step::evaluate(robot, &common::instant(&scene), &motion, &[], 0, &mut work);
        let A = work.links[0].A;
        let found = [A.v.x, -A.v.y, -A.v.z, A.w.x, -A.w.y, -A.w.z];
        for (name, value) in ["du", "dv", "dw", "dp", "dq", "dr"].into_iter().zip(found) {
            close(&format!("vector {k}, {name}"), value, row[name], 1e-6);
        }
    }
}

/// Velocities u, v, w, p, q, r and place x, y, z, phi, theta, psi, as the program has them.
type State = [f64; 12];

/// What the program makes of a state with Merrow's forces. It turns the velocities into the rates of place and attitude with the angles less
/// those of its trim, which it has subtracted for the stiffness just before: a slip that Merrow does not share, so that it is put in here.
fn rates(scene: &Scene, x: &State, thrust: [f64; 2]) -> State {
    let robot = &scene.robots[0];
    let mut work = Workspace::new(robot);
    push(&mut work, robot, thrust);
    let names = ["u", "v", "w", "p", "q", "r", "x", "y", "z", "phi", "theta", "psi"];
    let row: BTreeMap<String, f64> = names.iter().zip(x).map(|(n, v)| ((*n).to_string(), *v)).collect();
    step::evaluate(robot, &common::instant(scene), &motion_of(&row), &[], 0, &mut work);
    let A = work.links[0].A;
    let (s, c) = x[9].sin_cos();
    let (st, ct) = x[10].sin_cos();
    // 25 kg at (0.05, 0, -0.35), forward-right-down, and the stiffness about the origin
    let g0 = [25.0 * 9.81 * c * ct, 25.0 * 9.81 * 0.35 * s * ct, 25.0 * 9.81 * (0.35 * st - 0.05 * c * ct)];
    let (a, b, d) = (7541.4375, 0.2 * 7541.4375, 2441.712987804878 + 0.04 * 7541.4375);
    let (phi, theta) = (x[9] - g0[1] / 967.2661922691639, x[10] - (a * g0[2] - b * g0[0]) / (a * d - b * b));
    let R = Quat::from_rpy(phi, theta, x[11]).matrix();
    let v = R.mul_vec(Vec3::new(x[0], x[1], x[2]));
    let ((s, c), t) = (phi.sin_cos(), theta.tan());
    let turn = (s * x[4] + c * x[5]) / theta.cos();
    let (roll, pitch) = (x[3] + s * t * x[4] + c * t * x[5], c * x[4] - s * x[5]);
    [A.v.x, -A.v.y, -A.v.z, A.w.x, -A.w.y, -A.w.z, v.x, v.y, v.z, roll, pitch, turn]
}

/// Follows the program by its own integrator, Runge-Kutta at 0.02 s, and holds every column of `file` to `tolerance` of its range.
fn follows(file: &str, mut x: State, thrust: [f64; 2], tolerance: f64) {
    let scene = common::scene(
        "
water: {density_kg_m3: 1025}
robots: {otter: {model: {extends: robots/otter.yaml, sensors: null, body: {wind: null}}}}",
    );
    let rows = table(file);
    let names = ["u", "v", "w", "p", "q", "r", "x_N", "y_E", "z_D", "phi", "theta", "psi"];
    let range = |name: &str| {
        let fold = |f: fn(f64, f64) -> f64, from| rows.iter().map(|r| r[name]).fold(from, f);
        fold(f64::max, f64::NEG_INFINITY) - fold(f64::min, f64::INFINITY)
    };
    let (mut steps, h) = (0, 0.02);
    for row in &rows {
        while steps < (row["t"] / h).round() as u64 {
            let plus = |x: &State, k: &State, by: f64| -> State { std::array::from_fn(|i| x[i] + by * k[i]) };
            let k1 = rates(&scene, &x, thrust);
            let k2 = rates(&scene, &plus(&x, &k1, 0.5 * h), thrust);
            let k3 = rates(&scene, &plus(&x, &k2, 0.5 * h), thrust);
            let k4 = rates(&scene, &plus(&x, &k3, h), thrust);
            x = std::array::from_fn(|i| x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
            steps += 1;
        }
        for (name, found) in names.into_iter().zip(x) {
            let allowed = tolerance * range(name).max(0.01);
            let error = (found - row[name]).abs();
            assert!(
                error < allowed,
                "{file} at {} s: {name} {found}, program {}, {error:.2e} > {allowed:.2e}",
                row["t"],
                row[name]
            );
        }
    }
}

/// Wrenches of the two propellers, as they stand in `work` for the first stage.
fn push(work: &mut Workspace, robot: &Robot, thrust: [f64; 2]) {
    for (t, thrust) in robot.thrusters.iter().zip(thrust) {
        let unit = &t.unit_wrench;
        let F = SpatialForce { m: unit.m.scale(thrust), f: unit.f.scale(thrust) };
        work.thrust[0][0] = work.thrust[0][0].plus(&F);
    }
}

// V48. Goal: a turn with 100 and 80 rad/s from rest for 60 s. Method: as `follows`. Tolerance: 1e-5 of each column's range.
#[test]
fn a_turn_follows_the_program() {
    follows("otter_mss_step", [0.0; 12], [0.01108 * 10_000.0, 0.01108 * 6400.0], 1e-5);
}

// V51. Goal: free decays. Method: as `follows`, 20 s each. Tolerance: 1e-5 of each column's range.
#[test]
fn free_decays_follow_the_program() {
    for (file, at, start) in [
        ("otter_mss_roll_decay", 9, 10_f64.to_radians()),
        ("otter_mss_pitch_decay", 10, 5_f64.to_radians()),
        ("otter_mss_heave_decay", 8, 0.1),
    ] {
        let mut x = [0.0; 12];
        x[at] = start;
        follows(file, x, [0.0; 2], 1e-5);
    }
}

// V49. Goal: where the turn settles, without the program's slip. Method: the shipped model, propellers with their lag, 60 s. Tolerance: 0.5 %.
#[test]
fn a_turn_settles_where_the_program_does() {
    let mut s = world("otter", "wind: null", "step: {dt_s: 0.02}\nwater: {density_kg_m3: 1025}");
    s.apply(&Command::Thrusters { robot: 0, values: vec![100.0, 80.0] }).unwrap();
    advance(&mut s, 60.0);
    let V = s.state.robots[0].motion.V_WB_B;
    relative("speed", V.v.x, 2.2385, 5e-3);
    relative("drift", -V.v.y, -0.2129, 5e-3);
    relative("rate of turn", (-V.w.z).to_degrees(), 14.772, 5e-3);
}

/// Model with changed keys of its body, in a world with these further lines.
fn world(model: &str, body: &str, lines: &str) -> Simulation {
    simulation(&format!(
        "{lines}\nrobots: {{usv: {{model: {{extends: robots/{model}.yaml, sensors: null, body: {{{body}}}}}}}}}"
    ))
}

// V53. Goal: the top speeds of WAM-V and Heron. Method: full thrust until steady, T = d u + q u². Tolerance: 0.5 %, of trim.
#[test]
fn top_speeds_are_those_of_the_sources() {
    for (model, command, speed) in [("wamv", 2353.5, 5.278), ("heron", 1.0, 2.741)] {
        let mut s = world(model, "wind: null", "water: {density_kg_m3: 1000}\nstep: {dt_s: 0.01}");
        for thruster in 0..2 {
            s.apply(&Command::Thruster { robot: 0, thruster, value: command }).unwrap();
        }
        advance(&mut s, 60.0);
        relative(model, s.state.robots[0].motion.V_WB_B.v.x, speed, 5e-3);
    }
}

// Goal: a current carries every surface vehicle and changes nothing else (Galilean invariance). Method: the same manoeuvre in still water and in a
// current, started with the current's velocity; places differ by its way, all else by nothing. Tolerance: 1e-9.
#[test]
fn currents_carry_and_change_nothing() {
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
                s.apply(&Command::SetPose { robot: 0, p_WB, q_WB: Quat::identity(), v_WB_B, w_WB_B })
                    .unwrap();
            }
            let full = s.scene.robots[0].thrusters[0].command_range[1];
            for (thruster, part) in [(0, 0.8), (1, 0.5)] {
                s.apply(&Command::Thruster { robot: 0, thruster, value: part * full }).unwrap();
            }
            advance(&mut s, 10.0);
            let m = &s.state.robots[0].motion;
            (m.p_WB, m.q_WB.matrix().to_rpy(), m.V_WB_B.w)
        };
        let (still, moved) = (run(false), run(true));
        let (sin, cos) = 35_f64.to_radians().sin_cos();
        let way = Vec3::new(7.0 * sin, 7.0 * cos, 0.0);
        common::near(model, moved.0 - way, still.0, 1e-9);
        for i in 0..3 {
            close(model, moved.1[i], still.1[i], 1e-9);
        }
        common::near(model, moved.2, still.2, 1e-9);
        assert!(still.0.norm() > 1.0 && still.2.z.abs() > 0.1, "{model}: {still:?}");
    }
}

// Goal: capsized and flying hulls stay finite and come down. Method: each dropped from 5 m upside down in waves of 2 m and a wind of 30 m/s for a
// minute.
#[test]
fn thrown_hulls_stay_finite() {
    for model in ["otter", "wamv", "heron"] {
        let lines = "water: {waves: {kind: jonswap, hs_m: 2, tp_s: 6, direction_deg: 0}}\nstep: {dt_s: 0.01}\nweather: {wind_speed_m_s: 30}";
        let mut s = world(model, "", lines);
        let (p_WB, v) = (Vec3::new(0.0, 0.0, 5.0), Vec3::new(3.0, 2.0, 0.0));
        let q_WB = Quat::from_rpy(3.0, 0.4, 0.0);
        s.apply(&Command::SetPose { robot: 0, p_WB, q_WB, v_WB_B: v, w_WB_B: v }).unwrap();
        advance(&mut s, 60.0);
        let r = &s.state.robots[0];
        assert!(r.halted.is_none(), "{model}: {:?}", r.halted);
        assert!(r.motion.p_WB.z.abs() < 3.0, "{model} at {:?}", r.motion.p_WB);
    }
}
