//! The same mission with many seeds, each with its weather and current.

use std::fmt::Write as _;

use merrow_math::rng::Stream;
use serde_json::Value;

use super::run::{Settings, run};

/// Largest wind [m/s] and additional uniform current [m/s].
const MAX_WIND_M_S: f64 = 8.0;
const MAX_CURRENT_M_S: f64 = 0.25;
/// Least and largest visibility [m], between which its logarithm is uniform: fog to clear air.
const VISIBILITY_M: [f64; 2] = [100.0, 20_000.0];

/// Weather and current of a seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Speed of the wind [m/s] and direction from which it blows, clockwise from north [deg].
    pub wind: [f64; 2],
    /// Speed [m/s] and direction of the current in addition to that of the river [deg].
    pub current: [f64; 2],
    /// Visibility [m].
    pub visibility_m: f64,
}

impl Conditions {
    /// Draws the conditions of a seed.
    pub fn draw(seed: u64) -> Self {
        let mut draws = Stream::new(seed, "mission_conditions").draw(0);
        let mut tenths = |from: f64, to: f64| {
            let value = from + (to - from) * draws.uniform();
            (10.0 * value).round() / 10.0
        };
        let wind = [tenths(0.0, MAX_WIND_M_S), tenths(0.0, 360.0).round()];
        let direction = tenths(0.0, 360.0).round();
        let [low, high] = VISIBILITY_M;
        let visibility_m = low * libm::pow(high / low, draws.uniform());
        let speed = MAX_CURRENT_M_S * draws.uniform();
        Self {
            wind,
            current: [(100.0 * speed).round() / 100.0, direction],
            visibility_m: visibility_m.round(),
        }
    }

    /// Returns the keys of the world as arguments of `--set`.
    pub fn set(&self) -> Vec<String> {
        let Self {
            wind,
            current,
            visibility_m,
        } = self;
        vec![
            format!("weather.wind_speed_m_s={}", wind[0]),
            format!("weather.wind_from_deg={}", wind[1]),
            format!("weather.visibility_m={visibility_m}"),
            format!(
                "water.current={{kind: uniform, speed_m_s: {}, direction_deg: {}}}",
                current[0], current[1]
            ),
        ]
    }
}

/// Heading of the table of [`run_seeds`].
const HEADING: &str = "\
| seed | wind | current | visibility | way-points | contacts | closest | landing error | time | reached the end |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";

/// Runs the mission with every seed of a range and prints a row for each. Returns the number of
/// missions that reached the end without a contact, and of all.
///
/// # Errors
/// One line: a mission could not run; the ones before it are printed.
pub fn run_seeds(settings: &Settings, from: u64, to: u64) -> Result<[u64; 2], String> {
    if from > to {
        return Err(format!(
            "--from {from} --to {to}: expected the least seed first"
        ));
    }
    println!("{HEADING}");
    let mut counts = [0, 0];
    for seed in from..=to {
        let conditions = Conditions::draw(seed);
        let mut settings = settings.clone();
        settings.seed = Some(seed);
        settings.out = settings.out.join(format!("seed_{seed}"));
        // what the user sets replaces the conditions
        let set = std::mem::take(&mut settings.set);
        settings.set = conditions.set().into_iter().chain(set).collect();
        let score = run(&settings)?;
        counts[0] += u64::from(score["success"] == true);
        counts[1] += 1;
        println!("{}", row(seed, &conditions, &score));
    }
    Ok(counts)
}

/// Returns the row of a mission.
fn row(seed: u64, conditions: &Conditions, score: &Value) -> String {
    let Conditions {
        wind,
        current,
        visibility_m,
    } = conditions;
    let boats = || score["boats"].as_array().into_iter().flatten();
    let sum = |key: &str| -> u64 { boats().filter_map(|boat| boat[key].as_u64()).sum() };
    let objects = |boat: &Value| -> Vec<String> {
        let maps = [&boat["contacts"], &boat["drone_contacts"]];
        let names = maps.into_iter().filter_map(Value::as_object);
        names.flat_map(|map| map.keys().cloned()).collect()
    };
    let touched: Vec<String> = boats().flat_map(objects).collect();
    let closest = boats().filter_map(|boat| boat["closest_approach_m"].as_f64());
    let landings = boats().flat_map(|boat| boat["landings"].as_array().into_iter().flatten());
    let errors = landings.filter_map(|landing| landing["error_m"].as_f64());
    let errors: Vec<String> = errors.map(|error| format!("{error:.2} m")).collect();
    let mut text = format!(
        "| {seed} | {} m/s from {} deg | {} m/s to {} deg | {visibility_m} m ",
        wind[0], wind[1], current[0], current[1]
    );
    let named = |names: Vec<String>| match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    };
    // writing to a String cannot fail
    let _ = write!(
        text,
        "| {} of {} | {} | {:.1} m | {} | {:.0} s | {} |",
        sum("way_points_reached"),
        sum("way_points"),
        named(touched),
        closest.fold(f64::INFINITY, f64::min),
        named(errors),
        score["time_s"].as_f64().unwrap_or(f64::NAN),
        if score["success"] == true {
            "yes"
        } else {
            "no"
        },
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn conditions_belong_to_their_seed() {
        let all: Vec<Conditions> = (1..=200).map(Conditions::draw).collect();
        assert_eq!(all[4], Conditions::draw(5));
        for c in &all {
            assert!((0.0..=MAX_WIND_M_S).contains(&c.wind[0]), "{c:?}");
            assert!((0.0..=MAX_CURRENT_M_S).contains(&c.current[0]), "{c:?}");
            assert!((VISIBILITY_M[0]..=VISIBILITY_M[1]).contains(&c.visibility_m));
        }
        let in_fog = all.iter().filter(|c| c.visibility_m < 1000.0).count();
        assert!((60..120).contains(&in_fog), "{in_fog}");
        let in_wind = all.iter().filter(|c| c.wind[0] > 4.0).count();
        assert!((80..120).contains(&in_wind), "{in_wind}");
        assert_eq!(all[0].set().len(), 4);
    }

    #[test]
    fn rows_state_contacts_and_landings() {
        let score = json!({"success": false, "time_s": 12.0, "boats": [{
            "way_points_reached": 2, "way_points": 3, "closest_approach_m": 1.25,
            "contacts": {"ground": [1, 2.0, [0.0, 0.0]]}, "drone_contacts": {},
            "landings": [{"error_m": 0.05}],
        }]});
        let row = row(7, &Conditions::draw(7), &score);
        assert!(row.starts_with("| 7 | "), "{row}");
        let end = "| 2 of 3 | ground | 1.2 m | 0.05 m | 12 s | no |";
        assert!(row.ends_with(end), "{row}");
    }
}
