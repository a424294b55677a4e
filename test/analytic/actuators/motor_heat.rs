//! Tests the temperature of thruster motors: heating, derating, and stopping to cool.

use super::thruster::command;
use crate::common::worlds::boat;
use crate::common::{advance, close, simulation};

const AHEAD: &str = "position_m: [0, 0, 0], direction: [1, 0, 0]";

/// Returns a motor that draws 1 W per N^1.5, loses half of it as heat, and heats by 2 K per watt
/// with a time constant of 10 s.
fn motor(limits: &str) -> String {
    format!(
        "command: newton, range: [-50, 50], curve: direct, power_w_per_n15: 1, heat_fraction: 0.5, thermal_resistance_k_per_w: 2, \
         thermal_time_constant_s: 10{limits}"
    )
}

// A motor heats with one time constant. Method: 9 N draw 27 W, which finally give 27 K: 27 (1 -
// exp(-t/10)). Tolerance: rounding.
#[test]
fn motor_heating_is_exponential() {
    let mut s = simulation(&boat(&motor(""), AHEAD, ""));
    command(&mut s, 9.0);
    for seconds in [1.0, 4.0, 25.0] {
        advance(&mut s, seconds);
        let t = s.state.time_ns as f64 * 1e-9;
        close(
            "heat",
            s.state.robots[0].actuators[0].heat,
            27.0 * (1.0 - f64::exp(-t / 10.0)),
            1e-10,
        );
    }
}

// A derated motor reaches the equilibrium of heating and derating. Method: water of 15 C, limits of
// 30 and 50 C. With x the fraction of the thrust, the rise is 27 x^1.5 and x = (50 - 15 - rise)/20.
// Tolerance: 1e-6, the residual of the exponential after 100 s.
#[test]
fn derated_motor_reaches_equilibrium() {
    let mut s = simulation(&boat(&motor(", temperature_limits_c: [30, 50]"), AHEAD, ""));
    command(&mut s, 9.0);
    advance(&mut s, 100.0);
    let a = s.state.robots[0].actuators[0];
    let (mut lo, mut hi) = (0.0, 1.0);
    for _ in 0..60 {
        let x: f64 = 0.5 * (lo + hi);
        if (35.0 - 27.0 * x * x.sqrt()) / 20.0 > x {
            lo = x
        } else {
            hi = x
        }
    }
    close("part", a.available_fraction, lo, 1e-6);
    close("thrust", a.thrust, 9.0 * lo, 1e-5);
    assert!(lo > 0.6 && lo < 0.9);
}

// A motor that is too hot stops until it has cooled to the lower limit. Method: the water itself is
// heated above the upper limit, then cooled.
#[test]
fn a_hot_motor_stops_until_it_is_cool() {
    let mut s = simulation(&boat(&motor(", temperature_limits_c: [30, 50]"), AHEAD, ""));
    command(&mut s, 9.0);
    advance(&mut s, 1.0);
    let with = |s: &mut merrow_sim::Simulation, temperature: f64| {
        s.state.sea.temperature = temperature;
        advance(s, 0.1);
        s.state.robots[0].actuators[0]
    };
    assert!(with(&mut s, 51.0).is_overheated);
    let at_40 = with(&mut s, 40.0);
    assert!(
        at_40.is_overheated && at_40.thrust == 0.0 && at_40.available_fraction == 0.0,
        "it runs again above the lower limit"
    );
    let cool = with(&mut s, 25.0);
    assert!(!cool.is_overheated && cool.thrust == 9.0, "{cool:?}");
}

// A propeller in open water draws its shaft power. Method: 2π n Q over the efficiency, at bollard
// pull. Tolerance: rounding.
#[test]
fn a_propeller_draws_its_shaft_power() {
    let motor = "command: rad_s, range: [-200, 200], motor_efficiency: 0.8, \
                 curve: {kind: open_water, kt: [[0, 0.4]], kq: [[0, 0.05]], torque_fraction: 0}";
    let mut s = simulation(&boat(motor, AHEAD, ""));
    for n in [60.0, -60.0_f64] {
        command(&mut s, n);
        s.advance(1);
        let rev = n / std::f64::consts::TAU;
        let torque = 1000.0 * f64::powi(0.2, 5) * 0.05 * rev * rev.abs();
        close(
            "power",
            s.state.robots[0].actuators[0].power,
            n * torque / 0.8,
            1e-9,
        );
    }
}
