//! Measures the cost of rays, in nanoseconds of CPU time of a thread: the Merrow part of
//! `benches/rays`.
//!
//! `--write FOLDER` writes scenes and rays for the other programs. `--round` traces every set once
//! after a warm-up and prints one JSON object, by the size of the scene: ns per ray of each set,
//! the time to build the tree, and its bytes per triangle; then the same ground as a height field,
//! by its pyramid and by the walk over its cells.

#[path = "../test/common/ray_scene.rs"]
#[expect(dead_code, reason = "only tests use random rays and rays at edges")]
mod ray_scene;

use merrow_math::{Mat3, Vec3};
use merrow_model::scene::sea::grid::{Axis, Extrapolation, Grid, Interpolation, Samples};
use merrow_model::scene::sea::terrain::Terrain;
use merrow_raytrace::{Heightfield, Hit, Mesh, PosedShape, Ray, RayShape, Scratch, ShapeScene};
use ray_scene::{Rays, Soup};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

/// Numbers of squares along a side of the terrain, one scene each.
const SIZES: [u32; 2] = [232, 709];
/// Number of rays per call.
const BATCH: usize = 256;
/// Maximum range of the rays [m].
const REACH: f64 = 1e5;

/// Returns the CPU time of this thread [ns]; other processes on the machine do not affect it.
fn thread_time_ns() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}

/// Returns the time per ray [ns]. Rays are read from single precision and distances stored so, as
/// in the other programs.
fn time_per_ray(all: &ShapeScene, rays: &[[f32; 6]]) -> f64 {
    let empty = Ray {
        origin: Vec3::zero(),
        direction: Vec3::zero(),
        range: [0.0, REACH],
    };
    let (mut some, mut hits): ([Ray; BATCH], [Option<Hit>; BATCH]) =
        ([empty; BATCH], [None; BATCH]);
    let mut scratch = Scratch::default();
    let mut distances = vec![f32::INFINITY; rays.len()];
    let mut last = 0.0;
    for _ in 0..2 {
        let start = thread_time_ns();
        for (from, to) in rays.chunks(BATCH).zip(distances.chunks_mut(BATCH)) {
            for (ray, from) in some.iter_mut().zip(from) {
                let [a, b, c, x, y, z] = from.map(f64::from);
                (ray.origin, ray.direction) = (Vec3::new(a, b, c), Vec3::new(x, y, z));
            }
            all.closest_all(&some[..from.len()], &(0..0), &mut scratch, &mut hits);
            for (hit, to) in hits.iter().zip(to) {
                *to = hit.map_or(f32::INFINITY, |hit| hit.distance as f32);
            }
        }
        last = (thread_time_ns() - start) / rays.len() as f64;
        black_box(&mut distances);
    }
    last
}

fn single_shape(shape: RayShape) -> ShapeScene {
    ShapeScene::new(
        vec![PosedShape {
            shape,
            R_WG: Mat3::identity(),
            p_WG: Vec3::zero(),
        }],
        vec![],
    )
}

fn singles(set: &Rays) -> Vec<[f32; 6]> {
    let six = |[o, d]: &[Vec3; 2]| [o.x, o.y, o.z, d.x, d.y, d.z].map(|x| x as f32);
    set.rays.iter().map(six).collect()
}

/// Returns the terrain of the scene as a grid.
fn terrain(soup: &Soup, n: u32) -> Arc<Terrain> {
    let count = n as usize + 1;
    let axis = || {
        Axis::new(
            (0..count)
                .map(|k| k as f64 * 1000.0 / f64::from(n))
                .collect(),
        )
    };
    let grid = Grid {
        plane: None,
        samples: Samples::F32(
            soup.vertices[..count * count]
                .iter()
                .map(|p| p.z as f32)
                .collect(),
        ),
        axes: [axis(), axis(), Axis::single(), Axis::single()],
        first: 0,
        strides: [1, count as isize, 0, 0],
        interpolation: Interpolation::Linear,
        extrapolation: Extrapolation::Clamp,
        digest: u64::from(n),
    };
    match Terrain::new(Arc::new(grid)) {
        Some(terrain) => Arc::new(terrain),
        None => panic!("the axes are evenly spaced"),
    }
}

/// Measures the scene of `n` x `n` terrain squares: building the tree, and every set of rays.
fn measure_scene(n: u32, sets: &[Rays]) -> Value {
    let soup = ray_scene::scene(n);
    let mut out = Map::new();
    let start = thread_time_ns();
    let mesh = Mesh::new(&soup.vertices, &soup.triangles);
    out.insert("build_ms".into(), json!((thread_time_ns() - start) * 1e-6));
    out.insert(
        "bytes_per_triangle".into(),
        json!(mesh.bytes() as f64 / soup.triangles.len() as f64),
    );
    let all = single_shape(RayShape::Mesh(Arc::new(mesh)));
    for set in sets {
        out.insert(
            format!("{}_ns", set.name),
            json!(time_per_ray(&all, &singles(set))),
        );
    }
    let terrain = terrain(&soup, n);
    let ground = single_shape(RayShape::Ground(Arc::new(Heightfield::new(
        terrain.clone(),
    ))));
    for set in sets {
        out.insert(
            format!("ground_{}_ns", set.name),
            json!(time_per_ray(&ground, &singles(set))),
        );
        // the walk is slow: measure a subset of the rays
        let some: Vec<_> = set.rays.iter().step_by(97).collect();
        let start = thread_time_ns();
        for [p, d] in &some {
            black_box(terrain.range(*p, *d));
        }
        let walk = (thread_time_ns() - start) / some.len() as f64;
        out.insert(format!("ground_walk_{}_ns", set.name), json!(walk));
    }
    Value::Object(out)
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let sets = ray_scene::sets();
    if let [word, folder] = &words[..]
        && word == "--write"
    {
        let folder = Path::new(folder);
        for n in SIZES {
            ray_scene::write_scene(&folder.join(format!("scene_{n}.bin")), &ray_scene::scene(n))?;
        }
        for set in &sets {
            ray_scene::write_rays(&folder.join(format!("rays_{}.bin", set.name)), &set.rays)?;
        }
    } else {
        let all: Map<String, Value> = SIZES
            .iter()
            .map(|n| (n.to_string(), measure_scene(*n, &sets)))
            .collect();
        println!("{}", Value::Object(all));
    }
    Ok(())
}
