//! Link of a robot to a community of MOOS: the robot takes the place of a simulator such as
//! uSimMarineV22.
//!
//! It publishes the motion ([`motion`]) and takes the demands of a controller such as pMarinePIDV22
//! ([`effectors`]), or set-points for the firmware of the robot ([`set_points`]).
//! It changes current and wind, publishes the readings of sensors and the boxes of an obstacle detector
//! ([`obstacles`]), and carries the messages of uField over a modem of the world.
//! The link is a client of the MOOSDB, and delays the world only in lock-step ([`lock_step`]): the
//! programs of a community follow their own clocks. These run at the pace of the world (`MOOSTimeWarp`);
//! at the paces `max` and `lockstep` the stamps are those of simulated time.
//!
//! Names and units are those of moos-ivp at a2a9b71, `ivp/src/uSimMarineV22/USM_MOOSApp.cpp`.

pub mod effectors;
mod environment;
mod lock_step;
mod modem;
pub mod motion;
mod obstacles;
mod sensors;
mod set_points;

use crate::estimate::Estimate;
use crate::history::MotionSample;
use crate::moos::effectors::{Demand, Effectors};
use crate::moos::lock_step::{LockStep, PATIENCE, Step};
use crate::moos::obstacles::Obstacles;
use crate::set_points::SetPoints;
use crate::status::{LinkKind, LinkLog, LinkStatus, LogSink};
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::scene::moos::Moos;
use merrow_model::state::reading::Reading;
use merrow_model::state::{BodyCommand, Command};
use merrow_moos::client::{Client, Connection, Settings};
use merrow_moos::clock::{self, Clock};
use merrow_moos::message::{Message, Value, field};
use merrow_sim::{BlockLimit, Pace, Simulation};
use std::collections::BTreeMap;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Wall time for which an exchange waits for programs in lock-step.
const WAIT: Duration = Duration::from_millis(20);

/// Longest line of the log about a message [characters].
const MAX_LINE: usize = 300;

/// Variables that the link receives, in addition to those of the environment and of the modem.
const INPUTS: [&str; 8] = [
    "DESIRED_THRUST",
    "DESIRED_RUDDER",
    "DESIRED_ELEVATOR",
    "DESIRED_THRUST_L",
    "DESIRED_THRUST_R",
    "THRUST_MODE_REVERSE",
    "THRUST_MODE_DIFFERENTIAL",
    "USM_RESET",
];

/// Variables of uSimMarineV22 that have no effect here, and why.
const WITHOUT_EFFECT: [(&str, &str); 11] = [
    ("BUOYANCY_RATE", VEHICLE),
    ("BUOYANCY_CONTROL", VEHICLE),
    ("TRIM_CONTROL", VEHICLE),
    ("ROTATE_SPEED", VEHICLE),
    ("USM_TURN_RATE", VEHICLE),
    ("USM_TURN_RADIUS", VEHICLE),
    ("WATER_DEPTH", "the seabed is that of the world"),
    ("OBSTACLE_HIT", "contacts are those of the world"),
    ("USM_SIM_PAUSED", "pause the world: other robots share it"),
    ("USM_ENABLED", "the robot is that of the world"),
    ("USM_RESET_NAV", "the motion has no drift of its own"),
];
const VEHICLE: &str = "the vehicle is that of its model";

/// A link to a MOOSDB.
#[derive(Debug)]
pub(crate) struct Link {
    robot: usize,
    settings: Moos,
    client: Client,
    /// Simulated time for the clock of a community that does not follow the wall clock [ns].
    simulated: Arc<AtomicU64>,
    effectors: Effectors,
    demand: Demand,
    set_points: SetPoints,
    obstacles: Obstacles,
    lock_step: LockStep,
    /// Whether the devices follow the demands at the end of the turns.
    has_turns: bool,
    opened: Instant,
    /// Connection at the last exchange.
    connection: Connection,
    /// Time of the next variables of the motion [ns].
    next_ns: u64,
    /// Last reading of each sensor since the last variables, by its index.
    readings: BTreeMap<usize, Reading>,
    /// Motion by the key `navigation`.
    estimate: Estimate,
    /// Number of USM_RESET so far.
    resets: f64,
    log: LinkLog,
}

