//! Division of rays at small shapes, so that the echo of a target does not depend on whether a ray
//! happens to hit it.
//!
//! # Law
//! A ray represents a cell of the directions. Where the bounding box of a shape has an angular
//! extent 2 β of less than `MIN_STEPS` steps between rays, the cells are divided at the ends of
//! this extent and into steps of 2 β/`PARTS` between them, in each of both directions. The solid
//! angles of the parts of a cell add up to the solid angle of the cell.
//!
//! # Symbols
//! β half of the angle that the bounding box of a shape covers.
//!
//! # Frames
//! Angles across and out of the fan in the acoustic frame A.
//!
//! # Limits
//! Only the directions on straight paths are divided: neither refracted rays nor
//! reflections. In a cell with many small shapes the parts are up to `MAX_PARTS`.
//!
//! # Checked by
//! test/sensors/sonar/targets.rs

use crate::sonar::propagation::Transmitter;
use merrow_math::Vec3;
use merrow_math::real::{sin_cos, wrap_angle};
use merrow_model::sensor::sonar::SonarSpec;
use std::f64::consts::FRAC_PI_2;

/// Extent of a shape below which its cells are divided [steps between rays].
const MIN_STEPS: f64 = 3.0;
/// Number of rays over the extent of a small shape.
const PARTS: usize = 8;
/// Maximum number of parts of a cell in one direction.
const MAX_PARTS: usize = 32;

/// Directions that a small shape covers: centre and half width of the angles across the fan and out
/// of it [rad].
struct Extent {
    across: [f64; 2],
    out: [f64; 2],
}

/// Small shapes in the reach of a sonar.
pub(crate) struct SmallTargets(Vec<Extent>);

/// Parts of a cell: centre and width of their angles [rad].
type Parts = Vec<[f64; 2]>;

impl SmallTargets {
    /// Finds the shapes that are small for the rays of a sonar.
    pub(crate) fn of(transmitter: &Transmitter<'_>) -> Self {
        let Transmitter { spec, p, R_WS, .. } = transmitter;
        let scene = transmitter.context.ray_scene;
        let extent = |(center, half): (Vec3, Vec3)| {
            let to = center - *p;
            let distance = to.norm();
            let nearest = distance - half.norm();
            if nearest <= 0.0 || nearest > spec.sonar.max_range_m {
                return None;
            }
            let a = spec.sensor_to_acoustic(R_WS.tr_mul_vec(to.scale(1.0 / distance)));
            let (across, out) = (libm::atan2(a.y, a.z), libm::asin(a.x.clamp(-1.0, 1.0)));
            let ((sa, ca), (so, co)) = (sin_cos(across), sin_cos(out));
            let half_angle = |side: Vec3| {
                let side = R_WS.mul_vec(spec.acoustic_to_sensor(side));
                let width = side.x.abs() * half.x + side.y.abs() * half.y + side.z.abs() * half.z;
                libm::atan2(width, nearest)
            };
            let found = Extent {
                across: [across, half_angle(Vec3::new(0.0, ca, -sa)) / co.max(0.01)],
                out: [out, half_angle(Vec3::new(co, -so * sa, -so * ca))],
            };
            let is_small = |half: f64, step: f64| 2.0 * half < MIN_STEPS * step;
            (found.across[1] < FRAC_PI_2
                && (is_small(found.across[1], spec.column_step)
                    || is_small(found.out[1], spec.row_step)))
            .then_some(found)
        };
        Self(
            scene
                .bounding_boxes(transmitter.robot)
                .filter_map(extent)
                .collect(),
        )
    }

    /// Returns true if the rays at the angle `across` [rad] have to be divided.
    fn reach(&self, spec: &SonarSpec, across: f64) -> bool {
        self.0
            .iter()
            .any(|target| overlaps(target.across, across, spec.column_step))
    }

    /// Divides the cell at the angles `across` and `out` [rad] into parts across the fan and out of
    /// it; returns false if it contains no small shape.
    fn divide(&self, spec: &SonarSpec, [across, out]: [f64; 2], parts: &mut [Parts; 2]) -> bool {
        let inside = |target: &&Extent| {
            overlaps(target.across, across, spec.column_step)
                && overlaps(target.out, out, spec.row_step)
        };
        if !self.0.iter().any(|target| inside(&target)) {
            return false;
        }
        let [columns, rows] = parts;
        let found = || self.0.iter().filter(inside);
        divide_axis(across, spec.column_step, found().map(|t| t.across), columns);
        divide_axis(out, spec.row_step, found().map(|t| t.out), rows);
        true
    }

    /// Calls `trace` for the parts of every cell of the column at the angle `across` [rad], with
    /// their angles across and out of the fan and their widths [rad].
    pub(crate) fn for_each_part(
        &self,
        spec: &SonarSpec,
        across: f64,
        mut trace: impl FnMut([f64; 2], [f64; 2]),
    ) {
        let is_reached = self.reach(spec, across);
        let mut parts = [Vec::new(), Vec::new()];
        for row in &spec.rows {
            if !is_reached || !self.divide(spec, [across, *row], &mut parts) {
                trace([across, *row], [spec.column_step, spec.row_step]);
                continue;
            }
            let [columns, rows] = &parts;
            for [out, height] in rows {
                for [across, width] in columns {
                    trace([*across, *out], [*width, *height]);
                }
            }
        }
    }
}

/// Returns true if an extent overlaps the cell of the width `step` [rad] around `angle` [rad].
fn overlaps([center, half]: [f64; 2], angle: f64, step: f64) -> bool {
    wrap_angle(center - angle).abs() < half + 0.5 * step
}

/// Divides the cell of the width `step` around `angle` at the extents `found` (all in [rad]) into
/// `parts`.
fn divide_axis(angle: f64, step: f64, found: impl Iterator<Item = [f64; 2]>, parts: &mut Parts) {
    let half = 0.5 * step;
    let mut ends = vec![-half, half];
    for [center, extent] in found {
        let center = wrap_angle(center - angle);
        let at = |k: usize| center + extent * (2.0 * k as f64 / PARTS as f64 - 1.0);
        ends.extend((0..=PARTS).map(at).filter(|x| x.abs() < half));
    }
    ends.sort_by(f64::total_cmp);
    if ends.len() > MAX_PARTS + 1 {
        // the ends of the occupied part, with even steps between them
        let (first, last) = (ends[1], ends[ends.len() - 2]);
        let inner =
            (0..MAX_PARTS - 1).map(|k| first + (last - first) * k as f64 / (MAX_PARTS - 2) as f64);
        ends = [-half].into_iter().chain(inner).chain([half]).collect();
    }
    parts.clear();
    for pair in ends.windows(2) {
        let width = pair[1] - pair[0];
        if width > 1e-9 * step {
            parts.push([angle + 0.5 * (pair[0] + pair[1]), width]);
        }
    }
}
