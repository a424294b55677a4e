//! Actions that a client requests: declarations and limits of its messages.
//!
//! A message is one JSON object with at most [`MAX_MESSAGE_BYTES`]. Its key `do` names the action,
//! `id` is the number that the answer repeats, and the other keys are the fields of the action.

use crate::message::{Message, object};
use crate::values::{
    MAX_COORDINATE, count, file_name, flag, list, name, named_numbers, number, numbers, quaternion,
    shorten, text, unexpected,
};
use merrow_sim::Pace;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Maximum length of a message of a client [bytes].
pub(crate) const MAX_MESSAGE_BYTES: usize = 16 * 1024;
/// Maximum number of waypoints of a path.
pub const MAX_WAYPOINTS: usize = 64;
/// Maximum number of parameters in one message.
pub const MAX_PARAMETERS: usize = 32;
/// Maximum number of steps of one step request.
pub const MAX_STEPS: u64 = 1_000_000;
/// Maximum numbers of axes and of buttons of a gamepad.
pub const MAX_GAMEPAD: usize = 32;
/// Maximum number of robots whose fields a client plots.
pub(crate) const MAX_PLOTTED: usize = 6;
/// Maximum number of images of sensors that a client receives.
pub(crate) const MAX_WATCHED: usize = 4;
/// Maximum number of topics whose fields a client plots.
pub(crate) const MAX_TOPICS: usize = 8;
/// Maximum number of plotted fields of one topic.
pub(crate) const MAX_FIELDS: usize = 6;
/// Maximum number of values of a fault.
pub(crate) const MAX_FAULT_VALUES: usize = 16;
/// Maximum time of a recording [s].
pub(crate) const MAX_SEEK_S: f64 = 1e10;
/// Maximum force [N] and moment [N m] of a push.
pub const MAX_PUSH: f64 = 1e7;
/// Maximum duration of a fault [s].
pub const MAX_FAULT_S: f64 = 1e9;
/// Maximum length of the reason of a refusal [characters].
const MAX_REFUSAL: usize = 400;

/// Action that a client requests.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Receive the details of this robot; `None`: of no robot.
    Select {
        /// Name of the robot.
        #[serde(default, deserialize_with = "name_or_null")]
        robot: Option<String>,
    },
    /// Receive these images of sensors.
    Watch {
        /// Names of the images.
        #[serde(deserialize_with = "images")]
        images: Vec<ImageName>,
    },
    /// Receive the readings of the selected robot for overlays, or no longer.
    Overlay {
        /// Whether the client receives readings.
        #[serde(rename = "on", deserialize_with = "a_flag")]
        is_on: bool,
        /// Whether the readings contain the wetted hull.
        #[serde(default, rename = "hull", deserialize_with = "a_flag")]
        has_hull: bool,
    },
    /// Receive the activities of the modems, or no longer.
    Network {
        /// Whether the client receives activities.
        #[serde(rename = "on", deserialize_with = "a_flag")]
        is_on: bool,
    },
    /// Receive the details of these robots for plots, in addition to the selected robot.
    Plot {
        /// Names of the robots.
        #[serde(deserialize_with = "robots")]
        robots: Vec<String>,
    },
    /// Receive the samples of the fields of these topics.
    Topics {
        /// Topics with their fields.
        #[serde(deserialize_with = "topics")]
        topics: Vec<PlottedTopic>,
    },
    /// Change the running world.
    #[serde(skip)]
    Control(ControlAction),
}

/// Image of a sensor.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageName {
    /// Name of the robot.
    #[serde(deserialize_with = "a_name")]
    pub robot: String,
    /// Name of the sensor.
    #[serde(deserialize_with = "a_name")]
    pub sensor: String,
    /// Name of the image among the images of the sensor.
    #[serde(deserialize_with = "a_name")]
    pub image: String,
}

/// Topic whose fields a client plots.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlottedTopic {
    /// Name of the topic.
    #[serde(deserialize_with = "a_name")]
    pub topic: String,
    /// Paths of the plotted fields; without any, the client receives the names of the fields.
    #[serde(deserialize_with = "fields")]
    pub fields: Vec<String>,
}

