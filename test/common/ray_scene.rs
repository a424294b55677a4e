//! The test scene for ray casting: a fractal terrain of 1 km x 1 km with five hulls, and the rays
//! of lidars, cameras, echo sounders and an incoherent set.

use merrow_math::Vec3;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A triangle mesh: vertices and triangles.
pub(crate) struct Soup {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// A set of rays: origin and direction, exactly representable in single precision.
pub(crate) struct Rays {
    pub name: &'static str,
    pub rays: Vec<[Vec3; 2]>,
}

/// Returns a number uniform in [0, 1), from a counter.
fn uniform(seed: u64) -> f64 {
    let mut x = seed
        .wrapping_add(0x9e37_79b9_7f4a_7c15)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ x >> 29) as f64 * 0.5_f64.powi(64)
}

fn lattice(octave: u64, i: i64, j: i64) -> f64 {
    uniform(octave << 48 ^ ((i as u64) << 24) ^ j as u64 & 0xff_ffff) - 0.5
}

/// Returns the height of the terrain [m]: octaves of smoothed noise, each with half the wavelength
/// and 0.45 times the height of the previous one.
pub(crate) fn ground(x: f64, y: f64) -> f64 {
    let (mut z, mut size, mut height) = (-30.0, 400.0, 60.0);
    for octave in 0..9 {
        let (u, v) = (x / size, y / size);
        let (i, j) = (u.floor(), v.floor());
        let smooth = |s: f64| s * s * (3.0 - 2.0 * s);
        let (s, t) = (smooth(u - i), smooth(v - j));
        let at = |di: i64, dj: i64| lattice(octave, i as i64 + di, j as i64 + dj);
        let south = at(0, 0) + s * (at(1, 0) - at(0, 0));
        let north = at(0, 1) + s * (at(1, 1) - at(0, 1));
        z += height * (south + t * (north - south));
        size *= 0.5;
        height *= 0.45;
    }
    z
}

