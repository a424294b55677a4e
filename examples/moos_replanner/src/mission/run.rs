//! Runs the mission from start to score: a MOOSDB, the simulator, the programs and a log.

use super::report;
use super::score::Score;
use crate::program::{Address, Program};
use crate::{application, sonar};
use merrow_moos::alog::Writer;
use merrow_moos::client::{self, Client};
use merrow_moos::clock::{self, Clock};
use merrow_moos::message::Message;
use merrow_moos::mission::Mission;
use merrow_moos::server::{self, Server};
use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use simulator_process::{Simulator, program};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// World of the mission, and its robot.
const WORLD: &str = "moos_replanner";
const ROBOT: &str = "remus";
/// The mission file of the example.
pub const MISSION: &str = include_str!("../../replanner.moos");
/// Simulated time between two lines of progress [s].
const PROGRESS_S: f64 = 60.0;
/// Wall time without a message after which the mission ends, and for which it waits for messages.
const SILENCE: Duration = Duration::from_secs(60);
const CHECK: Duration = Duration::from_millis(100);

/// Settings of a mission.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Mission file; `None` for [`MISSION`].
    pub mission: Option<PathBuf>,
    /// World; `None` for the bundled one.
    pub world: Option<String>,
    /// Seed of the world; `None` for its own.
    pub seed: Option<u64>,
    /// Factor of the wall clock that world and programs follow; `None` for lock-step.
    pub warp: Option<f64>,
    /// Whether the boxes are those of the simulated forward sonar, in place of pFLSim.
    pub has_sonar: bool,
    /// Folder of the results.
    pub out: PathBuf,
    /// Simulated time after which the mission ends [s].
    pub time_limit_s: f64,
    /// The program `merrow`.
    pub merrow: Option<PathBuf>,
}

impl Settings {
    /// Returns the mission file.
    ///
    /// # Errors
    /// One line: it cannot be read, or is not valid.
    pub fn mission(&self) -> Result<Mission, String> {
        match &self.mission {
            Some(path) => Mission::read(path),
            None => Mission::from_text(MISSION, "replanner.moos"),
        }
    }
}

/// A program that runs in a thread, with the processor times of its periods [s].
type Running = JoinHandle<Result<Vec<f64>, String>>;

/// Ends the programs when it is dropped, also after an error.
#[derive(Default)]
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a mission, writes `mission.alog`, `score.json`, `map.svg` and `report.html`, and returns the
/// score.
///
/// # Errors
/// One line: a setting is wrong, or the simulator does not start or ends.
pub fn run(settings: &Settings) -> Result<Value, String> {
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(&ended)).map_err(|why| why.to_string())?;
    }
    let mission = settings.mission()?;
    let obstacles = sonar::obstacles(&mission)?;
    let planner = application::Application::from_mission(&mission)?
        .planner()
        .clone();
    let out = &settings.out;
    fs::create_dir_all(out).map_err(|why| format!("{}: {why}", out.display()))?;
    let clock = clock::wall(settings.warp.unwrap_or(1.0));
    let community = mission.text("Community").unwrap_or("remus");
    let server = Server::start(server::Settings::new(community, 0), Arc::clone(&clock))?;
    let address = Address {
        host: "localhost".to_string(),
        port: server.port(),
        warp: settings.warp.unwrap_or(1.0),
    };
    let logger = client::Settings::new("pLogger", "localhost", server.port());
    let logger = Client::start(logger, Arc::clone(&clock));
    logger.register("*", 0.0);
    let names = match settings.has_sonar {
        true => vec![application::NAME],
        false => vec![sonar::NAME, application::NAME],
    };
    let stop = Stop::default();
    let programs = names
        .iter()
        .map(|name| start(name, &mission, &address, &clock, &stop.0))
        .collect::<Result<Vec<Running>, String>>()?;
    let mut simulator = start_simulator(settings, server.port(), community, &names)?;
    let all = planner.itinerary.progress()[1];
    let mut score = Score::new(obstacles.clone(), all);
    let logged = record(settings, &logger, &mut simulator, &mut score, &ended);
    // in lock-step the world waits in the last turn, so that its last state is equal each time
    drop(stop);
    let mut ticks_s = Vec::new();
    for (name, running) in names.iter().zip(programs) {
        let own = running.join().map_err(|_| format!("{name} has failed"))??;
        if *name == application::NAME {
            ticks_s = own;
        }
    }
    let state_hash = simulator.end();
    logged?;
    let mut json = score.json(&ticks_s);
    json["sonar"] = json!(if settings.has_sonar {
        "simulated"
    } else {
        "script"
    });
    json["seed"] = json!(settings.seed);
    if settings.warp.is_none() {
        json["state_hash"] = json!(state_hash?);
    }
    let text = serde_json::to_string_pretty(&json).map_err(|why| why.to_string())?;
    let map = report::map(&score, &planner, &obstacles);
    write(out, "score.json", &(text + "\n"))?;
    write(out, "map.svg", &map)?;
    write(out, "report.html", &report::page(&json, &map))?;
    Ok(json)
}

