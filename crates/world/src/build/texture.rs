//! Conversion of textures on shapes.

use crate::import::apriltag;
use crate::import::apriltag::{BLACK, CELLS};
use crate::import::assets::Assets;
use crate::schema::texture::{SideFile, TextureFile};
use merrow_model::scene::robot::collision::Geometry;
use merrow_model::scene::texture::{Coat, Mapping, Texture};
use merrow_yaml::error::{Problems, quote};
use std::sync::Arc;

/// Samples along a cell of a tag.
const POINTS: usize = 16;
/// Samples along a side of the helipad image.
const PAD: usize = 512;
/// Reflectance of printed and painted white.
const WHITE: f32 = 0.85;
/// Reflectance of printed black.
const BLACK_INK: f32 = 0.03;

/// Builds the texture of a shape with this geometry; `mesh` is the file and scale of a mesh.
pub fn coat(
    file: &TextureFile,
    geometry: &Geometry,
    mesh: Option<(&str, [f64; 3])>,
    assets: &Assets,
    problems: &mut Problems,
) -> Option<Arc<Coat>> {
    let coat = match file {
        TextureFile::Image {
            file,
            size_m,
            sides,
            at,
        } => {
            let whole = size_m.is_none();
            let mapping = match (size_m, geometry, mesh) {
                (Some(size), ..) => Mapping::Sides {
                    shown: shown(sides),
                    size: [*size; 3],
                },
                (None, Geometry::Box { half }, _) => {
                    let [x, y, z] = half.to_array().map(|half| 2.0 * half);
                    Mapping::Sides {
                        shown: shown(sides),
                        size: [[y, z], [x, z], [x, y]],
                    }
                }
                (None, _, Some((name, scale))) => {
                    let found = assets.corners(name, scale, at.of("file"), problems)?;
                    let Some((mesh, corners)) = found else {
                        let text = format!(
                            "the mesh {} has no texture coordinates: add `size_m` to the texture",
                            quote(name)
                        );
                        problems.push(&at.whole, text);
                        return None;
                    };
                    Mapping::Corners(mesh, corners)
                }
                _ => {
                    problems.push(
                        &at.whole,
                        "expected `size_m`: only boxes and meshes can show an image without it",
                    );
                    return None;
                }
            };
            let repeats = !whole || matches!(mapping, Mapping::Corners(..));
            Coat {
                texture: assets.picture(file, repeats, at.of("file"), problems)?,
                mapping,
            }
        }
        TextureFile::AprilTag {
            id, size_m, sides, ..
        } => {
            let whole = size_m * CELLS as f64 / BLACK as f64;
            let mapping = Mapping::Sides {
                shown: shown(sides),
                size: [[whole; 2]; 3],
            };
            Coat {
                texture: Arc::new(tag(*id as usize)),
                mapping,
            }
        }
        TextureFile::Helipad { size_m, sides, .. } => {
            let mapping = Mapping::Sides {
                shown: shown(sides),
                size: [[*size_m; 2]; 3],
            };
            Coat {
                texture: Arc::new(helipad(*size_m)),
                mapping,
            }
        }
    };
    Some(Arc::new(coat))
}

fn shown(sides: &[SideFile]) -> [bool; 6] {
    use SideFile::{Back, Bottom, Front, Left, Right, Top};
    [Back, Front, Right, Left, Bottom, Top].map(|side| sides.is_empty() || sides.contains(&side))
}

fn painted(light: f32, cover: f32) -> [f32; 4] {
    [light * cover, light * cover, light * cover, cover]
}

fn tag(id: usize) -> Texture {
    let (cells, n) = (apriltag::cells(id), CELLS * POINTS);
    let point = |k: usize| {
        let white = cells[k / n / POINTS][k % n / POINTS];
        painted(if white { WHITE } else { BLACK_INK }, 1.0)
    };
    Texture::new([n, n], (0..n * n).map(point).collect(), false)
}

/// Generates a white ring around a white H. The letter is 3 m high and 1.8 m wide with strokes of
/// 0.4 m [ICAO Annex 14, vol. II, 5.2.2], in a ring with a stroke of 0.3 m. For smaller circles
/// everything is scaled down, with the letter half as high as the diameter of the circle.
fn helipad(size: f64) -> Texture {
    let high = (0.5 * size).min(3.0);
    let (wide, stroke, ring) = (0.6 * high, 0.4 / 3.0 * high, (0.05 * size).min(0.3));
    let covers = |x: f64, y: f64| {
        let r = (x * x + y * y).sqrt();
        let letter = y.abs() <= 0.5 * high
            && x.abs() <= 0.5 * wide
            && (x.abs() >= 0.5 * wide - stroke || y.abs() <= 0.5 * stroke);
        letter || (r <= 0.5 * size && r >= 0.5 * size - ring)
    };
    let scale = size / PAD as f64;
    let point = |k: usize| {
        let mut cover = 0.0;
        // Sixteen samples per pixel.
        for part in 0..16 {
            let (i, j) = ((part % 4) as f64, (part / 4) as f64);
            let x = ((k % PAD) as f64 + 0.125 + 0.25 * i) * scale - 0.5 * size;
            let y = ((k / PAD) as f64 + 0.125 + 0.25 * j) * scale - 0.5 * size;
            cover += if covers(x, y) { 1.0 / 16.0 } else { 0.0 };
        }
        painted(WHITE, cover)
    };
    Texture::new([PAD, PAD], (0..PAD * PAD).map(point).collect(), false)
}
