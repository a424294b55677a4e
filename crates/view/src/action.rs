//! Actions that a client requests: decoding and checks of its messages.
//!
//! A message is one JSON object with at most [`MAX_MESSAGE_BYTES`]. Every number must be finite and
//! within its range.

use merrow_sim::Pace;
use serde_json::{Map, Value};

/// Maximum length of a message of a client [bytes].
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// Maximum number of waypoints of a path.
pub const MAX_WAYPOINTS: usize = 64;
/// Maximum number of parameters in one message.
pub const MAX_PARAMETERS: usize = 32;
/// Maximum number of steps of one step request.
pub const MAX_STEPS: u64 = 1_000_000;
/// Maximum length of a name [bytes].
const MAX_NAME_BYTES: usize = 256;
/// Maximum magnitude of a coordinate [m].
const MAX_COORDINATE: f64 = 1e7;

/// Action that a client requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Receive the details of this robot; `None`: of no robot.
    Select(Option<String>),
    /// Change the running world.
    Control(ControlAction),
}

/// Action that changes the running world.
#[derive(Clone, Debug, PartialEq)]
pub enum ControlAction {
    /// Pause the running world.
    Pause,
    /// Resume the world after a pause.
    Resume,
    /// Make this number of steps while the world is paused.
    Step(u64),
    /// Reset time and state to the start of the run.
    Reset,
    /// Change the pace of the run.
    Pace(Pace),
    /// Set parameters of the world by name.
    Parameters(Vec<(String, f64)>),
    /// Drive a robot: fractions of its maximum speed, or of its maximum wrench, forward, left, up
    /// and counter-clockwise, -1..1.
    Drive {
        /// Name of the robot.
        robot: String,
        /// Surge, sway, heave and yaw, -1..1.
        axes: [f64; 4],
    },
    /// Follow waypoints in the world frame [m].
    Path {
        /// Name of the robot.
        robot: String,
        /// Waypoints in W [m].
        points: Vec<[f64; 3]>,
    },
}

/// Message of a client with the number that the answer repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientMessage {
    /// Number that the client has chosen; the answer contains it.
    pub id: u64,
    /// Action that the client requests.
    pub action: Action,
}

/// Decodes a message of a client.
///
/// # Errors
/// One line: what is wrong, the value found and the expected value.
pub fn decode(text: &str) -> Result<ClientMessage, String> {
    if text.len() > MAX_MESSAGE_BYTES {
        let found = text.len();
        return Err(format!(
            "message of {found} bytes; expected at most {MAX_MESSAGE_BYTES}"
        ));
    }
    let value: Value = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
    let Value::Object(map) = value else {
        return Err("found no object; expected an object with the key \"do\"".to_string());
    };
    let id = match map.get("id") {
        None => 0,
        Some(id) => id
            .as_u64()
            .ok_or_else(|| unexpected("id", id, "a whole number of at least 0"))?,
    };
    let action = action(&map)?;
    Ok(ClientMessage { id, action })
}

fn action(map: &Map<String, Value>) -> Result<Action, String> {
    let control = match text(map, "do")? {
        "select" => {
            let robot = match map.get("robot") {
                None | Some(Value::Null) => None,
                Some(_) => Some(text(map, "robot")?.to_string()),
            };
            return Ok(Action::Select(robot));
        }
        "pause" => ControlAction::Pause,
        "resume" => ControlAction::Resume,
        "step" => ControlAction::Step(steps(map)?),
        "reset" => ControlAction::Reset,
        "pace" => ControlAction::Pace(Pace::parse(text(map, "pace")?)?),
        "set" => ControlAction::Parameters(parameters(map)?),
        "drive" => ControlAction::Drive {
            robot: text(map, "robot")?.to_string(),
            axes: numbers(map.get("axes"), "axes", 1.0)?,
        },
        "path" => ControlAction::Path {
            robot: text(map, "robot")?.to_string(),
            points: points(map)?,
        },
        other => {
            let expected = "select, pause, resume, step, reset, pace, set, drive or path";
            return Err(unexpected("do", &Value::from(other), expected));
        }
    };
    Ok(Action::Control(control))
}

fn steps(map: &Map<String, Value>) -> Result<u64, String> {
    let value = map.get("steps").unwrap_or(&Value::Null);
    let n = value.as_u64().filter(|n| (1..=MAX_STEPS).contains(n));
    n.ok_or_else(|| unexpected("steps", value, &format!("1 to {MAX_STEPS}")))
}

fn parameters(map: &Map<String, Value>) -> Result<Vec<(String, f64)>, String> {
    let Some(Value::Object(given)) = map.get("parameters") else {
        return Err("parameters: expected an object of names and numbers".to_string());
    };
    if given.is_empty() || given.len() > MAX_PARAMETERS {
        let found = given.len();
        return Err(format!(
            "parameters: found {found}; expected 1 to {MAX_PARAMETERS}"
        ));
    }
    let one = |(name, value): (&String, &Value)| {
        if name.len() > MAX_NAME_BYTES {
            return Err("parameters: name too long".to_string());
        }
        Ok((name.clone(), number(value, name, f64::MAX)?))
    };
    given.iter().map(one).collect()
}

