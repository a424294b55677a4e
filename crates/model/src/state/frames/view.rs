//! World view at one instant: input of the exteroceptive sensors, which are computed
//! asynchronously.

use crate::scene::sea::Sea;
use crate::state::fault_effect::FaultEffect;
use merrow_math::{Mat3, Quat, SpatialVelocity, Vec3};

/// Poses and velocities of all links, the sea, and the state of lamps, power and faults.
#[derive(Clone, Debug)]
pub struct WorldView {
    /// Time of the view [ns].
    pub time_ns: u64,
    /// Sea at that time.
    pub sea: Sea,
    /// Rotation and origin [m] of the links of every robot in W.
    pub links: Vec<Vec<(Mat3, Vec3)>>,
    /// Angles of the fins and azimuth servos of every robot [rad].
    pub fins: Vec<Vec<f64>>,
    /// Brightness level of the lamps of every robot, 0..1.
    pub lamps: Vec<Vec<f64>>,
    /// Whether each robot has power.
    pub powered: Vec<bool>,
    /// Whether each sensor of each robot is dead due to a fault.
    pub dead: Vec<Vec<bool>>,
    /// Effects of faults on every beacon.
    pub beacons: Vec<FaultEffect>,
    /// Velocity of the links of every robot in W, at Lo, expressed in L [rad/s, m/s].
    pub velocities: Vec<Vec<SpatialVelocity>>,
    /// Shaft speeds of the thrusters of every robot [rad/s]; empty if no receiver on the robot
    /// detects their noise.
    pub shaft_speeds: Vec<Vec<f64>>,
}

/// Motion of a point on a link, or of a point that is fixed in the world.
#[derive(Clone, Copy, Debug)]
pub struct PointMotion {
    /// Index of the robot that carries the point, if any.
    pub robot: Option<usize>,
    /// Attitude of the link in W; the identity for a fixed point.
    pub R_WL: Mat3,
    /// Position of the point in W [m].
    pub p: Vec3,
    /// Velocity of the point in W [m/s].
    pub v: Vec3,
    /// Angular velocity of the link in W [rad/s].
    pub w: Vec3,
}

impl PointMotion {
    /// Returns the attitude in W of a frame with the attitude `R_LM` on the link.
    pub fn attitude(&self, R_LM: &Mat3) -> Mat3 {
        match self.robot {
            Some(_) => self.R_WL.mul_mat(R_LM),
            None => *R_LM,
        }
    }
}

impl WorldView {
    /// Returns the motion of the point `p` [m] of the link `on` (robot, link), or of the world.
    pub fn point(&self, on: Option<(usize, usize)>, p: Vec3) -> PointMotion {
        let Some((robot, link)) = on else {
            let zero = Vec3::zero();
            return PointMotion {
                robot: None,
                R_WL: Mat3::identity(),
                p,
                v: zero,
                w: zero,
            };
        };
        let ((R_WL, p_WL), V) = (&self.links[robot][link], self.velocities[robot][link]);
        PointMotion {
            robot: Some(robot),
            R_WL: *R_WL,
            p: *p_WL + R_WL.mul_vec(p),
            v: R_WL.mul_vec(V.v + V.w.cross(p)),
            w: R_WL.mul_vec(V.w),
        }
    }

    /// Does the same as [`Self::point`]; `None` if the robot has no power or no finite motion.
    pub fn powered_point(&self, on: Option<(usize, usize)>, p: Vec3) -> Option<PointMotion> {
        let motion = self.point(on, p);
        let is_powered = |r: usize| self.powered[r] && motion.p.is_finite() && motion.v.is_finite();
        motion.robot.is_none_or(is_powered).then_some(motion)
    }

    /// Returns a copy with every link extrapolated by `time` [s] at constant velocity and angular
    /// velocity.
    pub fn extrapolate(&self, time: f64) -> Self {
        let link = |((R, p), V): (&(Mat3, Vec3), &SpatialVelocity)| {
            let rotation = Quat::from_rotation_vector(V.w.scale(time)).matrix();
            (R.mul_mat(&rotation), *p + R.mul_vec(V.v.scale(time)))
        };
        let robot = |(links, velocities): (&Vec<(Mat3, Vec3)>, &Vec<SpatialVelocity>)| {
            links.iter().zip(velocities).map(link).collect()
        };
        Self {
            links: self.links.iter().zip(&self.velocities).map(robot).collect(),
            ..self.clone()
        }
    }

    /// Returns true if all links are at rest.
    pub fn is_at_rest(&self) -> bool {
        let is_zero = |v: Vec3| v.dot(v) == 0.0;
        self.velocities
            .iter()
            .flatten()
            .all(|V| is_zero(V.w) && is_zero(V.v))
    }
}
