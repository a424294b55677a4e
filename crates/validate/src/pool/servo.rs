//! The arm's servo as [Kolano 2022] approximates it: a torque controller on joint velocity, `control::servo`'s law (2) on what the
//! trials commanded, without encoder and position loop.
//!
//! # Limits
//! The maker's own controller is not published; in the trials it followed better than this one. Gains, periods and limits are
//! those of a robot's servos, `params/robots/osu_uvms_servo.yaml`.
//!
//! # Checked by
//! test/witness/uvms.rs

use crate::pool::recording::JOINTS;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::actuator::{Law, TorquePid};
use merrow_sim::control::joints::encoder::period;
use merrow_sim::control::joints::servo::{Pid, torque_pid};

/// Controller of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Controller {
    /// Gains.
    pub gains: TorquePid,
    /// Time of a tick [s].
    pub period: f64,
    /// Largest effort [N m].
    pub max_effort: f64,
}

impl Controller {
    /// That of joint `j` of `robot`; none if the joint has no servo with a torque PID.
    pub fn of(robot: &Robot, j: usize) -> Option<Self> {
        let joint = &robot.links[j + 1].joint;
        let servo = joint.servo()?;
        let Law::TorquePid(gains) = servo.law else {
            return None;
        };
        Some(Self {
            gains,
            period: period(servo),
            max_effort: joint.max_effort,
        })
    }

    /// True if a tick begins with step `k` of `dt` seconds.
    fn is_due(&self, k: u64, dt: f64) -> bool {
        let every = libm::round(self.period / dt).max(1.0) as u64;
        k.is_multiple_of(every)
    }
}

/// All four loops at work.
#[derive(Clone, Debug)]
pub struct Servo {
    controllers: [Controller; JOINTS],
    loops: [Pid; JOINTS],
}

impl Servo {
    /// At rest, with the efforts that hold the arm.
    pub fn holding(controllers: [Controller; JOINTS], effort: [f64; JOINTS]) -> Self {
        Self {
            controllers,
            loops: effort.map(|effort| Pid {
                effort,
                ..Pid::default()
            }),
        }
    }

    /// Which loops tick with step `k` of `dt` seconds.
    pub fn due(&self, k: u64, dt: f64) -> [bool; JOINTS] {
        self.controllers.map(|c| c.is_due(k, dt))
    }

    /// Efforts after a tick of the loops `due`, from the measured and wanted velocities and the bias efforts.
    pub fn update(
        &mut self,
        due: [bool; JOINTS],
        measured: [f64; JOINTS],
        wanted: [f64; JOINTS],
        bias: [f64; JOINTS],
    ) -> [f64; JOINTS] {
        for k in (0..JOINTS).filter(|k| due[*k]) {
            let Controller {
                gains,
                period,
                max_effort,
            } = self.controllers[k];
            let error = wanted[k] - measured[k];
            self.loops[k] = torque_pid(&gains, self.loops[k], error, bias[k], [period, max_effort]);
        }
        self.loops.map(|l| l.effort)
    }
}
