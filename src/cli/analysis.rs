//! `merrow export`, `merrow plot`, `merrow report` and `merrow layout`: analysis of recorded bags,
//! and layouts of programs that show them.

use super::WorldArguments;
use super::failure::Failure;
use clap::Args;
use merrow::input::mailbox::find_robot;
use merrow::layout::{Tool, layout};
use merrow_analysis::export::export;
use merrow_analysis::plot::{TimeAxis, plot};
use merrow_analysis::report::report;
use merrow_analysis::schedule::plot_schedules;
use merrow_model::scene::robot::profile::Profile;
use merrow_ros2::bag::repair;
use merrow_validate::program;
use merrow_world::Overrides;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Arguments of `merrow export`.
#[derive(Args, Debug)]
pub(super) struct ExportArguments {
    /// MCAP file, or folder of a bag.
    bag: PathBuf,
    /// Folder for the tables, one CSV file per topic; created if it does not exist. Long arrays
    /// have their own tables, images and point clouds their own files. Files of the same names are
    /// replaced.
    #[arg(long, value_name = "DIR")]
    csv: PathBuf,
}

/// Arguments of `merrow plot`.
#[derive(Args, Debug)]
pub(super) struct PlotArguments {
    /// MCAP file, or folder of a bag.
    bag: PathBuf,
    /// Fields, such as /rov/odometry.pose.pose.position.z. A field that contains other fields
    /// gives one curve for each number in it. Topics without a field, such as /rov/main/schedule:
    /// schedule traces of modems or of computers.
    #[arg(required = true, value_name = "TOPIC.FIELD")]
    fields: Vec<String>,
    /// File to write, with the ending .svg; an existing file is replaced.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    output: PathBuf,
    /// Time axis of the curves.
    #[arg(long, value_enum, default_value_t = TimeAxis::Auto)]
    time: TimeAxis,
}

/// Arguments of `merrow repair`.
#[derive(Args, Debug)]
pub(super) struct RepairArguments {
    /// MCAP file, or folder of a bag.
    bag: PathBuf,
    /// File to write; an existing file is not replaced. Without it `BAG_repaired.mcap`.
    #[arg(short = 'o', long = "output", value_name = "FILE.mcap")]
    output: Option<PathBuf>,
}

/// Arguments of `merrow report`.
#[derive(Args, Debug)]
pub(super) struct ReportArguments {
    /// MCAP file, or folder of a bag.
    bag: PathBuf,
    /// File to write, with the ending .html; an existing file is replaced.
    #[arg(
        short = 'o',
        long = "output",
        value_name = "FILE",
        default_value = "report.html"
    )]
    output: PathBuf,
}

/// Arguments of `merrow layout`.
#[derive(Args, Debug)]
pub(super) struct LayoutArguments {
    #[command(flatten)]
    world: WorldArguments,
    /// File to write: .json for Foxglove, .xml for PlotJuggler, .rviz for RViz; an existing file is
    /// replaced.
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    output: PathBuf,
    /// Show only the topics of this robot.
    #[arg(long, value_name = "NAME")]
    robot: Option<String>,
    /// Topic names of another simulator, as for `merrow run`.
    #[arg(long, value_parser = super::profile)]
    profile: Option<Profile>,
}

/// Executes the command `merrow layout`.
pub(super) fn run_layout(arguments: &LayoutArguments) -> Result<(), Failure> {
    let file = &arguments.output;
    super::snapshot::check_output(file, &["json", "xml", "rviz"])?;
    let tool = match super::snapshot::extension(file).as_str() {
        "json" => Tool::Foxglove,
        "xml" => Tool::PlotJuggler,
        _ => Tool::Rviz,
    };
    let overrides = Overrides {
        profile: arguments.profile,
        ..arguments.world.overrides()
    };
    let scene = super::load(&arguments.world.world, overrides)?.scene;
    let robot = arguments.robot.as_deref();
    let shown = robot.map(|name| find_robot(&scene, name)).transpose();
    let shown = shown.map_err(Failure::Invalid)?;
    super::snapshot::write_file(file, layout(&scene, tool, shown).as_bytes())?;
    Ok(())
}

/// Executes the command `merrow export`.
pub(super) fn run_export(arguments: &ExportArguments) -> Result<(), String> {
    let folder = &arguments.csv;
    program::create_folder(folder)?;
    let exported = export(&arguments.bag, &mut |name| {
        let file = folder.join(name);
        if let Some(parent) = file.parent() {
            program::create_folder(parent)?;
        }
        create(&file)
    })?;
    print_notes(&exported.notes);
    println!(
        "{} tables with {} rows and {} files in {}",
        exported.tables,
        exported.rows,
        exported.files,
        folder.display()
    );
    Ok(())
}

/// Copies the messages of a bag without its end to a complete bag.
///
/// # Errors
/// As [`repair::repair`].
pub(super) fn run_repair(arguments: &RepairArguments) -> Result<(), String> {
    let output = arguments.output.clone();
    let output = output.unwrap_or_else(|| repair::default_output(&arguments.bag));
    let done = repair::repair(&arguments.bag, &output)?;
    print_notes(&done.notes);
    let (messages, path) = (done.summary.messages, done.summary.path.display());
    println!("{messages} messages in {path}");
    Ok(())
}

/// Executes the command `merrow plot`.
pub(super) fn run_plot(arguments: &PlotArguments) -> Result<(), Failure> {
    let file = &arguments.output;
    super::snapshot::check_output(file, &["svg"])?;
    let is_schedule = arguments.fields.iter().all(|field| !field.contains('.'));
    let plotted = match is_schedule {
        true => plot_schedules(&arguments.bag, &arguments.fields)?,
        false => plot(&arguments.bag, &arguments.fields, arguments.time)?,
    };
    print_notes(&plotted.notes);
    super::snapshot::write_file(file, plotted.drawing.svg().as_bytes())?;
    let s = if plotted.curves == 1 { "" } else { "s" };
    println!("{} curve{s} in {}", plotted.curves, file.display());
    Ok(())
}

/// Executes the command `merrow report`.
pub(super) fn run_report(arguments: &ReportArguments) -> Result<(), Failure> {
    let file = &arguments.output;
    super::snapshot::check_output(file, &["html"])?;
    let report = report(&arguments.bag)?;
    print_notes(&report.notes);
    super::snapshot::write_file(file, report.html.as_bytes())?;
    println!("{}: {}", file.display(), report.sections.join(", "));
    Ok(())
}

/// Prints lines about the bag, which do not fail the command.
fn print_notes(notes: &[String]) {
    for note in notes {
        eprintln!("merrow: {note}");
    }
}

/// Creates a file of a table.
fn create(file: &Path) -> Result<Box<dyn Write>, String> {
    let created = std::fs::File::create(file);
    let created = created.map_err(|e| format!("{}: cannot write the file: {e}", file.display()))?;
    Ok(Box::new(BufWriter::new(created)))
}
