//! Weather parameters and service: names, ranges, and the change that a batch of values requests.

use super::world_parameter::{Effect, WorldParameter};
use crate::input::mailbox::named_values;
use merrow_environment::air::wind;
use merrow_model::scene::Sea;
use merrow_model::scene::sea::air::Air;
use merrow_model::state::commands::WeatherChange;
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::parameters::value::ParameterValue as Value;

/// A field of the weather that can be set.
struct Field {
    name: &'static str,
    range: [f64; 2],
    text: &'static str,
    /// Value in the world file.
    initial: fn(&Air) -> f64,
}

const SPEED: &str = "wind_speed_m_s";
const FROM: &str = "wind_from_deg";

macro_rules! fields {
    ($($name:literal $range:tt $initial:expr, $text:literal;)*) => {
        const FIELDS: &[Field] = &[$(Field {
            name: $name,
            range: $range,
            text: $text,
            initial: $initial,
        }),*];
    };
}

fields! {
    "wind_speed_m_s" [0.0, 100.0] |air| air.to.wind.norm(), "Mean wind speed at the reference height [m/s].";
    "wind_from_deg" [-360.0, 360.0] |air| wind::direction_from_deg(air.to.wind), "Direction from which the wind blows, clockwise from north [deg].";
    "gustiness" [0.0, 10.0] |air| air.to.gustiness, "Factor on the gusts [1].";
    "temperature_c" [-60.0, 60.0] |air| air.to.temperature_c, "Temperature of the air at sea level [deg C].";
    "cloud_cover" [0.0, 1.0] |air| air.to.cloud_cover, "Fraction of the sky covered by clouds [1].";
    "rain_mm_h" [0.0, 500.0] |air| air.to.rain_mm_h, "Rain rate [mm/h].";
    "visibility_m" [1.0, 100_000.0] |air| air.to.visibility_m, "Meteorological visibility [m].";
    "time_of_day_h" [0.0, 24.0] |air| air.start_utc.rem_euclid(86_400.0) / 3600.0, "Current universal time of day [h]; the date does not change.";
}
const PREFIX: &str = "weather.";

/// Returns all weather parameters.
pub(super) fn parameters(sea: &Sea) -> impl Iterator<Item = WorldParameter> {
    FIELDS.iter().map(|field| {
        WorldParameter::number(
            &format!("{PREFIX}{}", field.name),
            (field.initial)(&sea.air),
            field.range,
            field.text,
            Effect::Weather,
        )
    })
}

/// Returns the change that the parameters of a batch request. `value` returns the new value of a
/// parameter.
pub(super) fn change_from_parameters(
    batch: &[(String, Value)],
    value: impl Fn(&str) -> Option<f64>,
) -> WeatherChange {
    let get = |name: &str| value(&format!("{PREFIX}{name}"));
    let given = |name: &str| {
        let mut names = batch
            .iter()
            .filter_map(|(name, _)| name.strip_prefix(PREFIX));
        names
            .any(|other| other == name)
            .then(|| get(name))
            .flatten()
    };
    build_change(given, get, 0.0)
}

/// Returns the current value of a field.
pub(crate) fn parameter_value(parameters: &ParameterServer, name: &str) -> Option<f64> {
    match parameters.get(&format!("{PREFIX}{name}")) {
        Some(Value::Double(value)) => Some(value),
        _ => None,
    }
}

/// Converts the fields of a request to parameters with their new values.
pub(crate) fn to_parameters(names: &[String], values: &[f64]) -> Vec<(String, Value)> {
    names
        .iter()
        .zip(values)
        .map(|(name, x)| (format!("{PREFIX}{name}"), Value::Double(*x)))
        .collect()
}