/// Action that changes the running world.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ControlAction {
    /// Pause the running world.
    Pause,
    /// Resume the world after a pause.
    Resume,
    /// Make steps while the world is paused.
    Step {
        /// Number of steps.
        #[serde(deserialize_with = "steps")]
        steps: u64,
    },
    /// Reset time and state to the start of the run.
    Reset,
    /// Show a recording at another time.
    Seek {
        /// Simulated time [s].
        #[serde(deserialize_with = "recorded_time")]
        time_s: f64,
    },
    /// Change the pace of the run.
    Pace {
        /// Pace, as of the option `--pace`.
        #[serde(deserialize_with = "pace")]
        pace: Pace,
    },
    /// Set parameters of the world.
    #[serde(rename = "set")]
    Parameters {
        /// Names and values.
        #[serde(deserialize_with = "parameters")]
        parameters: Vec<(String, f64)>,
    },
    /// Drive a robot: fractions of its maximum speed, or of its maximum wrench, forward, left, up
    /// and counter-clockwise, -1..1.
    Drive {
        /// Name of the robot.
        #[serde(deserialize_with = "a_name")]
        robot: String,
        /// Surge, sway, heave and yaw, -1..1.
        #[serde(deserialize_with = "fractions")]
        axes: [f64; 4],
    },
    /// Follow waypoints in the world frame [m].
    Path {
        /// Name of the robot.
        #[serde(deserialize_with = "a_name")]
        robot: String,
        /// Waypoints in W [m].
        #[serde(deserialize_with = "waypoints")]
        points: Vec<[f64; 3]>,
    },
    /// Move to a pose and stay there.
    Goal {
        /// Name of the robot.
        #[serde(deserialize_with = "a_name")]
        robot: String,
        /// Position in W [m].
        #[serde(deserialize_with = "position")]
        position: [f64; 3],
        /// Yaw from east, counter-clockwise [deg]; `None` holds the heading.
        #[serde(default, deserialize_with = "yaw")]
        yaw_deg: Option<f64>,
    },
    /// Sticks and buttons of a gamepad, in the order of `joy_node`.
    Gamepad {
        /// Name of the robot.
        #[serde(deserialize_with = "a_name")]
        robot: String,
        /// Deflections, -1..1; left and up are positive.
        #[serde(deserialize_with = "sticks")]
        axes: Vec<f64>,
        /// Whether each button is pressed, in the order of `joy_node`.
        #[serde(deserialize_with = "buttons")]
        buttons: Vec<bool>,
    },
    /// Request a mode of the firmware.
    Mode {
        /// Name of the robot.
        #[serde(deserialize_with = "a_name")]
        robot: String,
        /// Name of the mode.
        #[serde(deserialize_with = "a_name")]
        mode: String,
    },
    /// Command a single actuator of a robot.
    Actuator {
        /// Name of the robot.
        #[serde(deserialize_with = "a_name")]
        robot: String,
        /// Name of the actuator.
        #[serde(deserialize_with = "a_name")]
        actuator: String,
        /// Command, in the unit of the actuator.
        #[serde(deserialize_with = "a_value")]
        value: f64,
    },
    /// Apply a force and a moment to a link until the next push, for at most half a second.
    Push {
        /// Name of the robot.
        #[serde(deserialize_with = "a_name")]
        robot: String,
        /// Name of the link.
        #[serde(deserialize_with = "a_name")]
        link: String,
        /// Force, in W [N].
        #[serde(deserialize_with = "push")]
        force: [f64; 3],
        /// Moment about the origin of the link, in W [N m].
        #[serde(deserialize_with = "push")]
        moment: [f64; 3],
    },
    /// Start a fault of a device.
    Fault(FaultAction),
    /// End a fault.
    Repair {
        /// Name of the robot; `None`: fault of a beacon or of a fixed modem.
        #[serde(deserialize_with = "name_or_null")]
        robot: Option<String>,
        /// Name of the fault.
        #[serde(deserialize_with = "a_name")]
        fault: String,
    },
    /// Start the recording of all topics.
    Record,
    /// Stop the recording of all topics.
    StopRecording,
    /// Change the objects of the world.
    #[serde(skip)]
    Edit(EditAction),
    /// Continue with a bundled world, at its start.
    Open {
        /// Name of the world.
        #[serde(deserialize_with = "a_file")]
        world: String,
    },
}