impl Link {
    /// Starts the client of a robot, which connects in the background.
    pub(crate) fn open(
        scene: &Scene,
        robot: usize,
        settings: &Moos,
        pace: Pace,
        log: &LogSink,
    ) -> Self {
        let own = &scene.robots[robot];
        let simulated = Arc::new(AtomicU64::new(0));
        let clock: Clock = match pace {
            Pace::Factor(warp) => clock::wall(warp),
            Pace::Max | Pace::Lockstep => {
                let (start_s, simulated) = (clock::unix_s(), Arc::clone(&simulated));
                Arc::new(move || start_s + 1e-9 * simulated.load(Ordering::Relaxed) as f64)
            }
        };
        let port = u16::try_from(settings.port).unwrap_or_default();
        let client = Settings::new(settings.client.clone(), settings.host.clone(), port);
        let client = Client::start(client, clock);
        // with set-points the firmware commands the devices
        let is_used = |variable: &&str| !(settings.set_points && variable.starts_with("DESIRED_"));
        let set_points = match settings.set_points {
            true => &set_points::INPUTS[..],
            false => &[],
        };
        let modem_inputs = settings.messages.iter().flat_map(|_| modem::INPUTS);
        let unused = WITHOUT_EFFECT.map(|(variable, _)| variable);
        let inputs = INPUTS
            .into_iter()
            .filter(is_used)
            .chain(set_points.iter().copied());
        let inputs = inputs
            .chain(environment::INPUTS)
            .chain(modem_inputs)
            .chain(unused);
        for variable in inputs {
            client.register(variable, 0.0);
        }
        if !settings.lock_step.is_empty() {
            client.register(lock_step::DONE, 0.0);
        }
        let address = format!("{}:{port}", settings.host);
        Self {
            robot,
            settings: settings.clone(),
            client,
            simulated,
            effectors: Effectors::new(own),
            demand: Demand::default(),
            set_points: SetPoints::default(),
            obstacles: Obstacles::default(),
            lock_step: LockStep::new(&settings.lock_step),
            has_turns: false,
            opened: Instant::now(),
            connection: Connection::Waiting(String::new()),
            next_ns: 0,
            readings: BTreeMap::new(),
            estimate: Estimate::new(settings.navigation.clone()),
            resets: 0.0,
            log: LinkLog::new(&own.name, LinkKind::Moos, address, log),
        }
    }

    /// Reports changes of the connection. The thrusters stop when it ends.
    fn observe(&mut self, simulation: &mut Simulation) {
        let connection = self.client.connection();
        if connection == self.connection {
            return;
        }
        let was_connected = matches!(self.connection, Connection::Connected(_));
        match &connection {
            Connection::Connected(community) => {
                if self.client.connections() > 1 {
                    self.log.status.restarts += 1;
                }
                self.log.connected(format!("the community {community:?}"));
                if self.lock_step.is_used() {
                    self.client.notify(lock_step::TURN, lock_step::NO_TURN);
                }
                if let Some(expected) = &self.settings.community
                    && expected != community
                {
                    self.log.note(format!(
                        "expected the community {expected:?}, found {community:?}; change the port, or the key `community`"
                    ));
                }
            }
            Connection::Refused(why) => self.log.lost(&format!(
                "the MOOSDB refuses the client {:?}: {why}; give another `client`",
                self.settings.client
            )),
            Connection::Waiting(why) if was_connected => {
                (self.demand, self.set_points) = Default::default();
                self.lock_step.end();
                self.command(simulation);
                self.log.lost(&format!("{why}: the thrusters stop"));
            }
            Connection::Waiting(_) => {}
        }
        self.connection = connection;
    }

    /// Applies the messages that have arrived.
    fn receive(&mut self, mail: Vec<Message>, simulation: &mut Simulation) {
        if mail.is_empty() {
            return;
        }
        self.log.status.frames += mail.len() as u64;
        let dropped = self.client.take_dropped();
        if dropped > 0 {
            self.log.status.lost_frames += dropped;
            self.log.note("messages of the community were dropped");
        }
        for message in &mail {
            if let Err(why) = self.take(message, simulation) {
                self.log.status.malformed += 1;
                let line = format!("{} of {}: {why}", message.key, message.source);
                self.log.note(shortened(line));
            }
        }
        // in lock-step once, after all turns: messages arrive in packets that differ from run to run
        if !self.lock_step.is_used() {
            self.command(simulation);
        }
    }

    /// Takes a message.
    ///
    /// # Errors
    /// One line: its value is not one of the variable.
    fn take(&mut self, message: &Message, simulation: &mut Simulation) -> Result<(), String> {
        let key = message.key.as_str();
        let is_set_point =
            self.settings.set_points && set_points::take(&mut self.set_points, key, message)?;
        if is_set_point || self.demand.take(key, message, self.settings.thrust_gain)? {
            return Ok(());
        }
        if key == lock_step::DONE {
            let step = self.lock_step.answer(message, Instant::now())?;
            self.follow(step);
            return Ok(());
        }
        if key == "USM_RESET" {
            self.place(&message.text(), simulation)?;
            self.resets += 1.0;
            self.post("USM_RESET_COUNT", self.resets);
            return Ok(());
        }
        if let Some((_, why)) = WITHOUT_EFFECT.iter().find(|(variable, _)| *variable == key) {
            return Err(format!("has no effect: {why}"));
        }
        if modem::INPUTS.contains(&key) {
            return self.transmit(key, &message.text(), simulation);
        }
        let sea = &simulation.state.sea;
        let command = environment::command(key, message, sea, sea.air.to.wind)?;
        command.map_or(Ok(()), |command| apply(&command, simulation))
    }

