//! Estimates the hydrodynamics of a body from its shape, for bodies without measured coefficients.
//!
//! Each shape gives volume, added mass and drag about its own centre along its own axes. This
//! module transforms them to the body frame and sums them. The sum assumes that each shape is
//! isolated in the water, so it is too high where shapes overlap or shadow each other.

mod block;
mod cylinder;
mod drag;
mod ellipsoid;
mod solid_mesh;
mod table;

pub use crate::import::estimate::solid_mesh::equivalent_ellipsoid;

use merrow_math::{Mat3, SpatialInertia, Sym3, Vec3};

/// A simple shape about its own centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solid {
    /// Box with length, width and height [m].
    Box([f64; 3]),
    /// Cylinder with its axis along z.
    Cylinder {
        /// Radius of the shape [m].
        radius: f64,
        /// Length along the axis [m].
        length: f64,
    },
    /// Ellipsoid with semi-axes along x, y, z [m].
    Ellipsoid([f64; 3]),
}

/// A shape at a pose in the body frame.
#[derive(Clone, Copy, Debug)]
pub struct PlacedSolid {
    /// Shape of the solid.
    pub solid: Solid,
    /// Rotation from the shape's axes to the body's.
    pub R: Mat3,
    /// Centre of the shape in the body [m].
    pub p: Vec3,
}

/// Coefficients of one shape in water of density 1, along its own axes: translation along x, y, z,
/// then rotation about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCoefficients {
    /// Added mass [m³] and added inertia [m⁵].
    pub added: [f64; 6],
    /// Quadratic drag over density: [m²] and [m⁵].
    pub drag: [f64; 6],
}

/// Estimated hydrodynamics of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Volume of water that the solid displaces [m³].
    pub volume: f64,
    /// Centre of buoyancy in the body [m]. Drag also acts there.
    pub center: Vec3,
    /// Added mass at the body's origin, in body axes.
    pub added: SpatialInertia,
    /// Quadratic damping at the centre, along the body's axes: surge, sway, heave [N s²/m²], roll,
    /// pitch, yaw [N m s²].
    pub drag: [f64; 6],
}

impl PlacedSolid {
    /// Returns the solid on a body on which its former body has the pose (`R`, `p` [m]).
    pub fn moved(self, R: &Mat3, p: Vec3) -> Self {
        Self {
            solid: self.solid,
            R: R.mul_mat(&self.R),
            p: p + R.mul_vec(self.p),
        }
    }
}

impl Solid {
    /// Places the solid at the origin, along the axes of the body.
    pub fn at_origin(self) -> PlacedSolid {
        PlacedSolid {
            solid: self,
            R: Mat3::identity(),
            p: Vec3::zero(),
        }
    }

    /// Approximates a capsule along z by the spheroid of the same total length and volume; `radius`
    /// [m], `length` between the hemispheres [m].
    pub fn capsule(radius: f64, length: f64) -> Solid {
        let a = 0.5 * length + radius;
        let volume = std::f64::consts::PI * radius * radius * (length + 4.0 / 3.0 * radius);
        let b = (3.0 * volume / (4.0 * std::f64::consts::PI * a)).sqrt();
        Solid::Ellipsoid([b, b, a])
    }

    /// Returns the volume [m³].
    pub fn volume(&self) -> f64 {
        match *self {
            Solid::Box([x, y, z]) => x * y * z,
            Solid::Cylinder { radius, length } => std::f64::consts::PI * radius * radius * length,
            Solid::Ellipsoid([a, b, c]) => 4.0 / 3.0 * std::f64::consts::PI * a * b * c,
        }
    }

    /// Returns the coefficients along the axes of the solid, in water of density 1.
    pub fn unit_coefficients(&self) -> UnitCoefficients {
        match *self {
            Solid::Box(size) => UnitCoefficients {
                added: crate::import::estimate::block::added_mass(size),
                drag: crate::import::estimate::drag::block(size),
            },
            Solid::Cylinder { radius, length } => UnitCoefficients {
                added: crate::import::estimate::cylinder::added_mass(radius, length),
                drag: crate::import::estimate::drag::cylinder(radius, length),
            },
            Solid::Ellipsoid(axes) => UnitCoefficients {
                added: crate::import::estimate::ellipsoid::added_mass(axes),
                drag: crate::import::estimate::drag::ellipsoid(axes),
            },
        }
    }
}

/// Sums the hydrodynamics of `shapes` in water of `density` [kg/m³]. Returns `None` without shapes.
pub fn estimate(shapes: &[PlacedSolid], density: f64) -> Option<Estimate> {
    let volume: f64 = shapes.iter().map(|s| s.solid.volume()).sum();
    if shapes.is_empty() || volume <= 0.0 {
        return None;
    }
    let moment = shapes
        .iter()
        .fold(Vec3::zero(), |m, s| m + s.p.scale(s.solid.volume()));
    let center = moment.scale(1.0 / volume);
    let mut added = SpatialInertia::zero();
    let mut drag = [0.0; 6];
    for shape in shapes {
        let alone = shape.solid.unit_coefficients();
        let [x, y, z, k, m, n] = alone.added.map(|a| density * a);
        let own = SpatialInertia {
            A: Sym3::diagonal([k, m, n]),
            B: Mat3::zero(),
            D: Sym3::diagonal([x, y, z]),
        };
        added += own.to_parent(&shape.R, shape.p);
        add_drag(
            &mut drag,
            &alone.drag.map(|d| density * d),
            &shape.R,
            shape.p - center,
        );
    }
    Some(Estimate {
        volume,
        center,
        added,
        drag,
    })
}

/// Adds the drag of a shape whose centre is at `r` [m] from the point where the sum acts.
///
/// Exact for translation along, and rotation about, one body axis at a time. A motion `v` along
/// axis i moves the shape by `v R_ij` along its own axis j, and the force D_j |v R_ij| v R_ij has
/// the component |R_ij|³ D_j v|v| along i. A rotation about k moves the centre of the shape at a
/// speed proportional to its distance.
fn add_drag(sum: &mut [f64; 6], own: &[f64; 6], R: &Mat3, r: Vec3) {
    let part = |i: usize, offset: usize| -> f64 {
        let row = R.r[i].to_array();
        (0..3)
            .map(|j| row[j].abs() * row[j] * row[j] * own[offset + j])
            .sum()
    };
    let r = r.to_array();
    for k in 0..3 {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        sum[k] += part(k, 0);
        sum[3 + k] += part(k, 3);
        sum[3 + k] += part(j, 0) * r[i].abs() * r[i] * r[i] + part(i, 0) * r[j].abs() * r[j] * r[j];
    }
}
