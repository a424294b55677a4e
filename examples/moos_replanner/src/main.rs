//! Runs a program of the mission, such as `moos_replanner pVPMPlanner MISSION.moos`, the whole mission,
//! or its log.

use clap::{Parser, Subcommand, ValueEnum};
use merrow_moos::clock;
use merrow_moos::mission::Mission;
use moos_replanner::mission::run::{self, MISSION, Settings};
use moos_replanner::program::{Address, Program};
use moos_replanner::replay::replay;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

/// The re-planner of Barisic et al. (2010), as programs of MOOS.
#[derive(Parser)]
#[command(name = "moos_replanner", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start a MOOSDB, a simulator and the programs, and run the whole mission, from start to score
    Run(RunArguments),
    /// Plan with virtual potentials in a community, until the MOOSDB refuses the program
    #[command(name = "pVPMPlanner")]
    Planner {
        /// Mission file
        mission: PathBuf,
    },
    /// Report the boxes of a script in a community, as a forward sonar does
    #[command(name = "pFLSim")]
    Sonar {
        /// Mission file
        mission: PathBuf,
    },
    /// Pass on navigation and set-points between the serial line of a vehicle and a community
    #[command(name = "iREMUS")]
    Remus {
        /// Mission file
        mission: PathBuf,
    },
    /// Pass the log of a mission in lock-step to the planner, and compare what it posts
    Replay {
        /// Log, such as mission.alog
        log: PathBuf,
        /// Mission file [default: that of `run`]
        mission: Option<PathBuf>,
    },
}

/// Source of the boxes.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SonarKind {
    /// The script of pFLSim
    Script,
    /// The forward sonar of the vehicle
    Simulated,
}

#[derive(clap::Args)]
struct RunArguments {
    /// Folder of the results: mission.alog, score.json, map.svg, report.html
    #[arg(long, default_value = "moos_replanner_out")]
    out: PathBuf,
    /// Seed that replaces the seed of the world
    #[arg(long)]
    seed: Option<u64>,
    /// Source of the boxes
    #[arg(long, value_enum, default_value_t = SonarKind::Script)]
    sonar: SonarKind,
    /// Follow the wall clock instead of lock-step
    #[arg(long)]
    realtime: bool,
    /// Follow the wall clock at this factor
    #[arg(long, value_name = "FACTOR", conflicts_with = "realtime", value_parser = positive)]
    warp: Option<f64>,
    /// Simulated time after which the mission ends [s]
    #[arg(long, default_value_t = 3000.0, value_name = "S", value_parser = positive)]
    time_limit: f64,
    /// Mission file [default: that of the example]
    #[arg(long)]
    mission: Option<PathBuf>,
    /// World file, with a robot `remus` [default: the bundled world moos_replanner]
    #[arg(long)]
    world: Option<String>,
    /// The program merrow [default: next to this program, or on the PATH]
    #[arg(long)]
    merrow: Option<PathBuf>,
}

fn positive(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    let number = number.filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("expected a number above 0, found {text:?}"))
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Run(arguments) => mission(arguments),
        Command::Planner { mission } => serve("pVPMPlanner", &mission),
        Command::Sonar { mission } => serve("pFLSim", &mission),
        Command::Remus { mission } => serve("iREMUS", &mission),
        Command::Replay { log, mission } => replay_log(&log, mission.as_deref()),
    };
    done.unwrap_or_else(|why| {
        eprintln!("moos_replanner: {why}");
        ExitCode::from(2)
    })
}

/// Runs the mission. The exit status is 0 if it succeeds and 1 if it does not.
fn mission(arguments: RunArguments) -> Result<ExitCode, String> {
    let score = run::run(&Settings {
        mission: arguments.mission,
        world: arguments.world,
        seed: arguments.seed,
        warp: arguments.warp.or(arguments.realtime.then_some(1.0)),
        has_sonar: arguments.sonar == SonarKind::Simulated,
        out: arguments.out,
        time_limit_s: arguments.time_limit,
        merrow: arguments.merrow,
    })?;
    println!("{score:#}");
    Ok(ExitCode::from(u8::from(score["success"] != true)))
}

/// Runs a program in the community of a mission file.
fn serve(name: &str, path: &Path) -> Result<ExitCode, String> {
    let mission = Mission::read(path)?;
    let mut program = Program::new(name, &mission)?;
    let located = |why: String| format!("{}: {why}", path.display());
    let address = Address::from_mission(&mission).map_err(located)?;
    let clock = clock::wall(address.warp);
    program.serve(&address, clock, &AtomicBool::new(false), false)?;
    Ok(ExitCode::SUCCESS)
}

/// Replays a log. The exit status is 1 if the planner posts other values.
fn replay_log(log: &Path, mission: Option<&Path>) -> Result<ExitCode, String> {
    let located = |why: &dyn std::fmt::Display| format!("{}: {why}", log.display());
    let file = File::open(log).map_err(|why| located(&why))?;
    let mission = match mission {
        Some(path) => Mission::read(path)?,
        None => Mission::from_text(MISSION, "replanner.moos")?,
    };
    match replay(BufReader::new(file), &mission) {
        Ok(same) => {
            println!("{same} values are identical");
            Ok(ExitCode::SUCCESS)
        }
        Err(why) => {
            eprintln!("moos_replanner: {}", located(&why));
            Ok(ExitCode::FAILURE)
        }
    }
}
