//! `merrow run`: runs a world with its ROS node, its recorder, its checkpoints and its progress
//! line.

use super::failure::Failure;
use super::moos::Community;
use super::reachable;
use super::ros_backend::RosBackend;
use super::signals::Signals;
use super::task_end::TaskEnd;
use super::{WorldArguments, load_simulation};
use clap::Args;
use crossbeam_channel::Sender;
use indicatif::{ProgressBar, ProgressStyle};
use merrow::input::replay::read_commands;
use merrow::input::view::{self, ControlParts, Recorder, ViewControls};
use merrow::node::bridge::Bridge;
use merrow::node::checkpoint;
use merrow::node::diagnostics::Rejections;
use merrow::node::file_access::FileAccess;
use merrow::node::world_editor::{EditorParts, EditorThread, Followers};
use merrow::publisher::state::RecordSettings;
use merrow::publisher::topic_filter::TopicFilter;
use merrow::replay::world::RecordedWorld;
use merrow::simulation_interfaces::{Connections, SimulationInterfaces};
use merrow::terminal;
use merrow_autopilot::Links;
use merrow_model::scene::robot::profile::Profile;
use merrow_model::state::commands::CommandRejection;
use merrow_ros2::args::{ArgsContext, NodeOptions};
use merrow_ros2::bag::{Bag, BagError, BagOptions, Compression};
use merrow_ros2::parameters::ParameterServer;
use merrow_sim as sim;
use merrow_sim::{Control, Observer, Pace, Simulation, Summary};
use merrow_view::View;
use merrow_world::import::grid::mapped_file;
use merrow_world::{Document, Overrides};
use regex_lite::Regex;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Arguments of `merrow run`.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    #[command(flatten)]
    world: WorldArguments,
    /// realtime, max, lockstep, or a factor of real time.
    #[arg(long, default_value = "realtime", value_parser = Pace::parse)]
    pace: Pace,
    /// Stop after this simulated time [s].
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    duration: Option<f64>,
    /// Stop one second after the end of the task of the world.
    #[arg(long)]
    until_finished: bool,
    /// Seed that replaces the seed of the world.
    #[arg(long)]
    seed: Option<u64>,
    /// Topic names, units and frames of another simulator for all robots: vrx, gz, stonefish, uuv
    /// or plankton.
    #[arg(long, value_parser = super::profile)]
    profile: Option<Profile>,
    /// Enable the autopilots of all robots: each listens for ArduPilot on its UDP port.
    #[arg(long)]
    autopilot: bool,
    /// Send MAVLink telemetry of all robots to a ground station such as QGroundControl.
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true,
        default_missing_value = "127.0.0.1:14550", value_parser = socket_address)]
    mavlink: Option<SocketAddr>,
    /// Connect the first robot to a MOOSDB, whose programs control it; FILE is a mission file.
    #[arg(long, value_name = "HOST:PORT|FILE", num_args = 0..=1, require_equals = true,
        default_missing_value = "localhost:9000", value_parser = Community::parse)]
    moos: Option<Community>,
    /// Serve a page that shows and controls the run, for a browser; an address other than loopback
    /// requires the token of the printed URL [default: 127.0.0.1:8080 or the next free port].
    #[arg(long, value_name = "ADDRESS:PORT", num_args = 0..=1, require_equals = true,
        value_parser = socket_address)]
    view: Option<Option<SocketAddr>>,
    /// Maximum number of threads that step the robots; a step uses several only where this is
    /// faster [default: one per core].
    #[arg(long, value_name = "THREADS")]
    threads: Option<NonZeroUsize>,
    /// Record all topics to an MCAP file, or to a new folder, that ros2 bag reads.
    #[arg(long, value_name = "FILE.mcap|FOLDER")]
    record: Option<PathBuf>,
    /// Record only topics whose names contain a match of this regular expression.
    #[arg(long, value_name = "REGEX", value_parser = pattern, requires = "record")]
    record_topics: Option<Regex>,
    /// Leave out topics whose names contain a match of this regular expression.
    #[arg(long, value_name = "REGEX", value_parser = pattern, requires = "record")]
    record_exclude: Option<Regex>,
    /// Continue in a new file of the folder before a file exceeds this size [MB, 1e6 bytes].
    #[arg(long, value_name = "MB", value_parser = megabytes, requires = "record",
        allow_negative_numbers = true)]
    record_max_size: Option<u64>,
    /// Continue in a new file of the folder after this simulated time [s].
    #[arg(long, value_name = "SECONDS", value_parser = split_seconds, requires = "record",
        allow_negative_numbers = true)]
    record_max_duration: Option<f64>,
    /// Compression of the recorded messages.
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "METHOD",
        requires = "record"
    )]
    record_compression: RecordCompression,
    /// Write a checkpoint to this file at the start and at the end of the run; an older one is kept
    /// as FILE.old.
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    /// Write the checkpoint also at every multiple of this simulated time [s].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "checkpoint")]
    checkpoint_every: Option<f64>,
    /// Continue from a checkpoint of this world; --for counts from there.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Replay the commands of a recorded bag: an MCAP file or the folder of a bag.
    #[arg(long, value_name = "BAG", conflicts_with = "resume")]
    replay_commands: Option<PathBuf>,
    /// Folder of the files that services write and of the worlds that they read.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    output_dir: PathBuf,
    /// Let services write and read any file of this user. Every machine that reaches the node can
    /// call them.
    #[arg(long)]
    allow_paths: bool,
    /// Run without a ROS node and without network access.
    #[arg(long)]
    no_ros: bool,
    /// Connection to ROS 2: the DDS client of this program, or the RMW of a sourced ROS 2.
    #[arg(long, value_enum, default_value_t, value_name = "BACKEND")]
    ros_backend: RosBackend,
    /// Print the summary as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Compression of the recorded messages.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RecordCompression {
    /// No compression.
    #[default]
    None,
    /// LZ4, which all readers of MCAP files know.
    Lz4,
}

