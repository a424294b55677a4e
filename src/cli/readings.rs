//! Plots of sensor readings over time, plan views of detected obstacles, and lists of NMEA
//! sentences, for `merrow snapshot`.

use merrow::picture;
use merrow::picture::figure;
use merrow::picture::{FIGURE_WIDTH, Plot, SnapshotOutput};
use merrow_chart::canvas::Drawing;
use merrow_chart::chart::{COLOURS, Panel, PlotCurve, draw_figure};
use merrow_messages::convert::curves::{Axis, Curves};
use merrow_model::state::frames::Frame;
use merrow_model::state::reading::Stamped;
use merrow_sim::Simulation;

/// Default duration of the run [s].
pub(super) const DEFAULT_DURATION: f64 = 10.0;
/// Height of a panel [px].
const HEIGHT: u32 = 170;

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
    let drawing = match picture::output(device) {
        Some(SnapshotOutput::Plot(plot)) => match plot(&frames) {
            Some(Plot::Curves(values)) => curves(&title, values.into_iter()),
            Some(Plot::Text(lines)) => Some(figure::draw_text(&title, lines)),
            Some(Plot::Plan(view)) => Some(figure::draw_plan_view(&title, view)),
            None => None,
        },
        _ => curves(
            &title,
            readings.iter().map(|s| (s.stamp_ns, s.reading.axes())),
        ),
    };
    let nothing = || {
        format!(
            "{title} produced no readings in {seconds} s; increase --at, or check the sensor with `merrow describe`"
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
                    panels.push(Panel::new(name.into_owned(), "", Vec::new()));
                    panels.len() - 1
                });
            let lines = &mut panels[k].lines;
            for (label, value) in numbers {
                let line = lines
                    .iter()
                    .position(|line| line.label == label)
                    .unwrap_or_else(|| {
                        let colour = COLOURS[lines.len() % COLOURS.len()];
                        lines.push(PlotCurve::new(label, colour, false, Vec::new()));
                        lines.len() - 1
                    });
                lines[line].points.push([time, value]);
            }
        }
    }
    panels.last_mut()?.x_label = "time [s]".to_string();
    Some(draw_figure(title, &panels, FIGURE_WIDTH, HEIGHT))
}