fn points(map: &Map<String, Value>) -> Result<Vec<[f64; 3]>, String> {
    let points = map.get("points").and_then(Value::as_array);
    let points = points.ok_or("points: expected a list of [x, y, z]")?;
    if points.is_empty() || points.len() > MAX_WAYPOINTS {
        let found = points.len();
        return Err(format!(
            "points: found {found}; expected 1 to {MAX_WAYPOINTS}"
        ));
    }
    let one = |point: &Value| numbers(Some(point), "points", MAX_COORDINATE);
    points.iter().map(one).collect()
}

/// Returns a text value of at most [`MAX_NAME_BYTES`].
fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    let value = map.get(key).unwrap_or(&Value::Null);
    let text = value.as_str().filter(|text| text.len() <= MAX_NAME_BYTES);
    text.ok_or_else(|| {
        unexpected(
            key,
            value,
            &format!("a text of at most {MAX_NAME_BYTES} bytes"),
        )
    })
}

/// Returns a list of exactly `N` numbers with magnitudes up to `max`.
fn numbers<const N: usize>(value: Option<&Value>, key: &str, max: f64) -> Result<[f64; N], String> {
    let list = value
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    if list.len() != N {
        let found = list.len();
        return Err(format!("{key}: found {found} numbers; expected {N}"));
    }
    let mut out = [0.0; N];
    for (out, value) in out.iter_mut().zip(list) {
        *out = number(value, key, max)?;
    }
    Ok(out)
}

fn number(value: &Value, key: &str, max: f64) -> Result<f64, String> {
    let x = value.as_f64().filter(|x| x.is_finite() && x.abs() <= max);
    x.ok_or_else(|| match max {
        f64::MAX => unexpected(key, value, "a number"),
        _ => unexpected(key, value, &format!("a number from -{max} to {max}")),
    })
}

/// Returns the message for a value that is not valid. The value is shortened.
fn unexpected(key: &str, value: &Value, expected: &str) -> String {
    let mut found = value.to_string();
    if let Some((end, _)) = found.char_indices().nth(40) {
        found.truncate(end);
        found.push_str("...");
    }
    format!("{key}: found {found}; expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> ControlAction {
        match decode(text).unwrap().action {
            Action::Control(action) => action,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_action_is_decoded() {
        assert_eq!(control(r#"{"do":"pause"}"#), ControlAction::Pause);
        assert_eq!(control(r#"{"do":"resume"}"#), ControlAction::Resume);
        assert_eq!(control(r#"{"do":"reset"}"#), ControlAction::Reset);
        assert_eq!(
            control(r#"{"do":"step","steps":5}"#),
            ControlAction::Step(5)
        );
        let pace = control(r#"{"do":"pace","pace":"2.5"}"#);
        assert_eq!(pace, ControlAction::Pace(Pace::Factor(2.5)));
        let set = control(r#"{"do":"set","parameters":{"water.waves.hs_m":1.5}}"#);
        let expected = vec![("water.waves.hs_m".to_string(), 1.5)];
        assert_eq!(set, ControlAction::Parameters(expected));
        let robot = "rov".to_string();
        let axes = [1.0, -1.0, 0.5, 0.0];
        let drive = control(r#"{"do":"drive","robot":"rov","axes":[1,-1,0.5,0]}"#);
        assert_eq!(drive, ControlAction::Drive { robot, axes });
        let select = decode(r#"{"do":"select","robot":"rov","id":7}"#).unwrap();
        assert_eq!(select.id, 7);
        assert_eq!(select.action, Action::Select(Some("rov".to_string())));
        let none = decode(r#"{"do":"select","robot":null}"#).unwrap();
        assert_eq!(none.action, Action::Select(None));
    }

    #[test]
    fn wrong_values_are_refused_with_one_line() {
        for (message, expected) in [
            ("", "not JSON"),
            ("[]", "expected an object"),
            (r#"{"do":"fly"}"#, "do: found \"fly\""),
            (r#"{"do":"step","steps":0}"#, "expected 1 to 1000000"),
            (r#"{"do":"step","steps":-1}"#, "found -1"),
            (
                r#"{"do":"drive","robot":"r","axes":[2,0,0,0]}"#,
                "from -1 to 1",
            ),
            (
                r#"{"do":"drive","robot":"r","axes":[0,0]}"#,
                "found 2 numbers",
            ),
            (
                r#"{"do":"path","robot":"r","points":[]}"#,
                "expected 1 to 64",
            ),
            (r#"{"do":"set","parameters":{"a":"x"}}"#, "a: found"),
            (r#"{"do":"pace","pace":"-1"}"#, "unknown pace"),
            (r#"{"do":"pause","id":-2}"#, "id: found -2"),
        ] {
            let error = decode(message).unwrap_err();
            assert!(error.contains(expected), "{message}: {error}");
            assert!(!error.contains('\n') && error.len() < 200, "{error}");
        }
    }

    #[test]
    fn long_messages_are_refused() {
        let text = format!(
            r#"{{"do":"pause","x":"{}"}}"#,
            "a".repeat(MAX_MESSAGE_BYTES)
        );
        assert!(decode(&text).unwrap_err().contains("expected at most"));
        let robot = "r".repeat(300);
        let text = format!(r#"{{"do":"select","robot":"{robot}"}}"#);
        assert!(decode(&text).unwrap_err().len() < 200);
    }
}
