//! Rain in front of a camera: drops rendered as the streaks that they leave during the exposure.
//!
//! # Law
//! ```text
//!   N(D > 1 mm) = (8000/Λ) e^{-Λ},  Λ = 4.1 R^-0.21  (1)  [Marshall and Palmer 1948]
//!   v = 9.65 - 10.3 e^{-0.6 D}                       (2)  [Atlas 1973]
//! ```
//!
//! # Symbols
//! N drops per cubic metre · D diameter [mm], v fall velocity [m/s] · R rain rate [mm/h].
//!
//! # Frames
//! S, drawn in pixels.
//!
//! # Limits
//! - Drops under 1 mm and drops farther than 4 m are not rendered singly; the extinction of the air
//!   includes them.
//! - A drop has the mean luminance of the sky, because it refracts light from all directions.
//! - The wind carries all drops equally.
//!
//! # Checked by
//! The tests in this file.

use crate::camera::sky_radiance::Sky;
use crate::camera::{RenderContext, is_in_image, lerp, point_in_front};
use merrow_environment::air;
use merrow_math::Vec3;
use merrow_model::sensor::camera::CameraSpec;

/// Maximum distance of visible drops [m].
const MAX_DISTANCE: f64 = 4.0;
/// Minimum diameter of rendered drops [mm].
const MIN_DIAMETER: f64 = 1.0;
/// Maximum number of drops in one image.
const MAX_DROPS: f64 = 20_000.0;
/// Exposure time if the camera specifies none [s].
const DEFAULT_EXPOSURE_TIME: f64 = 0.01;
/// Luminance of a drop divided by the luminance of a white surface.
const DROP_LUMINANCE_RATIO: f64 = 0.9;

/// Returns the number of drops larger than 1 mm per cubic metre, for the rain rate `rain` [mm/h].
/// (1)
fn drop_density(rain: f64) -> f64 {
    let slope = slope(rain);
    8000.0 / slope * libm::exp(-slope * MIN_DIAMETER)
}

fn slope(rain: f64) -> f64 {
    4.1 * libm::pow(rain, -0.21)
}

/// Adds rain streaks to the luminance of an image.
pub(crate) fn draw_streaks(spec: &CameraSpec, world: &RenderContext, light: &mut [[f32; 3]]) {
    let (pose, environment) = (world.sample.pose, world.sample.environment);
    let weather = air::weather(&environment.sea.air, environment.time);
    let (R_WS, p_WS) = pose.extrapolate(0.0);
    if weather.rain_mm_h <= 0.0 || environment.height_above_surface(p_WS) < 0.0 {
        return;
    }
    let (scene, time) = (world.sample.scene, environment.time);
    let sky = Sky::new(scene, &environment.sea.air, &weather, time);
    let level = sky.diffuse + sky.beam.scale(sky.sun.z.max(0.0));
    let luminance = level.scale(DROP_LUMINANCE_RATIO / std::f64::consts::PI);
    let exposure_time = if spec.camera.exposure_s > 0.0 {
        spec.camera.exposure_s
    } else {
        DEFAULT_EXPOSURE_TIME
    };
    let skip = world.hidden_shapes(spec);
    let mut draw = world.sample.errors.draw(u64::MAX - 1);
    let drops = (drop_density(weather.rain_mm_h) * 4.0 * MAX_DISTANCE * MAX_DISTANCE * MAX_DISTANCE)
        .min(MAX_DROPS) as usize;
    for _ in 0..drops {
        let p = point_in_front(&mut draw, MAX_DISTANCE);
        let size = MIN_DIAMETER - libm::log(1.0 - draw.uniform()) / slope(weather.rain_mm_h);
        let fall = 9.65 - 10.3 * libm::exp(-0.6 * size);
        let displacement = R_WS
            .tr_mul_vec((weather.wind - Vec3::new(0.0, 0.0, fall)).scale(exposure_time))
            - pose.V_WS_S.v.scale(exposure_time);
        let ends = [p, p + displacement].map(|p| spec.lens.project(Vec3::new(-p.y, -p.z, p.x)));
        let ([Some(a), Some(b)], true) = (ends, p.x > 0.15 && p.x + displacement.x > 0.15) else {
            continue;
        };
        if !is_in_image(spec.size, a) && !is_in_image(spec.size, b) {
            continue;
        }
        let d = R_WS.mul_vec(p);
        let (distance, d) = (d.norm(), d.scale(1.0 / d.norm()));
        let at = p_WS + d.scale(distance);
        let is_hidden = environment.height_above_surface(at) < 0.0
            || world
                .ray_scene
                .first_hit(skip.clone(), p_WS, d, [1e-3, distance])
                .is_some();
        if !is_hidden {
            draw_streak(
                light,
                spec.size,
                [a, b],
                spec.lens.focal[0] * 1e-3 * size / p.x,
                luminance,
            );
        }
    }
}

