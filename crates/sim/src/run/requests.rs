//! Requests to a running world, and the commands in them: handled between two blocks.

use super::{Run, halted_robots};
use crate::control::command;
use crate::pace::{Pace, Stopwatch};
use crate::simulation::{SceneVersion, Simulation};
use crossbeam_channel::{Receiver, Sender};
use merrow_math::Vec3;
use merrow_model::scene::Correspondence;
use merrow_model::scene::robot::firmware::interface::ControlledHeight;
use merrow_model::state::commands::{Accepted, CommandRejection};
use merrow_model::state::{BodyCommand, Command, FirmwareCommand};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Maximum number of replacements of the scene after which commands for the scene before them are
/// still accepted.
const MAX_REPLACEMENTS: usize = 64;
/// Wall-clock time between two blocks after which no further request is handled [s].
const REQUESTS_WALL_S: f64 = 0.002;

/// Request to a running world. Requests are handled between blocks.
#[derive(Debug)]
pub enum Request {
    /// Change the state by a command whose indices refer to a version of the scene.
    Command(SceneVersion, Command),
    /// Commands of a message of a user, with indices of this version of the scene.
    Input(SceneVersion, Vec<Command>, InputMessage),
    /// Change the state and reply with the result; observers receive the message of a success.
    CommandReply(
        SceneVersion,
        Command,
        Option<InputMessage>,
        Reply<Result<(), CommandRejection>>,
    ),
    /// Continue with the scene of another world, whose reply contains the old scene.
    Replace(Box<Simulation>, Reply<Result<Box<Simulation>, String>>),
    /// Continue with another world at its start; the reply contains the old scene.
    Load(Box<Simulation>, Reply<Box<Simulation>>),
    /// Call a function with the world.
    Access(Access),
    /// Reply with the status of the run.
    Status(Reply<RunStatus>),
    /// Pause; also ends a step request in progress.
    Pause(Reply<()>),
    /// Resume after a pause.
    Resume(Reply<()>),
    /// Make this number of steps now, then reply; for a paused or lock-stepped world.
    Step(u64, Reply<StepResult>),
    /// Reset time and state to the start of the run.
    Reset(Reply<()>),
    /// Reset the state to the initial state; the time continues.
    ResetState(Reply<()>),
    /// Change the pace of the run.
    Pace(Pace),
    /// Reply with a checkpoint of the current instant.
    Checkpoint(Reply<Result<Vec<u8>, String>>),
}

/// Function that is called with the world between two blocks. It must return quickly.
pub struct Access(Box<dyn FnOnce(&mut Simulation) + Send>);

impl Access {
    /// Creates a request that calls `call` on the thread of the run.
    pub fn new(call: impl FnOnce(&mut Simulation) + Send + 'static) -> Self {
        Self(Box::new(call))
    }
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Access")
    }
}

/// Message that a user sent, with its commands; observers can record it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputMessage {
    /// Topic under which recordings contain the message.
    pub topic: std::sync::Arc<str>,
    /// Serialised message, as received.
    pub bytes: Vec<u8>,
}

/// Status of a run, in reply to a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunStatus {
    /// Simulated time since the start [ns].
    pub time_ns: u64,
    /// True while the simulated time is paused.
    pub paused: bool,
    /// True while the world is paused at its start, after a reset or after it was loaded.
    pub stopped: bool,
    /// Pace of the run.
    pub pace: Pace,
}

/// Callback for the answer to a request. A world that ends drops the unanswered requests.
pub struct Reply<T>(Box<dyn FnOnce(T) + Send>);

impl<T> Reply<T> {
    /// Creates a reply that calls `answer` on the thread of the run; `answer` must not block.
    pub fn new(answer: impl FnOnce(T) + Send + 'static) -> Self {
        Self(Box::new(answer))
    }

    /// Calls the callback with `answer`.
    pub fn send(self, answer: T) {
        (self.0)(answer);
    }
}

