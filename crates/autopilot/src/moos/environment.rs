//! Changes of current and wind that a community demands, as uSimMarineV22 takes them.
//!
//! They are those of the world: all robots have the same current and wind.

use crate::moos::value;
use merrow_environment::air::wind;
use merrow_math::Vec3;
use merrow_model::scene::Sea;
use merrow_model::state::Command;
use merrow_model::state::commands::WeatherChange;
use merrow_moos::message::Message;

/// Fastest current and wind [m/s], as of the parameters of a world.
const MAX_CURRENT: f64 = 20.0;
const MAX_WIND: f64 = 100.0;

/// Variables of the current and the wind.
pub(crate) const INPUTS: [&str; 8] = [
    "CURRENT_X",
    "CURRENT_Y",
    "DRIFT_X",
    "DRIFT_Y",
    "DRIFT_VECTOR",
    "DRIFT_VECTOR_ADD",
    "DRIFT_VECTOR_MULT",
    "WIND_CONDITIONS",
];

/// Returns the command of a variable of [`INPUTS`]; `None` for another one.
///
/// # Errors
/// One line: its value is not one of the variable.
pub(crate) fn command(
    key: &str,
    message: &Message,
    sea: &Sea,
    wind_W: Vec3,
) -> Result<Option<Command>, String> {
    if key == "WIND_CONDITIONS" {
        let change = WeatherChange {
            wind: Some(wind(&message.text(), wind_W)?),
            ..WeatherChange::default()
        };
        return Ok(Some(Command::Weather(Box::new(change))));
    }
    let surface = drift(sea);
    let number = || {
        let number = message.number().filter(|number| number.is_finite());
        number.ok_or_else(|| "expected a finite number".to_string())
    };
    let drift = match key {
        "DRIFT_X" | "CURRENT_X" => Vec3::new(number()?, surface.y, 0.0),
        "DRIFT_Y" | "CURRENT_Y" => Vec3::new(surface.x, number()?, 0.0),
        "DRIFT_VECTOR" => vector(&message.text())?,
        "DRIFT_VECTOR_ADD" => surface + vector(&message.text())?,
        "DRIFT_VECTOR_MULT" => surface.scale(number()?),
        _ => return Ok(None),
    };
    let mut changed = sea.clone();
    changed.current.profile = vec![(0.0, limited(drift)?)];
    Ok(Some(Command::Sea(Box::new(changed))))
}

/// Returns the current at the surface, in W [m/s].
pub(crate) fn drift(sea: &Sea) -> Vec3 {
    let surface = sea.current.profile.first();
    surface.map_or(Vec3::zero(), |(_, v)| *v)
}

/// Returns the summary of the current that uSimMarineV22 posts as `USM_DRIFT_SUMMARY`.
pub(crate) fn drift_summary(sea: &Sea) -> String {
    let v = drift(sea);
    let angle = v.x.atan2(v.y).to_degrees().rem_euclid(360.0);
    let speed = v.x.hypot(v.y);
    format!(
        "ang={angle:.2}, mag={speed:.2}, xmag={:.3}, ymag={:.3}",
        v.x, v.y
    )
}

/// Returns the wind of `spd=,dir=` [m/s, deg], in W; what is absent is that of `wind_W` [m/s].
fn wind(text: &str, wind_W: Vec3) -> Result<Vec3, String> {
    let [speed, from] = ["spd", "dir"].map(|name| value(text, name));
    match (speed?, from?) {
        (None, None) => Err(format!("expected `spd=,dir=` [m/s, deg], found {text:?}")),
        (Some(speed), _) if !(0.0..=MAX_WIND).contains(&speed) => {
            Err(format!("spd: expected 0 to {MAX_WIND} m/s, found {speed}"))
        }
        (speed, from) => Ok(wind::velocity_from(
            speed.unwrap_or(wind_W.norm()),
            from.unwrap_or(wind::direction_from_deg(wind_W)),
        )),
    }
}

/// Returns a current that is not faster than that of a world.
fn limited(drift: Vec3) -> Result<Vec3, String> {
    let speed = drift.norm();
    if speed <= MAX_CURRENT {
        return Ok(drift);
    }
    Err(format!(
        "expected a current of at most {MAX_CURRENT} m/s, found {speed} m/s"
    ))
}

/// Reads a current `angle,speed` [deg, m/s].
fn vector(text: &str) -> Result<Vec3, String> {
    let parts = text.split_once(',').and_then(|(angle, speed)| {
        let finite = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        Some([finite(angle)?, finite(speed)?])
    });
    let [angle, speed] =
        parts.ok_or_else(|| format!("expected `angle,speed` [deg, m/s], found {text:?}"))?;
    let (sin, cos) = angle.to_radians().sin_cos();
    Ok(Vec3::new(speed * sin, speed * cos, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn currents_and_winds_have_limits() {
        assert!(limited(Vec3::new(1e300, 0.0, 0.0)).is_err());
        assert!(limited(Vec3::new(0.5, -0.2, 0.0)).is_ok());
        let why = wind("spd=101", Vec3::zero()).unwrap_err();
        assert_eq!(why, "spd: expected 0 to 100 m/s, found 101");
        let still = wind("spd=6", Vec3::new(-1.0, 0.0, 0.0)).unwrap();
        assert!((still - Vec3::new(-6.0, 0.0, 0.0)).norm() < 1e-12);
    }

    #[test]
    fn currents_have_angles_and_speeds() {
        let east = vector("90, 0.5").unwrap();
        assert!((east - Vec3::new(0.5, 0.0, 0.0)).norm() < 1e-12);
        for text in ["", "90", "a,1", "90,inf"] {
            assert!(vector(text).is_err(), "{text}");
        }
    }
}
