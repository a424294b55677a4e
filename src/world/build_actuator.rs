//! Thruster and battery files become actuators.

use super::error::{Place, Problems};
use super::file::{
    BatteryFile, CommandFile, CurveFile, InflowFile, LagFile, MotorFile, Technology, ThrusterFile, Turning,
};
use super::sname;
use crate::math::SpatialForce;
use crate::scene::thruster::{Lag, Motor, OpenWater};
use crate::scene::{Battery, CommandUnit, Curve, Link, Thruster};

/// The thruster `name` on `links[link]`.
pub fn thruster(
    name: &str,
    file: &ThrusterFile,
    link: usize,
    links: &[Link],
    dt: f64,
    problems: &mut Problems,
) -> Thruster {
    let motor = &file.motor;
    let direction_U = sname::vector(file.axes, file.direction).unit().unwrap_or_else(|| {
        problems.push(
            file.at.of("direction"),
            format!("the direction of {name} has no length, expected numbers that are not all 0"),
        );
        crate::math::Vec3::new(1.0, 0.0, 0.0)
    });
    let p_UoT_U = sname::vector(file.axes, file.position_m);
    let R_LU = &links[link].R_LU;
    check_range(name, motor, problems);
    // the water turns the propeller back, and the propeller the hull: a right-handed one by a negative moment
    let hand = if file.turning == Turning::Right { -1.0 } else { 1.0 };
    let mut thruster = Thruster {
        name: name.to_string(),
        link,
        p_LoT: R_LU.mul_vec(p_UoT_U),
        direction: R_LU.mul_vec(direction_U),
        direction_U,
        p_UoT_U,
        unit: match motor.command {
            CommandFile::Newton => CommandUnit::Newton,
            CommandFile::Normalized => CommandUnit::Normalized,
            CommandFile::RadPerS => CommandUnit::RadPerS,
            CommandFile::PwmUs => CommandUnit::PwmUs,
        },
        command_range: motor.range,
        neutral: motor.neutral,
        dead_band: motor.dead_band,
        curve: curve(name, motor, problems),
        lag: lag(name, motor, dt, problems),
        hand,
        reaction: hand * motor.torque_per_thrust_m,
        unit_wrench: SpatialForce::zero(),
        radius: 0.5 * motor.diameter_m,
        motor: Motor {
            power_coefficient: motor.power_w_per_n15,
            loss: motor.loss,
            thermal_resistance: motor.thermal_resistance_k_w,
            thermal_tau: motor.thermal_time_constant_s,
        },
        azimuth: None,
    };
    thruster.finish();
    thruster
}

fn check_range(name: &str, motor: &MotorFile, problems: &mut Problems) {
    let [lo, hi] = motor.range;
    if lo >= hi {
        let text = format!("the range of {name} is [{lo}, {hi}], expected the lowest command first");
        problems.push(motor.at.of("range"), text);
    } else if motor.neutral < lo || motor.neutral > hi {
        let text =
            format!("the neutral command of {name} is {}, expected it within [{lo}, {hi}]", motor.neutral);
        problems.push(motor.at.of("neutral"), text);
    }
}

fn curve(name: &str, motor: &MotorFile, problems: &mut Problems) -> Curve {
    match &motor.curve {
        CurveFile::Direct => Curve::Direct,
        CurveFile::Polynomial { coefficients, .. } => Curve::Polynomial(coefficients.clone()),
        CurveFile::Table { points, at } => {
            Curve::Table(table(points, &format!("the curve of {name}"), at.of("points"), problems))
        }
        CurveFile::Quadratic { speed_per_command_rad_s, ahead, astern, .. } => {
            Curve::Quadratic { speed_per_command: *speed_per_command_rad_s, gain: [*ahead, *astern] }
        }
        CurveFile::OpenWater {
            speed_per_command_rad_s,
            kt,
            kq,
            wake_factor,
            inflow,
            thrust_factor,
            torque_fraction,
            at,
        } => Curve::OpenWater(Box::new(OpenWater {
            speed_per_command: *speed_per_command_rad_s,
            diameter: motor.diameter_m,
            KT: table(kt, &format!("KT of {name}"), at.of("kt"), problems),
            KQ: table(kq, &format!("KQ of {name}"), at.of("kq"), problems),
            wake: *wake_factor,
            total_inflow: *inflow == InflowFile::Total,
            deduction: *thrust_factor,
            torque_fraction: *torque_fraction,
        })),
    }
}

/// Sorted pairs; a problem if they do not rise.
pub fn table(points: &[[f64; 2]], what: &str, place: &Place, problems: &mut Problems) -> Vec<(f64, f64)> {
    if let Some(k) = points.windows(2).position(|w| w[1][0] <= w[0][0]) {
        let text = format!(
            "{what} does not rise: {} comes after {}, expected rising first values",
            points[k + 1][0],
            points[k][0]
        );
        problems.push(place, text);
    }
    points.iter().map(|p| (p[0], p[1])).collect()
}

fn lag(name: &str, motor: &MotorFile, dt: f64, problems: &mut Problems) -> Lag {
    match &motor.lag {
        LagFile::None => Lag::none(),
        LagFile::First { time_constant_s, .. } => {
            Lag::from_transfer_function(&[1.0], &[*time_constant_s, 1.0], dt)
        }
        LagFile::Second { natural_frequency_rad_s: w, damping_ratio: z, .. } => {
            Lag::from_transfer_function(&[w * w], &[1.0, 2.0 * z * w, w * w], dt)
        }
        LagFile::Transfer { numerator, denominator, at } => match check_transfer(numerator, denominator) {
            Ok(()) => Lag::from_transfer_function(numerator, denominator, dt),
            Err(why) => {
                problems.push(at.of("denominator"), format!("the lag of {name}: {why}"));
                Lag::none()
            }
        },
    }
}

/// Orders and stability (Routh-Hurwitz for orders 1 to 3).
fn check_transfer(num: &[f64], den: &[f64]) -> Result<(), String> {
    let order = den.len().saturating_sub(1);
    if !(1..=3).contains(&order) {
        return Err(format!("found a denominator of order {order}, expected 1 to 3"));
    }
    if den[0] == 0.0 {
        return Err("the denominator begins with 0, expected the coefficient of the highest power".into());
    }
    if num.len() > order {
        return Err(format!("found a numerator of order {}, expected less than {order}", num.len() - 1));
    }
    let a: Vec<f64> = den.iter().map(|d| d / den[0]).collect();
    let stable = a.iter().all(|x| *x > 0.0) && (order < 3 || a[1] * a[2] > a[3]);
    if stable { Ok(()) } else { Err("it is unstable: the denominator has a root that grows".into()) }
}

/// A battery.
pub fn battery(file: &BatteryFile, problems: &mut Problems) -> Battery {
    let at = file.at.of("open_circuit_v");
    let voltage = table(&file.open_circuit_v, "the open-circuit voltage", at, problems);
    if voltage.iter().any(|(charge, volt)| !(0.0..=1.0).contains(charge) || *volt <= 0.0) {
        problems.push(at, "the open-circuit voltage: expected charges from 0 to 1 and voltages above 0");
    }
    Battery {
        capacity: file.capacity_ah,
        voltage,
        resistance: file.resistance_ohm,
        hotel_load: file.hotel_load_w,
        initial_charge: file.initial_charge,
        technology: match file.technology {
            Technology::Unknown => 0,
            Technology::Nimh => 1,
            Technology::LithiumIon => 2,
            Technology::LithiumPolymer => 3,
            Technology::LithiumIronPhosphate => 4,
            Technology::Nicd => 5,
        },
    }
}
