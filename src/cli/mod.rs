//! The commands of the command line, one per file.

mod analysis;
mod describe;
mod failure;
mod list;
mod map;
mod moos;
mod navigation;
mod reachable;
mod readings;
mod replay;
mod ros_backend;
mod run;
mod save;
mod sensor_image;
mod shapes;
mod signals;
mod snapshot;
mod task_end;
mod terrain;

pub(crate) use crate::cli::failure::Failure;
pub(crate) use crate::cli::run::join_addresses;

use clap::{Args, Parser, Subcommand};
use merrow::modem::bridges::notes as bridge_notes;
use merrow::node::checkpoint;
use merrow::node::world_check;
use merrow::publisher::connect_bridges;
use merrow_model::scene::robot::profile::Profile;
use merrow_sim::Simulation;
use merrow_validate::cases::{all_cases, cases_of};
use merrow_validate::page::VALIDATION;
use merrow_validate::program::PageArguments;
use merrow_validate::sets::CaseSet;
use merrow_validate::{program, sets};
use merrow_world as world;
use merrow_world::{Document, Overrides, World};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Marine robotics simulator: many robots, hydrodynamics, built-in ROS 2, no GPU.
#[derive(Parser, Debug)]
#[command(version, about, max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Arguments of the commands that read a world.
#[derive(Args, Debug)]
struct WorldArguments {
    /// World file, or the name of a bundled world.
    world: String,
    /// Set a key of the world; VALUE is YAML, such as robots.rov.position_m=[0,0,-3] or seed=7. The
    /// option can be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
}

