//! Compares the Otter with Fossen's MATLAB program (V47 to V49, V51).

use crate::cases::prelude::*;
use crate::cases::reference_data::{RATES, WorstColumn, ned_rates, rate_checks};
use merrow_math::SpatialForce;
use merrow_model::scene::Robot;
use merrow_model::state::{Motion, Workspace};
use std::f64::consts::FRAC_PI_2;

/// Velocities u, v, w, p, q, r and position and attitude x, y, z, phi, theta, psi, in the
/// conventions of the program (NED, FRD).
type State = [f64; 12];

fn motion_of([u, v, w, p, q, r, x, y, z, phi, theta, psi]: State) -> Motion {
    let mut motion = Motion::at_rest(0);
    motion.p_WB = Vec3::new(y, x, -z);
    motion.q_WB = Quat::from_rpy(phi, -theta, FRAC_PI_2 - psi);
    motion.V_WB_B.v = Vec3::new(u, -v, -w);
    motion.V_WB_B.w = Vec3::new(p, -q, -r);
    motion
}

fn shipped(data: &ReferenceData) -> Result<Scene, String> {
    data.world(
        "
water: {density_kg_m3: 1025, current: {kind: uniform, speed_m_s: 0}}
robots: {otter: {model: {extends: robots/otter.yaml, sensors: null, body: {wind: null, munk_moment_yaw: true}}}}",
    )
}

/// Adds the wrenches of the two propellers to `work` for the first stage.
fn add_thrust(work: &mut Workspace, robot: &Robot, thrust: [f64; 2]) {
    for (t, thrust) in robot.thrusters.iter().zip(thrust) {
        let unit = &t.unit_wrench;
        let F = SpatialForce {
            m: unit.m.scale(thrust),
            f: unit.f.scale(thrust),
        };
        work.thrust[0][0] += F;
    }
}

// V47: 20 random states in a current of 0.3 m/s towards 0.5 rad. The program rotates the current
// only by the heading, so here it is parallel to the deck. Tolerance 1e-6: the nine digits of the
// states times a stiffness over mass of 56 1/s², and Hoerner's curve, which the program has with
// six digits.
/// Computes the largest error of each acceleration against the program.
///
/// # Errors
/// The world or the table cannot be read.
pub(crate) fn acceleration_checks(data: &ReferenceData) -> Result<Vec<Check>, String> {
    let shipped = shipped(data)?;
    let table = data.table("otter_mss_vectors.csv")?;
    let states = table.columns("u v w p q r x y z phi theta psi")?;
    let shafts = table.columns::<2>("n1 n2")?;
    let mut worst = [0.0_f64; 6];
    for ((state, shafts), rates) in states
        .into_iter()
        .zip(shafts)
        .zip(table.columns::<6>(RATES)?)
    {
        let mut scene = shipped.clone();
        let motion = motion_of(state);
        let (sin, cos) = sin_cos(0.5 - state[11]);
        let v_B = Vec3::new(0.3 * cos, -0.3 * sin, 0.0);
        scene.sea.current.profile = vec![(0.0, motion.q_WB.matrix().mul_vec(v_B))];
        let robot = &scene.robots[0];
        let mut work = Workspace::new(robot);
        let thrust = [0, 1].map(|k| robot.thrusters[k].static_thrust(shafts[k], 1025.0));
        add_thrust(&mut work, robot, thrust);
        Kernel::new().evaluate(robot, &environment_of(&scene), &motion, &[], &mut work);
        let found = ned_rates(&work);
        for i in 0..6 {
            worst[i] = worst[i].max((found[i] - rates[i]).abs() / rates[i].abs().max(1.0));
        }
    }
    Ok(rate_checks("Otter (MSS), 20 states", 1e-6, worst))
}

/// Returns the time derivative of a state, as the program computes it but with Merrow's forces.
///
/// The program converts the velocities to the rates of position and attitude with the angles minus
/// the values of its trim, which it subtracted for the stiffness just before. This is an error of
/// the program, which Merrow does not share. It is reproduced here for the comparison.
fn rates(scene: &Scene, x: &State, thrust: [f64; 2]) -> State {
    let robot = &scene.robots[0];
    let mut work = Workspace::new(robot);
    add_thrust(&mut work, robot, thrust);
    Kernel::new().evaluate(
        robot,
        &environment_of(scene),
        &motion_of(*x),
        &[],
        &mut work,
    );
    let [du, dv, dw, dp, dq, dr] = ned_rates(&work);
    let ((s, c), (st, ct)) = (sin_cos(x[9]), sin_cos(x[10]));
    // 25 kg at (0.05, 0, -0.35), forward-right-down, and the stiffness about the origin
    let g0 = [
        25.0 * GRAVITY * c * ct,
        25.0 * GRAVITY * 0.35 * s * ct,
        25.0 * GRAVITY * (0.35 * st - 0.05 * c * ct),
    ];
    let (a, b, d) = (
        7541.4375,
        0.2 * 7541.4375,
        2441.712987804878 + 0.04 * 7541.4375,
    );
    let (phi, theta) = (
        x[9] - g0[1] / 967.2661922691639,
        x[10] - (a * g0[2] - b * g0[0]) / (a * d - b * b),
    );
    let R = Quat::from_rpy(phi, theta, x[11]).matrix();
    let v = R.mul_vec(Vec3::new(x[0], x[1], x[2]));
    let ((s, c), t) = (sin_cos(phi), libm::tan(theta));
    let turn = (s * x[4] + c * x[5]) / sin_cos(theta).1;
    let (roll, pitch) = (x[3] + s * t * x[4] + c * t * x[5], c * x[4] - s * x[5]);
    [du, dv, dw, dp, dq, dr, v.x, v.y, v.z, roll, pitch, turn]
}

