//! Tests thrusters: lags, curves, propellers in open water, and their wrench.

use crate::common::worlds::boat;
use crate::common::{close, close_vectors, relative, simulation};
use merrow_math::Vec3;
use merrow_model::scene::Thruster;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_sim::Simulation;

const AHEAD: &str = "position_m: [0, 0, 0], direction: [1, 0, 0]";

/// Commands the only thruster.
pub(super) fn command(s: &mut Simulation, value: f64) {
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thruster { thruster: 0, value },
    ))
    .unwrap();
}

/// Returns the thrust [N] of the latest evaluation for each of the next `n` steps.
pub(super) fn thrusts(s: &mut Simulation, n: usize) -> Vec<f64> {
    (0..n)
        .map(|_| {
            s.advance(1);
            s.state.robots[0].actuators[0].thrust
        })
        .collect()
}

fn check_lag(lag: &str, response: impl Fn(f64) -> f64) {
    let motor = format!("command: newton, range: [-50, 50], curve: direct, lag: {lag}");
    let mut s = simulation(&boat(&motor, AHEAD, ""));
    command(&mut s, 10.0);
    for (k, thrust) in thrusts(&mut s, 1000).into_iter().enumerate() {
        close(
            &format!("{lag} at step {k}"),
            thrust,
            10.0 * response(k as f64 * s.scene.dt()),
            1e-11,
        );
    }
}

// Every lag has its exact step response at every step, for any step size. Method: the closed
// responses of orders 1, 2 and 3, with and without a zero, at the default 2 ms. Tolerance: 1e-11, a
// thousand rounded steps.
#[test]
fn thruster_lags_match_step_responses() {
    check_lag("{kind: first_order, time_constant_s: 0.1}", |t| {
        1.0 - (-t / 0.1).exp()
    });
    let (w, z) = (20.0, 0.4);
    check_lag(
        "{kind: second_order, natural_frequency_rad_s: 20, damping_ratio: 0.4}",
        |t| {
            let d = f64::sqrt(1.0 - z * z);
            let (s, c) = (w * d * t).sin_cos();
            1.0 - (-z * w * t).exp() * (c + z / d * s)
        },
    );
    check_lag(
        "{kind: transfer_function, numerator: [6], denominator: [1, 6, 11, 6]}",
        |t| 1.0 - 3.0 * (-t).exp() + 3.0 * (-2.0 * t).exp() - (-3.0 * t).exp(),
    );
    check_lag(
        "{kind: transfer_function, numerator: [2, 6], denominator: [1, 6, 11, 6]}",
        |t| 1.0 - 2.0 * (-t).exp() + (-2.0 * t).exp(),
    );
    check_lag("none", |_| 1.0);
}

// The lagged thrust also acts at the inner stages of Runge-Kutta. Method: the speed of a body
// without drag behind a first-order lag, v = F/m (t - tau (1 - exp(-t/tau))). Tolerance: 1e-9,
// Simpson's rule over 2 ms of 100 ms.
#[test]
fn lagged_thrust_gives_its_momentum() {
    let motor = "command: newton, range: [-50, 50], curve: direct, lag: {kind: first_order, time_constant_s: 0.1}";
    let mut s = simulation(&boat(motor, AHEAD, ""));
    command(&mut s, 10.0);
    s.advance(250);
    let expected = 10.0 / 10.0 * (0.5 - 0.1 * (1.0 - (-0.5_f64 / 0.1).exp()));
    relative("speed", s.state.robots[0].motion.V_WB_B.v.x, expected, 1e-9);
}

// The bundled T200 curve equals the manufacturer's table. Method: all 201 points, and the midpoints
// between neighbours. Tolerance: none at the points.
#[test]
fn t200_follows_its_table() {
    let s = simulation(
        "
robots:
  boat:
    model:
      source: test
      body: bluerov2_wu2018
      thrusters: {t: {motor: t200_12v, position_m: [0, 0, 0], direction: [1, 0, 0]}}
",
    );
    let t200 = &s.scene.robots[0].thrusters[0];
    let table: Vec<[f64; 2]> = include_str!("../../data/t200_12v_pwm_thrust.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let columns: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
            [columns[0], columns[2]]
        })
        .collect();
    assert!(table.len() >= 200, "{} points", table.len());
    for pair in table.windows(2) {
        assert_eq!(
            t200.static_thrust(pair[0][0], 1025.0),
            pair[0][1],
            "at {} us",
            pair[0][0]
        );
        let middle = t200.static_thrust(0.5 * (pair[0][0] + pair[1][0]), 1025.0);
        close("between", middle, 0.5 * (pair[0][1] + pair[1][1]), 1e-12);
    }
    assert_eq!(t200.static_thrust(1500.0, 1025.0), 0.0);
    assert_eq!(
        t200.static_thrust(2500.0, 1025.0),
        table[table.len() - 1][1]
    );
}

fn thruster(motor: &str) -> Thruster {
    simulation(&boat(motor, AHEAD, "")).scene.robots[0].thrusters[0].clone()
}