impl<T: Send + 'static> From<Sender<T>> for Reply<T> {
    /// Creates a reply that sends into a channel, which must have capacity for it.
    fn from(sender: Sender<T>) -> Self {
        // the receiver may no longer exist; the answer is then dropped
        Self::new(move |answer| drop(sender.try_send(answer)))
    }
}

impl<T> std::fmt::Debug for Reply<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reply")
    }
}

/// Result of a step request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepResult {
    /// Simulated time after the steps [ns].
    pub time_ns: u64,
    /// `Ok` if all steps were made; otherwise the cause and the number of steps made.
    pub result: Result<(), String>,
}

/// Step request in progress.
pub(super) struct PendingSteps {
    pub(super) requested: u64,
    pub(super) left: u64,
    pub(super) reply: Reply<StepResult>,
}

/// Answers a step request.
pub(super) fn answer(
    reply: Reply<StepResult>,
    simulation: &Simulation,
    result: Result<(), String>,
) {
    let time_ns = simulation.time_ns();
    reply.send(StepResult { time_ns, result });
}

impl Run<'_, '_> {
    /// Applies a command, or reports its rejection.
    fn apply_or_reject(&mut self, new: (SceneVersion, Command), simulation: &mut Simulation) {
        if let Err(rejection) = self.apply(new.0, new.1, simulation) {
            self.reject(&rejection, simulation);
        }
    }

    /// Passes a message of a user to the observers.
    fn report_input(&mut self, message: &InputMessage, simulation: &Simulation) {
        self.each(|o| o.received(message, simulation));
    }

    /// Handles the requests in the queue, at least one and for at most [`REQUESTS_WALL_S`]; the
    /// others wait for the next block, so that a client with many requests does not stop the run.
    /// Returns false if the run was stopped meanwhile.
    pub(super) fn handle_queued(
        &mut self,
        requests: &Receiver<Request>,
        simulation: &mut Simulation,
        stop: &AtomicBool,
    ) -> bool {
        let since = Stopwatch::start();
        while let Ok(request) = requests.try_recv() {
            self.handle(request, simulation);
            if stop.load(Ordering::Relaxed) {
                return false;
            }
            if since.elapsed_s() > REQUESTS_WALL_S {
                break;
            }
        }
        true
    }

    /// Waits for a request for at most `timeout` and handles it. Returns whether there was one.
    pub(super) fn handle_next(
        &mut self,
        requests: &Receiver<Request>,
        simulation: &mut Simulation,
        timeout: Duration,
    ) -> bool {
        let request = requests.recv_timeout(timeout);
        let is_request = request.is_ok();
        request
            .into_iter()
            .for_each(|request| self.handle(request, simulation));
        is_request
    }

    fn handle(&mut self, request: Request, simulation: &mut Simulation) {
        match request {
            Request::Command(version, command) => {
                self.apply_or_reject((version, command), simulation);
            }
            Request::Input(version, commands, message) => {
                for command in commands {
                    self.apply_or_reject((version, command), simulation);
                }
                self.report_input(&message, simulation);
            }
            Request::Load(new, reply) => reply.send(self.load(new, simulation)),
            Request::Access(Access(call)) => call(simulation),
            Request::Status(reply) => reply.send(RunStatus {
                time_ns: simulation.time_ns(),
                paused: self.paused,
                stopped: self.stopped,
                pace: self.pace,
            }),
            Request::Replace(new, reply) => reply.send(self.replace(new, simulation)),
            Request::CommandReply(version, command, message, reply) => {
                let result = self.apply(version, command, simulation);
                match (&result, message) {
                    (Err(rejection), _) => self.reject(rejection, simulation),
                    (Ok(()), Some(message)) => self.report_input(&message, simulation),
                    (Ok(()), None) => {}
                }
                reply.send(result);
            }
            Request::Pause(reply) => {
                (self.paused, self.stopped) = (true, false);
                self.end_steps("paused", simulation);
                reply.send(());
            }
            Request::Resume(reply) => {
                (self.paused, self.stopped) = (false, false);
                self.restart(simulation);
                if self.pace != Pace::Lockstep {
                    self.end_steps("resumed", simulation);
                }
                reply.send(());
            }
            Request::Step(n, reply) => self.request_steps(n, reply, simulation),
            Request::Checkpoint(reply) => reply.send(simulation.checkpoint()),
            Request::Reset(reply) => {
                self.end_steps("reset", simulation);
                simulation.restart();
                self.stopped = self.paused;
                self.restart(simulation);
                self.each(|o| o.reset());
                reply.send(());
            }
            Request::ResetState(reply) => {
                simulation.restart_state();
                self.each(|o| o.state_reset());
                reply.send(());
            }
            Request::Pace(pace) => {
                self.pace = pace;
                self.restart(simulation);
                if !self.paused && pace != Pace::Lockstep {
                    self.end_steps("the world was set running", simulation);
                }
            }
        }
    }