/// Fault of a device of a robot, of a beacon or of a fixed modem.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultAction {
    /// Name of the robot; `None`: the device is a beacon or a fixed modem.
    #[serde(deserialize_with = "name_or_null")]
    pub robot: Option<String>,
    /// Name of the fault.
    #[serde(deserialize_with = "a_name")]
    pub name: String,
    /// Device, such as `thrusters/port`.
    #[serde(deserialize_with = "a_name")]
    pub device: String,
    /// Kind, such as `dead`.
    #[serde(deserialize_with = "a_name")]
    pub kind: String,
    /// Values of the kind, in its units.
    #[serde(default, deserialize_with = "fault_values")]
    pub values: Vec<(String, f64)>,
    /// Duration [s]; 0: permanent.
    #[serde(deserialize_with = "fault_time")]
    pub duration_s: f64,
}

/// Change of the objects of the world.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EditAction {
    /// Add a robot or prop of the catalogue.
    Add {
        /// Name of the model in the catalogue.
        #[serde(deserialize_with = "a_file")]
        model: String,
        /// Position in W [m].
        #[serde(deserialize_with = "position")]
        position: [f64; 3],
        /// Attitude in W (w, x, y, z).
        #[serde(default = "level", deserialize_with = "attitude")]
        attitude: [f64; 4],
    },
    /// Add a copy of a robot, prop or structure.
    Duplicate {
        /// Name of the object.
        #[serde(deserialize_with = "a_name")]
        object: String,
        /// Position of the copy in W [m]; its attitude is the attitude of the object.
        #[serde(deserialize_with = "position")]
        position: [f64; 3],
    },
    /// Remove an object.
    Remove {
        /// Name of the object.
        #[serde(deserialize_with = "a_name")]
        object: String,
    },
    /// Place an object at a pose, at rest.
    Place {
        /// Name of the object.
        #[serde(deserialize_with = "a_name")]
        object: String,
        /// Position in W [m].
        #[serde(deserialize_with = "position")]
        position: [f64; 3],
        /// Attitude in W (w, x, y, z).
        #[serde(default = "level", deserialize_with = "attitude")]
        attitude: [f64; 4],
    },
    /// Undo the last change of the view.
    Undo,
    /// Repeat the change that was undone last.
    Redo,
    /// Return the world file of the current state.
    Save,
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
/// One line: the key, the expected value and the value found.
pub fn decode(text: &str) -> Result<ClientMessage, String> {
    if text.len() > MAX_MESSAGE_BYTES {
        let found = text.len();
        return Err(format!(
            "message: expected at most {MAX_MESSAGE_BYTES} bytes, found {found}"
        ));
    }
    let value: Value = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
    let Value::Object(mut keys) = value else {
        return Err("expected an object with the key \"do\", found none".to_string());
    };
    let id = keys.remove("id").unwrap_or(Value::from(0));
    let whole = |id: &Value| {
        let expected = "a whole number of at least 0";
        id.as_u64()
            .ok_or_else(|| format!("id: {}", unexpected(id, expected)))
    };
    let id = whole(&id)?;
    let word = keys.remove("do").unwrap_or_default();
    let message = Message {
        word: crate::values::text(&word).map_err(|why| format!("do: {why}"))?,
        keys: &keys,
    };
    // a text of a client may have control characters and any length
    let action = action(message).map_err(|why| shorten(&why, MAX_REFUSAL))?;
    Ok(ClientMessage { id, action })
}

fn action(message: Message) -> Result<Action, String> {
    let mut words = Vec::new();
    if let Some(action) = message.decode(&mut words)? {
        return Ok(action);
    }
    if let Some(action) = message.decode(&mut words)? {
        return Ok(Action::Control(action));
    }
    if let Some(edit) = message.decode(&mut words)? {
        return Ok(Action::Control(ControlAction::Edit(edit)));
    }
    let found = Value::from(message.word);
    Err(format!(
        "do: {}",
        unexpected(&found, &format!("one of {}", words.join(", ")))
    ))
}

/// Returns the number of a message that is refused; 0 without a number.
pub(crate) fn message_id(text: &str) -> u64 {
    let is_short = text.len() <= MAX_MESSAGE_BYTES;
    let value = is_short.then(|| serde_json::from_str::<Value>(text).ok());
    let id = value.flatten().and_then(|value| value.get("id")?.as_u64());
    id.unwrap_or(0)
}

/// Declares functions that decode the value of a key with a check.
macro_rules! checked {
    ($($decoder:ident: $kind:ty = $check:expr;)*) => {$(
        fn $decoder<'de, D: Deserializer<'de>>(value: D) -> Result<$kind, D::Error> {
            let check: fn(&Value) -> Result<$kind, String> = $check;
            check(&Value::deserialize(value)?).map_err(D::Error::custom)
        }
    )*};
}

