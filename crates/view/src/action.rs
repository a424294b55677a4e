//! Actions that a client requests: decoding and checks of its messages.
//!
//! A message is one JSON object with at most [`MAX_MESSAGE_BYTES`]. Every number must be finite and
//! within its range.

use crate::values::{
    MAX_COORDINATE, MAX_NAME_BYTES, count, file_name, list, name, named_numbers, number, numbers,
    quaternion, text, unexpected,
};
use merrow_sim::Pace;
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

/// Action that a client requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Receive the details of this robot; `None`: of no robot.
    Select(Option<String>),
    /// Receive these images of sensors: names of robot, sensor and image each.
    Watch(Vec<[String; 3]>),
    /// Receive the readings of the selected robot for overlays, or no longer.
    Overlay {
        /// Whether the client receives readings.
        is_on: bool,
        /// Whether the readings contain the wetted hull.
        has_hull: bool,
    },
    /// Receive the activities of the modems, or no longer.
    Network(bool),
    /// Receive the details of these robots for plots, in addition to the selected robot.
    Plot(Vec<String>),
    /// Receive the samples of the fields of these topics.
    Topics(Vec<PlottedTopic>),
    /// Change the running world.
    Control(ControlAction),
}

/// Topic whose fields a client plots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlottedTopic {
    /// Name of the topic.
    pub topic: String,
    /// Paths of the plotted fields; without any, the client receives the names of the fields.
    pub fields: Vec<String>,
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
    /// Show a recording at this time [s].
    Seek(f64),
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
    /// Move to a pose and stay there.
    Goal {
        /// Name of the robot.
        robot: String,
        /// Position in W [m].
        position: [f64; 3],
        /// Yaw from east, counter-clockwise [deg]; `None` holds the heading.
        yaw_deg: Option<f64>,
    },
    /// Sticks and buttons of a gamepad, in the order of `joy_node`.
    Gamepad {
        /// Name of the robot.
        robot: String,
        /// Deflections, -1..1; left and up are positive.
        axes: Vec<f64>,
        /// Whether each button is pressed, in the order of `joy_node`.
        buttons: Vec<bool>,
    },
    /// Request a mode of the firmware.
    Mode {
        /// Name of the robot.
        robot: String,
        /// Name of the mode.
        mode: String,
    },
    /// Command a single actuator of a robot.
    Actuator {
        /// Name of the robot.
        robot: String,
        /// Name of the actuator.
        actuator: String,
        /// Command, in the unit of the actuator.
        value: f64,
    },
    /// Apply a force and a moment to a link until the next push, for at most half a second.
    Push {
        /// Name of the robot.
        robot: String,
        /// Name of the link.
        link: String,
        /// Force, in W [N].
        force: [f64; 3],
        /// Moment about the origin of the link, in W [N m].
        moment: [f64; 3],
    },
    /// Start a fault of a device.
    Fault(FaultAction),
    /// End a fault.
    Repair {
        /// Name of the robot; `None`: fault of a beacon or of a fixed modem.
        robot: Option<String>,
        /// Name of the fault.
        fault: String,
    },
    /// Start the recording of all topics.
    Record,
    /// Stop the recording of all topics.
    StopRecording,
    /// Change the objects of the world.
    Edit(EditAction),
    /// Continue with the bundled world of this name, at its start.
    Open(String),
}

/// Fault of a device of a robot, of a beacon or of a fixed modem.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultAction {
    /// Name of the robot; `None`: the device is a beacon or a fixed modem.
    pub robot: Option<String>,
    /// Name of the fault.
    pub name: String,
    /// Device, such as `thrusters/port`.
    pub device: String,
    /// Kind, such as `dead`.
    pub kind: String,
    /// Values of the kind, in its units.
    pub values: Vec<(String, f64)>,
    /// Duration [s]; 0: permanent.
    pub duration_s: f64,
}

