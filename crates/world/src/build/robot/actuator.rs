//! Conversion of thruster and buoyancy engine files.

use crate::context::Context;
use crate::import::sname;
use crate::keys::{BuoyancyEngineConfig, ThrusterConfig};
use merrow_math::{SpatialForce, Vec3};
use merrow_model::scene::robot::thruster::{Lag, LagModel, Motor, PropellerRotation};
use merrow_model::scene::{BuoyancyEngine, Curve, Link, Thruster};

/// Builds the thruster `name` on `links[link]`.
pub(crate) fn build_thruster(
    name: &str,
    file: &ThrusterConfig,
    link: usize,
    links: &[Link],
    cx: Context<'_>,
) -> Thruster {
    let motor = &file.motor;
    let direction_U = cx.direction(
        (&file.at, "direction"),
        &format!("the direction of {name}"),
        sname::vector_to_flu(file.axes, file.direction),
        Vec3::new(1.0, 0.0, 0.0),
    );
    let p_UoT_U = sname::vector_to_flu(file.axes, file.position_m);
    let R_LU = &links[link].R_LU;
    check_range(name, motor, cx);
    check_power(name, motor, cx);
    check_curve(name, motor, cx);
    // The water exerts a reaction moment on the propeller, and the propeller on the hull: a
    // right-handed one by a negative moment.
    let hand = if file.rotation == PropellerRotation::Right {
        -1.0
    } else {
        1.0
    };
    let mut thruster = Thruster {
        name: name.to_string(),
        link,
        p_LoT: R_LU.mul_vec(p_UoT_U),
        direction: R_LU.mul_vec(direction_U),
        direction_U,
        p_UoT_U,
        motor: motor.clone(),
        lag: build_lag(name, motor, cx),
        lag_down: match &motor.lag {
            LagModel::UpDown { down_s, .. } => Some(Lag::first_order(*down_s, cx.dt)),
            _ => None,
        },
        hand,
        unit_wrench: SpatialForce::zero(),
        submergence_m: file.submergence_m,
        heating: 1.0 - libm::exp(-cx.dt / motor.thermal_time_constant_s),
        azimuth: None,
    };
    thruster.update_unit_wrench();
    thruster
}

/// Reports keys of the power and the temperature that contradict each other.
fn check_power(name: &str, motor: &Motor, cx: Context<'_>) {
    if motor.motor_efficiency.is_some() && !matches!(motor.curve, Curve::OpenWater(_)) {
        let text = format!(
            "{name} has `motor_efficiency`, but its curve is of the kind `{}`, which has no torque; expected `power_w_per_n15`",
            motor.curve.kind()
        );
        cx.error(motor.at.key_place("motor_efficiency"), text);
    }
    if motor.motor_efficiency.is_some() && motor.power_w_per_n15 > 0.0 {
        let text = format!(
            "{name} has both `motor_efficiency` and `power_w_per_n15`; expected one of them"
        );
        cx.error(motor.at.key_place("motor_efficiency"), text);
    }
    if let Some([derate, stop]) = motor.temperature_limits_c
        && derate >= stop
    {
        let text = format!(
            "the temperature limits of {name} are [{derate}, {stop}]; expected the derating temperature first"
        );
        cx.error(motor.at.key_place("temperature_limits_c"), text);
    }
}

fn check_range(name: &str, motor: &Motor, cx: Context<'_>) {
    let [lo, hi] = motor.range;
    if lo >= hi {
        let text =
            format!("the range of {name} is [{lo}, {hi}]; expected the lowest command first");
        cx.error(motor.at.key_place("range"), text);
    } else if motor.neutral < lo || motor.neutral > hi {
        let text = format!(
            "the neutral command of {name} is {}; expected it within [{lo}, {hi}]",
            motor.neutral
        );
        cx.error(motor.at.key_place("neutral"), text);
    }
}

