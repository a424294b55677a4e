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

impl WorldView {
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
