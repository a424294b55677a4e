//! Demands of a MOOS controller, and the devices that follow them.
//!
//! # Law
//! ```text
//!   u_k = sat(s_k g T/100 - y_k R/100)                                   (1)  thrusters
//!   δ_k = sat(c_k R or c_k E)                                           (2)  fins
//! ```
//! # Symbols
//! T DESIRED_THRUST [%], R DESIRED_RUDDER [% or deg], E DESIRED_ELEVATOR [deg] ·
//! g key `thrust_gain` · u_k command of
//! thruster k between its ends, -1..1 · s_k, y_k forward force and yaw moment of 1 N of it, each
//! divided by the largest of the robot · δ_k angle of fin k [deg] · c_k = ±1, so that a positive R
//! turns to starboard and a positive E lowers the bow · sat limits to the range of the device.
//!
//! R acts on fins if the robot has some that turn it, and on the thrusters (y_k) if not. With
//! DESIRED_THRUST_L and DESIRED_THRUST_R, T of a thruster is that of its side and R is 0.
//!
//! # Frames
//! Base B (forward, left, up).
//!
//! # Limits
//! Sails and fins whose force has an arm below 5 cm have no effect on the demands. Above 100 % and
//! below -100 % T and R are limited, as in uSimMarineV22. Vertical thrusters stay at rest.
//!
//! # Checked by
//! tests below; test/input/devices/moos.rs

use merrow_model::scene::Robot;
use merrow_model::scene::autopilot::{ServoDevice, ServoOutput};
use merrow_model::scene::robot::fin::{Fin, FinLaw};
use merrow_model::scene::robot::thruster::Thruster;
use merrow_moos::message::Message;

/// Least arm of the force of a fin [m].
const MIN_ARM_M: f64 = 0.05;
/// Least part of the largest force or moment for which a thruster counts.
const MIN_PART: f64 = 0.05;

/// Demands of the controller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Demand {
    /// DESIRED_THRUST [%].
    thrust: f64,
    /// DESIRED_RUDDER [% or deg].
    rudder: f64,
    /// DESIRED_ELEVATOR [deg].
    elevator: f64,
    /// DESIRED_THRUST_L and DESIRED_THRUST_R [%], if they came last.
    sides: Option<[f64; 2]>,
    /// THRUST_MODE_REVERSE: the robot drives backwards.
    is_reversed: bool,
}

impl Demand {
    /// Takes a message; `gain` is g of (1). Returns `false` for a variable that is no demand.
    ///
    /// # Errors
    /// One line: its value is not one of the variable.
    pub(crate) fn take(&mut self, key: &str, message: &Message, gain: f64) -> Result<bool, String> {
        if key == "THRUST_MODE_REVERSE" {
            self.is_reversed = message.text().eq_ignore_ascii_case("true");
            return Ok(true);
        }
        if !key.starts_with("DESIRED_") {
            return Ok(false);
        }
        let number = message.number().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| match message.number() {
            Some(number) => format!("expected a finite number, found {number}"),
            None => format!("expected a number, found {:?}", message.text()),
        })?;
        match key {
            "DESIRED_THRUST" => (self.thrust, self.sides) = (gain * number, None),
            "DESIRED_RUDDER" => (self.rudder, self.sides) = (number, None),
            "DESIRED_ELEVATOR" => self.elevator = number,
            "DESIRED_THRUST_L" => self.sides.get_or_insert_default()[0] = gain * number,
            "DESIRED_THRUST_R" => self.sides.get_or_insert_default()[1] = gain * number,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// A thruster and its part of the demands.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Propulsor {
    /// s_k and y_k of (1).
    surge: f64,
    yaw: f64,
    /// Whether it is on the left, and on the right.
    is_left: bool,
    is_right: bool,
    /// Commands at -1, 0 and 1.
    command: [f64; 3],
}

/// A fin and its part of the demands.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Surface {
    /// Change of the angle per rudder and per elevator, ±1 or 0.
    rudder: f64,
    elevator: f64,
    /// Minimum and maximum angle [rad].
    range: [f64; 2],
}

/// Devices of a robot that follow the demands.
#[derive(Clone, Debug)]
pub(crate) struct Effectors {
    name: String,
    propulsors: Vec<(usize, Propulsor)>,
    surfaces: Vec<(usize, Surface)>,
}

