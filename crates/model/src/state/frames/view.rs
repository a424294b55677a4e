//! The world at one instant, as sensors that look around are given it: what they find is found beside the step.

use crate::scene::Sea;
use crate::state::Effect;
use merrow_math::{Mat3, Quat, SpatialVelocity, Vec3};

/// Where everything is, and the sea.
#[derive(Clone, Debug)]
pub struct View {
    /// The instant [ns].
    pub time_ns: u64,
    /// The sea, as it is then.
    pub sea: Sea,
    /// Axes and origin of every robot's links in the world [m].
    pub links: Vec<Vec<(Mat3, Vec3)>>,
    /// Level of every robot's lamps, 0..1.
    pub lamps: Vec<Vec<f64>>,
    /// Whether every robot has power.
    pub powered: Vec<bool>,
    /// Whether every robot's sensors are dead by a fault.
    pub dead: Vec<Vec<bool>>,
    /// What faults do to every beacon.
    pub beacons: Vec<Effect>,
    /// Velocity of every robot's links in the world, in L, at Lo.
    pub velocities: Vec<Vec<SpatialVelocity>>,
}

impl View {
    /// The same with every link where it will be `time` [s] later, if its velocity in the world and its turning stay as they are.
    pub fn after(&self, time: f64) -> Self {
        let link = |((R, p), V): (&(Mat3, Vec3), &SpatialVelocity)| {
            let turn = Quat::from_rotation_vector(V.w.scale(time)).matrix();
            (R.mul_mat(&turn), *p + R.mul_vec(V.v.scale(time)))
        };
        let robot = |(links, velocities): (&Vec<(Mat3, Vec3)>, &Vec<SpatialVelocity>)| {
            links.iter().zip(velocities).map(link).collect()
        };
        Self {
            links: self.links.iter().zip(&self.velocities).map(robot).collect(),
            ..self.clone()
        }
    }

    /// True if nothing in it moves.
    pub fn rests(&self) -> bool {
        let still = |v: Vec3| v.dot(v) == 0.0;
        self.velocities
            .iter()
            .flatten()
            .all(|V| still(V.w) && still(V.v))
    }
}
