//! `merrow-studies`: the studies of published trials that Merrow repeats, as programs and as cases.

use clap::{Args, Parser};
use merrow_model::scene::Scene;
use merrow_studies::cases::{all_cases, cases_of};
use merrow_studies::docking::study::run_study;
use merrow_studies::pool::baseline;
use merrow_studies::pool::baseline::Ascent;
use merrow_studies::pool::model::Model;
use merrow_studies::pool::recording::Recording;
use merrow_studies::pool::study;
use merrow_studies::pool::summary;
use merrow_studies::pool::summary::{PAPER, RestState, Summary};
use merrow_studies::pool::trial;
use merrow_studies::pool::trial::{Mode, Outcome};
use merrow_studies::pool::trials;
use merrow_studies::thetis as mission;
use merrow_studies::{PAGE, sets};
use merrow_validate::cases::reference_data::ReferenceData;
use merrow_validate::program;
use merrow_validate::program::write;
use merrow_world::{Overrides, data_dir, load_world};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// A study.
#[derive(Parser, Debug)]
#[command(
    name = "merrow-studies",
    about = "Repeats the studies of published trials"
)]
enum Study {
    /// Pool trials of a vehicle with arm (Kolano 2022): replays them, prints the errors and draws
    /// overlays.
    Uvms(Arguments),
    /// Lake mission of Thetis (Parodi 2009) with Taipan 300: heading 150 deg, depth 0.4 m.
    Thetis(Mission),
    /// Laws of the Kelpie simulator (Mendonca 2013): pitch and roll, wind force, buoyancy of a
    /// bounding box.
    Kelpie(program::Arguments),
    /// Searches and encounters of several vehicles with modems.
    Fleets(program::Arguments),
    /// Docking of RexROV with positions by sound and radio (Erdemir 2018): still water, currents,
    /// power; prints the tables of docs/explanation/docking.md.
    Docking(program::Arguments),
    /// All cases that take seconds.
    All(program::PageArguments),
}

/// Options of `merrow-studies thetis`.
#[derive(Args, Debug)]
struct Mission {
    /// Folder for the figure (SVG); created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// World whose first robot executes the mission.
    #[arg(long, default_value = "taipan")]
    world: String,
    /// Exit with status 1 if a limit is exceeded.
    #[arg(long)]
    check: bool,
}

/// Options of `merrow-studies uvms`.
#[derive(Args, Debug)]
struct Arguments {
    /// Folder of the trials: NAME_imu.csv, NAME_joint_states.csv, metadata_....yml,
    /// commanded/NAME.yaml.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Folder for the figures (SVG) and summary.json; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Simulate the arm's servos with the commanded motion instead of using the measured joint
    /// angles.
    #[arg(long)]
    servo: bool,
    /// Compare models of added mass, drag and actuators instead, as shown in docs/explanation/uvms.md; requires
    /// --out.
    #[arg(long, requires = "out", conflicts_with_all = ["servo", "check"])]
    study: bool,
    /// World whose robot is replayed.
    #[arg(long, default_value = "uvms_pool")]
    world: String,
    /// Exit with status 1 if a limit is exceeded.
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    let status = match &Study::parse() {
        Study::Uvms(arguments) => uvms(arguments),
        Study::Thetis(arguments) => thetis(arguments),
        Study::Kelpie(arguments) => program::set(cases_of(&sets::KELPIE), arguments),
        Study::Fleets(arguments) => program::set(cases_of(&sets::FLEETS), arguments),
        Study::Docking(arguments) => docking(arguments),
        Study::All(arguments) => program::all(all_cases(), &PAGE, "studies", arguments),
    };
    status.unwrap_or_else(|why| {
        eprintln!("merrow-studies: {why}");
        ExitCode::FAILURE
    })
}

/// Loads the scene of a world by its name or file.
fn load(world: &str) -> Result<Scene, String> {
    load_world(&data_dir::world_file(world), Overrides::default())
        .map(|world| world.scene)
        .map_err(|problems| problems.to_string())
}

