//! Set-points of heading, speed and depth for the firmware of a robot.
//!
//! Robots whose own computer holds heading and depth, such as the REMUS 100, take them from a planner.
//! They are given again in each period, as the speed of a firmware expires.

use merrow_math::Vec3;
use merrow_model::state::{Command, FirmwareCommand};

/// Set-points that have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SetPoints {
    /// Clockwise from north [rad].
    pub(crate) heading: Option<f64>,
    /// Forward [m/s].
    pub(crate) speed: Option<f64>,
    /// [m].
    pub(crate) depth: Option<f64>,
}

impl SetPoints {
    /// Returns the commands of a period for a robot.
    pub(crate) fn commands(&self, robot: usize) -> Vec<Command> {
        let Self {
            heading,
            speed,
            depth,
        } = *self;
        // the speed first: it begins from the set-points of now
        let speed = speed.map(|speed| FirmwareCommand::Velocity {
            linear: Vec3::new(speed, 0.0, 0.0),
            angular: Vec3::zero(),
        });
        let has_course = heading.is_some() || depth.is_some();
        let course = has_course.then_some(FirmwareCommand::HeadingDepth { heading, depth });
        let commands = speed.into_iter().chain(course);
        commands.map(|own| Command::Firmware(robot, own)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_points_are_commands_of_the_firmware() {
        let mut own = SetPoints::default();
        assert!(own.commands(0).is_empty());
        (own.heading, own.speed) = (Some(1.5), Some(2.0));
        let course = FirmwareCommand::HeadingDepth {
            heading: Some(1.5),
            depth: None,
        };
        let speed = FirmwareCommand::Velocity {
            linear: Vec3::new(2.0, 0.0, 0.0),
            angular: Vec3::zero(),
        };
        let expected = [speed, course].map(|own| Command::Firmware(3, own));
        assert_eq!(own.commands(3), expected);
    }
}