/// Returns the scene with `n` x `n` squares of terrain; 232 give 115 328 triangles, 709 a million.
pub(crate) fn scene(n: u32) -> Soup {
    let mut soup = Soup {
        vertices: Vec::new(),
        triangles: Vec::new(),
    };
    let step = 1000.0 / f64::from(n);
    for j in 0..=n {
        for i in 0..=n {
            let (x, y) = (f64::from(i) * step, f64::from(j) * step);
            soup.vertices.push(rounded(Vec3::new(x, y, ground(x, y))));
        }
    }
    for j in 0..n {
        for i in 0..n {
            let a = j * (n + 1) + i;
            soup.triangles
                .extend([[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]);
        }
    }
    for k in 0..5 {
        let middle = Vec3::new(
            150.0 + 170.0 * f64::from(k),
            300.0 + 97.0 * f64::from(k * k % 5),
            0.0,
        );
        hull(
            &mut soup,
            middle,
            Vec3::new(30.0 - 3.0 * f64::from(k), 6.0, 4.0 + f64::from(k)),
        );
    }
    soup
}

/// Adds an ellipsoid of 24 x 32 quadrilaterals.
fn hull(soup: &mut Soup, middle: Vec3, half: Vec3) {
    let (rings, around) = (24_u32, 32_u32);
    let first = soup.vertices.len() as u32;
    for j in 0..=rings {
        for i in 0..around {
            let (a, b) = (
                std::f64::consts::PI * f64::from(j) / f64::from(rings),
                std::f64::consts::TAU * f64::from(i) / f64::from(around),
            );
            let p = Vec3::new(
                half.x * a.cos(),
                half.y * a.sin() * b.cos(),
                half.z * a.sin() * b.sin(),
            );
            soup.vertices.push(rounded(middle + p));
        }
    }
    for j in 0..rings {
        for i in 0..around {
            let (a, b) = (
                first + j * around + i,
                first + j * around + (i + 1) % around,
            );
            soup.triangles
                .extend([[a, a + around, b + around], [a, b + around, b]]);
        }
    }
}

fn rounded(p: Vec3) -> Vec3 {
    let [x, y, z] = p.to_array().map(|x| f64::from(x as f32));
    Vec3::new(x, y, z)
}

fn ray(p: Vec3, d: Vec3) -> [Vec3; 2] {
    [rounded(p), rounded(d.scale(1.0 / d.norm()))]
}

fn of_angles(azimuth: f64, elevation: f64) -> Vec3 {
    let (se, ce) = elevation.sin_cos();
    let (sa, ca) = azimuth.sin_cos();
    Vec3::new(ce * ca, ce * sa, se)
}

/// Returns the sets of rays of sensors.
pub(crate) fn sets() -> [Rays; 3] {
    [lidar(), camera(), multibeam()]
}

fn lidar() -> Rays {
    let p = Vec3::new(480.0, 520.0, ground(480.0, 520.0).max(0.0) + 12.0);
    let beam = |k: u32| {
        let (row, column) = (f64::from(k / 1024), f64::from(k % 1024));
        ray(
            p,
            of_angles(
                std::f64::consts::TAU * column / 1024.0,
                (row / 63.0 * 45.0 - 35.0).to_radians(),
            ),
        )
    };
    Rays {
        name: "lidar",
        rays: (0..64 * 1024).map(beam).collect(),
    }
}

fn camera() -> Rays {
    let p = Vec3::new(120.0, 150.0, 40.0);
    let pixel = |k: u32| {
        // Tiles of 8 x 8 pixels, row by row.
        let (tile, inside) = (k / 64, k % 64);
        let (column, row) = (tile % 64 * 8 + inside % 8, tile / 64 * 8 + inside / 8);
        let of = |i: u32| (f64::from(i) + 0.5) / 256.0 - 1.0;
        let (right, down) = (of(column), of(row));
        ray(
            p,
            Vec3::new(0.7 + 0.7 * right, 0.7 - 0.7 * right, -0.35 - down),
        )
    };
    Rays {
        name: "camera",
        rays: (0..512 * 512).map(pixel).collect(),
    }
}

fn multibeam() -> Rays {
    let beam = |k: u32| {
        let (ping, number) = (f64::from(k / 512), f64::from(k % 512));
        let angle = (number - 256.0) / 512.0 * 130.0_f64.to_radians();
        ray(
            Vec3::new(100.0 + 3.0 * ping, 500.0, 0.0),
            Vec3::new(0.0, angle.sin(), -angle.cos()),
        )
    };
    Rays {
        name: "multibeam",
        rays: (0..256 * 512).map(beam).collect(),
    }
}

/// Returns rays with random origins and directions.
pub(crate) fn incoherent() -> Rays {
    let one = |k: u64| {
        let of = |i: u64| uniform(1 << 60 | k << 4 | i);
        let (x, y) = (1000.0 * of(0), 1000.0 * of(1));
        let p = Vec3::new(x, y, ground(x, y) + 0.5 + 60.0 * of(2));
        ray(
            p,
            of_angles(std::f64::consts::TAU * of(3), (2.0 * of(4) - 1.0).asin()),
        )
    };
    Rays {
        name: "incoherent",
        rays: (0..131_072).map(one).collect(),
    }
}

/// Returns rays at corners and midpoints of edges of the terrain with `n` x `n` squares, vertical
/// and oblique.
pub(crate) fn edges(soup: &Soup, n: u32) -> Rays {
    let one = |k: u64| {
        let of = |i: u64| uniform(2 << 60 | k << 4 | i);
        let at = |i: u64| 1 + (of(i) * f64::from(n - 2)) as u32;
        let (i, j) = (at(0), at(1));
        let corner = |di: u32, dj: u32| soup.vertices[((j + dj) * (n + 1) + i + di) as usize];
        // Along a row, a column, or the diagonal that divides a square.
        let other = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)][k as usize % 4];
        let target = (corner(0, 0) + other).scale(0.5);
        let down = (k / 4).is_multiple_of(2);
        let d = if down {
            Vec3::new(0.0, 0.0, -1.0)
        } else {
            of_angles(6.0 * of(2), -1.2)
        };
        let p = rounded(target - d.scale(30.0 + 60.0 * of(3)));
        ray(p, if down { d } else { target - p })
    };
    Rays {
        name: "edges",
        rays: (0..65_536).map(one).collect(),
    }
}

/// Writes a scene for other programs: counts of vertices and triangles (u32), vertices (f32 x 3),
/// triangles (u32 x 3), little-endian.
pub(crate) fn write_scene(path: &Path, soup: &Soup) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for count in [soup.vertices.len(), soup.triangles.len()] {
        file.write_all(&(count as u32).to_le_bytes())?;
    }
    for x in soup.vertices.iter().flat_map(|p| p.to_array()) {
        file.write_all(&(x as f32).to_le_bytes())?;
    }
    for k in soup.triangles.iter().flatten() {
        file.write_all(&k.to_le_bytes())?;
    }
    file.flush()
}

/// Writes rays: origin and direction of each (f32 x 6), little-endian.
pub(crate) fn write_rays(path: &Path, rays: &[[Vec3; 2]]) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for x in rays.iter().flatten().flat_map(|v| v.to_array()) {
        file.write_all(&(x as f32).to_le_bytes())?;
    }
    file.flush()
}
