//! Runs a mission from start to score.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use merrow_ros2::args::NodeOptions;
use merrow_ros2::msg::sensor_msgs::PointCloud2;
use merrow_ros2::parameters::value::ParameterValue;
use merrow_ros2::qos::Qos;
use serde_json::{Value, json};
use simulator_process::{Simulator, program};

use super::fleet::{self, DYE_SCALE, Pair};
use super::report::{self, Maps};
use super::score::{Score, Scorer};
use super::structures::structures;
use crate::clouds::read_points;
use crate::executor::signals::Signals;
use crate::executor::{Supervisor, lock_step, real_time};
use crate::mapping::node::depth_topic;
use crate::node::{Component, Node, Ports};
use crate::water_quality::{Field, read_samples, sample_lines, samples_topic};

/// Steps of the world (4 ms) between two times at which the nodes act.
const STEPS_PER_PERIOD: u64 = 10;
/// Seed of the valley of the bundled worlds, and the file that has its structures.
const VALLEY_SEED: &str = "1";
const VALLEY_FILE: &str = "valley.yaml";
/// Simulated time between two lines of progress [ns].
const PROGRESS_NS: u64 = 20_000_000_000;

/// Where the simulator and the nodes of a mission run.
#[derive(Clone, Debug, PartialEq)]
pub enum Mode {
    /// The mission starts the simulator, and runs the nodes in this process in step with it.
    LockStep,
    /// The mission starts the simulator, and runs the nodes in this process in real time.
    RealTime,
    /// Others have started the simulator and the nodes: the mission is only scored. Remappings and
    /// parameters of the node that listens.
    Scored(NodeOptions),
}

/// Settings of a mission.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of pairs of a boat and a drone.
    pub pairs: usize,
    /// Seed of the world; `None` for its own.
    pub seed: Option<u64>,
    /// Where the simulator and the nodes of the mission run.
    pub mode: Mode,
    /// Folder of the results.
    pub out: PathBuf,
    /// Number of way-points of each boat; `None` for all.
    pub way_points: Option<usize>,
    /// Longest flight of a drone ahead of its boat [s]; `None` for no flights.
    pub scout_time_s: Option<f64>,
    /// Whether the maps take the points of the pairs of cameras.
    pub has_stereo: bool,
    /// Keys of the world that are set, such as `weather.wind_speed_m_s=8`.
    pub set: Vec<String>,
    /// Simulated time after which the mission ends [s].
    pub time_limit_s: f64,
    /// The program `merrow`.
    pub merrow: Option<PathBuf>,
    /// DDS domain of the mission.
    pub domain: u16,
    /// Signals that end the mission.
    pub signals: Signals,
}

/// Keeps the last maps of the boats, for the report.
struct MapKeeper {
    boats: Vec<String>,
    maps: Arc<Mutex<Vec<Maps>>>,
}

impl Node for MapKeeper {
    fn declare(&self, ports: &mut Ports<Self>) {
        for (k, boat) in self.boats.iter().enumerate() {
            let voxels = format!("/{boat}/mission/voxels");
            ports.subscribes_if_present(
                voxels,
                Qos::LATCHED,
                move |keeper: &mut Self, cloud: PointCloud2, _| {
                    let points = read_points(&cloud).unwrap_or_default();
                    let points = points.iter().map(|(p, _)| [p.x, p.y]).collect();
                    keeper.maps.lock().unwrap_or_else(PoisonError::into_inner)[k].voxels = points;
                },
            );
            ports.subscribes_if_present(
                depth_topic(boat),
                Qos::LATCHED,
                move |keeper: &mut Self, cloud: PointCloud2, _| {
                    let points = read_points(&cloud).unwrap_or_default();
                    let points = points.iter().map(|(p, _)| [p.x, p.y, -p.z]).collect();
                    keeper.maps.lock().unwrap_or_else(PoisonError::into_inner)[k].depths = points;
                },
            );
            ports.subscribes_if_present(
                samples_topic(boat),
                Qos::LATCHED,
                move |keeper: &mut Self, cloud: PointCloud2, _| {
                    let samples = read_samples(&cloud).unwrap_or_default();
                    keeper.maps.lock().unwrap_or_else(PoisonError::into_inner)[k].samples = samples;
                },
            );
        }
    }
}