/// Starts a program of the mission in a thread.
fn start(
    name: &str,
    mission: &Mission,
    address: &Address,
    clock: &Clock,
    stop: &Arc<AtomicBool>,
) -> Result<Running, String> {
    let mut program = Program::new(name, mission)?;
    let (address, clock, stop) = (address.clone(), Arc::clone(clock), Arc::clone(stop));
    Ok(thread::spawn(move || {
        program.serve(&address, clock, &stop, true)
    }))
}

/// Starts the simulator with the world of the mission.
fn start_simulator(
    settings: &Settings,
    port: u16,
    community: &str,
    names: &[&str],
) -> Result<Simulator, String> {
    let world = settings.world.clone().unwrap_or_else(|| WORLD.to_string());
    let pace = settings
        .warp
        .map_or("max".to_string(), |warp| warp.to_string());
    let limit = settings.time_limit_s.to_string();
    let mut arguments = vec![world, "--no-ros".to_string()];
    arguments.extend(["--pace", &pace, "--for", &limit].map(str::to_string));
    let mut set = vec![
        format!("port={port}"),
        format!("community={community}"),
        "set_points=true".to_string(),
    ];
    if settings.has_sonar {
        set.push("obstacles=boxes".to_string());
    }
    if settings.warp.is_none() {
        set.push(format!("lock_step=[{}]", names.join(", ")));
    }
    for set in set {
        arguments.extend(["--set".to_string(), format!("robots.{ROBOT}.moos.{set}")]);
    }
    if let Some(seed) = settings.seed {
        arguments.extend(["--seed".to_string(), seed.to_string()]);
    }
    let program = program(settings.merrow.as_deref());
    Simulator::start(&program, &arguments, None, &settings.out)
}

/// Writes the messages of the community to the log until the mission ends.
fn record(
    settings: &Settings,
    logger: &Client,
    simulator: &mut Simulator,
    score: &mut Score,
    ended: &AtomicBool,
) -> Result<(), String> {
    let path = settings.out.join("mission.alog");
    let failed = |why: std::io::Error| format!("{}: {why}", path.display());
    let mut file = Some(BufWriter::new(File::create(&path).map_err(failed)?));
    let mut log: Option<Writer<BufWriter<File>>> = None;
    let mut heard = Instant::now();
    let mut next_line_s = PROGRESS_S;
    while !score.is_finished {
        let mail = logger.wait(CHECK);
        if ended.load(Ordering::Relaxed) {
            return Err("a signal has ended the mission".to_string());
        }
        if logger.take_dropped() > 0 {
            return Err("the log has lost messages; run on a faster disk".to_string());
        }
        for message in mail.iter().filter(|message| is_logged(message)) {
            heard = Instant::now();
            if let (None, Some(file)) = (&log, file.take()) {
                // the first message of the world is the start
                log = Some(Writer::new(file, "mission.alog", message.time).map_err(failed)?);
            }
            if let Some(log) = &mut log {
                log.write(message).map_err(failed)?;
            }
            score.take(message);
            if score.time_s >= next_line_s {
                next_line_s += PROGRESS_S;
                let place = score.track.last().copied().unwrap_or_default();
                eprintln!(
                    "{:7.1} s  {} of {} way-points, at {:.0} m east, {:.0} m north",
                    score.time_s, score.progress[0], score.progress[1], place.x, place.y
                );
            }
            if score.is_finished {
                break;
            }
        }
        // the world ends at the limit of time
        if let Err(why) = simulator.check() {
            if score.time_s < settings.time_limit_s - 1.0 {
                return Err(why);
            }
            break;
        }
        if heard.elapsed() > SILENCE {
            let log = settings.out.join("simulator.log");
            return Err(format!(
                "the community is silent for {} s; see {}",
                SILENCE.as_secs(),
                log.display()
            ));
        }
    }
    log.map_or(Ok(()), |mut log| log.flush().map_err(failed))
}

/// Returns whether a message belongs to the log: those of the MOOSDB have times of the wall.
fn is_logged(message: &Message) -> bool {
    !message.key.starts_with("DB_")
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    fs::write(&path, text).map_err(|why| format!("{}: {why}", path.display()))
}