impl Arguments {
    /// Returns the maximum number of threads; 0: one per core.
    fn threads(&self) -> usize {
        self.threads.map_or(0, NonZeroUsize::get)
    }

    /// Returns the topics and files of the recordings.
    fn record_settings(&self) -> RecordSettings {
        RecordSettings {
            filter: TopicFilter::new(self.record_topics.clone(), self.record_exclude.clone()),
            options: BagOptions {
                max_bytes: self.record_max_size,
                max_duration_ns: self.record_max_duration.map(|s| (s * 1e9).round() as u64),
                compression: match self.record_compression {
                    RecordCompression::None => Compression::None,
                    RecordCompression::Lz4 => Compression::Lz4,
                },
            },
        }
    }

    /// Returns the files that requests may write and read.
    fn files(&self) -> FileAccess {
        FileAccess::new(self.output_dir.clone(), self.allow_paths)
    }

    /// Prints a line, unless standard output contains only the summary.
    fn inform(&self, line: impl Display) {
        if !self.json {
            terminal::inform(line);
        }
    }
}

/// Parses an address and a port, `localhost` and a port, or the port of this machine only.
pub(super) fn socket_address(text: &str) -> Result<SocketAddr, String> {
    let loopback = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let local = text.strip_prefix("localhost").unwrap_or(text);
    let port = local.strip_prefix(':').unwrap_or(local);
    let address = port.parse().map(loopback);
    address.or_else(|_| text.parse()).map_err(|_| {
        format!(
            "expected an IP address and a port, such as 127.0.0.1:8080, found {text:?}; a port or \
             `localhost:8080` is of this machine"
        )
    })
}

/// Joins the options `--view` and `--mavlink` with an address that follows as the next argument. An
/// argument that is no address is the world.
pub(crate) fn join_addresses(arguments: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for argument in arguments {
        match joined.last_mut() {
            Some(option)
                if matches!(option.as_str(), "--view" | "--mavlink")
                    && socket_address(argument).is_ok() =>
            {
                *option = format!("{option}={argument}");
            }
            _ => joined.push(argument.clone()),
        }
    }
    joined
}

