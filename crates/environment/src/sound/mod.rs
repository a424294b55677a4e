//! Sound propagation through the water column by ray tracing, with refraction and reflection.
//!
//! [`Waveguide`] is the water between surface and seabed, [`ray::trace`] traces one ray,
//! [`eigenray::eigenrays`] computes the rays that connect two points, and [`interference`] sums
//! their contributions.

pub mod doppler;
pub mod eigenray;
pub mod interference;
pub mod noise;
pub mod ray;

use crate::{EnvironmentState, water_column};
use merrow_math::Vec3;
use merrow_model::scene::robot::thruster::interpolate;
use merrow_model::scene::sea::water::DRY;

/// Range-independent profile of the speed of sound from the surface to the seabed, linear between
/// its nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waveguide {
    /// Depth [m] and speed [m/s] of each node: the first is at the surface, the last at the seabed.
    nodes: Vec<[f64; 2]>,
}

impl Waveguide {
    /// Creates the water between the depths `surface` and `bottom` [m] from `profile` (depth [m],
    /// speed [m/s]), shallowest first.
    ///
    /// The speed is linear between the points and constant beyond them. Returns `None` if there is
    /// no water, if the profile is empty, or if a speed is not finite and positive.
    pub fn new(profile: &[[f64; 2]], limits: [f64; 2]) -> Option<Self> {
        let mut guide = Self {
            nodes: profile.to_vec(),
        };
        guide.limit(limits).then_some(guide)
    }

    /// Limits the profile in the nodes to the depths `surface` to `bottom` [m]. Returns false if
    /// there is no water, if the profile is empty, or if a speed is not finite and positive.
    fn limit(&mut self, [surface, bottom]: [f64; 2]) -> bool {
        let nodes = &mut self.nodes;
        let is_valid = nodes
            .iter()
            .all(|[z, c]| z.is_finite() && c.is_finite() && *c > 0.0);
        if nodes.is_empty() || !is_valid || !(bottom - surface).is_finite() || bottom <= surface {
            return false;
        }
        let ends = [surface, bottom].map(|z| [z, interpolate(nodes, z)]);
        nodes.retain(|p| p[0] > surface && p[0] < bottom);
        nodes.insert(0, ends[0]);
        nodes.push(ends[1]);
        nodes.dedup_by(|b, a| b[0] <= a[0]);
        true
    }

    /// Returns the water around `p` [m], W, down to the seabed, but at least down to the depth
    /// `deepest` [m]. Returns `None` on land.
    pub fn in_environment(
        environment: &EnvironmentState<'_>,
        p: Vec3,
        deepest: f64,
    ) -> Option<Self> {
        let mut guide = Self::default();
        guide.set_water(environment, p, deepest).then_some(guide)
    }

    /// Sets the water as [`Waveguide::in_environment`] does, in the memory of the nodes. Returns
    /// false on land.
    fn set_water(&mut self, environment: &EnvironmentState<'_>, p: Vec3, deepest: f64) -> bool {
        let (sea, gravity, t) = (environment.sea, environment.gravity, environment.time);
        self.nodes.clear();
        let bottom = (-sea.seabed.height(p.x, p.y)).max(deepest);
        if let Some(region) = sea.region(p.x, p.y) {
            let level = region.level_m.unwrap_or(0.0);
            self.nodes.push([0.0, region.sound_speed_m_s]);
            return level != DRY && self.limit([-level, bottom]);
        }
        let Some(column) = &sea.column else {
            self.nodes.push([0.0, sea.sound_speed]);
            return self.limit([0.0, bottom]);
        };
        self.nodes.extend(column.layers.iter().map(|layer| {
            let at = Vec3::new(p.x, p.y, -layer.depth);
            let here = water_column::sample_column(column, gravity, at, t);
            [layer.depth, here.sound_speed]
        }));
        self.limit([0.0, bottom])
    }

    /// Returns the depth [m] and speed of sound [m/s] of the nodes, from the surface down.
    pub fn nodes(&self) -> &[[f64; 2]] {
        &self.nodes
    }

    /// Returns the depth of the surface [m].
    pub fn surface(&self) -> f64 {
        self.nodes[0][0]
    }

    /// Returns the depth of the seabed [m].
    pub fn bottom(&self) -> f64 {
        self.nodes[self.nodes.len() - 1][0]
    }

    /// Returns the speed of sound [m/s] at `depth` [m].
    pub fn speed(&self, depth: f64) -> f64 {
        interpolate(&self.nodes, depth)
    }

    /// Returns the maximum speed of sound [m/s].
    pub fn max_speed(&self) -> f64 {
        self.nodes.iter().fold(0.0, |max, n| max.max(n[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waveguide_ends_at_surface_and_bottom() {
        let profile = [[0.0, 1500.0], [50.0, 1490.0], [200.0, 1496.0]];
        let guide = Waveguide::new(&profile, [-1.0, 125.0]).expect("water");
        assert_eq!(
            guide.nodes,
            [
                [-1.0, 1500.0],
                [0.0, 1500.0],
                [50.0, 1490.0],
                [125.0, 1493.0]
            ]
        );
        assert_eq!(
            (guide.speed(25.0), guide.speed(400.0), guide.max_speed()),
            (1495.0, 1493.0, 1500.0)
        );
        assert_eq!(Waveguide::new(&profile, [3.0, 2.0]), None);
        assert_eq!(Waveguide::new(&[], [0.0, 2.0]), None);
        assert_eq!(Waveguide::new(&[[0.0, f64::NAN]], [0.0, 2.0]), None);
    }
}
