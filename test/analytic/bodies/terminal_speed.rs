//! Tests terminal speed and deceleration of bodies with linear and quadratic drag.

use crate::common::{advance, relative, run, simulation};
use merrow_model::state::{ActuatorCommand, Command};

/// Returns the speed [m/s] at which `dl v + dq v²` balances `force` [N].
fn balance(dl: f64, dq: f64, force: f64) -> f64 {
    2.0 * force / (dl + (dl * dl + 4.0 * dq * force).sqrt())
}

/// Returns the speed [m/s] at time `t` [s] of the mass `m` [kg] that starts at `u0` [m/s] against
/// `dl u + dq u|u|`.
fn coasting(m: f64, dl: f64, dq: f64, u0: f64, t: f64) -> f64 {
    let e = (-dl * t / m).exp();
    u0 * e / (1.0 + dq / dl * u0 * (1.0 - e))
}

/// Returns the forward speed [m/s] of a body of the library, made `neutral`, after a minute at
/// `thrust` [N].
///
/// Its centre of mass is half a metre low, so that it stays level: at these speeds the Munk moment
/// exceeds the vehicles' own righting moment, and the published numbers are for a vehicle held
/// level.
fn driven(body: &str, neutral: &str, thrust: f64) -> f64 {
    let mut s = simulation(&format!(
        "
water: {{density_kg_m3: 1000}}
robots:
  rov:
    position_m: [0, 0, -90]
    model:
      source: test
      body: {{extends: bodies/{body}.yaml, {neutral}, center_of_mass_m: [0, 0, 0.5],
        center_of_buoyancy_m: [0, 0, 0]}}
      thrusters:
        t: {{position_m: [0, 0, 0], direction: [1, 0, 0], motor: {{source: test, command: newton,
          range: [-500, 500], curve: direct, diameter_m: 0.1}}}}
"
    ));
    s.apply(&Command::Actuator(
        0,
        ActuatorCommand::Thruster {
            thruster: 0,
            value: thrust,
        },
    ))
    .unwrap();
    advance(&mut s, 60.0);
    s.state.robots[0].motion.V_WB_B.v.x
}

// V40: terminal speeds of published vehicles. Method: their parameter files, a minute at a constant
// force; Wu's heave by its own buoyancy of 2 N. Tolerance: 1e-6 (V40 requires 1e-5), the expected
// digits.
#[test]
fn published_vehicles_reach_their_terminal_speeds() {
    let wu = driven("bluerov2_wu2018", "net_buoyancy_n: 0", 10.0);
    relative("Wu surge", wu, 0.639_057_004_06, 1e-6);
    let heavy = |thrust: f64| driven("bluerov2_heavy_vonbenzon2022", "volume_m3: 0.0135", thrust);
    relative("von Benzon surge", heavy(10.0), 0.222_125_206_93, 1e-6);
    let ahead = heavy(85.98);
    relative(
        "von Benzon full ahead",
        ahead,
        balance(13.7, 141.0, 85.98),
        1e-6,
    );
    let rise = run(
        "{robots: {rov: {position_m: [0, 0, -90], model: {source: test, body: bluerov2_wu2018}}}}",
        60.0,
    );
    relative(
        "Wu rise",
        rise.state.robots[0].motion.V_WB_B.v.z,
        0.172_821_181_65,
        1e-6,
    );
}

// V40: RexROV at 150 N. Method: its surge drag on an otherwise plain body. Tolerance: as above.
#[test]
fn plain_bodies_reach_the_balance_of_thrust_and_drag() {
    relative(
        "closed form",
        balance(74.82, 748.22, 150.0),
        0.400_529_540_1,
        1e-9,
    );
    for (axis, direction) in [(0, "[-1, 0, 0]"), (1, "[0, 1, 0]"), (2, "[0, 0, -1]")] {
        let mut s = simulation(&format!(
            "
seabed: {{depth_m: 1000}}
robots:
  rov:
    position_m: [0, 0, -300]
    attitude_deg: [20, -30, 50]
    model:
      source: test
      body: {{source: test, axes: flu, mass_kg: 100, inertia_kg_m2: {{xx: 9, yy: 9, zz: 9}}, net_buoyancy_n: 0,
        linear_damping: {{kind: diagonal, values: [74.82, 74.82, 74.82, 0, 0, 0]}},
        quadratic_damping: {{kind: diagonal, values: [748.22, 748.22, 748.22, 0, 0, 0]}}}}
      thrusters:
        t: {{position_m: [0, 0, 0], direction: {direction}, motor: {{source: test, command: newton,
          range: [-500, 500], curve: direct, diameter_m: 0.1}}}}
"
        ));
        s.apply(&Command::Actuator(
            0,
            ActuatorCommand::Thruster {
                thruster: 0,
                value: 150.0,
            },
        ))
        .unwrap();
        advance(&mut s, 60.0);
        let v = s.state.robots[0].motion.V_WB_B.v;
        relative(
            direction,
            v[axis].abs(),
            balance(74.82, 748.22, 150.0),
            1e-9,
        );
        assert!((v.norm() - v[axis].abs()).abs() < 1e-12, "{v:?}");
    }
}

// V41: coast-down of 17 kg (11.5 of body, 5.5 of added mass) from 1 m/s. Method: the closed
// solution, itself checked by the table. Tolerance: 1e-6 for the digits of the table, 1e-10 for the
// run.
#[test]
fn body_coasts_down() {
    let mut s = simulation(
        "
robots:
  rov:
    position_m: [0, 0, -50]
    velocity_m_s: [1, 0, 0]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 11.5, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, net_buoyancy_n: 0,
        added_mass: {kind: diagonal, values: [5.5, 0, 0, 0, 0, 0]},
        linear_damping: {kind: diagonal, values: [4.03, 0, 0, 0, 0, 0]},
        quadratic_damping: {kind: diagonal, values: [18.18, 0, 0, 0, 0, 0]}}
",
    );
    let table = [
        (0.5, 0.590_484),
        (1.0, 0.404_151),
        (2.0, 0.230_253),
        (5.0, 0.073_968),
        (10.0, 0.018_356),
    ];
    let mut now = 0.0;
    for (t, expected) in table {
        advance(&mut s, t - now);
        now = t;
        let closed = coasting(17.0, 4.03, 18.18, 1.0, t);
        assert!(
            (closed - expected).abs() < 1e-6,
            "closed form at {t} s: {closed}"
        );
        relative(
            &format!("{t} s"),
            s.state.robots[0].motion.V_WB_B.v.x,
            closed,
            1e-10,
        );
    }
}