/// Runs the cases of the docking study and prints its tables.
fn docking(arguments: &program::Arguments) -> Result<ExitCode, String> {
    let outcomes = program::run(cases_of(&sets::DOCKING), arguments)?;
    let mut progress = |what: &str| eprintln!("{what} ...");
    let folder = program::data_folder(arguments)?;
    let study = run_study(&ReferenceData { folder }, &mut progress)?;
    print!("{}", study.text);
    if let Some(out) = &arguments.out {
        for (name, drawing) in &study.figures {
            write(&out.join(format!("{name}.svg")), drawing.svg().as_bytes())?;
        }
    }
    Ok(program::verdict(&outcomes, arguments))
}

fn thetis(arguments: &Mission) -> Result<ExitCode, String> {
    let scene = load(&arguments.world)?;
    let found = mission::run_mission(Arc::new(scene))?;
    let settled = found
        .settled
        .map_or_else(|| "never".to_string(), |t| format!("{t:.1}"));
    let [paper_settled, paper_overshoot] = mission::PAPER;
    let percent = 100.0 * mission::TOLERANCE;
    println!(
        "{:<40} {:>8} {:>8} {:>10}",
        "", "Merrow", "paper", "tolerance"
    );
    println!(
        "{:<40} {settled:>8} {paper_settled:>8} {percent:>8} %",
        format!(
            "settled within {} m of {} m [s]",
            mission::BAND,
            mission::DEPTH
        )
    );
    println!(
        "{:<40} {:>8.2} {paper_overshoot:>8} {percent:>8} %",
        "overshoot [m]", found.overshoot
    );
    if let Some(out) = &arguments.out {
        program::create_folder(out)?;
        let drawing = found.figure();
        write(&out.join("thetis.svg"), drawing.svg().as_bytes())?;
        println!("figure in {}", out.display());
    }
    let misses = found.missed_limits();
    for line in &misses {
        eprintln!("merrow-studies: {line}");
    }
    let verdict = if misses.is_empty() { "pass" } else { "fail" };
    println!("verdict: {verdict}");
    let fails = arguments.check && !misses.is_empty();
    Ok(if fails {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn uvms(arguments: &Arguments) -> Result<ExitCode, String> {
    let scene = load(&arguments.world)?;
    let servos = load(SERVOS)?;
    let model = Model::new(scene, &servos)?;
    let trials = trials::load_trials(&arguments.data)?;
    for problem in trials.problems.iter() {
        eprintln!("merrow-studies: {problem}");
    }
    let out = arguments.out.as_deref();
    if let Some(out) = out {
        program::create_folder(out)?;
    }
    if let (true, Some(out)) = (arguments.study, out) {
        return study(&model, &servos, &trials.recordings, out);
    }
    let mode = if arguments.servo {
        Mode::Servo
    } else {
        Mode::Measured
    };
    let n = trials.recordings.len();
    println!(
        "{:<22} {:>10} {:>10} {:>9} {:>9} {:>9}",
        "trial", "roll RMSE", "pitch RMSE", "roll lag", "pitch lag", "lag"
    );
    let mut outcomes = Vec::with_capacity(n);
    for (k, recording) in trials.recordings.iter().enumerate() {
        let Some(outcome) = trial::replay_and_score(&model, recording, mode) else {
            continue;
        };
        print_trial(&outcome, k + 1, n);
        if let Some(out) = out {
            write_figure(out, &outcome, mode)?;
        }
        outcomes.push(outcome);
    }
    let home = model.joints.map(|j| model.robot.start.q[j]);
    let rest = summary::simulate_rest(&model, home);
    let overall = summary::summarize(&outcomes);
    print_rest(&rest, &trials.recordings);
    if let Some(overall) = &overall {
        print_summary(overall);
    }
    if let Some(out) = out {
        let text = summary::json(&outcomes, overall.as_ref(), &rest, mode).to_string();
        write(&out.join("summary.json"), text.as_bytes())?;
        println!("figures and summary.json in {}", out.display());
    }
    if !arguments.check {
        return Ok(ExitCode::SUCCESS);
    }
    let overall = overall.ok_or("no trial was replayed, so no value can be checked")?;
    let misses = summary::missed_limits(&overall, &rest, mode);
    for line in &misses {
        eprintln!("merrow-studies: {line}");
    }
    Ok(if misses.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// World of the vehicle as simulated by the authors of the trials.
const PUBLISHED: &str = "uvms_pool_published";

/// World whose vehicle has servos in its arm, for worlds whose joints have ideal drives.
const SERVOS: &str = "uvms_pool_servo";

fn study(
    model: &Model,
    servos: &Scene,
    recordings: &[Recording],
    out: &Path,
) -> Result<ExitCode, String> {
    let published = Model::new(load(PUBLISHED)?, servos)?;
    let mut progress = |what: &str| eprintln!("{what} ...");
    let study = study::run_study(model, &published, recordings, &mut progress);
    print!("{}", study.text);
    for (name, drawing) in &study.figures {
        write(&out.join(format!("{name}.svg")), drawing.svg().as_bytes())?;
    }
    write(
        &out.join("study.json"),
        format!("{:#}\n", study.json).as_bytes(),
    )?;
    println!("figures and study.json in {}", out.display());
    Ok(ExitCode::SUCCESS)
}

fn print_trial(o: &Outcome, number: usize, total: usize) {
    let unstable = o
        .track
        .diverged_at
        .map_or_else(String::new, |t| format!("  unstable from {t:.2} s"));
    println!(
        "{:<22} {:>6.2} deg {:>6.2} deg {:>7.2} s {:>7.2} s {:>7.2} s  ({number}/{total}){unstable}",
        o.name, o.score[0].rmse, o.score[1].rmse, o.score[0].lag, o.score[1].lag, o.lag
    );
}

fn print_rest(rest: &RestState, recordings: &[Recording]) {
    println!("\nat rest, arm folded         roll [deg]  pitch [deg]  ascent [m/s]");
    let row = |name: &str, [roll, pitch]: [f64; 2], ascent: f64| {
        println!("{name:<26} {roll:>11.2} {pitch:>12.2} {ascent:>13.4}");
    };
    row("Merrow", rest.angles, rest.ascent);
    let ascents: Vec<Ascent> = recordings
        .iter()
        .filter_map(|r| {
            let ascent = baseline::measured_ascent(r)?;
            row(
                &format!("{}, measured", r.name),
                ascent.angles,
                ascent.speed,
            );
            Some(ascent)
        })
        .collect();
    if let Some(mean) = baseline::mean_ascent(&ascents) {
        row("mean of these", mean.angles, mean.speed);
    }
    println!(
        "{:<26} {:>11} {:>12} {:>13}",
        "paper", "3.8 +- 0.22", "1.5 +- 0.40", "0.02 to 0.03"
    );
}

fn print_summary(s: &Summary) {
    println!(
        "\n{} trials, mean +- standard deviation (without baseline trials)",
        s.trials
    );
    println!(
        "{:<34} {:>13} {:>13} {:>13}",
        "", "Merrow", "paper", "no model"
    );
    for (k, name) in ["roll", "pitch"].iter().enumerate() {
        let (mean, deviation) = s.rmse[k];
        let [paper, spread] = PAPER[k];
        println!(
            "{:<34} {mean:>5.2} +- {deviation:.2} {paper:>5.2} +- {spread:.2} {:>13.2}",
            format!("RMSE of {name} [deg]"),
            s.rmse_without_model[k]
        );
    }
    println!(
        "{:<34} {:>5.2} +- {:.2} {:>13}",
        "lag, + if the simulation is late [s]", s.lag.0, s.lag.1, "1 to 2"
    );
    println!("{:<34} {:>13.2}", "mean absolute lag [s]", s.lag_size);
    let (mean, deviation, size) = s.lag_with_offset;
    println!(
        "{:<34} {mean:>5.2} +- {deviation:.2}, mean absolute {size:.2}",
        "lag with constant offsets [s]"
    );
    if s.unstable > 0 {
        println!("{} replays were unstable", s.unstable);
    }
}

fn write_figure(out: &Path, outcome: &Outcome, mode: Mode) -> Result<(), String> {
    let drawing = outcome.figure(mode);
    let file = out.join(format!("{}.svg", outcome.name));
    write(&file, drawing.svg().as_bytes())
}