/// Reports tables whose first values do not increase, and a lag that a rotor cannot have.
fn check_curve(name: &str, motor: &Motor, cx: Context<'_>) {
    match &motor.curve {
        Curve::Direct | Curve::Polynomial { .. } | Curve::Quadratic { .. } => {}
        Curve::Table { points, at } => {
            let what = format!("the curve of {name}");
            cx.problems()
                .check_increasing(at.key_place("points"), &what, points);
        }
        Curve::OpenWater(p) => {
            for (what, key, table) in [("KT", "kt", &p.kt), ("KQ", "kq", &p.kq)] {
                let what = format!("{what} of {name}");
                cx.problems()
                    .check_increasing(p.at.key_place(key), &what, table);
            }
        }
        Curve::Rotor(_) => {
            if let LagModel::Second { at, .. } | LagModel::Transfer { at, .. } = &motor.lag {
                let text =
                    format!("the lag of the rotor {name}: expected none, first_order or up_down");
                cx.error(at.key_place("kind"), text);
            }
        }
    }
}

fn build_lag(name: &str, motor: &Motor, cx: Context<'_>) -> Lag {
    match &motor.lag {
        LagModel::None => Lag::pass_through(),
        LagModel::First {
            time_constant_s, ..
        } => {
            let lag = Lag::from_transfer_function(&[1.0], &[*time_constant_s, 1.0], cx.dt);
            Lag {
                inverse_tau: 1.0 / time_constant_s,
                ..lag
            }
        }
        LagModel::UpDown { up_s, .. } => Lag::first_order(*up_s, cx.dt),
        LagModel::Second {
            natural_frequency_rad_s: w,
            damping_ratio: z,
            ..
        } => Lag::from_transfer_function(&[w * w], &[1.0, 2.0 * z * w, w * w], cx.dt),
        LagModel::Transfer {
            numerator,
            denominator,
            at,
        } => match check_transfer(numerator, denominator) {
            Ok(()) => Lag::from_transfer_function(numerator, denominator, cx.dt),
            Err(why) => {
                cx.error(
                    at.key_place("denominator"),
                    format!("the lag of {name}: {why}"),
                );
                Lag::pass_through()
            }
        },
    }
}

/// Checks the order and the stability of a transfer function (Routh-Hurwitz for orders 1 to 3).
fn check_transfer(num: &[f64], den: &[f64]) -> Result<(), String> {
    let order = den.len().saturating_sub(1);
    if !(1..=3).contains(&order) {
        return Err(format!(
            "expected a denominator of order 1 to 3, found order {order}"
        ));
    }
    if den[0] == 0.0 {
        return Err(
            "the denominator begins with 0; expected the coefficient of the highest power".into(),
        );
    }
    if num.len() > order {
        return Err(format!(
            "expected a numerator of order less than {order}, found order {}",
            num.len() - 1
        ));
    }
    let a: Vec<f64> = den.iter().map(|d| d / den[0]).collect();
    let stable = a.iter().all(|x| *x > 0.0) && (order < 3 || a[1] * a[2] > a[3]);
    if stable {
        Ok(())
    } else {
        Err("it is unstable: the denominator has a root with a non-negative real part".into())
    }
}

/// Builds the buoyancy engine `name` in `links[link]`.
pub(crate) fn build_buoyancy_engine(
    name: &str,
    file: &BuoyancyEngineConfig,
    link: usize,
    links: &[Link],
    cx: Context<'_>,
) -> BuoyancyEngine {
    let [lo, hi] = file.range_m3;
    if lo >= hi {
        let text =
            format!("the range of {name} is [{lo}, {hi}]; expected the smallest volume first");
        cx.error(file.at.key_place("range_m3"), text);
    } else if !(lo..=hi).contains(&file.start_m3) {
        let text = format!(
            "{name} starts at {} m3; expected {lo} to {hi}",
            file.start_m3
        );
        cx.error(file.at.key_place("start_m3"), text);
    }
    BuoyancyEngine {
        name: name.to_string(),
        link,
        p_LoV: links[link]
            .R_LU
            .mul_vec(sname::vector_to_flu(file.axes, file.position_m)),
        range_m3: file.range_m3,
        rate_m3_s: file.rate_m3_s,
        start_m3: file.start_m3,
        efficiency: file.efficiency,
    }
}
