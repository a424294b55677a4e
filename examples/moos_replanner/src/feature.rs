//! Features: obstacles and waypoints with their potentials, by (1) and (2) of the paper.
//!
//! # Law
//! ```text
//!   f_s = exp(A/d) - 1                                    (2)  obstacle
//!   f_s = g d                                                  waypoint
//!   f_r = -ρ (exp(A/d(p_AUV)) - 1) s t · (p - p_AUV)/A         rotor of an obstacle
//! ```
//! # Symbols
//! d distance to the nearest point of the outline [m] · A severity [m] · g pull of a waypoint [1/m] ·
//! ρ part of the rotor · t unit vector along the outline, counter-clockwise about the obstacle · s = ±1
//! side on which the vehicle passes (figure 3) · p point, p_AUV vehicle [m].
//!
//! # Limits
//! Inside of an obstacle the potential is that of 1 cm in front of it, so that the descent leads out.

use crate::vector::Vector;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Severity of an obstacle A [m].
pub const SEVERITY_M: f64 = 8.0;
/// Pull of a waypoint g [1/m].
pub const PULL_PER_M: f64 = 0.15;
/// Part of the rotor ρ.
pub const ROTOR: f64 = 1.0;
/// Least distance in (2) [m].
const MIN_DISTANCE_M: f64 = 0.01;
/// Largest exponent in (2): the potential stays finite.
const MAX_EXPONENT: f64 = 20.0;
/// Points of an ellipse of which the nearest one begins its search.
const ELLIPSE_POINTS: usize = 16;
/// Points of an outline.
const OUTLINE_POINTS: usize = 64;

/// Shape of a feature, about its position. Angles are counter-clockwise from east [rad].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Rectangle.
    Rectangle {
        /// Half its lengths along its axes [m].
        half: Vector,
        /// Angle of its first axis [rad].
        angle: f64,
    },
    /// Circle.
    Circle {
        /// Radius [m].
        radius: f64,
    },
    /// Ellipse.
    Ellipse {
        /// Half its axes [m].
        half: Vector,
        /// Angle of its first axis [rad].
        angle: f64,
    },
    /// Triangle.
    Triangle {
        /// Corners relative to the position [m].
        corners: [Vector; 3],
    },
    /// A point that attracts.
    Waypoint,
}

impl Shape {
    /// Returns the name in the registry of a world.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Rectangle { .. } => "Rectangle",
            Self::Circle { .. } => "Circle",
            Self::Ellipse { .. } => "Ellipse",
            Self::Triangle { .. } => "Triangle",
            Self::Waypoint => "Waypoint",
        }
    }
}

/// Something that attracts or repels the vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// Name; a message with the same name replaces it.
    pub name: String,
    /// Barycentre [m].
    pub position: Vector,
    /// Shape about it.
    pub shape: Shape,
}

impl Feature {
    /// Creates a feature.
    pub fn new(name: impl Into<String>, position: Vector, shape: Shape) -> Self {
        Self {
            name: name.into(),
            position,
            shape,
        }
    }

    /// Returns the distance of a point [m] to the outline, negative inside, and the unit vector away
    /// from it.
    pub fn distance(&self, p: Vector) -> (f64, Vector) {
        let q = p - self.position;
        match self.shape {
            Shape::Waypoint => (q.norm(), outward(q, q)),
            Shape::Circle { radius } => (q.norm() - radius, outward(q, q)),
            Shape::Rectangle { half, angle } => {
                let own = q.in_axes(angle);
                let (d, n) = to_rectangle(own, half);
                (d, n.in_axes(-angle))
            }
            Shape::Ellipse { half, angle } => {
                let own = q.in_axes(angle);
                let (d, n) = to_ellipse(own, half);
                (d, n.in_axes(-angle))
            }
            Shape::Triangle { corners } => to_polygon(q, &corners),
        }
    }

    /// Returns the static part of the potential at a point [m], by (2).
    pub fn static_potential(&self, p: Vector) -> f64 {
        match self.shape {
            Shape::Waypoint => PULL_PER_M * (p - self.position).norm(),
            _ => repulsion(self.distance(p).0),
        }
    }

    /// Returns the rotor part at a point [m], for the vehicle, its waypoint, and the side of
    /// [`Self::side`].
    pub fn rotor_potential(&self, p: Vector, vehicle: Vector, waypoint: Vector, side: f64) -> f64 {
        if self.shape == Shape::Waypoint {
            return 0.0;
        }
        let (d, away) = self.distance(vehicle);
        // an obstacle that is not on the way does not turn the vehicle
        if (waypoint - vehicle).dot(away) > 0.0 {
            return 0.0;
        }
        -ROTOR * repulsion(d) * side * away.left().dot(p - vehicle) / SEVERITY_M
    }

