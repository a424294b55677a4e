//! Actions that a client requests: declarations and limits of its messages.
//!
//! A message is one JSON object with at most [`MAX_MESSAGE_BYTES`]. Its key `do` names the action,
//! `id` is the number that the answer repeats, and the other keys are the fields of the action.

use crate::values::{
    MAX_COORDINATE, count, file_name, flag, list, name, named_numbers, number, numbers, quaternion,
    shorten, text, unexpected,
};
use merrow_sim::Pace;
use serde::de::Error as _;
use serde_json::{Map, Value};

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

/// Builds a struct, or a variant of an enum, from the keys of an object. Each field has the key of
/// its name or of the text in brackets, a check of the value, and the value without the key, if the
/// key can be missing.
macro_rules! from_keys {
    ($keys:ident, $of:path) => {{
        check_keys($keys, &[])?;
        $of
    }};
    ($keys:ident, $of:path, ($content:ident)) => {
        $of($content::from_keys($keys)?)
    };
    ($keys:ident, $of:path, {
        $($field:ident $([$key:literal])?: $check:expr $(, or $default:expr)?;)*
    }) => {{
        check_keys($keys, &[$(key!($field $($key)?)),*])?;
        $of {
            $($field: value($keys, key!($field $($key)?), $check, None$(.or(Some($default)))?)?),*
        }
    }};
}

/// Returns the key of a field.
macro_rules! key {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
}