/// Longest simulated time that the stamps of ROS messages represent [s].
const TIME_MAX: f64 = 2_147_483_647.0;

/// Parses a size, and returns it in bytes.
fn megabytes(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(size) if (0.1..=1e9).contains(&size) => Ok((size * 1e6) as u64),
        _ => Err(format!(
            "expected a number of megabytes from 0.1 to 1e9, found {text:?}"
        )),
    }
}

/// Parses the duration of a file of a recording [s]; shorter files would cost more than they hold.
fn split_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if (0.1..=TIME_MAX).contains(&s) => Ok(s),
        _ => Err(format!(
            "expected a number of seconds from 0.1 to {TIME_MAX}, found {text:?}"
        )),
    }
}

/// Parses the regular expression of topics.
fn pattern(text: &str) -> Result<Regex, String> {
    if text.is_empty() {
        return Err("expected a regular expression, found an empty text".to_string());
    }
    Regex::new(text).map_err(|why| format!("expected a regular expression, found {text:?}: {why}"))
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= TIME_MAX => Ok(s),
        _ => Err(format!(
            "expected a number of seconds above 0 and up to {TIME_MAX}, found {text:?}"
        )),
    }
}

/// Runs the world to its end or to the first signal.
///
/// # Errors
/// The world cannot be loaded or run, the recording is incomplete, a robot is halted, or a signal
/// ended the run before the time of `--for`.
pub(super) fn run(arguments: &Arguments, ros: &[String]) -> Result<(), Failure> {
    let signals = Signals::install()?;
    let settings = arguments.record_settings();
    if arguments.pace == Pace::Lockstep && arguments.no_ros && arguments.view.is_none() {
        let why = "--pace lockstep waits for requests to step, which arrive by ROS or from the page of \
                   --view; remove --no-ros, add --view, or use --pace max";
        return Err(Failure::Invalid(why.to_string()));
    }
    if let Some(path) = &arguments.record {
        // a large world takes long to load
        Bag::check_path(path, &settings.options).map_err(|why| match why {
            BagError::Name(_) | BagError::SplitFile(_) => Failure::Invalid(why.to_string()),
            why => Failure::Failed(why.to_string()),
        })?;
    }
    let (document, mut simulation) = load_run(arguments)?;
    let task_end = arguments.until_finished;
    let task_end = task_end.then(|| TaskEnd::new(&simulation, &signals.stop));
    let mut task_end = task_end.transpose().map_err(Failure::Invalid)?;
    let mut autosave = Autosave::from_arguments(arguments, simulation.time_ns());
    if let Some(autosave) = &autosave {
        if arguments.resume.as_ref() != Some(&autosave.path) {
            checkpoint::keep_previous(&autosave.path)?;
        }
        // reports a file that cannot be written before the run
        autosave.write(simulation.checkpoint())?;
    }
    let (sender, requests) = crossbeam_channel::unbounded();
    signals.end_cleanly();
    let mut bridge = create_bridge(arguments, ros, &simulation, &sender)?;
    if let Some(bridge) = &mut bridge {
        bridge
            .set_record_settings(settings)
            .map_err(Failure::Invalid)?;
        prepare_recording(arguments, bridge, &document, &signals)?;
        bridge.update_requested_outputs(&simulation);
    }
    let stop = &signals.stop;
    let world_services = serve_world(arguments, &bridge, document, &simulation, &sender, stop)?;
    let mut links = connect_links(arguments, &bridge, &simulation)?;
    let mut view = start_view(arguments, &bridge, &simulation, world_services.as_ref())?;
    print_reachable(arguments, ros, &simulation)?;
    let mut progress = Progress::new(arguments, simulation.time_ns(), &signals.stop);
    let mut observers: Vec<&mut dyn Observer> = vec![&mut progress, &mut links];
    if let Some(task_end) = &mut task_end {
        observers.push(task_end);
    }
    if let Some(autosave) = &mut autosave {
        observers.push(autosave);
    }
    if let Some(bridge) = &mut bridge {
        observers.push(bridge);
    }
    if let Some(view) = &mut view {
        observers.push(view);
    }
    let summary = sim::run(
        &mut simulation,
        arguments.pace,
        arguments.duration,
        &requests,
        &mut observers,
        &signals.stop,
    );
    // later requests fail, because the receiver is dropped
    drop(requests);
    drop(world_services);
    progress.bar.finish_and_clear();
    let mut failed = after_run(&summary, autosave.as_ref(), &mut simulation);
    if let Some(bridge) = &bridge {
        match bridge.stop_recording() {
            Ok(Some(line)) => arguments.inform(format_args!("recorded {line}")),
            Ok(None) => {}
            Err(why) => failed = failed.or(Some(format!("the recording is incomplete: {why}"))),
        }
    }
    let halted = report_halted(&simulation);
    let failed = failed.or(halted).map(Failure::Failed);
    let task = simulation.state.task.0.as_ref();
    let is_finished = task.is_some_and(|task| task.finished_ns.is_some());
    let failed = failed.or(interruption(arguments, &signals, &summary, is_finished));
    let refusals = progress.refusals.by_reason();
    let error = failed.as_ref().map(Failure::text);
    let printed = print_summary(&summary, &refusals, error, &simulation, arguments.json);
    failed.map_or(Ok(()), Err)?;
    Ok(printed?)
}