    /// Returns the side on which the vehicle passes on the way to its waypoint: 1 if the barycentre
    /// is to the left of the way and the vehicle passes counter-clockwise about it, -1 if not.
    pub fn side(&self, vehicle: Vector, waypoint: Vector) -> f64 {
        let left = (waypoint - vehicle).left();
        if left.dot(self.position - vehicle) < 0.0 {
            -1.0
        } else {
            1.0
        }
    }

    /// Returns the radius of a circle about the position that contains the feature [m].
    pub fn reach(&self) -> f64 {
        match self.shape {
            Shape::Waypoint => 0.0,
            Shape::Circle { radius } => radius,
            Shape::Rectangle { half, .. } => half.norm(),
            Shape::Ellipse { half, .. } => half.x.max(half.y),
            Shape::Triangle { corners } => corners.iter().map(|c| c.norm()).fold(0.0, f64::max),
        }
    }

    /// Returns points of the outline, counter-clockwise [m].
    pub fn outline(&self) -> Vec<Vector> {
        let round = |half: Vector, angle: f64| {
            (0..OUTLINE_POINTS)
                .map(|k| Vector::unit(TAU * k as f64 / OUTLINE_POINTS as f64))
                .map(|e| Vector::new(half.x * e.x, half.y * e.y).in_axes(-angle))
                .collect()
        };
        let edges = |corners: &[Vector]| -> Vec<Vector> {
            let parts = OUTLINE_POINTS / corners.len();
            let next = corners.iter().cycle().skip(1);
            let edges = corners.iter().zip(next);
            let edge = |(a, b): (&Vector, &Vector)| {
                let (a, edge) = (*a, *b - *a);
                (0..parts).map(move |k| a + edge * (k as f64 / parts as f64))
            };
            edges.flat_map(edge).collect()
        };
        let points = match self.shape {
            Shape::Waypoint => vec![Vector::default()],
            Shape::Circle { radius } => round(Vector::new(radius, radius), 0.0),
            Shape::Ellipse { half, angle } => round(half, angle),
            Shape::Rectangle { half, angle } => {
                let quarter = |k: f64| Vector::unit(FRAC_PI_2 * k + 0.5 * FRAC_PI_2);
                let corner = |e: Vector| {
                    let own = Vector::new(half.x.copysign(e.x), half.y.copysign(e.y));
                    own.in_axes(-angle)
                };
                edges(&[0.0, 1.0, 2.0, 3.0].map(|k| corner(quarter(k))))
            }
            Shape::Triangle { corners } => edges(&corners),
        };
        points.into_iter().map(|p| p + self.position).collect()
    }
}

/// Returns (2) for a distance to the outline [m].
pub fn repulsion(distance: f64) -> f64 {
    let exponent = SEVERITY_M / distance.max(MIN_DISTANCE_M);
    libm::expm1(exponent.min(MAX_EXPONENT))
}

/// Returns (2) with the distance to the barycentre [m] and a severity [m], as in figure 5.
pub fn barycentre_potential(severity: f64, distance: f64) -> f64 {
    libm::expm1(severity / distance)
}

/// Returns the unit vector of `v`, or of `other` for the zero vector, or east.
fn outward(v: Vector, other: Vector) -> Vector {
    for v in [v, other] {
        if v.norm() > 0.0 {
            return v.bound(1.0);
        }
    }
    Vector::new(1.0, 0.0)
}

/// Distance to a rectangle about the origin with half its lengths, and the direction away from it.
fn to_rectangle(q: Vector, half: Vector) -> (f64, Vector) {
    let over = Vector::new(q.x.abs() - half.x, q.y.abs() - half.y);
    let sign = Vector::new(1.0_f64.copysign(q.x), 1.0_f64.copysign(q.y));
    if over.x > 0.0 || over.y > 0.0 {
        let out = Vector::new(over.x.max(0.0) * sign.x, over.y.max(0.0) * sign.y);
        return (out.norm(), outward(out, q));
    }
    // inside: to the nearest edge
    if over.x > over.y {
        (over.x, Vector::new(sign.x, 0.0))
    } else {
        (over.y, Vector::new(0.0, sign.y))
    }
}

/// Distance to an ellipse about the origin with its half axes, and the direction away from it.
fn to_ellipse(q: Vector, half: Vector) -> (f64, Vector) {
    let point = |t: f64| {
        let e = Vector::unit(t);
        Vector::new(half.x * e.x, half.y * e.y)
    };
    let gap = |t: f64| (q - point(t)).norm();
    let starts = (0..ELLIPSE_POINTS).map(|k| TAU * k as f64 / ELLIPSE_POINTS as f64);
    let start = starts
        .min_by(|a, b| gap(*a).total_cmp(&gap(*b)))
        .unwrap_or(0.0);
    // the nearest point is between the neighbours of the nearest start
    let step = TAU / ELLIPSE_POINTS as f64;
    let (mut low, mut high) = (start - step, start + step);
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        let (a, b) = (low + third, high - third);
        if gap(a) < gap(b) {
            high = b;
        } else {
            low = a;
        }
    }
    let t = 0.5 * (low + high);
    let e = Vector::unit(t);
    let normal = outward(Vector::new(half.y * e.x, half.x * e.y), q);
    let is_inside = Vector::new(q.x / half.x, q.y / half.y).norm() < 1.0;
    (if is_inside { -gap(t) } else { gap(t) }, normal)
}

