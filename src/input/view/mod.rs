//! Actions of the live view: converts them to commands, parameters and changes of the world. A bag
//! contains a command as the message or the request of a service that has the same effect, so that
//! replays repeat it.

mod edit;
mod robot_inputs;

use crate::input::view::edit::Editing;
use crate::input::view::robot_inputs::{Recorded, SceneInputs};
use crate::modem::bridges::find_type;
use crate::node::parameters::live::{ParameterSinks, start as start_parameters};
use crate::node::parameters::node::PACE;
use crate::node::world_editor::EditSender;
use crate::picture::live;
use crate::publisher::state::{PublisherState, Task};
use crossbeam_channel::Sender;
use merrow_model::scene::{Scene, Sensor};
use merrow_model::state::Command;
use merrow_model::state::commands::CommandRejection;
use merrow_ros2::node::Network;
use merrow_ros2::parameters::ParameterServer;
use merrow_ros2::parameters::value::ParameterValue;
use merrow_sim::{Pace, Reply, Request, SceneVersion, Simulation};
use merrow_view::action::{ControlAction, FaultAction};
use merrow_view::readings::foreign_topics::ForeignTopics;
use merrow_view::readings::topic_table::TopicTable;
use merrow_view::{
    Answer, Catalogue, ControlState, Controls, ImageSource, MessageNumbers, RobotControls,
    TopicInfo, TopicMessage,
};
use merrow_world::build::fault::request_values;
use merrow_world::data_dir;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Controls of the live view of a run.
pub struct ViewControls {
    requests: Sender<Request>,
    parameters: Arc<ParameterServer>,
    scene: Mutex<SceneInputs>,
    editing: Option<Editing>,
    recorder: Option<Recorder>,
    foreign: Option<ForeignTopics>,
}

/// Recorder of the run.
pub struct Recorder {
    /// Tasks of the publisher thread.
    pub tasks: Sender<Task>,
    /// State of the publisher thread.
    pub shared: Arc<PublisherState>,
}

/// Connections of the controls to the running world.
pub struct ControlParts {
    /// Requests to the running world.
    pub requests: Sender<Request>,
    /// Parameters of the run.
    pub parameters: Arc<ParameterServer>,
    /// Changes of the world; `None`: the objects of the world cannot be changed.
    pub editor: Option<EditSender>,
    /// Recorder of the run; `None` without one.
    pub recorder: Option<Recorder>,
    /// Network of the node; `None` without ROS.
    pub network: Option<Network>,
}

/// Declares the parameters of a run without a node, as a node does.
///
/// # Errors
/// One line: a parameter could not be declared.
pub fn standalone_parameters(
    simulation: &Simulation,
    pace: Pace,
    requests: &Sender<Request>,
) -> Result<Arc<ParameterServer>, String> {
    let server = ParameterServer::new(Vec::new()).map_err(|e| e.to_string())?;
    let server = Arc::new(server);
    let sinks = ParameterSinks::without_node(requests.clone());
    start_parameters(&server, simulation, pace, sinks).map_err(|e| e.to_string())?;
    Ok(server)
}

impl ViewControls {
    /// Creates the controls of a run.
    pub fn new(simulation: &Simulation, parts: ControlParts) -> Self {
        let scene = SceneInputs::new(&simulation.scene, simulation.scene_version);
        Self {
            requests: parts.requests,
            parameters: parts.parameters,
            scene: Mutex::new(scene),
            editing: parts.editor.map(Editing::new),
            recorder: parts.recorder,
            foreign: parts
                .network
                .map(|network| ForeignTopics::new(network, |name| find_type(name).ok())),
        }
    }

    fn own_topics(&self) -> Arc<TopicTable> {
        Arc::clone(&self.scene.lock().topics)
    }

    /// Sends a request with a reply, which is the answer.
    fn send_with_reply(&self, answer: Answer, request: impl FnOnce(Reply<()>) -> Request) {
        // a run that has ended drops the request with the answer; the connection then ends too
        let _ = self.requests.send(request(Reply::new(move |()| {
            answer(Ok(String::new()));
        })));
    }

