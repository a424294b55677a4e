//! Tables and figures of `docs/explanation/docking.md`: readings of the control law, packets, net buoyancy,
//! currents, clocks.
//!
//! Tables in Markdown are on the page as printed; `test/validation.rs` compares them.

use crate::docking::law::{Gains, Law};
use crate::docking::physical::{WORLD, run_latching};
use crate::docking::plant::{DELAY, PUBLISHED_INERTIA, Plant, ROOT_LOCUS};
use crate::docking::run::{Manoeuvre, Timing, Trial, run_manoeuvre};
use crate::docking::scenario::{
    FREE_DEPTH, IDENTIFIED_BUOYANCY, Link, PUBLISHED_BUOYANCY, PUBLISHED_DEPTH, Packets, START,
    Setup, docked_distance, world_text,
};
use crate::docking::{clock, variants};
use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{BLACK, COLOURS, Panel, PlotCurve, coloured, draw_figure};
use merrow_math::Vec3;
use merrow_validate::cases::reference_data::ReferenceData;
use std::fmt::Write as _;

/// Times of figure 5.7 of the thesis [s]: first radio packet, hybrid and acoustic-only docking.
pub(crate) const THESIS: [f64; 3] = [95.0, 110.0, 138.0];
/// Number of runs of a mean, as in the thesis.
pub(crate) const RUNS: u32 = 10;
/// Head currents of the study [m/s].
const CURRENTS: [f64; 9] = [0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4];
/// Head currents of the table of the page [m/s], and the recomputed times of hybrid and
/// acoustic-only docking, `never` if the vehicle does not dock.
const TABLE_CURRENTS: [(f64, [&str; 2]); 5] = [
    (0.0, ["82.6 s", "96.5 s"]),
    (0.1, ["100 s", "116 s"]),
    (0.2, ["130 s", "160 s"]),
    (0.3, ["216 s", "never"]),
    (0.4, ["never", "never"]),
];
/// Duration of the run that follows the wall clock [s].
const REAL_TIME: f64 = 20.0;
/// Net buoyancies of the study [N].
const BUOYANCIES: [f64; 15] = [
    -200.0,
    -100.0,
    0.0,
    50.0,
    100.0,
    150.0,
    170.0,
    180.0,
    185.0,
    190.0,
    195.0,
    200.0,
    210.0,
    230.0,
    PUBLISHED_BUOYANCY,
];

