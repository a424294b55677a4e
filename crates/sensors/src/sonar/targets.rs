//! Division of rays at small shapes, so that the echo of a target does not depend on whether a ray
//! happens to hit it.
//!
//! # Law
//! A ray represents a cell of the directions. Where the bounding box of a shape has an angular
//! extent 2 β of less than `MIN_STEPS` steps between rays, the cells are divided at the ends of
//! this extent and into steps of 2 β/`PARTS` between them, first out of the fan, and each of these
//! parts across it. The solid angles of the parts of a cell add up to the solid angle of the cell.
//! `PARTS` is 4: the middles of 12 of the 16 parts of a square are in its inscribed circle, 0.75
//! of its area instead of π/4.
//!
//! Where shapes overlap in their angles, an end closer than 2 β/`PARTS` to one of a smaller shape is
//! left out: the parts there are small enough for both.
//!
//! # Symbols
//! β half of the angle that the bounding box of a shape covers.
//!
//! # Frames
//! Angles across and out of the fan in the acoustic frame A.
//!
//! # Limits
//! Only the directions on straight paths are divided: neither refracted rays nor
//! reflections. With many small shapes the parts are at most `MAX_PARTS` in each direction, even
//! steps that may miss a shape: the mean of such a cell is that of its shapes.
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
const PARTS: usize = 4;
/// Maximum number of parts of a cell in one direction.
const MAX_PARTS: usize = 16;

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

    /// Calls `trace` for the parts of every cell of the column at the angle `across` [rad], with
    /// their angles across and out of the fan and their widths [rad].
    pub(crate) fn for_each_part(
        &self,
        spec: &SonarSpec,
        across: f64,
        mut trace: impl FnMut([f64; 2], [f64; 2]),
    ) {
        let is_reached = |target: &&Extent| overlaps(target.across, across, spec.column_step);
        let reached: Vec<&Extent> = self.0.iter().filter(is_reached).collect();
        let [mut columns, mut rows] = [Parts::new(), Parts::new()];
        for row in &spec.rows {
            let inside = |out: f64, step: f64| {
                let reached = reached.iter();
                reached.filter(move |target| overlaps(target.out, out, step))
            };
            let extents = inside(*row, spec.row_step).map(|target| target.out);
            divide(*row, spec.row_step, extents, &mut rows);
            for [out, height] in &rows {
                let extents = inside(*out, *height).map(|target| target.across);
                divide(across, spec.column_step, extents, &mut columns);
                for [across, width] in &columns {
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
fn divide(angle: f64, step: f64, found: impl Iterator<Item = [f64; 2]>, parts: &mut Parts) {
    let half = 0.5 * step;
    let mut shapes: Vec<[f64; 2]> = found.collect();
    shapes.sort_by(|a, b| a[1].total_cmp(&b[1]));
    let mut ends = vec![-half, half];
    for [center, extent] in shapes {
        let (first, part) = (
            wrap_angle(center - angle) - extent,
            2.0 * extent / PARTS as f64,
        );
        let of_smaller = ends.len();
        for end in (0..=PARTS).map(|k| first + part * k as f64) {
            let is_near = |other: &f64| (end - other).abs() < part;
            if end.abs() < half && !ends[2..of_smaller].iter().any(is_near) {
                ends.push(end);
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    // Each shape has several rays, and many shapes have few more than one. Method: up to 50 shapes in
    // a cell, by a low-discrepancy sequence; middles of parts within each, and the number of parts.
    #[test]
    fn shapes_share_the_parts_of_a_cell() {
        for count in [1, 2, 5, 50] {
            let shapes: Vec<[f64; 2]> = (0..count)
                .map(|k| f64::from(k) * 0.618)
                .map(|k| [0.2 * (k.fract() - 0.5), 0.05 + 0.05 * (1.7 * k).fract()])
                .collect();
            let mut parts = Parts::new();
            divide(0.0, 0.4, shapes.iter().copied(), &mut parts);
            assert!(parts.len() <= 12, "{count}: {}", parts.len());
            let width: f64 = parts.iter().map(|part| part[1]).sum();
            assert!((width - 0.4).abs() < 1e-12, "{count}: {width}");
            for [center, half] in shapes {
                let inside = |part: &&[f64; 2]| (part[0] - center).abs() < half;
                let rays = parts.iter().filter(inside).count();
                assert!(
                    rays >= if count == 1 { PARTS } else { 2 },
                    "{count}: {rays}"
                );
            }
        }
    }
}
