//! Routes of actors: positions at given times.
//!
//! # Law
//! ```text
//!   p(t) = cubic Hermite polynomial between (t_k, p_k, v_k) and (t_k+1, p_k+1, v_k+1)  (1)
//!   v_k = (p_k+1 - p_k-1) / (t_k+1 - t_k-1)                                            (2)
//!   (2) [Catmull and Rom 1974]
//! ```
//! An actor starts with the velocity of its first leg and comes to rest at the last waypoint. A
//! route that repeats has the tangents (2) at its ends as well.
//!
//! # Symbols
//! p_k waypoints, t_k their times, v_k velocities there.
//!
//! # Frames
//! W; yaw from east, counter-clockwise.
//!
//! # Limits
//! The velocity is continuous, the acceleration is not.
//!
//! # Checked by
//! tests below; test/analytic/bodies/actor.rs

use merrow_math::Vec3;

/// Speed below which the heading is the heading of the leg [m/s].
const MIN_SPEED: f64 = 0.05;

/// Route of an actor.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Times of the waypoints, ascending [s].
    pub times_s: Vec<f64>,
    /// Positions of the waypoints in W [m].
    pub waypoints_m: Vec<Vec3>,
    /// True if the route starts again at its end.
    pub repeats: bool,
    /// True if height, roll and pitch follow from buoyancy and waves; false if they are the values
    /// of the route.
    pub floats: bool,
}

/// Motion on a route at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RouteReference {
    /// Position in W [m].
    pub p: Vec3,
    /// Velocity in W [m/s].
    pub v: Vec3,
    /// Acceleration in W [m/s²].
    pub a: Vec3,
    /// Heading, from east, counter-clockwise [rad].
    pub yaw: f64,
    /// Yaw rate about the vertical [rad/s].
    pub yaw_rate: f64,
}

impl Route {
    /// Returns the motion at the time `t` [s].
    pub fn reference(&self, t: f64) -> RouteReference {
        let n = self.waypoints_m.len();
        let (first, last) = (self.times_s[0], self.times_s[n - 1]);
        let t = if self.repeats && t > last {
            first + (t - first).rem_euclid(last - first)
        } else {
            t
        };
        let k = self.times_s[1..n - 1].partition_point(|time| *time <= t);
        let leg = self.waypoints_m[k + 1] - self.waypoints_m[k];
        let heading = libm::atan2(leg.y, leg.x);
        if t < first || t > last {
            let p = if t < first {
                self.waypoints_m[0]
            } else {
                self.waypoints_m[n - 1]
            };
            return RouteReference {
                p,
                v: Vec3::zero(),
                a: Vec3::zero(),
                yaw: heading,
                yaw_rate: 0.0,
            };
        }
        let (p, v, a) = self.interpolate(k, t);
        let speed2 = v.x * v.x + v.y * v.y;
        let moves = speed2 > MIN_SPEED * MIN_SPEED;
        RouteReference {
            p,
            v,
            a,
            yaw: if moves {
                libm::atan2(v.y, v.x)
            } else {
                heading
            },
            yaw_rate: if moves {
                (v.x * a.y - v.y * a.x) / speed2
            } else {
                0.0
            },
        }
    }

    /// Returns the position, velocity and acceleration by (1) on leg `k` at the time `t` [s].
    fn interpolate(&self, k: usize, t: f64) -> (Vec3, Vec3, Vec3) {
        let (t0, h) = (self.times_s[k], self.times_s[k + 1] - self.times_s[k]);
        let s = (t - t0) / h;
        let (p0, p1) = (self.waypoints_m[k], self.waypoints_m[k + 1]);
        let (m0, m1) = (self.tangent(k).scale(h), self.tangent(k + 1).scale(h));
        let d = p1 - p0;
        // p = p0 + s m0 + s² (3 d - 2 m0 - m1) + s³ (m0 + m1 - 2 d)
        let b = d.scale(3.0) - m0.scale(2.0) - m1;
        let c = m0 + m1 - d.scale(2.0);
        let p = p0 + (m0 + (b + c.scale(s)).scale(s)).scale(s);
        let v = (m0 + (b.scale(2.0) + c.scale(3.0 * s)).scale(s)).scale(1.0 / h);
        let a = (b.scale(2.0) + c.scale(6.0 * s)).scale(1.0 / (h * h));
        (p, v, a)
    }

    /// Returns the velocity at waypoint `k` by (2) [m/s].
    fn tangent(&self, k: usize) -> Vec3 {
        let (n, p, t) = (self.waypoints_m.len(), &self.waypoints_m, &self.times_s);
        let slope = |a: usize, b: usize| (p[b] - p[a]).scale(1.0 / (t[b] - t[a]));
        if k > 0 && k < n - 1 {
            return slope(k - 1, k + 1);
        }
        if self.repeats {
            // the last waypoint is at the position of the first
            let time = t[1] - t[0] + t[n - 1] - t[n - 2];
            return (p[1] - p[n - 2]).scale(1.0 / time);
        }
        if k == 0 { slope(0, 1) } else { Vec3::zero() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(repeats: bool) -> Route {
        let points = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 0.0]];
        Route {
            times_s: vec![0.0, 5.0, 12.0, 20.0],
            waypoints_m: points.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec(),
            repeats,
            floats: true,
        }
    }

    #[test]
    fn waypoints_are_met_at_their_times() {
        let route = route(false);
        for (t, p) in route.times_s.iter().zip(&route.waypoints_m) {
            assert!((route.reference(*t).p - *p).norm() < 1e-12);
        }
        assert!(route.reference(20.0).v.norm() < 1e-12);
        assert_eq!(route.reference(99.0).p, route.waypoints_m[3]);
    }

    #[test]
    fn velocity_and_yaw_rate_are_derivatives() {
        let route = route(true);
        let h = 1e-5;
        for t in [0.7, 4.0, 6.1, 15.0, 21.3, 47.0] {
            let [a, b, c] = [t - h, t, t + h].map(|t| route.reference(t));
            let v = (c.p - a.p).scale(0.5 / h);
            assert!((v - b.v).norm() < 1e-6, "{t}: {v:?} {:?}", b.v);
            assert!(((c.yaw - a.yaw) * 0.5 / h - b.yaw_rate).abs() < 1e-5, "{t}");
        }
    }

    #[test]
    fn repeating_route_is_periodic_and_smooth() {
        let route = route(true);
        let [before, after] = [20.0 - 1e-9, 20.0 + 1e-9].map(|t| route.reference(t));
        assert!((before.p - after.p).norm() < 1e-6);
        assert!((before.v - after.v).norm() < 1e-6, "{before:?} {after:?}");
        assert!((route.reference(23.0).p - route.reference(3.0).p).norm() < 1e-12);
    }
}
