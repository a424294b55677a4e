//! Geometry that several kinds of task use: pose errors, gates, zones and polygons.

use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_persist::Persist;
use std::f64::consts::PI;

/// Returns the absolute difference of two headings within -π..π [rad], 0..π.
pub fn heading_error(a: f64, b: f64) -> f64 {
    PI - ((a - b).abs() - PI).abs()
}

/// Returns the pose error of a robot `distance` [m] from its goal: `distance + k^distance ·
/// heading_error`, with the error in metres and radians. Without a goal heading it is the distance.
///
/// Source: osrf/vrx at 93ae8d0, `StationkeepingScoringPlugin.cc` and `WayfindingScoringPlugin.cc`.
pub fn pose_error(distance: f64, heading_error: Option<f64>, k: f64) -> f64 {
    match heading_error {
        Some(error) => distance + libm::pow(k, distance) * error,
        None => distance,
    }
}

/// Returns the horizontal distance of two points [m].
pub fn horizontal_distance(a: Vec3, b: Vec3) -> f64 {
    let d = a - b;
    (d.x * d.x + d.y * d.y).sqrt()
}

/// Returns the distance of two points [m], only the horizontal one if `horizontal` is set.
pub fn distance(a: Vec3, b: Vec3, horizontal: bool) -> f64 {
    match horizontal {
        true => horizontal_distance(a, b),
        false => (a - b).norm(),
    }
}

/// Side of a gate on which a robot is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub enum Side {
    /// Beside the gate: further from its centre than half of its width.
    #[default]
    Beside,
    /// Before the gate.
    Before,
    /// After the gate.
    After,
}

/// Returns the side of the gate between the points `left` and `right` on which `p` is. The gate is
/// crossed with `left` on the left.
///
/// Source: osrf/vrx at 93ae8d0, `NavigationScoringPlugin.cc`, whose `left_marker` is on the right of
/// its crossing direction.
pub fn side_of_gate(left: Vec3, right: Vec3, p: Vec3) -> Side {
    let across = left - right;
    let horizontal = (across.x * across.x + across.y * across.y).sqrt();
    if horizontal == 0.0 {
        return Side::Beside;
    }
    let [y_x, y_y] = [across.x / horizontal, across.y / horizontal];
    let d = p - (left + right).scale(0.5);
    let (x, y) = (d.x * y_y - d.y * y_x, d.x * y_x + d.y * y_y);
    if y.abs() > 0.5 * across.norm() {
        Side::Beside
    } else if x >= 0.0 {
        Side::After
    } else {
        Side::Before
    }
}

/// Box with vertical sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Centre in W [m].
    pub p_W: Vec3,
    /// Edge lengths along its axes [m].
    pub size_m: Vec3,
    /// Angle of its x axis from east, counter-clockwise [rad].
    pub yaw: f64,
}

impl Zone {
    /// Returns true if the zone contains the point `p` in W [m].
    pub fn contains(&self, p: Vec3) -> bool {
        let (s, c) = sin_cos(self.yaw);
        let d = p - self.p_W;
        let own = Vec3::new(c * d.x + s * d.y, c * d.y - s * d.x, d.z);
        let half = self.size_m.scale(0.5);
        own.x.abs() <= half.x && own.y.abs() <= half.y && own.z.abs() <= half.z
    }

    /// Returns the corners of the middle plane of the box in W [m].
    pub fn outline(&self) -> [Vec3; 4] {
        let (s, c) = sin_cos(self.yaw);
        [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(|[i, j]| {
            let (x, y) = (0.5 * i * self.size_m.x, 0.5 * j * self.size_m.y);
            self.p_W + Vec3::new(c * x - s * y, s * x + c * y, 0.0)
        })
    }
}

/// Returns true if the horizontal polygon with these corners [m] contains the point `p` (even-odd
/// rule).
pub fn polygon_contains(polygon: &[[f64; 2]], p: Vec3) -> bool {
    let mut inside = false;
    let mut last = polygon.len().wrapping_sub(1);
    for (k, &[x, y]) in polygon.iter().enumerate() {
        let [x0, y0] = polygon[last];
        if (y > p.y) != (y0 > p.y) && p.x < (x0 - x) * (p.y - y) / (y0 - y) + x {
            inside = !inside;
        }
        last = k;
    }
    inside
}

/// Returns the area of a horizontal polygon [m²], positive if its points are counter-clockwise.
pub fn polygon_area(polygon: &[[f64; 2]]) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    let pairs = polygon.iter().zip(next);
    0.5 * pairs
        .map(|([x0, y0], [x1, y1])| x0 * y1 - x1 * y0)
        .sum::<f64>()
}

/// Returns the distance of `p` from the line between `a` and `b` [m], and the distance along it from
/// `a` to the nearest point [m].
pub fn distance_to_segment(a: Vec3, b: Vec3, p: Vec3) -> (f64, f64) {
    let (along, d) = (b - a, p - a);
    let length = along.norm();
    let Some(unit) = along.unit() else {
        return (d.norm(), 0.0);
    };
    let s = d.dot(unit).clamp(0.0, length);
    ((d - unit.scale(s)).norm(), s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_errors_are_the_smaller_angle() {
        assert!((heading_error(3.0, -3.0) - (2.0 * PI - 6.0)).abs() < 1e-15);
        assert_eq!(heading_error(0.25, 0.75), 0.5);
        assert_eq!(heading_error(PI, 0.0), PI);
    }

    #[test]
    fn gates_are_crossed_with_left_on_the_left() {
        let (left, right) = (Vec3::new(0.0, 5.0, 0.0), Vec3::new(0.0, -5.0, 0.0));
        let side = |x, y| side_of_gate(left, right, Vec3::new(x, y, 0.0));
        assert_eq!(side(-1.0, 0.0), Side::Before);
        assert_eq!(side(1.0, 4.9), Side::After);
        assert_eq!(side(1.0, 5.1), Side::Beside);
        assert_eq!(side_of_gate(left, left, right), Side::Beside);
    }

    #[test]
    fn zones_turn_with_their_yaw() {
        let zone = Zone {
            p_W: Vec3::new(10.0, 0.0, 0.0),
            size_m: Vec3::new(8.0, 2.0, 2.0),
            yaw: PI / 2.0,
        };
        assert!(zone.contains(Vec3::new(10.9, 3.9, 0.0)));
        assert!(!zone.contains(Vec3::new(13.0, 0.0, 0.0)));
    }

    #[test]
    fn polygons_contain_their_inside() {
        let shape = [[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [2.0, 1.0], [0.0, 4.0]];
        assert!(polygon_contains(&shape, Vec3::new(1.0, 1.0, 0.0)));
        assert!(!polygon_contains(&shape, Vec3::new(2.0, 2.0, 0.0)));
        assert_eq!(polygon_area(&shape), 10.0);
    }

    #[test]
    fn segments_end_at_their_ends() {
        let (a, b) = (Vec3::zero(), Vec3::new(10.0, 0.0, 0.0));
        assert_eq!(
            distance_to_segment(a, b, Vec3::new(4.0, 3.0, 0.0)),
            (3.0, 4.0)
        );
        assert_eq!(
            distance_to_segment(a, b, Vec3::new(13.0, 4.0, 0.0)),
            (5.0, 10.0)
        );
    }
}