    /// Passes a message or a request of a range to the modem.
    fn transmit(&self, key: &str, text: &str, simulation: &mut Simulation) -> Result<(), String> {
        let Some(modem) = self.modem(&simulation.scene) else {
            return Ok(());
        };
        for command in modem::commands(key, text, modem, &simulation.scene)? {
            apply(&command, simulation)?;
        }
        Ok(())
    }

    /// Returns the index of the modem of the key `messages`.
    fn modem(&self, scene: &Scene) -> Option<usize> {
        modem::find(scene, self.robot, self.settings.messages.as_ref()?)
    }

    /// Posts a variable.
    fn post(&self, key: impl Into<String>, value: impl Into<Value>) {
        let message = Message::notify(key, value, self.client.time_s());
        self.client.post(message);
    }

    /// Places the robot as `x=,y=,heading=,speed=,depth=` demand. What is absent stays; without a
    /// speed the robot rests.
    fn place(&self, text: &str, simulation: &mut Simulation) -> Result<(), String> {
        let motion = MotionSample::read(simulation, self.robot);
        let value = |name: &str| value(text, name);
        let mut p_WB = motion.position;
        p_WB.x = value("x")?.unwrap_or(p_WB.x);
        p_WB.y = value("y")?.unwrap_or(p_WB.y);
        if let Some(depth) = value("depth")?.filter(|depth| *depth > 0.0) {
            p_WB.z -= motion.height_above_water(&simulation.state.sea) + depth;
        }
        let q_WB = match value("heading")? {
            Some(heading) => Quat::from_rpy(0.0, 0.0, (90.0 - heading).to_radians()),
            None => motion.attitude,
        };
        let speed = value("speed")?.unwrap_or(0.0);
        let command = BodyCommand::SetPose {
            p_WB,
            q_WB,
            v_WB_B: Vec3::new(speed, 0.0, 0.0),
            w_WB_B: Vec3::zero(),
        };
        apply(&command.of(self.robot), simulation)
    }

    /// Commands the firmware by the set-points, or the devices by the demand.
    fn command(&mut self, simulation: &mut Simulation) {
        if self.settings.set_points {
            for command in self.set_points.commands(self.robot) {
                if let Err(why) = apply(&command, simulation) {
                    self.log.refuse_outputs(&why);
                }
            }
            return;
        }
        let commands = self.effectors.commands(&self.demand);
        for (device, value) in commands {
            let command = crate::device_command(self.robot, device, value);
            if let Err(refused) = simulation.apply(&command) {
                self.log.refuse_outputs(&refused.reason);
            }
        }
        for line in self.effectors.missing(&self.demand) {
            self.log.note(line);
        }
    }

    /// Does what the turns of the programs demand.
    fn follow(&mut self, step: Step) {
        match step {
            Step::Post(turn) => self.post(lock_step::TURN, turn),
            Step::Note(line) => self.log.note(line),
            Step::Wait | Step::Done => {}
        }
    }

    /// Waits a short time for the programs in lock-step, and applies their messages. Returns whether
    /// the world may go on.
    fn take_turns(&mut self, simulation: &mut Simulation) -> bool {
        let end = Instant::now() + WAIT;
        if self.lock_step.is_used() && self.client.connections() == 0 {
            if self.opened.elapsed() < PATIENCE {
                self.client.wait_connected(WAIT);
                return false;
            }
            self.log.note(format!(
                "no MOOSDB within {} s: the world goes on without it until it connects",
                PATIENCE.as_secs()
            ));
        }
        loop {
            let step = self.lock_step.wait(Instant::now());
            let is_waiting = step == Step::Wait;
            if step == Step::Done {
                if std::mem::take(&mut self.has_turns) {
                    self.command(simulation);
                }
                return true;
            }
            self.follow(step);
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            if is_waiting {
                let mail = self.client.wait(left);
                self.receive(mail, simulation);
            }
            self.observe(simulation);
        }
    }

    /// Sends the variables of the motion and of the sensors.
    fn send(&mut self, simulation: &Simulation) {
        for (key, text) in self.obstacles.take_boxes() {
            self.post(key, text);
        }
        let motion = self.estimate.motion(simulation, self.robot);
        for (key, value) in
            motion::variables(simulation, self.robot, &motion, &self.settings.prefix)
        {
            self.post(key, value);
        }
        let robot = &simulation.scene.robots[self.robot];
        for (sensor, reading) in std::mem::take(&mut self.readings) {
            // another world may have fewer
            let Some(own) = robot.sensors.get(sensor) else {
                continue;
            };
            let name = sensors::prefix(&own.name);
            for (quantity, value) in sensors::quantities(&reading) {
                self.post(format!("{name}_{quantity}"), value);
            }
        }
        if self.settings.contacts {
            for report in motion::contacts(simulation, self.robot, self.client.time_s()) {
                self.post("NODE_REPORT", report);
            }
        }
    }

