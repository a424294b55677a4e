//! The study of `docs/explanation/uvms.md`: one set of trials, several models of the same vehicle.

use crate::pool::coupling;
use crate::pool::delayed;
use crate::pool::joints::JointMotion;
use crate::pool::model::Model;
use crate::pool::recording::{JOINTS, Recording};
use crate::pool::score::{Curve, best_gain, rmse};
use crate::pool::summary::{PAPER, Summary, summarize};
use crate::pool::trial::{Mode, Outcome, replay_and_score};
use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{BLACK, COLOURS, Panel, PlotCurve, coloured, draw_figure};
use merrow_math::SpatialInertia;
use merrow_model::scene::Integrator;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Reflected inertia [kg m²] of the joints in the variant with actuators: a rotor of 2e-7 kg m²
/// with a gear of 300:1, and a tenth of it for the smaller wrist. Estimated; the manufacturer
/// publishes neither.
const ARMATURE: [f64; JOINTS] = [0.018, 0.018, 0.018, 0.002];

/// Viscous friction [N m s/rad]: 0.15 N m at full speed, a sixtieth of the maximum effort, and a
/// tenth of it for the wrist. Estimated.
const FRICTION: [f64; JOINTS] = [0.3, 0.3, 0.3, 0.03];

/// Range of shifts in the figure of errors over shifts [0.1 s].
const SHIFTS: std::ops::RangeInclusive<i32> = -10..=30;

/// A model and the motion of its arm.
struct Variant {
    key: &'static str,
    name: &'static str,
    model: Model,
    mode: Mode,
}

