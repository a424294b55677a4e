//! Program of the river mission: runs the whole mission, or one of its nodes on a ROS machine.

#![forbid(unsafe_code)]

use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use merrow_ros2::args::{ArgsContext, NodeOptions, split};
use merrow_ros2::parameters::value::ParameterValue;
use river_mission::executor::signals::Signals;
use river_mission::executor::{Supervisor, real_time};
use river_mission::mission::fleet::{description, node_of_robot, pairs};
use river_mission::mission::run::{Mode, Settings, run};
use river_mission::mission::seeds::run_seeds;

/// The river mission of Mendonça et al. (2013).
#[derive(Parser)]
#[command(name = "river_mission", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a simulator and run the whole mission, from start to score
    Run(RunArguments),
    /// Run the mission with many seeds, each with its wind, current and fog, and print a table
    Seeds {
        /// First seed
        #[arg(long, default_value_t = 1)]
        from: u64,
        /// Last seed
        #[arg(long, default_value_t = 20)]
        to: u64,
        #[command(flatten)]
        mission: MissionArguments,
    },
    /// Run one node on a ROS machine. ROS arguments follow after --ros-args
    Node {
        /// Name of the node, such as mapper, or pad_finder for a drone
        name: String,
        /// Name of the boat, such as usv, or of the drone, such as uav
        #[arg(long, default_value = "usv")]
        robot: String,
        #[command(flatten)]
        plan: PlanArguments,
    },
    /// Score a mission of one pair whose simulator and nodes are started by others, such as a launch
    /// file. ROS arguments follow after --ros-args
    Score {
        #[command(flatten)]
        plan: PlanArguments,
        #[command(flatten)]
        result: ResultArguments,
    },
    /// Print boats, drones, their nodes and way-points of the mission of one pair as JSON
    Describe {
        #[command(flatten)]
        plan: PlanArguments,
    },
}

#[derive(clap::Args)]
struct RunArguments {
    /// Seed that replaces the seed of the world
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    mission: MissionArguments,
}

#[derive(clap::Args)]
struct MissionArguments {
    /// Number of pairs of a boat and a drone: 1 or 3
    #[arg(long, default_value_t = 1)]
    pairs: usize,
    /// Run in real time instead of lock-step
    #[arg(long)]
    realtime: bool,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    result: ResultArguments,
    /// Set a key of the world, such as weather.wind_speed_m_s=8. The option can be repeated
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
}

#[derive(clap::Args)]
struct PlanArguments {
    /// Number of way-points of each boat [default: all]
    #[arg(long)]
    way_points: Option<usize>,
    /// Time for which the drones fly ahead of their boats [s]
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    scout_time: f64,
    /// Add the points of the boats' pairs of cameras to their maps; the cameras take computing time
    #[arg(long)]
    stereo: bool,
    /// Leave the drones on their decks
    #[arg(long)]
    no_drones: bool,
}

impl PlanArguments {
    /// Returns the longest time of a flight ahead of the boats [s]; `None` for no flights.
    fn scout_time_s(&self) -> Option<f64> {
        (!self.no_drones).then_some(self.scout_time)
    }
}

#[derive(clap::Args)]
struct ResultArguments {
    /// Folder of the results: score.json, report.html and others
    #[arg(long, default_value = "river_mission_out")]
    out: PathBuf,
    /// Simulated time after which the mission ends [s]
    #[arg(long, value_name = "S", default_value_t = 900.0, value_parser = seconds)]
    time_limit: f64,
    /// The program merrow [default: next to this program, or on the PATH]
    #[arg(long, value_name = "FILE")]
    merrow: Option<PathBuf>,
}

/// Reads a time [s].
fn seconds(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok();
    let value = value.filter(|value| (0.0..1e8).contains(value));
    value.ok_or_else(|| "expected seconds from 0 to 1e8".to_owned())
}

/// Prints what a node reports; the node runs until a signal ends it.
struct Console {
    signals: Signals,
}

impl Supervisor for Console {
    fn is_done(&mut self, _: u64) -> bool {
        self.signals.first().is_some()
    }

