//! Refuses the poses of robots and structures that overlap another body of a simulation.

use crate::control::command;
use crate::robot::Runner;
use crate::simulation::Simulation;
use merrow_model::state::Command;
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::contact::ContactBody;
use merrow_physics::contact::free_pose::{OVERLAP_MAX_M, Poses, check_position};

impl Simulation {
    /// Returns the poses of the robots.
    fn poses(&mut self) -> Poses<'_, Runner> {
        Poses {
            scene: &self.scene,
            state: &mut self.state,
            contacts: self.contacts.as_mut(),
            works: &mut self.runners,
        }
    }

    /// Checks that a robot is not inside a structure, another robot or the seabed, and not
    /// elsewhere in space. Of the other robots, only those are compared for which `is_present`
    /// returns true.
    ///
    /// # Errors
    /// The depth of the overlap and a free position, or the limit that the position exceeds.
    pub fn check_pose(
        &mut self,
        robot: usize,
        is_present: impl Fn(usize) -> bool,
    ) -> Result<(), String> {
        check_position(
            &self.scene.robots[robot].name,
            self.state.robots[robot].motion.p_WB,
        )?;
        let mut poses = self.poses();
        poses.detect();
        poses.check(robot, is_present, true)
    }

    /// Checks that no robot is inside a structure.
    ///
    /// # Errors
    /// The first robot, and the depth of the overlap.
    pub fn check_structure(&mut self, name: &str) -> Result<(), String> {
        let mut poses = self.poses();
        poses.detect();
        for (k, robot) in poses.scene.robots.iter().enumerate() {
            if let Some((ContactBody::Structure { structure, .. }, depth)) =
                poses.overlap(k, |_| false)
                && depth > OVERLAP_MAX_M
                && poses.scene.structures[structure as usize].name == name
            {
                return Err(format!(
                    "{} would be {depth:.2} m inside {name}; move the robot first",
                    robot.name
                ));
            }
        }
        Ok(())
    }

    /// Sets the pose of a robot, unless another body is there.
    pub(crate) fn apply_pose(
        &mut self,
        robot: usize,
        command: &Command,
    ) -> Result<(), CommandRejection> {
        let before = self.state.robots.get(robot).cloned();
        command::apply(&self.scene, &mut self.state, command)?;
        let Err(reason) = self.check_pose(robot, |_| true) else {
            return Ok(());
        };
        if let Some(before) = before {
            self.state.robots[robot] = before;
        }
        Err(command.reject(&self.scene, reason))
    }
}
