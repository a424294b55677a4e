//! Small procedural meshes: a lump, a clump of lumps, a tuft of weed, a tyre; and their OBJ files.
//!
//! # Law
//! ```text
//!   lump   r(d) = 1 + s f(d)                                  over the vertices of a sphere of rings and columns
//!   clump  lumps at r = √(k/n), φ = k·137.5°, with random inclination
//!   tyre   a torus whose section is a box with round corners:  |u/w|^4 + |v/h|^4 = 1
//!   tuft   ribbons from the origin, each bent by half its length
//! ```
//! # Symbols
//! d direction · f relief of standard deviation 1 (`relief.rs`) · s its fraction of the radius · u,
//! v across and outwards in the tyre's section, w, h its half sizes.
//!
//! # Frames
//! The mesh's own: a lump about its centre, with radius 1; a clump on the plane x = 0, outwards
//! along x, of the same width; a tyre about its centre, its axis z; a tuft grows along z.
//!
//! # Limits
//! Shapes for rendering only; none of them is based on measurements.
//!
//! # Checked by
//! tests below

use crate::sites::relief::Relief;
use merrow_math::real::sin_cos;
use merrow_math::rng;
use merrow_math::{Mat3, Vec3};
use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;

/// A triangle mesh with its name.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Positions of the vertices [m].
    pub corners: Vec<Vec3>,
    /// Vertex indices of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
}

impl Mesh {
    /// Adds a quadrilateral, counter-clockwise seen from outside; a triangle if two of its corners
    /// coincide.
    pub fn add_quad(&mut self, [a, b, c, d]: [usize; 4]) {
        for t in [[a, b, c], [a, c, d]] {
            let [p, q, r] = t.map(|k| self.corners[k]);
            if (q - p).cross(r - p).norm() > 1e-9 {
                self.triangles.push(t);
            }
        }
    }

    /// Returns the mesh as an OBJ file with a resolution of 1 mm and `what` as a comment. Writing
    /// to a String does not fail.
    pub fn to_obj(&self, what: &str) -> Vec<u8> {
        let mut out = format!("# {what}\n");
        for p in &self.corners {
            let _ = writeln!(out, "v {:.3} {:.3} {:.3}", p.x, p.y, p.z);
        }
        for [a, b, c] in &self.triangles {
            let _ = writeln!(out, "f {} {} {}", a + 1, b + 1, c + 1);
        }
        out.into_bytes()
    }

    /// Returns the enclosed volume of a closed mesh [m³].
    pub fn volume(&self) -> f64 {
        let six = |t: &[usize; 3]| {
            let [a, b, c] = t.map(|k| self.corners[k]);
            a.dot(b.cross(c))
        };
        self.triangles.iter().map(six).sum::<f64>() / 6.0
    }
}