/// Returns the reason why the run has not reached the time of `--for` or the end of its task
/// (`is_finished`), if a signal ended it. Without these options, a signal is the regular end of a run.
fn interruption(
    arguments: &Arguments,
    signals: &Signals,
    summary: &Summary,
    is_finished: bool,
) -> Option<Failure> {
    let (name, number) = signals.first()?;
    let simulated = summary.simulated_s;
    // the last step may end a rounding error before the requested time
    let is_reached = |duration: f64| simulated >= duration * (1.0 - 1e-9);
    let end = match arguments.duration {
        Some(duration) if is_reached(duration) => return None,
        _ if arguments.until_finished && is_finished => return None,
        Some(duration) => format!("{duration} s of --for"),
        None if arguments.until_finished => "the end of the task of --until-finished".to_string(),
        None => return None,
    };
    let why = format!("{name} ended the run at {simulated:.3} s, before {end}");
    Some(Failure::Stopped(why, number))
}

/// Passes the world to the recorder, and starts the recording of `--record`.
fn prepare_recording(
    arguments: &Arguments,
    bridge: &Bridge,
    document: &Document,
    signals: &Signals,
) -> Result<(), String> {
    // also for recordings that the service starts; cannot fail: this is the only assignment
    let _ = signals.recorder.set(bridge.publisher_thread.tasks());
    let world = RecordedWorld::new(document, arguments.seed, arguments.profile);
    *bridge.publisher_thread.shared.world.lock() = world;
    if let Some(path) = &arguments.record {
        let line = bridge.record(path.clone())?;
        arguments.inform(line);
    }
    Ok(())
}

/// Writes the last checkpoint, and returns the reason why the run has failed. The caller prints
/// later: a terminal that was closed must not cost the checkpoint.
fn after_run(
    summary: &Summary,
    autosave: Option<&Autosave>,
    simulation: &mut Simulation,
) -> Option<String> {
    if summary.failed.is_some() {
        return summary.failed.clone();
    }
    if mapped_file::is_shortened() {
        return Some(SHORTENED.to_string());
    }
    autosave?.write(simulation.checkpoint()).err()
}