/// Tables and figures of the study.
#[derive(Debug, Default)]
pub struct Study {
    /// Tables of the page as text.
    pub text: String,
    /// Figures by file name without extension.
    pub figures: Vec<(&'static str, Drawing)>,
}

/// Simulates a manoeuvre with the seeds 1 to `seeds`.
///
/// # Errors
/// Errors in the world, or a refused command.
pub(crate) fn run_seeds(
    data: &ReferenceData,
    setup: &Setup,
    seeds: u32,
) -> Result<Vec<Manoeuvre>, String> {
    let run = |seed| run_manoeuvre(data, &Setup { seed, ..*setup });
    (1..=seeds).map(run).collect()
}

/// Returns the mean of a quantity over the runs, in the unit of the quantity.
pub(crate) fn average(runs: &[Manoeuvre], quantity: impl Fn(&Manoeuvre) -> f64) -> f64 {
    runs.iter().map(quantity).sum::<f64>() / runs.len() as f64
}

/// Runs the study; `progress` receives the name of each part before it starts.
///
/// # Errors
/// Errors in the world, or a refused command.
pub fn run_study(data: &ReferenceData, progress: &mut dyn FnMut(&str)) -> Result<Study, String> {
    let mut study = Study::default();
    progress("readings of the control law");
    study.text.push_str(&readings(data)?);
    progress("world docking_station");
    latching(data, &mut study)?;
    progress("step in heave");
    study.figures.push(("step", heave_step(data)?));
    progress("net buoyancy");
    buoyancy(data, &mut study)?;
    progress("head currents");
    currents(data, &mut study)?;
    progress("packets and acoustic modem");
    study.text.push_str(&variants::table(data)?);
    progress("clocks in real time, 20 s");
    let run = clock::run_paced(data, REAL_TIME)?;
    study.text.push_str(&run.table());
    study.figures.push(("clocks", run.figure()));
    Ok(study)
}

/// Formats a time [s], or the smallest distance [m] of a manoeuvre that failed.
fn outcome(run: &Manoeuvre) -> String {
    match run.docked {
        Some(t) => format!("{t:.1} s"),
        None => format!("no, {:.2} m", run.nearest),
    }
}

/// Compares the readings of the equations, with two net buoyancies and two seabeds.
fn readings(data: &ReferenceData) -> Result<String, String> {
    let mut text = String::from(
        "first time within 2 %, distance after 400 s\n\
         control law                   net buoyancy  seabed  hybrid           acoustic only\n",
    );
    for (net_buoyancy, seabed_depth) in [
        (0.0, FREE_DEPTH),
        (PUBLISHED_BUOYANCY, FREE_DEPTH),
        (IDENTIFIED_BUOYANCY, FREE_DEPTH),
        (0.0, PUBLISHED_DEPTH),
        (PUBLISHED_BUOYANCY, PUBLISHED_DEPTH),
    ] {
        for law in Law::ALL {
            let run = |is_hybrid| {
                let setup = Setup {
                    is_hybrid,
                    law,
                    net_buoyancy,
                    seabed_depth,
                    continues: true,
                    ..Setup::default()
                };
                run_manoeuvre(data, &setup).map(|run| {
                    let time = run.docked.map_or("-".to_string(), |t| format!("{t:.1}"));
                    format!("{time:>5} s {:>6.2} m", run.last)
                })
            };
            let (hybrid, acoustic) = (run(true)?, run(false)?);
            let name = law.name();
            let _ = writeln!(
                text,
                "{name:<28} {net_buoyancy:>11} N {seabed_depth:>5} m  {hybrid:<16} {acoustic}"
            );
        }
    }
    text.push('\n');
    Ok(text)
}

/// Runs the manoeuvre with USBL, guides and latch.
fn latching(data: &ReferenceData, study: &mut Study) -> Result<(), String> {
    let mut series = Vec::new();
    let text = &mut study.text;
    text.push_str("world docking_station         latched    fixes  error of a fix\n");
    for law in Law::ALL {
        let found = run_latching(data.shipped(WORLD)?, law)?;
        if matches!(law, Law::Error | Law::Damped) {
            series.push((law.name(), found.distances));
        }
        let time = found
            .latched
            .map_or("no".to_string(), |t| format!("{t:.1} s"));
        let (name, fixes) = (law.name(), found.fixes);
        let _ = writeln!(
            text,
            "{name:<28} {time:>8} {fixes:>8} {:>13.3} m",
            found.fix_error
        );
    }
    text.push('\n');
    let y_label = "distance from the berth [m]";
    let panel = Panel::new(y_label, "time [s]", coloured(series));
    let title = "Guides and latch: positions by USBL, sound and radio";
    let figure = draw_figure(title, &[panel], 820, 260);
    study.figures.push(("latching", figure));
    Ok(())
}

/// Compares a step of 1 m in heave with the gains of the root locus: linear models and simulation.
fn heave_step(data: &ReferenceData) -> Result<Drawing, String> {
    let seconds = 40.0;
    let [kp, nd, ni] = ROOT_LOCUS;
    let scene = data.world(&world_text(&Setup::default()))?;
    let plant = Plant::heave(&scene.robots[0])?;
    let printed = Plant {
        inertia: PUBLISHED_INERTIA,
        ..plant
    };
    let goal = START - Vec3::new(0.0, 0.0, 1.0);
    let timing = Timing::from_packets(&Packets::TEXT);
    let mut trial = Trial::new(scene, Law::Accumulated, false, goal, timing)?;
    let acoustic = Gains::for_link(Link::Acoustic);
    let with_heave = |of: [f64; 3], heave: f64| [of[0], of[1], heave];
    trial.set_acoustic_gains(Gains {
        kp: with_heave(acoustic.kp, kp),
        ki: with_heave([0.0; 3], kp * ni),
        kd: with_heave(acoustic.kd, kp * nd),
        period: acoustic.period,
    });
    let mut points = vec![[0.0; 2]];
    while trial.time() < seconds {
        let position = trial.simulation.state.robots[0].motion.p_WB;
        trial.advance(Some(position))?;
        let z = trial.simulation.state.robots[0].motion.p_WB.z;
        points.push([trial.time(), START.z - z]);
    }
    let model = |plant: &Plant| plant.step_response(ROOT_LOCUS, DELAY, seconds);
    let lines = vec![
        PlotCurve::new("model, added mass only", BLACK, true, model(&printed)),
        PlotCurve::new("model, with the mass", COLOURS[1], false, model(&plant)),
        PlotCurve::new("Merrow, packets every 0.74 s", COLOURS[0], false, points),
    ];
    let panel = Panel::new("motion downwards [m]", "time [s]", lines);
    let title = "Step of 1 m in heave, gains of the root locus";
    Ok(draw_figure(title, &[panel], 820, 260))
}

/// Varies the net buoyancy, which the thesis does not publish, and identifies it from the three
/// times of the thesis.
fn buoyancy(data: &ReferenceData, study: &mut Study) -> Result<(), String> {
    let mut curves: [Vec<[f64; 2]>; 3] = Default::default();
    let mut best = [f64::INFINITY; 2];
    study
        .text
        .push_str("net buoyancy  radio from  hybrid        acoustic only  deviation\n");
    for net_buoyancy in BUOYANCIES {
        let run = |is_hybrid| {
            let setup = Setup {
                is_hybrid,
                net_buoyancy,
                ..Setup::default()
            };
            run_manoeuvre(data, &setup)
        };
        let (hybrid, acoustic) = (run(true)?, run(false)?);
        let times = [hybrid.radio_from, hybrid.docked, acoustic.docked];
        let mut squares = 0.0;
        for (k, time) in times.into_iter().enumerate() {
            let relative = time.map_or(f64::NAN, |t| t / THESIS[k] - 1.0);
            squares += relative * relative / 3.0;
            curves[k].extend(time.map(|t| [net_buoyancy, t]));
        }
        let deviation = squares.sqrt();
        if deviation < best[1] {
            best = [net_buoyancy, deviation];
        }
        let from = hybrid.radio_from.unwrap_or(f64::NAN);
        let _ = writeln!(
            study.text,
            "{net_buoyancy:>10} N {from:>9.1} s  {:<13} {:<13} {:>9.1} %",
            outcome(&hybrid),
            outcome(&acoustic),
            100.0 * deviation
        );
    }
    let _ = writeln!(
        study.text,
        "smallest deviation from the thesis: {:.1} % with {} N\n",
        100.0 * best[1],
        best[0]
    );
    let names = [
        "first radio packet",
        "docked, hybrid",
        "docked, acoustic only",
    ];
    let mut lines = Vec::new();
    for (k, points) in curves.into_iter().enumerate() {
        lines.push(PlotCurve::new(names[k], COLOURS[k], false, points));
        let thesis = vec![[BUOYANCIES[0], THESIS[k]], [PUBLISHED_BUOYANCY, THESIS[k]]];
        let label = if k == 0 { "thesis" } else { "" };
        lines.push(PlotCurve::new(label, COLOURS[k], true, thesis));
    }
    let panel = Panel::new("time [s]", "buoyancy minus weight [N]", lines);
    let title = "Docking in still water over the net buoyancy";
    study
        .figures
        .push(("buoyancy", draw_figure(title, &[panel], 820, 330)));
    Ok(())
}

/// Mean results of one method over the currents.
#[derive(Default)]
struct Curves {
    /// Time to dock, cumulative error and motive energy over the current.
    points: [Vec<[f64; 2]>; 3],
}

/// Varies the head current, with neutral and identified buoyancy.
fn currents(data: &ReferenceData, study: &mut Study) -> Result<(), String> {
    let mut panels: Vec<Panel> = Vec::new();
    for (name, net_buoyancy) in [("neutral", 0.0), ("identified", IDENTIFIED_BUOYANCY)] {
        let _ = writeln!(
            study.text,
            "{name}: current   method         dockings  time            error     energy"
        );
        let mut curves = [Curves::default(), Curves::default()];
        for head_current in CURRENTS {
            for (curves, is_hybrid) in curves.iter_mut().zip([true, false]) {
                let setup = Setup {
                    is_hybrid,
                    net_buoyancy,
                    head_current,
                    ..Setup::default()
                };
                let runs = run_seeds(data, &setup, RUNS)?;
                study.text.push_str(&curves.add(&setup, &runs));
            }
        }
        study.text.push('\n');
        if net_buoyancy == 0.0 {
            study.text.push_str(&current_table(&curves));
            panels = current_panels(&curves);
        }
    }
    let title = "Docking against head currents, neutral vehicle, mean of 10 seeds";
    study
        .figures
        .push(("currents", draw_figure(title, &panels, 820, 210)));
    Ok(())
}

impl Curves {
    /// Adds the runs of one current and returns their line of the table.
    fn add(&mut self, setup: &Setup, runs: &[Manoeuvre]) -> String {
        let times: Vec<f64> = runs.iter().filter_map(|run| run.docked).collect();
        let n = times.len();
        let mean = times.iter().sum::<f64>() / n as f64;
        let variance = times.iter().map(|t| (t - mean) * (t - mean)).sum::<f64>() / n as f64;
        let error = average(runs, |run| run.error_integral);
        let energy = average(runs, |run| run.energy);
        // a mean over some of the runs is not comparable
        if n == runs.len() {
            self.points[0].push([setup.head_current, mean]);
        }
        self.points[1].push([setup.head_current, error]);
        self.points[2].push([setup.head_current, 1e-3 * energy]);
        let method = if setup.is_hybrid {
            "hybrid"
        } else {
            "acoustic only"
        };
        let time = if n == 0 {
            "no".to_string()
        } else {
            format!("{mean:.1} +- {:.1} s", variance.sqrt())
        };
        format!(
            "{:>13} m/s  {method:<14} {n:>5}/{}  {time:<15} {error:>6.0} m s {:>6.1} kJ\n",
            setup.head_current,
            runs.len(),
            1e-3 * energy
        )
    }
}

/// Returns the table of the mean times over the current, in Markdown.
fn current_table(curves: &[Curves; 2]) -> String {
    let mut text = String::from(
        "| current | recomputation, hybrid | Merrow, hybrid | recomputation, acoustic only \
         | Merrow, acoustic only |\n| --- | --- | --- | --- | --- |\n",
    );
    for (current, recomputed) in TABLE_CURRENTS {
        let time = |curves: &Curves| {
            let point = curves.points[0].iter().find(|[x, _]| *x == current);
            point.map_or("never".to_string(), |[_, t]| format!("{t:.1} s"))
        };
        let [hybrid, acoustic] = [time(&curves[0]), time(&curves[1])];
        let _ = writeln!(
            text,
            "| {current} m/s | {} | {hybrid} | {} | {acoustic} |",
            recomputed[0], recomputed[1]
        );
    }
    text.push('\n');
    text
}

/// Returns the panels of hybrid and acoustic-only docking over the current.
fn current_panels(curves: &[Curves; 2]) -> Vec<Panel> {
    let panel = |k: usize, y_label: &str, x_label: &str| {
        let points = ["hybrid", "acoustic only"].into_iter().zip(curves);
        let series = points.map(|(name, curves)| (name, curves.points[k].clone()));
        Panel::new(y_label, x_label, coloured(series))
    };
    vec![
        panel(0, "time to dock [s]", ""),
        panel(1, "cumulative error [m s]", ""),
        panel(2, "motive energy [kJ]", "head current [m/s]"),
    ]
}

/// Draws the distance from the dock over time; each entry has a name, a hybrid and an acoustic-only
/// manoeuvre.
pub(crate) fn distance_figure(entries: &[(&str, &Manoeuvre, &Manoeuvre)]) -> Drawing {
    let docked = [0.0, 200.0].map(|t| [t, docked_distance()]).to_vec();
    let mut lines = vec![PlotCurve::new("docked", BLACK, true, docked)];
    for (k, (name, hybrid, acoustic)) in entries.iter().enumerate() {
        let points = |run: &Manoeuvre| -> Vec<[f64; 2]> {
            let samples = run.samples.iter().filter(|s| s.t <= 200.0);
            samples.map(|s| [s.t, s.distance]).collect()
        };
        let colour = COLOURS[k % COLOURS.len()];
        lines.push(PlotCurve::new(*name, colour, false, points(hybrid)));
        lines.push(PlotCurve::new("", colour, true, points(acoustic)));
    }
    let y_label = "distance from the dock [m]; dashed: acoustic only";
    let panel = Panel::new(y_label, "time [s]", lines);
    draw_figure("Docking in still water (V12)", &[panel], 820, 330)
}

/// Draws the motive power over time.
pub(crate) fn power_figure(hybrid: &Manoeuvre, acoustic: &Manoeuvre) -> Drawing {
    let power = |run: &Manoeuvre| run.samples.iter().map(|s| [s.t, s.power]).collect();
    let lines = coloured([
        ("hybrid", power(hybrid)),
        ("acoustic only", power(acoustic)),
    ]);
    let panel = Panel::new("motive power [W]", "time [s]", lines);
    let title = "Motive power in still water, neutral vehicle (V14)";
    draw_figure(title, &[panel], 820, 280)
}