checked! {
    a_name: String = name;
    name_or_null: Option<String> = |value| or_null(value, name);
    a_file: String = file_name;
    a_flag: bool = flag;
    a_value: f64 = |value| number(value, f64::MAX);
    steps: u64 = |value| count(value, MAX_STEPS);
    pace: Pace = |value| Pace::parse(text(value)?);
    recorded_time: f64 = |value| number(value, MAX_SEEK_S);
    fault_time: f64 = |value| {
        let seconds = value.as_f64().filter(|s| (0.0..=MAX_FAULT_S).contains(s));
        let expected = format!("0 (permanent) to {MAX_FAULT_S} seconds");
        seconds.ok_or_else(|| unexpected(value, &expected))
    };
    parameters: Vec<(String, f64)> = |value| named_numbers(value, [1, MAX_PARAMETERS]);
    fault_values: Vec<(String, f64)> = |value| named_numbers(value, [0, MAX_FAULT_VALUES]);
    fractions: [f64; 4] = |value| numbers(value, 1.0);
    position: [f64; 3] = |value| numbers(value, MAX_COORDINATE);
    push: [f64; 3] = |value| numbers(value, MAX_PUSH);
    yaw: Option<f64> = |value| or_null(value, |yaw| number(yaw, 360.0));
    attitude: [f64; 4] = quaternion;
    waypoints: Vec<[f64; 3]> = |value| {
        let point = |value: &Value| numbers(value, MAX_COORDINATE);
        list(value, [1, MAX_WAYPOINTS], "[x, y, z]", point)
    };
    sticks: Vec<f64> = |value| {
        list(value, [1, MAX_GAMEPAD], "numbers", |axis| number(axis, 1.0))
    };
    buttons: Vec<bool> = |value| list(value, [0, MAX_GAMEPAD], "true and false", flag);
    robots: Vec<String> = |value| list(value, [0, MAX_PLOTTED], "names of robots", name);
    images: Vec<ImageName> = |value| list(value, [0, MAX_WATCHED], "images", object);
    topics: Vec<PlottedTopic> = |value| list(value, [0, MAX_TOPICS], "topics", object);
    fields: Vec<String> = |value| {
        let path = |value: &Value| Ok(text(value)?.to_owned());
        list(value, [0, MAX_FIELDS], "paths of fields", path)
    };
}

fn or_null<T>(
    value: &Value,
    check: impl FnOnce(&Value) -> Result<T, String>,
) -> Result<Option<T>, String> {
    (!value.is_null()).then(|| check(value)).transpose()
}