    /// Applies a command whose indices refer to a version of the scene.
    fn apply(
        &self,
        version: SceneVersion,
        command: Command,
        simulation: &mut Simulation,
    ) -> Result<(), CommandRejection> {
        if version == simulation.scene_version {
            return simulation.apply(&command);
        }
        let since = self.replacements.iter().find(|(v, _)| *v == version);
        match since.and_then(|(_, same)| command.in_scene(same)) {
            Some(command) => simulation.apply(&command),
            None => Err(CommandRejection {
                robot: None,
                reason: "the command is for an object that has been removed".to_string(),
            }),
        }
    }

    /// Continues with the scene of `new`. Returns the old world.
    fn replace(
        &mut self,
        mut new: Box<Simulation>,
        simulation: &mut Simulation,
    ) -> Result<Box<Simulation>, String> {
        let version = simulation.scene_version;
        // records of the frames of removed modems have names in the old scene only
        simulation.clear_outboxes();
        simulation.lose_removed_modems(&new);
        if !simulation.network_output.is_empty() {
            self.notify_observers(simulation);
            simulation.clear_outboxes();
        }
        let same = simulation.replace(&mut new)?;
        self.follow_scene(version, &same, simulation);
        Ok(new)
    }

    /// Loads another world, which is then paused at its start. Returns the old world.
    fn load(&mut self, mut new: Box<Simulation>, simulation: &mut Simulation) -> Box<Simulation> {
        self.end_steps("another world was loaded", simulation);
        let version = simulation.scene_version;
        let none = simulation.load(&mut new);
        (self.paused, self.stopped) = (true, true);
        self.follow_scene(version, &none, simulation);
        self.restart(simulation);
        self.each(|o| o.reset());
        new
    }

    /// Notes the indices of the objects after a change of the scene `version`.
    fn follow_scene(
        &mut self,
        version: SceneVersion,
        same: &Correspondence,
        simulation: &mut Simulation,
    ) {
        for (_, earlier) in &mut self.replacements {
            *earlier = earlier.then(same);
        }
        self.replacements.push_back((version, same.clone()));
        if self.replacements.len() > MAX_REPLACEMENTS {
            self.replacements.pop_front();
        }
        self.halt_notified = halted_robots(simulation);
        if let Some(scheduler) = &mut simulation.sensor_scheduler {
            scheduler.set_pace(self.pace);
        }
        self.each(|o| o.replaced(simulation, same));
    }

    fn request_steps(&mut self, n: u64, reply: Reply<StepResult>, simulation: &Simulation) {
        let is_running = !self.paused && self.pace != Pace::Lockstep;
        let why = match n {
            _ if is_running => {
                "the world is running; expected a paused or lock-stepped world; pause it, or start it with --pace lockstep"
            }
            _ if self.pending.is_some() => {
                "another step request is in progress; wait for its reply"
            }
            0 => "number of steps out of range; expected at least 1, found 0",
            requested => {
                self.each(|o| o.before_steps(simulation));
                self.stopped = false;
                self.pending = Some(PendingSteps {
                    requested,
                    left: requested,
                    reply,
                });
                return;
            }
        };
        answer(reply, simulation, Err(why.to_string()));
    }