impl Effectors {
    /// Finds the devices of a robot.
    pub(crate) fn new(robot: &Robot) -> Self {
        let fins = robot.fins.iter().enumerate();
        let surfaces = fins.filter_map(|(k, fin)| Some((k, surface(fin)?)));
        let surfaces: Vec<_> = surfaces.collect();
        let steers = surfaces.iter().any(|(_, fin)| fin.rudder != 0.0);
        let largest = |of: &dyn Fn(&Thruster) -> f64| {
            robot
                .thrusters
                .iter()
                .map(|t| of(t).abs())
                .fold(1e-9, f64::max)
        };
        let surge = |thruster: &Thruster| thruster.unit_wrench.f.x;
        let yaw = |thruster: &Thruster| thruster.unit_wrench.m.z;
        let (max_surge, max_yaw) = (largest(&surge), largest(&yaw));
        let has_yaw = !steers && max_yaw > MIN_ARM_M;
        let part = |value: f64| if value.abs() < MIN_PART { 0.0 } else { value };
        let thrusters = robot.thrusters.iter().enumerate();
        let propulsors = thrusters.map(|(k, thruster)| {
            let [low, high] = thruster.motor.range;
            let y = thruster.p_LoT.y;
            let own = Propulsor {
                surge: part(surge(thruster) / max_surge),
                yaw: if has_yaw {
                    part(yaw(thruster) / max_yaw)
                } else {
                    0.0
                },
                is_left: y > MIN_ARM_M,
                is_right: y < -MIN_ARM_M,
                command: [low, thruster.motor.neutral, high],
            };
            (k, own)
        });
        Self {
            name: robot.name.clone(),
            propulsors: propulsors
                .filter(|(_, own)| own.surge != 0.0 || own.yaw != 0.0)
                .collect(),
            surfaces,
        }
    }

    /// Returns the devices and their commands, in their units, by (1) and (2).
    pub(crate) fn commands(&self, demand: &Demand) -> Vec<(ServoDevice, f64)> {
        let percent = |value: f64| 0.01 * value.clamp(-100.0, 100.0);
        let sign = if demand.is_reversed { -1.0 } else { 1.0 };
        let thrusters = self.propulsors.iter().map(|(k, own)| {
            let demanded = match demand.sides {
                None => {
                    own.surge * sign * percent(demand.thrust) - own.yaw * percent(demand.rudder)
                }
                Some([left, _]) if own.is_left => own.surge * sign * percent(left),
                Some([_, right]) if own.is_right => own.surge * sign * percent(right),
                Some([left, right]) => own.surge * sign * 0.5 * (percent(left) + percent(right)),
            };
            let device = ServoDevice::Thruster(*k);
            let output = ServoOutput {
                channel: 0,
                device,
                input: [-1.0, 0.0, 1.0],
                command: own.command,
            };
            (device, output.command_from_input(demanded))
        });
        let rudder = if demand.sides.is_some() {
            0.0
        } else {
            demand.rudder
        };
        let fins = self.surfaces.iter().map(|(k, own)| {
            let angle = own.rudder * sign * rudder + own.elevator * demand.elevator;
            let [low, high] = own.range;
            (ServoDevice::Fin(*k), angle.to_radians().clamp(low, high))
        });
        thrusters.chain(fins).collect()
    }

    /// Returns a line for each demand that no device follows.
    pub(crate) fn missing(&self, demand: &Demand) -> Vec<String> {
        let name = &self.name;
        let has = |of: &dyn Fn(&Propulsor) -> bool| self.propulsors.iter().any(|(_, own)| of(own));
        let fins = |of: &dyn Fn(&Surface) -> bool| self.surfaces.iter().any(|(_, own)| of(own));
        let mut lines = Vec::new();
        if demand.thrust != 0.0 && !has(&|own| own.surge != 0.0) {
            lines.push(format!(
                "DESIRED_THRUST has no effect: {name} has no thruster along its bow"
            ));
        }
        let turns = has(&|own| own.yaw != 0.0) || fins(&|own| own.rudder != 0.0);
        if demand.rudder != 0.0 && !turns {
            lines.push(format!(
                "DESIRED_RUDDER has no effect: {name} has no rudder and no pair of thrusters"
            ));
        }
        if demand.elevator != 0.0 && !fins(&|own| own.elevator != 0.0) {
            lines.push(format!(
                "DESIRED_ELEVATOR has no effect: {name} has no planes"
            ));
        }
        if demand.sides.is_some() && !has(&|own| own.is_left || own.is_right) {
            lines.push(format!("DESIRED_THRUST_L and DESIRED_THRUST_R act as their mean: {name} has no thrusters at its sides"));
        }
        lines
    }
}