const fn level() -> [f64; 4] {
    [1.0, 0.0, 0.0, 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::MAX_NAME_BYTES;

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
            ControlAction::Step { steps: 5 }
        );
        let pace = control(r#"{"do":"pace","pace":"2.5"}"#);
        let expected = Pace::Factor(2.5);
        assert_eq!(pace, ControlAction::Pace { pace: expected });
        let seek = control(r#"{"do":"seek","time_s":12.5}"#);
        assert_eq!(seek, ControlAction::Seek { time_s: 12.5 });
        let set = control(r#"{"do":"set","parameters":{"water.waves.hs_m":1.5}}"#);
        let parameters = vec![("water.waves.hs_m".to_string(), 1.5)];
        assert_eq!(set, ControlAction::Parameters { parameters });
        let robot = "rov".to_string();
        let axes = [1.0, -1.0, 0.5, 0.0];
        let drive = control(r#"{"do":"drive","robot":"rov","axes":[1,-1,0.5,0]}"#);
        assert_eq!(drive, ControlAction::Drive { robot, axes });
        let select = decode(r#"{"do":"select","robot":"rov","id":7}"#).unwrap();
        assert_eq!(select.id, 7);
        let robot = Some("rov".to_string());
        assert_eq!(select.action, Action::Select { robot });
        let none = decode(r#"{"do":"select","robot":null}"#).unwrap();
        assert_eq!(none.action, Action::Select { robot: None });
    }

    #[test]
    fn wrong_values_are_refused_with_one_line() {
        for (message, expected) in [
            ("", "not JSON"),
            ("[]", "expected an object"),
            (r#"{"do":"fly"}"#, "found \"fly\""),
            (r#"{"do":"step","steps":0}"#, "expected 1 to 1000000"),
            (r#"{"do":"step","steps":-1}"#, "found -1"),
            (
                r#"{"do":"drive","robot":"r","axes":[2,0,0,0]}"#,
                "from -1 to 1",
            ),
            (
                r#"{"do":"drive","robot":"r","axes":[0,0]}"#,
                "numbers, found 2",
            ),
            (
                r#"{"do":"path","robot":"r","points":[]}"#,
                "expected 1 to 64",
            ),
            (r#"{"do":"set","parameters":{"a":"x"}}"#, "a: expected"),
            (r#"{"do":"pace","pace":"-1"}"#, "unknown pace"),
            (r#"{"do":"seek"}"#, "missing field `time_s`"),
            (r#"{"do":"pause","id":-2}"#, "found -2"),
        ] {
            let error = decode(message).unwrap_err();
            assert!(error.contains(expected), "{message}: {error}");
            assert!(!error.contains('\n') && error.len() < 300, "{error}");
        }
    }

    #[test]
    fn refusals_repeat_the_number_of_the_message() {
        assert_eq!(message_id(r#"{"do":"fly","id":7}"#), 7);
        assert_eq!(message_id(r#"{"do":"pause","id":-2}"#), 0);
        assert_eq!(message_id("{"), 0);
        assert_eq!(message_id("[7]"), 0);
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

    #[test]
    fn edits_are_decoded() {
        let add = r#"{"do":"add","model":"otter","position":[1,2,-3.5]}"#;
        let expected = EditAction::Add {
            model: "otter".to_string(),
            position: [1.0, 2.0, -3.5],
            attitude: [1.0, 0.0, 0.0, 0.0],
        };
        assert_eq!(control(add), ControlAction::Edit(expected));
        let place = r#"{"do":"place","object":"rov","position":[0,0,0],"attitude":[0,0,0,1.001]}"#;
        let expected = EditAction::Place {
            object: "rov".to_string(),
            position: [0.0; 3],
            attitude: [0.0, 0.0, 0.0, 1.0],
        };
        assert_eq!(control(place), ControlAction::Edit(expected));
        let remove = control(r#"{"do":"remove","object":"rov"}"#);
        let expected = EditAction::Remove {
            object: "rov".to_string(),
        };
        assert_eq!(remove, ControlAction::Edit(expected));
        for (word, action) in [
            ("undo", EditAction::Undo),
            ("redo", EditAction::Redo),
            ("save", EditAction::Save),
        ] {
            let found = control(&format!("{{\"do\":\"{word}\"}}"));
            assert_eq!(found, ControlAction::Edit(action));
        }
    }

    #[test]
    fn goals_gamepads_faults_and_sensors_are_decoded() {
        let robot = || "rov".to_string();
        let goal = control(r#"{"do":"goal","robot":"rov","position":[1,2,-3],"yaw_deg":null}"#);
        let expected = ControlAction::Goal {
            robot: robot(),
            position: [1.0, 2.0, -3.0],
            yaw_deg: None,
        };
        assert_eq!(goal, expected);
        let sticks = r#"{"do":"gamepad","robot":"rov","axes":[0.5,-1],"buttons":[true,false]}"#;
        let expected = ControlAction::Gamepad {
            robot: robot(),
            axes: vec![0.5, -1.0],
            buttons: vec![true, false],
        };
        assert_eq!(control(sticks), expected);
        let fault = r#"{"do":"fault","robot":"rov","name":"f","device":"imu","kind":"biased",
            "values":{"bias":0.1},"duration_s":5}"#;
        let mut expected = FaultAction {
            robot: Some(robot()),
            name: "f".to_string(),
            device: "imu".to_string(),
            kind: "biased".to_string(),
            values: vec![("bias".to_string(), 0.1)],
            duration_s: 5.0,
        };
        assert_eq!(control(fault), ControlAction::Fault(expected.clone()));
        expected.robot = None;
        let of_world = fault.replace(r#""rov""#, "null");
        assert_eq!(control(&of_world), ControlAction::Fault(expected));
        for (written, robot) in [(r#""rov""#, Some(robot())), ("null", None)] {
            let fault = "f".to_string();
            let expected = ControlAction::Repair { robot, fault };
            let repair = format!(r#"{{"do":"repair","robot":{written},"fault":"f"}}"#);
            assert_eq!(control(&repair), expected);
        }
        let mode = "depth_hold".to_string();
        let expected = ControlAction::Mode {
            robot: robot(),
            mode,
        };
        let mode = control(r#"{"do":"mode","robot":"rov","mode":"depth_hold"}"#);
        assert_eq!(mode, expected);
        assert_eq!(control(r#"{"do":"record"}"#), ControlAction::Record);
        let image = r#"{"robot":"rov","sensor":"camera","image":"depth"}"#;
        let watch = decode(&format!(r#"{{"do":"watch","images":[{image}]}}"#)).unwrap();
        let images = vec![ImageName {
            robot: robot(),
            sensor: "camera".to_string(),
            image: "depth".to_string(),
        }];
        assert_eq!(watch.action, Action::Watch { images });
        let topics = r#"{"do":"topics","topics":[{"topic":"/a","fields":["x.y"]}]}"#;
        let plotted = decode(topics).unwrap();
        let topics = vec![PlottedTopic {
            topic: "/a".to_string(),
            fields: vec!["x.y".to_string()],
        }];
        assert_eq!(plotted.action, Action::Topics { topics });
        let overlay = decode(r#"{"do":"overlay","on":true}"#).unwrap();
        let expected = Action::Overlay {
            is_on: true,
            has_hull: false,
        };
        assert_eq!(overlay.action, expected);
        let network = decode(r#"{"do":"network","on":false}"#).unwrap();
        assert_eq!(network.action, Action::Network { is_on: false });
        let none = decode(r#"{"do":"watch","images":[]}"#).unwrap();
        assert_eq!(none.action, Action::Watch { images: Vec::new() });
    }

    #[test]
    fn pushes_copies_and_worlds_are_decoded() {
        let push = control(
            r#"{"do":"push","robot":"rov","link":"arm","force":[1,2,3],"moment":[0,0,-1]}"#,
        );
        let expected = ControlAction::Push {
            robot: "rov".to_string(),
            link: "arm".to_string(),
            force: [1.0, 2.0, 3.0],
            moment: [0.0, 0.0, -1.0],
        };
        assert_eq!(push, expected);
        let open = control(r#"{"do":"open","world":"fleet_100"}"#);
        let world = "fleet_100".to_string();
        assert_eq!(open, ControlAction::Open { world });
        let duplicate = control(r#"{"do":"duplicate","object":"rov","position":[1,2,3]}"#);
        let expected = ControlAction::Edit(EditAction::Duplicate {
            object: "rov".to_string(),
            position: [1.0, 2.0, 3.0],
        });
        assert_eq!(duplicate, expected);
    }

    /// One message of each action with all its keys, the keys that may be missing, and those that
    /// may be null.
    const EVERY_ACTION: [(&str, &[&str], &[&str]); 32] = [
        (r#"{"do":"select","robot":"r"}"#, &["robot"], &["robot"]),
        (
            r#"{"do":"watch","images":[{"robot":"r","sensor":"s","image":"i"}]}"#,
            &[],
            &[],
        ),
        (r#"{"do":"overlay","on":true,"hull":true}"#, &["hull"], &[]),
        (r#"{"do":"network","on":true}"#, &[], &[]),
        (r#"{"do":"plot","robots":["r"]}"#, &[], &[]),
        (
            r#"{"do":"topics","topics":[{"topic":"/a","fields":["x"]}]}"#,
            &[],
            &[],
        ),
        (r#"{"do":"pause"}"#, &[], &[]),
        (r#"{"do":"resume"}"#, &[], &[]),
        (r#"{"do":"step","steps":1}"#, &[], &[]),
        (r#"{"do":"reset"}"#, &[], &[]),
        (r#"{"do":"seek","time_s":1}"#, &[], &[]),
        (r#"{"do":"pace","pace":"max"}"#, &[], &[]),
        (r#"{"do":"set","parameters":{"p":1}}"#, &[], &[]),
        (r#"{"do":"drive","robot":"r","axes":[0,0,0,0]}"#, &[], &[]),
        (r#"{"do":"path","robot":"r","points":[[1,2,3]]}"#, &[], &[]),
        (
            r#"{"do":"goal","robot":"r","position":[1,2,3],"yaw_deg":0}"#,
            &["yaw_deg"],
            &["yaw_deg"],
        ),
        (
            r#"{"do":"gamepad","robot":"r","axes":[0],"buttons":[true]}"#,
            &[],
            &[],
        ),
        (r#"{"do":"mode","robot":"r","mode":"m"}"#, &[], &[]),
        (
            r#"{"do":"actuator","robot":"r","actuator":"a","value":1}"#,
            &[],
            &[],
        ),
        (
            r#"{"do":"push","robot":"r","link":"l","force":[1,2,3],"moment":[1,2,3]}"#,
            &[],
            &[],
        ),
        (
            r#"{"do":"fault","robot":"r","name":"n","device":"d","kind":"k","values":{"v":1},"duration_s":1}"#,
            &["values"],
            &["robot"],
        ),
        (
            r#"{"do":"repair","robot":"r","fault":"f"}"#,
            &[],
            &["robot"],
        ),
        (r#"{"do":"record"}"#, &[], &[]),
        (r#"{"do":"stop_recording"}"#, &[], &[]),
        (r#"{"do":"open","world":"w"}"#, &[], &[]),
        (
            r#"{"do":"add","model":"m","position":[1,2,3],"attitude":[1,0,0,0]}"#,
            &["attitude"],
            &[],
        ),
        (
            r#"{"do":"duplicate","object":"o","position":[1,2,3]}"#,
            &[],
            &[],
        ),
        (r#"{"do":"remove","object":"o"}"#, &[], &[]),
        (
            r#"{"do":"place","object":"o","position":[1,2,3],"attitude":[1,0,0,0]}"#,
            &["attitude"],
            &[],
        ),
        (r#"{"do":"undo"}"#, &[], &[]),
        (r#"{"do":"redo"}"#, &[], &[]),
        (r#"{"do":"save"}"#, &[], &[]),
    ];

    /// Calls `check` with each value that is wrong in place of a part of `value`: of another type,
    /// too large, too long, or with another key.
    fn with_each_fault(value: &Value, check: &mut dyn FnMut(Value)) {
        let others = [
            Value::Null,
            Value::from(true),
            Value::from(1e300),
            Value::from("x".repeat(MAX_NAME_BYTES + 1)),
            serde_json::json!([[]]),
            serde_json::json!({"a": []}),
        ];
        let is_same = |other: &Value| value.is_boolean() && other.is_boolean();
        others
            .into_iter()
            .filter(|other| !is_same(other))
            .for_each(&mut *check);
        match value {
            Value::Array(list) => {
                for k in 0..list.len() {
                    with_each_fault(&list[k], &mut |inner| {
                        let mut list = list.clone();
                        list[k] = inner;
                        check(Value::Array(list));
                    });
                }
            }
            Value::Object(map) => {
                for (key, own) in map {
                    with_each_fault(own, &mut |inner| {
                        let mut map = map.clone();
                        map.insert(key.clone(), inner);
                        check(Value::Object(map));
                    });
                }
            }
            _ => {}
        }
    }

    // Each key of each action that is missing, unknown, of a wrong type, not finite or too large is
    // refused with one line that begins with the key.
    #[test]
    fn wrong_keys_of_every_action_are_refused_with_one_line() {
        let refusal = |text: &str| {
            let error = decode(text).expect_err(text);
            assert!(
                !error.contains('\n') && error.len() < 500,
                "{text}: {error}"
            );
            error
        };
        let mut words = Vec::new();
        for (text, optional, nullable) in EVERY_ACTION {
            decode(text).unwrap();
            let message: Value = serde_json::from_str(text).unwrap();
            let keys = message.as_object().unwrap();
            words.push(keys["do"].as_str().unwrap().to_string());
            let mut more = keys.clone();
            more.insert("other\n".to_string(), Value::Null);
            let error = refusal(&Value::Object(more).to_string());
            assert!(error.starts_with("unknown field `other `, "), "{error}");
            for key in keys.keys().filter(|key| *key != "do") {
                let mut less = keys.clone();
                less.remove(key);
                let less = Value::Object(less).to_string();
                if optional.contains(&key.as_str()) {
                    decode(&less).unwrap();
                } else {
                    assert_eq!(refusal(&less), format!("missing field `{key}`"));
                }
                let with = |value: Value| {
                    let mut changed = keys.clone();
                    changed.insert(key.clone(), value);
                    Value::Object(changed).to_string()
                };
                with_each_fault(&keys[key], &mut |wrong| {
                    let number = match key.as_str() {
                        "value" => Some(&wrong),
                        "values" => wrong.get("v"),
                        "parameters" => wrong.get("p"),
                        _ => None,
                    };
                    let is_allowed = wrong.is_null() && nullable.contains(&key.as_str())
                        || number.is_some_and(Value::is_number);
                    let text = with(wrong);
                    if is_allowed {
                        decode(&text).unwrap();
                    } else {
                        let error = refusal(&text);
                        assert!(error.starts_with(&format!("{key}: ")), "{text}: {error}");
                        assert!(error.contains("expected "), "{text}: {error}");
                    }
                });
                for number in ["NaN", "-Infinity", "1e999"] {
                    let text = with(Value::from("@")).replace("\"@\"", number);
                    assert!(refusal(&text).starts_with("not JSON: "), "{text}");
                }
            }
        }
        let error = refusal(r#"{"do":"fly"}"#);
        let expected = words.join(", ");
        assert_eq!(
            error,
            format!("do: expected one of {expected}, found \"fly\"")
        );
    }

    #[test]
    fn wrong_choices_are_refused() {
        for (message, expected) in [
            (
                r#"{"do":"watch","sensor":"camera"}"#,
                "unknown field `sensor`, expected `images`",
            ),
            (
                r#"{"do":"watch","images":[{}]}"#,
                "images: missing field `robot`",
            ),
            (
                r#"{"do":"watch","images":[0,0,0,0,0]}"#,
                "images: expected 0 to 4",
            ),
            (r#"{"do":"open","world":"../secret"}"#, "world: expected"),
            (
                r#"{"do":"push","robot":"a","link":"b","force":[1e9,0,0],"moment":[0,0,0]}"#,
                "force: expected",
            ),
            (
                r#"{"do":"push","robot":"a","link":"b","force":[1,0,0]}"#,
                "missing field `moment`",
            ),
            (
                r#"{"do":"duplicate","object":"a","position":[1,0]}"#,
                "position: expected 3 numbers",
            ),
            (r#"{"do":"overlay","on":1}"#, "on: expected"),
            (r#"{"do":"overlay","on":true,"hull":1}"#, "hull: expected"),
            (r#"{"do":"network"}"#, "missing field `on`"),
            (
                r#"{"do":"topics","topics":["/a"]}"#,
                "topics: expected an object",
            ),
            (
                r#"{"do":"topics","topics":[{"topic":"/a"}]}"#,
                "topics: missing field `fields`",
            ),
        ] {
            let error = decode(message).unwrap_err();
            assert!(error.contains(expected), "{message}: {error}");
        }
    }

    #[test]
    fn wrong_values_of_edits_and_faults_are_refused() {
        for (message, expected) in [
            (
                r#"{"do":"add","model":"../../etc/passwd","position":[0,0,0]}"#,
                "lowercase letters",
            ),
            (
                r#"{"do":"add","model":"otter","position":[0,1e8,0]}"#,
                "from -10000000 to",
            ),
            (
                r#"{"do":"add","model":"otter"}"#,
                "missing field `position`",
            ),
            (
                r#"{"do":"add","model":"","position":[0,0,0]}"#,
                "model: expected",
            ),
            (
                r#"{"do":"place","object":"r","position":[0,0,0],"attitude":[1,1,0,0]}"#,
                "unit quaternion",
            ),
            (
                r#"{"do":"place","object":"r","position":[0,0,0],"attitude":[0,0,0,0]}"#,
                "unit quaternion",
            ),
            (
                r#"{"do":"remove","object":"a\nb"}"#,
                "without control characters",
            ),
            (r#"{"do":"remove"}"#, "missing field `object`"),
            (
                r#"{"do":"goal","robot":"r","position":[0,0,0],"yaw_deg":400}"#,
                "from -360 to 360, found 400",
            ),
            (
                r#"{"do":"gamepad","robot":"r","axes":[],"buttons":[]}"#,
                "expected 1 to 32",
            ),
            (
                r#"{"do":"gamepad","robot":"r","axes":[2],"buttons":[]}"#,
                "from -1 to 1",
            ),
            (
                r#"{"do":"gamepad","robot":"r","axes":[0],"buttons":[1]}"#,
                "true or false",
            ),
            (
                r#"{"do":"fault","robot":"r","name":"f","device":"d","kind":"dead"}"#,
                "missing field `duration_s`",
            ),
            (
                r#"{"do":"fault","robot":"r","name":"f","device":"d","kind":"k","duration_s":-1}"#,
                "0 (permanent)",
            ),
        ] {
            let error = decode(message).unwrap_err();
            assert!(error.contains(expected), "{message}: {error}");
            assert!(!error.contains('\n') && error.len() < 300, "{error}");
        }
    }
}