    fn check(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn report(&mut self, now_ns: u64, node: &str, line: &str) {
        eprintln!("{:.1} s  {node}: {line}", now_ns as f64 * 1e-9);
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let (_, own) = split(&arguments);
    let command = Arguments::parse_from(own).command;
    let done = Signals::install().and_then(|signals| match command {
        Command::Run(arguments) => settings(arguments.mission, arguments.seed, signals)
            .and_then(|settings| mission(&settings)),
        Command::Seeds { from, to, mission } => {
            settings(mission, None, signals).and_then(|settings| seeds(&settings, from, to))
        }
        Command::Node { name, robot, plan } => node(&name, &robot, &plan, &arguments, signals),
        Command::Score { plan, result } => {
            score(plan, result, &arguments, signals).and_then(|settings| mission(&settings))
        }
        Command::Describe { plan } => describe(&plan),
    });
    done.unwrap_or_else(|why| {
        eprintln!("river_mission: {why}");
        ExitCode::from(2)
    })
}

/// Returns the settings of a mission that this program starts.
fn settings(
    arguments: MissionArguments,
    seed: Option<u64>,
    signals: Signals,
) -> Result<Settings, String> {
    let mode = match arguments.realtime {
        true => Mode::RealTime,
        false => Mode::LockStep,
    };
    Ok(Settings {
        pairs: arguments.pairs,
        seed,
        set: arguments.set,
        domain: domain()?,
        ..common(mode, arguments.plan, arguments.result, signals)
    })
}

/// Returns the settings of a mission of one pair that others start.
fn score(
    plan: PlanArguments,
    result: ResultArguments,
    arguments: &[String],
    signals: Signals,
) -> Result<Settings, String> {
    let mut options = node_options("mission_score", arguments)?;
    // the score has the time of the simulation, unless a parameter says otherwise
    let uses_clock = ("use_sim_time".to_owned(), ParameterValue::Bool(true));
    options.parameter_overrides.insert(0, uses_clock);
    Ok(common(Mode::Scored(options), plan, result, signals))
}

/// Returns the settings of a mission of one pair with the seed of its world, in the domain 0.
fn common(mode: Mode, plan: PlanArguments, result: ResultArguments, signals: Signals) -> Settings {
    Settings {
        pairs: 1,
        seed: None,
        mode,
        out: result.out,
        way_points: plan.way_points,
        scout_time_s: plan.scout_time_s(),
        has_stereo: plan.stereo,
        set: Vec::new(),
        time_limit_s: result.time_limit,
        merrow: result.merrow,
        domain: 0,
        signals,
    }
}

/// Returns the options of a node from the ROS arguments of this program.
fn node_options(name: &str, arguments: &[String]) -> Result<NodeOptions, String> {
    let (options, _) = NodeOptions::parse(name, &arguments[1..], &ArgsContext::of_process())?;
    Ok(options)
}

/// Prints the mission of one pair.
fn describe(plan: &PlanArguments) -> Result<ExitCode, String> {
    let mut pairs = pairs(1)?;
    for pair in &mut pairs {
        pair.limit(plan.way_points, plan.scout_time_s(), plan.stereo);
    }
    println!("{:#}", description(&pairs));
    Ok(ExitCode::SUCCESS)
}

/// Runs the mission. The exit status is 0 if it succeeds and 1 if it does not.
fn mission(settings: &Settings) -> Result<ExitCode, String> {
    let score = run(settings)?;
    println!("{score:#}");
    Ok(ExitCode::from(u8::from(score["success"] != true)))
}

/// Runs the mission with all seeds of a range. The exit status is 0 if all succeed and 1 if not.
fn seeds(settings: &Settings, from: u64, to: u64) -> Result<ExitCode, String> {
    let [reached, all] = run_seeds(settings, from, to)?;
    println!("{reached} of {all} missions reached the end without a contact");
    Ok(ExitCode::from(u8::from(reached != all)))
}

/// Returns the domain of `ROS_DOMAIN_ID`, or one in which no participant of this machine is, so that
/// missions can run at the same time.
fn domain() -> Result<u16, String> {
    let around = ArgsContext::of_process();
    if (around.variable)("ROS_DOMAIN_ID").is_some_and(|value| !value.is_empty()) {
        let (options, _) = NodeOptions::parse("river_mission", &[], &around)?;
        return Ok(options.domain_id);
    }
    let [low, count] = DOMAINS;
    let first = std::process::id() as u16 % count;
    let mut domains = (0..count).map(|k| low + (first + k) % count);
    domains.find(|domain| is_free(*domain)).ok_or_else(|| {
        let last = low + count - 1;
        format!("the DDS domains {low} to {last} are in use; set ROS_DOMAIN_ID")
    })
}

/// First domain of those of which one is chosen, and their number. Few programs use them, and their
/// ports are above those that Linux gives to other programs (32768 to 60999).
const DOMAINS: [u16; 2] = [215, 17];

/// Returns whether the unicast ports of the first participants of a domain are free (DDSI-RTPS 2.5,
/// 9.6.2.3).
fn is_free(domain: u16) -> bool {
    let base = 7400 + 250 * domain;
    (0..4).all(|participant| UdpSocket::bind(("0.0.0.0", base + 10 + 2 * participant)).is_ok())
}

/// Runs one node in real time.
fn node(
    name: &str,
    robot: &str,
    plan: &PlanArguments,
    arguments: &[String],
    signals: Signals,
) -> Result<ExitCode, String> {
    let name_of_node = format!("{robot}_{name}");
    let options = node_options(&name_of_node, arguments)?;
    let component = node_of_robot(
        name,
        robot,
        plan.way_points,
        plan.scout_time_s(),
        plan.stereo,
    )?;
    eprintln!("node {name_of_node}; Ctrl-C ends it");
    real_time::run(vec![component], &options, false, &mut Console { signals })
        .map_err(|why| why.to_string())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_in_use_are_not_chosen() {
        // above the domains from which one is chosen
        assert!(is_free(232));
        let participant = UdpSocket::bind(("0.0.0.0", 7400 + 250 * 232 + 12)).unwrap();
        assert!(!is_free(232));
        drop(participant);
        assert!(is_free(232));
    }

    #[test]
    fn times_are_finite() {
        assert_eq!(seconds("1.5"), Ok(1.5));
        for text in ["nan", "-1", "inf", "1e9", "one"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