impl WorldArguments {
    /// Returns the overrides of these arguments alone.
    fn overrides(&self) -> Overrides {
        Overrides {
            sets: self.sets.clone(),
            ..Overrides::default()
        }
    }
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Run a world. ROS arguments follow after --ros-args.
    Run(Box<run::Arguments>),
    /// Show a recorded bag in the browser, with a timeline.
    Replay(replay::Arguments),
    /// Check a world file and list all errors.
    Check {
        #[command(flatten)]
        world: WorldArguments,
    },
    /// Describe a world: robots, topics, services, parameters, frames.
    Describe {
        #[command(flatten)]
        world: WorldArguments,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
        /// Print the URDF of one robot instead.
        #[arg(long, value_name = "ROBOT", conflicts_with_all = ["json", "robot", "topics"])]
        urdf: Option<String>,
        /// Print only this robot, with its topics, services, parameters and frames.
        #[arg(long, value_name = "ROBOT")]
        robot: Option<String>,
        /// Print only topics, actions and services.
        #[arg(long)]
        topics: bool,
        /// Topic names, units and frames of another simulator for all robots: vrx, gz, stonefish,
        /// uuv or plankton.
        #[arg(long, value_parser = profile)]
        profile: Option<Profile>,
    },
    /// Run cases with a known answer: expected value, result, tolerance, verdict.
    Validate {
        /// Set of cases: bodies, hulls, vehicles, sea, comms or reports [default: all].
        #[arg(value_parser = case_set, conflicts_with = "write")]
        set: Option<&'static CaseSet>,
        #[command(flatten)]
        arguments: PageArguments,
    },
    /// Generate the scenery of a bundled world from a seed: river valley, quay or wreck.
    Terrain(terrain::Arguments),
    /// Write a world as it is after some simulated time, as a world file.
    Save(save::Arguments),
    /// Write where a vessel can be in a world as a map of Nav2: bathymetry, structures, bridges.
    Map(map::Arguments),
    /// Write one image of a world, of a sensor or from an external viewpoint.
    Snapshot(snapshot::Arguments),
    /// Write the messages of a bag as tables.
    Export(analysis::ExportArguments),
    /// Draw fields of the messages of a bag over time.
    Plot(analysis::PlotArguments),
    /// Write a report of a bag as one HTML page.
    Report(analysis::ReportArguments),
    /// Copy a bag without its end, as of a recorder that was killed, to a complete bag.
    Repair(analysis::RepairArguments),
    /// Write a layout of Foxglove, PlotJuggler or RViz for the topics of a world.
    Layout(analysis::LayoutArguments),
    /// Serve, poke, log and replay a community of MOOS without MOOS-IvP.
    #[command(subcommand)]
    Moos(moos::Command),
    /// Print the JSON Schema of the world file, for editors.
    Schema,
    /// List the bundled worlds and robots.
    List {
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
}

/// Returns the numbers of robots, props and actors of a world as text.
fn count_objects(world: &World) -> String {
    let count = |section: &str| world.models.iter().filter(|m| m.section == section).count();
    let counts = [
        ("robot", count("robots")),
        ("prop", count("props")),
        ("actor", count("actors")),
    ];
    let named = counts.iter().filter(|(name, n)| *n > 0 || *name == "robot");
    let text = named.map(|(name, n)| format!("{n} {name}{}", if *n == 1 { "" } else { "s" }));
    text.collect::<Vec<_>>().join(", ")
}

/// Executes the command of the command line. `arguments` are all arguments of the program.
pub(crate) fn execute(cli: Cli, arguments: &[String]) -> Result<ExitCode, Failure> {
    signals::block_file_size_signal();
    match cli.command {
        Command::Run(own) => run::run(&own, arguments)?,
        Command::Replay(arguments) => replay::run(&arguments)?,
        Command::Check { world } => {
            let found = load(&world.world, world.overrides())?;
            println!("{}: no errors, {}", world.world, count_objects(&found));
        }
        Command::Describe {
            world,
            json,
            urdf,
            robot,
            topics,
            profile,
        } => {
            let overrides = Overrides {
                profile,
                ..world.overrides()
            };
            let world = load(&world.world, overrides)?;
            match urdf {
                Some(robot) => describe::print_urdf(&world, &robot)?,
                None => describe::describe(&world, json, robot.as_deref(), topics)?,
            }
        }
        Command::Validate { set, arguments } => {
            return Ok(match set {
                Some(set) => program::set(cases_of(set), &arguments.arguments)?,
                None => program::all(all_cases(), &VALIDATION, "validation", &arguments)?,
            });
        }
        Command::Terrain(arguments) => terrain::run(&arguments)?,
        Command::Save(arguments) => save::save(&arguments)?,
        Command::Map(arguments) => map::run(&arguments)?,
        Command::Snapshot(arguments) => snapshot::run(&arguments)?,
        Command::Export(arguments) => analysis::run_export(&arguments)?,
        Command::Plot(arguments) => analysis::run_plot(&arguments)?,
        Command::Report(arguments) => analysis::run_report(&arguments)?,
        Command::Repair(arguments) => analysis::run_repair(&arguments)?,
        Command::Layout(arguments) => analysis::run_layout(&arguments)?,
        Command::Moos(command) => moos::run(&command)?,
        Command::Schema => {
            let schema = world::json_schema();
            println!(
                "{}",
                serde_json::to_string_pretty(&schema).map_err(|e| e.to_string())?
            );
        }
        Command::List { json } => list::list(json)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Parses the name of a profile.
fn case_set(text: &str) -> Result<&'static CaseSet, String> {
    let found = sets::ALL.into_iter().find(|set| set.name == text);
    found.ok_or_else(|| {
        let names = sets::ALL.map(|set| set.name).join(", ");
        format!("expected one of {names}; found {text:?}")
    })
}

fn profile(text: &str) -> Result<Profile, String> {
    Profile::from_keyword(text).ok_or_else(|| {
        let names = Profile::ALL.map(Profile::keyword).join(", ");
        format!("expected one of {names}, found {text:?}")
    })
}

/// Loads a world and prints its notes. Its errors are returned one per line, after their number.
fn load(name: &str, overrides: Overrides) -> Result<World, Failure> {
    load_document(name, overrides).map(|(_, world)| world)
}

/// Returns the same as [`load`], with the document of the world file.
fn load_document(name: &str, overrides: Overrides) -> Result<(Document, World), Failure> {
    world::data_dir::check()?;
    if let Some(error) = world::data_dir::unknown_world_message(name) {
        return Err(Failure::Invalid(error));
    }
    let path: PathBuf = world::data_dir::world_file(name);
    let errors = |n: usize, lines: String| {
        let s = if n == 1 { "" } else { "s" };
        Failure::Invalid(format!("{n} error{s} in {name}\n{lines}"))
    };
    let (document, mut world) = Document::load(&path, overrides)
        .map_err(|problems| errors(problems.len(), problems.to_string()))?;
    world_check::check(&document, &world).map_err(|lines| errors(lines.len(), lines.join("\n")))?;
    let currents = world_check::current_warnings(&document, &world);
    world.warnings.extend(currents);
    for note in bridge_notes(&world) {
        eprintln!("warning: {note}");
    }
    for warning in &world.warnings {
        eprintln!("warning: {warning}");
    }
    for note in &world.notes {
        eprintln!("note: {note}");
    }
    Ok((document, world))
}

/// Loads a world, and the checkpoint from which it continues, if any. `threads` is the maximum
/// number of threads that step the robots; 0: one per core.
fn load_simulation(
    world: &str,
    overrides: Overrides,
    threads: usize,
    resume: Option<&Path>,
) -> Result<(Document, Simulation), Failure> {
    let (mut document, world) = load_document(world, overrides)?;
    let mut scene = Arc::new(world.scene);
    let Some(path) = resume else {
        let mut simulation = Simulation::new(scene, threads)?;
        connect_bridges(&mut simulation);
        return Ok((document, simulation));
    };
    let located = |why: String| format!("{}: {why}", path.display());
    let saved = checkpoint::read(path)?;
    let changes = merrow_sim::checkpoint::world_changes(&saved, &scene.sea).map_err(located)?;
    if !changes.is_empty() {
        document = document.with_changes(&changes).map_err(|e| e.to_string())?;
        let world = document.build().map_err(|e| e.to_string())?;
        world_check::check(&document, &world).map_err(|lines| lines.join("\n"))?;
        scene = Arc::new(world.scene);
    }
    let mut simulation = Simulation::new(scene, threads)?;
    connect_bridges(&mut simulation);
    simulation.changes = changes;
    simulation.resume(&saved).map_err(located)?;
    Ok((document, simulation))
}