/// Result of a study.
#[derive(Debug)]
pub struct Study {
    /// Report as text tables.
    pub text: String,
    /// Returns the report as JSON.
    pub json: Value,
    /// Figures by file name without extension.
    pub figures: Vec<(&'static str, Drawing)>,
}

fn variants(merrow: &Model, published: &Model) -> Vec<Variant> {
    let variant = |key, name, model, mode| Variant {
        key,
        name,
        model,
        mode,
    };
    let mut late = merrow.clone();
    late.delayed_added_mass = true;
    vec![
        variant(
            "full",
            "full 6x6 added mass",
            merrow.clone(),
            Mode::Measured,
        ),
        variant(
            "scalar",
            "scalar added mass",
            merrow.clone().with_scalar_added_mass(),
            Mode::Measured,
        ),
        variant(
            "none",
            "no added mass",
            merrow.clone().with_added_mass(|_| SpatialInertia::zero()),
            Mode::Measured,
        ),
        variant("delayed", "added mass one step late", late, Mode::Measured),
        variant(
            "published",
            "published set, drag in order",
            published.clone(),
            Mode::Measured,
        ),
        variant(
            "exchanged",
            "published set, drag exchanged",
            published.clone().with_drag_exchanged(),
            Mode::Measured,
        ),
        variant("servo", "full, servo", merrow.clone(), Mode::Servo),
        variant(
            "actuators",
            "full, servo and actuators",
            merrow.clone().with_actuators(ARMATURE, FRICTION),
            Mode::Servo,
        ),
    ]
}

/// Replays all `recordings` with all variants of `merrow` and of the `published` set. It calls
/// `progress` with the name of each part before the part starts.
pub fn run_study(
    merrow: &Model,
    published: &Model,
    recordings: &[Recording],
    progress: &mut dyn FnMut(&str),
) -> Study {
    let mut study = Study {
        text: String::new(),
        json: json!({}),
        figures: Vec::new(),
    };
    let variants = variants(merrow, published);
    let results: Vec<Vec<Outcome>> = variants
        .iter()
        .map(|v| {
            progress(v.name);
            let trials = recordings.iter().filter(|r| !r.is_baseline());
            trials
                .filter_map(|r| replay_and_score(&v.model, r, v.mode))
                .collect()
        })
        .collect();
    errors(&mut study, &variants, &results);
    study
        .figures
        .push(("shift", shift_figure(&variants, &results)));
    if let Some(figure) = overlay(&variants, &results) {
        study.figures.push(("variants", figure));
    }
    if let Some(figure) = servo_figure(&variants, &results) {
        study.figures.push(("servo", figure));
    }
    progress("added mass one step late");
    let home = merrow.joints.map(|j| merrow.robot.start.q[j]);
    late_added_mass(&mut study, merrow, home);
    progress("coupling of the joints");
    couplings(&mut study, merrow, home, recordings);
    study
}

fn errors(study: &mut Study, variants: &[Variant], results: &[Vec<Outcome>]) {
    let _ = writeln!(
        study.text,
        "{:<30} {:>15} {:>15} {:>14} {:>9}",
        "model", "roll [deg]", "pitch [deg]", "lag [s]", "unstable"
    );
    let mut rows = serde_json::Map::new();
    for (variant, outcomes) in variants.iter().zip(results) {
        let Some(s) = summarize(outcomes) else {
            continue;
        };
        let number = |(mean, deviation): (f64, f64)| match s.unstable {
            0 => format!("{mean:.2} +- {deviation:.2}"),
            _ => "-".to_string(),
        };
        let _ = writeln!(
            study.text,
            "{:<30} {:>15} {:>15} {:>14} {:>6}/{}",
            variant.name,
            number(s.rmse[0]),
            number(s.rmse[1]),
            number(s.lag),
            s.unstable,
            s.trials
        );
        rows.insert(variant.key.to_string(), row(&s));
    }
    let paper = |k: usize| format!("{:.2} +- {:.2}", PAPER[k][0], PAPER[k][1]);
    let _ = writeln!(
        study.text,
        "{:<30} {:>15} {:>15} {:>14}\n",
        "paper, its 50 trials",
        paper(0),
        paper(1),
        "1 to 2"
    );
    study.json["variants"] = Value::Object(rows);
    let Some(full) = results.first() else { return };
    let gains: [f64; 2] = std::array::from_fn(|k| {
        let pairs: Vec<_> = full
            .iter()
            .map(|o| (&o.simulated[k], o.measured[k].as_slice()))
            .collect();
        best_gain(&pairs)
    });
    let _ = writeln!(
        study.text,
        "measured over simulated excursion, full 6x6: roll {:.2}, pitch {:.2}\n",
        gains[0], gains[1]
    );
    study.json["gain"] = json!({ "roll": gains[0], "pitch": gains[1] });
}

fn row(s: &Summary) -> Value {
    if s.unstable > 0 {
        return json!({ "trials": s.trials, "unstable": s.unstable });
    }
    json!({
        "trials": s.trials, "unstable": s.unstable,
        "roll_rmse_deg": s.rmse[0].0, "roll_rmse_deviation_deg": s.rmse[0].1,
        "pitch_rmse_deg": s.rmse[1].0, "pitch_rmse_deviation_deg": s.rmse[1].1,
        "lag_s": s.lag.0, "lag_deviation_s": s.lag.1, "mean_lag_size_s": s.lag_size,
    })
}

fn line(label: &str, colour: usize, points: Vec<[f64; 2]>) -> PlotCurve {
    PlotCurve::new(label, COLOURS[colour], false, points)
}

/// Plots the mean error over the trials against a common shift of all trials.
fn shift_figure(variants: &[Variant], results: &[Vec<Outcome>]) -> Drawing {
    let shown = ["full", "published", "exchanged"];
    let panel = |k: usize, name: &str| {
        let lines = shown.iter().enumerate().filter_map(|(colour, key)| {
            let v = variants.iter().position(|v| v.key == *key)?;
            let mean = |shift: f64| {
                let all = results[v]
                    .iter()
                    .map(|o| rmse(&o.simulated[k], &o.measured[k], shift));
                all.sum::<f64>() / results[v].len().max(1) as f64
            };
            let points = SHIFTS
                .map(|n| f64::from(n) * 0.1)
                .map(|s| [s, mean(s)])
                .collect();
            Some(line(variants[v].name, colour, points))
        });
        Panel::new(format!("mean RMSE of {name} [deg]"), "", lines.collect())
    };
    let (roll, mut pitch) = (panel(0, "roll"), panel(1, "pitch"));
    pitch.x_label = "simulation taken earlier by [s]".into();
    let title = "Error over a common shift of all trials";
    draw_figure(title, &[roll, pitch], 760, 210)
}

/// Plots measured roll and pitch of one trial together with the results of some variants.
fn panels(
    variants: &[Variant],
    results: &[Vec<Outcome>],
    trial: &str,
    shown: &[&str],
) -> Option<Vec<Panel>> {
    let find = |key: &str| {
        let v = variants.iter().position(|v| v.key == key)?;
        Some((
            variants[v].name,
            results[v].iter().find(|o| o.name == trial)?,
        ))
    };
    let found: Vec<(&str, &Outcome)> = shown.iter().filter_map(|key| find(key)).collect();
    let (_, first) = found.first()?;
    let panel = |k: usize, name: &str| {
        let points = first.measured[k].iter().map(|(t, v)| [*t, *v]).collect();
        let mut lines = vec![PlotCurve::new("measured", BLACK, false, points)];
        let simulated = found.iter().enumerate();
        lines.extend(simulated.map(|(c, (name, o))| line(name, c, o.simulated[k].points())));
        Panel::new(format!("{name} [deg]"), "", lines)
    };
    Some(vec![panel(0, "roll"), panel(1, "pitch")])
}

/// Returns the trial in which the smaller of the roll and pitch variations is largest.
fn most_active_trial(results: &[Vec<Outcome>]) -> Option<&Outcome> {
    let min_rmse = |o: &Outcome| o.rmse_without_model[0].min(o.rmse_without_model[1]);
    results
        .first()?
        .iter()
        .max_by(|a, b| min_rmse(a).total_cmp(&min_rmse(b)))
}

fn overlay(variants: &[Variant], results: &[Vec<Outcome>]) -> Option<Drawing> {
    let trial = &most_active_trial(results)?.name;
    let mut panels = panels(variants, results, trial, &["full", "exchanged"])?;
    panels.last_mut()?.x_label = "time [s]".into();
    Some(draw_figure(trial, &panels, 760, 210))
}

fn servo_figure(variants: &[Variant], results: &[Vec<Outcome>]) -> Option<Drawing> {
    let trial = &most_active_trial(results)?.name;
    let mut panels = panels(variants, results, trial, &["servo", "actuators"])?;
    let curve = |key: &str| -> Option<&Curve> {
        let v = variants.iter().position(|v| v.key == key)?;
        results[v]
            .iter()
            .find(|o| &o.name == trial)
            .map(|o| &o.track.joints[1])
    };
    let measured = results
        .first()?
        .iter()
        .find(|o| &o.name == trial)?
        .track
        .joints[1]
        .points();
    let mut lines = vec![PlotCurve::new("measured", BLACK, false, measured)];
    lines.push(line("full, servo", 0, curve("servo")?.points()));
    let actuators = curve("actuators")?.points();
    lines.push(line("full, servo and actuators", 1, actuators));
    panels.push(Panel::new("shoulder [rad]", "time [s]", lines));
    Some(draw_figure(trial, &panels, 760, 190))
}

fn late_added_mass(study: &mut Study, model: &Model, home: [f64; JOINTS]) {
    let integrators = [
        ("RK4", Integrator::Rk4),
        ("semi-implicit Euler", Integrator::SemiImplicit),
    ];
    let [rigid, added] = delayed::composite_inertias(model, home);
    let theory = delayed::theoretical_limit(&rigid, &added);
    let _ = writeln!(
        study.text,
        "added mass one step late: factor on the added mass at which the run diverges within 10 s"
    );
    let _ = writeln!(
        study.text,
        "{:<26} {:>8} {:>8} {:>20}",
        "", "theory", "RK4", "semi-implicit Euler"
    );
    let mut rows = serde_json::Map::new();
    let mut case = |text: &mut String, name: &str, model: &Model, theory: f64| {
        let found =
            integrators.map(|(_, integrator)| delayed::simulated_limit(model, home, integrator));
        let _ = writeln!(
            text,
            "{name:<26} {theory:>8.3} {:>8.3} {:>20.3}",
            found[0], found[1]
        );
        rows.insert(
            name.to_string(),
            json!({ "theory": theory, "rk4": found[0], "semi_implicit": found[1] }),
        );
    };
    case(&mut study.text, "whole vehicle", model, theory);
    let mut quarter = model.clone();
    quarter.scene.dt_ns /= 4;
    case(
        &mut study.text,
        "whole, a quarter the step",
        &quarter,
        theory,
    );
    for (axis, name) in ["roll", "pitch", "yaw", "surge", "sway", "heave"]
        .iter()
        .enumerate()
    {
        let alone = delayed::on_one_axis(model, home, axis);
        case(
            &mut study.text,
            &format!("only {name}, M_A / M"),
            &alone,
            1.0,
        );
    }
    study.text.push('\n');
    study.json["delayed"] = Value::Object(rows);
    study
        .figures
        .push(("delayed", draw_delayed_added_mass(model, home, theory)));
}

/// Draws the growth of the accelerations for factors on the added mass near the theoretical limit
/// `theory`.
fn draw_delayed_added_mass(model: &Model, home: [f64; JOINTS], theory: f64) -> Drawing {
    let growth = |factor: f64| {
        let scaled = model.clone().with_added_mass(|l| l.added.scale(factor));
        let sizes = delayed::acceleration_history(&scaled, home, Integrator::Rk4, 2.0);
        let dt = model.dt();
        sizes
            .into_iter()
            .enumerate()
            .map(|(k, s)| [k as f64 * dt, s])
            .collect::<Vec<_>>()
    };
    let factors = [0.95, 1.0, 1.01, 1.05].map(|f| f * theory);
    let mut series: Vec<_> = factors.map(|f| (format!("{f:.3} M_A"), growth(f))).into();
    series.push(("M_A as it is".to_string(), growth(1.0)));
    let panel = Panel {
        logarithmic: true,
        ..Panel::new("acceleration [m/s2, rad/s2]", "time [s]", coloured(series))
    };
    draw_figure("Added mass as a force, one step late", &[panel], 760, 300)
}

fn couplings(study: &mut Study, model: &Model, home: [f64; JOINTS], recordings: &[Recording]) {
    let folded = coupling::coupling(model, home);
    let _ = write!(
        study.text,
        "coupling, arm folded\n{}\n",
        coupling::table(&folded)
    );
    study.json["coupling_folded"] = coupling::json(&folded);
    // the mean pose at the end of the recorded trials represents a working arm
    let ends: Vec<[f64; JOINTS]> = recordings
        .iter()
        .filter(|r| !r.is_baseline())
        .map(|r| JointMotion::fit(&r.joints).state_at(r.span()[1]).q)
        .collect();
    if ends.is_empty() {
        return;
    }
    let mean = std::array::from_fn(|j| ends.iter().map(|q| q[j]).sum::<f64>() / ends.len() as f64);
    let stretched = coupling::coupling(model, mean);
    let pose = mean.map(|q: f64| format!("{q:.2}")).join(", ");
    let table = coupling::table(&stretched);
    let _ = write!(
        study.text,
        "coupling, mean pose at the end of the trials ({pose} rad)\n{table}"
    );
    study.json["coupling_mean_end"] = coupling::json(&stretched);
}