/// Loads the world of a run, with the commands that it replays.
fn load_run(arguments: &Arguments) -> Result<(Document, Simulation), Failure> {
    let overrides = Overrides {
        sets: arguments.world.sets.clone(),
        seed: arguments.seed,
        profile: arguments.profile,
        autopilots: arguments.autopilot,
        mavlink: arguments.mavlink,
        moos: arguments
            .moos
            .as_ref()
            .map(|community| community.moos.clone()),
    };
    let resume = arguments.resume.as_deref();
    let (document, mut simulation) = load_simulation(
        &arguments.world.world,
        overrides,
        arguments.threads(),
        resume,
    )?;
    if let Some(bag) = &arguments.replay_commands {
        schedule_replay(bag, &mut simulation)?;
    }
    Ok((document, simulation))
}

/// Reads the commands of a bag, which the run applies again. Prints those that are not valid.
fn schedule_replay(bag: &Path, simulation: &mut Simulation) -> Result<(), String> {
    let replay = read_commands(&simulation.scene, &simulation.state, bag)?;
    for line in &replay.refused {
        terminal::warn(format_args!("warning: {line}"));
    }
    simulation.replay.commands = replay.commands;
    Ok(())
}

/// Editor of the world, with the objects that its clients use.
struct WorldServices {
    /// Services that change the world; `None` without a node. They end before the editor.
    _interfaces: Option<SimulationInterfaces>,
    editor: EditorThread,
    parameters: Arc<ParameterServer>,
    requests: Sender<sim::Request>,
}

/// Starts the editor of the world and the services that change it; none without a node and without
/// a view.
fn serve_world(
    arguments: &Arguments,
    bridge: &Option<Bridge>,
    document: Document,
    simulation: &Simulation,
    sender: &Sender<sim::Request>,
    stop: &Arc<AtomicBool>,
) -> Result<Option<WorldServices>, String> {
    let bridge = bridge.as_ref();
    let interface = bridge.and_then(|bridge| bridge.interface.as_ref());
    let (followers, parameters) = match interface {
        Some(interface) => {
            let parameters = Arc::clone(&interface.parts.parameters);
            (Followers::Node(Arc::clone(interface)), parameters)
        }
        None if arguments.view.is_some() => {
            let own = view::standalone_parameters(simulation, arguments.pace, sender)?;
            (Followers::Parameters(Arc::clone(&own)), own)
        }
        None => return Ok(None),
    };
    let next_outputs = bridge.map(|bridge| Arc::clone(&bridge.next_outputs));
    let editor = EditorThread::start(EditorParts {
        document,
        scene: Arc::clone(&simulation.scene),
        threads: arguments.threads(),
        requests: sender.clone(),
        followers,
        files: arguments.files(),
        next_outputs: next_outputs.unwrap_or_default(),
    })?;
    let interfaces = interface.map(|interface| {
        let connections = Connections::new(&interface.parts, editor.sender(), Arc::clone(stop));
        SimulationInterfaces::start(&connections).map_err(|e| e.to_string())
    });
    Ok(Some(WorldServices {
        _interfaces: interfaces.transpose()?,
        editor,
        parameters,
        requests: sender.clone(),
    }))
}

/// Opens the sockets of the autopilots and the connections to ground stations.
fn connect_links(
    arguments: &Arguments,
    bridge: &Option<Bridge>,
    simulation: &Simulation,
) -> Result<Links, String> {
    let (status, log) = match bridge {
        Some(bridge) => {
            let status = bridge.publisher_thread.shared.links.clone();
            (status, bridge.link_log())
        }
        None => Default::default(),
    };
    let scene = &simulation.scene;
    let links = Links::connect(scene, arguments.pace, status, log)?;
    if arguments.autopilot && scene.robots.iter().all(|robot| robot.autopilot.is_none()) {
        terminal::warn("warning: --autopilot: no robot of this world has the key `autopilot`");
    }
    let community = arguments.moos.iter();
    for line in community.flat_map(|own| own.differences(simulation, arguments.pace)) {
        terminal::warn(format_args!("warning: {line}"));
    }
    for line in links.descriptions() {
        arguments.inform(line);
    }
    Ok(links)
}