/// Watches the simulator and prints progress.
struct Watch {
    signals: Signals,
    /// The simulator that the mission has started.
    simulator: Option<Simulator>,
    pairs: Vec<Pair>,
    score: Arc<Mutex<Score>>,
    limit_ns: u64,
    next_line_ns: u64,
}

impl Supervisor for Watch {
    fn is_done(&mut self, now_ns: u64) -> bool {
        let score = self.score.lock().unwrap_or_else(PoisonError::into_inner);
        if now_ns >= self.next_line_ns {
            self.next_line_ns = now_ns - now_ns % PROGRESS_NS + PROGRESS_NS;
            for (boat, pair) in score.boats.iter().zip(&self.pairs) {
                let [reached, _, total] = boat.progress.1;
                let place = boat.track.last().copied().unwrap_or_default();
                eprintln!(
                    "{:7.1} s  {}: {reached} of {total} way-points, at {:.0} m east, {:.0} m north",
                    now_ns as f64 * 1e-9,
                    pair.boat,
                    place[0],
                    place[1]
                );
            }
        }
        now_ns >= self.limit_ns || score.is_done(&self.pairs)
    }

    fn check(&mut self) -> Result<(), String> {
        match self.signals.first() {
            Some(signal) => Err(format!("ended by {signal}")),
            None => self.simulator.as_mut().map_or(Ok(()), Simulator::check),
        }
    }

    fn report(&mut self, now_ns: u64, node: &str, line: &str) {
        eprintln!("{:7.1} s  {node}: {line}", now_ns as f64 * 1e-9);
    }
}

/// Writes a file of the results.
fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|why| format!("{}: {why}", path.display()))
}

