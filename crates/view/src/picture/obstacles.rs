//! Plan views of detected obstacles.

use crate::picture::{FIGURE_WIDTH, Plot, Snapshot, SnapshotOutput};
use merrow_math::Vec3;
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::obstacle::{Detection, DetectorSpec};
use merrow_model::state::frames::FrameData;
use merrow_sensors::obstacle::accumulate::EchoAccumulator;
use merrow_validate::figure::canvas::Drawing;
use merrow_validate::figure::chart::{BLACK, COLOURS, Panel, PlotCurve, draw_figure};

/// Minimum and maximum height of a plan view [px].
const PLAN: [f64; 2] = [200.0, 900.0];

impl Snapshot for DetectorSpec {
    fn output<'a>(&'a self, sensor: &'a Sensor) -> SnapshotOutput<'a> {
        SnapshotOutput::Plot(Box::new(|title, frames| {
            let mut gathered = EchoAccumulator::default();
            let mut boxes = None;
            for frame in frames {
                boxes = match &*frame.data {
                    FrameData::Detections(found) => Some(found.clone()),
                    FrameData::Echoes(echoes) => {
                        Some(gathered.add_sample(self, sensor.stream, echoes, frame.stamp_ns))
                    }
                    _ => None,
                };
            }
            boxes.map(|found| Plot::Figure(draw_plan_view(title, &found, self.in_world)))
        }))
    }
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
        PlotCurve {
            label,
            colour: COLOURS[k % COLOURS.len()],
            dashed: false,
            points,
        }
    };
    let mut lines: Vec<PlotCurve> = found.iter().enumerate().map(outline).collect();
    if !in_world {
        // outline of the sensor
        lines.push(PlotCurve {
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
    let height = (ratio * f64::from(FIGURE_WIDTH)).clamp(PLAN[0], PLAN[1]) as u32;
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
        FIGURE_WIDTH,
        height,
    )
}
