//! Motion of a robot as an INS of it estimates it, or the truth.

use crate::history::MotionSample;
use merrow_math::{Quat, Vec3};
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;

/// Last estimate of the motion.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    /// Name of the INS; `None`: the motion is the truth.
    sensor: Option<String>,
    last: Option<MotionSample>,
}

impl Estimate {
    /// Creates the estimate of an INS on the base of the robot.
    pub(crate) fn new(sensor: Option<String>) -> Self {
        Self { sensor, last: None }
    }

    /// Forgets the estimate, after a reset.
    pub(crate) fn clear(&mut self) {
        self.last = None;
    }

    /// Takes the readings of a block.
    pub(crate) fn read(&mut self, simulation: &Simulation, robot: usize) {
        let own = &simulation.scene.robots[robot];
        for delivered in &simulation.runners[robot].outbox {
            let sensor = &own.sensors[delivered.sensor];
            let Reading::Navigation(found) = &delivered.stamped.reading else {
                continue;
            };
            if self.sensor.as_ref() != Some(&sensor.name) {
                continue;
            }
            let R_WS = found.q_WS.matrix();
            let R_WB = R_WS.mul_mat(&sensor.R_LS.transpose());
            let w_B = sensor.R_LS.mul_vec(found.w_WS_S);
            self.last = Some(MotionSample {
                time_ns: delivered.stamped.stamp_ns,
                position: found.p_WS - R_WB.mul_vec(sensor.p_LoS),
                attitude: Quat::from_matrix(&R_WB),
                velocity: R_WS.mul_vec(found.v_WS_S) - R_WB.mul_vec(w_B.cross(sensor.p_LoS)),
                angular_velocity: w_B,
                acceleration: Vec3::zero(),
            });
        }
    }

    /// Returns the motion now: the last estimate, or the truth before the first one.
    pub(crate) fn motion(&self, simulation: &Simulation, robot: usize) -> MotionSample {
        let truth = MotionSample::read(simulation, robot);
        self.last.map_or(truth, |estimate| MotionSample {
            time_ns: truth.time_ns,
            ..estimate
        })
    }
}