/// Runs or scores a mission, writes `score.json`, `water_samples.csv`, `map.svg`, `plume.svg` and `report.html`,
/// and returns the score.
///
/// # Errors
/// One line: a setting is wrong, the simulator does not start or ends, or topics are missing.
pub fn run(settings: &Settings) -> Result<Value, String> {
    let mut pairs = fleet::pairs(settings.pairs)?;
    for pair in &mut pairs {
        pair.limit(
            settings.way_points,
            settings.scout_time_s,
            settings.has_stereo,
        );
    }
    let out = &settings.out;
    std::fs::create_dir_all(out).map_err(|why| format!("{}: {why}", out.display()))?;
    let program = program(settings.merrow.as_deref());
    let valley = out.join("valley");
    if !valley.join(VALLEY_FILE).is_file() {
        write_valley(&program, &valley)?;
    }
    let structures = structures(&valley.join(VALLEY_FILE))?;
    let simulator = match settings.mode {
        Mode::LockStep | Mode::RealTime => Some(start(settings, &program)?),
        Mode::Scored(_) => None,
    };
    let (scorer, score) = Scorer::new(pairs.clone(), structures.clone());
    let maps = Arc::new(Mutex::new(vec![Maps::default(); pairs.len()]));
    let mut watch = Watch {
        signals: settings.signals.clone(),
        simulator,
        pairs: pairs.clone(),
        score: Arc::clone(&score),
        limit_ns: (settings.time_limit_s * 1e9) as u64,
        next_line_ns: PROGRESS_NS,
    };
    let keeper = MapKeeper {
        boats: pairs.iter().map(|pair| pair.boat.clone()).collect(),
        maps: Arc::clone(&maps),
    };
    let mut nodes = vec![
        Component::new("scorer", scorer),
        Component::new("map_keeper", keeper),
    ];
    let mut options = NodeOptions::new("river_mission");
    options.domain_id = settings.domain;
    let uses_clock = ("use_sim_time".to_owned(), ParameterValue::Bool(true));
    options.parameter_overrides = vec![uses_clock];
    let outcome = match &settings.mode {
        Mode::LockStep => {
            nodes.splice(0..0, components(&pairs)?);
            lock_step::run(nodes, &options, STEPS_PER_PERIOD, &mut watch).map(Some)
        }
        Mode::RealTime => {
            nodes.splice(0..0, components(&pairs)?);
            real_time::run(nodes, &options, true, &mut watch).map(|()| None)
        }
        Mode::Scored(options) => real_time::run(nodes, options, false, &mut watch).map(|()| None),
    };
    let outcome = outcome.map_err(|why| why.to_string())?;
    let state_hash = watch.simulator.map(Simulator::end).transpose()?;
    let score = score.lock().unwrap_or_else(PoisonError::into_inner);
    let mut json = score.json(&pairs);
    json["seed"] = json!(settings.seed);
    if let Some(outcome) = outcome {
        json["messages"] = json!(outcome.messages);
        json["message_hash"] = json!(outcome.hash);
        json["state_hash"] = json!(state_hash);
    }
    let maps = maps.lock().unwrap_or_else(PoisonError::into_inner);
    let mut table = String::from("boat,east_m,north_m,concentration,readings\n");
    let mut all = Maps::default();
    for (pair, maps) in pairs.iter().zip(maps.iter()) {
        all.voxels.extend(&maps.voxels);
        all.depths.extend(&maps.depths);
        table += &sample_lines(&pair.boat, &maps.samples);
    }
    let fields = maps.iter().filter_map(|maps| {
        let field = Field::fit(&maps.samples, DYE_SCALE)?;
        Some(field.map())
    });
    let figures = [
        report::figure(&score, &pairs, &structures, &all),
        report::plume(&score, &fields.collect::<Vec<_>>()),
    ];
    let text = serde_json::to_string_pretty(&json).map_err(|why| why.to_string())?;
    write(out, "score.json", &(text + "\n"))?;
    write(out, "water_samples.csv", &table)?;
    write(out, "map.svg", &figures[0])?;
    write(out, "plume.svg", &figures[1])?;
    write(out, "report.html", &report::page(&json, &figures.concat()))?;
    Ok(json)
}

/// Starts the simulator of a mission with its world.
fn start(settings: &Settings, program: &Path) -> Result<Simulator, String> {
    let out = &settings.out;
    let world = fleet::write_world(settings.pairs, &out.join("world"))?;
    let mut arguments = vec![world.display().to_string()];
    if settings.mode == Mode::LockStep {
        arguments.extend(["--pace", "lockstep"].map(str::to_owned));
    }
    let seed = settings
        .seed
        .iter()
        .map(|seed| ["--seed".to_owned(), seed.to_string()]);
    let set = settings
        .set
        .iter()
        .map(|set| ["--set".to_owned(), set.clone()]);
    arguments.extend(seed.chain(set).flatten());
    Simulator::start(program, &arguments, Some(settings.domain), out)
}

/// Creates the nodes of all pairs.
fn components(pairs: &[Pair]) -> Result<Vec<Component>, String> {
    let mut nodes = Vec::new();
    for pair in pairs {
        nodes.extend(fleet::nodes(pair)?);
    }
    Ok(nodes)
}

/// Writes the valley of the worlds, whose file has the structures for the score.
fn write_valley(program: &Path, to: &Path) -> Result<(), String> {
    let done = std::process::Command::new(program)
        .args(["terrain", "riverwatch", "--seed", VALLEY_SEED, "--out"])
        .arg(to)
        .output()
        .map_err(|why| {
            format!(
                "{}: {why}; name the program with --merrow",
                program.display()
            )
        })?;
    if !done.status.success() {
        let text = String::from_utf8_lossy(&done.stderr);
        return Err(text
            .lines()
            .next()
            .unwrap_or("merrow terrain failed")
            .to_owned());
    }
    Ok(())
}
