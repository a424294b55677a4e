//! What can be touched: shapes fixed to links and to the world, and what their surfaces are like.

use crate::scene::texture::Coat;
use merrow_math::{Mat3, Vec3};
use std::sync::Arc;

/// A closed or open surface of triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Corners [m].
    pub vertices: Vec<Vec3>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Heights on a regular grid, the middle of the grid at the shape's origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    /// Samples along x and y.
    pub count: [usize; 2],
    /// Extent along x and y [m].
    pub size: [f64; 2],
    /// Heights over the shape's xy plane, x fastest [m].
    pub heights: Vec<f64>,
}

/// A shape, about its own origin along its own axes G.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// A ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// A box.
    Box {
        /// Half of length, width and height [m].
        half: Vec3,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Half of its length [m].
        half_length: f64,
    },
    /// A cylinder along z with round ends.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Half of the length between the centres of the ends [m].
        half_length: f64,
    },
    /// The convex hull of a mesh's corners.
    ConvexHull(Arc<Mesh>),
    /// A mesh cut into convex parts.
    ConvexParts(Arc<Mesh>),
    /// The mesh's triangles themselves; for what does not move.
    Mesh(Arc<Mesh>),
    /// Terrain on a grid; for what does not move.
    Heightfield(Arc<Heightfield>),
}

/// What a surface is like. Two touching surfaces share the geometric mean of friction and the larger restitution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// Newton's coefficient of restitution, 0..1.
    pub restitution: f64,
    /// Part of a laser's light that it gives back, as if in all directions, 0..1.
    pub reflectivity: f64,
    /// Coefficient of retro-reflection, met upright: light that comes back to where it came from [cd/(lx m²)]; 0 for most.
    pub retro: f64,
    /// Part of red, green and blue light that it gives back in all directions, 0..1.
    pub color: [f64; 3],
    /// What it gives back of a sonar's sound.
    pub backscatter: Backscatter,
}

impl Default for Material {
    /// Wet plastic on stone, roughly.
    fn default() -> Self {
        Self {
            friction: 0.5,
            restitution: 0.0,
            reflectivity: 0.5,
            retro: 0.0,
            color: [0.5; 3],
            backscatter: Backscatter::ROCK,
        }
    }
}

/// What a surface does to a sonar's sound: back-scattering strength of a square metre, and what lies below, which mirrors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backscatter {
    /// Lambert's parameter: strength over the square of the sine of the grazing angle [dB].
    pub lambert_db: f64,
    /// Strengths at grazing angles of 0, 10, ... 90 degrees instead [dB].
    pub table: Option<[f64; 10]>,
    /// What lies below.
    pub ground: Ground,
}

/// Ground as sound meets it: a fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Density [kg/m³].
    pub density: f64,
    /// Speed of sound [m/s].
    pub sound_speed: f64,
    /// Attenuation [dB a wavelength].
    pub attenuation: f64,
    /// Standard deviation of the height of its surface [m].
    pub roughness: f64,
}

impl Backscatter {
    /// -27 dB, the mean of deep bottoms. [Mackenzie 1961]
    pub const ROCK: Self = Self {
        lambert_db: -27.0,
        table: None,
        ground: Ground::SAND,
    };
}

impl Ground {
    /// Sand. [Jensen 2011, ch. 1]
    pub const SAND: Self = Self {
        density: 1900.0,
        sound_speed: 1650.0,
        attenuation: 0.8,
        roughness: 0.0,
    };
}

/// Which colliders may touch: two do if each is a member of a group that the other meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// Groups it is in, a bit each.
    pub member: u32,
    /// Groups it touches, a bit each.
    pub meets: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Self {
            member: 1,
            meets: u32::MAX,
        }
    }
}

/// A shape fixed to a link, or to the world.
#[derive(Clone, Debug)]
pub struct Collider {
    /// Name, as published with contacts.
    pub name: String,
    /// Link it is part of; 0 for what is fixed in the world.
    pub link: usize,
    /// Shape.
    pub geometry: Geometry,
    /// Shape's axes in L, or in the world.
    pub R_LG: Mat3,
    /// Shape's origin in L, or in the world [m].
    pub p_LoG: Vec3,
    /// Surface.
    pub material: Material,
    /// What it may touch.
    pub groups: Groups,
    /// A picture on it.
    pub coat: Option<Arc<Coat>>,
}

/// Something that stands in the world and does not move: a dock, a wall, a rock, a bathymetry.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Name.
    pub name: String,
    /// Its shapes, placed in the world.
    pub colliders: Vec<Collider>,
}