    /// Sends commands to the run. The outcome of a single command is the answer; rejections of
    /// several commands are events.
    fn send_commands(
        &self,
        answer: Answer,
        build: impl FnOnce(&SceneInputs) -> Result<Recorded, String>,
    ) {
        let inputs = self.scene.lock();
        let (version, built) = (inputs.version, build(&inputs));
        drop(inputs);
        let (commands, message) = match built {
            Ok(built) => built,
            Err(why) => return answer(Err(why)),
        };
        let [command] = match <[Command; 1]>::try_from(commands) {
            Ok(single) => single,
            Err(commands) => {
                let request = Request::Input(version, commands, message);
                let sent = self.requests.send(request);
                return answer(match sent {
                    Ok(()) => Ok(String::new()),
                    Err(_) => Err("the run has ended".to_string()),
                });
            }
        };
        let reply = Reply::new(move |result: Result<(), CommandRejection>| {
            let result = result.map(|()| String::new());
            answer(result.map_err(|rejection| rejection.reason));
        });
        // as in `send_with_reply`
        let _ = self.requests.send(Request::CommandReply(
            version,
            command,
            Some(message),
            reply,
        ));
    }

    fn set(&self, parameters: &[(String, ParameterValue)]) -> Result<String, String> {
        let set = self.parameters.set_atomically(parameters);
        set.map(|()| String::new())
    }

    /// Starts a recording into a new file in the working folder.
    fn record(&self, answer: Answer) {
        let Some(recorder) = &self.recorder else {
            return answer(Err("this run has no recorder".to_string()));
        };
        let path = free_path(&self.scene.lock().scene.name);
        // a thread that has ended drops the task with the answer
        let _ = recorder.tasks.send(Task::Record(path, Reply::new(answer)));
    }

    fn stop_recording(&self, answer: Answer) {
        let Some(recorder) = &self.recorder else {
            return answer(Err("this run has no recorder".to_string()));
        };
        let reply = Reply::new(move |done: Result<Option<String>, String>| {
            let none = || "no recording is active".to_string();
            answer(done.and_then(|line| line.ok_or_else(none)));
        });
        let _ = recorder.tasks.send(Task::StopRecording(reply));
    }
}

/// Returns the path of a file in the working folder that does not exist. A page cannot select the
/// file, because other programs on this machine can open the page.
fn free_path(world: &str) -> PathBuf {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name: String = world.chars().filter(|c| is_plain(*c)).take(60).collect();
    let paths = (1_u64..).map(|k| PathBuf::from(format!("merrow_{name}_{k}.mcap")));
    let mut free = paths.filter(|path| !path.exists());
    free.next().unwrap_or_default()
}

impl Controls for ViewControls {
    fn set_scene(&self, scene: &Arc<Scene>, version: SceneVersion) {
        *self.scene.lock() = SceneInputs::new(scene, version);
    }

    fn of_robot(&self, robot: usize) -> RobotControls {
        self.scene.lock().controls(robot)
    }

