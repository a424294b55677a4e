//! Link of a robot to a community of MOOS: the robot takes the place of a simulator such as
//! uSimMarineV22.
//!
//! It publishes the motion ([`motion`]) and takes the demands of a controller such as pMarinePIDV22
//! ([`effectors`]), or set-points for the firmware of the robot ([`set_points`]); it publishes the boxes
//! of an obstacle detector ([`obstacles`]). The link is a client of the MOOSDB, and delays the world only
//! in lock-step ([`lock_step`]): the programs of a community follow their own clocks. These run at the
//! pace of the world (`MOOSTimeWarp`); at the paces `max` and `lockstep` the stamps are those of
//! simulated time.
//!
//! Names and units are those of moos-ivp at a2a9b71, `ivp/src/uSimMarineV22/USM_MOOSApp.cpp`.

pub mod effectors;
mod lock_step;
pub mod motion;
mod obstacles;
mod set_points;

use crate::history::MotionSample;
use crate::moos::effectors::{Demand, Effectors};
use crate::moos::lock_step::{LockStep, PATIENCE, Step};
use crate::moos::obstacles::Obstacles;
use crate::moos::set_points::SetPoints;
use crate::status::{LinkKind, LinkLog, LinkStatus, LogSink};
use merrow_math::{Quat, Vec3};
use merrow_model::scene::Scene;
use merrow_model::scene::moos::Moos;
use merrow_model::state::{BodyCommand, Command};
use merrow_moos::client::{Client, Connection, Settings};
use merrow_moos::clock::{self, Clock};
use merrow_moos::message::Message;
use merrow_sim::{BlockLimit, Pace, Simulation};
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Wall time for which an exchange waits for programs in lock-step.
const WAIT: Duration = Duration::from_millis(20);

/// Variables that the link receives.
const INPUTS: [&str; 10] = [
    "DESIRED_THRUST",
    "DESIRED_RUDDER",
    "DESIRED_ELEVATOR",
    "DESIRED_THRUST_L",
    "DESIRED_THRUST_R",
    "THRUST_MODE_REVERSE",
    "USM_RESET",
    "DRIFT_X",
    "DRIFT_Y",
    "DRIFT_VECTOR",
];

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
        for variable in INPUTS {
            let is_demand = variable.starts_with("DESIRED_");
            if !(settings.set_points && is_demand) {
                client.register(variable, 0.0);
            }
        }
        if settings.set_points {
            for variable in set_points::INPUTS {
                client.register(variable, 0.0);
            }
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
                self.log
                    .note(format!("{} of {}: {why}", message.key, message.source));
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
        let is_set_point = self.settings.set_points && self.set_points.take(key, message)?;
        if is_set_point || self.demand.take(key, message)? {
            return Ok(());
        }
        match key {
            lock_step::DONE => {
                let step = self.lock_step.answer(message, Instant::now())?;
                self.follow(step);
                Ok(())
            }
            "USM_RESET" => self.place(&message.text(), simulation),
            _ => {
                let sea = motion::environment(key, message, &simulation.state.sea)?;
                sea.map_or(Ok(()), |command| apply(&command, simulation))
            }
        }
    }

    /// Places the robot as `x=,y=,heading=,speed=,depth=` demand. What is absent stays; without a
    /// speed the robot rests.
    fn place(&self, text: &str, simulation: &mut Simulation) -> Result<(), String> {
        let motion = MotionSample::read(simulation, self.robot);
        let value = |name: &str| motion::value(text, name);
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
            Step::Post(turn) => {
                let message = Message::notify(lock_step::TURN, turn, self.client.time_s());
                self.client.post(message);
            }
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

    /// Sends the variables of the motion.
    fn send(&mut self, simulation: &Simulation) {
        let time = self.client.time_s();
        for (key, text) in self.obstacles.take_boxes() {
            self.client.post(Message::notify(key, text, time));
        }
        for (key, value) in motion::variables(simulation, self.robot, &self.settings.prefix) {
            self.client.post(Message::notify(key, value, time));
        }
        if self.settings.contacts {
            for report in motion::contacts(simulation, self.robot, time) {
                self.client
                    .post(Message::notify("NODE_REPORT", report, time));
            }
        }
    }
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
        if let Some(name) = &self.settings.obstacles {
            self.obstacles.take(simulation, self.robot, name);
        }
    }
}