/// Declares an enum of actions by their words, and its decoder. Other words are those of the enum
/// after `else`.
macro_rules! actions {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$doc:meta])* $word:literal $variant:ident $(($content:ident))? $({
                $($(#[$field_doc:meta])*
                $field:ident $([$key:literal])?: $kind:ty = $check:expr $(, or $default:expr)?;)*
            })?)*
            $(else $(#[$other_doc:meta])* $other:ident($others:ident))?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $($(#[$doc])* $variant $(($content))? $({ $($(#[$field_doc])* $field: $kind),* })?,)*
            $($(#[$other_doc])* $other($others),)?
        }

        impl $name {
            /// Words that select an action.
            const WORDS: &[&str] = &[$($word),*];

            /// Decodes the keys of the action with this word; `None` if there is no such action.
            fn decode(word: &str, keys: &Map<String, Value>) -> Result<Option<Self>, String> {
                Ok(Some(match word {
                    $($word => from_keys!(keys, Self::$variant $(, ($content))? $(, {
                        $($field $([$key])?: $check $(, or $default)?;)*
                    })?),)*
                    _ => return Ok(None$(.or($others::decode(word, keys)?.map(Self::$other)))?),
                }))
            }
        }
    };
}

/// Declares a struct with the keys of an object, and its decoder.
macro_rules! object {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            $($(#[$doc:meta])* $field:ident: $kind:ty = $check:expr $(, or $default:expr)?;)*
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl $name {
            fn from_keys(keys: &Map<String, Value>) -> Result<Self, String> {
                Ok(from_keys!(keys, Self, { $($field: $check $(, or $default)?;)* }))
            }
        }
    };
}

actions! {
    /// Action that a client requests.
    pub enum Action {
        /// Receive the details of this robot; `None`: of no robot.
        "select" Select {
            /// Name of the robot.
            robot: Option<String> = name_or_null, or None;
        }
        /// Receive these images of sensors.
        "watch" Watch {
            /// Names of the images.
            images: Vec<ImageName> = |v| list(v, [0, MAX_WATCHED], "images", |image| {
                ImageName::from_keys(keys_of(image)?)
            });
        }
        /// Receive the readings of the selected robot for overlays, or no longer.
        "overlay" Overlay {
            /// Whether the client receives readings.
            is_on["on"]: bool = flag;
            /// Whether the readings contain the wetted hull.
            has_hull["hull"]: bool = flag, or false;
        }
        /// Receive the activities of the modems, or no longer.
        "network" Network {
            /// Whether the client receives activities.
            is_on["on"]: bool = flag;
        }
        /// Receive the details of these robots for plots, in addition to the selected robot.
        "plot" Plot {
            /// Names of the robots.
            robots: Vec<String> = |v| list(v, [0, MAX_PLOTTED], "names of robots", name);
        }
        /// Receive the samples of the fields of these topics.
        "topics" Topics {
            /// Topics with their fields.
            topics: Vec<PlottedTopic> = |v| list(v, [0, MAX_TOPICS], "topics", |topic| {
                PlottedTopic::from_keys(keys_of(topic)?)
            });
        }
        else
        /// Change the running world.
        Control(ControlAction)
    }
}

object! {
    /// Image of a sensor.
    pub struct ImageName {
        /// Name of the robot.
        robot: String = name;
        /// Name of the sensor.
        sensor: String = name;
        /// Name of the image among the images of the sensor.
        image: String = name;
    }
}

object! {
    /// Topic whose fields a client plots.
    pub struct PlottedTopic {
        /// Name of the topic.
        topic: String = name;
        /// Paths of the plotted fields; without any, the client receives the names of the fields.
        fields: Vec<String> = |v| list(v, [0, MAX_FIELDS], "paths of fields", |path| {
            Ok(text(path)?.to_owned())
        });
    }
}

actions! {
    /// Action that changes the running world.
    pub enum ControlAction {
        /// Pause the running world.
        "pause" Pause
        /// Resume the world after a pause.
        "resume" Resume
        /// Make steps while the world is paused.
        "step" Step {
            /// Number of steps.
            steps: u64 = |v| count(v, MAX_STEPS);
        }
        /// Reset time and state to the start of the run.
        "reset" Reset
        /// Show a recording at another time.
        "seek" Seek {
            /// Simulated time [s].
            time_s: f64 = |v| number(v, MAX_SEEK_S);
        }
        /// Change the pace of the run.
        "pace" Pace {
            /// Pace, as of the option `--pace`.
            pace: Pace = |v| Pace::parse(text(v)?);
        }
        /// Set parameters of the world.
        "set" Parameters {
            /// Names and values.
            parameters: Vec<(String, f64)> = |v| named_numbers(v, [1, MAX_PARAMETERS]);
        }
        /// Drive a robot: fractions of its maximum speed, or of its maximum wrench, forward, left,
        /// up and counter-clockwise, -1..1.
        "drive" Drive {
            /// Name of the robot.
            robot: String = name;
            /// Surge, sway, heave and yaw, -1..1.
            axes: [f64; 4] = |v| numbers(v, 1.0);
        }
        /// Follow waypoints in the world frame [m].
        "path" Path {
            /// Name of the robot.
            robot: String = name;
            /// Waypoints in W [m].
            points: Vec<[f64; 3]> = |v| list(v, [1, MAX_WAYPOINTS], "[x, y, z]", position);
        }
        /// Move to a pose and stay there.
        "goal" Goal {
            /// Name of the robot.
            robot: String = name;
            /// Position in W [m].
            position: [f64; 3] = position;
            /// Yaw from east, counter-clockwise [deg]; `None` holds the heading.
            yaw_deg: Option<f64> = |v| or_null(v, |yaw| number(yaw, 360.0)), or None;
        }
        /// Sticks and buttons of a gamepad, in the order of `joy_node`.
        "gamepad" Gamepad {
            /// Name of the robot.
            robot: String = name;
            /// Deflections, -1..1; left and up are positive.
            axes: Vec<f64> = |v| list(v, [1, MAX_GAMEPAD], "numbers", |axis| number(axis, 1.0));
            /// Whether each button is pressed, in the order of `joy_node`.
            buttons: Vec<bool> = |v| list(v, [0, MAX_GAMEPAD], "true and false", flag);
        }
        /// Request a mode of the firmware.
        "mode" Mode {
            /// Name of the robot.
            robot: String = name;
            /// Name of the mode.
            mode: String = name;
        }
        /// Command a single actuator of a robot.
        "actuator" Actuator {
            /// Name of the robot.
            robot: String = name;
            /// Name of the actuator.
            actuator: String = name;
            /// Command, in the unit of the actuator.
            value: f64 = |v| number(v, f64::MAX);
        }
        /// Apply a force and a moment to a link until the next push, for at most half a second.
        "push" Push {
            /// Name of the robot.
            robot: String = name;
            /// Name of the link.
            link: String = name;
            /// Force, in W [N].
            force: [f64; 3] = |v| numbers(v, MAX_PUSH);
            /// Moment about the origin of the link, in W [N m].
            moment: [f64; 3] = |v| numbers(v, MAX_PUSH);
        }
        /// Start a fault of a device.
        "fault" Fault(FaultAction)
        /// End a fault.
        "repair" Repair {
            /// Name of the robot; `None`: fault of a beacon or of a fixed modem.
            robot: Option<String> = name_or_null;
            /// Name of the fault.
            fault: String = name;
        }
        /// Start the recording of all topics.
        "record" Record
        /// Stop the recording of all topics.
        "stop_recording" StopRecording
        /// Continue with a bundled world, at its start.
        "open" Open {
            /// Name of the world.
            world: String = file_name;
        }
        else
        /// Change the objects of the world.
        Edit(EditAction)
    }
}

object! {
    /// Fault of a device of a robot, of a beacon or of a fixed modem.
    pub struct FaultAction {
        /// Name of the robot; `None`: the device is a beacon or a fixed modem.
        robot: Option<String> = name_or_null;
        /// Name of the fault.
        name: String = name;
        /// Device, such as `thrusters/port`.
        device: String = name;
        /// Kind, such as `dead`.
        kind: String = name;
        /// Values of the kind, in its units.
        values: Vec<(String, f64)> = |v| named_numbers(v, [0, MAX_FAULT_VALUES]), or Vec::new();
        /// Duration [s]; 0: permanent.
        duration_s: f64 = fault_time;
    }
}

actions! {
    /// Change of the objects of the world.
    pub enum EditAction {
        /// Add a robot or prop of the catalogue.
        "add" Add {
            /// Name of the model in the catalogue.
            model: String = file_name;
            /// Position in W [m].
            position: [f64; 3] = position;
            /// Attitude in W (w, x, y, z).
            attitude: [f64; 4] = quaternion, or LEVEL;
        }
        /// Add a copy of a robot, prop or structure.
        "duplicate" Duplicate {
            /// Name of the object.
            object: String = name;
            /// Position of the copy in W [m]; its attitude is the attitude of the object.
            position: [f64; 3] = position;
        }
        /// Remove an object.
        "remove" Remove {
            /// Name of the object.
            object: String = name;
        }
        /// Place an object at a pose, at rest.
        "place" Place {
            /// Name of the object.
            object: String = name;
            /// Position in W [m].
            position: [f64; 3] = position;
            /// Attitude in W (w, x, y, z).
            attitude: [f64; 4] = quaternion, or LEVEL;
        }
        /// Undo the last change of the view.
        "undo" Undo
        /// Repeat the change that was undone last.
        "redo" Redo
        /// Return the world file of the current state.
        "save" Save
    }
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
    let word = crate::values::text(&word).map_err(|why| format!("do: {why}"))?;
    let unknown = || {
        let words = [Action::WORDS, ControlAction::WORDS, EditAction::WORDS].concat();
        let expected = format!("one of {}", words.join(", "));
        format!("do: {}", unexpected(&Value::from(word), &expected))
    };
    let action = Action::decode(word, &keys).and_then(|action| action.ok_or_else(unknown));
    // a text of a client may have control characters and any length
    let action = action.map_err(|why| shorten(&why, MAX_REFUSAL))?;
    Ok(ClientMessage { id, action })
}

/// Returns the number of a message that is refused; 0 without a number.
pub(crate) fn message_id(text: &str) -> u64 {
    let is_short = text.len() <= MAX_MESSAGE_BYTES;
    let value = is_short.then(|| serde_json::from_str::<Value>(text).ok());
    let id = value.flatten().and_then(|value| value.get("id")?.as_u64());
    id.unwrap_or(0)
}

/// Returns the keys of a value that is an object.
fn keys_of(value: &Value) -> Result<&Map<String, Value>, String> {
    let keys = value.as_object();
    keys.ok_or_else(|| unexpected(value, "an object"))
}

/// Checks that an object has no other keys than these.
fn check_keys(keys: &Map<String, Value>, known: &'static [&'static str]) -> Result<(), String> {
    match keys.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(serde_json::Error::unknown_field(key, known).to_string()),
        None => Ok(()),
    }
}

/// Returns the checked value of a key, or `default` without the key.
fn value<T>(
    keys: &Map<String, Value>,
    key: &'static str,
    check: impl FnOnce(&Value) -> Result<T, String>,
    default: Option<T>,
) -> Result<T, String> {
    match keys.get(key) {
        Some(value) => check(value).map_err(|why| format!("{key}: {why}")),
        None => default.ok_or_else(|| format!("missing field `{key}`")),
    }
}

fn or_null<T>(
    value: &Value,
    check: impl FnOnce(&Value) -> Result<T, String>,
) -> Result<Option<T>, String> {
    (!value.is_null()).then(|| check(value)).transpose()
}

fn name_or_null(value: &Value) -> Result<Option<String>, String> {
    or_null(value, name)
}

fn position(value: &Value) -> Result<[f64; 3], String> {
    numbers(value, MAX_COORDINATE)
}

fn fault_time(value: &Value) -> Result<f64, String> {
    let seconds = value.as_f64().filter(|s| (0.0..=MAX_FAULT_S).contains(s));
    let expected = format!("0 (permanent) to {MAX_FAULT_S} seconds");
    seconds.ok_or_else(|| unexpected(value, &expected))
}

/// Attitude of an object without an attitude.
const LEVEL: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

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