    fn request(&self, action: ControlAction, answer: Answer) {
        use ControlAction as A;
        match action {
            A::Pause => self.send_with_reply(answer, Request::Pause),
            A::Resume => self.send_with_reply(answer, Request::Resume),
            A::Reset => self.send_with_reply(answer, Request::Reset),
            A::Step { steps } => {
                let reply = Reply::new(move |done: merrow_sim::StepResult| {
                    answer(done.result.map(|()| String::new()));
                });
                // as in `send_with_reply`
                let _ = self.requests.send(Request::Step(steps, reply));
            }
            A::Pace { pace } => {
                let value = ParameterValue::String(pace.to_string());
                answer(self.set(&[(PACE.to_string(), value)]));
            }
            A::Parameters { parameters } => {
                let parameters = parameters.into_iter();
                let values = parameters.map(|(name, x)| (name, ParameterValue::Double(x)));
                answer(self.set(&values.collect::<Vec<_>>()));
            }
            A::Seek { .. } => answer(Err("a running world has no recorded times".to_string())),
            A::Record => self.record(answer),
            A::StopRecording => self.stop_recording(answer),
            A::Edit(action) => match &self.editing {
                Some(editing) => editing.request(action, answer),
                None => answer(Err("the objects of this run cannot be changed".to_string())),
            },
            A::Open { world } => match &self.editing {
                Some(editing) => editing.open(world, answer),
                None => answer(Err("this run can open no other world".to_string())),
            },
            A::Drive { robot, axes } => {
                self.send_commands(answer, |inputs| inputs.drive(&robot, axes));
            }
            A::Path { robot, points } => {
                self.send_commands(answer, |inputs| inputs.path(&robot, &points));
            }
            A::Goal {
                robot,
                position,
                yaw_deg,
            } => self.send_commands(answer, |inputs| inputs.goal(&robot, position, yaw_deg)),
            A::Gamepad {
                robot,
                axes,
                buttons,
            } => self.send_commands(answer, |inputs| inputs.gamepad(&robot, &axes, &buttons)),
            A::Actuator {
                robot,
                actuator,
                value,
            } => self.send_commands(answer, |inputs| inputs.actuator(&robot, &actuator, value)),
            A::Push {
                robot,
                link,
                force,
                moment,
            } => self.send_commands(answer, |inputs| inputs.push(&robot, &link, [force, moment])),
            A::Mode { robot, mode } => {
                self.send_commands(answer, |inputs| inputs.mode(&robot, &mode));
            }
            A::Fault(action) => self.send_commands(answer, |inputs| inputs.fault(action)),
            A::Repair { robot, fault } => {
                let action = FaultAction {
                    robot,
                    name: fault,
                    kind: "none".to_string(),
                    ..FaultAction::default()
                };
                self.send_commands(answer, |inputs| inputs.fault(action));
            }
        }
    }

    fn catalogue(&self) -> Catalogue {
        let models = self.editing.as_ref().map(Editing::catalogue);
        Catalogue {
            models: models.unwrap_or_default(),
            worlds: match &self.editing {
                Some(_) => data_dir::file_names("worlds"),
                None => Vec::new(),
            },
            faults: request_values(),
        }
    }

    fn model(&self, name: &str) -> Option<Scene> {
        self.editing.as_ref()?;
        edit::model_scene(name)
    }

    fn image_source(&self, _: (usize, usize), sensor: &Sensor) -> Option<ImageSource> {
        live::source(sensor)
    }

    fn topics(&self) -> Vec<TopicInfo> {
        let own = self.own_topics();
        let mut topics = match &self.recorder {
            Some(_) => own.topics(),
            None => Vec::new(),
        };
        topics.extend(self.foreign.iter().flat_map(|foreign| foreign.topics(&own)));
        topics
    }

    fn plot_topics(&self, topics: &[String]) {
        if let Some(recorder) = &self.recorder {
            recorder.shared.plotted.set(topics);
        }
        if let Some(foreign) = &self.foreign {
            foreign.plot(topics, &self.own_topics());
        }
    }

    fn take_messages(&self, now_ns: u64) -> Vec<TopicMessage> {
        let own = self.recorder.iter();
        let own = own.flat_map(|recorder| recorder.shared.plotted.take());
        let foreign = self.foreign.iter().flat_map(|topics| topics.take(now_ns));
        own.chain(foreign).collect()
    }

    fn numbers(&self, message: &TopicMessage) -> Option<MessageNumbers> {
        let own = self.own_topics();
        if own.contains(&message.topic) {
            return own.numbers(message);
        }
        self.foreign.as_ref()?.numbers(message)
    }

    fn state(&self) -> ControlState {
        let recording = |recorder: &Recorder| recorder.shared.recording.load(Ordering::Relaxed);
        let mut state = ControlState {
            recording: self.recorder.as_ref().map(recording),
            ..ControlState::default()
        };
        if let Some(editing) = &self.editing {
            editing.add_state(&mut state);
        }
        state
    }
}
