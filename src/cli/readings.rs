//! Plots of sensor readings over time, plan views of detected obstacles, and lists of NMEA
//! sentences, for `merrow snapshot`.

use merrow::convert::curves::{Axis, Curves, single_curve, xyz};
use merrow_math::Vec3;
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::state::frames::acoustic::AcousticObservations;
use merrow_model::state::frames::detection::Detection;
use merrow_model::state::frames::{Frame, FrameData};
use merrow_model::state::reading::Stamped;
use merrow_sensors::obstacle::accumulate::EchoAccumulator;
use merrow_sim::Simulation;
use merrow_validate::figure::canvas::{Anchor, Drawing, Element};
use merrow_validate::figure::chart::{BLACK, COLOURS, Line, Panel, draw_figure};

/// Default duration of the run [s].
pub(super) const DEFAULT_DURATION: f64 = 10.0;
/// Width of a figure [px].
const WIDTH: u32 = 860;
/// Height of a panel [px].
const HEIGHT: u32 = 170;
/// Minimum and maximum height of a plan view [px].
const PLAN: [f64; 2] = [200.0, 900.0];
/// Number of sentences that are written, counted from the end.
const SENTENCES: usize = 24;

/// Runs a world for `seconds` [s] and draws the readings of a sensor.
///
/// # Errors
/// The sensor produced no readings; the error is one line.
pub(super) fn draw(
    simulation: &mut Simulation,
    robot: usize,
    sensor: usize,
    seconds: f64,
) -> Result<Drawing, String> {
    let (readings, frames) = collect_readings(simulation, robot, sensor, seconds);
    let device = &simulation.scene.robots[robot].sensors[sensor];
    let title = format!("{}/{}", simulation.scene.robots[robot].name, device.name);
    let drawing = match device.kind.exteroceptive().map(|spec| &**spec) {
        Some(ExteroceptiveSpec::Obstacles(spec)) => {
            let mut gathered = EchoAccumulator::default();
            let mut boxes = None;
            for frame in &frames {
                boxes = match &*frame.data {
                    FrameData::Detections(found) => Some(found.clone()),
                    FrameData::Echoes(echoes) => {
                        Some(gathered.add_sample(spec, device.stream, echoes, frame.stamp_ns))
                    }
                    _ => None,
                };
            }
            boxes.map(|found| draw_plan_view(&title, &found, spec.in_world))
        }
        Some(ExteroceptiveSpec::Ais(_)) => Some(draw_sentences(&title, &frames)),
        Some(ExteroceptiveSpec::Acoustic(spec)) => {
            let names: Vec<&str> = spec
                .targets
                .iter()
                .map(|target| target.name.as_str())
                .collect();
            let sounds = frames.iter().filter_map(|frame| match &*frame.data {
                FrameData::Acoustic(sounds) => {
                    Some((frame.stamp_ns, acoustic_quantities(sounds, &names)))
                }
                _ => None,
            });
            curves(&title, sounds)
        }
        _ => curves(
            &title,
            readings.iter().map(|s| (s.stamp_ns, s.reading.axes())),
        ),
    };
    let nothing = || {
        format!(
            "{title} produced no readings in {seconds} s: increase --at, or check the sensor with `merrow describe`"
        )
    };
    drawing.ok_or_else(nothing)
}

/// Collects the readings and frames of a sensor over `seconds` [s].
fn collect_readings(
    simulation: &mut Simulation,
    robot: usize,
    sensor: usize,
    seconds: f64,
) -> (Vec<Stamped>, Vec<Frame>) {
    if let Some(scheduler) = &simulation.sensor_scheduler {
        scheduler.request_frames(&simulation.scene, robot, sensor, true);
    }
    let mut steps = (seconds * 1e9 / simulation.scene.dt_ns as f64).round() as u64;
    let (mut readings, mut frames) = (Vec::new(), Vec::new());
    while steps > 0 {
        let block = steps.min(100);
        simulation.advance(block);
        let own = simulation.runners[robot]
            .outbox
            .iter()
            .filter(|d| d.sensor == sensor);
        readings.extend(own.map(|delivered| delivered.stamped));
        frames.extend(
            simulation
                .frames
                .drain(..)
                .filter(|f| (f.robot, f.sensor) == (robot, sensor)),
        );
        simulation.clear_outboxes();
        steps -= block;
    }
    (readings, frames)
}

