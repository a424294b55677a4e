//! Set-points of heading, speed and depth for the firmware of the robot.
//!
//! Robots whose own computer holds heading and depth, such as the REMUS 100, take DESIRED_HEADING
//! (clockwise from north [deg]), DESIRED_SPEED [m/s] and DESIRED_DEPTH [m] of a planner in place of a
//! controller such as pMarinePIDV22. The set-points are given again in each period, as the speed of a
//! firmware expires.

use merrow_math::Vec3;
use merrow_model::state::{Command, FirmwareCommand};
use merrow_moos::message::Message;

/// Variables of the set-points.
pub(crate) const INPUTS: [&str; 3] = ["DESIRED_HEADING", "DESIRED_SPEED", "DESIRED_DEPTH"];

/// Set-points that have arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SetPoints {
    /// Clockwise from north [rad].
    heading: Option<f64>,
    /// Forward [m/s].
    speed: Option<f64>,
    /// [m].
    depth: Option<f64>,
}

impl SetPoints {
    /// Takes a message. Returns `false` for a variable that is no set-point.
    ///
    /// # Errors
    /// One line: its value is not one of the variable.
    pub(crate) fn take(&mut self, key: &str, message: &Message) -> Result<bool, String> {
        if !INPUTS.contains(&key) {
            return Ok(false);
        }
        let number = message.number().filter(|number| number.is_finite());
        let number = number.ok_or("expected a finite number")?;
        match key {
            "DESIRED_HEADING" => self.heading = Some(number.to_radians()),
            "DESIRED_SPEED" => self.speed = Some(number),
            _ => self.depth = Some(number),
        }
        Ok(true)
    }

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
        let mut take = |key: &str, value: f64| own.take(key, &Message::notify(key, value, 0.0));
        assert_eq!(take("DESIRED_HEADING", 90.0), Ok(true));
        assert_eq!(take("DESIRED_SPEED", 1.5), Ok(true));
        assert_eq!(take("DESIRED_RUDDER", 1.0), Ok(false));
        assert!(take("DESIRED_DEPTH", f64::NAN).is_err());
        let course = FirmwareCommand::HeadingDepth {
            heading: Some(90.0_f64.to_radians()),
            depth: None,
        };
        let speed = FirmwareCommand::Velocity {
            linear: Vec3::new(1.5, 0.0, 0.0),
            angular: Vec3::zero(),
        };
        let expected = [speed, course].map(|own| Command::Firmware(3, own));
        assert_eq!(own.commands(3), expected);
    }
}