    /// Ends a step request in progress and reports the number of steps made.
    pub(super) fn end_steps(&mut self, why: &str, simulation: &Simulation) {
        let Some(PendingSteps {
            requested,
            left,
            reply,
        }) = self.pending.take()
        else {
            return;
        };
        let why = format!("{why} after {} of {requested} steps", requested - left);
        answer(reply, simulation, Err(why));
    }

    pub(super) fn reject(&mut self, rejection: &CommandRejection, simulation: &Simulation) {
        self.rejected += 1;
        self.each(|o| o.rejected(rejection, simulation));
    }
}

impl Simulation {
    /// Applies a command; it takes effect at the start of the next step. A command to a robot whose
    /// commands pass through a task takes effect when the task has completed a job with it; a
    /// rejection is then in `schedule_rejections`.
    ///
    /// # Errors
    /// Returns why the command was rejected; the state is then unchanged.
    pub fn apply(&mut self, command: &Command) -> Result<(), CommandRejection> {
        if self.hold_command(command) {
            return Ok(());
        }
        self.apply_at_once(command)
    }

    /// Applies a command, also if commands to its robot pass through a task.
    pub(crate) fn apply_at_once(&mut self, command: &Command) -> Result<(), CommandRejection> {
        let reject = |why| command.reject(&self.scene, why);
        self.check_goal(command).map_err(reject)?;
        match (command, &mut self.communication) {
            (Command::Modem(to_modem), Some(communication)) => communication
                .network
                .apply(&mut self.state.network, to_modem)
                .map_err(|why| command.reject(&self.scene, why)),
            (Command::Bridge { bridge, message }, Some(communication)) => {
                communication.send_over_bridge(&self.scene, &mut self.state, *bridge, message)
            }
            (Command::Call(call), Some(communication)) => {
                communication.send_call(&self.scene, &mut self.state, call)
            }
            (Command::Body(robot, BodyCommand::SetPose { .. }), _) => {
                self.apply_pose(*robot, command)
            }
            _ => command::apply(&self.scene, &mut self.state, command),
        }
    }

    /// Refuses a goal or a waypoint inside a structure or the seabed. A vehicle that does not
    /// control its height is taken at its current height; one on wheels is not checked.
    fn check_goal(&self, command: &Command) -> Accepted {
        let (robot, what, points) = match command {
            Command::Firmware(robot, FirmwareCommand::PoseGoal { p_WB, .. }) => {
                (*robot, "goal", std::slice::from_ref(p_WB))
            }
            Command::Firmware(robot, FirmwareCommand::FollowPath { waypoints }) => {
                (*robot, "waypoint", waypoints.as_slice())
            }
            _ => return Ok(()),
        };
        let model = self.scene.robots.get(robot);
        let Some(firmware) = model.and_then(|robot| robot.firmware.as_ref()) else {
            return Ok(());
        };
        let height = firmware.abilities().height;
        let z = self.state.robots[robot].motion.p_WB.z;
        for (k, point) in points.iter().enumerate().filter(|(_, p)| p.is_finite()) {
            let p = match height {
                ControlledHeight::Commanded => *point,
                ControlledHeight::Water => Vec3::new(point.x, point.y, z),
                ControlledHeight::Ground => return Ok(()),
            };
            let structure = self.contacts.as_ref().and_then(|c| c.structure_at(p));
            let obstacle = match structure {
                Some(structure) => &self.scene.structures[structure].name,
                None if self.state.sea.seabed.height(p.x, p.y) > p.z => "the seabed",
                None => continue,
            };
            let number = if points.len() > 1 {
                format!(" {k}")
            } else {
                String::new()
            };
            return Err(format!(
                "{what}{number}: ({:.2}, {:.2}, {:.2}) m is inside {obstacle}; expected a free position",
                p.x, p.y, p.z
            ));
        }
        Ok(())
    }
}
