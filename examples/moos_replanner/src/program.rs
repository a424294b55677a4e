//! Programs of a community: the planner, the sonar and the instrument of the vehicle, in lock-step with a world or at their own rate.
//!
//! Merrow gives a program its turn with `LOCK_STEP = PROGRAM,PERIOD`, after the variables of the
//! period; the program posts its values and `LOCK_STEP_DONE = PROGRAM,PERIOD`. In a community without
//! turns a program acts at its AppTick.

use crate::application::{self, Application};
use crate::remus::{self, Remus};
use crate::sonar::{self, Sonar};
use merrow_moos::client::{Client, Connection, Settings};
use merrow_moos::clock::Clock;
use merrow_moos::message::{Message, Value};
use merrow_moos::mission::Mission;
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Variable of a turn, and of the answer.
pub const TURN: &str = "LOCK_STEP";
const DONE: &str = "LOCK_STEP_DONE";
/// Wall time after which a program checks whether it shall end.
const CHECK: Duration = Duration::from_millis(100);
/// Wall time after a turn for which the community is in lock-step.
const LOCK_STEP: Duration = Duration::from_secs(60);

/// Address of a community, and its time warp.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// Name or address of the machine of the MOOSDB.
    pub host: String,
    /// Port of the MOOSDB.
    pub port: u16,
    /// MOOSTimeWarp.
    pub warp: f64,
}

impl Address {
    /// Reads the address from a mission file.
    ///
    /// # Errors
    /// One line: a value is not valid.
    pub fn from_mission(mission: &Mission) -> Result<Self, String> {
        let port = mission.number("ServerPort")?.unwrap_or(9000.0);
        let warp = mission.number("MOOSTimeWarp")?.unwrap_or(1.0);
        if !(1.0..=65535.0).contains(&port) || !warp.is_finite() || warp <= 0.0 {
            return Err(format!(
                "expected a ServerPort from 1 to 65535 and a MOOSTimeWarp above 0, found {port} and {warp}"
            ));
        }
        Ok(Self {
            host: mission
                .text("ServerHost")
                .unwrap_or("localhost")
                .to_string(),
            port: port as u16,
            warp,
        })
    }
}

/// A program of a mission.
pub enum Program {
    /// pVPMPlanner.
    Planner(Box<Application>),
    /// pFLSim.
    Sonar(Sonar),
    /// iREMUS.
    Remus(Remus),
}

impl Program {
    /// Creates the program of a name with its block of the mission file.
    ///
    /// # Errors
    /// One line: there is no such program, or its block is not valid.
    pub fn new(name: &str, mission: &Mission) -> Result<Self, String> {
        match name {
            application::NAME => {
                Application::from_mission(mission).map(|own| Self::Planner(Box::new(own)))
            }
            sonar::NAME => Sonar::from_mission(mission).map(Self::Sonar),
            remus::NAME => Remus::from_mission(mission).map(Self::Remus),
            _ => Err(format!(
                "expected the program {}, {} or {}, found {name:?}",
                application::NAME,
                sonar::NAME,
                remus::NAME
            )),
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Planner(_) => application::NAME,
            Self::Sonar(_) => sonar::NAME,
            Self::Remus(_) => remus::NAME,
        }
    }

    /// Returns the variables that the program receives.
    pub fn inputs(&self) -> &'static [&'static str] {
        match self {
            Self::Planner(_) => &application::INPUTS,
            Self::Sonar(_) => &sonar::INPUTS,
            Self::Remus(_) => &remus::INPUTS,
        }
    }

    fn period_s(&self) -> f64 {
        match self {
            Self::Planner(own) => own.period_s(),
            Self::Sonar(own) => own.period_s(),
            Self::Remus(own) => own.period_s(),
        }
    }

    /// Takes a message (`OnNewMail`).
    ///
    /// # Errors
    /// One line: its value is not one of the variable.
    pub fn take(&mut self, message: &Message) -> Result<(), String> {
        match self {
            Self::Planner(own) => own.take(message),
            Self::Sonar(own) => {
                own.take(message);
                Ok(())
            }
            Self::Remus(own) => own.take(message),
        }
    }

    /// Returns the values of a period (`Iterate`).
    pub fn iterate(&mut self) -> Vec<(String, Value)> {
        match self {
            Self::Planner(own) => {
                let posts = own.iterate().into_iter();
                posts.map(|(key, value)| (key.to_string(), value)).collect()
            }
            Self::Sonar(own) => own.iterate(),
            Self::Remus(own) => own.iterate(),
        }
    }

    /// Returns whether the planner has reached its last waypoint.
    fn is_finished(&self) -> bool {
        match self {
            Self::Planner(own) => own.is_finished(),
            Self::Sonar(_) | Self::Remus(_) => false,
        }
    }

    /// Runs in a community until `stop`. With `holds_end` the program does not answer the turn in
    /// which the planner finishes, so that the world stands. Returns the processor times of the
    /// periods [s].
    ///
    /// # Errors
    /// One line: the MOOSDB refuses the program.
    pub fn serve(
        &mut self,
        address: &Address,
        clock: Clock,
        stop: &AtomicBool,
        holds_end: bool,
    ) -> Result<Vec<f64>, String> {
        let name = self.name();
        let settings = Settings::new(name, address.host.clone(), address.port);
        let client = Client::start(settings, clock);
        // first, so that a program knows of the lock-step before it can act
        for input in [&TURN].into_iter().chain(self.inputs()) {
            client.register(input, 0.0);
        }
        let period = Duration::from_secs_f64(self.period_s() / address.warp);
        let mut ticks_s = Vec::new();
        let mut next = Instant::now();
        while !stop.load(Ordering::Relaxed) {
            if let Connection::Refused(why) = client.connection() {
                let Address { host, port, .. } = address;
                return Err(format!("the MOOSDB at {host}:{port} refuses {name}: {why}"));
            }
            let left = next.saturating_duration_since(Instant::now());
            for message in client.wait(left.min(CHECK)) {
                if message.key != TURN {
                    if let Err(why) = self.take(&message) {
                        eprintln!("moos_replanner: {why}");
                    }
                    continue;
                }
                // also the turn of another program: the community is in lock-step
                next = Instant::now() + LOCK_STEP;
                if let Some(turn) = own_turn(&message, name) {
                    let (values, seconds) = self.timed();
                    ticks_s.push(seconds);
                    for (key, value) in values {
                        client.post(Message::notify(key, value, message.time));
                    }
                    if !(holds_end && self.is_finished()) {
                        client.post(Message::notify(DONE, turn, message.time));
                    }
                }
            }
            if Instant::now() >= next {
                let (values, seconds) = self.timed();
                ticks_s.push(seconds);
                for (key, value) in values {
                    client.notify(&key, value);
                }
                // a late period does not delay the following ones
                next = (next + period).max(Instant::now());
            }
        }
        Ok(ticks_s)
    }

    /// Returns the values of a period, and its processor time [s].
    fn timed(&mut self) -> (Vec<(String, Value)>, f64) {
        let start = processor_s();
        let values = self.iterate();
        (values, processor_s() - start)
    }
}

/// Returns the processor time of this thread [s]: other programs do not delay it.
fn processor_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Returns the text of a turn if it is that of this program.
pub fn own_turn(message: &Message, name: &str) -> Option<String> {
    let text = message.text();
    let (program, _) = text.rsplit_once(',')?;
    (program == name).then(|| text.to_string())
}