/// Starts the server of the live view and prints its address.
fn start_view(
    arguments: &Arguments,
    bridge: &Option<Bridge>,
    simulation: &Simulation,
    world: Option<&WorldServices>,
) -> Result<Option<View>, String> {
    let (Some(address), Some(world)) = (arguments.view, world) else {
        return Ok(None);
    };
    let recorder = bridge.as_ref().map(|bridge| Recorder {
        tasks: bridge.publisher_thread.tasks(),
        shared: Arc::clone(&bridge.publisher_thread.shared),
    });
    let parts = ControlParts {
        requests: world.requests.clone(),
        parameters: Arc::clone(&world.parameters),
        editor: Some(world.editor.sender()),
        recorder,
        network: bridge.as_ref().and_then(Bridge::network),
    };
    let controls = ViewControls::new(simulation, parts);
    let view = View::start(simulation, address, Arc::new(controls))?;
    let line = format!("view: {}", view.url());
    if arguments.json {
        // standard output contains only the summary
        terminal::warn(line);
    } else {
        terminal::inform(line);
    }
    Ok(Some(view))
}

/// Prints who reaches the sockets of the run.
fn print_reachable(
    arguments: &Arguments,
    ros: &[String],
    simulation: &Simulation,
) -> Result<(), Failure> {
    let node = match arguments.no_ros {
        true => None,
        false => Some(node_options(ros)?),
    };
    let view = arguments.view.map(|address| match address {
        Some(address) => address.ip(),
        None => Ipv4Addr::LOCALHOST.into(),
    });
    let line = reachable::line(node.as_ref(), view, &simulation.scene.robots);
    if let Some(line) = line {
        arguments.inform(line);
    }
    Ok(())
}

/// Creates the node, or without ROS the resources of a recording.
fn create_bridge(
    arguments: &Arguments,
    ros: &[String],
    simulation: &Simulation,
    sender: &Sender<sim::Request>,
) -> Result<Option<Bridge>, Failure> {
    if arguments.no_ros {
        // a page can start a recording
        let is_needed = arguments.record.is_some() || arguments.view.is_some();
        let bridge = is_needed.then(|| Bridge::without_node(simulation));
        return Ok(bridge.transpose()?);
    }
    let options = node_options(ros)?;
    let node = arguments.ros_backend.node(&options)?;
    let files = arguments.files();
    let bridge = Bridge::with_node(simulation, node, &options, arguments.pace, sender, files)?;
    if !arguments.json {
        announce(&simulation.scene, &options);
    }
    Ok(Some(bridge))
}

const SHORTENED: &str = "a grid file that is mapped from disk was shortened during the run, so the \
                         last values are wrong; restore the file and run again";

fn node_options(ros: &[String]) -> Result<NodeOptions, Failure> {
    let around = ArgsContext::of_process();
    let (options, _) = NodeOptions::parse("merrow", ros, &around)
        .map_err(|why| Failure::Invalid(why.to_string()))?;
    Ok(options)
}

fn announce(scene: &merrow_model::scene::Scene, options: &NodeOptions) {
    let plan = merrow::topics::Plan::new(scene);
    let robots = scene.robots.len();
    terminal::inform(format_args!(
        "{}: {robots} robot{}, {} topics published, {} subscribed, as /{} on ROS_DOMAIN_ID {}",
        scene.name,
        if robots == 1 { "" } else { "s" },
        plan.outputs.len(),
        plan.inputs.len(),
        format!("{}/{}", options.namespace.trim_matches('/'), options.name).trim_start_matches('/'),
        options.domain_id,
    ));
    const SHOWN: usize = 24;
    for output in plan.outputs.iter().take(SHOWN) {
        let rate = output
            .rate_hz
            .map_or_else(|| "on change".to_string(), |r| format!("{r} Hz"));
        terminal::inform(format_args!(
            "  {:<36} {:<44} {rate}",
            output.topic, output.info.name
        ));
    }
    if plan.outputs.len() > SHOWN {
        terminal::inform(format_args!(
            "  ... and {} more: merrow describe {}",
            plan.outputs.len() - SHOWN,
            scene.name
        ));
    }
}

