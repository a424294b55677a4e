//! Set-points of a planner of the community for the firmware of the robot, in place of the demands of a
//! controller such as pMarinePIDV22.

use crate::set_points::SetPoints;
use merrow_moos::message::Message;

/// Variables of the set-points: clockwise from north [deg], [m/s], [m].
pub(crate) const INPUTS: [&str; 3] = ["DESIRED_HEADING", "DESIRED_SPEED", "DESIRED_DEPTH"];

/// Takes a message. Returns `false` for a variable that is no set-point.
///
/// # Errors
/// One line: its value is not one of the variable.
pub(crate) fn take(own: &mut SetPoints, key: &str, message: &Message) -> Result<bool, String> {
    if !INPUTS.contains(&key) {
        return Ok(false);
    }
    let number = message.number().filter(|number| number.is_finite());
    let number = number.ok_or("expected a finite number")?;
    match key {
        "DESIRED_HEADING" => own.heading = Some(number.to_radians()),
        "DESIRED_SPEED" => own.speed = Some(number),
        _ => own.depth = Some(number),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_set_points() {
        let mut own = SetPoints::default();
        let mut set =
            |key: &str, value: f64| take(&mut own, key, &Message::notify(key, value, 0.0));
        assert_eq!(set("DESIRED_HEADING", 90.0), Ok(true));
        assert_eq!(set("DESIRED_RUDDER", 1.0), Ok(false));
        assert!(set("DESIRED_DEPTH", f64::NAN).is_err());
        assert_eq!(own.heading, Some(90.0_f64.to_radians()));
        assert_eq!((own.speed, own.depth), (None, None));
    }
}
