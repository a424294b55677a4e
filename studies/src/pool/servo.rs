//! The servo of the arm as approximated by [Kolano 2022]: a torque controller of the joint
//! velocity, law (2) of `merrow_sim::control::joints::servo` on the commanded velocity of the
//! trials, without encoder and position loop.
//!
//! # Limits
//! The controller of the manufacturer is not published; in the trials it tracked better than this
//! controller. Gains, periods and limits are taken from a robot's servos,
//! `params/robots/osu_uvms_servo.yaml`.
//!
//! # Checked by
//! test/witness/vehicles/uvms.rs

use crate::pool::recording::JOINTS;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::actuator::{ServoLaw, TorquePid};
use merrow_sim::control::joints::encoder::period;
use merrow_sim::control::joints::servo::{Pid, torque_pid};

/// Controller of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Controller {
    /// Gains of the torque PID.
    pub gains: TorquePid,
    /// Period of the controller [s].
    pub period: f64,
    /// Maximum effort [N m].
    pub max_effort: f64,
}

impl Controller {
    /// Returns the controller of joint `j` of `robot`, or `None` if the joint has no servo with a
    /// torque PID.
    pub(crate) fn for_joint(robot: &Robot, j: usize) -> Option<Self> {
        let joint = &robot.links[j + 1].joint;
        let servo = joint.servo()?;
        let ServoLaw::TorquePid(gains) = &servo.law else {
            return None;
        };
        Some(Self {
            gains: gains.clone(),
            period: period(servo),
            max_effort: joint.max_effort,
        })
    }

    /// Returns true if the controller updates at step `k` of `dt` seconds.
    fn is_due(&self, k: u64, dt: f64) -> bool {
        let every = libm::round(self.period / dt).max(1.0) as u64;
        k.is_multiple_of(every)
    }
}

/// State of all four control loops.
#[derive(Clone, Debug)]
pub struct Servo {
    controllers: [Controller; JOINTS],
    loops: [Pid; JOINTS],
}

impl Servo {
    /// Creates loops at rest, with the efforts [N m] that hold the arm.
    pub fn holding(controllers: [Controller; JOINTS], effort: [f64; JOINTS]) -> Self {
        Self {
            controllers,
            loops: effort.map(|effort| Pid {
                effort,
                ..Pid::default()
            }),
        }
    }

    /// Returns the loops that update at step `k` of `dt` seconds.
    pub(crate) fn due_loops(&self, k: u64, dt: f64) -> [bool; JOINTS] {
        self.controllers.each_ref().map(|c| c.is_due(k, dt))
    }

    /// Returns the efforts [N m] after updating the loops in `due`, from measured and commanded
    /// velocities [rad/s] and bias efforts [N m].
    pub fn update(
        &mut self,
        due: [bool; JOINTS],
        measured: [f64; JOINTS],
        commanded: [f64; JOINTS],
        bias: [f64; JOINTS],
    ) -> [f64; JOINTS] {
        for k in (0..JOINTS).filter(|k| due[*k]) {
            let Controller {
                gains,
                period,
                max_effort,
            } = &self.controllers[k];
            let error = commanded[k] - measured[k];
            self.loops[k] =
                torque_pid(gains, self.loops[k], error, bias[k], [*period, *max_effort]);
        }
        self.loops.map(|l| l.effort)
    }
}