/// Prints the summary. `error`: reason why the run has failed.
///
/// # Errors
/// The output did not receive it.
fn print_summary(
    s: &Summary,
    refusals: &[(String, String, u64)],
    error: Option<&str>,
    simulation: &Simulation,
    as_json: bool,
) -> Result<(), String> {
    let task = simulation
        .scene
        .task
        .as_ref()
        .zip(simulation.state.task.0.as_ref());
    if as_json {
        let mut object = json!({
            "simulated_s": s.simulated_s,
            "wall_s": s.wall_s,
            "real_time_factor": s.real_time_factor,
            "steps": s.steps,
            "overruns": s.overruns,
            "dropped": s.dropped,
            "refused": s.rejected,
            "refusals": refusals
                .iter()
                .map(|(robot, reason, n)| json!({"robot": robot, "reason": reason, "count": n}))
                .collect::<Vec<_>>(),
            "missed": s.missed.iter().cloned().collect::<BTreeMap<_, _>>(),
            "state_hash": s.state_hash,
            "halted": s.halted,
            "error": error,
        });
        if let Some((task, own)) = task {
            object["task"] = task.result(own, simulation.time_ns());
        }
        return terminal::print(object);
    }
    terminal::inform(format_args!(
        "simulated {:.3} s in {:.3} s wall: real-time factor {:.2}, {} steps, {} overruns, {} dropped",
        s.simulated_s, s.wall_s, s.real_time_factor, s.steps, s.overruns, s.dropped
    ));
    if !s.missed.is_empty() {
        let each: Vec<String> = s
            .missed
            .iter()
            .map(|(name, n)| format!("{name} {n}"))
            .collect();
        terminal::inform(format_args!(
            "samples missed by late sensors: {}",
            each.join(", ")
        ));
    }
    if let Some((task, own)) = task {
        terminal::inform(task.summary(own));
    }
    if s.rejected > 0 {
        terminal::inform(format_args!("refused commands: {}", s.rejected));
        for (robot, reason, n) in refusals {
            terminal::inform(format_args!("  {n:>6} x {robot}: {reason}"));
        }
    }
    terminal::print(format_args!("state hash: {}", s.state_hash))
}

/// Maximum number of halted robots that are printed.
const MAX_HALTED: usize = 8;

/// Prints the halted robots, because diagnostics may have no subscriber. Returns the reason why the
/// run has failed; `None` if no robot is halted.
fn report_halted(simulation: &Simulation) -> Option<String> {
    let scene = &simulation.scene;
    let robots = scene.robots.iter().zip(&simulation.state.robots);
    let halted: Vec<_> = robots
        .filter_map(|(robot, state)| Some((&robot.name, state.halted.as_ref()?)))
        .collect();
    for (name, halt) in halted.iter().take(MAX_HALTED) {
        let t = halt.time_ns as f64 * 1e-9;
        terminal::warn(format_args!(
            "merrow: {name} was halted at {t:.3} s: {}",
            halt.cause
        ));
    }
    let (_, first) = halted.first()?;
    let remedy = if first.cause.contains("extrapolation") {
        "keep it inside the grid, or choose another `extrapolation`".to_string()
    } else {
        format!(
            "try a smaller `dt_s` of `step` (now {} s) or less damping, and check the units of mass, \
             inertia, added mass and damping (`merrow check` lists implausible values)",
            scene.dt()
        )
    };
    let n = halted.len();
    Some(match n {
        1 => format!("the run ends with a halted robot; {remedy}"),
        _ => format!("the run ends with {n} halted robots; {remedy}"),
    })
}

/// Writes the checkpoints of a run.
struct Autosave {
    path: PathBuf,
    /// Simulated time between two checkpoints during the run [ns].
    every_ns: u64,
    /// Simulated time of the next checkpoint during the run [ns].
    next_ns: u64,
}