/// Returns a lump of mean radius 1 with relative roughness `roughness` and `columns` by `rings`
/// faces.
pub fn lump_mesh(stream: &rng::Stream, roughness: f64, [columns, rings]: [usize; 2]) -> Mesh {
    let relief = Relief::new(stream, [0.45, 1.8], false);
    let mut mesh = Mesh::default();
    let place = |d: Vec3| d.scale((1.0 + roughness * relief.evaluate(d)).clamp(0.55, 1.6));
    mesh.corners.push(place(Vec3::new(0.0, 0.0, -1.0)));
    for j in 1..rings {
        let (sp, cp) = sin_cos(PI * (j as f64 / rings as f64 - 0.5));
        for i in 0..columns {
            let (s, c) = sin_cos(TAU * i as f64 / columns as f64);
            mesh.corners.push(place(Vec3::new(cp * c, cp * s, sp)));
        }
    }
    mesh.corners.push(place(Vec3::new(0.0, 0.0, 1.0)));
    let last = mesh.corners.len() - 1;
    let at = |i: usize, j: usize| match j {
        0 => 0,
        j if j == rings => last,
        j => 1 + (j - 1) * columns + i % columns,
    };
    for j in 0..rings {
        for i in 0..columns {
            mesh.add_quad([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    mesh
}

/// Returns a clump of `n` small lumps on a surface with outward direction x, within a radius of
/// about 1. `slim` is their width divided by their height.
pub fn clump_mesh(stream: &rng::Stream, n: u64, slim: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for k in 0..n {
        let mut draw = stream.draw(k);
        // uniform over the disc: the golden angle
        let (s, c) = sin_cos(2.399_963 * k as f64 + 0.6 * draw.uniform());
        let r = 0.95 * ((k as f64 + 0.5) / n as f64).sqrt();
        let size = (1.15 - 0.5 * r) * (0.75 + 0.5 * draw.uniform()) * 1.3 / (n as f64).sqrt();
        let (lean, turn) = (1.0 * (draw.uniform() - 0.5), 1.0 * (draw.uniform() - 0.5));
        let axes = Mat3::from_rpy(TAU * draw.uniform(), lean, turn);
        let part = lump_mesh(stream, 0.07, [7, 4]);
        let first = mesh.corners.len();
        let place = |p: &Vec3| {
            let q = axes
                .mul_vec(Vec3::new(p.x, slim * p.y, 0.8 * slim * p.z))
                .scale(size);
            q + Vec3::new(0.3 * size, r * c, r * s)
        };
        mesh.corners.extend(part.corners.iter().map(place));
        mesh.triangles
            .extend(part.triangles.iter().map(|t| t.map(|i| first + i)));
    }
    mesh
}

/// Returns a car tyre from outer radius, rim radius and half width [m].
pub fn tyre_mesh(outer: f64, rim: f64, half_width: f64) -> Mesh {
    let (around, section) = (32, 12);
    let (mean_radius, half_height) = (0.5 * (outer + rim), 0.5 * (outer - rim));
    let mut mesh = Mesh::default();
    for i in 0..around {
        let (s, c) = sin_cos(TAU * i as f64 / around as f64);
        for j in 0..section {
            let (sv, cv) = sin_cos(TAU * j as f64 / section as f64);
            let four = |x: f64| x * x * x * x;
            let k = 1.0 / (four(sv) + four(cv)).sqrt().sqrt();
            let (r, z) = (mean_radius + half_height * k * cv, half_width * k * sv);
            mesh.corners.push(Vec3::new(r * c, r * s, z));
        }
    }
    let at = |i: usize, j: usize| (i % around) * section + j % section;
    for i in 0..around {
        for j in 0..section {
            mesh.add_quad([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    mesh
}

/// Returns a tuft of `n` ribbons of weed, about 1 m high.
pub fn tuft_mesh(stream: &rng::Stream, n: u64) -> Mesh {
    let joints = 5;
    let mut mesh = Mesh::default();
    for k in 0..n {
        let mut draw = stream.draw(k);
        let (s, c) = sin_cos(TAU * draw.uniform());
        let (length, lean, width) = (
            0.55 + 0.5 * draw.uniform(),
            0.2 + 0.6 * draw.uniform(),
            0.035 + 0.035 * draw.uniform(),
        );
        let wave = TAU * draw.uniform();
        let first = mesh.corners.len();
        for j in 0..=joints {
            let t = j as f64 / joints as f64;
            let out = lean * length * t * t;
            let aside = 0.06 * length * t * sin_cos(wave + 5.0 * t).0;
            let center = Vec3::new(
                out * c - aside * s,
                out * s + aside * c,
                length * t * (1.0 - 0.35 * lean * t),
            );
            let half =
                Vec3::new(-s, c, 0.0).scale(width * (0.35 + t) * (1.0 - t * t * t).max(0.05));
            mesh.corners.extend([center - half, center + half]);
        }
        for j in 0..joints {
            let a = first + 2 * j;
            mesh.add_quad([a, a + 1, a + 3, a + 2]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if every edge occurs once in each direction.
    fn closed(mesh: &Mesh) -> bool {
        let mut edges: Vec<[usize; 2]> = mesh
            .triangles
            .iter()
            .flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]])
            .collect();
        edges.sort_unstable();
        edges
            .iter()
            .all(|[a, b]| edges.binary_search(&[*b, *a]).is_ok())
    }

    // Lumps and tyres are closed and oriented outwards. Method: edges, volumes. Tolerance: the
    // volume of a smooth lump is smaller than the volume of a ball because of its flat faces, 12 %;
    // a tyre's section fills 0.92 of its box (12 corners on |u|^4 + |v|^4 = 1), within 5 %.
    #[test]
    fn meshes_are_closed_with_outward_normals() {
        let ball = lump_mesh(&rng::Stream::new(1, "lump"), 0.0, [14, 8]);
        assert!(
            closed(&ball) && (ball.volume() / (4.0 / 3.0 * PI) - 0.94).abs() < 0.06,
            "{}",
            ball.volume()
        );
        let rough = lump_mesh(&rng::Stream::new(1, "lump"), 0.15, [14, 8]);
        assert!(closed(&rough) && rough.volume() > 2.5);
        let tyre = tyre_mesh(0.31, 0.19, 0.09);
        let box_ring = 0.12 * 0.18 * TAU * 0.25;
        assert!(
            closed(&tyre) && (tyre.volume() / box_ring / 0.88 - 1.0).abs() < 0.06,
            "{}",
            tyre.volume() / box_ring
        );
    }
}
