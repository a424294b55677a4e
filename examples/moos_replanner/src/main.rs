//! Runs a program of the mission: `moos_replanner pVPMPlanner MISSION.moos`.

use merrow_moos::client::{Client, Connection, Settings};
use merrow_moos::clock;
use merrow_moos::message::{Message, Value};
use merrow_moos::mission::Mission;
use moos_replanner::application::{self, Application};
use moos_replanner::sonar::{self, Sonar};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

const USAGE: &str = "usage: moos_replanner pVPMPlanner|pFLSim MISSION.moos";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [program, mission] => run(program, Path::new(mission)),
        _ => Err(USAGE.to_string()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("moos_replanner: {why}");
            ExitCode::from(2)
        }
    }
}

/// A program of the mission.
enum Program {
    Planner(Box<Application>),
    Sonar(Sonar),
}

impl Program {
    fn new(name: &str, mission: &Mission) -> Result<Self, String> {
        match name {
            application::NAME => {
                Application::from_mission(mission).map(|own| Self::Planner(Box::new(own)))
            }
            sonar::NAME => Sonar::from_mission(mission).map(Self::Sonar),
            _ => Err(format!("{USAGE}; found {name:?}")),
        }
    }

    fn inputs(&self) -> &'static [&'static str] {
        match self {
            Self::Planner(_) => &application::INPUTS,
            Self::Sonar(_) => &sonar::INPUTS,
        }
    }

    fn period_s(&self) -> f64 {
        match self {
            Self::Planner(own) => own.period_s(),
            Self::Sonar(own) => own.period_s(),
        }
    }

    /// Takes a message; prints why it is not valid.
    fn take(&mut self, message: &Message) {
        match self {
            Self::Planner(own) => {
                if let Err(why) = own.take(message) {
                    eprintln!("moos_replanner: {why}");
                }
            }
            Self::Sonar(own) => own.take(message),
        }
    }

    fn iterate(&mut self) -> Vec<(String, Value)> {
        match self {
            Self::Planner(own) => {
                let posts = own.iterate().into_iter();
                posts.map(|(key, value)| (key.to_string(), value)).collect()
            }
            Self::Sonar(own) => own.iterate(),
        }
    }
}

/// Runs a program until the server refuses it.
fn run(name: &str, path: &Path) -> Result<(), String> {
    let mission = Mission::read(path)?;
    let mut program = Program::new(name, &mission)?;
    let host = mission.text("ServerHost").unwrap_or("localhost");
    let port = mission.number("ServerPort")?.unwrap_or(9000.0);
    let warp = mission.number("MOOSTimeWarp")?.unwrap_or(1.0);
    if !(1.0..=65535.0).contains(&port) || warp <= 0.0 {
        return Err(format!(
            "{}: expected a ServerPort from 1 to 65535 and a MOOSTimeWarp above 0, found {port} and {warp}",
            path.display()
        ));
    }
    let client = Client::start(Settings::new(name, host, port as u16), clock::wall(warp));
    for input in program.inputs() {
        client.register(input, 0.0);
    }
    let period = Duration::from_secs_f64(program.period_s() / warp);
    let mut next = Instant::now();
    loop {
        if let Connection::Refused(why) = client.connection() {
            return Err(format!("the MOOSDB at {host}:{port} refuses {name}: {why}"));
        }
        for message in client.fetch() {
            program.take(&message);
        }
        for (key, value) in program.iterate() {
            client.notify(&key, value);
        }
        // a late period does not delay the following ones
        next = (next + period).max(Instant::now());
        thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}