/// Change of the objects of the world.
#[derive(Clone, Debug, PartialEq)]
pub enum EditAction {
    /// Add a robot or prop of the catalogue.
    Add {
        /// Name of the model in the catalogue.
        model: String,
        /// Position in W [m].
        position: [f64; 3],
        /// Attitude in W (w, x, y, z).
        attitude: [f64; 4],
    },
    /// Add a copy of a robot, prop or structure.
    Duplicate {
        /// Name of the object.
        object: String,
        /// Position of the copy in W [m]; its attitude is the attitude of the object.
        position: [f64; 3],
    },
    /// Remove the object with this name.
    Remove(String),
    /// Place an object at a pose, at rest.
    Place {
        /// Name of the object.
        object: String,
        /// Position in W [m].
        position: [f64; 3],
        /// Attitude in W (w, x, y, z).
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
/// One line: what is wrong, the value found and the expected value.
pub fn decode(text: &str) -> Result<ClientMessage, String> {
    if text.len() > MAX_MESSAGE_BYTES {
        let found = text.len();
        return Err(format!(
            "message: expected at most {MAX_MESSAGE_BYTES} bytes, found {found}"
        ));
    }
    let value: Value = serde_json::from_str(text).map_err(|e| format!("not JSON: {e}"))?;
    let Value::Object(map) = value else {
        return Err("expected an object with the key \"do\", found none".to_string());
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

/// Returns the number of a message that is refused; 0 without a number.
pub(crate) fn message_id(text: &str) -> u64 {
    let is_short = text.len() <= MAX_MESSAGE_BYTES;
    let value = is_short.then(|| serde_json::from_str::<Value>(text).ok());
    let id = value.flatten().and_then(|value| value.get("id")?.as_u64());
    id.unwrap_or(0)
}

/// Names of all actions, for messages.
const ACTIONS: &str = "select, watch, overlay, network, plot, topics, pause, resume, step, reset, seek, pace, \
    set, drive, path, goal, gamepad, actuator, push, mode, fault, repair, record, stop_recording, \
    open, add, duplicate, remove, place, undo, redo or save";

fn action(map: &Map<String, Value>) -> Result<Action, String> {
    let is_none = |key: &str| matches!(map.get(key), None | Some(Value::Null));
    match text(map, "do")? {
        "select" if is_none("robot") => Ok(Action::Select(None)),
        "select" => Ok(Action::Select(Some(name(map, "robot")?))),
        "overlay" => Ok(Action::Overlay {
            is_on: flag(map, "on")?,
            has_hull: !is_none("hull") && flag(map, "hull")?,
        }),
        "network" => Ok(Action::Network(flag(map, "on")?)),
        "plot" => {
            let limits = ([0, MAX_PLOTTED], "names of robots");
            let robot = |value: &Value| {
                let name = value.as_str().map(str::to_owned);
                name.ok_or_else(|| unexpected("robots", value, "the name of a robot"))
            };
            Ok(Action::Plot(list(map, "robots", limits, robot)?))
        }
        "topics" => Ok(Action::Topics(topics(map)?)),
        "watch" => {
            let image = |value: &Value| {
                let map = value.as_object();
                let map = map.ok_or_else(|| unexpected("images", value, "an object"))?;
                Ok([
                    name(map, "robot")?,
                    name(map, "sensor")?,
                    name(map, "image")?,
                ])
            };
            let limits = ([0, MAX_WATCHED], "images");
            Ok(Action::Watch(list(map, "images", limits, image)?))
        }
        _ => Ok(Action::Control(control_action(map)?)),
    }
}

/// Returns the topics whose fields a client plots.
fn topics(map: &Map<String, Value>) -> Result<Vec<PlottedTopic>, String> {
    let plotted = |value: &Value| {
        let map = value.as_object();
        let map = map.ok_or_else(|| unexpected("topics", value, "an object"))?;
        let field = |value: &Value| {
            let path = value.as_str().filter(|path| path.len() <= MAX_NAME_BYTES);
            let path = path.map(str::to_owned);
            path.ok_or_else(|| unexpected("fields", value, "the path of a field"))
        };
        Ok(PlottedTopic {
            topic: name(map, "topic")?,
            fields: list(map, "fields", ([0, MAX_FIELDS], "paths of fields"), field)?,
        })
    };
    list(map, "topics", ([0, MAX_TOPICS], "topics"), plotted)
}

/// Returns the value of a key that is true or false.
fn flag(map: &Map<String, Value>, key: &str) -> Result<bool, String> {
    let value = map.get(key).unwrap_or(&Value::Null);
    let flag = value.as_bool();
    flag.ok_or_else(|| unexpected(key, value, "true or false"))
}

fn control_action(map: &Map<String, Value>) -> Result<ControlAction, String> {
    Ok(match text(map, "do")? {
        "pause" => ControlAction::Pause,
        "resume" => ControlAction::Resume,
        "step" => ControlAction::Step(count(map, "steps", MAX_STEPS)?),
        "reset" => ControlAction::Reset,
        "seek" => {
            let time = map.get("time_s").unwrap_or(&Value::Null);
            ControlAction::Seek(number(time, "time_s", MAX_SEEK_S)?)
        }
        "pace" => ControlAction::Pace(Pace::parse(text(map, "pace")?)?),
        "set" => {
            let limits = [1, MAX_PARAMETERS];
            ControlAction::Parameters(named_numbers(map, "parameters", limits)?)
        }
        "drive" => ControlAction::Drive {
            robot: name(map, "robot")?,
            axes: numbers(map.get("axes"), "axes", 1.0)?,
        },
        "path" => {
            let limits = ([1, MAX_WAYPOINTS], "[x, y, z]");
            let point = |value: &Value| numbers(Some(value), "points", MAX_COORDINATE);
            ControlAction::Path {
                robot: name(map, "robot")?,
                points: list(map, "points", limits, point)?,
            }
        }
        "goal" => goal(map)?,
        "gamepad" => gamepad(map)?,
        "actuator" => ControlAction::Actuator {
            robot: name(map, "robot")?,
            actuator: name(map, "actuator")?,
            value: number(map.get("value").unwrap_or(&Value::Null), "value", f64::MAX)?,
        },
        "push" => ControlAction::Push {
            robot: name(map, "robot")?,
            link: name(map, "link")?,
            force: numbers(map.get("force"), "force", MAX_PUSH)?,
            moment: numbers(map.get("moment"), "moment", MAX_PUSH)?,
        },
        "open" => ControlAction::Open(file_name(map, "world")?),
        "mode" => ControlAction::Mode {
            robot: name(map, "robot")?,
            mode: name(map, "mode")?,
        },
        "fault" => ControlAction::Fault(fault(map)?),
        "repair" => ControlAction::Repair {
            robot: owner(map)?,
            fault: name(map, "fault")?,
        },
        "record" => ControlAction::Record,
        "stop_recording" => ControlAction::StopRecording,
        _ => ControlAction::Edit(edit_action(map)?),
    })
}

fn edit_action(map: &Map<String, Value>) -> Result<EditAction, String> {
    let position = || numbers(map.get("position"), "position", MAX_COORDINATE);
    Ok(match text(map, "do")? {
        "add" => EditAction::Add {
            model: file_name(map, "model")?,
            position: position()?,
            attitude: quaternion(map, "attitude")?,
        },
        "duplicate" => EditAction::Duplicate {
            object: name(map, "object")?,
            position: position()?,
        },
        "remove" => EditAction::Remove(name(map, "object")?),
        "place" => EditAction::Place {
            object: name(map, "object")?,
            position: position()?,
            attitude: quaternion(map, "attitude")?,
        },
        "undo" => EditAction::Undo,
        "redo" => EditAction::Redo,
        "save" => EditAction::Save,
        other => return Err(unexpected("do", &Value::from(other), ACTIONS)),
    })
}

fn goal(map: &Map<String, Value>) -> Result<ControlAction, String> {
    let yaw = map.get("yaw_deg").filter(|yaw| !yaw.is_null());
    Ok(ControlAction::Goal {
        robot: name(map, "robot")?,
        position: numbers(map.get("position"), "position", MAX_COORDINATE)?,
        yaw_deg: yaw.map(|yaw| number(yaw, "yaw_deg", 360.0)).transpose()?,
    })
}

fn gamepad(map: &Map<String, Value>) -> Result<ControlAction, String> {
    let axis = |value: &Value| number(value, "axes", 1.0);
    let button = |value: &Value| {
        let pressed = value.as_bool();
        pressed.ok_or_else(|| unexpected("buttons", value, "true or false"))
    };
    Ok(ControlAction::Gamepad {
        robot: name(map, "robot")?,
        axes: list(map, "axes", ([1, MAX_GAMEPAD], "numbers"), axis)?,
        buttons: list(map, "buttons", ([0, MAX_GAMEPAD], "true and false"), button)?,
    })
}

/// Returns the robot with a fault; `None`, for null: the device belongs to no robot.
fn owner(map: &Map<String, Value>) -> Result<Option<String>, String> {
    match map.get("robot") {
        Some(Value::Null) => Ok(None),
        Some(_) | None => name(map, "robot").map(Some),
    }
}

fn fault(map: &Map<String, Value>) -> Result<FaultAction, String> {
    let duration = map.get("duration_s").unwrap_or(&Value::Null);
    let duration_s = duration
        .as_f64()
        .filter(|s| (0.0..=MAX_FAULT_S).contains(s));
    let expected = format!("0 (permanent) to {MAX_FAULT_S} seconds");
    Ok(FaultAction {
        robot: owner(map)?,
        name: name(map, "name")?,
        device: name(map, "device")?,
        kind: name(map, "kind")?,
        values: named_numbers(map, "values", [0, MAX_FAULT_VALUES])?,
        duration_s: duration_s.ok_or_else(|| unexpected("duration_s", duration, &expected))?,
    })
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
        let seek = control(r#"{"do":"seek","time_s":12.5}"#);
        assert_eq!(seek, ControlAction::Seek(12.5));
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
            (r#"{"do":"seek"}"#, "time_s: expected"),
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
        let expected = EditAction::Remove("rov".to_string());
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
        let expected = [robot(), "camera".to_string(), "depth".to_string()];
        assert_eq!(watch.action, Action::Watch(vec![expected]));
        let topics = r#"{"do":"topics","topics":[{"topic":"/a","fields":["x.y"]}]}"#;
        let plotted = PlottedTopic {
            topic: "/a".to_string(),
            fields: vec!["x.y".to_string()],
        };
        assert_eq!(
            decode(topics).unwrap().action,
            Action::Topics(vec![plotted])
        );
        let overlay = decode(r#"{"do":"overlay","on":true}"#).unwrap();
        let expected = Action::Overlay {
            is_on: true,
            has_hull: false,
        };
        assert_eq!(overlay.action, expected);
        let network = decode(r#"{"do":"network","on":false}"#).unwrap();
        assert_eq!(network.action, Action::Network(false));
        let none = decode(r#"{"do":"watch","images":[]}"#).unwrap();
        assert_eq!(none.action, Action::Watch(Vec::new()));
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
        assert_eq!(open, ControlAction::Open("fleet_100".to_string()));
        let duplicate = control(r#"{"do":"duplicate","object":"rov","position":[1,2,3]}"#);
        let expected = ControlAction::Edit(EditAction::Duplicate {
            object: "rov".to_string(),
            position: [1.0, 2.0, 3.0],
        });
        assert_eq!(duplicate, expected);
    }

    #[test]
    fn wrong_choices_are_refused() {
        for (message, expected) in [
            (r#"{"do":"watch","sensor":"camera"}"#, "images: expected"),
            (r#"{"do":"watch","images":[{}]}"#, "robot: expected"),
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
                "moment: expected 3 numbers",
            ),
            (
                r#"{"do":"duplicate","object":"a","position":[1,0]}"#,
                "position: expected 3 numbers",
            ),
            (r#"{"do":"overlay","on":1}"#, "on: expected"),
            (r#"{"do":"overlay","on":true,"hull":1}"#, "hull: expected"),
            (r#"{"do":"network"}"#, "on: expected"),
            (
                r#"{"do":"topics","topics":["/a"]}"#,
                "topics: expected an object",
            ),
            (
                r#"{"do":"topics","topics":[{"topic":"/a"}]}"#,
                "fields: expected",
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
                "position: expected 3 numbers, found 0",
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
            (r#"{"do":"remove"}"#, "object: expected"),
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
                "duration_s: expected",
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