/// Plots one panel per axis over time; `None` without data.
fn curves(title: &str, readings: impl Iterator<Item = (u64, Vec<Axis>)>) -> Option<Drawing> {
    let mut panels: Vec<Panel> = Vec::new();
    for (stamp_ns, axes) in readings {
        let time = stamp_ns as f64 * 1e-9;
        for (name, numbers) in axes {
            let k = panels
                .iter()
                .position(|panel| panel.y_label == name)
                .unwrap_or_else(|| {
                    panels.push(Panel {
                        y_label: name.into_owned(),
                        ..Panel::default()
                    });
                    panels.len() - 1
                });
            let lines = &mut panels[k].lines;
            for (label, value) in numbers {
                let line = lines
                    .iter()
                    .position(|line| line.label == label)
                    .unwrap_or_else(|| {
                        let colour = COLOURS[lines.len() % COLOURS.len()];
                        lines.push(Line {
                            label,
                            colour,
                            dashed: false,
                            points: Vec::new(),
                        });
                        lines.len() - 1
                    });
                lines[line].points.push([time, value]);
            }
        }
    }
    panels.last_mut()?.x_label = "time [s]".to_string();
    Some(draw_figure(title, &panels, WIDTH, HEIGHT))
}

/// Splits the fixes and ranges of an acoustic positioning instrument into labelled quantities.
fn acoustic_quantities(sounds: &AcousticObservations, names: &[&str]) -> Vec<Axis> {
    let mut all = Vec::new();
    let name = |target: usize| names.get(target).copied().unwrap_or("own");
    for fix in &sounds.fixes {
        let of = name(fix.target);
        match &fix.world {
            Some((p_W, _)) => all.push((format!("{of} in the world [m]").into(), xyz(*p_W))),
            None => all.push((
                format!("{of} in the sensor's frame [m]").into(),
                xyz(fix.p_S),
            )),
        }
    }
    for ranged in &sounds.ranges {
        all.push((
            "range [m]".into(),
            single_curve(name(ranged.target), ranged.range),
        ));
    }
    all
}

/// Draws boxes in plan view, in the frame in which they are reported.
fn draw_plan_view(title: &str, found: &[Detection], in_world: bool) -> Drawing {
    let outline = |(k, f): (usize, &Detection)| {
        let half = f.size.scale(0.5);
        let corners = [
            [-1.0, -1.0],
            [1.0, -1.0],
            [1.0, 1.0],
            [-1.0, 1.0],
            [-1.0, -1.0],
        ];
        let at =
            |[x, y]: [f64; 2]| f.p + f.q.matrix().mul_vec(Vec3::new(x * half.x, y * half.y, 0.0));
        let label = f.listed.map_or_else(
            || format!("{} echoes", f.echoes),
            |n| format!("listed {}", n + 1),
        );
        let points = corners.map(at).map(|p| [p.x, p.y]).to_vec();
        Line {
            label,
            colour: COLOURS[k % COLOURS.len()],
            dashed: false,
            points,
        }
    };
    let mut lines: Vec<Line> = found.iter().enumerate().map(outline).collect();
    if !in_world {
        // outline of the sensor
        lines.push(Line {
            label: "sensor".to_string(),
            colour: BLACK,
            dashed: false,
            points: vec![[-0.3, -0.2], [0.4, 0.0], [-0.3, 0.2], [-0.3, -0.2]],
        });
    }
    let extent = |axis: usize| {
        let all = || {
            lines
                .iter()
                .flat_map(|line| line.points.iter().map(move |p| p[axis]))
        };
        all().fold(f64::MIN, f64::max) - all().fold(f64::MAX, f64::min)
    };
    let ratio = if lines.is_empty() {
        0.5
    } else {
        extent(1) / extent(0).max(1e-3)
    };
    let height = (ratio * f64::from(WIDTH)).clamp(PLAN[0], PLAN[1]) as u32;
    let [x_label, y_label] = if in_world {
        ["east [m]", "north [m]"]
    } else {
        ["x [m]", "y [m]"]
    };
    let panel = Panel {
        y_label: y_label.into(),
        x_label: x_label.into(),
        lines,
        logarithmic: false,
    };
    draw_figure(
        &format!("{title}: obstacles, plan view"),
        &[panel],
        WIDTH,
        height,
    )
}

/// Draws the last sentences of a receiver as text.
fn draw_sentences(title: &str, frames: &[Frame]) -> Drawing {
    let mut lines = Vec::new();
    for frame in frames {
        if let FrameData::Sentences(sentences) = &*frame.data {
            let to_line = |s: &merrow_model::state::frames::Sentence| {
                format!("{:9.3} s  {}", s.stamp_ns as f64 * 1e-9, s.text)
            };
            lines.extend(sentences.iter().map(to_line));
        }
    }
    let last = lines.split_off(lines.len().saturating_sub(SENTENCES));
    let size = [WIDTH, 40 + 18 * last.len().max(1) as u32];
    let text = |at, text: String, size| Element::Text {
        at,
        text,
        size,
        anchor: Anchor::Start,
        colour: BLACK,
    };
    let mut elements = vec![text([16.0, 22.0], title.to_string(), 15.0)];
    elements.extend(
        last.into_iter()
            .enumerate()
            .map(|(k, line)| text([16.0, 46.0 + 18.0 * k as f64], line, 12.0)),
    );
    Drawing { size, elements }
}