/// Blends a line from `a` to `b`, `width` [px] wide, into the image. The weight at a pixel is the
/// covered area times the fraction of the exposure during which the drop is there.
fn draw_streak(
    light: &mut [[f32; 3]],
    [columns, rows]: [usize; 2],
    [a, b]: [[f64; 2]; 2],
    width: f64,
    luminance: Vec3,
) {
    let offset = [b[0] - a[0], b[1] - a[1]];
    let length = (offset[0] * offset[0] + offset[1] * offset[1])
        .sqrt()
        .min(2000.0);
    let line_width = width.max(1.0);
    let steps = length.ceil().max(1.0);
    // A drop covers a pixel of its track for the time in which it moves by its own width.
    let part = (width / line_width * (width / (length + width)).max(0.25)).min(1.0);
    for k in 0..steps as usize {
        let t = (k as f64 + 0.5) / steps;
        let (u, v) = (a[0] + t * offset[0], a[1] + t * offset[1]);
        let (low, high) = (u - 0.5 * line_width + 0.5, u + 0.5 * line_width + 0.5);
        let row = (v + 0.5).floor();
        if row < 0.0 || row >= rows as f64 {
            continue;
        }
        for column in low.max(0.0) as usize..((high.max(0.0) as usize) + 1).min(columns) {
            // Fraction of the pixel width within the line.
            let from = (column as f64).max(low);
            let covered = ((column as f64 + 1.0).min(high) - from).clamp(0.0, 1.0);
            let pixel = &mut light[row as usize * columns + column];
            let before = Vec3::from(pixel.map(f64::from));
            let after = lerp(before, luminance, part * covered);
            *pixel = after.to_array().map(|x| x as f32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The number of drops follows Marshall and Palmer, and a streak adds the light that it covers.
    // Method: their distribution integrated by steps; a line 2 px wide and 10 long over 3 columns.
    // Tolerance: 0.1 %; 1e-6.
    #[test]
    fn drop_density_and_streak_light_match_closed_forms() {
        let slope = 4.1 * libm::pow(20.0, -0.21);
        let sum: f64 = (0..20_000)
            .map(|k| 8000.0 * libm::exp(-slope * (1.0 + 0.0005 + 0.001 * f64::from(k))) * 0.001)
            .sum();
        assert!(
            (drop_density(20.0) / sum - 1.0).abs() < 1e-3,
            "{} of {sum}",
            drop_density(20.0)
        );
        let mut light = vec![[0.0_f32; 3]; 9 * 20];
        draw_streak(
            &mut light,
            [9, 20],
            [[4.0, 4.0], [4.0, 14.0]],
            2.0,
            Vec3::new(1.0, 1.0, 1.0),
        );
        let total: f32 = light.iter().map(|p| p[1]).sum();
        assert!((total - 10.0 * 2.0 * 0.25).abs() < 1e-5, "{total}");
        assert_eq!([light[9 * 9 + 4][0], light[9 * 9 + 2][0]], [0.25, 0.0]);
    }
}