// Curves have the values that their keys define. Method: hand calculation. Tolerance: rounding.
#[test]
fn thrust_curves_match_hand_calculation() {
    let t = thruster(
        "command: normalized, range: [-1, 1], curve: {kind: polynomial, coefficients: [0, 3, 0, 5]}",
    );
    close(
        "polynomial",
        t.static_thrust(-0.5, 1000.0),
        -1.5 - 0.625,
        1e-14,
    );
    let curve = "curve: {kind: quadratic, speed_per_command_rad_s: 100, ahead_n_s2_per_rad2: 0.004, astern_n_s2_per_rad2: 0.003}";
    let t = thruster(&format!(
        "command: normalized, range: [-1, 1], dead_band: 0.05, {curve}"
    ));
    close("ahead", t.static_thrust(0.5, 1000.0), 0.004 * 2500.0, 1e-14);
    close(
        "astern",
        t.static_thrust(-0.5, 1000.0),
        -0.003 * 2500.0,
        1e-14,
    );
    assert_eq!(t.static_thrust(0.05, 1000.0), 0.0);
    assert!(t.static_thrust(0.051, 1000.0) > 0.0);
    assert_eq!(t.static_thrust(7.0, 1000.0), 0.004 * 1e4);
    close(
        "inverse",
        t.command_from_thrust(-7.0, 1000.0),
        -(7.0 / 0.003_f64).sqrt() / 100.0,
        1e-9,
    );
}

// A lag on a shaft speed acts on the speed, not on the thrust. Method: T = c n², n = n_0 (1 -
// exp(-t/tau)). Tolerance: 1e-11.
#[test]
fn quadratic_thrust_lags_in_speed() {
    let motor =
        "command: rad_s, range: [-200, 200], curve: {kind: quadratic, ahead_n_s2_per_rad2: 0.004, astern_n_s2_per_rad2: 0.003},
        lag: {kind: first_order, time_constant_s: 0.2}";
    let mut s = simulation(&boat(motor, AHEAD, ""));
    command(&mut s, 100.0);
    for (k, thrust) in thrusts(&mut s, 500).into_iter().enumerate() {
        let n = 100.0 * (1.0 - (-(k as f64) * 0.002 / 0.2).exp());
        close("thrust", thrust, 0.004 * n * n, 1e-11);
    }
}

// T = rho D⁴ KT(J) n|n|, Q = rho D⁵ KQ(J) n|n| with J = (1-w) u / (n D), thrust deduction, and a
// right-handed propeller that heels the boat to the left. Method: forces of one step at 2 m/s, from
// the accelerations. D = 0.2 m, n = 10 1/s, J = 0.9 * 2 / 2 = 0.9. Tolerance: rounding.
#[test]
fn propeller_thrust_depends_on_inflow() {
    let motor =
        "command: rad_s, range: [-200, 200], curve: {kind: open_water, kt: [[0, 0.5], [1, 0.1]],
        kq: [[0, 0.07], [1, 0.03]], wake_factor: 0.9, thrust_factor: 0.8, torque_fraction: 0.5}";
    let mut s = simulation(&boat(motor, AHEAD, "velocity_m_s: [2, 0, 0]"));
    command(&mut s, 20.0 * std::f64::consts::PI);
    s.advance(1);
    let (kt, kq) = (0.5 - 0.4 * 0.9, 0.07 - 0.04 * 0.9);
    let thrust = 0.8 * 1000.0 * 0.2_f64.powi(4) * kt * 100.0;
    let torque = -0.5 * 1000.0 * 0.2_f64.powi(5) * kq * 100.0;
    relative(
        "reported thrust",
        s.state.robots[0].actuators[0].thrust,
        thrust,
        1e-12,
    );
    let m = &s.state.robots[0].motion;
    // Over the step the boat gains F/m dt, so J gains 0.9 of that over n D, KT loses 0.4 and KQ
    // 0.04 of that; half of it on average.
    let gained = 0.5 * 0.9 * thrust / 10.0 * 0.002 / 2.0;
    let mean = (
        thrust * (1.0 - 0.4 * gained / kt),
        torque * (1.0 - 0.04 * gained / kq),
    );
    relative(
        "mean force",
        (m.V_WB_B.v.x - 2.0) * 10.0 / 0.002,
        mean.0,
        1e-5,
    );
    relative("mean moment", 2.0 * m.V_WB_B.w.x / 0.002, mean.1, 1e-5);
    // Bollard pull astern, KT(0).
    let propeller = &s.scene.robots[0].thrusters[0];
    let astern = propeller.static_thrust(-20.0 * std::f64::consts::PI, 1000.0);
    relative(
        "bollard",
        astern,
        -0.8 * 1000.0 * 0.2_f64.powi(4) * 0.5 * 100.0,
        1e-12,
    );
}

// An off-centre thrust rotates the body: p x f plus the reaction about its axis. Method:
// accelerations of one step, calculated by hand. Tolerance: rounding over one step.
#[test]
fn thrust_off_the_centre_turns_the_body() {
    let motor = "command: newton, range: [-50, 50], curve: direct, torque_per_thrust_m: 0.05";
    let mount = "position_m: [0.3, -0.2, 0.1], direction: [0, 3, 4], rotation: left";
    let mut s = simulation(&boat(motor, mount, ""));
    command(&mut s, 10.0);
    s.advance(1);
    let f = Vec3::new(0.0, 6.0, 8.0);
    let moment = Vec3::new(0.3, -0.2, 0.1).cross(f) + f.scale(0.05);
    let V = s.state.robots[0].motion.V_WB_B;
    close_vectors("force", V.v.scale(10.0 / 0.002), f, 1e-4);
    close_vectors(
        "moment",
        Vec3::new(2.0 * V.w.x, 3.0 * V.w.y, 4.0 * V.w.z).scale(1.0 / 0.002),
        moment,
        1e-4,
    );
    // Values in forward-right-down axes give the same thruster.
    let frd = "axes: frd, position_m: [0.3, 0.2, -0.1], direction: [0, -3, -4], rotation: left";
    let other = simulation(&boat(motor, frd, ""));
    let (a, b) = (
        &s.scene.robots[0].thrusters[0],
        &other.scene.robots[0].thrusters[0],
    );
    close_vectors("place", a.p_LoT, b.p_LoT, 1e-15);
    close_vectors("direction", a.direction, b.direction, 1e-15);
}