    /// Takes the readings of a block: the last of each sensor, and the estimate of the motion.
    fn read_sensors(&mut self, simulation: &Simulation) {
        self.estimate.read(simulation, self.robot);
        if self.settings.sensors {
            let outbox = simulation.runners[self.robot].outbox.iter();
            let readings = outbox.map(|own| (own.sensor, own.stamped.reading));
            self.readings.extend(readings);
        }
    }

    /// Posts the messages and the ranges that have arrived at the modem in a block.
    fn post_arrivals(&self, simulation: &Simulation) {
        let scene = &simulation.scene;
        if let Some(modem) = self.modem(scene)
            && let Some(output) = simulation.shared_network_output()
        {
            let time = self.client.time_s();
            for (key, text) in modem::arrivals(modem, scene, &output, time) {
                self.post(key, text);
            }
        }
    }
}

/// Returns a line without what exceeds [`MAX_LINE`], as it repeats texts of other programs.
fn shortened(mut line: String) -> String {
    if let Some((end, _)) = line.char_indices().nth(MAX_LINE) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// Applies a command.
fn apply(command: &Command, simulation: &mut Simulation) -> Result<(), String> {
    let applied = simulation.apply(command);
    applied.map(|_| ()).map_err(|refused| refused.reason)
}

impl crate::Link for Link {
    fn robot(&mut self) -> &mut usize {
        &mut self.robot
    }

    fn description(&self) -> String {
        let LinkStatus { robot, address, .. } = &self.log.status;
        format!(
            "MOOS of {robot}: client {:?} of the MOOSDB at {address}; the world runs without it until it connects",
            self.settings.client
        )
    }

    fn status(&self) -> &LinkStatus {
        &self.log.status
    }

    fn is_in_lock_step(&self) -> bool {
        self.lock_step.is_used()
    }

    fn socket(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    fn reset(&mut self) {
        self.next_ns = 0;
        self.estimate.clear();
        self.readings.clear();
        self.obstacles.reset();
    }

    fn exchange(&mut self, simulation: &mut Simulation, _follows_clock: bool) -> BlockLimit {
        let now_ns = simulation.time_ns();
        self.simulated.store(now_ns, Ordering::Relaxed);
        self.observe(simulation);
        let mail = self.client.fetch();
        self.receive(mail, simulation);
        if let Some(name) = &self.settings.obstacles {
            Obstacles::request(simulation, self.robot, name);
        }
        if !self.take_turns(simulation) {
            return BlockLimit::Wait;
        }
        let period_ns = (1e9 / self.settings.rate_hz).round() as u64;
        if now_ns >= self.next_ns {
            self.next_ns = (now_ns / period_ns + 1) * period_ns;
            if matches!(self.connection, Connection::Connected(_)) {
                if self.settings.set_points && !self.lock_step.is_used() {
                    self.command(simulation);
                }
                self.send(simulation);
                self.has_turns = self.lock_step.is_used();
                let step = self.lock_step.begin(Instant::now());
                self.follow(step);
                if !self.take_turns(simulation) {
                    return BlockLimit::Wait;
                }
            }
        }
        let steps = (self.next_ns - now_ns).div_ceil(simulation.scene.dt_ns);
        BlockLimit::Steps(steps.max(1))
    }

    fn after_block(&mut self, simulation: &Simulation) {
        self.read_sensors(simulation);
        self.post_arrivals(simulation);
        if let Some(name) = &self.settings.obstacles {
            self.obstacles.take(simulation, self.robot, name);
        }
    }
}

/// Returns the number of a name in a text such as `x=1,y=2`.
///
/// # Errors
/// One line: the value of the name is no number.
pub(crate) fn value(text: &str, name: &str) -> Result<Option<f64>, String> {
    let Some(value) = field(text, name) else {
        return Ok(None);
    };
    let number = value.parse::<f64>().ok().filter(|x| x.is_finite());
    let number = number.ok_or_else(|| format!("{name}: expected a number, found {value:?}"));
    number.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("short".to_string()), "short");
        let cut = shortened("é".repeat(60_000_000));
        assert_eq!(cut.chars().count(), MAX_LINE + 1);
    }

    #[test]
    fn texts_have_values() {
        assert_eq!(value("x=1, y=-2.5,speed=0", "Y"), Ok(Some(-2.5)));
        assert_eq!(value("x=1", "y"), Ok(None));
        assert_eq!(
            value("x=a", "x").unwrap_err(),
            "x: expected a number, found \"a\""
        );
    }
}