/// Distance to a polygon with its corners, and the direction away from it.
fn to_polygon(q: Vector, corners: &[Vector]) -> (f64, Vector) {
    let mut nearest = (f64::INFINITY, Vector::default());
    let mut is_inside = false;
    for (k, a) in corners.iter().enumerate() {
        let b = corners[(k + 1) % corners.len()];
        let edge = b - *a;
        let length = edge.dot(edge).max(1e-12);
        let part = ((q - *a).dot(edge) / length).clamp(0.0, 1.0);
        let gap = q - (*a + edge * part);
        if gap.norm() < nearest.0 {
            nearest = (gap.norm(), outward(gap, edge.left()));
        }
        // crossings of the ray to the east
        if (a.y > q.y) != (b.y > q.y) && q.x < a.x + (q.y - a.y) / edge.y * edge.x {
            is_inside = !is_inside;
        }
    }
    let (d, away) = nearest;
    if is_inside {
        (-d, away * -1.0)
    } else {
        (d, away)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Feature> {
        let at = Vector::new(10.0, -5.0);
        let half = Vector::new(6.0, 2.0);
        let corners = [
            Vector::new(-4.0, -3.0),
            Vector::new(5.0, -2.0),
            Vector::new(0.0, 4.0),
        ];
        [
            Shape::Rectangle { half, angle: 0.4 },
            Shape::Circle { radius: 3.0 },
            Shape::Ellipse { half, angle: -0.7 },
            Shape::Triangle { corners },
        ]
        .into_iter()
        .map(|shape| Feature::new(shape.name(), at, shape))
        .collect()
    }

    /// V22 of the validation, with figure 5 of the paper.
    #[test]
    fn potentials_are_those_of_the_paper() {
        let e = std::f64::consts::E;
        assert!((barycentre_potential(1.0, 1.0) - (e - 1.0)).abs() < 1e-12);
        assert!(barycentre_potential(1.0, 1e12) < 1e-11);
        assert!((repulsion(SEVERITY_M) - (e - 1.0)).abs() < 1e-12);
        assert!(repulsion(-1.0).is_finite());
    }

    /// Distances of points around each shape: the step against the direction away leads to the
    /// outline, and the distance is the gradient's integral.
    #[test]
    fn distances_lead_to_the_outline() {
        for feature in all() {
            for k in 0..72 {
                let away = Vector::unit(TAU * f64::from(k) / 72.0);
                let p = feature.position + away * 15.0;
                let (d, n) = feature.distance(p);
                assert!((n.norm() - 1.0).abs() < 1e-12 && d > 0.0, "{feature:?}");
                let foot = p - n * d;
                assert!(feature.distance(foot).0.abs() < 1e-6, "{feature:?} {k}");
                let further = feature.distance(p + n).0;
                assert!((further - d - 1.0).abs() < 1e-6, "{feature:?} {k}");
            }
            assert!(feature.distance(feature.position).0 < 0.0, "{feature:?}");
        }
    }

    /// Outlines are at the distance 0, within the reach, and go around.
    #[test]
    fn outlines_surround_features() {
        for feature in all() {
            let points = feature.outline();
            for p in &points {
                assert!(feature.distance(*p).0.abs() < 1e-6, "{feature:?} {p:?}");
                assert!((*p - feature.position).norm() < feature.reach() + 1e-9);
            }
            let step = |k: usize| (points[(k + 1) % points.len()] - points[k]).norm();
            assert!((0..points.len()).all(|k| step(k) < 1.0), "{feature:?}");
        }
    }

    /// The rotor leads around the obstacle on the shorter side, and only in front of it.
    #[test]
    fn rotors_lead_around() {
        let circle = &all()[1];
        let (vehicle, waypoint) = (Vector::new(0.0, -5.0), Vector::new(20.0, 5.0));
        // the barycentre is to the right of the way
        let side = circle.side(vehicle, waypoint);
        assert_eq!(side, -1.0);
        let rotor = |dy: f64| {
            circle.rotor_potential(vehicle + Vector::new(0.0, dy), vehicle, waypoint, side)
        };
        assert!(rotor(1.0) < 0.0 && rotor(-1.0) > 0.0);
        let behind = Vector::new(20.0, -5.0);
        assert_eq!(
            circle.rotor_potential(behind, behind, Vector::new(30.0, 0.0), 1.0),
            0.0
        );
    }
}