/// Converts a request to a weather change, which takes `duration_s` [s]. `current` returns the
/// current value of a field: a wind speed without a direction keeps the direction, and the reverse.
///
/// # Errors
/// One line with the reason why the request is invalid.
pub(crate) fn change_from_request(
    names: &[String],
    values: &[f64],
    duration_s: f64,
    current: impl Fn(&str) -> Option<f64>,
) -> Result<WeatherChange, String> {
    let find = named_values(names, values)?;
    if !(duration_s.is_finite() && duration_s >= 0.0) {
        return Err(format!(
            "duration_s: expected 0 or more seconds, found {duration_s}"
        ));
    }
    for (name, value) in names.iter().zip(values) {
        let Some(field) = FIELDS.iter().find(|field| field.name == name) else {
            let known: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
            let known = known.join(", ");
            return Err(format!(
                "no weather field {name:?}; expected one of {known}"
            ));
        };
        let [low, high] = field.range;
        if !(low..=high).contains(value) {
            return Err(format!("{name}: expected {low} to {high}, found {value}"));
        }
    }
    let known = |name: &str| find(name).or_else(|| current(name));
    Ok(build_change(&find, known, duration_s))
}

/// Builds a change. `given` returns the fields that change, `known` also returns the fields that
/// stay.
fn build_change(
    given: impl Fn(&str) -> Option<f64>,
    known: impl Fn(&str) -> Option<f64>,
    duration_s: f64,
) -> WeatherChange {
    let wind = (given(SPEED).is_some() || given(FROM).is_some())
        .then(|| Some(wind::velocity_from(known(SPEED)?, known(FROM)?)))
        .flatten();
    WeatherChange {
        wind,
        gustiness: given("gustiness"),
        temperature_c: given("temperature_c"),
        cloud_cover: given("cloud_cover"),
        rain_mm_h: given("rain_mm_h"),
        visibility_m: given("visibility_m"),
        time_of_day_s: given("time_of_day_h").map(|h| h * 3600.0),
        duration_s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(names: &[&str], values: &[f64], duration_s: f64) -> Result<WeatherChange, String> {
        let current = |name: &str| Some(if name == "wind_from_deg" { 180.0 } else { 7.0 });
        change_from_request(&names.map(|n| n.to_string()), values, duration_s, current)
    }

    trait Names {
        fn map(&self, f: impl Fn(&str) -> String) -> Vec<String>;
    }
    impl Names for [&str] {
        fn map(&self, f: impl Fn(&str) -> String) -> Vec<String> {
            self.iter().map(|n| f(n)).collect()
        }
    }

    #[test]
    fn requests_become_changes() {
        let c = change(
            &["wind_speed_m_s", "wind_from_deg", "rain_mm_h"],
            &[5.0, 90.0, 3.0],
            60.0,
        )
        .unwrap();
        let wind = c.wind.unwrap();
        assert!(
            (wind.x + 5.0).abs() < 1e-12 && wind.y.abs() < 1e-12,
            "an east wind blows westwards: {wind:?}"
        );
        assert_eq!(
            (c.rain_mm_h, c.visibility_m, c.duration_s),
            (Some(3.0), None, 60.0)
        );
    }

    #[test]
    fn a_wind_speed_keeps_the_direction_and_the_reverse() {
        let wind = |name: &str, value: f64| change(&[name], &[value], 0.0).unwrap().wind.unwrap();
        let (slow, west) = (wind("wind_speed_m_s", 2.0), wind("wind_from_deg", 270.0));
        assert!(
            (slow.y - 2.0).abs() < 1e-12 && slow.x.abs() < 1e-12,
            "{slow:?}"
        );
        assert!(
            (west.x - 7.0).abs() < 1e-12 && west.y.abs() < 1e-12,
            "{west:?}"
        );
    }

    #[test]
    fn invalid_requests_state_the_reason() {
        let wrong = |names: &[&str], values: &[f64], duration: f64| {
            change(names, values, duration).unwrap_err()
        };
        assert_eq!(
            wrong(&["rain_mm_h"], &[], 0.0),
            "expected one value for each name, found 0 values for 1 names"
        );
        assert_eq!(
            wrong(&[], &[], -1.0),
            "duration_s: expected 0 or more seconds, found -1"
        );
        assert_eq!(
            wrong(&["cloud_cover"], &[2.0], 0.0),
            "cloud_cover: expected 0 to 1, found 2"
        );
        assert_eq!(
            wrong(&["visibility_m"], &[f64::NAN], 0.0),
            "visibility_m: expected 1 to 100000, found NaN"
        );
        assert!(
            wrong(&["snow"], &[2.0], 0.0)
                .starts_with("no weather field \"snow\"; expected one of wind_speed_m_s")
        );
    }
}