/// Returns the effect of a fin; `None` if it cannot move or has no arm.
fn surface(fin: &Fin) -> Option<Surface> {
    let slope = match &fin.law {
        FinLaw::LiftDrag(law) => law.lift_slope_per_rad,
        FinLaw::Table(table) => table
            .lift
            .iter()
            .find(|row| row[0] > 0.0)
            .map_or(0.0, |row| row[1]),
        FinLaw::Chord {
            normal_slope_per_rad,
            ..
        } => *normal_slope_per_rad,
        // the thrust turns towards the normal
        FinLaw::Azimuth(_) => 1.0,
        FinLaw::Fossen { lift_slope_per_rad } => *lift_slope_per_rad,
        FinLaw::Derivative {
            coefficient_n_s2_per_m2,
        } => *coefficient_n_s2_per_m2,
    };
    let movable = fin.range[0] < fin.range[1] && !fin.sail && fin.link == 0 && slope != 0.0;
    // moment of the force of a small positive angle
    let force = fin.R_LF.col(1).scale(slope.signum());
    let moment = fin.p_LoF.cross(force);
    let sign = |moment: f64| {
        if moment.abs() > MIN_ARM_M {
            moment.signum()
        } else {
            0.0
        }
    };
    let own = Surface {
        // a moment about the axis up turns to the left, one about the axis to the left lowers the bow
        rudder: -sign(moment.z),
        elevator: sign(moment.y),
        range: fin.range,
    };
    (movable && (own.rudder != 0.0 || own.elevator != 0.0)).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twin(y: f64) -> Propulsor {
        Propulsor {
            surge: 1.0,
            yaw: -y.signum(),
            is_left: y > 0.0,
            is_right: y < 0.0,
            command: [-60.0, 0.0, 100.0],
        }
    }

    fn boat() -> Effectors {
        Effectors {
            name: "boat".to_string(),
            propulsors: vec![(0, twin(0.4)), (1, twin(-0.4))],
            surfaces: Vec::new(),
        }
    }

    fn demand(messages: &[(&str, f64)]) -> Demand {
        let mut demand = Demand::default();
        for (key, value) in messages {
            let message = Message::notify(*key, *value, 0.0);
            assert_eq!(demand.take(key, &message, 1.0), Ok(true));
        }
        demand
    }

    fn values(effectors: &Effectors, messages: &[(&str, f64)]) -> Vec<f64> {
        let commands = effectors.commands(&demand(messages));
        commands.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn boats_steer_by_their_thrusters() {
        let thrust = ("DESIRED_THRUST", 50.0);
        assert_eq!(values(&boat(), &[thrust]), [50.0, 50.0]);
        // to starboard: the left one turns faster
        assert_eq!(
            values(&boat(), &[thrust, ("DESIRED_RUDDER", 20.0)]),
            [70.0, 30.0]
        );
        assert_eq!(
            values(&boat(), &[thrust, ("DESIRED_RUDDER", 200.0)]),
            [100.0, -30.0]
        );
        let sides = [("DESIRED_THRUST_L", 10.0), ("DESIRED_THRUST_R", -50.0)];
        assert_eq!(values(&boat(), &sides), [10.0, -30.0]);
        assert_eq!(values(&boat(), &[sides[0], thrust]), [50.0, 50.0]);
    }

    #[test]
    fn planes_follow_angles() {
        let fin = |rudder, elevator| Surface {
            rudder,
            elevator,
            range: [-0.3, 0.3],
        };
        let auv = Effectors {
            name: "auv".to_string(),
            propulsors: vec![(
                0,
                Propulsor {
                    yaw: 0.0,
                    is_left: false,
                    ..twin(0.1)
                },
            )],
            surfaces: vec![(0, fin(-1.0, 0.0)), (1, fin(0.0, 1.0))],
        };
        let found = values(
            &auv,
            &[("DESIRED_RUDDER", 10.0), ("DESIRED_ELEVATOR", -90.0)],
        );
        assert_eq!(found, [0.0, -10.0_f64.to_radians(), -0.3]);
        assert!(auv.missing(&demand(&[("DESIRED_RUDDER", 10.0)])).is_empty());
    }

    #[test]
    fn values_that_are_none_are_refused() {
        let mut demand = Demand::default();
        let mut take = |message: Message| demand.take(&message.key.clone(), &message, 1.0);
        let why = take(Message::notify("DESIRED_THRUST", "fast", 0.0)).unwrap_err();
        assert_eq!(why, "expected a number, found \"fast\"");
        assert!(take(Message::notify("DESIRED_RUDDER", f64::NAN, 0.0)).is_err());
        assert_eq!(take(Message::notify("NAV_X", 1.0, 0.0)), Ok(false));
        assert_eq!(demand, Demand::default());
    }

    #[test]
    fn demands_without_devices_have_a_line() {
        let lines = boat().missing(&super::tests::demand(&[("DESIRED_ELEVATOR", 1.0)]));
        assert_eq!(
            lines,
            ["DESIRED_ELEVATOR has no effect: boat has no planes"]
        );
    }
}