/// Columns of the program's runs.
const COLUMNS: &str = "u v w p q r x_N y_E z_D phi theta psi";

/// A simulation compared with a run of the program.
pub(crate) struct TrackedRun {
    /// Largest error of a column relative to the range of the column, and the name of that column.
    pub worst: (f64, &'static str),
    /// Time [s] and states: Merrow first, the program second.
    pub rows: Vec<(f64, [State; 2])>,
}

/// Integrates with the integrator of the program, Runge-Kutta with 0.02 s, and compares with its
/// run in `file`.
fn compare_run(
    data: &ReferenceData,
    file: &str,
    mut x: State,
    thrust: [f64; 2],
) -> Result<TrackedRun, String> {
    let scene = shipped(data)?;
    let table = data.table(file)?;
    let (times, rows) = (table.columns("t")?, table.columns(COLUMNS)?);
    let mut errors = WorstColumn::new(COLUMNS, &rows, 0.01);
    let (mut steps, h, mut out) = (0, 0.02, Vec::new());
    for ([t], row) in times.iter().zip(&rows) {
        while steps < libm::round(t / h) as u64 {
            let plus = |x: &State, k: &State, by: f64| -> State {
                std::array::from_fn(|i| x[i] + by * k[i])
            };
            let k1 = rates(&scene, &x, thrust);
            let k2 = rates(&scene, &plus(&x, &k1, 0.5 * h), thrust);
            let k3 = rates(&scene, &plus(&x, &k2, 0.5 * h), thrust);
            let k4 = rates(&scene, &plus(&x, &k3, h), thrust);
            x = std::array::from_fn(|i| {
                x[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
            });
            steps += 1;
        }
        errors.add(&x, row);
        out.push((*t, [x, *row]));
    }
    let worst = errors.worst;
    Ok(TrackedRun { worst, rows: out })
}

/// Compares a turn from rest with 100 and 80 rad/s for 60 s.
///
/// # Errors
/// The world or the table cannot be read.
pub(crate) fn compare_turn(data: &ReferenceData) -> Result<TrackedRun, String> {
    compare_run(
        data,
        "otter_mss_step.csv",
        [0.0; 12],
        [0.01108 * 10_000.0, 0.01108 * 6400.0],
    )
}

/// Free decays: name, index in the state, and initial value [rad or m].
pub(crate) const DECAYS: [(&str, usize, f64); 3] = [
    ("roll", 9, 10_f64.to_radians()),
    ("pitch", 10, 5_f64.to_radians()),
    ("heave", 8, 0.1),
];

/// Compares a free decay of 20 s, one of [`DECAYS`].
///
/// # Errors
/// The world or the table cannot be read.
pub(crate) fn compare_decay(
    data: &ReferenceData,
    (name, at, start): (&str, usize, f64),
) -> Result<TrackedRun, String> {
    let mut x = [0.0; 12];
    x[at] = start;
    compare_run(data, &format!("otter_mss_{name}_decay.csv"), x, [0.0; 2])
}

/// Returns the speed forward and to starboard [m/s] and the turn rate to starboard [deg/s] after 60
/// s at 100 and 80 rad/s, for the shipped model with the lag of its propellers.
///
/// # Errors
/// The world cannot be read.
pub(crate) fn steady_turn(data: &ReferenceData) -> Result<[f64; 3], String> {
    let mut s = data.simulation(
        "
step: {dt_s: 0.02}
water: {density_kg_m3: 1025}
robots: {usv: {model: {extends: robots/otter.yaml, sensors: null, body: {wind: null, munk_moment_yaw: true}}}}",
    )?;
    command_thrusters(&mut s, 0, &[100.0, 80.0])?;
    advance(&mut s, 60.0);
    let V = s.state.robots[0].motion.V_WB_B;
    Ok([V.v.x, -V.v.y, (-V.w.z).to_degrees()])
}