impl Autosave {
    /// Creates the observer of a run that begins at `now_ns` [ns]; `None` without a file.
    fn from_arguments(arguments: &Arguments, now_ns: u64) -> Option<Self> {
        let every = arguments.checkpoint_every;
        let every_ns = every.map_or(u64::MAX, |s| ((s * 1e9).round() as u64).max(1));
        Some(Self {
            path: arguments.checkpoint.clone()?,
            every_ns,
            next_ns: next_multiple(every_ns, now_ns),
        })
    }

    fn write(&self, checkpoint: Result<Vec<u8>, String>) -> Result<(), String> {
        checkpoint::write(&self.path, &checkpoint?)
    }
}

/// Returns the first multiple of `every_ns` after `now_ns` [ns]. A resumed run therefore writes its
/// checkpoints at the same instants.
fn next_multiple(every_ns: u64, now_ns: u64) -> u64 {
    (now_ns / every_ns + 1).saturating_mul(every_ns)
}

impl Observer for Autosave {
    fn after_block(&mut self, _: &Simulation, _: &Control) {}

    fn reset(&mut self) {
        self.next_ns = self.every_ns;
    }

    fn next_checkpoint_ns(&self) -> u64 {
        self.next_ns
    }

    fn checkpoint(&mut self, time_ns: u64, checkpoint: Result<Vec<u8>, String>) {
        self.next_ns = next_multiple(self.every_ns, time_ns);
        if let Err(why) = self.write(checkpoint) {
            // the run continues: a later checkpoint may succeed
            terminal::warn(format_args!("merrow: {why}"));
        }
    }
}

/// Progress line on the terminal; hidden if there is no terminal. Ends the run when a mapped grid
/// was shortened.
struct Progress {
    stop: Arc<AtomicBool>,
    bar: ProgressBar,
    bounded: bool,
    last_ms: u64,
    /// Simulated time at the start of the run [s].
    start: f64,
    refusals: Rejections,
    /// Whether refusals are printed: without a node, which logs them.
    prints_refusals: bool,
}

impl Progress {
    /// Creates the progress line of a run that begins at `now_ns` [ns].
    fn new(arguments: &Arguments, now_ns: u64, stop: &Arc<AtomicBool>) -> Self {
        let duration = arguments.duration;
        let bar = match duration {
            _ if arguments.json => ProgressBar::hidden(),
            Some(s) => ProgressBar::new((s * 1000.0) as u64),
            None => ProgressBar::new_spinner(),
        };
        let template = if duration.is_some() {
            "{wide_bar} {msg}"
        } else {
            "{spinner} {msg}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self {
            stop: Arc::clone(stop),
            bar,
            bounded: duration.is_some(),
            last_ms: 0,
            start: now_ns as f64 * 1e-9,
            refusals: Rejections::default(),
            prints_refusals: arguments.no_ros,
        }
    }
}

impl Observer for Progress {
    fn after_block(&mut self, simulation: &Simulation, control: &Control) {
        if mapped_file::is_shortened() {
            self.stop.store(true, Ordering::Relaxed);
        }
        let wall_ms = (control.wall_s * 1000.0) as u64;
        if wall_ms < self.last_ms + 100 {
            return;
        }
        self.last_ms = wall_ms;
        let t = simulation.time_ns() as f64 * 1e-9;
        // 0 after a reset of a resumed run
        let simulated = (t - self.start).max(0.0);
        if self.bounded {
            self.bar.set_position((simulated * 1000.0) as u64);
        }
        let state = if control.paused { ", paused" } else { "" };
        self.bar.set_message(format!(
            "{t:.1} s, {:.2} x real time, {} overruns, {} refused{state}",
            simulated / control.wall_s.max(1e-9),
            control.overruns,
            control.rejected
        ));
    }

    fn rejected(&mut self, rejection: &CommandRejection, simulation: &Simulation) {
        let line =
            self.refusals
                .count_rejection(&simulation.scene, rejection.robot, &rejection.reason);
        if let Some(line) = line.filter(|_| self.prints_refusals) {
            self.bar
                .suspend(|| terminal::warn(format_args!("merrow: {line}")));
        }
    }
}
