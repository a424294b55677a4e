//! Conversion of textures on shapes.

use crate::context::Context;
use crate::import::apriltag;
use crate::import::apriltag::{BLACK_CELLS, CELLS};
use crate::keys::texture::{ShapeSideConfig, TextureConfig};
use merrow_model::scene::robot::collision::{Geometry, Primitive};
use merrow_model::scene::texture::{Mapping, SurfaceTexture, Texture};
use merrow_yaml::error::quote;
use merrow_yaml::read::Places;
use std::sync::Arc;

/// Samples along a cell of a tag.
const SAMPLES_PER_CELL: usize = 16;
/// Samples along a side of the helipad image.
const HELIPAD_SAMPLES: usize = 512;
/// Reflectance of printed and painted white.
const WHITE: f32 = 0.85;
/// Reflectance of printed black.
const BLACK_INK: f32 = 0.03;

/// Builds the texture of a shape with this geometry; `mesh` is the file and scale [-] of a mesh.
pub(crate) fn build_coat(
    file: &TextureConfig,
    geometry: &Geometry,
    mesh: Option<(&str, [f64; 3])>,
    cx: Context<'_>,
) -> Option<Arc<SurfaceTexture>> {
    let coat = match file {
        TextureConfig::Image {
            file,
            size_m,
            sides,
            at,
        } => {
            let mapping = match size_m {
                Some(size) => Mapping::Sides {
                    shown: visible_sides(sides),
                    size: [*size; 3],
                },
                None => whole_image_mapping(geometry, mesh, sides, at, cx)?,
            };
            let repeats = size_m.is_some() || matches!(mapping, Mapping::Corners(..));
            SurfaceTexture {
                texture: cx.assets.image(
                    file,
                    repeats,
                    at.key_place("file"),
                    &mut cx.problems(),
                )?,
                mapping,
            }
        }
        TextureConfig::AprilTag {
            id, size_m, sides, ..
        } => {
            let whole = size_m * CELLS as f64 / BLACK_CELLS as f64;
            let mapping = Mapping::Sides {
                shown: visible_sides(sides),
                size: [[whole; 2]; 3],
            };
            SurfaceTexture {
                texture: Arc::new(tag_image(*id as usize)),
                mapping,
            }
        }
        TextureConfig::Helipad { size_m, sides, .. } => {
            let mapping = Mapping::Sides {
                shown: visible_sides(sides),
                size: [[*size_m; 2]; 3],
            };
            SurfaceTexture {
                texture: Arc::new(helipad_image(*size_m)),
                mapping,
            }
        }
    };
    Some(Arc::new(coat))
}

/// Returns the mapping of an image that is not repeated: each side of a box, or the texture
/// coordinates of the file and scale `mesh`. Returns `None` after reporting a problem.
fn whole_image_mapping(
    geometry: &Geometry,
    mesh: Option<(&str, [f64; 3])>,
    sides: &[ShapeSideConfig],
    places: &Places,
    cx: Context<'_>,
) -> Option<Mapping> {
    match (geometry, mesh) {
        (Geometry::Primitive(Primitive::Box { half }), _) => {
            let [x, y, z] = half.to_array().map(|half| 2.0 * half);
            Some(Mapping::Sides {
                shown: visible_sides(sides),
                size: [[y, z], [x, z], [x, y]],
            })
        }
        (_, Some((name, scale))) => {
            let found = cx.assets.mesh_corners(
                name,
                scale,
                places.key_place("file"),
                &mut cx.problems(),
            )?;
            let Some((mesh, corners)) = found else {
                let text = format!(
                    "the mesh {} has no texture coordinates; add `size_m` to the texture",
                    quote(name)
                );
                return cx.refuse(&places.whole, text);
            };
            Some(Mapping::Corners(mesh, corners))
        }
        _ => cx.refuse(
            &places.whole,
            "expected `size_m`: only boxes and meshes can show an image without it",
        ),
    }
}

/// Returns which of the sides -x, +x, -y, +y, -z and +z show a texture; all if `sides` is empty.
fn visible_sides(sides: &[ShapeSideConfig]) -> [bool; 6] {
    use ShapeSideConfig::{Back, Bottom, Front, Left, Right, Top};
    [Back, Front, Right, Left, Bottom, Top].map(|side| sides.is_empty() || sides.contains(&side))
}

fn pixel(light: f32, cover: f32) -> [f32; 4] {
    [light * cover, light * cover, light * cover, cover]
}

fn tag_image(id: usize) -> Texture {
    let (cells, n) = (apriltag::cells(id), CELLS * SAMPLES_PER_CELL);
    let point = |k: usize| {
        let white = cells[k / n / SAMPLES_PER_CELL][k % n / SAMPLES_PER_CELL];
        pixel(if white { WHITE } else { BLACK_INK }, 1.0)
    };
    Texture::new([n, n], (0..n * n).map(point).collect(), false)
}

/// Generates a white ring around a white H. The letter is 3 m high and 1.8 m wide with strokes of
/// 0.4 m [ICAO Annex 14, vol. II, 5.2.2], in a ring with a stroke of 0.3 m. For smaller circles the
/// pattern is scaled down, with the letter half as high as the diameter of the circle.
fn helipad_image(size: f64) -> Texture {
    let high = (0.5 * size).min(3.0);
    let (wide, stroke, ring) = (0.6 * high, 0.4 / 3.0 * high, (0.05 * size).min(0.3));
    let covers = |x: f64, y: f64| {
        let r = (x * x + y * y).sqrt();
        let letter = y.abs() <= 0.5 * high
            && x.abs() <= 0.5 * wide
            && (x.abs() >= 0.5 * wide - stroke || y.abs() <= 0.5 * stroke);
        letter || (r <= 0.5 * size && r >= 0.5 * size - ring)
    };
    let scale = size / HELIPAD_SAMPLES as f64;
    let point = |k: usize| {
        let mut cover = 0.0;
        // Sixteen samples per pixel.
        for part in 0..16 {
            let (i, j) = ((part % 4) as f64, (part / 4) as f64);
            let x = ((k % HELIPAD_SAMPLES) as f64 + 0.125 + 0.25 * i) * scale - 0.5 * size;
            let y = ((k / HELIPAD_SAMPLES) as f64 + 0.125 + 0.25 * j) * scale - 0.5 * size;
            cover += if covers(x, y) { 1.0 / 16.0 } else { 0.0 };
        }
        pixel(WHITE, cover)
    };
    Texture::new(
        [HELIPAD_SAMPLES, HELIPAD_SAMPLES],
        (0..HELIPAD_SAMPLES * HELIPAD_SAMPLES).map(point).collect(),
        false,
    )
}
