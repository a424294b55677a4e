//! Weather parameters and service: names, ranges, and the change that a batch of values requests.

use merrow_environment::air::wind;
use merrow_model::scene::Sea;
use merrow_model::scene::sea::air::Air;
use merrow_model::state::commands::WeatherChange;
use merrow_ros2::parameters::range::Range;
use merrow_ros2::parameters::value::ParameterValue as Value;
use merrow_ros2::parameters::{Declaration, ParameterServer};

/// Name, minimum and maximum, and description of every weather field that can be set.
const FIELDS: [(&str, [f64; 2], &str); 8] = [
    (
        "wind_speed_m_s",
        [0.0, 100.0],
        "Mean wind speed at the reference height [m/s].",
    ),
    (
        "wind_from_deg",
        [-360.0, 360.0],
        "Direction from which the wind blows, clockwise from north [deg].",
    ),
    ("gustiness", [0.0, 10.0], "Factor on the gusts [1]."),
    (
        "temperature_c",
        [-60.0, 60.0],
        "Temperature of the air at sea level [deg C].",
    ),
    (
        "cloud_cover",
        [0.0, 1.0],
        "Fraction of the sky covered by clouds [1].",
    ),
    ("rain_mm_h", [0.0, 500.0], "Rain rate [mm/h]."),
    (
        "visibility_m",
        [1.0, 100_000.0],
        "Meteorological visibility [m].",
    ),
    (
        "time_of_day_h",
        [0.0, 24.0],
        "Current universal time of day [h]; the date does not change.",
    ),
];
const PREFIX: &str = "weather.";

/// Declares all weather parameters.
pub fn declarations(sea: &Sea) -> Vec<Declaration> {
    let one = |(name, [low, high], text): (&str, [f64; 2], &str)| {
        let value = Value::Double(initial_value(&sea.air, name));
        Declaration::new(&format!("{PREFIX}{name}"), value, text)
            .with_range(Range::doubles(low, high))
    };
    FIELDS.into_iter().map(one).collect()
}

/// Returns the value of a field in the world file.
fn initial_value(air: &Air, name: &str) -> f64 {
    let weather = &air.to;
    match name {
        "wind_speed_m_s" => weather.wind.norm(),
        "wind_from_deg" => wind::direction_from_deg(weather.wind),
        "gustiness" => weather.gustiness,
        "temperature_c" => weather.temperature,
        "cloud_cover" => weather.cloud_cover,
        "rain_mm_h" => weather.rain,
        "visibility_m" => weather.visibility,
        _ => air.start_utc.rem_euclid(86_400.0) / 3600.0,
    }
}

/// Returns the change that a batch of parameters requests; `None` if it contains no weather
/// parameter. `value` returns the new value of a parameter.
pub fn change_from_parameters(
    batch: &[(String, Value)],
    value: impl Fn(&str) -> Option<f64>,
) -> Option<WeatherChange> {
    let names: Vec<&str> = batch
        .iter()
        .filter_map(|(name, _)| name.strip_prefix(PREFIX))
        .collect();
    if names.is_empty() {
        return None;
    }
    let get = |name: &str| value(&format!("{PREFIX}{name}"));
    let given = |name: &str| names.contains(&name).then(|| get(name)).flatten();
    Some(build_change(given, get, 0.0))
}

/// Returns the current value of a field.
pub fn parameter_value(parameters: &ParameterServer, name: &str) -> Option<f64> {
    match parameters.get(&format!("{PREFIX}{name}")) {
        Some(Value::Double(value)) => Some(value),
        _ => None,
    }
}

/// Converts the fields of a request to parameters with their new values.
pub fn to_parameters(names: &[String], values: &[f64]) -> Vec<(String, Value)> {
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
pub fn change_from_request(
    names: &[String],
    values: &[f64],
    duration_s: f64,
    current: impl Fn(&str) -> Option<f64>,
) -> Result<WeatherChange, String> {
    if names.len() != values.len() {
        return Err(format!(
            "expected one value for each name, found {} values for {} names",
            values.len(),
            names.len()
        ));
    }
    if !(duration_s.is_finite() && duration_s >= 0.0) {
        return Err(format!(
            "duration_s: expected 0 or more seconds, found {duration_s}"
        ));
    }
    for (name, value) in names.iter().zip(values) {
        let Some((_, [low, high], _)) = FIELDS.iter().find(|(known, _, _)| known == name) else {
            let known = FIELDS.map(|(name, _, _)| name).join(", ");
            return Err(format!(
                "no weather field {name:?}; expected one of {known}"
            ));
        };
        if !(*low..=*high).contains(value) {
            return Err(format!("{name}: expected {low} to {high}, found {value}"));
        }
    }
    let find = |requested: &str| {
        names
            .iter()
            .rposition(|name| name == requested)
            .map(|k| values[k])
    };
    let known = |name: &str| find(name).or_else(|| current(name));
    Ok(build_change(find, known, duration_s))
}

/// Builds a change. `given` returns the fields that change, `known` also returns the fields that
/// stay.
fn build_change(
    given: impl Fn(&str) -> Option<f64>,
    known: impl Fn(&str) -> Option<f64>,
    duration_s: f64,
) -> WeatherChange {
    let (speed, from) = ("wind_speed_m_s", "wind_from_deg");
    let wind = (given(speed).is_some() || given(from).is_some())
        .then(|| Some(wind::velocity_from(known(speed)?, known(from)?)))
        .flatten();
    WeatherChange {
        wind,
        gustiness: given("gustiness"),
        temperature: given("temperature_c"),
        cloud_cover: given("cloud_cover"),
        rain: given("rain_mm_h"),
        visibility: given("visibility_m"),
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
            (c.rain, c.visibility, c.duration_s),
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
