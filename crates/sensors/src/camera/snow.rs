//! Marine snow and lamp spots: discs added to the radiance of an image.
//!
//! Particles of marine snow drift in front of a camera. Each is rendered as a disc, lit by daylight
//! and lamps, unless a surface occludes it.

use crate::camera::shading::Shader;
use crate::camera::{is_in_image, point_in_front};
use crate::sample::SampleErrors;
use merrow_math::{Mat3, Vec3};
use merrow_model::sensor::camera::CameraSpec;

/// Maximum distance of visible particles [m].
const MAX_DISTANCE: f64 = 2.5;
/// Factor between random numbers of 0.4 to 2.0 and the radius of a particle [m].
const PARTICLE_RADIUS_SCALE: f64 = 0.000_8;
/// Maximum number of particles in one image.
const MAX_PARTICLES: usize = 20_000;

/// Adds the particles to the luminance of an image. Each image has its own random particles,
/// because they are small and drift fast in front of the lens.
pub(crate) fn draw_particles(
    spec: &CameraSpec,
    shader: &Shader,
    pose: &(Mat3, Vec3),
    errors: &SampleErrors,
    light: &mut [[f32; 3]],
) {
    let (R_WS, p_WS) = pose;
    let mut draw = errors.draw(u64::MAX);
    let number = (spec.camera.marine_snow * 4.0 * MAX_DISTANCE * MAX_DISTANCE * MAX_DISTANCE)
        .min(MAX_PARTICLES as f64) as usize;
    for _ in 0..number {
        let p = point_in_front(&mut draw, MAX_DISTANCE);
        let size = PARTICLE_RADIUS_SCALE * (0.4 + 1.6 * draw.uniform() * draw.uniform());
        let z = p.x;
        let Some([u, v]) = spec.lens.project(Vec3::new(-p.y, -p.z, z)) else {
            continue;
        };
        if z < 0.08 || !is_in_image(spec.size, [u, v]) {
            continue;
        }
        // Out of focus near the lens, and never smaller than a pixel.
        let focused_radius = spec.lens.focal[0] * size / z;
        let radius = (focused_radius * focused_radius + 0.36 + (0.25 / z) * (0.25 / z))
            .sqrt()
            .min(12.0);
        let share = (focused_radius * focused_radius / (radius * radius)).min(1.0) * 0.9;
        let Some(luminance) = shader.particle_luminance(*p_WS, *p_WS + R_WS.mul_vec(p)) else {
            continue;
        };
        let luminance = luminance.scale(share);
        draw_disc(light, spec.size, [u, v], radius, luminance);
    }
}

/// Adds the image of a lamp at the pixel `[u, v]`: a spot as wide as a pixel with most of its
/// light, and two wider halos. `glare` is the luminance of a spot of one pixel, by colour [cd/m²].
pub(crate) fn draw_lamp(light: &mut [[f32; 3]], size: [usize; 2], [u, v]: [f64; 2], glare: Vec3) {
    if u >= -40.0 && v >= -40.0 && u < size[0] as f64 + 40.0 && v < size[1] as f64 + 40.0 {
        draw_disc(light, size, [u, v], 1.2, glare.scale(0.3));
        draw_disc(light, size, [u, v], 5.0, glare.scale(4e-4));
        draw_disc(light, size, [u, v], 18.0, glare.scale(1e-5));
    }
}

fn draw_disc(
    light: &mut [[f32; 3]],
    [columns, rows]: [usize; 2],
    [u, v]: [f64; 2],
    radius: f64,
    luminance: Vec3,
) {
    let range = |center: f64, n: usize| {
        ((center - 1.5 * radius).max(0.0) as usize)..(((center + 1.5 * radius) as usize + 1).min(n))
    };
    for row in range(v, rows) {
        for column in range(u, columns) {
            let (dx, dy) = (column as f64 - u, row as f64 - v);
            let part = 1.0 - (dx * dx + dy * dy) / (2.0 * radius * radius);
            if part > 0.0 {
                let part = part * part;
                for (light, luminance) in light[row * columns + column]
                    .iter_mut()
                    .zip(luminance.to_array())
                {
                    *light += (part * luminance) as f32;
                }
            }
        }
    }
}
